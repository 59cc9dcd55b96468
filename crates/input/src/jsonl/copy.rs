//! A JSONL file again, without some of its lines, or with members added to their objects.
//!
//! *Input.* The file; the lines that change, by their places. *Output.* The other bytes, as they
//! are: a line goes with its newline, and members come behind the opening brace. *Algorithm.* A
//! plain file is copied by spans. Of a compressed one, the entries of which no line changes are
//! copied raw; the others are decoded, and their lines are encoded as one entry again. *Memory.* 64
//! KiB decoded.

use memchr::memchr;

use decode::codec::{DecodeError, Decompressor, EntryStart};
use decode::copying::{CopyLosses, Emitter, LineChanges};
use decode::range::RangeReader;
use decode::{document::Place, error::InputError};

const BLOCK_BYTES: usize = 64 << 10;

/// Bytes behind a line as it was recorded that may still be its own: a byte order mark before it
/// was not counted.
const SLACK_BYTES: usize = 4;

/// Bytes looked at, at a time, for the brace of a line.
const PEEK_BYTES: usize = 64;

/// Copies the file with these changes.
pub(crate) fn copy(
    source: Decompressor,
    pending: &mut LineChanges<'_>,
    mut out: Emitter<'_>,
) -> Result<CopyLosses, InputError> {
    let lost_bytes = if source.is_plain() {
        plain(&source, pending, &mut out)?
    } else {
        entries(source, pending, &mut out)?
    };
    out.finish()?;
    Ok(CopyLosses {
        belonging: 0,
        lost_bytes,
    })
}

fn plain(
    source: &Decompressor,
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
        if let Some(members) = pending.members() {
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
    pending: &mut LineChanges<'_>,
    out: &mut Emitter<'_>,
) -> Result<u64, InputError> {
    let file_bytes = source.input().file_bytes();
    let mut entry = DecodedEntry {
        block: vec![0; BLOCK_BYTES],
        inside: Inside::Copied,
        in_line: false,
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
                // A line that was begun is part of the damage: it must not run into the next one.
                entry.inside = Inside::Copied;
                if entry.in_line {
                    out.content(b"\n")?;
                }
            }
        }
        out.end_entry()?;
        let is_left = pending
            .place()
            .is_some_and(|place| place.entry_offset == position);
        if is_left && entry.inside != Inside::BeforeBrace {
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
}

/// An entry being decoded.
struct DecodedEntry {
    block: Vec<u8>,
    inside: Inside,
    /// The last byte handed on is inside a line.
    in_line: bool,
}

impl DecodedEntry {
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
                let members = pending
                    .members()
                    .filter(|_| self.inside == Inside::BeforeBrace);
                let sought = if members.is_some() { b'{' } else { b'\n' };
                let end = memchr(sought, &self.block[at..filled]);
                let until = end.map_or(filled, |end| at + end + 1);
                if let Some(members) = members {
                    out.content(&self.block[at..until])?;
                    self.in_line = true;
                    if end.is_some() {
                        out.content(members.as_bytes())?;
                        pending.advance()?;
                    }
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
                if pending.members().is_some() {
                    self.inside = Inside::BeforeBrace;
                } else {
                    pending.advance()?;
                    self.inside = Inside::Removed;
                }
            }
        }
        Ok(())
    }
}
