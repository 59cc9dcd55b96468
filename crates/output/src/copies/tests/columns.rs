//! Parquet: all columns, with their types and levels.

use std::sync::Arc;

use parquet::basic::{Compression, ZstdLevel};
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DoubleType, FixedLenByteArray, FixedLenByteArrayType,
    Int32Type, Int64Type,
};
use parquet::file::metadata::{KeyValue, SortingColumn};
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::record::Row;
use parquet::schema::parser::parse_message_type;
use proptest::prelude::*;

use super::{TempCopy, listed, read, rows_without};

const SCHEMA: &str = "
message documents {
  required binary text (STRING);
  optional int64 stamp (TIMESTAMP(MICROS, true));
  required boolean flag;
  optional fixed_len_byte_array(4) digest;
  optional group tags (LIST) { repeated group list { optional binary element (STRING); } }
  optional group place { required double x; optional int32 zone; }
}";

/// A file of these rows, so many to a row group.
fn file(rows: usize, group: usize, codec: Compression) -> Vec<u8> {
    let properties = WriterProperties::builder()
        .set_compression(codec)
        .set_key_value_metadata(Some(vec![KeyValue::new(
            "origin".to_owned(),
            "a test".to_owned(),
        )]))
        .set_data_page_row_count_limit(7)
        .set_write_batch_size(3)
        .build();
    let schema = Arc::new(parse_message_type(SCHEMA).unwrap());
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties)).unwrap();
    let numbers: Vec<usize> = (0..rows).collect();
    for rows in numbers.chunks(group) {
        write_group(&mut writer, rows);
    }
    writer.into_inner().unwrap()
}

fn write_group(writer: &mut SerializedFileWriter<Vec<u8>>, rows: &[usize]) {
    let mut group = writer.next_row_group().unwrap();
    macro_rules! column {
        ($kind:ty, $values:expr, $definitions:expr, $repetitions:expr) => {
            let mut column = group.next_column().unwrap().unwrap();
            column
                .typed::<$kind>()
                .write_batch(&$values, $definitions, $repetitions)
                .unwrap();
            column.close().unwrap();
        };
    }
    let bytes = |text: String| ByteArray::from(text.into_bytes());
    let text: Vec<ByteArray> = rows
        .iter()
        .map(|n| bytes(format!("page {n} of many words")))
        .collect();
    column!(ByteArrayType, text, None, None);
    let levels: Vec<i16> = rows.iter().map(|n| i16::from(n % 3 != 0)).collect();
    let stamps: Vec<i64> = rows
        .iter()
        .filter(|n| *n % 3 != 0)
        .map(|n| *n as i64 * 1_000_003)
        .collect();
    column!(Int64Type, stamps, Some(&levels), None);
    let flags: Vec<bool> = rows.iter().map(|n| n % 2 == 0).collect();
    column!(BoolType, flags, None, None);
    let levels: Vec<i16> = rows.iter().map(|n| i16::from(n % 4 != 0)).collect();
    let digests: Vec<FixedLenByteArray> = rows
        .iter()
        .filter(|n| *n % 4 != 0)
        .map(|n| ByteArray::from((*n as u32).to_le_bytes().to_vec()).into())
        .collect();
    column!(FixedLenByteArrayType, digests, Some(&levels), None);
    // Row n has n mod 4 tags, of which the second is null; row 0 mod 4 has no list at all, or an
    // empty one.
    let (mut tags, mut definitions, mut repetitions) = (Vec::new(), Vec::new(), Vec::new());
    for n in rows {
        match n % 4 {
            0 => {
                definitions.push(i16::from(n % 8 == 0));
                repetitions.push(0);
            }
            count => (0..count).for_each(|tag| {
                definitions.push(if tag == 1 { 2 } else { 3 });
                repetitions.push(i16::from(tag > 0));
                if tag != 1 {
                    tags.push(bytes(format!("tag {n}.{tag}")));
                }
            }),
        }
    }
    column!(ByteArrayType, tags, Some(&definitions), Some(&repetitions));
    let places: Vec<i16> = rows.iter().map(|n| i16::from(n % 5 != 0)).collect();
    let x: Vec<f64> = rows
        .iter()
        .filter(|n| *n % 5 != 0)
        .map(|n| *n as f64 / 7.0)
        .collect();
    column!(DoubleType, x, Some(&places), None);
    let zones: Vec<i16> = rows
        .iter()
        .map(|n| {
            if n % 5 == 0 {
                0
            } else {
                1 + i16::from(n % 2 == 0)
            }
        })
        .collect();
    let zone: Vec<i32> = rows
        .iter()
        .filter(|n| *n % 5 != 0 && *n % 2 == 0)
        .map(|n| *n as i32)
        .collect();
    column!(Int32Type, zone, Some(&zones), None);
    group.close().unwrap();
}

fn rows(bytes: &[u8]) -> Vec<Row> {
    let reader = SerializedFileReader::new(bytes::Bytes::from(bytes.to_vec())).unwrap();
    reader
        .get_row_iter(None)
        .unwrap()
        .map(|row| row.unwrap())
        .collect()
}

fn copied(bytes: &[u8], goes: impl Fn(usize) -> bool) -> Vec<u8> {
    let place = TempCopy::with("x.parquet", bytes);
    let (documents, rejected) = read(&place.path);
    assert!(rejected.is_empty(), "{rejected:?}");
    let removed = documents
        .iter()
        .enumerate()
        .filter(|(at, _)| goes(*at))
        .map(|(_, read)| read.removal)
        .collect();
    rows_without(&listed(&place.path), removed).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    /// Rows that stay have all their values, nulls, lists and groups; schema, metadata and codec
    /// are those of the file.
    #[test]
    fn rows_stay_as_they_are(count in 1usize..200, group in 1usize..80, mask: u64, codec in 0usize..4, all in 0u8..8) {
        let codec = [Compression::UNCOMPRESSED, Compression::SNAPPY, Compression::GZIP(Default::default()),
                     Compression::ZSTD(ZstdLevel::default())][codec];
        let bytes = file(count, group, codec);
        // Often whole row groups stay, or go.
        let goes = |row: usize| match all {
            0 => (row / group).is_multiple_of(2),
            1 => false,
            2 => true,
            _ => mask >> (row % 61) & 1 == 1 && row / group % 3 != 1,
        };
        let copy = copied(&bytes, goes);
        let expected: Vec<Row> = rows(&bytes).into_iter().enumerate().filter(|(row, _)| !goes(*row)).map(|(_, row)| row).collect();
        prop_assert_eq!(rows(&copy), expected);
        let (before, after) = [&bytes, &copy].map(|bytes| {
            let reader = SerializedFileReader::new(bytes::Bytes::from(bytes.clone())).unwrap();
            reader.metadata().clone()
        }).into();
        prop_assert_eq!(before.file_metadata().schema(), after.file_metadata().schema());
        let metadata = after.file_metadata().key_value_metadata().cloned().unwrap_or_default();
        prop_assert!(metadata.iter().any(|entry| entry.key == "origin"));
        for group in after.row_groups() {
            for column in group.columns() {
                prop_assert_eq!(std::mem::discriminant(&column.compression()), std::mem::discriminant(&codec));
            }
        }
    }
}

/// A file of so many row groups, all of this order.
fn sorted_file(groups: i64, order: Option<Vec<SortingColumn>>) -> Vec<u8> {
    let mut all = Vec::new();
    let schema = Arc::new(
        parse_message_type("message d { required binary text (STRING); required int64 n; }")
            .unwrap(),
    );
    let properties = WriterProperties::builder().set_sorting_columns(order);
    let properties = properties.set_key_value_metadata(Some(vec![KeyValue::new(
        "origin".to_owned(),
        "x".to_owned(),
    )]));
    let mut writer =
        SerializedFileWriter::new(&mut all, schema, Arc::new(properties.build())).unwrap();
    for at in 0..groups {
        let mut group = writer.next_row_group().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        let text: Vec<ByteArray> = (0..4)
            .map(|n| format!("page {at} {n}").into_bytes().into())
            .collect();
        column
            .typed::<ByteArrayType>()
            .write_batch(&text, None, None)
            .unwrap();
        column.close().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        column
            .typed::<Int64Type>()
            .write_batch(&[1, 2, 3, 4], None, None)
            .unwrap();
        column.close().unwrap();
        group.close().unwrap();
    }
    writer.close().unwrap();
    all
}

#[test]
fn what_rows_are_sorted_by_is_still_said_of_those_that_stay() {
    let by = |column: i32, descending: bool| SortingColumn {
        column_idx: column,
        descending,
        nulls_first: true,
    };
    for order in [
        None,
        Some(vec![by(1, false)]),
        Some(vec![by(0, true), by(1, false)]),
    ] {
        let bytes = sorted_file(3, order.clone());
        let copy = copied(&bytes, |row| row == 5);
        let reader = SerializedFileReader::new(bytes::Bytes::from(copy)).unwrap();
        let metadata = reader.metadata();
        assert_eq!(metadata.num_row_groups(), 3);
        for group in metadata.row_groups() {
            assert_eq!(group.sorting_columns(), order.as_ref());
        }
        let entries = metadata
            .file_metadata()
            .key_value_metadata()
            .cloned()
            .unwrap_or_default();
        assert!(
            entries
                .iter()
                .any(|entry| entry.key == "origin" && entry.value.as_deref() == Some("x")),
            "{entries:?}"
        );
    }
}

#[test]
fn a_place_where_no_row_is_is_told() {
    let place = TempCopy::with("x.parquet", &file(20, 10, Compression::SNAPPY));
    let (documents, _) = read(&place.path);
    for (rows, bytes) in [(50, 0), (0, 1)] {
        let mut wrong = documents[12].removal;
        wrong.place.inner_offset += rows;
        wrong.place.entry_offset += bytes;
        assert!(rows_without(&listed(&place.path), vec![wrong]).is_err());
    }
}

#[test]
fn damage_in_a_column_that_was_never_read_is_an_error_with_its_name() {
    let bytes = file(40, 40, Compression::ZSTD(ZstdLevel::default()));
    let reader = SerializedFileReader::new(bytes::Bytes::from(bytes.clone())).unwrap();
    let column = reader.metadata().row_group(0).column(5);
    let (start, length) = column.byte_range();
    let mut damaged = bytes.clone();
    damaged[start as usize + length as usize / 2..(start + length) as usize].fill(0xff);
    let place = TempCopy::with("x.parquet", &damaged);
    let (documents, _) = read(&place.path);
    let error = rows_without(&listed(&place.path), vec![documents[3].removal]);
    let text = error.unwrap_err().to_string();
    assert!(
        text.contains("place.x") && text.contains("x.parquet"),
        "{text}"
    );
}
