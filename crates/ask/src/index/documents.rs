//! Documents by number: their rows and files.

use super::Index;
use format::{DocumentRow, EncodedRow, FormatError, Mark, OF_SOURCE, RowCursor, SourceRow};
use input::{Format, SourceFile, objects};
use model::FileStat;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

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

impl Index {
    /// The names of the carried fields, in the order of [`DocumentRow::fields`].
    pub fn field_names(&self) -> &[String] {
        &self.manifest.fields
    }

    /// Calls `f` with the row of a document.
    pub fn document<T>(
        &self,
        doc: u32,
        f: impl FnOnce(&DocumentRow<'_>) -> T,
    ) -> Result<T, FormatError> {
        self.with_document(&mut RowCursor::default(), doc, f)
    }

    /// Calls `f` with the row of a document, which is not copied. Requests in ascending order with
    /// one [`RowCursor`] pass over each row once.
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

    /// The id that a document has in the input, and its URL.
    pub fn names(&self, doc: u32) -> Result<(Option<String>, Option<String>), FormatError> {
        let text = |text: Option<&str>| text.map(str::to_owned);
        self.document(doc, |row| (text(row.id), text(row.url)))
    }

    /// The URL of a document.
    pub fn url(&self, doc: u32) -> Result<Option<String>, FormatError> {
        self.document(doc, |row| row.url.map(str::to_owned))
    }

    /// An input file, by its number.
    pub fn source(&self, file: u32) -> Result<StoredSource, FormatError> {
        self.sources.row(
            &mut RowCursor::default(),
            file,
            |bytes| SourceRow::decode(bytes).map(drop),
            |bytes| {
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
            },
        )
    }

    /// The mark of a document: fingerprints of body, tokens and sketch.
    pub fn mark(&self, doc: u32) -> Result<Mark, FormatError> {
        self.marks.get(self.rows.segment_of(doc)?, doc)
    }
}
