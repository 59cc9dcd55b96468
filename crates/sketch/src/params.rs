//! The parameters that decide a sketch.

use crate::keys::FingerprintKeys;
use model::Sampling;

/// The unit of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenUnit {
    /// Maximal runs of letters, digits and combining marks; in scripts written without spaces each
    /// character, and each emoji.
    Words,
    /// Characters.
    Chars(Blanks),
    /// Lines with white space collapsed; in HTML a block tag ends a line.
    Lines,
}

/// The treatment of white space between characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blanks {
    /// It is left out.
    Drop,
    /// A run of it is one space; none at either end of the document.
    Collapse,
    /// Each character of it is a token.
    Keep,
}

impl TokenUnit {
    /// The most tokens a text of so many bytes can have: words and lines are parted by at least one
    /// byte, and a character of a script written without spaces, or an emoji, has three or more.
    pub(crate) fn tokens_max(self, bytes: u64) -> u64 {
        match self {
            TokenUnit::Words | TokenUnit::Lines => bytes / 2 + 1,
            TokenUnit::Chars(_) => bytes,
        }
    }
}

/// Which text of a page of HTML counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextOfPages {
    /// All of it.
    Whole,
    /// Its main part, without the frame of its site. A page with fewer words in it has no shingles,
    /// and is told from others by its source.
    Main {
        /// The fewest words of a main part.
        words_min: u32,
    },
    /// The text outside of the main part, to be looked at.
    Frame,
}

impl TextOfPages {
    /// Whether a page with so many tokens that count has no shingles.
    pub(crate) fn is_too_short(self, tokens: u64) -> bool {
        match self {
            TextOfPages::Whole | TextOfPages::Frame => false,
            TextOfPages::Main { words_min } => tokens < u64::from(words_min),
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
    /// The top 32 bits.
    B32,
}

impl FingerprintBits {
    /// How many they are.
    pub fn count(self) -> u32 {
        match self {
            FingerprintBits::B64 => 64,
            FingerprintBits::B40 => 40,
            FingerprintBits::B32 => 32,
        }
    }
}

/// A family of fingerprints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Family {
    /// Ours: polynomials over GF(2^64) at secret points, and a keyed mixer.
    #[default]
    Keyed,
    /// Rabin's fingerprint.
    Rabin,
    /// (a k + b) mod p.
    Modular,
    /// Multiplication by an odd number.
    Multiplicative,
    /// MurmurHash3.
    Murmur3,
    /// XXH64, as datatrove has it.
    Xxh64,
    /// XXH3, as text-dedup has it.
    Xxh3,
}

/// Which tokens a text has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenRules {
    /// The unit of tokens.
    pub unit: TokenUnit,
    /// Leave out tokens of numeric characters only.
    pub drop_numbers: bool,
    /// Which text of a page counts.
    pub text_of_pages: TextOfPages,
}

impl TokenRules {
    /// All words of whole pages.
    pub const WORDS: TokenRules = TokenRules {
        unit: TokenUnit::Words,
        drop_numbers: false,
        text_of_pages: TextOfPages::Whole,
    };
}

/// Everything that decides a sketch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SketchParams {
    /// The unit of tokens.
    pub tokens: TokenUnit,
    /// Leave out tokens of numeric characters only.
    pub drop_numbers: bool,
    /// Which text of a page counts.
    pub text_of_pages: TextOfPages,
    /// Tokens in a shingle; 0 counts as 1.
    pub shingle_size: u32,
    /// How repeated shingles count.
    pub shingles: ShingleKind,
    /// Which fingerprints are kept.
    pub sampling: Sampling,
    /// Width of a fingerprint.
    pub bits: FingerprintBits,
    /// How the fingerprint of a shingle is made.
    pub family: Family,
    /// The secret constants.
    pub keys: FingerprintKeys,
}

impl SketchParams {
    /// The part that decides the tokens.
    pub fn rules(&self) -> TokenRules {
        TokenRules {
            unit: self.tokens,
            drop_numbers: self.drop_numbers,
            text_of_pages: self.text_of_pages,
        }
    }
}
