//! The records of one entry: where each ends, whether it can be believed, and where the next begins
//! if not.
//!
//! *Input.* The decoded bytes of a gzip member, a zstd frame, or a plain file from some record on.
//! *Output.* Documents, rejections, and how the entry ended. *Algorithm.* A record is believed if
//! its header is sound and its block is followed by the next record, by the end of the entry, or by
//! a blank line while no record seems to begin inside it. If not, it is rejected and reading goes
//! on at the next line that is a WARC version. A record is handed on only when bytes behind it were
//! decoded too, or the entry is complete and its checksum right. A record that an entry does not
//! complete goes on in the next one, if that begins with no record: some programs write headers and
//! bodies as members of their own. What follows from a record's beginning depends on the bytes from
//! there on alone. *Memory.* One record of up to the cap and
//! its head; larger ones are passed over.

mod oversize;

use decode::http::MAX_HEAD_BYTES;
use decode::{
    document::{Place, Rejection},
    error::InputError,
};

use super::document::{RecordOutlet, WarcRecord};
use super::judge::{RecordVerdict, judge};
use super::tail::{RecordTail, tail_bytes, tail_of};
use super::version_line::Before;
use super::window::{EntryWindow, MAX_HEADER_BYTES};

/// How the records of an entry ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// With the entry.
    Complete,
    /// The next record begins here, at or behind the limit (plain files only).
    Limit(u64),
    /// The entry is damaged; from this byte of its content on, nothing was handed on.
    Damaged {
        reason: &'static str,
        detail: String,
        inner_offset: u64,
    },
}

/// The record at the beginning of the window, and whether its frame is sound.
enum RecordFraming {
    Whole(WarcRecord),
    /// Above the cap; its end is not yet checked.
    Oversize(WarcRecord),
    /// Not to be believed: reason if another record is found, reason if none is, detail.
    Bad(&'static str, &'static str, String),
    Damaged,
}

/// Reads the records of entries.
pub(crate) struct Records<'a> {
    /// The bytes.
    pub(crate) window: EntryWindow,
    /// Where records go.
    pub(crate) out: RecordOutlet<'a>,
    rewinds: u32,
}

impl<'a> Records<'a> {
    /// Puts window and outlet together.
    pub(crate) fn new(window: EntryWindow, out: RecordOutlet<'a>) -> Self {
        Records {
            window,
            out,
            rewinds: 0,
        }
    }

    /// Reads the entry that the source has just begun, up to a record that begins at `limit` of the
    /// file or behind it.
    pub(crate) fn read_entry(&mut self, limit: u64) -> Result<End, InputError> {
        self.window.begin()?;
        self.rewinds = 0;
        loop {
            if !self.window.skip_newlines(&mut self.out.gate)? {
                return Ok(match self.window.damage() {
                    Some(_) => self.damaged(),
                    None => End::Complete,
                });
            }
            if self.is_plain() && self.place(0).entry_offset >= limit {
                return Ok(End::Limit(self.place(0).entry_offset));
            }
            let started = self.window.offset();
            let damaged = match self.frame()? {
                RecordFraming::Whole(record) => {
                    self.whole(record)?;
                    None
                }
                RecordFraming::Oversize(record) => self.oversize(&record)?,
                RecordFraming::Bad(reason, reason_at_end, detail) => {
                    self.resync([reason, reason_at_end], &detail)?
                }
                RecordFraming::Damaged => Some(self.damaged()),
            };
            if let Some(end) = damaged {
                return Ok(end);
            }
            let passed = self.window.offset().saturating_sub(started);
            self.window.source.count_record(passed);
            self.window.leave(&mut self.out.gate);
        }
    }

    /// Where the record at the beginning of the window lies.
    fn place(&self, length: u64) -> Place {
        self.window.source.place(self.window.offset(), length)
    }

    fn is_plain(&self) -> bool {
        self.window.source.is_plain()
    }

    fn damaged(&self) -> End {
        let (reason, detail) = self
            .window
            .damage()
            .cloned()
            .unwrap_or(("damaged", String::new()));
        End::Damaged {
            reason,
            detail,
            inner_offset: self.window.offset(),
        }
    }

    fn ensure(&mut self, bytes: usize) -> Result<usize, InputError> {
        self.window.ensure(bytes, &mut self.out.gate)
    }

    /// Has bytes at hand as `ensure` does, over the borders of entries as long as there are fewer
    /// than `least`.
    fn ensure_of_record(&mut self, bytes: usize, least: usize) -> Result<usize, InputError> {
        loop {
            let held = self.ensure(bytes)?;
            if held >= least || !self.window.continue_entry(&mut self.out.gate)? {
                return Ok(held);
            }
        }
    }

    fn frame(&mut self) -> Result<RecordFraming, InputError> {
        let plain = self.is_plain();
        let syntax = self.window.syntax;
        self.ensure(syntax.start_bytes())?;
        if !syntax.begins_record(self.window.bytes()) {
            let reason_at_end = match self.place(0).entry_offset {
                _ if !plain => "damaged",
                0 => syntax.no_record(),
                _ => "trailing-garbage",
            };
            return Ok(RecordFraming::Bad(
                "damaged",
                reason_at_end,
                "no record begins here".to_owned(),
            ));
        }
        let Some(header_bytes) = self.window.header_bytes(&mut self.out.gate)? else {
            let held = self.window.bytes().len();
            if held < MAX_HEADER_BYTES && self.window.damage().is_some() {
                return Ok(RecordFraming::Damaged);
            }
            let reason_at_end = if plain && held < MAX_HEADER_BYTES {
                "truncated"
            } else {
                syntax.bad_header()
            };
            let detail = "the header does not end within 64 KiB".to_owned();
            return Ok(RecordFraming::Bad(
                syntax.bad_header(),
                reason_at_end,
                detail,
            ));
        };
        let header = match syntax.parse(&self.window.bytes()[..header_bytes]) {
            Ok(header) => header,
            Err((reason, detail)) => return Ok(RecordFraming::Bad(reason, reason, detail)),
        };
        let length = (header_bytes as u64).saturating_add(header.block_bytes);
        let record = WarcRecord {
            header,
            header_bytes,
            place: self.place(length),
        };
        if record.header.block_bytes > self.max_block_bytes() {
            return Ok(RecordFraming::Oversize(record));
        }
        self.check_end(record)
    }

    /// A block may hold a head and the marks of chunks beside a body at the cap.
    fn max_block_bytes(&self) -> u64 {
        let cap = self.out.options.max_document_bytes;
        cap.saturating_add(cap / 64)
            .saturating_add(2 * MAX_HEAD_BYTES as u64)
    }

    /// Whether the record ends where its header says.
    fn check_end(&mut self, record: WarcRecord) -> Result<RecordFraming, InputError> {
        let length = record.place.length as usize;
        let syntax = self.window.syntax;
        let tail_end = length + tail_bytes(syntax);
        let held = self.ensure_of_record(tail_end, length)?;
        let bytes = self.window.bytes();
        let candidate =
            |searched: usize| syntax.next_record(bytes, searched, Before::Line).is_some();
        let damaged = self.window.damage().is_some();
        if held < length {
            let reason_at_end = if self.is_plain() {
                "truncated"
            } else {
                "bad-content-length"
            };
            let detail = format!("header and block have {held} bytes, expected {length}");
            return Ok(match damaged && !candidate(held) {
                true => RecordFraming::Damaged,
                false => RecordFraming::Bad("bad-content-length", reason_at_end, detail),
            });
        }
        Ok(match tail_of(&bytes[length..held.min(tail_end)], syntax) {
            RecordTail::Record => RecordFraming::Whole(record),
            RecordTail::End | RecordTail::Garbage | RecordTail::Nothing if damaged => {
                RecordFraming::Damaged
            }
            RecordTail::End => RecordFraming::Whole(record),
            RecordTail::Garbage if !candidate(length) => RecordFraming::Whole(record),
            RecordTail::Garbage | RecordTail::Nothing => wrong_end(),
        })
    }

    /// A record that is to be believed.
    fn whole(&mut self, record: WarcRecord) -> Result<(), InputError> {
        let length = record.place.length as usize;
        match judge(
            &record.header,
            &self.window.bytes()[record.header_bytes..length],
        ) {
            RecordVerdict::Skip(kind) => self.out.sink.skipped(&kind),
            RecordVerdict::Reject(reason, detail) => {
                self.out.reject(record.rejection(reason, detail))?;
            }
            RecordVerdict::Read(body) => {
                return self.out.read_body(record, &body, &mut self.window);
            }
            RecordVerdict::Revisit => self
                .out
                .revisit(&record, &self.window.bytes()[..record.header_bytes])?,
        }
        self.window.consume(length);
        Ok(())
    }

    /// Rejects what stands at the beginning of the window and goes to the next record.
    fn resync(
        &mut self,
        reasons: [&'static str; 2],
        detail: &str,
    ) -> Result<Option<End>, InputError> {
        let place = self.place(0);
        let started = self.window.offset();
        let found = self
            .window
            .find_record(u64::MAX, Before::Line, &mut self.out.gate)?;
        if !found && let Some((reason, detail)) = self.window.damage().cloned() {
            return Ok(Some(End::Damaged {
                reason,
                detail,
                inner_offset: started,
            }));
        }
        if !found && !self.window.passed_nonzero {
            return Ok(None);
        }
        let lost = self.window.offset() - started;
        let inner = match self.is_plain() {
            true => String::new(),
            false => format!(" at byte {started} of the entry"),
        };
        let reason = if found { reasons[0] } else { reasons[1] };
        let detail = format!("{detail}; {lost} bytes lost{inner}");
        self.out
            .reject(Rejection::new(place.entry_offset, reason, detail))?;
        Ok(None)
    }
}

const WRONG_END: &str = "the record does not end where its Content-Length says";

fn wrong_end() -> RecordFraming {
    RecordFraming::Bad(
        "bad-content-length",
        "bad-content-length",
        WRONG_END.to_owned(),
    )
}
