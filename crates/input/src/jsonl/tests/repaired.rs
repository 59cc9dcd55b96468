//! Values that some programs write and JSON does not have.

use super::*;

#[test]
fn numbers_and_halves_of_characters_that_json_has_not_cost_no_line() {
    let lines = [
        r#"{"carried":NaN,"text":"a"}"#,
        r#"{"x":[-Infinity,1,Infinity],"carried":7,"text":"NaN \"NaN\" \ud83d\ude00"}"#,
        r#"{"text":"a \ud83d b\\ud800 \ude00\ud83d","carried":"\udfff"}"#,
        r#"{"\u0442":NaN,"content":"\ud83d!"}"#,
    ];
    let collected = read_with(lines.join("\n").as_bytes(), &options(100, &["carried"]));
    assert_eq!(collected.rejected, []);
    assert_eq!(
        collected.texts(),
        [
            "a",
            "NaN \"NaN\" \u{1f600}",
            "a \\ud83d b\\ud800 \\ude00\\ud83d",
            "\\ud83d!"
        ]
    );
    let carried: Vec<_> = collected
        .documents
        .iter()
        .map(|found| &found.fields[0].1)
        .collect();
    let half = FieldValue::Text("\\udfff".into());
    assert_eq!(
        carried,
        [
            &FieldValue::Null,
            &FieldValue::Integer(7),
            &half,
            &FieldValue::Null
        ]
    );
    let flags: Vec<_> = collected
        .documents
        .iter()
        .map(|found| found.flags.join(" "))
        .collect();
    assert_eq!(
        flags,
        [
            "not-a-number",
            "not-a-number",
            "malformed-characters",
            "text-in-content not-a-number malformed-characters"
        ]
    );
}
