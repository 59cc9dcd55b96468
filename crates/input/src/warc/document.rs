//! A record's body → [`Document`].
//!
//! *Input.* A whole record in the [`EntryWindow`]. *Output.* One call of the sink. *Algorithm.*
//! Chunks are undone in place; content codings into a buffer of their own, upon which the record
//! gives up its bytes; then the type is checked against the first bytes and the characters are
//! decoded. *Memory.* The body and its text; before that, the record and the body.

use std::ops::Range;

use model::{Content, Markup};

use decode::charset::{self, Charset, Declared};
use decode::http::coding::{self, Output};
use decode::http::{Body, HTML, TEXT, XHTML, chunked, sniff};
use decode::{
    document::{Document, Place, Refusal, Rejection, Revisit, Sink},
    error::InputError,
    options::{LARGE_RECORD_BYTES, ReadOptions},
};

use super::header::{self, RecordHeader};
use super::window::{EntryWindow, Gate};

/// A record with a sound header.
pub(crate) struct WarcRecord {
    /// The header.
    pub(crate) header: RecordHeader,
    /// Its bytes, with the blank line.
    pub(crate) header_bytes: usize,
    /// Where it lies; `length` is header and block.
    pub(crate) place: Place,
}

impl WarcRecord {
    /// Its rejection.
    pub(crate) fn rejection(&self, reason: &'static str, detail: String) -> Rejection {
        Rejection {
            url: self.header.url.clone(),
            ..Rejection::new(self.place.entry_offset, reason, detail)
        }
    }
}

/// Where records go.
pub(crate) struct RecordOutlet<'a> {
    /// How to read.
    pub(crate) options: &'a ReadOptions,
    /// For large records.
    pub(crate) gate: Gate<'a>,
    /// The receiver.
    pub(crate) sink: &'a mut dyn Sink,
}

impl RecordOutlet<'_> {
    /// Bytes that a body may have.
    fn cap(&self) -> usize {
        usize::try_from(self.options.max_document_bytes).unwrap_or(usize::MAX)
    }

    /// Tells the sink of something that is not used.
    pub(crate) fn reject(&mut self, rejection: Rejection) -> Result<(), InputError> {
        self.sink.rejected(rejection).map_err(InputError::Sink)
    }

    /// Hands on a record whose body is that of another one.
    pub(crate) fn revisit(&mut self, record: &WarcRecord, header: &[u8]) -> Result<(), InputError> {
        let refers_to_id = header::first_text(header, "WARC-Refers-To");
        let refers_to_url = header::first_text(header, "WARC-Refers-To-Target-URI");
        let revisit = Revisit {
            id: record.header.id.as_deref(),
            url: record.header.url.as_deref(),
            date: record.header.date,
            place: record.place,
            payload: record.header.payload,
            refers_to_id: refers_to_id.as_deref(),
            refers_to_url: refers_to_url.as_deref(),
            refers_to_date: header::first_date(header, "WARC-Refers-To-Date"),
        };
        self.sink.revisit(&revisit).map_err(InputError::Sink)
    }

    /// Reads the body of a record that is complete in the window, and gives up its bytes.
    pub(crate) fn read_body(
        &mut self,
        mut record: WarcRecord,
        body: &Body,
        window: &mut EntryWindow,
    ) -> Result<(), InputError> {
        let mut flags = std::mem::take(&mut record.header.flags);
        let from = record.header_bytes + body.head_bytes;
        let record_bytes = record.place.length as usize;
        let mut to = record_bytes;
        let is_undeclared =
            !body.chunked && body.head_bytes > 0 && chunked::is_complete(&window.bytes()[from..to]);
        flags.extend(is_undeclared.then_some(chunked::UNDECLARED));
        if body.chunked || is_undeclared {
            let (length, flag) = chunked::undo(&mut window.bytes_mut()[from..to]);
            to = from + length;
            flags.extend(flag);
        }
        let cap = self.cap();
        let undone = self.undo_codings(&record, body, from..to, window, &mut flags);
        let outcome = match undone {
            Err(coding::CodingRefusal::TooLarge) => Err(too_large(cap)),
            Err(coding::CodingRefusal::TooFar) => {
                Err(window.source.body_refusal(record.place.length))
            }
            Err(coding::CodingRefusal::Bad(detail)) => Err(("bad-content-encoding", detail)),
            Ok(None) => self.hand_on(&record, body, &window.bytes()[from..to], flags)?,
            Ok(Some(decoded)) => {
                window.consume(record_bytes);
                window.relax();
                let outcome = self.hand_on(&record, body, &decoded, flags)?;
                return self.settle(&record, outcome);
            }
        };
        window.consume(record_bytes);
        self.settle(&record, outcome)
    }

    /// Undoes the content codings of a body, as far as its entry may expand.
    fn undo_codings(
        &mut self,
        record: &WarcRecord,
        body: &Body,
        range: Range<usize>,
        window: &mut EntryWindow,
        flags: &mut Vec<&'static str>,
    ) -> Result<Option<Vec<u8>>, coding::CodingRefusal> {
        let (cap, gate) = (self.cap(), &mut self.gate);
        let room = window.source.body_room(record.place.length);
        let mut output = Output {
            cap,
            room,
            growing: &mut |bytes| gate.need(bytes),
        };
        let undone = coding::undo(&body.codings, &window.bytes()[range], &mut output, flags);
        let left = output.room;
        let made = room.saturating_sub(left);
        window.source.count_body(record.place.length, made);
        undone
    }

    fn settle(
        &mut self,
        record: &WarcRecord,
        outcome: Result<(), Refusal>,
    ) -> Result<(), InputError> {
        match outcome {
            Ok(()) => Ok(()),
            Err((reason, detail)) => self.reject(record.rejection(reason, detail)),
        }
    }

    /// The decoded body to the sink, unless it is no page after all.
    fn hand_on(
        &mut self,
        record: &WarcRecord,
        body: &Body,
        bytes: &[u8],
        mut flags: Vec<&'static str>,
    ) -> Result<Result<(), Refusal>, InputError> {
        let cap = self.cap();
        let declared = body.media_type.as_ref();
        let charset = declared.and_then(|media_type| media_type.charset.as_deref());
        let media_type = match declared {
            _ if bytes.is_empty() => return Ok(Err(("empty", String::new()))),
            _ if bytes.len() > cap => return Ok(Err(too_large(cap))),
            Some(media_type) => &*media_type.essence,
            None if sniff::looks_like_html(bytes) => HTML,
            None => return Ok(Err(("no-content-type", String::new()))),
        };
        let forced = self.options.charset;
        let charset = forced.map(Charset::name).or(charset);
        if let Some(kind) = sniff::binary_kind(bytes, charset) {
            return Ok(Err(("binary", kind.to_owned())));
        }
        // A byte becomes up to four; valid UTF-8 is not copied.
        if 4 * bytes.len() > LARGE_RECORD_BYTES && !charset::is_utf8(bytes) {
            self.gate.need(4 * bytes.len());
        }
        let markup = match media_type {
            TEXT => Markup::None,
            XHTML => Markup::Xhtml,
            _ => Markup::Html,
        };
        let declared = Declared {
            forced,
            label: charset,
            markup,
        };
        let decoded = charset::decode(bytes, declared, cap);
        if decoded.text.len() > cap {
            return Ok(Err(too_large(cap)));
        }
        flags.extend(&decoded.flags);
        let document = Document {
            id: record.header.id.as_deref(),
            url: record.header.url.as_deref(),
            date: record.header.date,
            place: record.place,
            row: None,
            payload: record.header.payload,
            content: Content::new(markup, &decoded.text),
            body: bytes,
            media_type,
            charset: decoded.name,
            fields: &[],
            flags: &flags,
        };
        self.sink.document(&document)?;
        Ok(Ok(()))
    }
}

/// The refusal of a body above the cap.
pub(crate) fn too_large(cap: usize) -> Refusal {
    ("too-large", format!("the body has more than {cap} bytes"))
}
