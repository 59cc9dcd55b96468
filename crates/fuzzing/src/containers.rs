//! Files: compressed, and of every format.
//!
//! A file that is read in two pieces must give what it gives in one. Compressed bytes that flate2
//! or zstd decode without an error must come out as they do there.

use decode::codec::{Compression, DecodeError, Decompressor, EntryStart};
use decode::expansion::ExpansionLimit;
use decode::options::{FieldNames, Format, LargeRecords, Piece, PieceEnd, ReadOptions, SourceFile};
use decode::range::RangeReader;
use input::{Document, Rejection, Sink, SinkError, read_piece};
use model::Content;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::path::PathBuf;

/// More than this is not decoded by the second implementation.
const DECODED_MAX: u64 = 8 << 20;

/// A directory of this thread alone, which is removed when the thread ends.
pub(crate) fn directory() -> PathBuf {
    thread_local! {
        static DIRECTORY: tempfile::TempDir = tempfile::tempdir().expect("a directory");
    }
    DIRECTORY.with(|directory| directory.path().to_path_buf())
}

/// A temporary file with these bytes, and what a listing would say of it.
pub(crate) fn file(bytes: &[u8], format: Format) -> (tempfile::NamedTempFile, SourceFile) {
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    file.write_all(bytes).expect("written");
    let source = SourceFile {
        name: "fuzzed".to_owned(),
        path: file.path().to_path_buf(),
        format,
        stat: decode::open_file::stat_at(file.path()).expect("a file"),
        sources: Vec::new(),
    };
    (file, source)
}

pub(crate) fn options() -> ReadOptions {
    ReadOptions {
        fields: FieldNames {
            carry: vec!["more".to_owned()],
            ..FieldNames::default()
        },
        charset: None,
        max_document_bytes: 1 << 20,
        max_page_bytes: input::PAGE_BYTES,
        max_expansion: 200,
        max_url_bytes: input::URL_BYTES,
        max_field_bytes: input::FIELD_BYTES,
        large: LargeRecords::default(),
    }
}

/// The result of our decompressor for a file: the bytes, and whether something was damaged.
fn decompressed(bytes: &[u8], compression: Compression) -> (Vec<u8>, bool) {
    let (_kept, source) = file(bytes, Format::Jsonl);
    let input = RangeReader::open(&source, 0, source.stat.bytes).expect("it is there");
    let Ok(decoder) = Decompressor::new(input, compression).expect("read") else {
        return (Vec::new(), true);
    };
    let mut decoder = decoder.bounded(ExpansionLimit::new(200));
    let (mut out, mut all, mut is_damaged) = (vec![0; 1 << 16], Vec::new(), false);
    loop {
        match decoder.read(&mut out) {
            Ok(0) => return (all, is_damaged),
            Ok(read) => all.extend_from_slice(&out[..read]),
            Err(DecodeError::Damaged { .. }) => {
                is_damaged = true;
                let before = decoder.input().position();
                decoder.recover(EntryStart::ANY).expect("read");
                let is_at_end = decoder.input().position() >= source.stat.bytes;
                assert!(
                    is_at_end || decoder.input().position() > 0,
                    "stuck at {before}"
                );
            }
            Err(DecodeError::Input(error)) => panic!("{error}"),
        }
    }
}

/// Bytes that a second implementation decodes to `expected`, without an error.
fn agrees(bytes: &[u8], compression: Compression, expected: &[u8]) {
    let (ours, is_damaged) = decompressed(bytes, compression);
    let expands = expected.len() as u64 > bytes.len() as u64 * 200;
    if expands {
        return;
    }
    assert!(!is_damaged, "the other one sees no damage");
    assert!(ours == expected, "the other one decodes other bytes");
}

pub(crate) fn gzip(bytes: &[u8]) {
    let mut expected = Vec::new();
    let mut other = flate2::bufread::MultiGzDecoder::new(bytes).take(DECODED_MAX);
    match other.read_to_end(&mut expected) {
        Ok(read) if !bytes.is_empty() && (read as u64) < DECODED_MAX => {
            agrees(bytes, Compression::Gzip, &expected);
        }
        _ => drop(decompressed(bytes, Compression::Gzip)),
    }
}

/// The magic of the frame that holds the dictionary of a `.warc.zst`. Other programs pass over it.
const DICTIONARY_MAGIC: &[u8] = &[0x5d, 0x2a, 0x4d, 0x18];

pub(crate) fn zstd(bytes: &[u8]) {
    if bytes.starts_with(DICTIONARY_MAGIC) {
        return drop(decompressed(bytes, Compression::Zstd));
    }
    let mut expected = Vec::new();
    let other = zstd::stream::Decoder::with_buffer(bytes).and_then(|mut other| {
        other.window_log_max(25)?;
        other.take(DECODED_MAX).read_to_end(&mut expected)
    });
    match other {
        Ok(read) if !bytes.is_empty() && (read as u64) < DECODED_MAX => {
            agrees(bytes, Compression::Zstd, &expected);
        }
        _ => drop(decompressed(bytes, Compression::Zstd)),
    }
}

/// Documents and rejections, as text.
#[derive(Default)]
struct Told(Vec<String>);

impl Sink for Told {
    fn document(&mut self, document: &Document<'_>) -> Result<(), SinkError> {
        self.0.push(format!(
            "{:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?}",
            document.id,
            document.url,
            document.date,
            document.place.entry_offset,
            document.place.inner_offset,
            document.content,
            document.media_type,
            document.fields,
        ));
        Ok(())
    }

    fn rejected(&mut self, rejection: Rejection) -> Result<(), SinkError> {
        self.0
            .push(format!("{} {}", rejection.offset, rejection.reason));
        Ok(())
    }

    fn skipped(&mut self, kind: &str) {
        self.0.push(kind.to_owned());
    }
}

fn piece(source: &SourceFile, range: std::ops::Range<u64>, from: Option<u64>) -> (Told, PieceEnd) {
    let piece = Piece {
        file: 0,
        start: range.start,
        end: range.end,
    };
    let mut told = Told::default();
    let end = read_piece(source, &piece, from, &options(), &mut told).expect("it is there");
    (told, end)
}

/// Reads a file in one piece, and, if it is cut into pieces, in two.
fn read(bytes: &[u8], format: Format, is_cut: bool) {
    let (_kept, source) = file(bytes, format);
    let (whole, _) = piece(&source, 0..source.stat.bytes, None);
    // The byte where it is cut comes from the content, so that the fuzzer chooses it.
    let chosen = bytes.iter().fold(7_u64, |sum, &byte| {
        sum.wrapping_mul(31).wrapping_add(byte.into())
    });
    if !is_cut || source.stat.bytes < 2 {
        return;
    }
    let middle = 1 + chosen % (source.stat.bytes - 1);
    let (mut all, first) = piece(&source, 0..middle, None);
    let (mut second, guessed) = piece(&source, middle..source.stat.bytes, None);
    let due = (first.next < source.stat.bytes).then_some(first.next);
    if guessed.first != due {
        second = match due {
            Some(next) => piece(&source, middle..source.stat.bytes, Some(next)).0,
            None => Told::default(),
        };
    }
    all.0.extend(second.0);
    assert_eq!(whole.0, all.0, "cut at {middle}");
}

pub(crate) fn warc(bytes: &[u8]) {
    read(bytes, Format::Warc, true);
}

pub(crate) fn arc(bytes: &[u8]) {
    read(bytes, Format::Arc, true);
}

pub(crate) fn jsonl(bytes: &[u8]) {
    read(bytes, Format::Jsonl, true);
}

pub(crate) fn wacz(bytes: &[u8]) {
    read(bytes, Format::Wacz, false);
}

pub(crate) fn parquet(bytes: &[u8]) {
    // The footer is bounded, what its column chunks claim is not read at once.
    read(bytes, Format::Parquet, false);
}

pub(crate) fn page(bytes: &[u8]) {
    read(bytes, Format::Html, false);
    read(bytes, Format::Text, false);
}

/// One line of JSONL, judged by serde_json.
pub(crate) fn json(bytes: &[u8]) {
    let line: Vec<u8> = bytes
        .iter()
        .copied()
        .filter(|&byte| byte != b'\n')
        .collect();
    let (_kept, source) = file(&line, Format::Jsonl);
    // The texts of documents, and whether lines were mended for them.
    let (mut texts, mut is_mended) = (Vec::new(), false);
    let mut take = |document: &Document<'_>| {
        if let Content::Text(text) = document.content {
            texts.push(text.to_owned());
        }
        let mended = ["not-a-number", "malformed-characters"];
        is_mended |= document.flags.iter().any(|flag| mended.contains(flag));
        Ok(())
    };
    let whole = Piece::whole(0, source.stat.bytes);
    read_piece(&source, &whole, None, &options(), &mut take).expect("it is there");
    if line.starts_with(b"\x1f\x8b") || line.starts_with(b"\x28\xb5\x2f\xfd") {
        return;
    }
    let text = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&line);
    let parsed: Result<BTreeMap<String, &RawValue>, _> = serde_json::from_slice(text);
    match parsed {
        Ok(fields) => {
            let expected = fields
                .get("text")
                .map(|text| serde_json::from_str(text.get()));
            if let (Some(Ok(expected)), [ours]) = (expected, &texts[..]) {
                assert_eq!(*ours, Option::<String>::unwrap_or_default(expected));
            }
        }
        // Text that is no JSON is mended, and flagged.
        Err(error) => assert!(
            texts.is_empty() || is_mended,
            "serde_json refuses it: {error}"
        ),
    }
}
