//! Copies without parts of their texts.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;
use std::sync::Arc;

use input::{DocumentCut, DocumentCuts, Place, SinkError};
use parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use proptest::prelude::*;

use super::{Read, TempCopy, gzip, listed, options, read, zstd};
use crate::{CopyWriter, copy_parquet};

/// Changes from a list.
#[derive(Clone)]
struct Listed(VecDeque<(Place, DocumentCut)>);

impl DocumentCuts for Listed {
    fn next(&mut self) -> Result<Option<(Place, DocumentCut)>, SinkError> {
        Ok(self.0.pop_front())
    }
}

/// What goes of a document, by its number.
type Cuts = BTreeMap<usize, DocumentCut>;

fn cuts_of(documents: &[Read], cuts: &Cuts) -> Listed {
    let of = |(at, document): (usize, &Read)| {
        let cut = cuts.get(&at)?;
        Some((document.removal.place, cut.clone()))
    };
    Listed(documents.iter().enumerate().filter_map(of).collect())
}

fn expected(documents: &[Read], cuts: &Cuts, marker: &str) -> Vec<String> {
    let mut texts = Vec::new();
    for (at, document) in documents.iter().enumerate() {
        let ranges = match cuts.get(&at) {
            Some(DocumentCut::Whole | DocumentCut::Record(_)) => continue,
            Some(DocumentCut::Parts(ranges)) => ranges.as_slice(),
            None => &[],
        };
        let mut text = Vec::new();
        let keep = |bytes: &[u8]| {
            text.extend_from_slice(bytes);
            Ok(())
        };
        assert!(input::cut_text(&document.text, ranges, marker, keep).unwrap());
        texts.push(String::from_utf8(text).unwrap());
    }
    texts
}

/// Cuts a file; the copy has to hold the texts without these parts. Gives its bytes.
fn check(place: &TempCopy, cuts: &Cuts, marker: &str) -> Vec<u8> {
    let (documents, rejected) = read(&place.path);
    let mut listed_cuts = cuts_of(&documents, cuts);
    let (file, options) = (listed(&place.path), options());
    let name = place.path.file_name().unwrap().to_str().unwrap();
    let bytes = if name.ends_with("parquet") {
        let open = || Ok(Box::new(listed_cuts.clone()) as Box<dyn DocumentCuts>);
        copy_parquet(&file, &options, &open, marker, Vec::new()).unwrap()
    } else {
        let mut writer = CopyWriter::new(input::packaging(&file).unwrap(), Vec::new());
        input::copy_records(&file, &mut listed_cuts, marker, &options, &mut writer).unwrap();
        writer.finish().unwrap()
    };
    let again = TempCopy::with(name, &bytes);
    let (found, rejected_again) = read(&again.path);
    let found: Vec<String> = found.into_iter().map(|read| read.text).collect();
    assert_eq!(found, expected(&documents, cuts, marker));
    assert_eq!(rejected_again, rejected);
    bytes
}

fn part(range: Range<u32>) -> DocumentCut {
    DocumentCut::Parts(Vec::from([range]))
}

fn line(number: usize) -> String {
    format!("{{\"n\":{number},\"text\":\"p\\u0061ge {number} has\\nsome words\",\"x\":[1.0]}}\r\n")
}

#[test]
fn lines_of_every_packaging_are_cut() {
    let lines: Vec<String> = (0..9).map(line).collect();
    let (front, back) = (lines[..4].concat(), lines[4..].concat());
    let text = format!("\u{feff}{front}no json\n\n{back}");
    let without_end = text.trim_end().to_owned();
    let cuts = Cuts::from([
        (0, DocumentCut::Parts(vec![0..4, 7..10])),
        (2, DocumentCut::Whole),
        (3, part(11..15)),
        (8, part(7..21)),
    ]);
    for text in [&text, &without_end] {
        let plain = check(&TempCopy::with("a.jsonl", text.as_bytes()), &cuts, "");
        let cut = text.replace("p\\u0061ge 0 has", " 0 ");
        let cut = cut
            .replace(&lines[2], "")
            .replace("ge 3 has\\nsome", "ge 3 has\\n");
        let cut = cut.replace("p\\u0061ge 8 has\\nsome words", "p\\u0061ge 8 ");
        assert_eq!(String::from_utf8(plain).unwrap(), cut);
        check(
            &TempCopy::with("a.jsonl", text.as_bytes()),
            &cuts,
            "\"[…]\\",
        );
        let (one, two) = text.as_bytes().split_at(70);
        check(
            &TempCopy::with("a.jsonl.gz", &gzip(text.as_bytes())),
            &cuts,
            "",
        );
        check(
            &TempCopy::with("a.jsonl.gz", &[gzip(one), gzip(two)].concat()),
            &cuts,
            "-",
        );
        check(
            &TempCopy::with("a.jsonl.zst", &[zstd(one, b""), zstd(two, b"")].concat()),
            &cuts,
            "",
        );
    }
}

/// A line may be longer than the blocks that are decoded at a time.
#[test]
fn long_lines_are_cut() {
    let text = "word ".repeat(300_000);
    let long = format!("{{\"text\":\"{text}\"}}\n");
    let content = [line(0), long, line(1)].concat();
    let cuts = Cuts::from([(1, part(3..1_400_000)), (2, part(0..4))]);
    check(&TempCopy::with("a.jsonl", content.as_bytes()), &cuts, "");
    check(
        &TempCopy::with("a.jsonl.gz", &gzip(content.as_bytes())),
        &cuts,
        "",
    );
}

#[test]
fn a_text_keeps_its_encoding() {
    let cuts = Cuts::from([(0, part(6..10))]);
    let cut = |bytes: &[u8]| check(&TempCopy::with("a.txt", bytes), &cuts, "");
    assert_eq!(
        cut(b"\xef\xbb\xbfGr\xc3\xbc\xc3\x9fe alle\n"),
        b"\xef\xbb\xbfGr\xc3\xbc\xc3\x9fe \n"
    );
    let latin = b"na\xefve caf\xe9 cr\xe8me br\xfbl\xe9e d\xe9j\xe0 vu \xe0 la carte\n";
    let mut expected = latin.to_vec();
    expected.drain(6..10);
    let cuts = Cuts::from([(0, part(6..10))]);
    assert_eq!(check(&TempCopy::with("a.txt", latin), &cuts, ""), expected);
    // Bytes that are no characters become text, and UTF-16 becomes UTF-8.
    let cuts = Cuts::from([(0, part(0..3))]);
    let many = "ü".repeat(400);
    let odd = [b"one \xff ", many.as_bytes()].concat();
    let odd = check(&TempCopy::with("a.txt", &odd), &cuts, "");
    assert_eq!(String::from_utf8(odd).unwrap(), format!(" \\xff {many}"));
    let wide: Vec<u8> = "\u{feff}one two"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    assert_eq!(check(&TempCopy::with("a.txt", &wide), &cuts, ""), b" two");
    check(&TempCopy::with("a.txt.gz", &gzip(b"one two")), &cuts, "");
}

const SCHEMA: &str = "
message documents {
  required int64 number;
  optional binary content (STRING);
  optional binary text (STRING);
}";

/// Rows whose text is in `text`, or in `content` where there are two columns.
fn rows(count: usize, group: usize, has_two: bool) -> Vec<u8> {
    let schema = match has_two {
        true => SCHEMA.to_owned(),
        false => SCHEMA.replace("content", "other"),
    };
    let schema = Arc::new(parse_message_type(&schema).unwrap());
    let properties = Arc::new(
        WriterProperties::builder()
            .set_data_page_row_count_limit(5)
            .build(),
    );
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, properties).unwrap();
    let numbers: Vec<usize> = (0..count).collect();
    for numbers in numbers.chunks(group) {
        let mut group = writer.next_row_group().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        let values: Vec<i64> = numbers.iter().map(|n| *n as i64).collect();
        column
            .typed::<Int64Type>()
            .write_batch(&values, None, None)
            .unwrap();
        column.close().unwrap();
        for is_text in [false, true] {
            // Where both have values, the text is in `text`.
            let has = |n: &usize| {
                if is_text {
                    !has_two || !n.is_multiple_of(3)
                } else {
                    n % 3 != 1
                }
            };
            let levels: Vec<i16> = numbers.iter().map(|n| i16::from(has(n))).collect();
            let value = |n: &usize| ByteArray::from(format!("page {n} of wörds").into_bytes());
            let values: Vec<ByteArray> = numbers.iter().filter(|n| has(n)).map(value).collect();
            let mut column = group.next_column().unwrap().unwrap();
            column
                .typed::<ByteArrayType>()
                .write_batch(&values, Some(&levels), None)
                .unwrap();
            column.close().unwrap();
        }
        group.close().unwrap();
    }
    writer.into_inner().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn rows_are_cut_in_the_column_that_was_read(
        has_two in any::<bool>(),
        group in 1..12_usize,
        chosen in prop::collection::btree_map(0..20_usize, prop::option::of(0..10_u32), 0..12),
    ) {
        let cut = |begin: Option<u32>| begin.map_or(DocumentCut::Whole, |begin| part(begin..begin + 3));
        let cuts: Cuts = chosen.into_iter().map(|(row, begin)| (row, cut(begin))).collect();
        let source = rows(20, group, has_two);
        let copy = check(&TempCopy::with("a.parquet", &source), &cuts, "");
        let table = |bytes: Vec<u8>| {
            let reader = SerializedFileReader::new(bytes::Bytes::from(bytes)).unwrap();
            let rows: Vec<_> = reader.get_row_iter(None).unwrap().map(Result::unwrap).collect();
            rows
        };
        let left = (0..20).filter(|row| cuts.get(row) != Some(&DocumentCut::Whole));
        let (before, after) = (table(source), table(copy));
        // The number stays, and so does the other text.
        for (row, copied) in left.zip(&after) {
            let other = if row % 3 == 0 && has_two { 2 } else { 1 };
            for column in [0, other] {
                let [before, after] = [&before[row], copied]
                    .map(|row| row.get_column_iter().nth(column).unwrap().1.clone());
                prop_assert_eq!(before, after);
            }
        }
    }
}
