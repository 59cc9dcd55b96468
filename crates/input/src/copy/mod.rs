//! Files again, without some of their records or of their texts.
//!
//! *Input.* A listed file, and the places of the records that go or are cut, in file order.
//! *Output.* Calls of a [`CopySink`]: bytes of the file as they are, and decoded bytes that have to
//! be encoded anew. *Algorithm.* Whatever lies between two removed records is copied raw where that
//! is right: lines and records of a plain file, members and frames of which nothing goes. Only a
//! member or frame of which a part goes is decoded and encoded again. *Memory.* 1 MiB to copy, 1
//! MiB to decode; a zstd window as its frame says. *Limits.* What is damaged stays as it is, unless
//! it shares a member or frame with a record that goes: then what cannot be decoded goes, too, and
//! is counted.

use crate::{jsonl, tree, warc};
use decode::codec::{Compression, Decompressor};
use decode::range::RangeReader;
use decode::{
    error::InputError,
    options::{Format, LargeRecords, ReadOptions, SourceFile},
};

pub use decode::copying::{
    Annotations, CopyLosses, CopySink, DocumentCut, DocumentCuts, Packaging, Removal, cut_text,
    record_hash,
};
use decode::copying::{Emitter, LineChanges, Pending};

/// How a file is compressed. A zstd file whose dictionary cannot be used counts as plain: no record
/// of it was ever read.
pub fn packaging(file: &SourceFile) -> Result<Packaging, InputError> {
    let input = RangeReader::open(file, 0, 0)?;
    Ok(match (file.format, Compression::at(&input, 0)?) {
        (Format::Parquet, _) | (_, Compression::Plain) => Packaging::Plain,
        (_, Compression::Gzip) => Packaging::Gzip,
        (_, Compression::Zstd) => match Decompressor::new(input, Compression::Zstd)? {
            Ok(source) => Packaging::Zstd {
                dictionary: source.dictionary().to_vec(),
            },
            Err(_) => Packaging::Plain,
        },
    })
}

/// Whether the file can be opened and is the one that was listed.
pub fn check_readable(file: &SourceFile) -> Result<(), InputError> {
    RangeReader::open(file, 0, 0)?.finish().map(drop)
}

/// Copies all of a file.
pub fn copy_whole(file: &SourceFile, sink: &mut dyn CopySink) -> Result<(), InputError> {
    let mut out = Emitter::open(file, sink)?;
    out.keep(0..file.stat.bytes)?;
    out.finish()
}

/// Copies a WARC, ARC or JSONL file or a text without some of its documents, a JSONL file or a text
/// also without parts of their texts, with a marker in place of each; those of other formats are
/// copied whole.
///
/// # Errors
/// [`InputError::Io`] if the file cannot be read, [`InputError::Changed`] if it is not the listed
/// one or has nothing that can go at a place that was named, [`InputError::Sink`] if the sink or
/// the source of the cuts stops.
pub fn copy_records(
    file: &SourceFile,
    cuts: &mut dyn DocumentCuts,
    marker: &str,
    options: &ReadOptions,
    sink: &mut dyn CopySink,
) -> Result<CopyLosses, InputError> {
    let options = &*options.of(file);
    if file.format == Format::Jsonl {
        let cutter = jsonl::LineCutter::new(&options.fields, marker);
        let lines = LineChanges::cuts(file, cuts, &cutter)?;
        return copy_lines(file, lines, &options.large, sink);
    }
    if file.format == Format::Text {
        match cuts.next()? {
            Some((_, DocumentCut::Parts(ranges))) => {
                tree::cut(file, &ranges, marker, options, sink)?;
            }
            Some((_, DocumentCut::Whole | DocumentCut::Record(_))) => {}
            None => copy_whole(file, sink)?,
        }
        return Ok(CopyLosses::default());
    }
    let mut pending = Pending::new(file, cuts)?;
    if pending.peek().is_none() {
        return copy_whole(file, sink).map(|()| CopyLosses::default());
    }
    if file.format == Format::Wacz {
        return Err(InputError::NotCopied {
            path: file.path.clone(),
        });
    }
    let Ok(source) = Decompressor::open(file, 0, 0)? else {
        return Err(pending.not_met());
    };
    if !matches!(file.format, Format::Warc | Format::Arc) {
        return Err(pending.not_met());
    }
    let out = Emitter::open(file, sink)?;
    let syntax = warc::syntax_of(file);
    warc::copy(source, syntax, &mut pending, &options.large, out)
}

/// Copies a JSONL file with members added to some of its objects.
pub fn annotate_lines(
    file: &SourceFile,
    annotations: &mut dyn Annotations,
    sink: &mut dyn CopySink,
) -> Result<CopyLosses, InputError> {
    let lines = LineChanges::annotations(file, annotations)?;
    copy_lines(file, lines, &LargeRecords::default(), sink)
}

fn copy_lines(
    file: &SourceFile,
    mut lines: LineChanges<'_>,
    large: &LargeRecords,
    sink: &mut dyn CopySink,
) -> Result<CopyLosses, InputError> {
    if lines.place().is_none() {
        return copy_whole(file, sink).map(|()| CopyLosses::default());
    }
    let Ok(source) = Decompressor::open(file, 0, 0)? else {
        return Err(lines.not_met());
    };
    let out = Emitter::open(file, sink)?;
    jsonl::copy(source, &mut lines, large, out)
}
