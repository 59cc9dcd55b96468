//! The decoded bytes of an entry, as far as a record needs them at once.
//!
//! *Algorithm.* A buffer that grows as bytes come, never by what a header declares, and is moved to
//! its front only when what was used up is worth it: so a record that turns out wrong costs no more
//! than its own bytes, however many such records overlap. Bytes are taken in steps of 64 KiB, so
//! that damage is met at the same byte from wherever reading began; sound gzip members of up to 1
//! MiB are decoded into the buffer at once, which makes no difference. *Memory.* The record asked
//! for, a third more at worst, and the [`LargeRecords`] gate held above 1 MiB. The gate keeps the
//! buffer for the next large record, as the system clears the pages of a new one.

use std::mem;
use std::sync::MutexGuard;

use decode::codec::Decompressor;
use decode::document::Refusal;
use decode::{
    error::InputError,
    options::{LARGE_RECORD_BYTES, LargeRecords},
};

use super::syntax::Syntax;
use super::version_line::Before;

/// Bytes taken at a time.
pub(crate) const STEP_BYTES: usize = 64 << 10;
/// Longest header taken.
pub(crate) const MAX_HEADER_BYTES: usize = 64 << 10;
/// A zstd window above this holds the gate for large records as long as its frame is read.
pub(crate) const LARGE_WINDOW_BYTES: u64 = 8 << 20;
/// Bytes before a version line that may be its blank line.
const LOOK_BACK_BYTES: usize = 4;

/// The gate for large buffers, held as long as any buffer of the record is large.
pub(crate) struct Gate<'a> {
    large: &'a LargeRecords,
    guard: Option<MutexGuard<'a, Vec<u8>>>,
    /// The window of the entry itself is large: the gate stays until its end.
    pub(crate) held_by_entry: bool,
}

impl<'a> Gate<'a> {
    /// An open gate.
    pub(crate) fn new(large: &'a LargeRecords) -> Self {
        Gate {
            large,
            guard: None,
            held_by_entry: false,
        }
    }

    /// To be called before a buffer grows to so many bytes.
    pub(crate) fn need(&mut self, bytes: usize) {
        drop(self.need_buffer(bytes));
    }

    /// As [`Gate::need`], for the buffer of a window. Gives the buffer of an earlier record if that
    /// is large enough, else an empty one.
    fn need_buffer(&mut self, bytes: usize) -> Vec<u8> {
        if bytes > LARGE_RECORD_BYTES && self.guard.is_none() {
            self.guard = Some(self.large.enter_with_buffer());
        }
        let kept = self.guard.as_mut().map(|kept| mem::take(&mut **kept));
        kept.filter(|kept| kept.len() >= bytes).unwrap_or_default()
    }

    /// To be called when all buffers are small again.
    pub(crate) fn release(&mut self) {
        if !self.held_by_entry {
            self.guard = None;
        }
    }
}

/// The bytes at hand of one entry.
pub(crate) struct EntryWindow {
    /// Where they come from.
    pub(crate) source: Decompressor,
    /// The syntax of their records.
    pub(crate) syntax: Syntax,
    buffer: Vec<u8>,
    start: usize,
    filled: usize,
    /// Offset within the entry of the first byte at hand.
    offset: u64,
    ended: bool,
    /// Why the entry ended, if not well: reason and detail.
    damage: Option<Refusal>,
    /// A byte other than zero was among those that [`EntryWindow::find_record`] passed over.
    pub(crate) passed_nonzero: bool,
}

impl EntryWindow {
    /// For the entries of `source`.
    pub(crate) fn new(source: Decompressor, syntax: Syntax) -> Self {
        EntryWindow {
            source,
            syntax,
            buffer: Vec::new(),
            start: 0,
            filled: 0,
            offset: 0,
            ended: false,
            damage: None,
            passed_nonzero: false,
        }
    }

    /// Empties the window for the entry that the source has just begun, or has all of it at hand.
    pub(crate) fn begin(&mut self) -> Result<(), InputError> {
        (self.start, self.filled, self.offset) = (0, 0, 0);
        (self.ended, self.damage) = (false, None);
        if self.source.reads_whole() {
            if self.buffer.len() < LARGE_RECORD_BYTES {
                // All at once and all zero: the system gives its pages when they are first written
                // to.
                self.buffer = vec![0; LARGE_RECORD_BYTES];
            }
            if let Some(made) = self
                .source
                .read_whole(&mut self.buffer[..LARGE_RECORD_BYTES])?
            {
                (self.filled, self.ended) = (made, true);
            }
        }
        Ok(())
    }

    /// Offset within the entry of the first byte at hand.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// The bytes at hand.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.buffer[self.start..self.filled]
    }

    /// The bytes at hand, to be changed.
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.buffer[self.start..self.filled]
    }

    /// Why no more bytes come, if the entry is damaged.
    pub(crate) fn damage(&self) -> Option<&Refusal> {
        self.damage.as_ref()
    }

    /// Has at least `bytes` at hand, or all there are; gives how many there are.
    ///
    /// # Errors
    /// If the file cannot be read. Damage is no error: see [`EntryWindow::damage`].
    pub(crate) fn ensure(
        &mut self,
        bytes: usize,
        gate: &mut Gate<'_>,
    ) -> Result<usize, InputError> {
        while self.filled - self.start < bytes && !self.ended {
            self.make_room(bytes, gate);
            match self
                .source
                .read_entry(&mut self.buffer[self.filled..self.filled + STEP_BYTES])
            {
                Ok(0) => self.ended = true,
                Ok(read) => self.filled += read,
                Err(error) => {
                    self.ended = true;
                    self.damage = Some(error.damage()?);
                }
            }
        }
        Ok(self.filled - self.start)
    }

    /// Goes on with the next entry, if this one has ended well and the next one begins with no
    /// record.
    pub(crate) fn continue_entry(&mut self, gate: &mut Gate<'_>) -> Result<bool, InputError> {
        let is_over = self.ended && self.damage.is_none();
        if !is_over || !self.source.continue_entry(self.syntax.entry_start())? {
            return Ok(false);
        }
        self.ended = false;
        if self.source.window_bytes() > LARGE_WINDOW_BYTES {
            gate.need(self.source.window_bytes() as usize);
        }
        Ok(true)
    }

    /// Room for one step behind the bytes at hand.
    fn make_room(&mut self, wanted: usize, gate: &mut Gate<'_>) {
        let held = self.filled - self.start;
        if self.start >= held / 3 {
            self.buffer.copy_within(self.start..self.filled, 0);
            (self.start, self.filled) = (0, held);
        }
        let needed = self.filled + STEP_BYTES;
        if needed > self.buffer.len() {
            let length = needed.max((2 * self.buffer.len()).min(self.start + wanted + STEP_BYTES));
            let mut kept = gate.need_buffer(length);
            if kept.is_empty() {
                self.buffer.reserve_exact(length - self.buffer.len());
                self.buffer.resize(length, 0);
            } else {
                kept[..self.filled].copy_from_slice(&self.buffer[..self.filled]);
                self.buffer = kept;
            }
        }
    }

    /// Gives up bytes at hand, at most all.
    pub(crate) fn consume(&mut self, bytes: usize) {
        let bytes = bytes.min(self.filled - self.start);
        self.start += bytes;
        self.offset += bytes as u64;
    }

    /// Makes the buffer small again if what is at hand allows it; gives the large one.
    pub(crate) fn relax(&mut self) -> Option<Vec<u8>> {
        let held = self.filled - self.start;
        if self.buffer.len() <= LARGE_RECORD_BYTES || held > LARGE_RECORD_BYTES / 2 {
            return None;
        }
        let mut small = vec![0; held + STEP_BYTES];
        small[..held].copy_from_slice(self.bytes());
        (self.start, self.filled) = (0, held);
        Some(mem::replace(&mut self.buffer, small))
    }

    /// Makes the buffer small and leaves the gate, if what is at hand allows it. The large buffer
    /// stays in the gate for the next record.
    pub(crate) fn leave(&mut self, gate: &mut Gate<'_>) {
        if let (Some(large), Some(guard)) = (self.relax(), &mut gate.guard) {
            **guard = large;
        }
        if self.buffer.len() <= LARGE_RECORD_BYTES {
            gate.release();
        }
    }

    /// Passes over line ends; false at the end of the entry.
    pub(crate) fn skip_newlines(&mut self, gate: &mut Gate<'_>) -> Result<bool, InputError> {
        loop {
            if self.ensure(1, gate)? == 0 {
                return Ok(false);
            }
            let newlines = self
                .bytes()
                .iter()
                .take_while(|&&byte| byte == b'\r' || byte == b'\n')
                .count();
            self.consume(newlines);
            if !self.bytes().is_empty() {
                return Ok(true);
            }
        }
    }

    /// Bytes of the header at the front, with its end; `None` if it does not end.
    pub(crate) fn header_bytes(
        &mut self,
        gate: &mut Gate<'_>,
    ) -> Result<Option<usize>, InputError> {
        for wanted in [4 << 10, MAX_HEADER_BYTES] {
            let held = self.ensure(wanted, gate)?.min(MAX_HEADER_BYTES);
            if let Some(bytes) = self.syntax.header_bytes(&self.bytes()[..held]) {
                return Ok(Some(bytes));
            }
        }
        Ok(None)
    }

    /// Goes to the next line that begins a record, before `limit`; false, and at the limit or the
    /// end, if there is none.
    pub(crate) fn find_record(
        &mut self,
        limit: u64,
        before: Before,
        gate: &mut Gate<'_>,
    ) -> Result<bool, InputError> {
        let look_ahead = self.syntax.look_ahead_bytes();
        self.passed_nonzero = false;
        while self.offset < limit {
            let held = self.ensure(STEP_BYTES + look_ahead, gate)?;
            let searched = if self.ended { held } else { held - look_ahead };
            let found = self.syntax.next_record(self.bytes(), searched, before);
            let passed = found.unwrap_or(if self.ended {
                held
            } else {
                searched - LOOK_BACK_BYTES
            });
            self.passed_nonzero |= self.bytes()[..passed].iter().any(|&byte| byte != 0);
            self.consume(passed);
            if found.is_some() {
                return Ok(self.offset < limit);
            }
            if self.ended {
                return Ok(false);
            }
        }
        Ok(false)
    }

    /// Passes over a record of so many bytes, into the next entries if it goes on there; gives as
    /// [`EntryWindow::skip`] does.
    pub(crate) fn skip_record(
        &mut self,
        bytes: u64,
        gate: &mut Gate<'_>,
    ) -> Result<(u64, Option<u64>), InputError> {
        let (mut passed, mut candidate) = self.skip(bytes, gate)?;
        while passed < bytes && self.continue_entry(gate)? {
            let (more, found) = self.skip(bytes - passed, gate)?;
            passed += more;
            candidate = candidate.or(found);
        }
        Ok((passed, candidate))
    }

    /// Passes over `bytes` without holding them; gives how many there were and the first version
    /// line among them.
    pub(crate) fn skip(
        &mut self,
        bytes: u64,
        gate: &mut Gate<'_>,
    ) -> Result<(u64, Option<u64>), InputError> {
        let mut candidate = None;
        let mut left = bytes;
        while left > 0 {
            let wanted = left.min(STEP_BYTES as u64) as usize;
            let held = self.ensure(wanted + self.syntax.look_ahead_bytes(), gate)?;
            if held == 0 {
                break;
            }
            let taken = held.min(wanted);
            if candidate.is_none() {
                candidate = self
                    .syntax
                    .next_record(self.bytes(), taken, Before::Line)
                    .map(|at| self.offset + at as u64);
            }
            self.consume(taken);
            left -= taken as u64;
        }
        Ok((bytes - left, candidate))
    }

    /// Passes over bytes of a plain file without reading them.
    pub(crate) fn skip_plain(&mut self, bytes: u64) -> Result<(), InputError> {
        let held = (self.filled - self.start) as u64;
        let ahead = bytes.saturating_sub(held);
        self.consume(bytes.min(held) as usize);
        if ahead > 0 {
            self.source.skip_plain(ahead)?;
            self.offset += ahead;
        }
        Ok(())
    }
}
