//! Parquet: files made in code, good and bad, each with its outcome.

mod damage;
mod expansion;
mod large_pages;
mod lists;
mod other_texts;

use std::path::PathBuf;
use std::sync::Arc;

use parquet::basic::{Compression, Encoding};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::{ByteArray, FixedLenByteArray, Int96};
use parquet::file::properties::{WriterProperties, WriterPropertiesBuilder, WriterVersion};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::ColumnPath;
use proptest::prelude::*;

use crate::tests::collect::{Collected, Kept, options, read_in_pieces, read_whole, source};
use crate::{PlaceContent, read_document_at};
use decode::{
    document::{FieldValue, Place},
    options::{Format, ReadOptions, SourceFile},
};
use model::Markup;

/// Values of one column; `None` is null.
#[derive(Clone, Debug)]
enum Values {
    Bytes(Vec<Option<Vec<u8>>>),
    Bool(Vec<Option<bool>>),
    Int32(Vec<Option<i32>>),
    Int64(Vec<Option<i64>>),
    Int96(Vec<Option<[u32; 3]>>),
    Double(Vec<Option<f64>>),
    Fixed(Vec<Option<[u8; 4]>>),
}

fn texts(texts: &[&str]) -> Values {
    Values::Bytes(
        texts
            .iter()
            .map(|text| Some(text.as_bytes().to_vec()))
            .collect(),
    )
}

/// Writes a file whose columns are all `optional`, described by `schema`, with these row groups.
fn parquet(schema: &str, properties: WriterPropertiesBuilder, groups: &[Vec<Values>]) -> Vec<u8> {
    let schema = Arc::new(parse_message_type(&format!("message m {{ {schema} }}")).unwrap());
    let mut writer =
        SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties.build())).unwrap();
    for columns in groups {
        let mut group = writer.next_row_group().unwrap();
        for values in columns {
            let mut column = group.next_column().unwrap().unwrap();
            write(column.untyped(), values);
            column.close().unwrap();
        }
        group.close().unwrap();
    }
    writer.into_inner().unwrap()
}

fn write(column: &mut ColumnWriter<'_>, values: &Values) {
    fn levels<T>(values: &[Option<T>]) -> Vec<i16> {
        values
            .iter()
            .map(|value| i16::from(value.is_some()))
            .collect()
    }
    macro_rules! write {
        ($writer:ident, $values:ident, $into:expr) => {{
            let present: Vec<_> = $values.iter().flatten().cloned().map($into).collect();
            $writer
                .write_batch(&present, Some(&levels($values)), None)
                .unwrap();
        }};
    }
    match (column, values) {
        (ColumnWriter::ByteArrayColumnWriter(writer), Values::Bytes(values)) => {
            write!(writer, values, ByteArray::from);
        }
        (ColumnWriter::BoolColumnWriter(writer), Values::Bool(values)) => {
            write!(writer, values, |v| v);
        }
        (ColumnWriter::Int32ColumnWriter(writer), Values::Int32(values)) => {
            write!(writer, values, |v| v);
        }
        (ColumnWriter::Int64ColumnWriter(writer), Values::Int64(values)) => {
            write!(writer, values, |v| v);
        }
        (ColumnWriter::DoubleColumnWriter(writer), Values::Double(values)) => {
            write!(writer, values, |v| v);
        }
        (ColumnWriter::Int96ColumnWriter(writer), Values::Int96(values)) => {
            write!(writer, values, |v: [u32; 3]| Int96::from(v.to_vec()));
        }
        (ColumnWriter::FixedLenByteArrayColumnWriter(writer), Values::Fixed(values)) => {
            write!(writer, values, |v: [u8; 4]| FixedLenByteArray::from(
                v.to_vec()
            ));
        }
        _ => panic!("values do not fit the column"),
    };
}

struct Fixture {
    _directory: tempfile::TempDir,
    file: SourceFile,
}

fn fixture(content: &[u8]) -> Fixture {
    let directory = tempfile::tempdir().unwrap();
    let path: PathBuf = directory.path().join("x.parquet");
    std::fs::write(&path, content).unwrap();
    Fixture {
        file: source(&path, Format::Parquet),
        _directory: directory,
    }
}

fn read_with(content: &[u8], options: &ReadOptions) -> Collected {
    read_whole(&fixture(content).file, options).0
}

fn read(content: &[u8]) -> Collected {
    read_with(content, &options(1 << 20, &[]))
}

fn plain() -> WriterPropertiesBuilder {
    WriterProperties::builder()
}

const TEXT: &str = "optional binary text (UTF8);";

#[test]
fn a_row_becomes_a_document() {
    let schema = "optional binary text (UTF8); optional binary html; optional int64 id; optional binary url (UTF8);
        optional int64 date (TIMESTAMP_MICROS); optional int32 other; optional boolean b; optional double f;
        optional int64 u (UINT_64); optional int32 w (UINT_32); optional int96 j;";
    let groups = [vec![
        Values::Bytes(vec![Some(b"a".to_vec()), None, None, Some("é".into())]),
        Values::Bytes(vec![
            Some(b"<p>".to_vec()),
            Some(b"<b>".to_vec()),
            None,
            None,
        ]),
        Values::Int64(vec![Some(-7), None, None, Some(i64::MAX)]),
        Values::Bytes(vec![
            Some(b"http://x/".to_vec()),
            None,
            Some(b"u".to_vec()),
            None,
        ]),
        Values::Int64(vec![Some(1_500_000), None, None, Some(-1)]),
        Values::Int32(vec![Some(3), None, None, Some(4)]),
        Values::Bool(vec![Some(true), None, None, Some(false)]),
        Values::Double(vec![Some(0.5), None, None, Some(2.0)]),
        Values::Int64(vec![Some(-1), None, None, Some(5)]),
        Values::Int32(vec![Some(-1), None, None, Some(5)]),
        Values::Int96(vec![Some([1_000_000, 0, 2_440_589]), None, None, None]),
    ]];
    let names = ["b", "f", "missing", "u", "w", "j", "url"];
    let collected = read_with(&parquet(schema, plain(), &groups), &options(100, &names));
    assert_eq!(collected.texts(), ["a", "<b>", "é"]);
    assert_eq!(collected.reasons(), ["no-text"]);
    assert_eq!(collected.rejected[0].url.as_deref(), Some("u"));
    let [first, second, third] = &collected.documents[..] else {
        panic!("{collected:?}")
    };
    assert_eq!(
        (first.id.as_deref(), first.url.as_deref(), first.date),
        (Some("-7"), Some("http://x/"), Some(1_500_000))
    );
    assert_eq!(
        (
            second.id.as_deref(),
            second.url.as_deref(),
            second.date,
            second.markup
        ),
        (None, None, None, Markup::Html)
    );
    assert_eq!(
        (third.id.as_deref(), third.date),
        (Some("9223372036854775807"), Some(-1))
    );
    assert_eq!(
        [first, second, third].map(|kept| (kept.place.entry_offset, kept.place.inner_offset)),
        [(4, 0), (4, 1), (4, 3)]
    );
    assert_eq!(
        (
            second.media_type.as_str(),
            third.media_type.as_str(),
            third.charset
        ),
        ("text/html", "text/plain", "UTF-8")
    );
    let expected = [
        FieldValue::Bool(true),
        FieldValue::Float(0.5),
        FieldValue::Null,
        FieldValue::Float(u64::MAX as f64),
        FieldValue::Integer(u32::MAX.into()),
        FieldValue::Integer(86_400_000_000 + 1_000),
        FieldValue::Text("http://x/".to_owned()),
    ];
    assert_eq!(
        first.fields,
        names
            .iter()
            .map(|name| (*name).to_owned())
            .zip(expected)
            .collect::<Vec<_>>()
    );
    assert!(
        second
            .fields
            .iter()
            .all(|(_, value)| *value == FieldValue::Null)
    );
}

#[test]
fn dates_come_in_many_types() {
    let cases: Vec<(&str, Values, Option<i64>)> = vec![
        (
            "int64 date (TIMESTAMP_MILLIS)",
            Values::Int64(vec![Some(1_500)]),
            Some(1_500_000),
        ),
        (
            "int64 date (TIMESTAMP(NANOS,true))",
            Values::Int64(vec![Some(-1_500)]),
            Some(-2),
        ),
        (
            "int64 date (TIMESTAMP(MICROS,false))",
            Values::Int64(vec![Some(7)]),
            Some(7),
        ),
        ("int64 date", Values::Int64(vec![Some(2)]), Some(2_000_000)),
        (
            "int64 date",
            Values::Int64(vec![Some(1_700_000_000_000)]),
            Some(1_700_000_000_000_000),
        ),
        (
            "int64 date (TIMESTAMP(MICROS,true))",
            Values::Int64(vec![Some(i64::MAX)]),
            None,
        ),
        ("int32 date", Values::Int32(vec![Some(2)]), Some(2_000_000)),
        (
            "int32 date (DATE)",
            Values::Int32(vec![Some(1)]),
            Some(86_400_000_000),
        ),
        (
            "double date",
            Values::Double(vec![Some(0.5)]),
            Some(500_000),
        ),
        ("double date", Values::Double(vec![Some(f64::NAN)]), None),
        (
            "int96 date",
            Values::Int96(vec![Some([0, 0, 2_440_588])]),
            Some(0),
        ),
        (
            "int96 date",
            Values::Int96(vec![Some([0, 0, u32::MAX])]),
            None,
        ),
        (
            "binary date (UTF8)",
            texts(&["1970-01-01T00:00:01Z"]),
            Some(1_000_000),
        ),
        (
            "binary date",
            Values::Bytes(vec![Some(b"\xff".to_vec())]),
            None,
        ),
    ];
    for (column, values, expected) in cases {
        let content = parquet(
            &format!("{TEXT} optional {column};"),
            plain(),
            &[vec![texts(&["a"]), values]],
        );
        let document = &read(&content).documents[0];
        assert_eq!(document.date, expected, "{column}");
        let flags: &[&str] = match expected {
            Some(_) => &[],
            None => &["impossible-date"],
        };
        assert_eq!(document.flags, flags, "{column}");
    }
}

/// A file without a column `text` may have its text under another usual name.
#[test]
fn the_first_usual_column_has_the_text_if_none_is_configured() {
    let usual = |names: &[&str]| {
        let schema: String = names
            .iter()
            .map(|name| format!("optional binary {name} (UTF8);"))
            .collect();
        let columns = names.iter().map(|name| texts(&[name])).collect();
        let (collected, _) = read_whole(
            &fixture(&parquet(&schema, plain(), &[columns])).file,
            &options(100, &[]),
        );
        let found = collected.documents.iter().map(|document| {
            let is_html = document.markup == Markup::Html;
            format!("{} {is_html} {:?}", document.text, document.flags)
        });
        let rejected = collected.rejected.iter().map(|one| one.detail.clone());
        found.chain(rejected).collect::<Vec<_>>().concat()
    };
    assert_eq!(usual(&["html", "content", "text"]), "text false []");
    assert_eq!(
        usual(&["body", "html", "markdown"]),
        "markdown false [\"text-in-markdown\"]"
    );
    assert_eq!(usual(&["html", "title"]), "html true []");
    assert_eq!(
        usual(&["title", "page"]),
        "expected a field text, content, raw_content, markdown, body or html; \
         set text-field in [input] to one of title, page"
    );
}

/// Items 57 and 60: columns that cannot serve.
#[test]
fn an_id_a_url_and_a_date_of_other_types_cost_the_text_nothing() {
    let schema = "optional binary text; optional fixed_len_byte_array(4) id; \
                  optional int32 url; optional boolean date;";
    let columns = vec![
        texts(&["a"]),
        Values::Fixed(vec![Some(*b"abcd")]),
        Values::Int32(vec![Some(1)]),
        Values::Bool(vec![Some(true)]),
    ];
    let document = &read(&parquet(schema, plain(), &[columns])).documents[0];
    assert_eq!(
        (&document.id, &document.url, document.date),
        (&None, &None, None)
    );
    assert_eq!(
        document.flags,
        ["url-not-text", "id-not-text", "impossible-date"]
    );
}

#[test]
fn an_id_and_a_url_that_are_no_utf8_cost_the_text_nothing() {
    let schema = "optional binary text (UTF8); optional binary id; optional binary url (UTF8);";
    let bytes = |values: [&[u8]; 4]| {
        Values::Bytes(
            values
                .map(|value| Some(value.to_vec()))
                .into_iter()
                .collect(),
        )
    };
    let columns = vec![
        texts(&["a", "b", "c", "d"]),
        bytes([b"1", b"\xff", b"3", b"\xe9"]),
        bytes([b"u1", b"u2", b"\xff/", b"\xff"]),
    ];
    let collected = read(&parquet(schema, plain(), &[columns]));
    assert_eq!(collected.texts(), ["a", "b", "c", "d"]);
    let found = collected.documents.iter().map(|document| {
        let (id, url) = (document.id.as_deref(), document.url.as_deref());
        (id, url, &document.flags[..])
    });
    let expected: [(_, _, &[&str]); 4] = [
        (Some("1"), Some("u1"), &[]),
        (None, Some("u2"), &["id-not-text"]),
        (Some("3"), None, &["url-not-text"]),
        (None, None, &["url-not-text", "id-not-text"]),
    ];
    assert_eq!(found.collect::<Vec<_>>(), expected);
}

#[test]
fn columns_of_other_types_reject_the_file() {
    let fixed = || Values::Fixed(vec![Some(*b"abcd")]);
    let one = || Values::Int32(vec![Some(1)]);
    let cases: Vec<(&str, Vec<Values>, &str, &str)> = vec![
        ("optional int32 text;", vec![one()], "bad-column", "text"),
        (
            "optional fixed_len_byte_array(4) text;",
            vec![fixed()],
            "bad-column",
            "text",
        ),
        (
            "optional binary title (UTF8);",
            vec![texts(&["a"])],
            "no-text-column",
            "title",
        ),
        (
            "optional binary Text (UTF8);",
            vec![texts(&["a"])],
            "no-text-column",
            "Text",
        ),
    ];
    for (schema, columns, reason, named) in cases {
        let collected = read(&parquet(schema, plain(), &[columns]));
        assert_eq!(
            (collected.reasons(), collected.documents.len()),
            (vec![reason], 0),
            "{schema}"
        );
        assert!(
            collected.rejected[0].detail.contains(named),
            "{:?}",
            collected.rejected[0]
        );
    }
    for nested in [
        "repeated binary text;",
        "optional group text { optional binary x; }",
    ] {
        let collected = read(&parquet(nested, plain(), &[]));
        assert_eq!(collected.reasons(), ["bad-column"], "{nested}");
    }
    // A column that is not asked for may be anything.
    let other = format!("{TEXT} optional group x {{ repeated binary y; }}");
    assert_eq!(read(&parquet(&other, plain(), &[])), Collected::default());
}

/// The encoding that pyarrow writes for a column without a value.
#[test]
fn a_column_of_the_type_of_nulls_counts_as_missing() {
    let schema = "optional int32 text (UNKNOWN); optional int32 url (UNKNOWN); \
                  optional binary content (UTF8);";
    let nothing = || Values::Int32(vec![None]);
    let columns = vec![nothing(), nothing(), texts(&["a"])];
    let collected = read(&parquet(schema, plain(), &[columns]));
    assert_eq!(collected.texts(), ["a"]);
    assert_eq!(collected.documents[0].flags, ["text-in-content"]);
}

#[test]
fn bad_rows_cost_only_themselves() {
    let values = vec![
        Some(b"a".to_vec()),
        Some(b"\xff".to_vec()),
        Some(vec![b'x'; 11]),
        None,
        Some(vec![]),
        Some(b"b".to_vec()),
    ];
    let collected = read_with(
        &parquet(TEXT, plain(), &[vec![Values::Bytes(values)]]),
        &options(10, &[]),
    );
    assert_eq!(collected.texts(), ["a", "", "b"]);
    assert_eq!(collected.reasons(), ["bad-utf8", "too-large", "no-text"]);
    assert!(collected.rejected[0].detail.starts_with("row 1:"));
}

/// Item 59.
#[test]
fn files_without_rows_and_with_many_row_groups() {
    assert_eq!(read(&parquet(TEXT, plain(), &[])), Collected::default());
    assert_eq!(
        read(&parquet(TEXT, plain(), &[vec![texts(&[])]])),
        Collected::default()
    );
    let groups: Vec<_> = (0..3000)
        .map(|i| vec![texts(&[&format!("text {i}")])])
        .collect();
    let fixture = fixture(&parquet(TEXT, plain(), &groups));
    let options = options(100, &[]);
    let (whole, _) = read_whole(&fixture.file, &options);
    assert_eq!(whole.documents.len(), 3000);
    let cuts: Vec<u64> = (0..20).map(|i| i * 9_973).collect();
    assert_eq!(
        read_in_pieces(&fixture.file, &cuts, &options).unwrap(),
        whole
    );
}

#[derive(Clone, Debug)]
struct Layout {
    properties: WriterPropertiesBuilder,
    groups: Vec<Vec<Option<String>>>,
}

fn layout() -> impl Strategy<Value = Layout> {
    let codec = prop_oneof![
        Just(Compression::UNCOMPRESSED),
        Just(Compression::SNAPPY),
        Just(Compression::GZIP(Default::default())),
        Just(Compression::ZSTD(Default::default())),
    ];
    let encoding = prop_oneof![
        Just(None),
        Just(Some(Encoding::PLAIN)),
        Just(Some(Encoding::DELTA_LENGTH_BYTE_ARRAY)),
        Just(Some(Encoding::DELTA_BYTE_ARRAY)),
    ];
    let text = prop::option::weighted(0.9, prop_oneof!["[ab]{0,3}", "\\PC{0,200}"]);
    let groups = prop::collection::vec(prop::collection::vec(text, 0..40), 0..6);
    (codec, encoding, groups, any::<bool>(), 20usize..2000).prop_map(
        |(codec, encoding, groups, two, page)| {
            let version = if two {
                WriterVersion::PARQUET_2_0
            } else {
                WriterVersion::PARQUET_1_0
            };
            let properties = plain().set_compression(codec).set_writer_version(version);
            let properties = properties
                .set_data_page_size_limit(page)
                .set_write_batch_size(3)
                .set_dictionary_page_size_limit(page);
            let properties = match encoding {
                None => properties,
                Some(encoding) => properties
                    .set_dictionary_enabled(false)
                    .set_column_encoding(ColumnPath::from("text"), encoding),
            };
            Layout { properties, groups }
        },
    )
}

fn written(layout: &Layout) -> Vec<u8> {
    let groups: Vec<_> = layout
        .groups
        .iter()
        .map(|texts| {
            let values = texts
                .iter()
                .map(|text| text.as_ref().map(|text| text.clone().into_bytes()))
                .collect();
            vec![
                Values::Int32(vec![Some(1); texts.len()]),
                Values::Bytes(values),
            ]
        })
        .collect();
    parquet(
        &format!("optional int32 x; {TEXT}"),
        layout.properties.clone(),
        &groups,
    )
}

fn found(file: &SourceFile, place: Place, options: &ReadOptions) -> Option<Kept> {
    let mut kept = None;
    let found = read_document_at(file, &place, options, &mut |document| {
        kept = Some(Kept::new(document));
    })
    .unwrap();
    assert_eq!(found == PlaceContent::Document, kept.is_some());
    kept
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// Whatever codec, encoding, version and page size: the rows, in pieces as in one, and each
    /// again by its place.
    #[test]
    fn rows_come_back(layout in layout(), cuts in prop::collection::vec(any::<u64>(), 0..6)) {
        let fixture = fixture(&written(&layout));
        let options = options(10_000, &["x"]);
        let (whole, _) = read_whole(&fixture.file, &options);
        let expected: Vec<_> = layout.groups.iter().flatten().flatten().map(String::as_str).collect();
        prop_assert_eq!(whole.texts(), expected);
        let rows: Vec<_> = whole.documents.iter().map(|kept| kept.row).collect();
        let texts = layout.groups.iter().flatten();
        let with_text = (0..).zip(texts).filter(|(_, text)| text.is_some()).map(|(row, _)| Some(row));
        prop_assert_eq!(rows, with_text.collect::<Vec<_>>());
        prop_assert!(whole.reasons().iter().all(|reason| *reason == "no-text"));
        prop_assert_eq!(&read_in_pieces(&fixture.file, &cuts, &options).unwrap(), &whole);
        for kept in whole.documents.iter().step_by(17) {
            let found = found(&fixture.file, kept.place, &options);
            prop_assert_eq!(found.as_ref(), Some(kept));
        }
    }
}
