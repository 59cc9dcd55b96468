//! Copies read again: what was not removed is there, as it was, and nothing else.

mod columns;
mod cuts;
mod lines;
mod records;

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use input::{
    CopyLosses, Discovery, Document, DocumentCut, DocumentCuts, FieldNames, InputError,
    LargeRecords, Piece, Place, ReadOptions, Rejection, Removal, Sink, SinkError, SourceFile,
};

use crate::{CopyWriter, copy_parquet};

/// A document as a reader hands it on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Read {
    pub(super) removal: Removal,
    pub(super) text: String,
}

#[derive(Default)]
struct Collected {
    documents: Vec<Read>,
    rejected: Vec<&'static str>,
}

impl Sink for Collected {
    fn document(&mut self, document: &Document<'_>) -> Result<(), SinkError> {
        let record = document.id.map_or(0, input::record_hash);
        let removal = Removal {
            place: document.place,
            record,
        };
        self.documents.push(Read {
            removal,
            text: document.content.as_str().to_owned(),
        });
        Ok(())
    }
    fn rejected(&mut self, rejection: Rejection) -> Result<(), SinkError> {
        self.rejected.push(rejection.reason);
        Ok(())
    }
}

/// Removals from a list.
#[derive(Clone)]
pub(super) struct Listed(pub(super) VecDeque<Removal>);

impl DocumentCuts for Listed {
    fn next(&mut self) -> Result<Option<(Place, DocumentCut)>, SinkError> {
        let next = self.0.pop_front();
        Ok(next.map(|removal| (removal.place, DocumentCut::Record(removal.record))))
    }
}

/// Copies the rows of a Parquet file without these.
pub(super) fn rows_without(
    file: &SourceFile,
    removed: Vec<Removal>,
) -> Result<Vec<u8>, InputError> {
    let listed = Listed(removed.into());
    let open = || Ok(Box::new(listed.clone()) as Box<dyn DocumentCuts>);
    copy_parquet(file, &options(), &open, "", Vec::new())
}

/// A file in a directory of its own.
pub(super) struct TempCopy {
    _dir: tempfile::TempDir,
    pub(super) path: PathBuf,
}

impl TempCopy {
    pub(super) fn with(name: &str, bytes: &[u8]) -> TempCopy {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        TempCopy { _dir: dir, path }
    }
}

pub(super) fn listed(path: &Path) -> SourceFile {
    let paths = vec![path.to_string_lossy().into_owned()];
    let listing = input::discover(&Discovery::of_all(paths, PathBuf::from("/"))).unwrap();
    listing
        .files
        .into_iter()
        .next()
        .unwrap_or_else(|| panic!("{:?}", listing.rejected))
}

pub(super) fn options() -> ReadOptions {
    ReadOptions {
        fields: FieldNames::default(),
        charset: None,
        max_document_bytes: 2 << 20,
        max_page_bytes: input::PAGE_BYTES,
        max_expansion: 2000,
        max_url_bytes: input::URL_BYTES,
        max_field_bytes: input::FIELD_BYTES,
        large: LargeRecords::default(),
    }
}

/// Documents and reasons of rejections.
pub(super) fn read(path: &Path) -> (Vec<Read>, Vec<&'static str>) {
    let file = listed(path);
    let options = options();
    let mut sink = Collected::default();
    input::read_piece(
        &file,
        &Piece::whole(0, file.stat.bytes),
        Some(0),
        &options,
        &mut sink,
    )
    .unwrap();
    (sink.documents, sink.rejected)
}

/// The bytes of a copy without these.
pub(super) fn copy(
    path: &Path,
    removed: Vec<Removal>,
) -> Result<(Vec<u8>, CopyLosses), InputError> {
    let file = listed(path);
    let mut writer = CopyWriter::new(input::packaging(&file)?, Vec::new());
    let copied = input::copy_records(
        &file,
        &mut Listed(removed.into()),
        "",
        &options(),
        &mut writer,
    )?;
    Ok((writer.finish().unwrap(), copied))
}

/// Copies without the documents that the mask names; the copy has to hold the others. Gives it.
pub(super) fn check(place: &TempCopy, removed: impl Fn(usize) -> bool) -> (Vec<u8>, CopyLosses) {
    let (documents, rejected) = read(&place.path);
    let (going, staying): (Vec<_>, Vec<_>) = documents
        .into_iter()
        .enumerate()
        .partition(|(at, _)| removed(*at));
    let nothing_goes = going.is_empty();
    let (bytes, copied) = copy(
        &place.path,
        going.into_iter().map(|(_, read)| read.removal).collect(),
    )
    .unwrap();
    if nothing_goes {
        assert!(
            bytes == std::fs::read(&place.path).unwrap(),
            "nothing goes, and the bytes differ"
        );
    }
    let expected: Vec<String> = staying.into_iter().map(|(_, read)| read.text).collect();
    let name = place.path.file_name().unwrap().to_str().unwrap();
    let again = TempCopy::with(name, &bytes);
    let format = Discovery::of_all(vec![name.to_owned()], again.path.parent().unwrap().into());
    let is_there = input::discover(&format).is_ok_and(|listing| !listing.files.is_empty());
    let (found, rejected_again) = if is_there {
        read(&again.path)
    } else {
        Default::default()
    };
    let found: Vec<String> = found.into_iter().map(|read| read.text).collect();
    let first = found
        .iter()
        .zip(&expected)
        .position(|(found, expected)| found != expected);
    assert!(
        found == expected,
        "{} documents, expected {}; the first that differs: {first:?}",
        found.len(),
        expected.len()
    );
    if copied.lost_bytes == 0 && is_there {
        assert_eq!(rejected_again, rejected, "rejected records stay");
    }
    (bytes, copied)
}

pub(super) fn gzip(content: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

pub(super) fn zstd(content: &[u8], dictionary: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut encoder =
        zstd::stream::write::Encoder::with_dictionary(Vec::new(), 1, dictionary).unwrap();
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

/// A zstd dictionary as `.warc.zst` has it.
pub(super) fn dictionary_frame(dictionary: &[u8]) -> Vec<u8> {
    let mut frame = vec![0x5d, 0x2a, 0x4d, 0x18];
    frame.extend_from_slice(&(dictionary.len() as u32).to_le_bytes());
    frame.extend_from_slice(dictionary);
    frame
}
