//! How to sort: where, with how much memory, on how many threads, and what keys to expect.

use format::Disk;
use model::Record;
use std::path::PathBuf;

/// The range in which the prefixes of the records are expected ([`Record::prefix`]).
///
/// Only speed depends on it: parts of the range that get more than their share are parted again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prefixes {
    pub(crate) first: u64,
    pub(crate) last: u64,
    /// Nobody knows better: look at the first records.
    guessed: bool,
    /// Records come about in the order of their numbers ([`Record::number`]), so that steps from
    /// one to the next are small.
    pub(crate) by_number: bool,
}

impl Prefixes {
    /// Not known: taken from the first records.
    pub const UNKNOWN: Prefixes = Prefixes {
        first: 0,
        last: u64::MAX,
        guessed: true,
        by_number: false,
    };

    /// Anything: fingerprints.
    pub const ALL: Prefixes = Prefixes {
        first: 0,
        last: u64::MAX,
        guessed: false,
        by_number: false,
    };

    /// Fingerprints, of records that come in the order of their numbers ([`Record::number`]): two
    /// thirds of their bytes are put aside.
    pub const ALL_BY_NUMBER: Prefixes = Prefixes {
        by_number: true,
        ..Prefixes::ALL
    };

    /// Records whose prefix begins with a document's number, of so many documents.
    pub fn documents(documents: u32) -> Prefixes {
        Prefixes::between(0, (u64::from(documents) << 32).saturating_sub(1))
    }

    /// From one prefix to another, both included.
    pub fn between(first: u64, last: u64) -> Prefixes {
        Prefixes {
            first,
            last: last.max(first),
            guessed: false,
            by_number: false,
        }
    }

    /// What was said, or else the range of these records.
    pub(crate) fn or_of<'r, R: Record>(self, records: impl Iterator<Item = &'r R>) -> Prefixes {
        if !self.guessed {
            return self;
        }
        let (first, last) = records.fold((u64::MAX, 0), |(first, last), record| {
            let prefix = record.prefix();
            (first.min(prefix), last.max(prefix))
        });
        Prefixes::between(first.min(last), last)
    }
}

/// How to sort.
#[derive(Clone, Debug)]
pub struct SortSpec {
    /// The way to the disk.
    pub disk: Disk,
    /// Directory for what does not fit memory.
    pub dir: PathBuf,
    /// First part of the files' names; unique among the sorts of a directory.
    pub name: String,
    /// Bytes for everything the sort holds at any time.
    pub memory_bytes: usize,
    /// Files held open at once at most, whatever the memory.
    pub fan_in_max: usize,
    /// Feeders that may be used at once, and threads that sort.
    pub threads: usize,
    /// The range of the keys.
    pub prefixes: Prefixes,
}

impl SortSpec {
    /// A sort on one thread, of whatever keys come, with at most 64 open files.
    pub fn new(disk: Disk, dir: PathBuf, name: String, memory_bytes: usize) -> SortSpec {
        SortSpec {
            disk,
            dir,
            name,
            memory_bytes,
            fan_in_max: 64,
            threads: 1,
            prefixes: Prefixes::UNKNOWN,
        }
    }
}
