//! `pipeline decontaminate`: what of the references is an item, and what is refused.

use crate::decontaminate::{found, lines, place, table, words};
use serde_json::{Value, json};
use std::fs;

#[test]
fn a_reference_that_cannot_be_read_or_has_no_item_is_an_error() {
    let place = place();
    place.write("broken.jsonl", "{\"question\":\n");
    place.write("other.jsonl", "{\"id\":1,\"claim\":\"a b c\"}\n");
    place.write("short.jsonl", "{\"question\":\"why not?\"}\n");
    place.write("empty.jsonl", "");
    place.write("broken.parquet", "PAR1");
    for (reference, code, text) in [
        ("missing.jsonl", 2, "failed to read the references"),
        ("nothing/*.jsonl", 2, "failed to read the references"),
        (
            "broken.jsonl",
            3,
            "none of its records is an item: 1 because of bad-json, the first at byte 0",
        ),
        ("other.jsonl", 3, "name its fields with --fields"),
        ("short.jsonl", 3, "fewer than 13 words; lower --least"),
        ("empty.jsonl", 3, "failed to read reference"),
        ("broken.parquet", 3, "failed to read reference"),
    ] {
        for references in [&[reference][..], &["bench.jsonl", reference]] {
            let called = [&["decontaminate"], references, &["--", "crawl"]].concat();
            let ran = place.pipeline(&called);
            ran.exits(code);
            ran.says(text);
        }
    }
    let called = [
        "decontaminate",
        "bench.jsonl",
        "--set",
        "work.memory=16MiB",
        "--",
        "crawl",
    ];
    place.pipeline(&called).exits(4);
}

#[test]
fn fields_messages_and_texts_are_items() {
    let place = place();
    let text = |number: u32| words(number, 20);
    place.write(
        "refs/chat.jsonl",
        lines(&[json!({"messages": [
            {"role": "user", "content": text(0)}, {"role": "assistant", "content": text(1)},
        ]})]),
    );
    place.write(
        "refs/arc.jsonl",
        lines(&[
            json!({"question": text(2), "choices": {
                "text": [text(90), text(91)], "label": ["A", "B"],
            }}),
            json!({"question": "too short"}),
            json!({"label": 7}),
        ]),
    );
    place.write("refs/book.txt", text(3));
    let called = [
        "decontaminate",
        "refs",
        "--table",
        "found.parquet",
        "--json",
        "--",
        "crawl",
    ];
    let ran = place.pipeline(&called);
    ran.exits(0);
    let outcome = ran.json();
    assert_eq!(outcome["contaminated"], 4);
    let left_out = |at: usize| &outcome["references"][at]["left_out"];
    let one = |id: &str| json!({"records": 1, "named": [id]});
    let expected = json!({"too-short": one("1"), "without-field": one("2")});
    assert_eq!((left_out(0), left_out(1)), (&expected, &json!({})));
    let rows = table(&place, "found.parquet");
    let of = |row: &Value| {
        (
            row["doc_id"].clone(),
            row["item"].clone(),
            row["field"].clone(),
        )
    };
    let rows: Vec<_> = rows.iter().map(of).collect();
    // of the chat, one turn stands in each of two documents
    assert_eq!(
        rows,
        [
            (json!(0), json!("0"), json!("messages")),
            (json!(3), json!("0"), json!("messages")),
            (json!(6), json!("0"), json!("question")),
            (json!(9), json!("book.txt"), json!("text")),
        ]
    );
    let named = [
        "decontaminate",
        "refs/chat.jsonl",
        "--fields",
        "messages",
        "--min",
        "0.5",
        "--json",
        "--",
        "crawl",
    ];
    assert_eq!(place.pipeline(&named).json()["contaminated"], 2);
    let item_texts = |row: &Value| row["item_text"].clone();
    let texts: Vec<Value> = table(&place, "found.parquet")
        .iter()
        .map(item_texts)
        .collect();
    assert_eq!(texts[..2], [json!(text(0)), json!(text(1))]);
}

#[test]
fn a_reference_of_which_a_part_is_lost_is_an_error() {
    let place = place();
    let text = fs::read(place.path("bench.jsonl"))
        .expect("a reference")
        .repeat(50);
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut packed, &text).expect("packed");
    let packed = packed.finish().expect("packed");
    place.write("cut/half.jsonl.gz", &packed[..packed.len() / 2]);
    let ran = place.pipeline(&["decontaminate", "cut", "--", "crawl"]);
    ran.exits(3);
    ran.says("failed to read reference cut/half.jsonl.gz: truncated at");
}

#[test]
fn fields_that_no_reference_has_are_refused() {
    let place = place();
    for (fields, text) in [
        ("question,anwser", "no record has a field anwser"),
        ("question,", "--fields has an empty name"),
    ] {
        let called = [
            "decontaminate",
            "bench.jsonl",
            "--fields",
            fields,
            "--",
            "crawl",
        ];
        let ran = place.pipeline(&called);
        ran.exits(2);
        ran.says(text);
    }
}

#[test]
fn a_field_within_a_field_is_named_with_a_dot() {
    let place = place();
    let row = |at: u32| json!({"data": [{"question": words(at, 20), "text": words(90 + at, 20)}]});
    place.write("bench.jsonl", lines(&(0..20).map(row).collect::<Vec<_>>()));
    let outcome = found(&place, &["--fields", "data.question"]);
    assert_eq!(outcome["contaminated"], 20);
    assert_eq!(outcome["examples"][0]["field"], "data.question");
}

#[test]
fn equal_items_are_searched_for_once() {
    let place = place();
    // quadratic without: as many items as places at which each of them stands
    let row = |id: usize| json!({"id": id, "question": words(0, 20)});
    place.write(
        "bench.jsonl",
        lines(&(0..2000).map(row).collect::<Vec<_>>()),
    );
    let text = [&*words(0, 20), "and"].join(" ").repeat(2000);
    place.write("crawl/a.jsonl", lines(&[json!({"text": text})]));
    let outcome = found(&place, &[]);
    let reference = &outcome["references"][0];
    assert_eq!(
        (&reference["items"], &outcome["stretches"]),
        (&json!(1), &json!(2000))
    );
    assert_eq!(reference["left_out"]["repeated"]["records"], 1999);
}
