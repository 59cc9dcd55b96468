//! Documents by number: their rows and files.

use super::Index;
use format::{
    DocumentRow, FieldCell, FormatError, Mark, OF_SOURCE, Row, RowBytes, RowCursor, SourceRow,
};
use input::{FieldValue, Format, Place, SourceFile, objects};
use model::FileStat;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The row of a document in the document table.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredDocument {
    /// Its file, for [`Index::source`].
    pub file: u32,
    /// Record id.
    pub id: Option<String>,
    /// URL.
    pub url: Option<String>,
    /// Title of a page.
    pub title: Option<String>,
    /// Microseconds since 1970.
    pub date: Option<i64>,
    /// Where it lies in its file.
    pub place: Place,
    /// Bytes of the body.
    pub bytes: u64,
    /// Canonical tokens.
    pub words: u64,
    /// Shingle occurrences.
    pub shingles: u64,
    /// Fingerprints in the sketch.
    pub sketch_size: u32,
    /// Modulus of the sketch.
    pub modulus: u32,
    /// Oddities of the record, separated by spaces.
    pub flags: Option<String>,
    /// Carried fields with their names.
    pub fields: Vec<(String, FieldValue)>,
}

/// An input file as it was when it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredSource {
    /// Path relative to its root, as tables show it.
    pub name: String,
    /// Where it was opened, relative to the configuration if it lies below it.
    pub path: PathBuf,
    /// The format it was read as; none if this program no longer knows it.
    pub format: Option<Format>,
    /// Its size, times and inode.
    pub stat: FileStat,
    /// Digest of its bytes, in hex.
    pub digest: String,
    /// The name of the source by whose keys it was read; empty if it is of none.
    pub source: String,
}

impl StoredSource {
    /// As `input` wants it, for a configuration in `base`: with the size and times it had when it
    /// was read, so that reading a file that changed since is refused. None if this program no
    /// longer knows its format.
    pub fn file(&self, base: &Path) -> Option<SourceFile> {
        Some(SourceFile {
            name: self.name.clone(),
            path: objects::joined(base, PathBuf::from(&self.path)),
            format: self.format?,
            stat: self.stat,
            sources: Vec::new(),
        })
    }
}

fn owned(cell: &FieldCell<'_>) -> FieldValue {
    match *cell {
        FieldCell::Null => FieldValue::Null,
        FieldCell::Integer(value) => FieldValue::Integer(value),
        FieldCell::Float(value) => FieldValue::Float(value),
        FieldCell::Text(text) => FieldValue::Text(text.to_owned()),
        FieldCell::Bool(value) => FieldValue::Bool(value),
    }
}

fn skip_source(bytes: &mut RowBytes<'_>) -> Option<()> {
    SourceRow::decode(bytes).map(|_| ())
}

impl Index {
    /// The row of a document.
    ///
    /// # Errors
    /// At damage, and when there is no such document.
    pub fn document(&self, doc: u32) -> Result<StoredDocument, FormatError> {
        self.with_document(&mut RowCursor::default(), doc, |row| StoredDocument {
            file: row.file,
            id: row.id.map(str::to_owned),
            url: row.url.map(str::to_owned),
            title: row.title.map(str::to_owned),
            date: row.date,
            place: Place {
                entry_offset: row.entry_offset,
                inner_offset: row.inner_offset,
                length: row.length,
            },
            bytes: row.bytes,
            words: row.words,
            shingles: row.shingles,
            sketch_size: row.sketch_size,
            modulus: row.modulus,
            flags: row.flags.map(str::to_owned),
            fields: self
                .manifest
                .fields
                .iter()
                .cloned()
                .zip(row.fields.iter().map(owned))
                .collect(),
        })
    }

    /// Calls `f` with the row of a document, which is not copied. Requests in ascending order with
    /// one [`RowCursor`] pass over each row once.
    ///
    /// # Errors
    /// As [`Index::document`].
    pub fn with_document<T>(
        &self,
        cursor: &mut RowCursor,
        doc: u32,
        f: impl FnOnce(&DocumentRow<'_>) -> T,
    ) -> Result<T, FormatError> {
        let first_file = self.ids.span_of(doc).map_or(0, |span| span.first_file);
        self.rows.row(cursor, doc, DocumentRow::skip, |bytes| {
            DocumentRow::decode(bytes).map(|row| {
                f(&DocumentRow {
                    file: first_file.saturating_add(row.file),
                    ..row
                })
            })
        })
    }

    /// The id that a document has in the input.
    ///
    /// # Errors
    /// As [`Index::document`].
    pub fn id(&self, doc: u32) -> Result<Option<String>, FormatError> {
        self.with_document(&mut RowCursor::default(), doc, |row| {
            row.id.map(str::to_owned)
        })
    }

    /// The URL of a document.
    ///
    /// # Errors
    /// As [`Index::document`].
    pub fn url(&self, doc: u32) -> Result<Option<String>, FormatError> {
        self.with_document(&mut RowCursor::default(), doc, |row| {
            row.url.map(str::to_owned)
        })
    }

    /// An input file, by its number.
    ///
    /// # Errors
    /// At damage, and when there is no such file.
    pub fn source(&self, file: u32) -> Result<StoredSource, FormatError> {
        self.sources
            .row(&mut RowCursor::default(), file, skip_source, |bytes| {
                let row = SourceRow::decode(bytes)?;
                let (format, source) = row.format.split_once(OF_SOURCE).unwrap_or((row.format, ""));
                Some(StoredSource {
                    name: row.name.to_owned(),
                    path: PathBuf::from(OsStr::from_bytes(row.path)),
                    format: Format::named(format),
                    stat: row.stat,
                    digest: row.digest.to_owned(),
                    source: source.to_owned(),
                })
            })
    }

    /// The mark of a document: fingerprints of body, tokens and sketch.
    ///
    /// # Errors
    /// At damage, and when there is no such document.
    pub fn mark(&self, doc: u32) -> Result<Mark, FormatError> {
        self.marks.get(self.rows.segment_of(doc)?, doc)
    }
}
