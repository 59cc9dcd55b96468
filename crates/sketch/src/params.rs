//! What decides a sketch.

use crate::gf64::Multiplier;
use crate::keys::FingerprintKeys;
use crate::known;
use crate::sample::least_full;
use crate::text::TOKEN_BYTES_MAX;
use model::Sampling;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenUnit {
    /// Maximal runs of letters, digits and combining marks; in scripts written without spaces each
    /// character.
    Words,
    /// Every character that is not white space.
    Chars,
    /// Lines with white space collapsed; in HTML a block tag ends a line.
    Lines,
}

impl TokenUnit {
    /// The most tokens a text of so many bytes can have: words and lines are parted by at least one
    /// byte, and a character of a script written without spaces has three.
    pub(crate) fn tokens_max(self, bytes: u64) -> u64 {
        match self {
            TokenUnit::Words | TokenUnit::Lines => bytes / 2 + 1,
            TokenUnit::Chars => bytes,
        }
    }
}

/// How repeated shingles of one document count: options B and A of the 1997 paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShingleKind {
    /// Once (option B).
    Set,
    /// Each with its occurrence number (option A).
    Labelled,
}

/// Width of a fingerprint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FingerprintBits {
    /// 64 bits.
    B64,
    /// The top 40 bits, as in 1997.
    B40,
}

/// Which tokens a text has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenRules {
    /// What a token is.
    pub unit: TokenUnit,
    /// Leave out tokens of numeric characters only.
    pub drop_numbers: bool,
}

/// Everything that decides a sketch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SketchParams {
    /// What a token is.
    pub tokens: TokenUnit,
    /// Leave out tokens of numeric characters only.
    pub drop_numbers: bool,
    /// Tokens in a shingle; 0 counts as 1.
    pub shingle_size: u32,
    /// How repeated shingles count.
    pub shingles: ShingleKind,
    /// Which fingerprints are kept.
    pub sampling: Sampling,
    /// Width of a fingerprint.
    pub bits: FingerprintBits,
    /// The secret constants.
    pub keys: FingerprintKeys,
}

impl SketchParams {
    /// The part that decides the tokens.
    pub fn rules(&self) -> TokenRules {
        TokenRules {
            unit: self.tokens,
            drop_numbers: self.drop_numbers,
        }
    }
}

/// Room for the named buffers' small change: the least text buffer, lists of one batch, token
/// buffers, class tables, the copy of a sample for its digest.
const FIXED_BYTES: u64 = 512 * 1024;

/// Upper bound on what one [`Sketcher`](crate::Sketcher) holds for a document of that many UTF-8
/// bytes.
///
/// The sum of
/// - the text of an HTML page: 6/5 of its bytes, because two named references are longer as text
///   (`&nGt;`, `&nLt;`);
/// - the hashes of the last `shingle_size` tokens, and of as many that wait;
/// - the sampled fingerprints, twice, 8 bytes each: as many as the document has tokens, divided by
///   the modulus (the coarsest one when adaptive), plus eight standard deviations. With modulus 1
///   this is every window;
/// - `labelled`: every window, 8 bytes each, because a label is known only after all windows were
///   seen;
/// - tables and token buffers of a fixed size.
///
/// For plain text the first term is not used; it is counted all the same.
pub fn memory_bytes_max(params: &SketchParams, document_bytes_max: u64) -> u64 {
    let bytes = document_bytes_max;
    let text = bytes.saturating_add(bytes / 5);
    let tokens = params.tokens.tokens_max(bytes);
    let ring = 16 * tokens.min(u64::from(params.shingle_size.max(1)));
    let modulus = match params.sampling {
        Sampling::Modulus { modulus } => modulus.max(1),
        Sampling::Adaptive { .. } => params.sampling.modulus_at(params.sampling.levels() - 1),
    };
    let expected = (tokens / u64::from(modulus)).saturating_add(1);
    let kept = expected
        .saturating_add(8 * expected.isqrt())
        .max(least_full(params.sampling) as u64)
        .min(tokens)
        + 64;
    let windows = match params.shingles {
        ShingleKind::Set => 0,
        ShingleKind::Labelled => tokens.saturating_mul(8),
    };
    let fixed = FIXED_BYTES
        + 5 * Multiplier::MEMORY_BYTES
        + known::MEMORY_BYTES
        + 8 * TOKEN_BYTES_MAX as u64;
    [ring, kept.saturating_mul(2 * 8), windows, fixed]
        .iter()
        .fold(text, |sum, part| sum.saturating_add(*part))
}
