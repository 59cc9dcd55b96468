//! Families of fingerprints other than ours: their definitions, and one answer from every reader of
//! a text.

use model::{Content, Sampling};
use proptest::prelude::*;
use sketch::{
    Blanks, Family, FingerprintBits, FingerprintKeys, PlacedText, ShingleKind, SketchParams,
    Sketcher, TextOfPages, TokenUnit,
};
use std::collections::BTreeSet;

const FAMILIES: [Family; 7] = [
    Family::Keyed,
    Family::Rabin,
    Family::Modular,
    Family::Multiplicative,
    Family::Murmur3,
    Family::Xxh64,
    Family::Xxh3,
];

fn params(family: Family, bits: FingerprintBits, shingle_size: u32) -> SketchParams {
    SketchParams {
        tokens: TokenUnit::Words,
        drop_numbers: false,
        text_of_pages: TextOfPages::Whole,
        shingle_size,
        shingles: ShingleKind::Set,
        sampling: Sampling::Modulus { modulus: 1 },
        bits,
        family,
        keys: FingerprintKeys::from_seed("families"),
    }
}

fn set(params: &SketchParams, content: Content<'_>) -> BTreeSet<u64> {
    let mut sketcher = Sketcher::new(params);
    sketcher.all_fingerprints(content).iter().copied().collect()
}

/// `xxhash.xxh64_intdigest(b"a rose is")` and `xxhash.xxh3_64_intdigest(b"a rose is") & 0xFFFFFFFF`
/// of Python.
#[test]
fn the_text_of_a_shingle_is_hashed_as_other_programs_do() {
    for (family, bits, expected) in [
        (
            Family::Xxh64,
            FingerprintBits::B64,
            8_450_039_377_477_859_861,
        ),
        (Family::Xxh3, FingerprintBits::B32, 179_577_637),
    ] {
        let found = set(&params(family, bits, 3), Content::Text("A rose, is"));
        assert_eq!(found, BTreeSet::from([expected]), "{family:?}");
    }
}

/// Similar texts of equal length have fingerprints of all sizes, and no two have the same.
#[test]
fn fingerprints_differ_and_have_as_many_bits_as_they_should() {
    let text: String = (0..30_000).map(|n| format!("{n:05} ")).collect();
    for family in FAMILIES {
        for (bits, count) in [
            (FingerprintBits::B64, 64),
            (FingerprintBits::B40, 40),
            (FingerprintBits::B32, 32),
        ] {
            let found = set(&params(family, bits, 2), Content::Text(&text));
            // of 30,000 of 32 bits, a tenth of one collision is expected
            assert!(found.len() >= 29_997, "{family:?} {count}: {}", found.len());
            let largest = found.last().copied().unwrap_or(0);
            assert!(
                largest >> (count - 1) == 1,
                "{family:?} {count}: {largest:x}"
            );
        }
    }
}

proptest! {
    /// A sketch, the places of its windows, and the pieces of a set tell of the same shingles.
    #[test]
    fn all_readers_have_the_same_shingles(
        text in "([abé] {0,2}|\n){0,100}", size in 1u32..6, labelled: bool, is_html: bool,
        at in 0..FAMILIES.len(),
        unit in prop_oneof![
            Just(TokenUnit::Words), Just(TokenUnit::Chars(Blanks::Collapse)), Just(TokenUnit::Lines)
        ],
    ) {
        let params = SketchParams {
            tokens: unit,
            shingles: if labelled { ShingleKind::Labelled } else { ShingleKind::Set },
            ..params(FAMILIES[at], FingerprintBits::B40, size)
        };
        let content = if is_html { Content::Html(&text) } else { Content::Text(&text) };
        let expected = set(&params, content);
        let placed = PlacedText::new(&params, content);
        let found: BTreeSet<u64> = placed.labelled(&params).into_iter().map(|(_, one)| one).collect();
        prop_assert_eq!(&found, &expected);
        let ours = PlacedText::new(&SketchParams { family: Family::Keyed, ..params.clone() }, content);
        prop_assert_eq!(placed.windows.len(), ours.windows.len());
        // equal shingles are those of our own family
        for (a, b) in placed.windows.iter().zip(&ours.windows).flat_map(|a| {
            placed.windows.iter().zip(&ours.windows).map(move |b| (a, b))
        }) {
            prop_assert_eq!(a.0 == b.0, a.1 == b.1);
        }
        let mut sketcher = Sketcher::new(&params);
        let mut pieces = BTreeSet::new();
        let taken: Result<(), ()> = sketcher.set_pieces(content, 3, |piece| {
            pieces.extend(piece.fingerprints.iter().copied());
            Ok(())
        });
        prop_assert_eq!((taken, pieces), (Ok(()), expected));
        let words = sketcher.sketch(content).words;
        let lexical = sketcher.sketch(content).lexical;
        let mut plain = Sketcher::new(&SketchParams { family: Family::Keyed, ..params });
        prop_assert_eq!((words, lexical), (plain.sketch(content).words, plain.sketch(content).lexical));
    }
}
