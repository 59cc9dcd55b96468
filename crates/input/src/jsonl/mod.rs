//! JSONL: one JSON object a line.
//!
//! *Input.* A file, plain, gzip (any number of members) or zstd (any number of frames). *Output.* A
//! document for each object with text; blank lines are passed over, any other line is a rejection.
//! *Algorithm.* In a plain file a line belongs to the piece in which it begins, and a piece that
//! starts inside a line looks for the next newline: so its first record is known, not guessed.
//! Compressed text cannot be entered in the middle: the piece with byte 0 reads all of it, the
//! other pieces have nothing. *Memory.* One block and one line; the texts of a line with escapes
//! are copied. *Limits.* A line may be twice as long as the largest document, and 1 MiB more.

mod copy;
mod cut;
mod record;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use model::Content;

pub(crate) use copy::copy;
pub(crate) use cut::LineCutter;
use decode::codec::Decompressor;
use decode::expansion::ExpansionLimit;
use decode::json_repair::{Repaired, repaired};
use decode::lines::{LineEvent, Lines, Start};
use decode::range::RangeReader;
use decode::{
    document::{Document, Place, Rejection, Sink},
    error::InputError,
    options::{LARGE_RECORD_BYTES, Piece, PieceEnd, ReadOptions, SourceFile},
};
use record::{BAD_JSON, LineProblem};

/// Reads the lines of a piece; see [`crate::read_piece`].
pub(crate) fn read_piece(
    file: &SourceFile,
    piece: &Piece,
    from: Option<u64>,
    options: &ReadOptions,
    sink: &mut dyn Sink,
) -> Result<PieceEnd, InputError> {
    let head = (piece.start == 0 && from.unwrap_or(0) == 0).then_some(0);
    let mut source = match Decompressor::open(file, piece.start, piece.end)? {
        Ok(source) => source.bounded(ExpansionLimit::new(options.max_expansion)),
        Err((reason, detail)) => {
            if head.is_some() {
                sink.rejected(Rejection::new(0, reason, detail))?;
            }
            let input = RangeReader::open(file, piece.start, piece.end)?;
            return PieceEnd::of(head, file.stat.bytes, input);
        }
    };
    let is_plain = source.is_plain();
    let first = match from {
        Some(from) if is_plain => Some(from),
        None if is_plain => line_start(source.input(), piece)?,
        _ => head,
    };
    let Some(first) = first.filter(|&first| first < piece.end.min(file.stat.bytes)) else {
        let unknown = if is_plain { piece.end } else { file.stat.bytes };
        let next = first.unwrap_or(unknown).max(piece.end);
        return PieceEnd::of(None, next, source.into_input());
    };
    source.seek(first)?;
    let lines = Lines::new(source, line_cap(options), &options.large);
    let mut reader = JsonlReader {
        lines,
        is_plain,
        records: JsonlRecords::new(options),
        read: 0,
        is_damaged: false,
    };
    let next = reader
        .read_until(piece.end, sink)?
        .unwrap_or(file.stat.bytes);
    Ok(PieceEnd {
        first: Some(first),
        next,
        lines: reader.read,
        digest: reader.lines.into_source().into_input().finish()?,
    })
}

/// Hands on the line at `place` again, if one begins there and it is a document.
pub(crate) fn read_at(
    file: &SourceFile,
    place: &Place,
    options: &ReadOptions,
    sink: &mut dyn Sink,
) -> Result<(), InputError> {
    let Ok(source) = Decompressor::open(file, place.entry_offset, place.entry_offset)? else {
        return Ok(());
    };
    let mut lines = Lines::new(source, line_cap(options), &options.large);
    let wanted = Start {
        entry_offset: place.entry_offset,
        inner_offset: place.inner_offset,
    };
    loop {
        match lines.next_line()? {
            LineEvent::Line(start, line) if start == wanted => {
                let line = without_mark(start, line);
                let place = start.place(line.len() as u64);
                return JsonlRecords::new(options).deliver(place, None, line, sink);
            }
            LineEvent::Line(start, _) | LineEvent::TooLong(start, _) if start < wanted => {}
            _ => return Ok(()),
        }
    }
}

fn line_cap(options: &ReadOptions) -> u64 {
    options
        .max_document_bytes
        .saturating_mul(2)
        .saturating_add(1 << 20)
}

/// Bytes looked at, at a time, for the end of a line that began before the piece.
const PEEK_BYTES: usize = 8 << 10;

/// Where the first line begins at or after the start of the piece; `None` if no line ends in it.
fn line_start(input: &RangeReader, piece: &Piece) -> Result<Option<u64>, InputError> {
    if piece.start == 0 {
        return Ok(Some(0));
    }
    let mut before = [0];
    input.peek_at(piece.start - 1, &mut before)?;
    if before == *b"\n" {
        return Ok(Some(piece.start));
    }
    // Only looked at: what is read here would be at hand, and copied once more.
    let (mut position, mut bytes) = (piece.start, [0; PEEK_BYTES]);
    while position < piece.end {
        let wanted = (piece.end - position).min(PEEK_BYTES as u64) as usize;
        let got = input.peek_at(position, &mut bytes[..wanted])?;
        if let Some(at) = memchr::memchr(b'\n', &bytes[..got]) {
            return Ok(Some(position + at as u64 + 1));
        }
        if got == 0 {
            break;
        }
        position += got as u64;
    }
    Ok(None)
}

struct JsonlReader<'o> {
    lines: Lines<'o>,
    is_plain: bool,
    records: JsonlRecords<'o>,
    /// Lines read before the next one.
    read: u64,
    /// Whether bytes were lost: then nobody knows how many lines they held.
    is_damaged: bool,
}

impl JsonlReader<'_> {
    /// Hands on the lines that begin before `end` in a plain file, or all; where the next line
    /// begins, or `None` at the end of the file.
    fn read_until(&mut self, end: u64, sink: &mut dyn Sink) -> Result<Option<u64>, InputError> {
        loop {
            match self.lines.next_line()? {
                LineEvent::End => return Ok(None),
                LineEvent::Line(start, line) => {
                    let line = without_mark(start, line);
                    if !line.trim_ascii().is_empty() {
                        let place = start.place(line.len() as u64);
                        let row = (!self.is_damaged).then_some(self.read);
                        self.records.deliver(place, row, line, sink)?;
                        self.lines.count_record(place.length);
                    }
                    self.read += 1;
                }
                LineEvent::TooLong(start, bytes) => {
                    let detail = format!(
                        "the line has {bytes} bytes, and at most {} are read",
                        line_cap(self.records.options)
                    );
                    let problem = LineProblem {
                        reason: "line-too-long",
                        detail,
                        url: None,
                    };
                    let place = start.place(bytes);
                    reject(&place, problem, sink)?;
                    self.read += 1;
                }
                LineEvent::Damage {
                    offset,
                    reason,
                    detail,
                } => {
                    self.is_damaged = true;
                    sink.rejected(Rejection::new(offset, reason, detail))?;
                }
            }
            if self.is_plain {
                let next = self.lines.position().entry_offset;
                if next >= end {
                    return Ok(Some(next));
                }
            }
        }
    }
}

/// A byte order mark at the beginning of a file is no part of its first line.
fn without_mark(start: Start, line: &[u8]) -> &[u8] {
    match line.strip_prefix(b"\xef\xbb\xbf") {
        Some(rest) if start == Start::default() => rest,
        _ => line,
    }
}

/// Hands on lines, one after another.
struct JsonlRecords<'o> {
    options: &'o ReadOptions,
    /// The text of the line at hand, if it has escapes.
    scratch: Vec<u8>,
}

impl<'o> JsonlRecords<'o> {
    fn new(options: &'o ReadOptions) -> Self {
        JsonlRecords {
            options,
            scratch: Vec::new(),
        }
    }

    /// Hands on one line as a document or a rejection.
    fn deliver(
        &mut self,
        place: Place,
        row: Option<u64>,
        line: &[u8],
        sink: &mut dyn Sink,
    ) -> Result<(), InputError> {
        let result = self.deliver_with_scratch(place, row, line, &[], sink);
        // Large values must be dropped before the line gives up the gate.
        self.scratch.truncate(LARGE_RECORD_BYTES);
        self.scratch.shrink_to(LARGE_RECORD_BYTES);
        result
    }

    fn deliver_with_scratch(
        &mut self,
        place: Place,
        row: Option<u64>,
        line: &[u8],
        repairs: &[&'static str],
        sink: &mut dyn Sink,
    ) -> Result<(), InputError> {
        let mut record = match record::parse(line, &self.options.fields, &mut self.scratch) {
            Ok(record) => record,
            Err(problem) if problem.reason == BAD_JSON && repairs.is_empty() => {
                return match repaired(line) {
                    Some(Repaired { line, flags }) => {
                        self.deliver_with_scratch(place, row, &line, &flags, sink)
                    }
                    None => reject(&place, problem, sink),
                };
            }
            Err(problem) => return reject(&place, problem, sink),
        };
        record.flags.extend(repairs);
        let text = record.text.as_ref();
        let max = self.options.max_document_bytes;
        if text.len() as u64 > max {
            let detail = format!("{} bytes of text, max-document is {max}", text.len());
            return reject(
                &place,
                LineProblem {
                    reason: "too-large",
                    detail,
                    url: record.url.map(Cow::into_owned),
                },
                sink,
            );
        }
        let document = Document {
            id: record.id.as_deref(),
            url: record.url.as_deref(),
            date: record.date,
            place,
            row,
            payload: None,
            content: Content::new(record.markup, text),
            body: text.as_bytes(),
            media_type: record.markup.media_type(),
            charset: "UTF-8",
            fields: &record.fields,
            flags: &record.flags,
        };
        sink.document(&document).map_err(InputError::Sink)
    }
}

fn reject(place: &Place, problem: LineProblem, sink: &mut dyn Sink) -> Result<(), InputError> {
    let LineProblem {
        reason,
        detail,
        url,
    } = problem;
    sink.rejected(Rejection {
        url,
        ..Rejection::new(place.entry_offset, reason, place.within_entry(detail))
    })
    .map_err(InputError::Sink)
}
