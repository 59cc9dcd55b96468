//! The output of a reader: documents, rejections, skipped records.

use model::{Content, record};

/// Where a record lies in its file, so that it can be found and read again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Byte of the file where decoding can start: gzip member, zstd frame, row group, or the record
    /// itself.
    pub entry_offset: u64,
    /// Byte (or row) of the record after decoding from there; 0 where the record starts the entry.
    pub inner_offset: u64,
    /// Bytes of the record after decompression (WARC: header and block; JSONL: the line; Parquet:
    /// 0; trees: the file).
    pub length: u64,
}

record! { Place { entry_offset, inner_offset, length } }

impl Place {
    /// The two numbers that no other record of the file has.
    pub fn start(&self) -> (u64, u64) {
        (self.entry_offset, self.inner_offset)
    }

    /// The problem with a record, and where the record lies within its entry.
    pub fn within_entry(&self, detail: String) -> String {
        match (self.inner_offset, self.length) {
            (row, 0) => format!("row {row}: {detail}"),
            (0, _) => detail,
            (inner, _) => format!("{detail} (at byte {inner} after decompression)"),
        }
    }
}

/// Microseconds since 1970-01-01T00:00:00Z.
pub type Date = i64;

/// The flag of a document whose `url` is of another type than a URL can have.
pub const URL_NOT_TEXT: &str = "url-not-text";
/// The flag of a document whose `id` is of another type than an id can have.
pub const ID_NOT_TEXT: &str = "id-not-text";
/// The flag of a document whose URL has more than `max-url`; the reason of such a revisit.
pub const URL_TOO_LONG: &str = "url-too-long";
/// The flag of a document of which a carried field has more than `max-field`.
pub const FIELD_TOO_LONG: &str = "field-too-long";
/// The reason of a record whose id has more than `max-field`.
pub const ID_TOO_LONG: &str = "id-too-long";

/// A carried field of JSONL or Parquet.
#[derive(Clone, Debug, PartialEq)]
pub enum FieldValue {
    /// Absent or null.
    Null,
    /// A whole number.
    Integer(i64),
    /// Any other number.
    Float(f64),
    /// Text, or the JSON of an array or object.
    Text(String),
    /// True or false.
    Bool(bool),
}

/// A field name of `carry-fields` with its value in this document; in the order of the
/// configuration, all present.
pub type CarriedField = (String, FieldValue);

/// One document, borrowed from the reader's buffers for the time of one [`Sink::document`] call.
#[derive(Clone, Copy, Debug)]
pub struct Document<'a> {
    /// WARC-Record-ID without the angle brackets, or the value of `id-field` as text.
    pub id: Option<&'a str>,
    /// WARC-Target-URI without angle brackets, the value of `url-field`, or the relative path of a
    /// tree's page.
    pub url: Option<&'a str>,
    /// WARC-Date, or the value of `date-field` (RFC 3339 text, or a number of seconds); `None` if
    /// absent or impossible.
    pub date: Option<Date>,
    /// Where it lies.
    pub place: Place,
    /// Its line, from 0: of the file, or of the piece if the file is plain JSONL; its row in a
    /// Parquet file. `None` for other formats, and behind damage.
    pub row: Option<u64>,
    /// Key of its WARC-Payload-Digest: that of a digest is the same however it is spelt.
    pub payload: Option<u128>,
    /// The decoded text.
    pub content: Content<'a>,
    /// The body after transfer and content decoding, before the charset is decoded.
    pub body: &'a [u8],
    /// Effective media type, lowercase: `text/html`, `application/xhtml+xml`, `text/plain`.
    pub media_type: &'a str,
    /// Effective charset, the WHATWG name: `UTF-8`, `windows-1252`, …
    pub charset: &'static str,
    /// Carried fields.
    pub fields: &'a [CarriedField],
    /// Things worth counting that cost the record nothing: `truncated`, `chunked-header-lied`,
    /// `charset-detected`, ….
    pub flags: &'a [&'static str],
}

/// A record that says that its body is that of another one: WARC `revisit`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Revisit<'a> {
    /// As [`Document::id`].
    pub id: Option<&'a str>,
    /// As [`Document::url`].
    pub url: Option<&'a str>,
    /// As [`Document::date`].
    pub date: Option<Date>,
    /// Where it lies itself.
    pub place: Place,
    /// As [`Document::payload`].
    pub payload: Option<u128>,
    /// Id of the record it refers to.
    pub refers_to_id: Option<&'a str>,
    /// URL of that record.
    pub refers_to_url: Option<&'a str>,
    /// Date of that record.
    pub refers_to_date: Option<Date>,
}

impl Revisit<'_> {
    /// Its rejection by a sink that has no body for it.
    pub fn unresolved(&self) -> Rejection {
        Rejection {
            url: self.url.map(str::to_owned),
            ..Rejection::new(self.place.entry_offset, UNRESOLVED_REVISIT, String::new())
        }
    }
}

/// Reason of a revisit that is no document: nothing is there that it could refer to.
pub const UNRESOLVED_REVISIT: &str = "unresolved-revisit";

/// Why a record or a file cannot be used: a stable word for counting, and the exact problem for a
/// person.
pub type Refusal = (&'static str, String);

/// A record that cannot be used, or bytes that are no record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejection {
    /// Byte of the file where the record or the damage begins.
    pub offset: u64,
    /// The URL, if it was known by then.
    pub url: Option<String>,
    /// A stable word for counting: `not-found`, `unresolved-revisit`, `too-large`, `bad-json`, ….
    pub reason: &'static str,
    /// The exact problem, for a person; empty if the reason says it all.
    pub detail: String,
    /// The records that are lost by it: more than 1 where rows of Parquet are lost together.
    pub records: u64,
}

/// Bytes of a work file that a rejection takes besides its texts.
const REJECTION_BYTES: usize = 64;

impl Rejection {
    /// That of one record without a known URL.
    pub fn new(offset: u64, reason: &'static str, detail: String) -> Rejection {
        Rejection {
            offset,
            url: None,
            reason,
            detail,
            records: 1,
        }
    }

    /// Bytes of a work file that it takes, and some.
    pub fn stored_bytes(&self) -> u64 {
        let url = self.url.as_ref().map_or(0, String::len);
        (REJECTION_BYTES + url + self.reason.len() + self.detail.len()) as u64
    }
}

/// An error of the receiver, handed through by the reader.
pub type SinkError = Box<dyn std::error::Error + Send + Sync>;

/// Receives the records of a piece, in file order.
pub trait Sink {
    /// A usable document.
    ///
    /// # Errors
    /// Whatever stops the receiver (a full disk, an interrupt); the reader stops and hands it on.
    fn document(&mut self, document: &Document<'_>) -> Result<(), SinkError>;
    /// A record whose body is that of another one. A sink that does not look for the other rejects
    /// it.
    fn revisit(&mut self, revisit: &Revisit<'_>) -> Result<(), SinkError> {
        self.rejected(revisit.unresolved())
    }
    /// A record not used. A sink that counts no records passes over it.
    fn rejected(&mut self, _rejection: Rejection) -> Result<(), SinkError> {
        Ok(())
    }
    /// A record that is not a page by its type (`request`, `metadata`, `warcinfo`, …).
    fn skipped(&mut self, _kind: &str) {}
}

/// A function takes the documents.
impl<F: FnMut(&Document<'_>) -> Result<(), SinkError>> Sink for F {
    fn document(&mut self, document: &Document<'_>) -> Result<(), SinkError> {
        self(document)
    }
}
