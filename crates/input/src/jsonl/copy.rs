//! A JSONL file again, without some of its lines, with members added to their objects, or with
//! their texts cut.
//!
//! *Input.* The file; the lines that change, by their places. *Output.* The other bytes, as they
//! are: a line goes with its newline, and members come behind the opening brace. *Algorithm.* A
//! plain file is copied by spans. Of a compressed one, the entries of which no line changes are
//! copied raw; the others are decoded, and their lines are encoded as one entry again. *Memory.* 64
//! KiB decoded, and a line that is cut; one over 1 MiB waits at the gate.

use std::sync::MutexGuard;

use memchr::memchr;

use super::without_mark;
use decode::codec::{DecodeError, Decompressor, EntryStart};
use decode::copying::{CopyLosses, Emitter, LineAction, LineChanges};
use decode::lines::Start;
use decode::options::{LARGE_RECORD_BYTES, LargeRecords};
use decode::range::RangeReader;
use decode::{document::Place, error::InputError};

const BLOCK_BYTES: usize = 64 << 10;

/// Bytes behind a line as it was recorded that may still be its own: a byte order mark before it
/// was not counted.
const SLACK_BYTES: usize = 4;

/// Bytes looked at, at a time, for the brace of a line.
const PEEK_BYTES: usize = 64;

/// A line that is to be cut, and the gate if it is large.
struct WholeLine<'g> {
    bytes: Vec<u8>,
    gate: &'g LargeRecords,
    guard: Option<MutexGuard<'g, Vec<u8>>>,
}

impl WholeLine<'_> {
    /// Makes room for so many bytes more.
    fn grow(&mut self, bytes: usize) {
        if self.bytes.len() + bytes > LARGE_RECORD_BYTES && self.guard.is_none() {
            self.guard = Some(self.gate.enter());
        }
        self.bytes.reserve(bytes);
    }

    /// Hands on what stays of it, and gives it up.
    fn cut(
        &mut self,
        pending: &mut LineChanges<'_>,
        out: &mut Emitter<'_>,
    ) -> Result<(), InputError> {
        let Place {
            entry_offset,
            inner_offset,
            ..
        } = pending.place().unwrap_or_default();
        let start = Start {
            entry_offset,
            inner_offset,
        };
        let line = without_mark(start, &self.bytes);
        let mark = self.bytes.len() - line.len();
        out.content(&self.bytes[..mark])?;
        let is_met = match pending.action() {
            LineAction::Cut(cutter, ranges) => {
                cutter.cut(line, ranges, &mut |bytes| out.content(bytes))?
            }
            LineAction::Remove | LineAction::Annotate(_) => false,
        };
        if !is_met {
            return Err(pending.not_met());
        }
        self.bytes.clear();
        self.bytes.shrink_to(LARGE_RECORD_BYTES);
        self.guard = None;
        pending.advance()
    }
}

/// Copies the file with these changes.
pub(crate) fn copy(
    source: Decompressor,
    pending: &mut LineChanges<'_>,
    gate: &LargeRecords,
    mut out: Emitter<'_>,
) -> Result<CopyLosses, InputError> {
    let line = WholeLine {
        bytes: Vec::new(),
        gate,
        guard: None,
    };
    let lost_bytes = if source.is_plain() {
        plain(&source, line, pending, &mut out)?
    } else {
        entries(source, line, pending, &mut out)?
    };
    out.finish()?;
    Ok(CopyLosses {
        belonging: 0,
        lost_bytes,
    })
}

fn plain(
    source: &Decompressor,
    mut line: WholeLine<'_>,
    pending: &mut LineChanges<'_>,
    out: &mut Emitter<'_>,
) -> Result<u64, InputError> {
    let input = source.input();
    let mut position = 0;
    while let Some(Place {
        entry_offset,
        length,
        ..
    }) = pending.place()
    {
        if let LineAction::Annotate(members) = pending.action() {
            let brace = brace(input, entry_offset)?.filter(|_| entry_offset >= position);
            let brace = brace.ok_or_else(|| pending.not_met())?;
            out.keep(position..brace)?;
            out.content(members.as_bytes())?;
            position = brace;
            pending.advance()?;
            continue;
        }
        let (end, mut behind) = (entry_offset.saturating_add(length), [0; SLACK_BYTES]);
        if entry_offset < position || end > input.file_bytes() {
            return Err(pending.not_met());
        }
        out.keep(position..entry_offset)?;
        let got = input.peek_at(end, &mut behind)?;
        position = match memchr(b'\n', &behind[..got]) {
            Some(newline) => end + newline as u64 + 1,
            None if got < SLACK_BYTES => input.file_bytes(),
            None => return Err(pending.not_met()),
        };
        if let LineAction::Cut(..) = pending.action() {
            let bytes = usize::try_from(position - entry_offset).unwrap_or(usize::MAX);
            line.grow(bytes);
            line.bytes.resize(bytes, 0);
            input.peek_at(entry_offset, &mut line.bytes)?;
            line.cut(pending, out)?;
            continue;
        }
        pending.advance()?;
    }
    out.keep(position..input.file_bytes())?;
    Ok(0)
}

/// The byte behind the first brace from a line on.
fn brace(input: &RangeReader, line: u64) -> Result<Option<u64>, InputError> {
    let (mut at, mut bytes) = (line, [0; PEEK_BYTES]);
    loop {
        let got = input.peek_at(at, &mut bytes)?;
        let brace = memchr(b'{', &bytes[..got]);
        if brace.is_some() || got == 0 {
            return Ok(brace.map(|brace| at + brace as u64 + 1));
        }
        at += got as u64;
    }
}

/// Copies entries; gives the bytes of the file that were lost with damaged ones.
fn entries(
    mut source: Decompressor,
    line: WholeLine<'_>,
    pending: &mut LineChanges<'_>,
    out: &mut Emitter<'_>,
) -> Result<u64, InputError> {
    let file_bytes = source.input().file_bytes();
    let mut entry = DecodedEntry {
        block: vec![0; BLOCK_BYTES],
        inside: Inside::Copied,
        in_line: false,
        line,
    };
    let (mut position, mut lost_bytes) = (0, 0);
    loop {
        if entry.inside == Inside::Copied {
            let next = pending
                .place()
                .map_or(file_bytes, |place| place.entry_offset);
            if next < position {
                return Err(pending.not_met());
            }
            out.keep(position..next)?;
            position = next;
            source.seek(next)?;
        }
        if position >= file_bytes {
            return Ok(lost_bytes);
        }
        match entry.copy(&mut source, pending, out) {
            Ok(()) => {}
            Err(DecodeError::Input(error)) => return Err(error),
            Err(DecodeError::Damaged { .. }) => {
                let failed_at = source.input().position();
                lost_bytes += source
                    .recover(EntryStart::ANY)?
                    .next
                    .saturating_sub(failed_at)
                    .max(1);
                if entry.inside == Inside::Cut {
                    return Err(pending.not_met());
                }
                // A line that was begun is part of the damage: it must not run into the next one.
                entry.inside = Inside::Copied;
                if entry.in_line {
                    out.content(b"\n")?;
                }
            }
        }
        if entry.inside == Inside::Cut && source.input().position() >= file_bytes {
            entry.line.cut(pending, out)?;
            entry.inside = Inside::Copied;
        }
        out.end_entry()?;
        let is_left = pending
            .place()
            .is_some_and(|place| place.entry_offset == position);
        if is_left && matches!(entry.inside, Inside::Copied | Inside::Removed) {
            return Err(pending.not_met());
        }
        position = source.input().position();
    }
}

/// The part of an entry that its next byte belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    /// Bytes that are copied as they are.
    Copied,
    /// A line that goes.
    Removed,
    /// The part before the brace of a line that gets members.
    BeforeBrace,
    /// A line whose text is cut.
    Cut,
}

/// An entry being decoded.
struct DecodedEntry<'g> {
    block: Vec<u8>,
    inside: Inside,
    /// The last byte handed on is inside a line.
    in_line: bool,
    /// As far as it is decoded, the line that is cut.
    line: WholeLine<'g>,
}

impl DecodedEntry<'_> {
    fn copy(
        &mut self,
        source: &mut Decompressor,
        pending: &mut LineChanges<'_>,
        out: &mut Emitter<'_>,
    ) -> Result<(), DecodeError> {
        if !source.begin_entry()? {
            return Ok(());
        }
        if let Some(read) = source.read_whole(&mut self.block)? {
            return Ok(self.take(source.entry_offset(), 0, read, pending, out)?);
        }
        loop {
            let at = source.inner_offset();
            match source.read_entry(&mut self.block)? {
                0 => return Ok(()),
                read => self.take(source.entry_offset(), at, read, pending, out)?,
            }
        }
    }

    /// Copies the lines among the first `filled` bytes of the block, which begin at byte
    /// `base` of the entry at `entry`.
    fn take(
        &mut self,
        entry: u64,
        base: u64,
        filled: usize,
        pending: &mut LineChanges<'_>,
        out: &mut Emitter<'_>,
    ) -> Result<(), InputError> {
        let mut at = 0;
        while at < filled {
            if self.inside != Inside::Copied {
                let is_annotated = self.inside == Inside::BeforeBrace;
                let sought = if is_annotated { b'{' } else { b'\n' };
                let end = memchr(sought, &self.block[at..filled]);
                let until = end.map_or(filled, |end| at + end + 1);
                let part = &self.block[at..until];
                match (self.inside, pending.action()) {
                    (Inside::BeforeBrace, LineAction::Annotate(members)) => {
                        out.content(part)?;
                        self.in_line = true;
                        if end.is_some() {
                            out.content(members.as_bytes())?;
                            pending.advance()?;
                        }
                    }
                    (Inside::Cut, _) => {
                        self.line.grow(part.len());
                        self.line.bytes.extend_from_slice(part);
                        if end.is_some() {
                            self.line.cut(pending, out)?;
                            self.in_line = false;
                        }
                    }
                    _ => {}
                }
                if end.is_some() {
                    self.inside = Inside::Copied;
                }
                at = until;
                continue;
            }
            let here = pending.place().filter(|place| place.entry_offset == entry);
            let next = here.map_or(u64::MAX, |place| place.inner_offset);
            let Some(next) = next.checked_sub(base).filter(|next| *next >= at as u64) else {
                return Err(pending.not_met());
            };
            let until = next.min(filled as u64) as usize;
            if until > at {
                out.content(&self.block[at..until])?;
                self.in_line = self.block[until - 1] != b'\n';
                at = until;
            }
            if at < filled {
                self.inside = match pending.action() {
                    LineAction::Annotate(_) => Inside::BeforeBrace,
                    LineAction::Cut(..) => Inside::Cut,
                    LineAction::Remove => {
                        pending.advance()?;
                        Inside::Removed
                    }
                };
            }
        }
        Ok(())
    }
}
