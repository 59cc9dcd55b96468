//! The files, pieces and options that the readers take.

use model::Unpoisoned;
use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};

use crate::charset::Charset;
use model::FileStat;

/// The format a file really has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// WARC 1.0/1.1 (and WET, which is WARC with `conversion` records), plain, gzip or zstd.
    Warc,
    /// ARC 1.0, 1.1 and 2.0, plain, gzip or zstd.
    Arc,
    /// WACZ: a zip file of WARC files.
    Wacz,
    /// One JSON object a line, plain, gzip or zstd.
    Jsonl,
    /// Apache Parquet.
    Parquet,
    /// One HTML page a file.
    Html,
    /// One plain text a file.
    Text,
}

impl Format {
    /// All there are.
    pub const ALL: [Format; 7] = [
        Format::Warc,
        Format::Arc,
        Format::Wacz,
        Format::Jsonl,
        Format::Parquet,
        Format::Html,
        Format::Text,
    ];

    /// As configurations, manifests, lists and indexes spell it.
    pub fn name(self) -> &'static str {
        match self {
            Format::Warc => "warc",
            Format::Arc => "arc",
            Format::Wacz => "wacz",
            Format::Jsonl => "jsonl",
            Format::Parquet => "parquet",
            Format::Html => "html",
            Format::Text => "text",
        }
    }

    /// The format that is spelt so.
    pub fn named(name: &str) -> Option<Format> {
        Format::ALL.into_iter().find(|format| format.name() == name)
    }
}

/// `format` of the configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FormatChoice {
    /// By content first, then by name, for each file.
    Auto,
    /// Every file is of this format. `wet` and `warc` are the same reader.
    Only(Format),
}

/// The name of the field that holds the text, if none is configured.
const TEXT_FIELD: &str = "text";

/// Names under which other programs write the text of a page, in the order in which they are looked
/// for; each with the flag of a document that has its text there.
pub const USUAL_TEXT_FIELDS: [(&str, &str); 4] = [
    ("content", "text-in-content"),
    ("raw_content", "text-in-raw_content"),
    ("markdown", "text-in-markdown"),
    ("body", "text-in-body"),
];

/// Names of the fields of JSONL and Parquet records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldNames {
    /// `id-field`.
    pub id: String,
    /// `text-field`: plain text. Where it is `text` and there is no such field, the first of
    /// [`USUAL_TEXT_FIELDS`] counts.
    pub text: String,
    /// `html-field`: HTML; used where the text field is absent.
    pub html: String,
    /// `features-field`: a list of strings that are tokens; used before the others.
    pub features: Option<String>,
    /// `url-field`.
    pub url: String,
    /// `date-field`.
    pub date: String,
    /// `carry-fields`.
    pub carry: Vec<String>,
    /// Whether a record counts for its carried fields alone: it needs no text, and of a column of
    /// lists or records, the texts in it are carried.
    pub fields_only: bool,
    /// The source of the file that is read: messages name its keys instead of those of `[input]`.
    pub source: Option<String>,
}

/// The field of a record within a field that has its text, the first that is there: of messages,
/// answers to choose from, and questions.
pub const TEXTS_WITHIN: [&str; 4] = ["content", "value", "text", "stem"];

/// Records above this size take the [`LargeRecords`] gate, so that only one reader at a time holds
/// one.
pub const LARGE_RECORD_BYTES: usize = 1 << 20;

/// The gate through which large records pass one at a time, over all threads. Clones share the
/// gate.
#[derive(Clone, Debug, Default)]
pub struct LargeRecords(Arc<Mutex<Vec<u8>>>);

impl LargeRecords {
    /// Waits until no other reader holds a large record. Keep the guard until the record's buffers
    /// are small again. Frees the buffer that an earlier reader left: beside the buffers of this
    /// record it would be a second large one.
    pub fn enter(&self) -> MutexGuard<'_, Vec<u8>> {
        let mut guard = self.enter_with_buffer();
        *guard = Vec::new();
        guard
    }

    /// As [`LargeRecords::enter`], but with the large buffer that an earlier reader left, if any.
    pub fn enter_with_buffer(&self) -> MutexGuard<'_, Vec<u8>> {
        self.0.lock().unpoisoned()
    }
}

impl Default for FieldNames {
    /// The names of the default configuration.
    fn default() -> FieldNames {
        let [html, id, url, date] = ["html", "id", "url", "date"].map(str::to_owned);
        FieldNames {
            id,
            text: TEXT_FIELD.to_owned(),
            html,
            features: None,
            url,
            date,
            carry: Vec::new(),
            fields_only: false,
            source: None,
        }
    }
}

impl FieldNames {
    /// The names of the fields that may hold the text besides `text`, with their flags: none if
    /// another field is configured. HTML that is configured under such a name stays HTML.
    pub fn usual_text(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let usual = USUAL_TEXT_FIELDS.into_iter();
        usual.filter(|(name, _)| self.text == TEXT_FIELD && *name != self.html)
    }

    /// The name of the field that has the text of a document with these flags.
    pub fn text_of(&self, flags: &[&str]) -> &str {
        let other = self.usual_text().find(|(_, flag)| flags.contains(flag));
        other.map_or(&*self.text, |(name, _)| name)
    }

    /// Advice if a document has none of the fields that may hold text or HTML; `found` are its
    /// fields of strings.
    pub fn text_advice(&self, found: &[&str]) -> String {
        let usual = self.usual_text().map(|(name, _)| name);
        let names: Vec<&str> = std::iter::once(&*self.text).chain(usual).collect();
        let (names, html) = (names.join(", "), &self.html);
        let advice = self.text_field_advice(found);
        format!("expected a field {names} or {html}; {advice}")
    }

    /// Advice if the text is in none of the fields where it is looked for; `found` are those
    /// of strings.
    pub fn text_field_advice(&self, found: &[&str]) -> String {
        let fields = found.join(", ");
        match (&self.source, fields.as_str()) {
            (_, "") => "no field holds a string".to_owned(),
            (None, _) => format!("set text-field in [input] to one of {fields}"),
            (Some(source), _) => {
                format!("set text-field of {source:?} in [[input.source]] to one of {fields}")
            }
        }
    }
}

/// The bytes that the pages of a row group of Parquet may take unless said otherwise. A run takes
/// so much beyond its budget, as it does not grow with the input; so all runs refuse the same.
pub const PAGE_BYTES: u64 = 40 << 20;

/// Bytes of a URL unless said otherwise. Servers refuse longer ones.
pub const URL_BYTES: u64 = 64 << 10;

/// Bytes of an id or a carried field unless said otherwise, and the most that can be said of these
/// and of URLs: each is held several times at once where tables are written.
pub const FIELD_BYTES: u64 = 1 << 20;

/// All carried fields of a document may have the bytes of so many of the largest.
pub const CARRIED_FIELDS_MAX: u64 = 4;

/// How to read.
#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// Field names of JSONL and Parquet.
    pub fields: FieldNames,
    /// The encoding of all pages but those of JSONL and Parquet, whatever they and their headers
    /// say.
    pub charset: Option<Charset>,
    /// Larger documents, after decoding, are rejected.
    pub max_document_bytes: u64,
    /// Bytes that the pages of a row group of Parquet may take at once. One that needs more is
    /// rejected.
    pub max_page_bytes: u64,
    /// Bytes that a gzip member, a zstd frame or a row group of Parquet may expand to, for each
    /// compressed one; the rest of it is given up.
    pub max_expansion: u32,
    /// Bytes of a URL; a document with a longer one has none.
    pub max_url_bytes: u64,
    /// Bytes of an id or a carried field. A record with a longer id is rejected, and a longer
    /// carried field is null.
    pub max_field_bytes: u64,
    /// The gate for large records, one for all threads of a run.
    pub large: LargeRecords,
}

impl ReadOptions {
    /// The options for a file: with the field names and the charset of its source.
    pub fn of(&self, file: &SourceFile) -> Cow<'_, ReadOptions> {
        match file.reading() {
            Some(source) => Cow::Owned(ReadOptions {
                fields: FieldNames {
                    source: Some(source.name.clone()),
                    ..source.fields.clone()
                },
                charset: source.charset,
                ..self.clone()
            }),
            None => Cow::Borrowed(self),
        }
    }
}

/// A named part of the input: `[[input.source]]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedSource {
    /// Its name.
    pub name: String,
    /// The format of its files.
    pub format: FormatChoice,
    /// Field names of its JSONL and Parquet files.
    pub fields: FieldNames,
    /// The encoding of its other files, if it is said.
    pub charset: Option<Charset>,
    /// Whether its files are read otherwise than the rest of the input.
    pub is_read_otherwise: bool,
}

/// A file of the input, as listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Path relative to its root, with `/` between parts; bytes that are no UTF-8 are written
    /// `\xNN`. What tables show.
    pub name: String,
    /// Where to open it.
    pub path: PathBuf,
    /// Its format.
    pub format: Format,
    /// Size, times and inode when listed.
    pub stat: FileStat,
    /// The sources whose paths list it, in the order of the configuration.
    pub sources: Vec<Arc<NamedSource>>,
}

impl SourceFile {
    /// The source by whose keys it is read; the last one, if several list it.
    pub fn reading(&self) -> Option<&NamedSource> {
        self.sources.last().map(Arc::as_ref)
    }

    /// How it is read, in a word: its format, and the source whose keys differ from those of the
    /// rest of the input, if it is of one.
    pub fn format_name(&self) -> String {
        self.format.name().to_owned() + &self.whose_keys()
    }

    /// Whose keys it is read by, behind its format: ` of NAME` for a source whose keys differ from
    /// those of the rest of the input, else nothing.
    pub fn whose_keys(&self) -> String {
        let source = self.reading().filter(|source| source.is_read_otherwise);
        source.map_or_else(String::new, |source| format!(" of {}", source.name))
    }

    /// Whether a source of this name lists it.
    pub fn is_of(&self, source: &str) -> bool {
        self.sources.iter().any(|one| one.name == source)
    }
}

/// A byte range of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Index into the list of files.
    pub file: u32,
    /// First byte.
    pub start: u64,
    /// One past the last byte. A record that begins before `end` belongs to this piece, wherever it
    /// ends.
    pub end: u64,
}

impl Piece {
    /// All bytes of a file.
    pub fn whole(file: u32, bytes: u64) -> Piece {
        Piece {
            file,
            start: 0,
            end: bytes,
        }
    }
}

/// Pieces that are worked on together, in order: one task of one thread, one set of work files.
pub type InputSegment = Vec<Piece>;

/// Where the records of a piece really began and ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PieceEnd {
    /// Where this piece took its first record to begin (`None`: no record begins in it).
    pub first: Option<u64>,
    /// Where the record after the last one begins (or the end of the file): at or after
    /// `piece.end`.
    pub next: u64,
    /// Lines from the first to the next record, in JSONL; 0 in other formats.
    pub lines: u64,
    /// XXH3-64 of the bytes `start..end` of the file, seen while reading.
    pub digest: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_is_known_by_its_name() {
        for format in Format::ALL {
            assert_eq!(Format::named(format.name()), Some(format));
            assert_eq!(format.name(), format!("{format:?}").to_lowercase());
        }
        assert_eq!(Format::named("tar"), None);
    }
}
