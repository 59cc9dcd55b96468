//! Texts of documents, sorted on disk: ids, URLs and titles in another order than that of their
//! documents.
//!
//! *Input.* A key and `N` texts for each row that needs them, in any order. *Output.* The texts by
//! key. *Algorithm.* A sort takes records of one size, so the texts of a key are cut into pieces of
//! 40 bytes, and the pieces are sorted by key and number. *Memory.* A sort, and the texts of one
//! key. *Disk.* 48 bytes for each 40 of text, if they do not fit.

use engine::Error;
use model::{keyed, word_record};
use sort::{Lookup, SortedWords, WordSorter};

/// Words of text in a piece.
const PIECE_WORDS: usize = 10;

/// Bytes of text in a piece.
const PIECE_BYTES: usize = 4 * PIECE_WORDS;

/// A part of the texts of a key, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TextPiece {
    key: u32,
    number: u32,
    text: [u32; PIECE_WORDS],
}

word_record! { TextPiece { key, number, text } }
keyed! { TextPiece: u32 = |piece| piece.key }

/// `N` texts of a key as bytes: of each the length plus one in 32 bits, or 0 for none, then
/// the text. No table takes texts of more than 1 GiB.
#[derive(Default)]
struct EncodedTexts(Vec<u8>);

impl EncodedTexts {
    fn encode<const N: usize>(&mut self, texts: [Option<&str>; N]) {
        self.0.clear();
        for text in texts {
            let length = text.map_or(0, |text| text.len() as u32 + 1);
            self.0.extend_from_slice(&length.to_le_bytes());
            self.0
                .extend_from_slice(text.unwrap_or_default().as_bytes());
        }
    }

    /// The texts that [`EncodedTexts::encode`] took; none from the first one that is cut off.
    fn decode<const N: usize>(&self) -> [Option<&str>; N] {
        let mut rest = &self.0[..];
        std::array::from_fn(|_| {
            let (length, after) = rest.split_first_chunk()?;
            rest = after;
            let length = usize::try_from(u32::from_le_bytes(*length).checked_sub(1)?).ok()?;
            let (text, after) = rest.split_at_checked(length)?;
            rest = after;
            std::str::from_utf8(text).ok()
        })
    }

    fn pieces(&self, key: u32) -> impl Iterator<Item = TextPiece> {
        let piece = move |(number, bytes): (usize, &[u8])| {
            let mut text = [0; PIECE_WORDS];
            for (word, bytes) in text.iter_mut().zip(bytes.chunks(4)) {
                let mut whole = [0; 4];
                whole[..bytes.len()].copy_from_slice(bytes);
                *word = u32::from_le_bytes(whole);
            }
            let number = number as u32;
            TextPiece { key, number, text }
        };
        self.0.chunks(PIECE_BYTES).enumerate().map(piece)
    }

    fn append(&mut self, piece: TextPiece) {
        let text = piece.text.iter().flat_map(|word| word.to_le_bytes());
        self.0.extend(text);
    }
}

/// Takes texts in any order of their keys; each key once.
pub struct TextSorter<const N: usize> {
    pieces: WordSorter<TextPiece>,
    encoded: EncodedTexts,
}

impl<const N: usize> TextSorter<N> {
    /// Sorts the texts in pieces by this empty sort.
    pub(crate) fn new(pieces: WordSorter<TextPiece>) -> TextSorter<N> {
        TextSorter {
            pieces,
            encoded: EncodedTexts::default(),
        }
    }

    /// Adds the texts of some keys.
    pub fn push(
        &mut self,
        keys: impl IntoIterator<Item = u32>,
        texts: [Option<&str>; N],
    ) -> Result<(), Error> {
        self.encoded.encode(texts);
        for key in keys {
            for piece in self.encoded.pieces(key) {
                self.pieces.push(piece)?;
            }
        }
        Ok(())
    }

    /// Ends the input.
    pub fn finish(self) -> Result<SortedTexts<N>, Error> {
        Ok(SortedTexts {
            pieces: Lookup::over(self.pieces.finish()?)?,
            encoded: self.encoded,
        })
    }
}

/// The texts of a [`TextSorter`], looked up in ascending order of keys.
pub struct SortedTexts<const N: usize> {
    pieces: Lookup<SortedWords<TextPiece>>,
    encoded: EncodedTexts,
}

impl<const N: usize> SortedTexts<N> {
    /// The texts of a key, which is asked for once; none if it has none.
    pub fn of(&mut self, key: u32) -> Result<[Option<&str>; N], Error> {
        self.encoded.0.clear();
        while let Some(piece) = self.pieces.next_of(key)? {
            self.encoded.append(piece);
        }
        Ok(self.encoded.decode())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn pieces_in_order_give_the_texts(
            key: u32,
            texts in prop::array::uniform3(prop::option::of(".{0,90}")),
        ) {
            let (mut written, mut read) = (EncodedTexts::default(), EncodedTexts::default());
            let [a, b, c] = &texts;
            let texts = [a.as_deref(), b.as_deref(), c.as_deref()];
            written.encode(["left over"; 1].map(Some));
            written.encode(texts);
            let mut last = None;
            for piece in written.pieces(key) {
                prop_assert!(last < Some(piece) && piece.key == key);
                last = Some(piece);
                read.append(piece);
            }
            prop_assert_eq!(read.decode(), texts);
        }
    }

    #[test]
    fn texts_that_are_cut_off_are_none() {
        let mut encoded = EncodedTexts::default();
        assert_eq!(encoded.decode(), [None; 2]);
        encoded.encode([Some("whole"), Some("cut off")]);
        encoded.0.truncate(14);
        assert_eq!(encoded.decode(), [Some("whole"), None]);
    }
}
