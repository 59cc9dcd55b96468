use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Bytes and digest of fifty pages.
const GOLDEN: (usize, u64) = (144_931, 9_348_737_768_867_243_611);

fn jsonl(corpus: &TextCorpus) -> Vec<u8> {
    let mut bytes = Vec::new();
    corpus.write_jsonl(&mut bytes).expect("a vector takes all");
    bytes
}

/// A test's own view of tokens: letters, digits and marks, lowercase, without soft hyphens, accents
/// joined.
fn tokens(text: &str) -> Vec<String> {
    let text = text
        .replace('\u{AD}', "")
        .replace("e\u{301}", "é")
        .replace("E\u{301}", "é")
        .to_lowercase();
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|token| !token.is_empty())
        .map(str::to_owned)
        .collect()
}

fn resemblance(a: &[u64], b: &[u64]) -> f64 {
    let [a, b] = [a, b].map(|words| words.windows(10).collect::<BTreeSet<_>>());
    a.intersection(&b).count() as f64 / a.union(&b).count() as f64
}

#[test]
fn a_seed_gives_the_same_bytes_everywhere() {
    let bytes = jsonl(&TextCorpus::new(
        1,
        TextShape {
            pages: 50,
            ..TextShape::default()
        },
    ));
    let digest = bytes.iter().fold(0, |digest, &byte| {
        crate::random::mix(digest ^ u64::from(byte)).wrapping_add(1)
    });
    assert_eq!(
        (bytes.len(), digest),
        GOLDEN,
        "expected the recorded pages; a change of the generator changes them all"
    );
}

#[test]
fn jsonl_reads_back() {
    let corpus = TextCorpus::new(2, TextShape::default());
    let text = String::from_utf8(jsonl(&corpus)).expect("UTF-8");
    assert!(
        text.ends_with('\n') && !text.contains('\r'),
        "one line a record"
    );
    let mut escaped = 0;
    for (line, page) in text.lines().zip(corpus.pages()) {
        let value: serde_json::Value = serde_json::from_str(line).expect("JSON");
        assert_eq!(
            value,
            serde_json::json!({"id": page.id, "url": page.url, "text": page.text})
        );
        escaped += usize::from(line.contains("\\u0001"));
    }
    assert!(escaped > 0, "expected control characters in some page");
    assert_eq!(text.lines().count(), 200);
}

#[test]
fn each_word_is_one_token_in_every_style() {
    let corpus = TextCorpus::new(3, TextShape::default());
    for n in 0..200 {
        let tokens = tokens(&corpus.page(n).text);
        assert_eq!(tokens.len(), corpus.words(n).len(), "page {n}");
    }
}

#[test]
fn plants_keep_their_word() {
    let corpus = TextCorpus::new(
        4,
        TextShape {
            pages: 600,
            ..TextShape::default()
        },
    );
    let mut seen = BTreeSet::new();
    for n in 0..600 {
        let (page, words) = (corpus.page(n), corpus.words(n));
        match corpus.plant(n) {
            Plant::Fresh => assert!((150..=600).contains(&words.len())),
            Plant::Templated { .. } => assert!((210..=660).contains(&words.len())),
            Plant::Mirror { of } => assert!(
                page.text == corpus.page(of).text,
                "page {n} differs from {of}"
            ),
            Plant::Restyled { of } => {
                assert!(
                    tokens(&page.text) == tokens(&corpus.page(of).text),
                    "page {n} has other tokens than {of}"
                );
                seen.insert(if page.text == corpus.page(of).text {
                    "restyled equal"
                } else {
                    "restyled"
                });
            }
            Plant::Edited { of, per_cent } => {
                let original = corpus.words(of);
                // long enough for the share of edits to be near what was asked
                if original.len() >= 400 {
                    let found = resemblance(&words, &original);
                    let range = match per_cent {
                        1 | 2 => 0.5..1.0,
                        30 => 0.0..0.2,
                        _ => 0.0..0.95,
                    };
                    assert!(
                        range.contains(&found),
                        "page {n}: {found} after {per_cent} %"
                    );
                    seen.insert("edited");
                }
            }
            Plant::Excerpt { of } => {
                let original = corpus.words(of);
                assert!(
                    original.windows(words.len().max(1)).any(|run| run == words)
                        || words.is_empty(),
                    "page {n}"
                );
                seen.insert("excerpt");
            }
        }
    }
    assert!(
        seen.is_superset(&BTreeSet::from(["restyled", "edited", "excerpt"])),
        "{seen:?}"
    );
}

#[test]
fn strangers_share_nothing_and_templates_their_frame() {
    let shape = TextShape {
        pages: 60,
        derived_per_mille: 0,
        template_per_mille: 500,
        ..TextShape::default()
    };
    let corpus = TextCorpus::new(5, shape);
    let mut same_template = 0;
    for a in 0..60 {
        for b in 0..a {
            let shared = resemblance(&corpus.words(a), &corpus.words(b));
            match (corpus.plant(a), corpus.plant(b)) {
                (Plant::Templated { template: x }, Plant::Templated { template: y }) if x == y => {
                    assert!(shared > 0.0 && shared < 0.2, "{shared}");
                    same_template += 1;
                }
                _ => assert_eq!(shared, 0.0, "pages {a} and {b}"),
            }
        }
    }
    assert!(same_template > 10);
}

#[test]
fn a_page_needs_no_other_and_ids_differ() {
    let corpus = TextCorpus::new(
        6,
        TextShape {
            pages: 100,
            ..TextShape::default()
        },
    );
    let pages: Vec<TextDocument> = corpus.pages().collect();
    assert_eq!(pages[99], corpus.page(99));
    for field in [
        |page: &TextDocument| page.id.clone(),
        |page: &TextDocument| page.url.clone(),
    ] {
        assert_eq!(pages.iter().map(field).collect::<BTreeSet<_>>().len(), 100);
    }
}

#[test]
fn the_smallest_shapes_work() {
    let nothing = TextShape {
        pages: 0,
        ..TextShape::default()
    };
    assert!(jsonl(&TextCorpus::new(7, nothing)).is_empty());
    let wordless = TextShape {
        pages: 50,
        words_min: 0,
        words_max: 2,
        template_words: 0,
        templates: 0,
        ..nothing
    };
    assert_eq!(TextCorpus::new(7, wordless).pages().count(), 50);
}

proptest! {
    #[test]
    fn any_string_reads_back_from_json(value in any::<String>(), low in "[\\x00-\\x22\\\\\u{7f}\u{2028}]*") {
        for value in [value, low] {
            let mut out = String::new();
            push_json_string(&value, &mut out);
            prop_assert!(!out.bytes().any(|byte| byte < 0x20));
            prop_assert_eq!(serde_json::from_str::<String>(&out).ok(), Some(value));
        }
    }

    #[test]
    fn no_shape_panics(seed: u64, pages in 0u32..20, words in 0u64..30, n in proptest::array::uniform5(0u64..1001)) {
        let shape = TextShape {
            pages, words_min: n[0] % 20, words_max: words, derived_per_mille: n[1], template_per_mille: n[2],
            templates: n[3] % 3, template_words: n[4] % 7, vocabulary: n[0],
        };
        prop_assert_eq!(TextCorpus::new(seed, shape).pages().count(), pages as usize);
    }
}
