//! Columns of lists of texts.

use proptest::prelude::*;

use super::*;
use crate::parquet_in::lists::RowPages;
use parquet::basic::Encoding;
use parquet::column::page::Page;

const THREE_LEVELS: &str =
    "optional group features (LIST) { repeated group list { optional binary element (UTF8); } }";
const TWO_LEVELS: &str = "required group features (LIST) { repeated binary array (UTF8); }";

/// A list, or null; its elements, or nulls.
type List = Option<Vec<Option<Vec<u8>>>>;

/// A file of one column with these lists, one a row.
fn file(schema: &str, lists: &[List], page_rows: usize) -> Vec<u8> {
    let schema = Arc::new(parse_message_type(&format!("message m {{ {schema} }}")).unwrap());
    let element = schema.get_fields()[0].get_fields()[0].is_group();
    let (empty, null, value) = if element { (1, 2, 3) } else { (0, 0, 1) };
    let (mut values, mut levels, mut repetitions) = (Vec::new(), Vec::new(), Vec::new());
    for list in lists {
        let elements = list.as_deref().unwrap_or_default();
        if elements.is_empty() {
            levels.push(if list.is_some() { empty } else { 0 });
            repetitions.push(0);
        }
        for (at, text) in elements.iter().enumerate() {
            levels.push(if text.is_some() { value } else { null });
            repetitions.push(i16::from(at > 0));
            values.extend(text.clone().map(ByteArray::from));
        }
    }
    let properties = plain()
        .set_data_page_row_count_limit(page_rows)
        .set_write_batch_size(1);
    let mut writer =
        SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties.build())).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    let ColumnWriter::ByteArrayColumnWriter(texts) = column.untyped() else {
        panic!("a column of texts");
    };
    texts
        .write_batch(&values, Some(&levels), Some(&repetitions))
        .unwrap();
    column.close().unwrap();
    group.close().unwrap();
    writer.into_inner().unwrap()
}

fn features(cap: u64) -> ReadOptions {
    let mut options = options(cap, &[]);
    options.fields.features = Some("features".to_owned());
    options
}

fn list(texts: &[&str]) -> List {
    let texts = texts.iter().map(|text| Some(text.as_bytes().to_vec()));
    Some(texts.collect())
}

#[test]
fn a_list_of_strings_is_a_document_of_tokens() {
    let bad = Some(vec![Some(b"a".to_vec()), None]);
    let lists = [
        list(&["One two", "x"]),
        bad,
        Some(vec![Some(b"\xff".to_vec())]),
        list(&["a\nb"]),
        None,
        list(&[]),
        list(&["much too long"]),
    ];
    let collected = read_with(&file(THREE_LEVELS, &lists, 100), &features(12));
    assert_eq!(collected.texts(), ["One two\nx\n", ""]);
    assert!(
        collected
            .documents
            .iter()
            .all(|document| document.markup == Markup::Features)
    );
    let expected = [
        "bad-field",
        "bad-field",
        "bad-field",
        "no-text",
        "too-large",
    ];
    assert_eq!(collected.reasons(), expected);
    assert!(collected.rejected[0].detail.contains("list of strings"));
}

#[test]
fn a_column_that_is_no_list_of_texts_rejects_the_file() {
    let number = "optional group features (LIST) { repeated group list { optional int32 e; } }";
    let deep = "optional group features { repeated group list { optional group a { repeated binary b; } } }";
    for schema in [number, deep, "optional binary features (UTF8);"] {
        let collected = read_with(&parquet(schema, plain(), &[]), &features(100));
        assert_eq!(collected.reasons(), ["bad-column"], "{schema}");
    }
}

#[test]
fn a_list_that_does_not_fit_is_refused() {
    let row: Vec<String> = (0..300_000).map(|n| format!("{n:040}")).collect();
    let row: Vec<&str> = row.iter().map(String::as_str).collect();
    let content = file(THREE_LEVELS, &[list(&["a"]), list(&row)], 1);
    let collected = read_with(&content, &features(1 << 30));
    assert_eq!(collected.reasons(), ["page-too-large"]);
}

#[test]
fn a_row_over_many_pages_is_refused() {
    let page = |bytes: usize| Page::DataPage {
        buf: vec![0; bytes].into(),
        num_values: 1 << 10,
        encoding: Encoding::PLAIN,
        def_level_encoding: Encoding::RLE,
        rep_level_encoding: Encoding::RLE,
        statistics: None,
    };
    let row = RowPages::default();
    // the first page of a row may have any size; it was measured before
    row.open(&page(30 << 20)).unwrap();
    assert!(row.open(&page(1)).is_err());
    row.begin();
    row.open(&page(4 << 20)).unwrap();
    row.open(&page(3 << 20)).unwrap();
    assert!(row.open(&page(1 << 20)).is_err());
}

proptest! {
    #[test]
    fn lists_are_read_as_they_were_written(
        lists in prop::collection::vec(prop::collection::vec("[a-zé ]{0,6}", 0..5), 1..30),
        has_three: bool, page_rows in 1usize..9,
    ) {
        let written: Vec<List> = lists.iter().map(|texts| list(&texts.iter().map(String::as_str).collect::<Vec<_>>())).collect();
        let schema = if has_three { THREE_LEVELS } else { TWO_LEVELS };
        let content = file(schema, &written, page_rows);
        let collected = read_with(&content, &features(1000));
        let expected: Vec<String> = lists.iter().map(|texts| texts.iter().map(|text| format!("{text}\n")).collect()).collect();
        prop_assert_eq!(collected.texts(), expected);
        let fixture = fixture(&content);
        for document in &collected.documents {
            let found = found(&fixture.file, document.place, &features(1000));
            prop_assert_eq!(found.as_ref(), Some(document));
        }
    }
}

#[test]
fn the_texts_of_lists_and_records_are_carried_where_fields_count_alone() {
    const MESSAGES: &str = "optional group messages (LIST) { repeated group list { optional group \
        element { optional binary role (UTF8); optional binary content (UTF8); } } }";
    let schema = format!(
        "message m {{ {MESSAGES} required binary answer (UTF8); optional group \
        other {{ optional int32 a; optional int32 b; }} }}"
    );
    let schema = Arc::new(parse_message_type(&schema).unwrap());
    let mut writer =
        SerializedFileWriter::new(Vec::new(), schema, Arc::new(plain().build())).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let mut texts = |values: &[&str], levels: &[i16], repetitions: &[i16]| {
        let values: Vec<ByteArray> = values.iter().map(|value| ByteArray::from(*value)).collect();
        let mut column = group.next_column().unwrap().unwrap();
        let ColumnWriter::ByteArrayColumnWriter(texts) = column.untyped() else {
            panic!("a column of texts");
        };
        let levels = (!levels.is_empty()).then_some(levels);
        let repetitions = levels.map(|_| repetitions);
        texts.write_batch(&values, levels, repetitions).unwrap();
        column.close().unwrap();
    };
    texts(&["user", "assistant"], &[4, 4, 0], &[0, 1, 0]);
    texts(&["how?\nso", "so"], &[4, 4, 0], &[0, 1, 0]);
    texts(&["yes", "no"], &[], &[]);
    for _ in 0..2 {
        let mut column = group.next_column().unwrap().unwrap();
        let ColumnWriter::Int32ColumnWriter(numbers) = column.untyped() else {
            panic!("a column of numbers");
        };
        numbers.write_batch(&[], Some(&[0, 0]), None).unwrap();
        column.close().unwrap();
    }
    group.close().unwrap();
    let bytes = writer.into_inner().unwrap();
    let mut options = options(1000, &["messages", "answer", "other", "missing"]);
    options.fields.fields_only = true;
    options.fields.text.clear();
    let collected = read_with(&bytes, &options);
    let rows = collected.documents.iter();
    let rows: Vec<Vec<FieldValue>> = rows
        .map(|row| row.fields.iter().map(|(_, value)| value.clone()).collect())
        .collect();
    let text = |text: &str| FieldValue::Text(text.to_owned());
    let null = || FieldValue::Null;
    assert_eq!(
        rows,
        [
            [text("how?\nso\nso"), text("yes"), null(), null()],
            [null(), text("no"), null(), null()],
        ]
    );
}
