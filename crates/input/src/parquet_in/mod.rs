//! Parquet: one row a document.
//!
//! *Input.* A file, of which the footer and the named columns are read. *Output.* A document for
//! each row with text. *Algorithm.* A row group belongs to the piece in which its first page lies;
//! row groups are taken in the order of those offsets, and their rows one at a time. Sizes that a
//! file claims are checked before anything of that size is allocated; a parser's panic costs the
//! row group. *Memory.* The footer, and of each column its dictionary and the page at hand, or two
//! parts of a large one ([`split_pages`]); up to [`PARQUET_THREAD_BYTES`] in all, where that is not
//! enough the row group waits at the gate, and what needs more than `max_page_bytes` at once is
//! refused. *Limits.* No nested columns but lists of features, no encryption; codecs zstd, snappy
//! and gzip. Rows before a damaged page are kept.

mod cells;
mod chunk;
mod columns;
mod copy;
mod deltas;
mod footer;
mod groups;
mod lists;
mod other_texts;
mod pages;
mod room;
mod row;
mod source;
mod split_pages;
#[cfg(test)]
mod tests;

pub use copy::ParquetCopy;
use decode::expansion::ExpansionLimit;
use decode::range::RangeReader;
use decode::{
    document::{Place, Rejection, Sink},
    error::InputError,
    options::{Piece, PieceEnd, ReadOptions, SourceFile},
};
use groups::RowGroup;
pub use room::PARQUET_THREAD_BYTES;
use source::ParquetSource;

/// Reads the row groups of a piece; see [`crate::read_piece`].
pub(crate) fn read_piece(
    file: &SourceFile,
    piece: &Piece,
    from: Option<u64>,
    options: &ReadOptions,
    sink: &mut dyn Sink,
) -> Result<PieceEnd, InputError> {
    let input = RangeReader::open(file, piece.start, piece.end)?;
    let is_head = piece.start == 0 && from.unwrap_or(0) == 0 && file.stat.bytes > 0;
    let head = is_head.then_some(0);
    let source = match ParquetSource::open(file, options)? {
        Ok(source) => source,
        Err(((reason, detail), records)) => {
            if is_head {
                sink.rejected(Rejection {
                    records,
                    ..Rejection::new(0, reason, detail)
                })?;
            }
            return PieceEnd::of(head, file.stat.bytes, input);
        }
    };
    let from = from.unwrap_or(piece.start).max(piece.start);
    let begins = |group: &&RowGroup| group.offset >= from && group.offset < piece.end;
    let first = head.or(source.groups.iter().find(begins).map(|group| group.offset));
    let mut expansion = ExpansionLimit::new(options.max_expansion);
    for group in source.groups.iter().filter(begins) {
        source.read_group(group, &mut expansion, options, sink)?;
    }
    let next = source
        .groups
        .iter()
        .map(|group| group.offset)
        .find(|&offset| offset >= piece.end.max(from));
    let next = next.unwrap_or(file.stat.bytes).max(piece.end);
    PieceEnd::of(first, next, input)
}

/// Hands on the row at `place` again, if there is one and it is a document.
pub(crate) fn read_at(
    file: &SourceFile,
    place: &Place,
    options: &ReadOptions,
    sink: &mut dyn Sink,
) -> Result<(), InputError> {
    // Opening checks that the file is the listed one.
    RangeReader::open(file, 0, 0)?;
    let Ok(source) = ParquetSource::open(file, options)? else {
        return Ok(());
    };
    for group in source
        .groups
        .iter()
        .filter(|group| group.offset == place.entry_offset)
    {
        source.read_row(group, place.inner_offset, options, sink)?;
    }
    Ok(())
}
