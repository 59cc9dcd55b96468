//! Rows whose text lies in another column than `text`: read as lines of JSONL are.

use super::*;

const COLUMNS: [&str; 4] = ["text", "content", "body", "html"];

type Row = [Option<String>; COLUMNS.len()];

fn schema() -> String {
    let columns = COLUMNS.map(|name| format!("optional binary {name} (UTF8);"));
    columns.concat()
}

fn columns_of(rows: &[Row]) -> Vec<Values> {
    let column = |column: usize| {
        let values = rows.iter().map(|row| row[column].clone());
        Values::Bytes(values.map(|text| text.map(String::into_bytes)).collect())
    };
    (0..COLUMNS.len()).map(column).collect()
}

fn row(texts: [&str; COLUMNS.len()]) -> Row {
    texts.map(|text| (text != "-").then(|| text.to_owned()))
}

/// The rows as lines of JSONL.
fn as_jsonl(rows: &[Row]) -> Collected {
    let lines = rows.iter().map(|row| {
        let fields = COLUMNS.iter().map(|name| (*name).to_owned()).zip(row);
        let fields: std::collections::BTreeMap<_, _> = fields.collect();
        serde_json::to_string(&fields).unwrap() + "\n"
    });
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.jsonl");
    std::fs::write(&path, lines.collect::<String>()).unwrap();
    read_whole(&source(&path, Format::Jsonl), &options(1 << 20, &[])).0
}

/// The document that a reader makes of a row, wherever it found it.
fn parts(collected: &Collected) -> Vec<(Option<u64>, String, Markup, Vec<&'static str>)> {
    let documents = collected.documents.iter();
    documents
        .map(|one| (one.row, one.text.clone(), one.markup, one.flags.clone()))
        .collect()
}

#[test]
fn a_row_whose_text_is_null_has_that_of_the_next_usual_column() {
    let rows = [
        row(["a", "x", "x", "x"]),
        row(["-", "b", "x", "x"]),
        row([" ", "c", "x", "x"]),
        row(["-", "-", "d", "<p>x"]),
        row(["-", " ", "-", "<p>e"]),
        row(["-", "-", "-", "-"]),
        row(["-", " ", "\t", "-"]),
        row(["f", "-", "-", "-"]),
        row(["", "", "g", "-"]),
    ];
    let content = parquet(&schema(), plain(), &[columns_of(&rows)]);
    let collected = read(&content);
    assert_eq!(
        collected.texts(),
        ["a", "b", "c", "d", "<p>e", " ", "f", "g"]
    );
    assert_eq!(parts(&collected), parts(&as_jsonl(&rows)));
    let found: Vec<_> = collected.documents.iter().map(|one| &one.flags).collect();
    let body: &[&str] = &["text-in-body"];
    let other: &[&str] = &["text-in-content"];
    assert_eq!(found, [&[], other, other, body, &[], other, &[], body]);
    let [rejection] = &collected.rejected[..] else {
        panic!("{collected:?}")
    };
    assert_eq!(rejection.reason, "no-text");
    let told = "row 5: the row has none of text, content, body and html";
    assert_eq!(rejection.detail, told);
    let fixture = fixture(&content);
    for kept in &collected.documents {
        let found = found_at(&fixture, kept);
        assert_eq!(found.as_ref(), Some(kept));
    }
}

fn found_at(fixture: &Fixture, kept: &Kept) -> Option<Kept> {
    found(&fixture.file, kept.place, &options(1 << 20, &[]))
}

/// The bytes of the column `content` of a file, overwritten.
fn with_damaged_content(rows: &[Row]) -> Vec<u8> {
    let properties = plain().set_dictionary_enabled(false);
    let mut content = parquet(&schema(), properties, &[columns_of(rows)]);
    let metadata = parquet::file::metadata::ParquetMetaDataReader::new()
        .parse_and_finish(&bytes::Bytes::from(content.clone()))
        .unwrap();
    let (start, length) = metadata.row_group(0).column(1).byte_range();
    content[start as usize..][..length as usize].fill(0xFF);
    content
}

/// Nobody looks at a column that no row needs, and its damage costs only the rows that need it.
#[test]
fn another_column_is_opened_for_rows_without_text_alone() {
    let full = [row(["a", "x", "-", "-"]), row(["b", "y", "-", "-"])];
    let collected = read(&with_damaged_content(&full));
    assert_eq!(
        (collected.texts(), collected.reasons()),
        (vec!["a", "b"], vec![])
    );
    let rows = [
        row(["a", "x", "-", "-"]),
        row(["-", "y", "-", "-"]),
        row(["b", "z", "-", "-"]),
        row(["-", "z", "-", "-"]),
    ];
    let collected = read(&with_damaged_content(&rows));
    assert_eq!(collected.texts(), ["a", "b"]);
    assert_eq!(collected.reasons(), ["bad-parquet", "bad-parquet"]);
    let details = collected.rejected.iter().map(|one| &one.detail);
    let of_content = |row: &str| format!("row {row}: column \"content\": ");
    for (detail, row) in details.zip(["1", "3"]) {
        assert!(detail.starts_with(&of_content(row)), "{detail}");
    }
}

/// Each column fits, and both together do not.
#[test]
fn pages_that_do_not_fit_beside_each_other_cost_the_rows_that_need_both() {
    let large = |letter: &str| letter.repeat(21 << 20);
    let rows = [
        row([&large("a"), "-", "-", "-"]),
        row(["-", &large("b"), "-", "-"]),
        row(["c", "-", "-", "-"]),
    ];
    let properties = plain()
        .set_dictionary_enabled(false)
        .set_compression(Compression::ZSTD(Default::default()));
    let content = parquet(&schema(), properties, &[columns_of(&rows)]);
    let collected = read_with(&content, &options(32 << 20, &[]));
    assert_eq!(collected.reasons(), ["page-too-large"]);
    let detail = &collected.rejected[0].detail;
    assert!(detail.contains("; raise max-page in [input], or write the file with smaller pages"));
    let lengths: Vec<_> = collected.texts().iter().map(|text| text.len()).collect();
    assert_eq!(lengths, [21 << 20, 1]);
    // Of the same pages both fit where more is allowed.
    let more = ReadOptions {
        max_page_bytes: 64 << 20,
        ..options(32 << 20, &[])
    };
    let collected = read_with(&content, &more);
    assert!(collected.reasons().is_empty() && collected.texts().len() == 3);
}

/// The row group enters the gate when a large page is opened, and its large texts do not again.
#[test]
fn a_large_page_of_another_column_waits_at_the_gate() {
    let large = |letter: &str| letter.repeat(3 << 20);
    let rows = [
        row([&large("a"), "-", "-", "-"]),
        row(["-", &large("b"), "-", "-"]),
        row([&large("c"), "-", "-", "-"]),
    ];
    let properties = plain()
        .set_dictionary_enabled(false)
        .set_data_page_row_count_limit(1);
    let content = parquet(
        &schema(),
        properties.set_write_batch_size(1),
        &[columns_of(&rows)],
    );
    let options = options(32 << 20, &[]);
    let collected = read_with(&content, &options);
    assert_eq!(
        (collected.reasons(), collected.documents.len()),
        (vec![], 3)
    );
    drop(options.large.enter());
}

fn any_row() -> impl Strategy<Value = Row> {
    let text = || prop::option::weighted(0.6, prop_oneof!["[ab]{0,3}", "[ \t]{0,2}", "\\PC{0,40}"]);
    [text(), text(), text(), text()]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// A file says the same whether it is of Parquet or of JSONL, and each row does again.
    #[test]
    fn rows_are_read_as_lines_are(
        rows in prop::collection::vec(any_row(), 1..30),
        page in 20_usize..400,
    ) {
        let properties = plain()
            .set_data_page_size_limit(page)
            .set_write_batch_size(3)
            .set_dictionary_page_size_limit(page);
        let fixture = fixture(&parquet(&schema(), properties, &[columns_of(&rows)]));
        let (whole, _) = read_whole(&fixture.file, &options(1 << 20, &[]));
        let jsonl = as_jsonl(&rows);
        prop_assert_eq!(parts(&whole), parts(&jsonl));
        prop_assert_eq!(whole.reasons(), jsonl.reasons());
        for kept in &whole.documents {
            let found = found_at(&fixture, kept);
            prop_assert_eq!(found.as_ref(), Some(kept));
        }
    }
}
