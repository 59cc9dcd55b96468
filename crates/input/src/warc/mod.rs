//! WARC, WET and ARC files, plain, gzip or zstd → documents.
//!
//! *Input.* A piece of a file: records whose entry (member, frame, or plain record) begins in it
//! are its own. *Output.* Documents and rejections in file order, and where the first entry began
//! and the next begins. *Algorithm.* An entry is read to its end wherever that is; behind a damaged
//! one the next is searched. What is read from an entry's beginning on depends on the bytes from
//! there on alone: so pieces whose ends meet give together what one reader gives that goes straight
//! through. Where the first entry of a piece begins is guessed, unless the caller knows: the next
//! member or frame whose content begins with `WARC/`, the next version line behind a blank line.
//! *Memory.* One block, the decoder, one record (see [`window`]). *Limits.* A record goes over the
//! border of two entries behind its header only.

mod arc;
mod copy;
mod document;
mod guess;
mod header;
mod judge;
mod records;
mod syntax;
mod tail;
mod version_line;
mod window;

use std::ops::Range;

use decode::codec::{DecodeError, Decompressor};
use decode::expansion::ExpansionLimit;
use decode::range::RangeReader;
use decode::{
    document::{Rejection, Sink},
    error::InputError,
    options::{Format, Piece, PieceEnd, ReadOptions, SourceFile},
};

pub(crate) use copy::copy;
use document::RecordOutlet;
use records::{End, Records};
pub(crate) use syntax::Syntax;
pub(crate) use window::Gate;
use window::{EntryWindow, LARGE_WINDOW_BYTES};

/// The syntax of the records of a file.
pub(crate) fn syntax_of(file: &SourceFile) -> Syntax {
    match file.format {
        Format::Arc => Syntax::Arc,
        _ => Syntax::Warc,
    }
}

/// Reads the records of one piece; `from` is where its first entry begins, if the caller knows (at
/// or behind the start).
pub(crate) fn read_piece(
    file: &SourceFile,
    piece: &Piece,
    from: Option<u64>,
    options: &ReadOptions,
    sink: &mut dyn Sink,
) -> Result<PieceEnd, InputError> {
    let end = piece.end.min(file.stat.bytes);
    let source = match Decompressor::open(file, piece.start, piece.end)? {
        Ok(source) => source.bounded(ExpansionLimit::new(options.max_expansion)),
        Err((reason, detail)) => {
            let rejection = Rejection::new(0, reason, detail);
            return unreadable(file, piece, rejection, sink);
        }
    };
    let from = from.or((piece.start == 0).then_some(0));
    let range = piece.start..end;
    let read = read_range(source, syntax_of(file), range, from, options, sink)?;
    PieceEnd::of(read.first, read.next, read.source.into_input())
}

/// Where the records of a range began and ended.
pub(crate) struct RangeRead {
    /// Where the first record began; `None` if none begins in the range.
    pub(crate) first: Option<u64>,
    /// Where the record behind the last one begins: at the end of the range or behind it.
    pub(crate) next: u64,
    /// The file.
    pub(crate) source: Decompressor,
}

/// Reads the records whose entries begin in a range; `from` is where the first begins, if known.
pub(crate) fn read_range(
    source: Decompressor,
    syntax: Syntax,
    range: Range<u64>,
    from: Option<u64>,
    options: &ReadOptions,
    sink: &mut dyn Sink,
) -> Result<RangeRead, InputError> {
    let end = range.end;
    let mut window = EntryWindow::new(source, syntax);
    let mut gate = Gate::new(&options.large);
    let first = match from {
        Some(from) => Some(from),
        None => guess::first_entry(&mut window, range, &mut gate)?,
    };
    gate.release();
    let Some(first) = first.filter(|&first| first < end) else {
        return Ok(RangeRead {
            first: None,
            next: from.unwrap_or(end).max(end),
            source: window.source,
        });
    };
    window.source.seek(first)?;
    let out = RecordOutlet {
        options,
        gate,
        sink,
    };
    let mut records = Records::new(window, out);
    let next = match records.window.source.is_plain() {
        true => plain(&mut records, end)?,
        false => entries(&mut records, first, end)?,
    };
    Ok(RangeRead {
        first: Some(first),
        next,
        source: records.window.source,
    })
}

/// Reads the records of the entry at the position, behind which no other is looked for.
pub(crate) fn read_entry(
    source: Decompressor,
    options: &ReadOptions,
    sink: &mut dyn Sink,
) -> Result<Decompressor, InputError> {
    let out = RecordOutlet {
        options,
        gate: Gate::new(&options.large),
        sink,
    };
    let window = EntryWindow::new(source, Syntax::Warc);
    let mut records = Records::new(window, out);
    let ended = match records.window.source.begin_entry() {
        Ok(true) => records.read_entry(u64::MAX)?,
        Ok(false) | Err(DecodeError::Damaged { .. }) => End::Complete,
        Err(DecodeError::Input(error)) => return Err(error),
    };
    if let End::Damaged {
        reason,
        detail,
        inner_offset,
    } = ended
    {
        records.out.reject(Rejection::new(
            records.window.source.entry_offset(),
            reason,
            format!("{detail}; it is lost after byte {inner_offset} of its content"),
        ))?;
    }
    Ok(records.window.source)
}

/// A file of which nothing can be decoded: its first piece says so.
pub(crate) fn unreadable(
    file: &SourceFile,
    piece: &Piece,
    rejection: Rejection,
    sink: &mut dyn Sink,
) -> Result<PieceEnd, InputError> {
    let input = RangeReader::open(file, piece.start, piece.end)?;
    let first = (piece.start == 0).then_some(0);
    if first.is_some() {
        sink.rejected(rejection)?;
    }
    PieceEnd::of(first, file.stat.bytes, input)
}

/// Reads plain records up to one that begins at `end` or behind it; gives where.
fn plain(records: &mut Records<'_>, end: u64) -> Result<u64, InputError> {
    let file_bytes = records.window.source.input().file_bytes();
    match records.window.source.begin_entry() {
        Err(DecodeError::Input(error)) => return Err(error),
        Ok(true) => {}
        Ok(false) | Err(DecodeError::Damaged { .. }) => return Ok(file_bytes),
    }
    match records.read_entry(end)? {
        End::Limit(next) => Ok(next),
        End::Complete | End::Damaged { .. } => Ok(file_bytes),
    }
}

/// Reads the entries that begin in `at..end`; gives where the next one begins.
fn entries(records: &mut Records<'_>, mut at: u64, end: u64) -> Result<u64, InputError> {
    while at < end {
        let ended = match records.window.source.begin_entry() {
            Err(DecodeError::Input(error)) => return Err(error),
            Err(DecodeError::Damaged { reason, detail }) => End::Damaged {
                reason,
                detail,
                inner_offset: 0,
            },
            Ok(false) => return Ok(at),
            Ok(true) => {
                let window_bytes = records.window.source.window_bytes();
                if window_bytes > LARGE_WINDOW_BYTES {
                    records.out.gate.held_by_entry = true;
                    records.out.gate.need(window_bytes as usize);
                }
                let ended = records.read_entry(u64::MAX)?;
                records.out.gate.held_by_entry = false;
                records.window.relax();
                records.out.gate.release();
                ended
            }
        };
        if let End::Damaged {
            reason,
            detail,
            inner_offset,
        } = ended
        {
            recover(records, reason, &detail, inner_offset)?;
        }
        at = records.window.source.input().position();
    }
    Ok(at)
}

/// Behind damage: goes to the next entry and tells what was lost.
fn recover(
    records: &mut Records<'_>,
    reason: &'static str,
    detail: &str,
    inner_offset: u64,
) -> Result<(), InputError> {
    let recovery = records
        .window
        .source
        .recover(records.window.syntax.entry_start())?;
    if recovery.zeros {
        return Ok(());
    }
    let reason = match (reason, recovery.lost_from) {
        ("damaged", 0) if recovery.at_end => records.window.syntax.no_record(),
        ("damaged", _) if recovery.at_end => "trailing-garbage",
        _ => reason,
    };
    let lost = recovery.next - recovery.lost_from;
    let kept = match inner_offset {
        0 => String::new(),
        kept => format!(", after byte {kept} of its content"),
    };
    let detail = format!("{detail}; {lost} bytes of the file lost{kept}");
    records
        .out
        .reject(Rejection::new(recovery.lost_from, reason, detail))
}

#[cfg(test)]
mod tests;
