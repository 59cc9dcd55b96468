//! Lines of a file, plain or compressed, with where each begins.
//!
//! *Input.* The entries of a [`Decompressor`]. *Output.* One [`LineEvent`] after another.
//! *Algorithm.* A line that lies whole in the block at hand is borrowed from it; one that crosses
//! blocks is put together in a buffer. *Memory.* One block and one line. A line over
//! [`LARGE_RECORD_BYTES`] waits at the gate before it grows and keeps it until the next call.
//! *Limits.* A longer line than the cap is passed over without being held.

use std::sync::MutexGuard;

use crate::codec::{DecodeError, Decompressor, EntryStart};
use crate::document::Place;
use crate::{
    error::InputError,
    options::{LARGE_RECORD_BYTES, LargeRecords},
};

const BLOCK_BYTES: usize = 64 << 10;

/// Where a line begins. A line of a plain file is an entry of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Start {
    /// Byte of the file where the entry begins.
    pub entry_offset: u64,
    /// Decoded byte of the line in it.
    pub inner_offset: u64,
}

impl Start {
    /// The place of a line of so many bytes.
    pub fn place(self, length: u64) -> Place {
        Place {
            entry_offset: self.entry_offset,
            inner_offset: self.inner_offset,
            length,
        }
    }
}

/// The next item of a file.
#[derive(Debug)]
pub enum LineEvent<'a> {
    /// A line without its newline.
    Line(Start, &'a [u8]),
    /// A line longer than the cap, of so many bytes.
    TooLong(Start, u64),
    /// Bytes from this offset of the file on could not be decoded. Reading goes on behind them.
    Damage {
        /// Where the damaged entry begins.
        offset: u64,
        /// The decoder's word for it.
        reason: &'static str,
        /// The problem, and how much is lost.
        detail: String,
    },
    /// Nothing is left.
    End,
}

/// Reads lines.
pub struct Lines<'g> {
    source: Decompressor,
    block: Vec<u8>,
    /// The part of the block that is not yet handed out.
    at: usize,
    filled: usize,
    block_start: Start,
    /// A line that crosses blocks.
    line: Vec<u8>,
    cap: usize,
    gate: &'g LargeRecords,
    guard: Option<MutexGuard<'g, Vec<u8>>>,
}

impl<'g> Lines<'g> {
    /// Lines of at most `cap` bytes, from where `source` stands.
    pub fn new(source: Decompressor, cap: u64, gate: &'g LargeRecords) -> Self {
        Lines {
            source,
            block: vec![0; BLOCK_BYTES],
            at: 0,
            filled: 0,
            block_start: Start::default(),
            line: Vec::new(),
            cap: usize::try_from(cap).unwrap_or(usize::MAX),
            gate,
            guard: None,
        }
    }

    /// The file behind, to be finished.
    pub fn into_source(self) -> Decompressor {
        self.source
    }

    /// Counts a line of so many bytes as [`Decompressor::count_record`] does.
    pub fn count_record(&mut self, bytes: u64) {
        self.source.count_record(bytes);
    }

    /// Where the line that comes next begins.
    pub fn position(&self) -> Start {
        let Start {
            entry_offset,
            inner_offset,
        } = self.block_start;
        let inner_offset = inner_offset + self.at as u64;
        match self.source.is_plain() {
            true => Start {
                entry_offset: entry_offset + inner_offset,
                inner_offset: 0,
            },
            false => Start {
                entry_offset,
                inner_offset,
            },
        }
    }

    /// Reads on to the end of a line.
    pub fn next_line(&mut self) -> Result<LineEvent<'_>, InputError> {
        self.release();
        let mut start = None;
        let mut dropped = 0u64;
        loop {
            if self.at == self.filled {
                match self.fill() {
                    Ok(true) => {}
                    Ok(false) => return Ok(self.last(start, dropped)),
                    Err(DecodeError::Input(error)) => return Err(error),
                    Err(DecodeError::Damaged { reason, detail }) => {
                        return self.recover(reason, &detail);
                    }
                }
            }
            let line_start = *start.get_or_insert(self.position());
            let from = self.at;
            let rest = &self.block[from..self.filled];
            let end = memchr::memchr(b'\n', rest);
            let part = end.unwrap_or(rest.len());
            self.at += end.map_or(part, |end| end + 1);
            if end.is_some() && self.line.is_empty() && dropped == 0 && part <= self.cap {
                return Ok(LineEvent::Line(line_start, &self.block[from..from + part]));
            }
            if dropped > 0 || self.line.len() + part > self.cap {
                dropped += (self.line.len() + part) as u64;
                self.release();
            } else {
                self.keep(from, part);
            }
            match end {
                Some(_) if dropped > 0 => return Ok(LineEvent::TooLong(line_start, dropped)),
                Some(_) => return Ok(LineEvent::Line(line_start, &self.line)),
                None => {}
            }
        }
    }

    /// The last line of a file that ends without a newline.
    fn last(&self, start: Option<Start>, dropped: u64) -> LineEvent<'_> {
        match start {
            Some(start) if dropped > 0 => LineEvent::TooLong(start, dropped),
            Some(start) if !self.line.is_empty() => LineEvent::Line(start, &self.line),
            _ => LineEvent::End,
        }
    }

    fn fill(&mut self) -> Result<bool, DecodeError> {
        // The rest is nothing, and stays so if reading fails.
        self.block_start = self.position();
        self.at = 0;
        self.filled = 0;
        let read = self.source.read(&mut self.block)?;
        if read > 0 {
            self.filled = read;
            let inner_offset = self.source.inner_offset() - read as u64;
            self.block_start = Start {
                entry_offset: self.source.entry_offset(),
                inner_offset,
            };
        }
        Ok(read > 0)
    }

    fn keep(&mut self, from: usize, part: usize) {
        let needed = self.line.len() + part;
        if needed > LARGE_RECORD_BYTES && self.guard.is_none() {
            self.guard = Some(self.gate.enter());
        }
        if needed > self.line.capacity() {
            // Half as much again, but not beyond the cap: doubling would reserve twice what a line
            // may have.
            let capacity = (needed + needed / 2).min(self.cap).max(needed);
            self.line.reserve_exact(capacity - self.line.len());
        }
        self.line.extend_from_slice(&self.block[from..from + part]);
    }

    /// Gives up the line, its memory if it was large, and the gate.
    fn release(&mut self) {
        self.line.clear();
        self.line.shrink_to(LARGE_RECORD_BYTES);
        self.guard = None;
    }

    /// Goes to the next entry. The line that was begun is part of the damage.
    fn recover(&mut self, reason: &'static str, detail: &str) -> Result<LineEvent<'_>, InputError> {
        self.release();
        let recovery = self.source.recover(EntryStart::ANY)?;
        self.block_start = Start {
            entry_offset: recovery.next,
            inner_offset: 0,
        };
        let is_tail = recovery.at_end && reason == "damaged";
        if is_tail && recovery.zeros {
            // Padding up to the end of a disk block or a tape record.
            return Ok(LineEvent::End);
        }
        let reason = if is_tail { "trailing-garbage" } else { reason };
        let lost = recovery.next - recovery.lost_from;
        let detail = format!(
            "{detail}; reading continued {lost} bytes later, at byte {}",
            recovery.next
        );
        Ok(LineEvent::Damage {
            offset: recovery.lost_from,
            reason,
            detail,
        })
    }
}
