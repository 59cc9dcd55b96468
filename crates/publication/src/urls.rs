//! Texts of some documents, which lie anywhere: rows of the segments that they are in are read once
//! for as many documents as fit.

use engine::{
    Error,
    segments::{SegmentFile, Segments},
};
use format::DocumentRow;

/// `N` texts of each of some documents.
pub(crate) struct HeldTexts<const N: usize> {
    docs: Vec<u32>,
    texts: Vec<[Option<Box<str>>; N]>,
}

impl<const N: usize> HeldTexts<N> {
    /// Bytes of a document, without its texts.
    const FIXED_BYTES: usize = 4 + 32 * N;

    /// Reads the texts that `wanted` takes of each row; `None` if they are more than so many bytes.
    pub(crate) fn read(
        segments: &Segments,
        mut docs: Vec<u32>,
        most_bytes: usize,
        wanted: for<'r> fn(&DocumentRow<'r>) -> [Option<&'r str>; N],
    ) -> Result<Option<HeldTexts<N>>, Error> {
        docs.sort_unstable();
        docs.dedup();
        let mut bytes = docs.len() * Self::FIXED_BYTES;
        if bytes > most_bytes {
            return Ok(None);
        }
        let mut texts = Vec::with_capacity(docs.len());
        for segment in 0..segments.count() {
            let end = segments.first_of(segment + 1);
            if docs.get(texts.len()).is_none_or(|doc| *doc >= end) {
                continue;
            }
            let mut rows = segments.rows_of(segment, SegmentFile::Documents);
            while let Some((doc, row)) = rows.next_document()? {
                if docs.get(texts.len()) != Some(&doc) {
                    continue;
                }
                let found = wanted(&row);
                bytes += found.iter().flatten().map(|text| text.len()).sum::<usize>();
                if bytes > most_bytes {
                    return Ok(None);
                }
                texts.push(found.map(|text| text.map(Box::from)));
                if docs.get(texts.len()).is_none_or(|doc| *doc >= end) {
                    break;
                }
            }
        }
        Ok(Some(HeldTexts { docs, texts }))
    }

    /// The texts of a document; none if it is not one of them.
    pub(crate) fn of(&self, doc: u32) -> [Option<&str>; N] {
        let at = self.docs.binary_search(&doc).ok();
        let texts = at.and_then(|at| self.texts.get(at));
        std::array::from_fn(|text| texts.and_then(|texts| texts[text].as_deref()))
    }
}

/// The URLs of some documents.
pub struct Urls(HeldTexts<1>);

impl Urls {
    /// Reads them; `None` if they take more than so many bytes.
    pub fn of(
        segments: &Segments,
        mut docs: Vec<u32>,
        most_bytes: usize,
    ) -> Result<Option<Urls>, Error> {
        docs.sort_unstable();
        docs.dedup();
        let most_bytes = most_bytes.saturating_add(docs.len() * HeldTexts::<1>::FIXED_BYTES);
        let held = HeldTexts::read(segments, docs, most_bytes, |row| [row.url])?;
        Ok(held.map(Urls))
    }

    /// The URL of one of them.
    pub fn find(&self, doc: u32) -> Option<&str> {
        let [url] = self.0.of(doc);
        url
    }
}
