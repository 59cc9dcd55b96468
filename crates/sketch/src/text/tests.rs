//! The tokenizers against their definition, written without regard to speed.

use super::class::{CharacterClass, CharacterClasses};
use super::*;
use crate::params::{Blanks, TextOfPages};
use proptest::prelude::*;
use unicode_normalization::UnicodeNormalization;

struct Collector(Vec<String>);

impl TokenSink for Collector {
    fn ascii_word(&mut self, text: &[u8], start: usize, end: usize) {
        self.0
            .push(String::from_utf8_lossy(&text[start..end]).to_lowercase());
    }

    fn token(&mut self, token: &[u8]) {
        self.0.push(String::from_utf8(token.to_vec()).unwrap());
    }
}

fn ours(cpu: Cpu, rules: TokenRules, text: &str) -> Vec<String> {
    let mut collector = Collector(Vec::new());
    let mut tokenizer = Tokenizer {
        token: String::from("left over"),
        ..Tokenizer::new(cpu, rules)
    };
    tokenizer.tokens(text.as_bytes(), &mut collector);
    collector.0
}

fn directly(rules: TokenRules, text: &str) -> Vec<String> {
    let classes = CharacterClasses::get();
    let canonical: String = text
        .chars()
        .filter(|&c| !classes.of(c).has(CharacterClass::IGNORABLE))
        .nfc()
        .collect();
    let mut found: Vec<String> = match rules.unit {
        TokenUnit::Words => words(&canonical)
            .iter()
            .map(|word| word.to_lowercase())
            .collect(),
        TokenUnit::Chars(blanks) => {
            let words = canonical.split_whitespace().map(str::to_lowercase);
            let lower = match blanks {
                Blanks::Drop => words.collect::<String>(),
                Blanks::Collapse => words.collect::<Vec<_>>().join(" "),
                Blanks::Keep => canonical
                    .split_inclusive(char::is_whitespace)
                    .map(|piece| {
                        let word = piece.trim_end();
                        word.to_lowercase() + &piece[word.len()..]
                    })
                    .collect(),
            };
            lower.chars().map(String::from).collect()
        }
        TokenUnit::Lines => canonical
            .split(['\n', '\r'])
            .map(|line| {
                line.split_whitespace()
                    .collect::<Vec<_>>()
                    .join(" ")
                    .to_lowercase()
            })
            .filter(|line| !line.is_empty())
            .collect(),
    };
    found.retain(|token| !(rules.drop_numbers && token.chars().all(char::is_numeric)));
    found
}

fn words(canonical: &str) -> Vec<String> {
    let classes = CharacterClasses::get();
    let mut words: Vec<String> = vec![String::new()];
    let (mut closed, mut half_flag) = (false, false);
    for c in canonical.chars() {
        let class = classes.of(c);
        let is_mark =
            unicode_normalization::char::is_combining_mark(c) || ('🏻'..='🏿').contains(&c);
        let is_half = ('🇦'..='🇿').contains(&c);
        let ends_flag = std::mem::replace(&mut half_flag, is_half) && is_half;
        if ends_flag {
            half_flag = false;
            if let Some(word) = words.last_mut() {
                word.push(c);
            }
        } else if !(c.is_alphanumeric()
            || is_mark
            || c == '\u{FFFD}'
            || class.has(CharacterClass::ALONE))
        {
            words.push(String::new());
            closed = false;
        } else if class.has(CharacterClass::ALONE) {
            words.push(c.to_string());
            closed = true;
        } else {
            if closed && !is_mark {
                words.push(String::new());
                closed = false;
            }
            if let Some(word) = words.last_mut() {
                word.push(c);
            }
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[a-zA-Z0-9 .=<>\n\r\t-]{0,10}",
        1 => "\\PC{0,4}",
        1 => any::<String>(),
        2 => prop::sample::select(vec![
            "Σ", "ΣΑΣ", "İ", "\u{301}", "\u{338}", "\u{316}", "字", "か\u{3099}", "ก\u{E38}\u{E48}", "\u{AD}", "\u{200B}", "\u{1112}",
            "\u{1161}", "é", "Ω", "\u{2126}", "\u{A0}", "\u{3000}", "１２", "½", "\u{1D160}", "\u{FB2C}", "ǅ", "Ⱥ", "“", "…",
            "👍", "👍🏽", "🏽", "☝🏽", "🇩🇪", "🇫", "1\u{FE0F}\u{20E3}", "❤\u{FE0F}", "👩\u{200D}🚀", "✔", "©",
        ]).prop_map(str::to_string),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

const UNITS: [TokenUnit; 5] = [
    TokenUnit::Words,
    TokenUnit::Chars(Blanks::Drop),
    TokenUnit::Chars(Blanks::Collapse),
    TokenUnit::Chars(Blanks::Keep),
    TokenUnit::Lines,
];

fn rules() -> impl Strategy<Value = TokenRules> {
    let unit = prop::sample::select(UNITS.to_vec());
    (unit, any::<bool>()).prop_map(|(unit, drop_numbers)| TokenRules {
        unit,
        drop_numbers,
        text_of_pages: TextOfPages::Whole,
    })
}

/// Longer text, without the characters that most often send a run the slow way, so that all of the
/// fast way is gone too.
fn long_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[a-zA-Z0-9 ]{0,40}",
        2 => "[а-яёА-ЯЁ ]{0,40}",
        2 => "[字語か。、「a ]{0,12}",
        1 => "[àéüñçßÀÉÜ a]{0,20}",
        1 => "[α-ωΑ-Ω ]{0,12}",
        1 => "[가-힣ㄱ ]{0,12}",
        1 => "[กขคะาิ่ ]{0,8}",
        1 => "[אבגד\u{5B8}ابت ]{0,12}",
        1 => "[—“”…×÷]{0,3}",
        1 => "[\u{A0}a \u{301}字=\u{338}]{0,9}",
        1 => "[ﾞ々〇\u{3099}\u{301}\u{AD}😀👍é]{0,3}",
        1 => "[😀👍🏽☝🇩🇪✔a©\u{FE0F}\u{200D}]{0,9}",
        1 => (0_usize..300).prop_map(|length| "жx".repeat(length / 2)),
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

#[test]
fn an_emoji_is_a_token() {
    let rules = TokenRules {
        unit: TokenUnit::Words,
        drop_numbers: true,
        text_of_pages: TextOfPages::Whole,
    };
    for (text, tokens) in [
        ("so👍so 👍👎", &["so", "👍", "so", "👍", "👎"][..]),
        // with its colour, and however it is shown
        ("👍🏽👍 ☝🏽❤\u{FE0F}❤", &["👍🏽", "👍", "☝🏽", "❤", "❤"]),
        ("🇩🇪🇫🇷🇦a", &["🇩🇪", "🇫🇷", "🇦", "a"]),
        // the parts of a sequence
        ("👩\u{200D}🚀✔", &["👩", "🚀", "✔"]),
        ("1\u{FE0F}\u{20E3} 15 -15", &["1\u{20E3}"]),
        ("C++ a→b © € ‼", &["c", "a", "b"]),
    ] {
        for cpu in Cpu::all() {
            assert_eq!(ours(cpu, rules, text), tokens, "{cpu}");
        }
    }
}

#[test]
fn forms_agree_around_the_longest_token() {
    for rules in [false, true].map(|drop_numbers| TokenRules {
        unit: TokenUnit::Words,
        drop_numbers,
        text_of_pages: TextOfPages::Whole,
    }) {
        for letters in ["x", "7", "ж", "字", "xé", "7é", "e\u{301}"] {
            for length in [
                TOKEN_BYTES_MAX - 1,
                TOKEN_BYTES_MAX,
                TOKEN_BYTES_MAX + 1,
                2 * TOKEN_BYTES_MAX + 9,
            ] {
                let text = format!("a {}\u{2014}b", letters.repeat(length / letters.len() + 1));
                let expected = ours(Cpu::portable(), rules, &text);
                assert!(
                    Cpu::all()
                        .into_iter()
                        .all(|cpu| ours(cpu, rules, &text) == expected),
                    "{letters} {length}"
                );
            }
        }
    }
}

/// At every place of a block, over its border, at the beginning and the end, alone and in turns
/// with what marks join.
#[test]
fn forms_agree_on_no_break_spaces_everywhere() {
    let rules = TokenRules::WORDS;
    for spaces in [
        "\u{A0}",
        "\u{A0}\u{A0}",
        "\u{A0}\u{301}",
        "é\u{A0}é",
        "\u{A0}=\u{338}",
        "\u{A0}\u{338}",
        "\u{C2}\u{A0}\u{E0}",
    ] {
        for at in 0..140 {
            for behind in ["", "b", " b", "é b"] {
                let text = format!("{}{spaces}{behind}", &"word ".repeat(28)[..at]);
                let expected = directly(rules, &text);
                for cpu in Cpu::all() {
                    assert_eq!(ours(cpu, rules, &text), expected, "{cpu} {text:?}");
                }
            }
        }
    }
}

#[test]
fn forms_agree_on_every_character_between_letters() {
    let rules = TokenRules::WORDS;
    // the planes behind hold nothing, but for one block
    for c in ('\0'..='\u{323FF}').chain('\u{E0000}'..='\u{E0FFF}') {
        // alone, in a word, behind a character that stands alone, before a mark
        let text = format!("{c} é{c}b é{c} 字{c} {c}字 {c}\u{338} ж{c}\u{301}");
        let expected = ours(Cpu::portable(), rules, &text);
        assert_eq!(ours(Cpu::chosen(), rules, &text), expected, "{c:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 5_000, ..ProptestConfig::default() })]

    #[test]
    fn tokens_are_the_definition(rules in rules(), text in text()) {
        for cpu in Cpu::all() {
            prop_assert_eq!(ours(cpu, rules, &text), directly(rules, &text), "{}", cpu);
        }
    }

    #[test]
    fn forms_agree_on_long_text(rules in rules(), text in long_text()) {
        let expected = ours(Cpu::portable(), rules, &text);
        for cpu in Cpu::all() {
            prop_assert_eq!(&ours(cpu, rules, &text), &expected, "{}", cpu);
        }
    }

    #[test]
    fn normalization_twins_have_equal_tokens(rules in rules(), text in text()) {
        let composed: String = text.nfc().collect();
        let decomposed: String = text.nfd().collect();
        for cpu in Cpu::all() {
            prop_assert_eq!(ours(cpu, rules, &composed), ours(cpu, rules, &decomposed), "{}", cpu);
        }
    }
}
