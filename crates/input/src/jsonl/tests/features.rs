//! Lists of tokens.

use super::*;

#[test]
fn a_list_of_strings_is_a_document_of_tokens() {
    let mut options = options(20, &["features"]);
    options.fields.features = Some("features".to_owned());
    let lines = [
        r#"{"text":"t","features":["One two","é\t",""]}"#,
        r#"{"features":[]}"#,
        r#"{"features":null,"text":"t"}"#,
        r#"{"features":"a","text":"t"}"#,
        r#"{"features":["a",1]}"#,
        r#"{"features":["a",null]}"#,
        r#"{"features":["a\nb"]}"#,
        r#"{"features":["\ud800"]}"#,
        r#"{"features":{"a":"b"}}"#,
        r#"{"features":["0123456789","0123456789"]}"#,
        r#"{"features":[],"features":[]}"#,
    ];
    let collected = read_with(lines.join("\n").as_bytes(), &options);
    assert_eq!(
        collected.texts(),
        ["One two\né\t\n\n", "", "t", "\\ud800\n"]
    );
    let markups: Vec<Markup> = collected
        .documents
        .iter()
        .map(|found| found.markup)
        .collect();
    let lists = Markup::Features;
    assert_eq!(markups, [lists, lists, Markup::None, lists]);
    let mut expected = vec!["bad-field"; 4];
    expected.extend(["bad-field", "too-large", "duplicate-key"]);
    assert_eq!(collected.reasons(), expected);
    assert!(
        collected.rejected[0]
            .detail
            .contains("features must be a list of strings")
    );
    let carried = &collected.documents[0].fields[0].1;
    assert_eq!(
        carried,
        &FieldValue::Text(r#"["One two","é\t",""]"#.to_owned())
    );
}

#[test]
fn a_record_needs_no_text_where_fields_count_alone() {
    let mut options = options(1000, &["question", "text", "choices"]);
    options.fields.fields_only = true;
    options.fields.text.clear();
    let lines =
        "{\"question\":\"why?\",\"choices\":[\"a\", \"b\"]}\n{\"text\":{\"x\":1}}\n{\"other\":1}\n";
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.jsonl");
    std::fs::write(&path, lines).unwrap();
    let (collected, _) = read_whole(&source(&path, Format::Jsonl), &options);
    let rows: Vec<Vec<FieldValue>> = collected
        .documents
        .iter()
        .map(|row| row.fields.iter().map(|(_, value)| value.clone()).collect())
        .collect();
    let text = |text: &str| FieldValue::Text(text.to_owned());
    let null = || FieldValue::Null;
    assert_eq!(
        rows,
        [
            [text("why?"), null(), text("[\"a\", \"b\"]")],
            [null(), text("{\"x\":1}"), null()],
            [null(), null(), null()],
        ]
    );
    assert_eq!(collected.documents[0].text, "");
}
