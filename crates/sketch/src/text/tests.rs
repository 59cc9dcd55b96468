//! The tokenizers against their definition, written without regard to speed.

use super::class::{Class, Classes};
use super::*;
use proptest::prelude::*;
use unicode_normalization::UnicodeNormalization;

struct Collector(Vec<String>);

impl TokenSink for Collector {
    fn ascii_word(&mut self, text: &[u8], start: usize, end: usize) {
        self.0.push(String::from_utf8_lossy(&text[start..end]).to_lowercase());
    }

    fn token(&mut self, token: &str) {
        self.0.push(token.to_string());
    }
}

fn ours(rules: TokenRules, text: &str) -> Vec<String> {
    let mut collector = Collector(Vec::new());
    tokens(rules, text, &mut String::from("left over"), &mut collector);
    collector.0
}

fn directly(rules: TokenRules, text: &str) -> Vec<String> {
    let classes = Classes::get();
    let canonical: String = text.chars().filter(|&c| !classes.of(c).has(Class::IGNORABLE)).nfc().collect();
    let mut found: Vec<String> = match rules.unit {
        TokenUnit::Words => words(&canonical).iter().map(|word| word.to_lowercase()).collect(),
        TokenUnit::Chars => {
            let lower: Vec<String> = canonical.split_whitespace().map(str::to_lowercase).collect();
            lower.concat().chars().map(String::from).collect()
        }
        TokenUnit::Lines => canonical
            .split(['\n', '\r'])
            .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase())
            .filter(|line| !line.is_empty())
            .collect(),
    };
    found.retain(|token| !(rules.drop_numbers && token.chars().all(char::is_numeric)));
    found
}

fn words(canonical: &str) -> Vec<String> {
    let classes = Classes::get();
    let mut words: Vec<String> = vec![String::new()];
    let mut closed = false;
    for c in canonical.chars() {
        let class = classes.of(c);
        let is_mark = unicode_normalization::char::is_combining_mark(c);
        if !(c.is_alphanumeric() || is_mark) {
            words.push(String::new());
            closed = false;
        } else if class.has(Class::ALONE) {
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
        ]).prop_map(str::to_string),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

fn rules() -> impl Strategy<Value = TokenRules> {
    let unit = prop::sample::select(vec![TokenUnit::Words, TokenUnit::Chars, TokenUnit::Lines]);
    (unit, any::<bool>()).prop_map(|(unit, drop_numbers)| TokenRules { unit, drop_numbers })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 5_000, ..ProptestConfig::default() })]

    #[test]
    fn tokens_are_the_definition(rules in rules(), text in text()) {
        prop_assert_eq!(ours(rules, &text), directly(rules, &text));
    }

    #[test]
    fn normalization_twins_have_equal_tokens(rules in rules(), text in text()) {
        let composed: String = text.nfc().collect();
        let decomposed: String = text.nfd().collect();
        prop_assert_eq!(ours(rules, &composed), ours(rules, &decomposed));
    }
}
