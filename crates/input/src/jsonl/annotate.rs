//! A JSONL file again, with members added to some of its objects.
//!
//! *Input.* The file; the places of lines, each with the members to add. *Output.* All bytes, with
//! the members behind the opening brace of these lines. *Algorithm.* As [`copy`](super::copy): a
//! plain file is copied by spans, and entries with such lines are decoded and encoded again.
//! *Memory.* 64 KiB decoded, and the members of a line.

use memchr::memchr;

use crate::copy::{Annotated, Emitter};
use decode::codec::{DecodeError, Decompressor, EntryStart};
use decode::{document::Place, error::InputError};

const BLOCK_BYTES: usize = 64 << 10;

/// Bytes looked at, at a time, for the brace of a line.
const PEEK_BYTES: usize = 64;

/// Copies the lines; gives the bytes of the file that were lost with damaged entries.
pub(crate) fn annotate(
    source: Decompressor,
    lines: &mut Annotated<'_>,
    mut out: Emitter<'_>,
) -> Result<u64, InputError> {
    let lost_bytes = if source.is_plain() {
        plain(&source, lines, &mut out)?
    } else {
        entries(source, lines, &mut out)?
    };
    out.finish()?;
    Ok(lost_bytes)
}

fn plain(
    source: &Decompressor,
    lines: &mut Annotated<'_>,
    out: &mut Emitter<'_>,
) -> Result<u64, InputError> {
    let input = source.input();
    let mut position = 0;
    while let Some(Place { entry_offset, .. }) = lines.place() {
        if entry_offset < position {
            return Err(lines.not_met());
        }
        let (mut at, mut bytes) = (entry_offset, [0; PEEK_BYTES]);
        let brace = loop {
            let got = input.peek_at(at, &mut bytes)?;
            if got == 0 {
                return Err(lines.not_met());
            }
            if let Some(brace) = memchr(b'{', &bytes[..got]) {
                break at + brace as u64 + 1;
            }
            at += got as u64;
        };
        out.keep(position..brace)?;
        out.content(lines.members().as_bytes())?;
        lines.advance()?;
        position = brace;
    }
    out.keep(position..input.file_bytes())?;
    Ok(0)
}

/// Copies entries; gives the bytes of the file that were lost with damaged ones.
fn entries(
    mut source: Decompressor,
    lines: &mut Annotated<'_>,
    out: &mut Emitter<'_>,
) -> Result<u64, InputError> {
    let file_bytes = source.input().file_bytes();
    let mut entry = Entry {
        block: vec![0; BLOCK_BYTES],
        is_before_brace: false,
        in_line: false,
    };
    let (mut position, mut lost_bytes) = (0, 0);
    loop {
        if !entry.is_before_brace {
            let next = lines.place().map_or(file_bytes, |place| place.entry_offset);
            if next < position {
                return Err(lines.not_met());
            }
            out.keep(position..next)?;
            position = next;
            source.seek(next)?;
        }
        if position >= file_bytes {
            return Ok(lost_bytes);
        }
        match entry.copy(&mut source, lines, out) {
            Ok(()) => {}
            Err(DecodeError::Input(error)) => return Err(error),
            Err(DecodeError::Damaged { .. }) => {
                let failed_at = source.input().position();
                let recovered = source.recover(EntryStart::ANY)?.next;
                lost_bytes += recovered.saturating_sub(failed_at).max(1);
                // A line that was begun is part of the damage: it must not run into the next one.
                entry.is_before_brace = false;
                if entry.in_line {
                    out.content(b"\n")?;
                }
            }
        }
        out.end_entry()?;
        let is_left = lines
            .place()
            .is_some_and(|next| next.entry_offset == position);
        if is_left && !entry.is_before_brace {
            return Err(lines.not_met());
        }
        position = source.input().position();
    }
}

/// An entry being decoded.
struct Entry {
    block: Vec<u8>,
    /// The next line to annotate has begun, and its brace has not come.
    is_before_brace: bool,
    /// The last byte handed on is inside a line.
    in_line: bool,
}

impl Entry {
    fn copy(
        &mut self,
        source: &mut Decompressor,
        lines: &mut Annotated<'_>,
        out: &mut Emitter<'_>,
    ) -> Result<(), DecodeError> {
        if !source.begin_entry()? {
            return Ok(());
        }
        loop {
            let at = source.inner_offset();
            match source.read_entry(&mut self.block)? {
                0 => return Ok(()),
                read => self.take(source.entry_offset(), at, read, lines, out)?,
            }
        }
    }

    /// Copies the first `filled` bytes of the block, which begin at byte `base` of the entry at
    /// `entry`.
    fn take(
        &mut self,
        entry: u64,
        base: u64,
        filled: usize,
        lines: &mut Annotated<'_>,
        out: &mut Emitter<'_>,
    ) -> Result<(), InputError> {
        let mut at = 0;
        while at < filled {
            if self.is_before_brace {
                let brace = memchr(b'{', &self.block[at..filled]);
                let until = brace.map_or(filled, |brace| at + brace + 1);
                out.content(&self.block[at..until])?;
                (at, self.in_line) = (until, true);
                if brace.is_some() {
                    out.content(lines.members().as_bytes())?;
                    lines.advance()?;
                    self.is_before_brace = false;
                }
                continue;
            }
            let here = lines.place().filter(|place| place.entry_offset == entry);
            let next = here.map_or(u64::MAX, |place| place.inner_offset);
            let Some(next) = next.checked_sub(base).filter(|next| *next >= at as u64) else {
                return Err(lines.not_met());
            };
            let until = next.min(filled as u64) as usize;
            if until > at {
                out.content(&self.block[at..until])?;
                self.in_line = self.block[until - 1] != b'\n';
                at = until;
            }
            self.is_before_brace = at < filled;
        }
        Ok(())
    }
}
