//! The hashes of the tokens of a document, handed on in chunks.

use super::Sketcher;
use super::hash_sink::HashSink;
use crate::fingerprint::Fingerprinter;
use crate::params::TextOfPages;
use crate::word_cache::WordCache;
use model::Content;

/// Hashes that are handed on at a time.
const CHUNK_HASHES: usize = 1024;

/// Some hashes of the tokens of a document.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HashChunk<'a> {
    /// The hashes; before them those of the last tokens of the chunks before, as many as are kept.
    pub(crate) hashes: &'a [u64],
    /// The first that was not handed on before.
    pub(crate) from: usize,
}

impl Sketcher {
    /// Hands on the hashes of all tokens that count, in order, in chunks that keep the last `kept`
    /// of those before. A page without a main part has none.
    pub(crate) fn hash_chunks(
        &mut self,
        content: Content<'_>,
        kept: usize,
        take: impl FnMut(HashChunk<'_>),
    ) {
        self.read_text(content, self.text_of_pages);
        let text = match content {
            Content::Text(text) | Content::Features(text) => text.as_bytes(),
            Content::Html(_) | Content::Xhtml(_) => self.pages.text(),
        };
        let is_page = matches!(content, Content::Html(_) | Content::Xhtml(_));
        let is_main = is_page && matches!(self.text_of_pages, TextOfPages::Main { .. });
        if !is_main || self.pages.has_main_part() {
            let shingler = &mut self.shingler;
            shingler.hashes.clear();
            let mut sink = ChunkSink {
                prints: &shingler.prints,
                known: &mut shingler.known,
                hashes: &mut shingler.hashes,
                from: 0,
                kept,
                take,
            };
            let markup = content.markup();
            self.tokenizer.content_tokens(markup, text, &mut sink);
            sink.hand_on();
            shingler.clear();
        }
        self.end_document(content);
    }
}

/// Gathers hashes, and hands them on.
struct ChunkSink<'a, F> {
    prints: &'a Fingerprinter,
    known: &'a mut WordCache,
    hashes: &'a mut Vec<u64>,
    from: usize,
    kept: usize,
    take: F,
}

impl<F: FnMut(HashChunk<'_>)> ChunkSink<'_, F> {
    fn hand_on(&mut self) {
        (self.take)(HashChunk {
            hashes: self.hashes,
            from: self.from,
        });
        let length = self.hashes.len();
        let kept = self.kept.min(length);
        self.hashes.copy_within(length - kept.., 0);
        self.hashes.truncate(kept);
        self.from = kept;
    }
}

impl<F: FnMut(HashChunk<'_>)> HashSink for ChunkSink<'_, F> {
    #[inline(always)]
    fn prints(&self) -> &Fingerprinter {
        self.prints
    }

    #[inline(always)]
    fn known(&mut self) -> &mut WordCache {
        self.known
    }

    #[inline(always)]
    fn hashes(&mut self) -> &mut Vec<u64> {
        self.hashes
    }

    #[cold]
    fn make_room(&mut self) {
        let least = self.kept + CHUNK_HASHES;
        if self.hashes.capacity() < least {
            self.hashes.reserve_exact(least - self.hashes.len());
        } else {
            self.hand_on();
        }
    }
}
