//! The words of references and documents.

use model::Sampling;
use sketch::{
    Family, FingerprintBits, FingerprintKeys, ShingleKind, SketchParams, TextOfPages, TokenUnit,
};

/// How texts become words and n-grams of so many words. The seed is no secret: words are compared
/// where n-grams are alike.
pub(super) fn parameters(words: u32) -> SketchParams {
    SketchParams {
        tokens: TokenUnit::Words,
        drop_numbers: false,
        text_of_pages: TextOfPages::Whole,
        shingle_size: words,
        shingles: ShingleKind::Set,
        sampling: Sampling::Modulus { modulus: 1 },
        bits: FingerprintBits::B64,
        family: Family::Keyed,
        keys: FingerprintKeys::from_seed("decontaminate"),
    }
}
