//! A document with the places of its tokens and windows, to show what it shares with another one.
//!
//! *Input.* The text of a document. *Output.* [`PlacedText`]: the text as it is read, markup
//! dropped, every token's bytes in it, the fingerprint of every window, and the way back to the
//! bytes of the page. *Algorithm.* As [`Sketcher`](crate::Sketcher), plainly. *Memory.* The text,
//! and 24 bytes a token. *Limits.* None but memory.

use crate::family::TextShingles;
use crate::fingerprint::{Fingerprinter, RunningPolynomials};
use crate::html::Pages;
use crate::params::{ShingleKind, SketchParams};
use crate::text;
use model::Content;
use std::collections::HashMap;
use std::ops::Range;

/// A document's text with the places of tokens and windows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlacedText {
    /// The text that counts, as it is read: markup dropped, references decoded; letters as they
    /// were written.
    pub text: String,
    /// The bytes of `text` each token comes from, in order.
    pub tokens: Vec<Range<usize>>,
    /// The fingerprint of each token: two tokens of the same canonical form have the same.
    pub prints: Vec<u64>,
    /// The fingerprint of the window that begins at each token, in order, without labels: tokens −
    /// w + 1 of them, or 1 if there are 1 to w − 1 tokens, or none if the main part of a page is
    /// too short. The first occurrence of a labelled shingle has the fingerprint it has here.
    pub windows: Vec<u64>,
    /// Tokens in a window.
    pub shingle_size: usize,
    /// ⟨byte of `text`, byte of the page⟩ where a piece of the text begins; empty for plain text.
    places: Vec<(usize, usize)>,
}

impl PlacedText {
    /// Reads a document.
    pub fn new(params: &SketchParams, content: Content<'_>) -> PlacedText {
        let text_of_pages = crate::text_that_counts(params.rules(), content);
        let mut places = Vec::new();
        let text = match content {
            Content::Text(text) | Content::Features(text) => text.to_owned(),
            Content::Html(page) | Content::Xhtml(page) => {
                let mut pages = Pages::default();
                let text =
                    pages.read_with_places(page, content.markup(), text_of_pages, &mut places);
                String::from_utf8_lossy(text).into_owned()
            }
        };
        let prints = Fingerprinter::new(params);
        let (mut tokens, mut hashes) = (Vec::new(), Vec::new());
        let mut texts = TextShingles::new(params);
        let mut of_texts = Vec::new();
        if let Some(texts) = &mut texts {
            texts.begin(params.tokens, content);
        }
        let mut take = |token: &[u8], place| {
            tokens.push(place);
            hashes.push(prints.token(token));
            if let Some(texts) = &mut texts {
                texts.append(token);
                if texts.is_full() {
                    of_texts.extend_from_slice(texts.shingles());
                }
            }
        };
        match content {
            Content::Features(_) => text::features(text.as_bytes(), take),
            _ => text::placed_tokens(params.rules(), &text, &mut take),
        }
        let size = params.shingle_size.max(1) as usize;
        let windows = match texts {
            // all text of a page tells it from others, but is no shingle
            _ if text_of_pages != params.text_of_pages => Vec::new(),
            None => windows(&prints, &hashes, size),
            Some(mut texts) => {
                of_texts.extend_from_slice(texts.shingles());
                of_texts.extend(texts.short_document());
                of_texts
            }
        };
        PlacedText {
            text,
            tokens,
            prints: hashes,
            windows,
            shingle_size: size,
            places,
        }
    }

    /// Label and fingerprint of the shingle that begins at each token, as in the parameters the
    /// text was read with. The label says which of its occurrences this is, from 1 on.
    pub fn labelled(&self, params: &SketchParams) -> Vec<(u64, u64)> {
        let prints = Fingerprinter::new(params);
        let texts = TextShingles::new(params);
        let mut occurrences: HashMap<u64, u64> = HashMap::new();
        let label = |window: u64| {
            let before = occurrences.entry(window).or_default();
            let counted = match params.shingles {
                ShingleKind::Set => 0,
                ShingleKind::Labelled => *before,
            };
            *before += 1;
            let fingerprint = match &texts {
                None => prints.fingerprint(window ^ prints.label(counted)),
                Some(texts) => texts.labelled(window, counted),
            };
            (*before, fingerprint)
        };
        let windows = match texts {
            _ if self.windows.is_empty() => Vec::new(),
            None => raw_windows(&prints, &self.prints, self.shingle_size),
            Some(_) => self.windows.clone(),
        };
        windows.into_iter().map(label).collect()
    }

    /// The bytes of the text under a run of windows.
    pub fn bytes_of(&self, windows: Range<usize>) -> Range<usize> {
        let last = (windows.end + self.shingle_size)
            .saturating_sub(2)
            .min(self.tokens.len().saturating_sub(1));
        match (self.tokens.get(windows.start), self.tokens.get(last)) {
            (Some(first), Some(last)) => first.start..last.end.max(first.start),
            _ => 0..0,
        }
    }

    /// The text of some tokens.
    pub fn words(&self, tokens: &Range<usize>) -> &str {
        let places = self.tokens.get(tokens.clone()).unwrap_or_default();
        let (Some(first), Some(last)) = (places.first(), places.last()) else {
            return "";
        };
        let bytes = first.start..last.end.max(first.start);
        self.text.get(bytes).unwrap_or_default()
    }

    /// The byte of the page, markup included, that a byte of the text comes from.
    pub fn source_of(&self, at: usize) -> usize {
        let before = self.places.partition_point(|(text, _)| *text <= at);
        let piece = before
            .checked_sub(1)
            .and_then(|piece| self.places.get(piece));
        piece.map_or(at, |(text, source)| source + (at - text))
    }
}

/// The fingerprints of all windows.
fn windows(prints: &Fingerprinter, hashes: &[u64], size: usize) -> Vec<u64> {
    let windows = raw_windows(prints, hashes, size).into_iter();
    windows.map(|window| prints.fingerprint(window)).collect()
}

/// The polynomials of all windows.
fn raw_windows(prints: &Fingerprinter, hashes: &[u64], size: usize) -> Vec<u64> {
    let mut running = RunningPolynomials::default();
    let mut windows = Vec::with_capacity((hashes.len() + 1).saturating_sub(size).max(1));
    for (at, &hash) in hashes.iter().enumerate() {
        let leaving = at
            .checked_sub(size)
            .and_then(|at| hashes.get(at))
            .copied()
            .unwrap_or(0);
        running = prints.advance(running, leaving, hash);
        if at + 1 >= size || at + 1 == hashes.len() {
            windows.push(running.window);
        }
    }
    windows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Blanks, Family, FingerprintBits, FingerprintKeys, Sketcher, TextOfPages, TokenUnit,
        for_each_token,
    };
    use model::Sampling;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn params(tokens: TokenUnit, drop_numbers: bool, shingle_size: u32) -> SketchParams {
        SketchParams {
            tokens,
            drop_numbers,
            text_of_pages: TextOfPages::Whole,
            shingle_size,
            shingles: ShingleKind::Set,
            sampling: Sampling::Modulus { modulus: 1 },
            bits: FingerprintBits::B64,
            family: Family::Keyed,
            keys: FingerprintKeys::from_seed("placed"),
        }
    }

    fn texts() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            4 => "[a-zA-Z0-9]{1,9}",
            3 => Just(" ".to_owned()),
            1 => Just("\r\n".to_owned()),
            1 => "[<>=&;.,/!-]{1,2}",
            1 => "<(p|b|script|title|!--|/p|/b|/script|br/)>",
            1 => "&(amp|eacute|nGt|#66|lt);",
            1 => "[éßΣİςÅ日本語ไทยก\u{E38}\u{E48}\u{1112}\u{1161}\u{11AB}]{1,4}",
            1 => "[\u{301}\u{316}\u{338}\u{AD}\u{200B}\u{31B}]{1,3}",
            1 => Just("\u{316}\u{31B}".repeat(20)),
            1 => any::<String>(),
        ];
        prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
    }

    fn units() -> impl Strategy<Value = TokenUnit> {
        prop_oneof![
            Just(TokenUnit::Words),
            Just(TokenUnit::Chars(Blanks::Drop)),
            Just(TokenUnit::Chars(Blanks::Collapse)),
            Just(TokenUnit::Chars(Blanks::Keep)),
            Just(TokenUnit::Lines)
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn labelled_shingles_are_those_of_the_sketch(
            text in "([abc] ){0,40}", size in 1u32..4, labelled: bool,
        ) {
            let params = SketchParams {
                shingles: if labelled { ShingleKind::Labelled } else { ShingleKind::Set },
                ..params(TokenUnit::Words, false, size)
            };
            let content = Content::Text(&text);
            let placed = PlacedText::new(&params, content).labelled(&params);
            let found: BTreeSet<u64> = placed.iter().map(|(_, fingerprint)| *fingerprint).collect();
            let mut sketcher = Sketcher::new(&params);
            let sketched = sketcher.sketch(content);
            prop_assert_eq!(sketched.shingles, placed.len() as u64);
            let expected: BTreeSet<u64> = sketched.fingerprints.iter().copied().collect();
            prop_assert_eq!(found, expected);
        }

        #[test]
        fn tokens_and_windows_are_those_of_the_sketch(
            text in texts(), unit in units(), drop: bool, size in 1u32..6, html: bool,
        ) {
            let params = params(unit, drop, size);
            let content = if html { Content::Html(&text) } else { Content::Text(&text) };
            let mut expected = Vec::new();
            for_each_token(params.rules(), content, &mut |token| expected.push(token.to_owned()));
            let placed = PlacedText::new(&params, content);
            let mut found = Vec::new();
            crate::text::placed_tokens(params.rules(), &placed.text, &mut |token, place| {
                found.push((String::from_utf8_lossy(token).into_owned(), place));
            });
            let (tokens, places): (Vec<_>, Vec<_>) = found.into_iter().unzip();
            prop_assert_eq!(&tokens, &expected);
            prop_assert_eq!(&places, &placed.tokens);
            prop_assert!(places.is_sorted_by(|a, b| a.start <= b.start && a.end <= b.end), "{:?}", places);
            // what stands at its place makes the token, where nothing is normalized across the
            // token's ends
            for (token, place) in tokens.iter().zip(&places) {
                let there = placed.text.get(place.clone());
                prop_assert!(there.is_some_and(|there| !there.is_empty()), "{:?} {:?}", token, place);
                if there.is_some_and(str::is_ascii) && unit == TokenUnit::Words {
                    prop_assert_eq!(there.map(str::to_ascii_lowercase), Some(token.clone()));
                }
                if !html {
                    prop_assert_eq!(placed.source_of(place.start), place.start);
                }
            }
            let sketched = Sketcher::new(&params).sketch(content).fingerprints.to_vec();
            let windows: BTreeSet<u64> = placed.windows.iter().copied().collect();
            prop_assert_eq!(windows.into_iter().collect::<Vec<_>>(), sketched);
        }
    }

    #[test]
    fn places_lead_back_to_the_page() {
        let page = "<html><title>One &amp; two</title><p class=x>thr<b>ee</b> f&ouml;ur<!-- no --> <script>x</script>five";
        let placed = PlacedText::new(&params(TokenUnit::Words, false, 2), Content::Html(page));
        let shown: Vec<&str> = placed
            .tokens
            .iter()
            .map(|place| &placed.text[place.clone()])
            .collect();
        assert_eq!(shown, ["One", "two", "three", "föur", "five"]);
        let at: Vec<&str> = placed
            .tokens
            .iter()
            .map(|place| &page[placed.source_of(place.start)..][..3])
            .collect();
        assert_eq!(at, ["One", "two", "thr", "f&o", "fiv"]);
        assert_eq!(&placed.text[placed.bytes_of(0..2)], "One & two\n\nthree");
        assert_eq!(placed.bytes_of(9..10), 0..0);
    }

    #[test]
    fn features_are_tokens_as_they_stand() {
        let long = "x".repeat(70_000);
        let features = format!("Ab c\n\n12\n ?\n{long}\n");
        let params = params(TokenUnit::Words, true, 1);
        let content = Content::Features(&features);
        let mut found = Vec::new();
        for_each_token(params.rules(), content, &mut |token| {
            found.push(token.to_owned());
        });
        let expected = ["Ab c", "12", " ?", &long[..64 << 10], &long[64 << 10..]];
        assert_eq!(found, expected);
        let placed = PlacedText::new(&params, content);
        let shown: Vec<&str> = placed
            .tokens
            .iter()
            .map(|place| &placed.text[place.clone()])
            .collect();
        assert_eq!(shown, expected);
        let windows: BTreeSet<u64> = placed.windows.iter().copied().collect();
        let mut sketcher = Sketcher::new(&params);
        assert_eq!(
            windows.into_iter().collect::<Vec<_>>(),
            sketcher.sketch(content).fingerprints
        );
        let mut pieces = Vec::new();
        let taken: Result<(), ()> = sketcher.set_pieces(content, 2, |piece| {
            pieces.extend(piece.fingerprints.iter().copied());
            Ok(())
        });
        pieces.sort_unstable();
        assert_eq!(
            (taken, &pieces[..]),
            (Ok(()), sketcher.sketch(content).fingerprints)
        );
    }

    #[test]
    fn a_short_document_is_one_window() {
        let placed = PlacedText::new(
            &params(TokenUnit::Words, false, 10),
            Content::Text("  just these three "),
        );
        assert_eq!(
            (placed.windows.len(), &placed.text[placed.bytes_of(0..1)]),
            (1, "just these three")
        );
    }
}
