//! Phase 1: text → tokens → shingles → sketch.
//!
//! Takes the decoded text of a document ([`model::Content`]), gives the numbers all later phases
//! work on ([`Sketched`]). No I/O. One straight line, one module a step:
//!
//! | step | module |
//! |---|---|
//! | HTML → text | `html` |
//! | tags of a page → its main part | `main_part` |
//! | text → canonical tokens | `text` |
//! | tokens → token hashes → windows → fingerprints | `fingerprint` and `roll`, over `gf64`, with `keys` |
//! | the same by other families of fingerprints | `family`, with `rabin` |
//! | hashes of words already seen | `word_cache` |
//! | fingerprints → sample | `sample`, with `minhash` |
//! | sketches of two documents → sketch of their union | `union_sketch` |
//! | two sets of fingerprints → how many are in both | `intersection` |
//! | all of it, for one document after another | `sketcher` |
//! | all of it, with the places of tokens and windows | `placed_text` |
//! | tokens → windows, and the anchors by which equal ones meet | `anchors` |
//! | URL → keys | `url`, with `keys` |
//!
//! The hot loops (the common case of pages, words, rolling) exist twice: portable, and made of the
//! operations of `isa`, which `x86` has for three levels of processor. `cpu` says which form runs,
//! and `dispatch` calls it. Loops without branches (`minhash`, `intersection`) are plain
//! Rust that is compiled for each level. Property tests hold all forms equal, to the bit.
//!
//! Time is linear in the document, whatever it holds. Memory is bounded by [`memory_bytes_max`]:
//! the text, the sample, and fixed tables; only labelled shingles need all windows at once.
//!
//! The canonical form is versioned: whatever changes the tokens of any document raises
//! [`CANONICAL_VERSION`].

#![cfg_attr(
    not(target_arch = "x86_64"),
    expect(
        dead_code,
        reason = "without instructions for the fast form, only its portable twin is called"
    )
)]

mod anchors;
mod cpu;
mod dispatch;
mod divisor;
mod family;
mod fingerprint;
mod gf64;
mod html;
mod intersection;
mod isa;
mod keys;
mod main_part;
mod memory;
mod minhash;
mod params;
mod placed_text;
mod rabin;
mod roll;
mod roll_keys;
mod sample;
mod set_sampler;
mod sketcher;
mod tag_name;
mod text;
mod union_sketch;
mod url;
mod word_cache;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use anchors::{AnchorRun, Winnower};
pub use cpu::Cpu;
pub use intersection::{common_bits, intersection_size};
pub use keys::FingerprintKeys;
pub use memory::{memory_bytes_max, piece_memory_bytes};
pub use minhash::equal_places;
pub use params::{
    Blanks, Family, FingerprintBits, ShingleKind, SketchParams, TextOfPages, TokenRules, TokenUnit,
};
pub use placed_text::PlacedText;
pub use rabin::Rabin;
pub use set_sampler::SetSampler;
pub use sketcher::{SetPiece, Sketched, Sketcher};
pub use union_sketch::UnionSketch;
pub use url::{UrlKeys, host_of, loose_form};

use model::{Content, Markup};
use std::borrow::Cow;
use std::ops::Range;

/// Version of the canonical form. Sketches of different versions must not be compared.
pub const CANONICAL_VERSION: u32 = 7;

/// Calls `f` with each canonical token of a document, in order: of a page whose main part is too
/// short, those of all its text.
pub fn for_each_token(rules: TokenRules, content: Content<'_>, f: &mut dyn FnMut(&str)) {
    let text_of_pages = text_that_counts(rules, content);
    tokens_of(
        TokenRules {
            text_of_pages,
            ..rules
        },
        content,
        f,
    );
}

/// Hands the tokens of a document to a function; gives whether a page has a main part.
fn tokens_of(rules: TokenRules, content: Content<'_>, f: &mut dyn FnMut(&str)) -> bool {
    let mut pages = html::Pages::default();
    let text = pages.read(Cpu::chosen(), content, rules.text_of_pages);
    text::Tokenizer::new(Cpu::chosen(), rules).content_tokens(
        content.markup(),
        text,
        &mut ShingleCallback {
            f,
            word: String::new(),
        },
    );
    pages.has_main_part()
}

/// Which text of a document counts: all of it if the main part is too short.
pub(crate) fn text_that_counts(rules: TokenRules, content: Content<'_>) -> TextOfPages {
    let is_page = matches!(content, Content::Html(_) | Content::Xhtml(_));
    let mut tokens = 0;
    if is_page && matches!(rules.text_of_pages, TextOfPages::Main { .. }) {
        let has_main_part = tokens_of(rules, content, &mut |_| tokens += 1);
        tokens *= u64::from(has_main_part);
        if rules.text_of_pages.is_too_short(tokens) {
            return TextOfPages::Whole;
        }
    }
    rules.text_of_pages
}

/// The text of a page that does not count by these rules; empty if all does.
pub fn frame_of(rules: TokenRules, content: Content<'_>) -> String {
    if text_that_counts(rules, content) == TextOfPages::Whole {
        return String::new();
    }
    let mut pages = html::Pages::default();
    let frame = pages.read(Cpu::chosen(), content, TextOfPages::Frame);
    String::from_utf8_lossy(frame).into_owned()
}

/// All text of a document, of a page without its markup.
pub fn whole_text(content: Content<'_>) -> Cow<'_, str> {
    match content {
        Content::Text(text) | Content::Features(text) => Cow::Borrowed(text),
        Content::Html(_) | Content::Xhtml(_) => {
            let mut pages = html::Pages::default();
            let text = pages.read(Cpu::chosen(), content, TextOfPages::Whole);
            Cow::Owned(String::from_utf8_lossy(text).into_owned())
        }
    }
}

/// Calls `f` with the place of each token in the [`whole_text`] of a document, in order. Places are
/// apart, and divide no grapheme: it is part of the token that has its first character, and a token
/// that is a mark of the one before has no bytes of its own.
pub fn for_each_place(
    rules: TokenRules,
    markup: Markup,
    text: &str,
    f: &mut dyn FnMut(Range<usize>),
) {
    let mut end = 0;
    let mut apart = |_: &[u8], place: Range<usize>| {
        let begin = text::next_border(text, place.start.max(end));
        let begin = end + text[end..begin].trim_end_matches(text::is_prefix).len();
        end = text::next_border(text, place.end.max(begin));
        f(begin..end);
    };
    match markup {
        Markup::Features => text::features(text.as_bytes(), apart),
        _ => text::placed_tokens(rules, text, &mut apart),
    }
}

/// Hands tokens to a function.
struct ShingleCallback<'a> {
    f: &'a mut dyn FnMut(&str),
    word: String,
}

impl text::TokenSink for ShingleCallback<'_> {
    fn ascii_word(&mut self, text: &[u8], start: usize, end: usize) {
        self.word.clear();
        self.word.extend(
            text[start..end]
                .iter()
                .map(|byte| char::from(byte.to_ascii_lowercase())),
        );
        (self.f)(&self.word);
    }

    fn token(&mut self, token: &[u8]) {
        self.word.clear();
        self.word.push_str(&String::from_utf8_lossy(token));
        (self.f)(&self.word);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_tokens_divide_no_grapheme() {
        let rules = TokenRules {
            unit: TokenUnit::Words,
            drop_numbers: false,
            text_of_pages: TextOfPages::Whole,
        };
        let places = |text: &str| {
            let mut found = Vec::new();
            for_each_place(rules, Markup::None, text, &mut |place| {
                found.push(text[place].to_owned());
            });
            found
        };
        assert_eq!(places("ก\u{E47}ข"), ["ก\u{E47}", "", "ข"]);
        assert_eq!(places("ก\u{E38}\u{E48}ข"), ["ก\u{E38}\u{E48}", "", "", "ข"]);
        assert_eq!(places("a 👩\u{200D}🚀b"), ["a", "👩\u{200D}🚀", "", "b"]);
        assert_eq!(places("e\u{301}a, \u{600}12."), ["e\u{301}a", "\u{600}12"]);
    }
}
