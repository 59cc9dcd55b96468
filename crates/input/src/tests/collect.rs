//! For tests: a [`Sink`] that keeps what it is given, and pieces read as the engine reads them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use model::Markup;

use decode::{
    document::{CarriedField, Date, Document, Place, Rejection, Sink, SinkError},
    error::InputError,
    options::{FieldNames, Format, LargeRecords, Piece, PieceEnd, ReadOptions, SourceFile},
};

/// A document, owned.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Kept {
    pub(crate) id: Option<String>,
    pub(crate) url: Option<String>,
    pub(crate) date: Option<Date>,
    pub(crate) place: Place,
    pub(crate) row: Option<u64>,
    pub(crate) text: String,
    pub(crate) markup: Markup,
    pub(crate) body: Vec<u8>,
    pub(crate) media_type: String,
    pub(crate) charset: &'static str,
    pub(crate) fields: Vec<CarriedField>,
    pub(crate) flags: Vec<&'static str>,
}

impl Kept {
    pub(crate) fn new(document: &Document<'_>) -> Self {
        Kept {
            id: document.id.map(str::to_owned),
            url: document.url.map(str::to_owned),
            date: document.date,
            place: document.place,
            row: document.row,
            text: document.content.as_str().to_owned(),
            markup: document.content.markup(),
            body: document.body.to_vec(),
            media_type: document.media_type.to_owned(),
            charset: document.charset,
            fields: document.fields.to_vec(),
            flags: document.flags.to_vec(),
        }
    }
}

/// Everything a reader handed on, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Collected {
    pub(crate) documents: Vec<Kept>,
    pub(crate) rejected: Vec<Rejection>,
    pub(crate) skipped: BTreeMap<String, u64>,
}

impl Sink for Collected {
    fn document(&mut self, document: &Document<'_>) -> Result<(), SinkError> {
        self.documents.push(Kept::new(document));
        Ok(())
    }

    fn rejected(&mut self, rejection: Rejection) -> Result<(), SinkError> {
        self.rejected.push(rejection);
        Ok(())
    }

    fn skipped(&mut self, kind: &str) {
        *self.skipped.entry(kind.to_owned()).or_default() += 1;
    }
}

impl Collected {
    pub(crate) fn reasons(&self) -> Vec<&'static str> {
        self.rejected
            .iter()
            .map(|rejection| rejection.reason)
            .collect()
    }

    pub(crate) fn texts(&self) -> Vec<&str> {
        self.documents
            .iter()
            .map(|document| document.text.as_str())
            .collect()
    }

    fn extend(&mut self, other: Collected) {
        self.documents.extend(other.documents);
        self.rejected.extend(other.rejected);
        for (kind, count) in other.skipped {
            *self.skipped.entry(kind).or_default() += count;
        }
    }
}

/// The usual field names, documents of at most `max_document_bytes`, and one carried field for each
/// of `carry`.
pub(crate) fn options(max_document_bytes: u64, carry: &[&str]) -> ReadOptions {
    ReadOptions {
        fields: FieldNames {
            carry: carry.iter().map(|name| (*name).to_owned()).collect(),
            ..FieldNames::default()
        },
        charset: None,
        max_document_bytes,
        max_page_bytes: decode::options::PAGE_BYTES,
        max_expansion: 200,
        max_url_bytes: decode::options::URL_BYTES,
        max_field_bytes: decode::options::FIELD_BYTES,
        large: LargeRecords::default(),
    }
}

/// The file at `path` as a listing would have it.
pub(crate) fn source(path: &Path, format: Format) -> SourceFile {
    SourceFile {
        name: path.file_name().unwrap().to_string_lossy().into_owned(),
        path: path.to_owned(),
        format,
        stat: decode::open_file::stat_at(path).unwrap(),
        sources: Vec::new(),
    }
}

/// Reads the whole file as one piece.
pub(crate) fn read_whole(file: &SourceFile, options: &ReadOptions) -> (Collected, PieceEnd) {
    let mut sink = Collected::default();
    let piece = Piece::whole(0, file.stat.bytes);
    let end = crate::read_piece(file, &piece, None, options, &mut sink).unwrap();
    (sink, end)
}

/// Reads the file cut at `cuts`, each piece on its own, and again from where the one before it
/// ended if its guess does not fit: as the engine does. Digests are compared with those of the
/// bytes.
pub(crate) fn read_in_pieces(
    file: &SourceFile,
    cuts: &[u64],
    options: &ReadOptions,
) -> Result<Collected, InputError> {
    let bytes = fs::read(&file.path).unwrap();
    let mut borders: Vec<u64> = cuts
        .iter()
        .map(|cut| cut % (file.stat.bytes + 1))
        .chain([0, file.stat.bytes])
        .collect();
    borders.sort_unstable();
    borders.dedup();
    let mut all = Collected::default();
    let (mut due, mut lines) = (0, 0);
    for border in borders.windows(2) {
        let piece = Piece {
            file: 0,
            start: border[0],
            end: border[1],
        };
        let mut sink = Collected::default();
        let mut end = crate::read_piece(file, &piece, None, options, &mut sink)?;
        let fits = if due >= piece.end {
            end.first.is_none()
        } else {
            end.first == Some(due)
        };
        if !fits {
            sink = Collected::default();
            end = crate::read_piece(file, &piece, Some(due), options, &mut sink)?;
        }
        assert_eq!(
            end.digest,
            twox_hash::XxHash3_64::oneshot(&bytes[border[0] as usize..border[1] as usize])
        );
        assert!(end.next >= piece.end, "{piece:?} {end:?}");
        // Inside a record that reaches beyond the piece, only the piece in which it begins knows
        // where it ends.
        due = if due >= piece.end { due } else { end.next };
        for document in &mut sink.documents {
            document.row = document.row.map(|row| row + lines);
        }
        lines += end.lines;
        all.extend(sink);
    }
    Ok(all)
}
