//! All shingles of a document, in pieces that fit the memory.
//!
//! *Input.* A document, and the length of a piece. *Output.* Its fingerprints, sorted and distinct,
//! in pieces from the highest to the lowest. *Algorithm.* Each pass over the text keeps the highest
//! fingerprints below those of the pass before. *Memory.* The text and two pieces, see
//! [`piece_memory_bytes`](crate::piece_memory_bytes). *Limits.* The text is tokenized once for each
//! piece.

use super::Sketcher;
use model::{Content, Sampling};

/// A piece of the set of all shingles of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetPiece<'a> {
    /// The fingerprints of the piece: sorted, distinct, above those of all later pieces.
    pub fingerprints: &'a [u64],
    /// Whether no other piece follows.
    pub is_last: bool,
}

impl Sketcher {
    /// Gives all fingerprints of a document to `take`, in pieces of at most `fingerprints_max`,
    /// from the highest piece to the lowest; at least one piece, which may be empty.
    pub fn set_pieces<E>(
        &mut self,
        content: Content<'_>,
        fingerprints_max: usize,
        mut take: impl FnMut(SetPiece<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        debug_assert!(self.sampling == Sampling::Modulus { modulus: 1 });
        self.read_text(content, self.text_of_pages);
        let mut highest = Some(u64::MAX);
        let mut taken = Ok(());
        while let (Some(below), Ok(())) = (highest, &taken) {
            self.shingler.clear();
            self.shingler.sampler.keep_highest(fingerprints_max, below);
            self.shingle(content);
            let (fingerprints, left_some_out) = self.shingler.sampler.finish_window();
            let lowest = fingerprints.first().filter(|_| left_some_out);
            highest = lowest.and_then(|lowest| lowest.checked_sub(1));
            taken = take(SetPiece {
                fingerprints,
                is_last: highest.is_none(),
            });
        }
        self.end_document(content);
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::{Family, FingerprintBits, TextOfPages};
    use crate::{FingerprintKeys, ShingleKind, SketchParams, TokenUnit, piece_memory_bytes};
    use proptest::prelude::*;
    use std::convert::Infallible;

    fn params(shingles: ShingleKind) -> SketchParams {
        SketchParams {
            tokens: TokenUnit::Words,
            drop_numbers: false,
            text_of_pages: TextOfPages::Whole,
            shingle_size: 3,
            shingles,
            sampling: Sampling::Modulus { modulus: 1 },
            bits: FingerprintBits::B64,
            family: Family::Keyed,
            keys: FingerprintKeys::from_seed("tests"),
        }
    }

    proptest! {
        #[test]
        fn the_pieces_from_last_to_first_are_the_set(
            texts in prop::collection::vec(prop::collection::vec(0u32..30, 0..900), 1..4),
            most in prop_oneof![1usize..40, 40usize..2000], is_html: bool, labelled: bool,
        ) {
            let kind = if labelled { ShingleKind::Labelled } else { ShingleKind::Set };
            let mut sketcher = Sketcher::new(&params(kind));
            let mut whole = Sketcher::new(&params(kind));
            for words in texts {
                let text: String = words.iter().map(|word| format!("{word} ")).collect();
                let content = if is_html { Content::Html(&text) } else { Content::Text(&text) };
                let expected = whole.sketch(content);
                let mut pieces: Vec<Vec<u64>> = Vec::new();
                let mut is_over = false;
                let each = |piece: SetPiece<'_>| {
                    assert!(!is_over);
                    is_over = piece.is_last;
                    pieces.push(piece.fingerprints.to_vec());
                    Ok::<(), Infallible>(())
                };
                sketcher.set_pieces(content, most, each).unwrap();
                prop_assert_eq!(pieces.len(), expected.fingerprints.len().div_ceil(most).max(1));
                pieces.reverse();
                prop_assert_eq!(pieces.concat(), expected.fingerprints);
            }
        }
    }

    #[test]
    fn a_piece_stays_within_its_bound_and_no_other_follows_an_error() {
        let words: String = (0..300_000).map(|n| format!("{n:x} ")).collect();
        for kind in [ShingleKind::Set, ShingleKind::Labelled] {
            let mut sketcher = Sketcher::new(&params(kind));
            let mut pieces = 0;
            let each = |piece: SetPiece<'_>| {
                assert_eq!(piece.fingerprints.len(), 10_000);
                pieces += 1;
                if pieces < 3 { Ok(()) } else { Err("stop") }
            };
            let taken = sketcher.set_pieces(Content::Html(&words), 10_000, each);
            assert_eq!((taken, pieces), (Err("stop"), 3));
            let text = 6 * words.len() / 5;
            let held = (crate::sketcher::tests::held_bytes(&sketcher) + text) as u64;
            let bound = piece_memory_bytes(&params(kind), words.len() as u64, 10_000);
            assert!(held <= bound, "{held} of {bound}");
        }
    }
}
