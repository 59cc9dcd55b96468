//! Fields that are too long, in all formats.

use super::collect::{Collected, options, read_whole, source};
use decode::document::FieldValue;
use decode::options::{Format, ReadOptions};

/// Reads a file with limits of 30 bytes for URLs and of 20 bytes for fields.
fn read(format: Format, content: &str) -> Collected {
    let names: Vec<String> = (0..6).map(|n| format!("f{n}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let options = ReadOptions {
        max_url_bytes: 30,
        max_field_bytes: 20,
        ..options(1000, &names)
    };
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), content).unwrap();
    read_whole(&source(file.path(), format), &options).0
}

#[test]
fn what_is_too_long_is_missing_and_flagged_and_a_record_with_a_long_id_is_rejected() {
    let (fits, long) = ("x".repeat(20), "x".repeat(21));
    let line = |id: &str, url: &str, fields: &[&String]| {
        let fields = fields.iter().enumerate();
        let fields = fields.map(|(n, value)| format!(r#","f{n}":"{value}""#));
        let fields: String = fields.collect();
        format!(r#"{{"id":"{id}","url":"http://a/{url}","text":"a b"{fields}}}"#) + "\n"
    };
    let lines = [
        line(&fits, &fits, &[&fits; 4]),
        line(&long, &fits, &[]),
        line(&long, &"x".repeat(30), &[]),
        line("3", &"x".repeat(30), &[&long, &fits]),
        line("4", &fits, &[&fits; 6]),
    ];
    let collected = read(Format::Jsonl, &lines.concat());
    let [whole, short, many] = &collected.documents[..] else {
        panic!("{collected:?}");
    };
    assert!(whole.flags.is_empty() && whole.url.is_some());
    let kept = |fields: &[(String, FieldValue)]| -> Vec<usize> {
        let kept = fields.iter().enumerate();
        let kept = kept.filter(|(_, (_, value))| *value != FieldValue::Null);
        kept.map(|(at, _)| at).collect()
    };
    assert_eq!(kept(&whole.fields).len(), 4);
    assert_eq!(short.flags, ["url-too-long", "field-too-long"]);
    assert_eq!((&short.url, kept(&short.fields)), (&None, vec![1]));
    assert_eq!(many.flags, ["field-too-long"]);
    assert_eq!(kept(&many.fields), (0..4).collect::<Vec<_>>());
    let [first, second] = &collected.rejected[..] else {
        panic!("{collected:?}");
    };
    assert_eq!(first.reason, "id-too-long");
    assert_eq!(first.offset, lines[0].len() as u64);
    assert_eq!(
        first.detail,
        "the id has 21 bytes, max-field in [input] is 20"
    );
    assert!(first.url.is_some() && second.url.is_none());
}

#[test]
fn a_revisit_with_a_long_name_is_rejected_and_one_of_a_long_name_is_of_nothing() {
    let revisit = |id: &str, url: &str, refers: &str| {
        format!(
            "WARC/1.0\r\nWARC-Type: revisit\r\nWARC-Record-ID: <{id}>\r\nWARC-Target-URI: \
             http://a/{url}\r\nWARC-Refers-To: <{refers}>\r\nContent-Length: 0\r\n\r\n\r\n\r\n"
        )
    };
    let long = "x".repeat(40);
    let records = revisit(&long, "", "b") + &revisit("a", &long, "b") + &revisit("a", "", &long);
    let collected = read(Format::Warc, &records);
    let reasons = ["id-too-long", "url-too-long", "unresolved-revisit"];
    assert_eq!(collected.reasons(), reasons);
}
