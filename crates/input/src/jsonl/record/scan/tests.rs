//! The scan accepts exactly the lines that serde_json accepts, with the same meaning.

use proptest::prelude::*;

use super::*;
use crate::jsonl::record::judge;
use crate::tests::collect::options;
use model::Markup;

/// The parts of a line that a reader hands on, owned.
type Parts = (Option<String>, [Option<String>; 7]);

fn parts(raw: &RawFields<'_>) -> Parts {
    if let Some(known) = &raw.html_text {
        // The unescaped text is equal to that of the other reader.
        let judged = crate::jsonl::record::string_of(raw.html).ok().flatten();
        assert_eq!(Some(&**known), judged.as_deref());
    }
    let text = raw.text.as_ref().map(|text| format!("{text:?}"));
    (
        text,
        [
            raw.html,
            raw.id,
            raw.url,
            raw.date,
            raw.carry[0],
            raw.usual_text[0],
            raw.usual_text[3],
        ]
        .map(|value| value.map(str::to_owned)),
    )
}

/// Both readings of a line; `None` where it is refused.
fn both(line: &str) -> (Option<Parts>, Option<Parts>) {
    let names = options(100, &["carried"]).fields;
    let mut buffer = b"left from the line before".to_vec();
    let scanned = scan(line, &names, &mut Some(&mut buffer)).map(|raw| parts(&raw));
    (scanned, judge(line, &names).ok().map(|raw| parts(&raw)))
}

fn string() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        5 => "[a-z é漢😀\u{7f}]{0,20}",
        1 => "[a-z é]{0,90}",
        3 => Just("\\n".to_owned()),
        2 => Just("\\\"".to_owned()),
        1 => prop::sample::select(vec!["\\\\", "\\/", "\\t", "\\r", "\\b", "\\f", "\\u00e9", "\\u0000", "\\ud83d\\ude00"]).prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| format!("\"{}\"", pieces.concat()))
}

fn value() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        4 => string(),
        1 => prop::sample::select(vec!["null", "true", "false", "0", "-1.5e+3", "12", "1e999", "-0", "7.0"]).prop_map(str::to_owned),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3)
                .prop_map(|items| format!("[{}]", items.join(" , "))),
            prop::collection::vec((string(), inner), 0..3).prop_map(|members| {
                let members: Vec<_> = members
                    .iter()
                    .map(|(key, value)| format!("{key}:{value}"))
                    .collect();
                format!("{{{}}}", members.join(","))
            }),
        ]
    })
}

fn line() -> impl Strategy<Value = String> {
    let key = prop_oneof![
        6 => prop::sample::select(vec!["text", "html", "id", "url", "date", "carried", "other", "content", "body"]).prop_map(|key| format!("\"{key}\"")),
        1 => string(),
    ];
    prop::collection::vec((key, value()), 0..6).prop_map(|members| {
        let members: Vec<_> = members
            .iter()
            .map(|(key, value)| format!("{key} : {value}"))
            .collect();
        format!(" {{ {} }}\r", members.join(", "))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn sound_lines_mean_the_same(line in line()) {
        let (scanned, judged) = both(&line);
        if scanned.is_some() {
            prop_assert_eq!(scanned, judged);
        }
    }

    /// One character changed, left out or doubled: mostly no JSON any more.
    #[test]
    fn damaged_lines_are_not_taken_for_sound_ones(line in line(), at in any::<prop::sample::Index>(), by in "[\"\\\\{}\\[\\],:a0-9.eu\u{1}\n ]{0,2}") {
        let chars: Vec<char> = line.chars().collect();
        let at = at.index(chars.len());
        let damaged: String = chars[..at].iter().copied().chain(by.chars()).chain(chars[at + 1..].iter().copied()).collect();
        let (scanned, judged) = both(&damaged);
        if scanned.is_some() {
            prop_assert_eq!(scanned, judged, "{}", damaged);
        }
    }

    #[test]
    fn special_is_the_first(bytes in prop::collection::vec(prop_oneof![4 => any::<u8>(), 20 => 0x20u8..0x7f], 0..60), from in 0usize..70) {
        let expected = bytes.iter().enumerate().skip(from).find(|(_, byte)| matches!(byte, b'"' | b'\\' | 0..0x20));
        let from = from.min(bytes.len());
        prop_assert_eq!(special(&bytes, from), expected.map_or(bytes.len(), |(at, _)| at));
    }
}

/// The scan is not so careful that it leaves everything to the other reader.
#[test]
fn usual_lines_are_scanned() {
    for line in [
        r#"{"url":"http://x/","date":12,"text":"a\nb \"c\" \u00e9 \ud83d\ude00","other":{"a":[1,-2.5e3,{"b":null}],"c":{}}}"#,
        r#"{"html": "<p class=\"a\">", "id": 7, "carried": [ ] , "other": true}"#,
        r#" { "text" : null , "html" : "x" } "#,
        "{}",
    ] {
        let (scanned, judged) = both(line);
        assert!(scanned.is_some(), "{line}");
        assert_eq!(scanned, judged);
    }
    for line in [
        r#"{"text":"\ud83d"}"#,
        r#"{"text":"a","text":"b"}"#,
        r#"{"id":1,"id":2}"#,
        r#"{"te\u0078t":"a"}"#,
    ] {
        assert_eq!(both(line).0, None, "{line}");
    }
}

/// Texts of a line that both have escapes do not get into each other's way.
#[test]
fn text_and_html_with_escapes_are_both_read() {
    let names = options(100, &[]).fields;
    for line in [
        r#"{"html":"a\tb","text":"c\td"}"#,
        r#"{"text":"c\td","html":"a\tb"}"#,
    ] {
        let mut buffer = Vec::new();
        let record = crate::jsonl::record::parse(line.as_bytes(), &names, &mut buffer).unwrap();
        assert_eq!((&*record.text, record.markup), ("c\td", Markup::None));
    }
    let mut buffer = Vec::new();
    let line = br#"{"text":null,"html":"a\tb"}"#;
    let record = crate::jsonl::record::parse(line, &names, &mut buffer).unwrap();
    assert_eq!((&*record.text, record.markup), ("a\tb", Markup::Html));
}

/// The name of the field, or that it is HTML, and its text; or the detail of the rejection.
fn text_of(line: &str, names: &FieldNames) -> String {
    let mut buffer = Vec::new();
    match crate::jsonl::record::parse(line.as_bytes(), names, &mut buffer) {
        Ok(record) => {
            let field = if record.markup == Markup::Html {
                "html"
            } else {
                "text"
            };
            format!("{} {}", record.flags.first().unwrap_or(&field), record.text)
        }
        Err(problem) => format!("{} {}", problem.reason, problem.detail),
    }
}

#[test]
fn the_first_usual_field_has_the_text_if_none_is_configured() {
    let names = options(100, &[]).fields;
    let line =
        r#"{"html":"h","body":"b","markdown":"m","raw_content":"r","content":"c\n","text":"t"}"#;
    let mut line = line.to_owned();
    for (key, expected) in [
        ("text", "text t"),
        ("content", "text-in-content c\n"),
        ("raw_content", "text-in-raw_content r"),
        ("markdown", "text-in-markdown m"),
        ("body", "text-in-body b"),
        ("html", "html h"),
    ] {
        assert_eq!(text_of(&line, &names), expected);
        line = line.replace(&format!("\"{key}\""), &format!("\"not_{key}\""));
    }
    assert_eq!(
        text_of(&line, &names),
        "no-text expected a field text, content, raw_content, markdown, body or html; \
         set text-field in [input] to one of not_html, not_body, not_markdown, not_raw_content, \
         not_content, not_text"
    );
    let other = r#"{"id":1,"meta":{"a":"b"},"caption":"c","date":null,"title":"t"}"#;
    assert!(text_of(other, &names).ends_with("to one of caption, title"));
    assert!(text_of(r#"{"id":1}"#, &names).ends_with("; no field holds a string"));
    for (line, expected) in [
        (
            r#"{"text":7,"title":"t"}"#,
            "text is a number and must be a string; set text-field in [input] to one of title",
        ),
        (
            r#"{"text":["a"],"html":"h"}"#,
            "text is a list and must be a string; set text-field in [input] to one of html",
        ),
        (
            r#"{"text":null,"html":{"a":1}}"#,
            "html is an object and must be a string; no field holds a string",
        ),
        (
            r#"{"id":"1","html":true}"#,
            "html is a boolean and must be a string; set text-field in [input] to one of id",
        ),
    ] {
        assert_eq!(text_of(line, &names), format!("bad-field {expected}"));
    }
    // A value that is no string is not meant.
    let line = r#"{"content":{"a":1},"markdown":null,"body":7,"html":"h"}"#;
    assert_eq!(text_of(line, &names), "html h");
    assert_eq!(
        text_of(r#"{"text":null,"body":"b"}"#, &names),
        "text-in-body b"
    );
    let carried = options(100, &["content"]).fields;
    assert_eq!(text_of(r#"{"content":"c"}"#, &carried), "text-in-content c");
    // A configured field is the only one.
    let configured = FieldNames {
        text: "page".to_owned(),
        ..options(100, &[]).fields
    };
    assert_eq!(
        text_of(r#"{"content":"c","html":"h"}"#, &configured),
        "html h"
    );
    let html = FieldNames {
        html: "content".to_owned(),
        ..options(100, &[]).fields
    };
    assert_eq!(text_of(r#"{"content":"c"}"#, &html), "html c");
    assert_eq!(
        text_of(r#"{"content":"c","body":"b"}"#, &html),
        "text-in-body b"
    );
}
