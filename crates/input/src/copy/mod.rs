//! Files again, without some of their records.
//!
//! *Input.* A listed file, and the places of the records that go, in file order. *Output.* Calls of
//! a [`CopySink`]: bytes of the file as they are, and decoded bytes that have to be encoded anew.
//! *Algorithm.* Whatever lies between two removed records is copied raw where that is right: lines
//! and records of a plain file, members and frames of which nothing goes. Only a member or frame of
//! which a part goes is decoded and encoded again. *Memory.* 1 MiB to copy, 1 MiB to decode; a zstd
//! window as its frame says. *Limits.* What is damaged stays as it is, unless it shares a member or
//! frame with a record that goes: then what cannot be decoded goes, too, and is counted.

mod emit;

use std::collections::VecDeque;

use twox_hash::XxHash3_64;

use crate::{jsonl, warc};
use decode::codec::{Compression, DecodeError, Decompressor};
use decode::range::RangeReader;
use decode::{
    document::{Place, SinkError},
    error::InputError,
    options::{Format, LargeRecords, SourceFile},
};

pub(crate) use emit::{Cursor, Emitter};

/// A record that is not copied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Removal {
    /// Where it lies, as [`crate::Document::place`] said.
    pub place: Place,
    /// [`record_hash`] of its WARC-Record-ID; 0 if it has none.
    pub record: u64,
}

/// The hash of a record's id, by which another record can be seen to name it.
pub fn record_hash(id: &str) -> u64 {
    XxHash3_64::oneshot(id.as_bytes()).max(1)
}

/// Where removed records come from.
pub trait Removals {
    /// The next one, in file order.
    ///
    /// # Errors
    /// Whatever stops the source of the removals.
    fn next(&mut self) -> Result<Option<Removal>, SinkError>;
}

/// Receives the parts of a file that stay.
pub trait CopySink {
    /// Bytes of the file as they are; between two entries, if the file is compressed.
    ///
    /// # Errors
    /// Whatever stops the receiver.
    fn raw(&mut self, bytes: &[u8]) -> Result<(), SinkError>;
    /// Decoded bytes of an entry that is to be encoded anew.
    ///
    /// # Errors
    /// Whatever stops the receiver.
    fn content(&mut self, bytes: &[u8]) -> Result<(), SinkError>;
    /// The entry of the bytes before is complete.
    ///
    /// # Errors
    /// Whatever stops the receiver.
    fn end_entry(&mut self) -> Result<(), SinkError>;
}

/// How a file is compressed, so that its copy can be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Packaging {
    /// Not at all, or by itself (Parquet).
    Plain,
    /// Gzip members.
    Gzip,
    /// Zstandard frames, all of them with this dictionary if it is not empty.
    Zstd {
        /// Its bytes.
        dictionary: Vec<u8>,
    },
}

/// What a copy lost besides the records that were to be removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CopyLosses {
    /// WARC records that went because they belong to a removed response.
    pub belonging: u64,
    /// Bytes of the file that could not be decoded and shared a member or frame with a removed
    /// record.
    pub lost_bytes: u64,
}

/// How a file is compressed. A zstd file whose dictionary cannot be used counts as plain: no record
/// of it was ever read.
///
/// # Errors
/// [`InputError::Io`] if it cannot be read, [`InputError::Changed`] if it is not the listed one.
pub fn packaging(file: &SourceFile) -> Result<Packaging, InputError> {
    let input = RangeReader::open(file, 0, 0)?;
    Ok(match (file.format, compression_of(&input)?) {
        (Format::Parquet, _) | (_, Compression::Plain) => Packaging::Plain,
        (_, Compression::Gzip) => Packaging::Gzip,
        (_, Compression::Zstd) => match Decompressor::new(input, Compression::Zstd) {
            Ok(source) => Packaging::Zstd {
                dictionary: source.dictionary().to_vec(),
            },
            Err(DecodeError::Input(error)) => return Err(error),
            Err(DecodeError::Damaged { .. }) => Packaging::Plain,
        },
    })
}

/// Whether the file can be opened and is the one that was listed.
///
/// # Errors
/// [`InputError::Io`], [`InputError::Changed`].
pub fn check_readable(file: &SourceFile) -> Result<(), InputError> {
    RangeReader::open(file, 0, 0)?.finish().map(drop)
}

/// Copies all of a file.
///
/// # Errors
/// As [`copy_records`].
pub fn copy_whole(file: &SourceFile, sink: &mut dyn CopySink) -> Result<(), InputError> {
    let mut out = Emitter::open(file, Compression::Plain, sink)?;
    out.keep(0..file.bytes)?;
    out.finish()
}

/// Copies a WARC or JSONL file but for some records; those of other formats are copied whole.
///
/// # Errors
/// [`InputError::Io`] if the file cannot be read, [`InputError::Changed`] if it is not the listed
/// one or has no record at a place that was named, [`InputError::Sink`] if the sink or the source
/// of the removals stops.
pub fn copy_records(
    file: &SourceFile,
    removals: &mut dyn Removals,
    large: &LargeRecords,
    sink: &mut dyn CopySink,
) -> Result<CopyLosses, InputError> {
    let mut pending = Pending::new(file, removals)?;
    if pending.peek().is_none() {
        return copy_whole(file, sink).map(|()| CopyLosses::default());
    }
    let input = RangeReader::open(file, 0, 0)?;
    let compression = compression_of(&input)?;
    let source = match Decompressor::new(input, compression) {
        Ok(source) => source,
        Err(DecodeError::Input(error)) => return Err(error),
        Err(DecodeError::Damaged { .. }) => return Err(pending.not_met()),
    };
    let out = Emitter::open(file, compression, sink)?;
    match file.format {
        Format::Warc => warc::copy(source, &mut pending, large, out),
        Format::Jsonl => jsonl::copy(source, &mut pending, out),
        Format::Parquet | Format::Html | Format::Text => Err(pending.not_met()),
    }
}

fn compression_of(input: &RangeReader) -> Result<Compression, InputError> {
    let mut first = [0; 4];
    let known = input.peek_at(0, &mut first)?;
    Ok(Compression::sniff(&first[..known]))
}

/// Removals looked at before they are met.
const AHEAD: usize = 64;
/// Ids of removed records that are remembered.
const BEHIND: usize = 4096;

/// The removals of a file: those to come, and the ids of those near by.
pub(crate) struct Pending<'a> {
    path: &'a std::path::Path,
    source: &'a mut dyn Removals,
    ahead: VecDeque<Removal>,
    behind: VecDeque<u64>,
    ended: bool,
}

impl<'a> Pending<'a> {
    fn new(file: &'a SourceFile, source: &'a mut dyn Removals) -> Result<Self, InputError> {
        let (ahead, behind) = (VecDeque::with_capacity(AHEAD), VecDeque::new());
        let mut pending = Pending {
            path: &file.path,
            source,
            ahead,
            behind,
            ended: false,
        };
        pending.fill()?;
        Ok(pending)
    }

    fn fill(&mut self) -> Result<(), InputError> {
        while self.ahead.len() < AHEAD && !self.ended {
            match self.source.next().map_err(InputError::Sink)? {
                Some(removal) => self.ahead.push_back(removal),
                None => self.ended = true,
            }
        }
        Ok(())
    }

    /// The next one.
    pub(crate) fn peek(&self) -> Option<Removal> {
        self.ahead.front().copied()
    }

    /// The next one is met.
    pub(crate) fn advance(&mut self) -> Result<(), InputError> {
        if let Some(removal) = self.ahead.pop_front() {
            if self.behind.len() == BEHIND {
                self.behind.pop_front();
            }
            if removal.record != 0 {
                self.behind.push_back(removal.record);
            }
        }
        self.fill()
    }

    /// Whether a removed record near by has this id.
    pub(crate) fn removes(&self, record: u64) -> bool {
        self.behind.contains(&record) || self.ahead.iter().any(|removal| removal.record == record)
    }

    /// No record was found where one was named.
    pub(crate) fn not_met(&self) -> InputError {
        InputError::Changed {
            path: self.path.to_owned(),
        }
    }
}
