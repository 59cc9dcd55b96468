//! Sketches: the papers' examples, and the properties later phases rely on.

use super::digest::digest_in_parts;
use super::*;
use crate::memory::memory_bytes_max;
use crate::params::ShingleKind;
use crate::params::{Blanks, Family, FingerprintBits, TextOfPages, TokenRules, TokenUnit};
use crate::{FingerprintKeys, for_each_token};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

fn exact(shingle_size: u32, shingles: ShingleKind) -> SketchParams {
    SketchParams {
        tokens: TokenUnit::Words,
        drop_numbers: false,
        text_of_pages: TextOfPages::Whole,
        shingle_size,
        shingles,
        sampling: Sampling::Modulus { modulus: 1 },
        bits: FingerprintBits::B64,
        family: Family::Keyed,
        keys: FingerprintKeys::from_seed("tests"),
    }
}

fn set_of(params: &SketchParams, text: &str) -> BTreeSet<u64> {
    Sketcher::new(params)
        .sketch(Content::Text(text))
        .fingerprints
        .iter()
        .copied()
        .collect()
}

/// |A ∩ B| and |A ∪ B|.
fn overlap(params: &SketchParams, a: &str, b: &str) -> (usize, usize) {
    let (a, b) = (set_of(params, a), set_of(params, b));
    (a.intersection(&b).count(), a.union(&b).count())
}

const ROSE: &str = "a rose is a rose is a rose";
const FLOWER: &str = "a rose is a flower which is a rose";
const KINDS: [ShingleKind; 2] = [ShingleKind::Set, ShingleKind::Labelled];

#[test]
fn a_rose_is_a_rose_is_a_rose() {
    assert_eq!(set_of(&exact(4, ShingleKind::Set), ROSE).len(), 3);
    assert_eq!(set_of(&exact(4, ShingleKind::Labelled), ROSE).len(), 5);
    assert_eq!(
        Sketcher::new(&exact(4, ShingleKind::Set))
            .sketch(Content::Text(ROSE))
            .shingles,
        5
    );
}

#[test]
fn resemblances_of_the_paper() {
    // option A: 70 %, 50 %, 30 %; option B: 60 %, 50 %, 42.85 %
    for (size, labelled, set) in [
        (1, (7, 10), (3, 5)),
        (2, (5, 10), (3, 6)),
        (3, (3, 10), (3, 7)),
    ] {
        assert_eq!(
            overlap(&exact(size, ShingleKind::Labelled), ROSE, FLOWER),
            labelled,
            "A, w = {size}"
        );
        assert_eq!(
            overlap(&exact(size, ShingleKind::Set), ROSE, FLOWER),
            set,
            "B, w = {size}"
        );
    }
}

#[test]
fn permutations_can_resemble_fully() {
    for kind in KINDS {
        assert_eq!(overlap(&exact(2, kind), "a c a b a", "a b a c a"), (4, 4));
        assert_ne!(overlap(&exact(3, kind), "a c a b a", "a b a c a").0, 3);
    }
}

#[test]
fn a_document_and_itself_repeated() {
    let once = "one two three four five six";
    let twice = format!("{once} {once}");
    // as sets, only the shingles over the seam are new
    assert_eq!(overlap(&exact(3, ShingleKind::Set), once, &twice), (4, 6));
    assert_eq!(
        overlap(&exact(3, ShingleKind::Labelled), once, &twice),
        (4, 10)
    );
    assert_eq!(overlap(&exact(1, ShingleKind::Set), once, &twice), (6, 6));
}

#[test]
fn containment_is_not_symmetric() {
    let (part, whole) = (
        "the quick brown fox",
        "see the quick brown fox jump over the lazy dog",
    );
    for kind in KINDS {
        let params = exact(2, kind);
        let shared = overlap(&params, part, whole).0;
        assert_eq!(
            (
                shared,
                set_of(&params, part).len(),
                set_of(&params, whole).len()
            ),
            (3, 3, 9)
        );
    }
}

#[test]
fn short_documents_have_one_shingle() {
    for kind in KINDS {
        let mut sketcher = Sketcher::new(&exact(4, kind));
        for (text, words, shingles) in [
            ("", 0, 0),
            ("...", 0, 0),
            ("a", 1, 1),
            ("a b c", 3, 1),
            ("a b c d", 4, 1),
            ("a b c d e", 5, 2),
        ] {
            let sketched = sketcher.sketch(Content::Text(text));
            assert_eq!(
                (sketched.words, sketched.shingles),
                (words, shingles),
                "{text}"
            );
            assert_eq!(sketched.fingerprints.len() as u64, shingles, "{text}");
        }
    }
    assert_ne!(
        set_of(&exact(4, ShingleKind::Set), "a b"),
        set_of(&exact(4, ShingleKind::Set), "b a")
    );
}

#[test]
fn equal_tokens_make_equal_sketches_whatever_the_markup() {
    let mut sketcher = Sketcher::new(&exact(2, ShingleKind::Set));
    let page = sketcher.sketch(Content::Html("<p>One <b>TW</b>o</p><br>thr&eacute;e"));
    let (lexical, digest, fingerprints) =
        (page.lexical, page.sketch_digest, page.fingerprints.to_vec());
    let text = sketcher.sketch(Content::Text("one two thre\u{301}e"));
    assert_eq!(
        (text.lexical, text.sketch_digest, text.fingerprints),
        (lexical, digest, &fingerprints[..])
    );
    assert_ne!(
        sketcher.sketch(Content::Text("two one thrée")).lexical,
        lexical
    );
}

#[test]
fn pages_that_say_too_little_are_told_by_their_source() {
    let mut params = exact(4, ShingleKind::Set);
    params.text_of_pages = TextOfPages::Main { words_min: 6 };
    let mut sketcher = Sketcher::new(&params);
    let mut lexical = |page: &str| {
        let sketched = sketcher.sketch(Content::Html(page));
        assert_eq!(sketched.shingles, 0, "{page}");
        (sketched.words, sketched.lexical)
    };
    // all of it says as little
    let shell = |script: &str| {
        format!("<title>App</title><script>{script}</script><noscript>Enable JavaScript</noscript>")
    };
    assert_ne!(lexical(&shell("one")), lexical(&shell("two")));
    assert_eq!(lexical(&shell("one")), lexical(&shell("one")));
    // The frame says enough: with a main part that is too short, and without one.
    for main in ["<main>Please wait while it loads</main>", "<main></main>"] {
        let framed = |script: &str| {
            let frame =
                "<nav>a frame of not so few words</nav><footer>and some more words</footer>";
            format!("<script>{script}</script>{frame}{main}")
        };
        assert_ne!(lexical(&framed("one")), lexical(&framed("two")));
        assert_eq!(lexical(&framed("one")), lexical(&framed("one")));
    }
}

#[test]
fn the_digest_covers_modulus_and_fingerprints() {
    let digest =
        |seed, modulus, fingerprints: &[u64]| digest(seed, modulus, fingerprints, &mut vec![7]);
    let all = [
        digest(1, 2, &[4, 6]),
        digest(1, 1, &[4, 6]),
        digest(2, 2, &[4, 6]),
        digest(1, 2, &[4]),
        digest(1, 2, &[6, 4]),
    ];
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
    assert_eq!(digest(0x1234, 32, &[32, 64, 96]), GOLDEN_DIGEST);
}

/// Text of so many different words.
fn words(first: u64, count: u64) -> String {
    (first..first + count)
        .map(|n| format!("word{n} "))
        .collect()
}

const GOLDEN_DIGEST: u128 = 0xFFA8_E257_15F3_00AC_BD70_1428_3D57_331E;

/// Pages that differ in one word, so far apart that most pairs have the same sketch.
#[test]
fn equal_digests_of_partial_sketches_are_of_equal_shingles() {
    let sampling = Sampling::Adaptive {
        target: 16,
        coarsest_log2: 8,
    };
    let mut sketcher = Sketcher::new(&SketchParams {
        sampling,
        ..exact(10, ShingleKind::Set)
    });
    let page = |changed: usize| -> String {
        let word = |at: usize| {
            if at == changed {
                "x".to_owned()
            } else {
                format!("w{at}")
            }
        };
        (0..400).map(|at| word(at) + " ").collect()
    };
    let mut same_sketches = 0;
    let first = sketcher.sketch(Content::Text(&page(1000)));
    let (digest, sketch) = (first.sketch_digest, first.fingerprints.to_vec());
    for changed in 0..400 {
        let other = sketcher.sketch(Content::Text(&page(changed)));
        same_sketches += usize::from(other.fingerprints == sketch);
        assert!(other.level > 0);
        assert_ne!(other.sketch_digest, digest, "word {changed}");
    }
    assert!(same_sketches > 100, "{same_sketches} sketches are the same");
    // Spaces are no tokens.
    let again = page(1000).replace(' ', "  ");
    let again = sketcher.sketch(Content::Text(&again)).sketch_digest;
    assert_eq!(again, digest);
}

#[test]
fn digests_at_once_and_in_parts_are_equal() {
    for length in [0, 1, 7, 15, 16, 29, 30, 100, 1023, 1024] {
        let fingerprints: Vec<u64> = (1..=length)
            .map(|n: u64| n.wrapping_mul(0x9E37_79B9_7F4A_7C15))
            .collect();
        assert_eq!(
            digest(5, 25, &fingerprints, &mut Vec::new()),
            digest_in_parts(5, 25, &fingerprints),
            "{length}"
        );
    }
}

#[test]
fn forty_bits_are_the_top_forty() {
    let text: String = (0..3000).map(|n| format!("w{n} ")).collect();
    let wide = exact(3, ShingleKind::Set);
    let mut narrow = SketchParams {
        bits: FingerprintBits::B40,
        ..wide.clone()
    };
    let top: BTreeSet<u64> = set_of(&wide, &text).iter().map(|f| f >> 24).collect();
    assert_eq!(set_of(&narrow, &text), top);
    narrow.sampling = Sampling::Modulus { modulus: 7 };
    assert_eq!(
        set_of(&narrow, &text),
        top.into_iter().filter(|f| f % 7 == 0).collect()
    );
}

/// Every residue must be as frequent as every other, also for shingles that differ little.
#[test]
fn residues_are_fair() {
    let counting: String = (0..200_000).map(|n| format!("{n} ")).collect();
    let letters: String = (0..200_000)
        .map(|n: u32| format!("{} ", char::from_u32(0x4E00 + n % 20_000).unwrap()))
        .collect();
    for (text, size) in [(&counting, 1), (&counting, 3), (&letters, 1), (&letters, 2)] {
        for bits in [FingerprintBits::B64, FingerprintBits::B40] {
            let params = SketchParams {
                bits,
                ..exact(size, ShingleKind::Set)
            };
            let prints = set_of(&params, text);
            let total = prints.len() as f64;
            for modulus in [2, 3, 25, 32, 64] {
                let mut counts = vec![0_u32; modulus as usize];
                prints
                    .iter()
                    .for_each(|f| counts[(f % modulus) as usize] += 1);
                let p = 1.0 / modulus as f64;
                let sigma = (total * p * (1.0 - p)).sqrt();
                for (residue, &count) in counts.iter().enumerate() {
                    let off = (f64::from(count) - total * p).abs() / sigma;
                    assert!(
                        off < 5.0,
                        "{residue} mod {modulus}: {count} of {total}, {off} sigma"
                    );
                }
            }
        }
    }
}

#[test]
fn buffers_are_given_back_after_a_large_document() {
    let page = "<p>word</p> ".repeat(400_000);
    for kind in KINDS {
        let params = SketchParams {
            shingle_size: 1 << 20,
            ..exact(3, kind)
        };
        let mut sketcher = Sketcher::new(&params);
        let words = sketcher.sketch(Content::Html(&page)).words;
        assert_eq!(words, 400_000);
        sketcher.sketch(Content::Html("<p>small"));
        assert!(held_bytes(&sketcher) < 4 << 20, "{}", held_bytes(&sketcher));
    }
}

/// The pages and texts of `data-samples`, and some that are written here.
fn real_pages() -> Vec<String> {
    let mut open = vec![std::path::PathBuf::from(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../data-samples"
    ))];
    let mut pages = vec![
        "<p>Fünf ".repeat(3_000),
        "<b>слово</b> ".repeat(500),
        "漢字かな交じり文。".repeat(700),
    ];
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                pages.push(String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned());
            }
        }
    }
    pages
}

#[test]
fn all_forms_give_the_same_sketches_of_real_pages() {
    let pages = real_pages();
    assert!(pages.len() > 30);
    for (sampling, bits) in [
        (Sampling::Modulus { modulus: 25 }, FingerprintBits::B40),
        (
            Sampling::Adaptive {
                target: 128,
                coarsest_log2: 5,
            },
            FingerprintBits::B64,
        ),
    ] {
        for kind in KINDS {
            let params = SketchParams {
                sampling,
                bits,
                ..exact(10, kind)
            };
            let mut portable = Sketcher::for_cpu(&params, Cpu::portable());
            let mut forms: Vec<Sketcher> = Cpu::all()
                .into_iter()
                .map(|cpu| Sketcher::for_cpu(&params, cpu))
                .collect();
            for page in &pages {
                for content in [Content::Html(page), Content::Text(page)] {
                    let expected = portable.sketch(content);
                    for form in &mut forms {
                        let cpu = form.cpu;
                        assert_eq!(form.sketch(content), expected, "{kind:?} {cpu}");
                    }
                }
            }
        }
    }
}

/// Capacity of all buffers that grow.
pub(super) fn held_bytes(sketcher: &Sketcher) -> usize {
    let shingler = &sketcher.shingler;
    let samplers = shingler.sampler.capacity() + sketcher.all.capacity();
    let lists = shingler.hashes.capacity() + shingler.windows.capacity() + samplers;
    let texts = sketcher.texts.as_ref().map_or(0, TextShingles::capacity);
    sketcher.pages.capacity()
        + texts
        + sketcher.tokenizer.capacity()
        + sketcher.digested.capacity()
        + 8 * lists
}

#[test]
fn memory_stays_below_the_stated_bound() {
    let distinct: String = (0..300_000).map(|n| format!("{n:x} ")).collect();
    let han: String = (0..700_000_u32)
        .map(|n| char::from_u32(0x4E00 + n * 7 % 20_000).unwrap())
        .collect();
    let references = "&nGt; a ".repeat(200_000);
    let of_target = |target| Sampling::Adaptive {
        target,
        coarsest_log2: 5,
    };
    for (sampling, family) in [
        (Sampling::Modulus { modulus: 1 }, Family::Keyed),
        (Sampling::Modulus { modulus: 25 }, Family::Keyed),
        (Sampling::Modulus { modulus: 25 }, Family::Xxh3),
        (of_target(128), Family::Keyed),
        (of_target(100_000), Family::Keyed),
        (of_target(1_000_000_000), Family::Keyed),
    ] {
        for kind in KINDS {
            for unit in [
                TokenUnit::Words,
                TokenUnit::Chars(Blanks::Keep),
                TokenUnit::Lines,
            ] {
                let params = SketchParams {
                    sampling,
                    tokens: unit,
                    family,
                    ..exact(10, kind)
                };
                for page in [
                    &distinct,
                    &han,
                    &references,
                    &"a ".repeat(1_000_000),
                    &"x".repeat(2_000_000),
                    &words(0, 1 << 16),
                ] {
                    let mut sketcher = Sketcher::new(&params);
                    sketcher.sketch(Content::Html(page));
                    // large texts are given back by now
                    let mut pages = Pages::default();
                    pages.read(Cpu::chosen(), Content::Html(page), TextOfPages::Whole);
                    let held = (held_bytes(&sketcher) + pages.capacity()) as u64;
                    let bound = memory_bytes_max(&params, page.len() as u64);
                    assert!(
                        held <= bound,
                        "{sampling:?} {kind:?} {unit:?}: {held} of {bound}"
                    );
                }
            }
        }
    }
}

/// Windows of at most `size` tokens with their number of occurrences.
fn windows_directly(text: &str, size: usize) -> BTreeMap<Vec<String>, usize> {
    let mut tokens = Vec::new();
    let rules = TokenRules::WORDS;
    for_each_token(rules, Content::Text(text), &mut |token| {
        tokens.push(token.to_string());
    });
    let mut windows = BTreeMap::new();
    let width = size.min(tokens.len());
    if width > 0 {
        tokens
            .windows(width)
            .for_each(|window| *windows.entry(window.to_vec()).or_insert(0) += 1);
    }
    windows
}

proptest! {
    #[test]
    fn exact_sketches_count_as_sets_of_windows_do(
        a in "([ab] ){0,12}", b in "([ab] ){0,12}", size in 1u32..5
    ) {
        let (windows_a, windows_b) = (windows_directly(&a, size as usize), windows_directly(&b, size as usize));
        let shared = windows_a.iter().filter(|(window, _)| windows_b.contains_key(*window)).count();
        prop_assert_eq!(overlap(&exact(size, ShingleKind::Set), &a, &b).0, shared);
        let shared: usize = windows_a.iter().map(|(window, n)| *n.min(windows_b.get(window).unwrap_or(&0))).sum();
        prop_assert_eq!(overlap(&exact(size, ShingleKind::Labelled), &a, &b).0, shared);
        prop_assert_eq!(set_of(&exact(size, ShingleKind::Set), &a).len(), windows_a.len());
        prop_assert_eq!(set_of(&exact(size, ShingleKind::Labelled), &a).len(), windows_a.values().sum::<usize>());
    }

    #[test]
    fn all_forms_give_the_same_sketches(
        words in prop::collection::vec("[a-zA-Zé字]{1,20}", 0..700), size in prop_oneof![1u32..12, 1u32..2_000], labelled: bool
    ) {
        let kind = if labelled { ShingleKind::Labelled } else { ShingleKind::Set };
        let params = SketchParams { sampling: Sampling::Modulus { modulus: 3 }, ..exact(size, kind) };
        let text = words.join(" ");
        let mut portable = Sketcher::for_cpu(&params, Cpu::portable());
        let expected = portable.sketch(Content::Text(&text));
        for cpu in Cpu::all() {
            let mut form = Sketcher::for_cpu(&params, cpu);
            prop_assert_eq!(form.sketch(Content::Text(&text)), expected, "{}", cpu);
        }
    }

    #[test]
    fn all_fingerprints_are_those_of_an_exact_sketch(
        texts in prop::collection::vec("([a-c] ){0,200}", 1..6), labelled: bool,
    ) {
        let kind = if labelled { ShingleKind::Labelled } else { ShingleKind::Set };
        let exact = exact(3, kind);
        let sampling = Sampling::Adaptive { target: 4, coarsest_log2: 3 };
        let adaptive = SketchParams { sampling, ..exact.clone() };
        let (mut sketcher, mut other) = (Sketcher::new(&adaptive), Sketcher::new(&adaptive));
        for text in &texts {
            let all = set_of(&exact, text);
            let got: Vec<u64> = sketcher.all_fingerprints(Content::Text(text)).to_vec();
            prop_assert_eq!(got, all.into_iter().collect::<Vec<u64>>());
            prop_assert_eq!(sketcher.sketch(Content::Text(text)), other.sketch(Content::Text(text)));
        }
    }

    #[test]
    fn nothing_stays_from_document_to_document(texts in prop::collection::vec("([a-c] ){0,20}", 1..6), labelled: bool) {
        let kind = if labelled { ShingleKind::Labelled } else { ShingleKind::Set };
        let params = SketchParams { sampling: Sampling::Adaptive { target: 3, coarsest_log2: 3 }, ..exact(3, kind) };
        let mut reused = Sketcher::new(&params);
        for text in &texts {
            let mut fresh = Sketcher::new(&params);
            prop_assert_eq!(reused.sketch(Content::Text(text)), fresh.sketch(Content::Text(text)));
        }
    }

    #[test]
    fn words_seen_before_are_what_they_were(
        // few pieces, so that most runs come again, in other surroundings
        documents in prop::collection::vec(prop::collection::vec((0..PIECES.len(), 0..SEPARATORS.len()), 0..60), 1..6),
        drop_numbers: bool,
    ) {
        let params = SketchParams { drop_numbers, ..exact(2, ShingleKind::Labelled) };
        for cpu in Cpu::all() {
            let mut reused = Sketcher::for_cpu(&params, cpu);
            for document in &documents {
                let text: String = document.iter().flat_map(|&(piece, separator)| [PIECES[piece], SEPARATORS[separator]]).collect();
                let mut fresh = Sketcher::for_cpu(&params, Cpu::portable());
                prop_assert_eq!(reused.sketch(Content::Text(&text)), fresh.sketch(Content::Text(&text)), "{}: {}", cpu, text);
            }
        }
    }
}

/// Runs of one token, of several, and of such as depend on what stands around them.
const PIECES: [&str; 16] = [
    "é",
    "École",
    "élève",
    "eleveé",
    "Привет",
    "здравствуйте",
    "“é”",
    "字",
    "字語",
    "ΟΔΟΣ",
    "ΣΑΣ",
    "１２",
    "e\u{301}",
    "\u{338}é",
    "\u{AD}é",
    "aa",
];
const SEPARATORS: [&str; 6] = [" ", " ", "\n", " = ", "=", ""];
