//! Records that are too large to be held: passed over, and judged by their beginning and end.

use super::{End, Records, WRONG_END};
use crate::warc::document::{WarcRecord, too_large};
use crate::warc::judge::{RecordVerdict, judge};
use crate::warc::tail::{RecordTail, tail_bytes, tail_of};
use decode::http::MAX_HEAD_BYTES;
use decode::{document::UNRESOLVED_REVISIT, error::InputError};

/// A record above the cap whose length is wrong makes the entry be decoded again, at most so often.
const MAX_REWINDS: u32 = 16;

impl Records<'_> {
    /// A record that is too large to be held.
    pub(super) fn oversize(&mut self, record: &WarcRecord) -> Result<Option<End>, InputError> {
        let beginning = record.header_bytes + MAX_HEAD_BYTES;
        let held = self.ensure_of_record(beginning, beginning)?;
        let verdict = judge(
            &record.header,
            &self.window.bytes()[record.header_bytes..held],
        );
        if self.window.source.is_plain() {
            let end = self.window.source.entry_offset() + self.window.offset();
            let end = end.saturating_add(record.place.length);
            let input = self.window.source.input();
            if end > input.file_bytes() {
                let detail = format!(
                    "Content-Length {} reaches beyond the end of the file",
                    record.header.block_bytes
                );
                return self.resync(["bad-content-length", "truncated"], &detail);
            }
            let mut tail = vec![0; tail_bytes(self.window.syntax)];
            let got = input.peek_at(end, &mut tail)?;
            if !matches!(
                tail_of(&tail[..got], self.window.syntax),
                RecordTail::Record | RecordTail::End
            ) {
                return self.resync(["bad-content-length"; 2], WRONG_END);
            }
            self.oversize_verdict(record, verdict)?;
            self.window.skip_plain(record.place.length)?;
            return Ok(None);
        }
        let started = self.window.offset();
        let (skipped, candidate) = self
            .window
            .skip_record(record.place.length, &mut self.out.gate)?;
        let syntax = self.window.syntax;
        let held = self.ensure(tail_bytes(syntax))?.min(tail_bytes(syntax));
        let tail = tail_of(&self.window.bytes()[..held], syntax);
        let good = skipped == record.place.length
            && (tail == RecordTail::Record || tail == RecordTail::End);
        if self.window.damage().is_some() && tail != RecordTail::Record {
            let (reason, detail) = self.window.damage().cloned().unwrap_or_default();
            return Ok(Some(End::Damaged {
                reason,
                detail,
                inner_offset: started,
            }));
        }
        if good {
            self.oversize_verdict(record, verdict)?;
            return Ok(None);
        }
        let lost = candidate.map_or(skipped, |candidate| candidate - started);
        self.out.reject(record.rejection(
            "bad-content-length",
            format!("{WRONG_END}; {lost} bytes lost"),
        ))?;
        match candidate {
            Some(candidate) if self.rewinds < MAX_REWINDS => self.rewind(candidate),
            _ => Ok(None),
        }
    }

    fn oversize_verdict(
        &mut self,
        record: &WarcRecord,
        verdict: RecordVerdict,
    ) -> Result<(), InputError> {
        match verdict {
            RecordVerdict::Skip(kind) => self.out.sink.skipped(&kind),
            RecordVerdict::Reject(reason, detail) => {
                self.out.reject(record.rejection(reason, detail))?;
            }
            RecordVerdict::Revisit => {
                let detail = "its record is larger than max-document".to_owned();
                self.out
                    .reject(record.rejection(UNRESOLVED_REVISIT, detail))?;
            }
            RecordVerdict::Read(_) => {
                let cap =
                    usize::try_from(self.out.options.max_document_bytes).unwrap_or(usize::MAX);
                let (reason, detail) = too_large(cap);
                self.out.reject(record.rejection(reason, detail))?;
            }
        }
        Ok(())
    }

    /// Decodes the entry again up to a byte of its content that was passed over.
    fn rewind(&mut self, inner_offset: u64) -> Result<Option<End>, InputError> {
        self.rewinds += 1;
        let entry_offset = self.window.source.entry_offset();
        self.window.source.seek(entry_offset)?;
        // It could be begun before; if it cannot now, the window is empty and the entry ends here.
        let begun = matches!(self.window.source.begin_entry(), Ok(true));
        self.window.begin()?;
        if begun {
            self.window.skip_record(inner_offset, &mut self.out.gate)?;
        }
        Ok(None)
    }
}
