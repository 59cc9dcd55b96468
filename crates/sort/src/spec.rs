//! The parameters of a sort: directory, memory, threads, and the range of keys to expect.

use format::Disk;
use model::Record;
use std::path::PathBuf;

/// The range in which the prefixes of the records are expected ([`Record::prefix`]).
///
/// Only speed depends on it: a part that gets more than its share of records is partitioned again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prefixes {
    pub(crate) first: u64,
    pub(crate) last: u64,
    /// Whether to take the range from the first records.
    guessed: bool,
    /// Whether records come roughly in the order of their numbers ([`Record::number`]), so that the
    /// difference from one to the next is small.
    pub(crate) by_number: bool,
}

impl Prefixes {
    /// An unknown range, to be taken from the first records.
    pub const UNKNOWN: Prefixes = Prefixes {
        first: 0,
        last: u64::MAX,
        guessed: true,
        by_number: false,
    };

    /// All 64-bit values with equal probability, as fingerprints have.
    pub const ALL: Prefixes = Prefixes {
        first: 0,
        last: u64::MAX,
        guessed: false,
        by_number: false,
    };

    /// Fingerprints, of records that come in the order of their numbers ([`Record::number`]). Such
    /// records take 8 instead of 12 bytes in memory and on disk while they are sorted.
    pub const ALL_BY_NUMBER: Prefixes = Prefixes {
        by_number: true,
        ..Prefixes::ALL
    };

    /// Prefixes whose upper half is the number of a document below `documents`.
    pub fn documents(documents: u32) -> Prefixes {
        Prefixes::between(0, (u64::from(documents) << 32).saturating_sub(1))
    }

    /// The prefixes from `first` to `last`, both included.
    pub fn between(first: u64, last: u64) -> Prefixes {
        Prefixes {
            first,
            last: last.max(first),
            guessed: false,
            by_number: false,
        }
    }

    /// This range, or that of these records if it is unknown.
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

/// The parameters of a sort.
#[derive(Clone, Debug)]
pub struct SortSpec {
    /// How files are accessed.
    pub disk: Disk,
    /// Directory for records that do not fit memory.
    pub dir: PathBuf,
    /// Prefix of the names of the files; unique among the sorts of a directory.
    pub name: String,
    /// Most bytes that the sort allocates at any time.
    pub memory_bytes: usize,
    /// Most files that may be open at once.
    pub fan_in_max: usize,
    /// How many feeders may be used at once, and how many threads sort.
    pub threads: usize,
    /// The expected range of the keys.
    pub prefixes: Prefixes,
}

impl SortSpec {
    /// A sort on one thread, of unknown keys, with at most 64 open files.
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

#[cfg(test)]
mod tests {
    use super::*;
    use model::Posting;

    #[test]
    fn a_range_of_prefixes_is_given_or_that_of_the_first_records() {
        let three = Prefixes::documents(3);
        assert_eq!((three.first, three.last), (0, (3 << 32) - 1));
        let records = [7, 5, 9].map(|shingle| Posting { shingle, doc: 1 });
        assert_eq!(three.or_of(records.iter()), three);
        let guessed = Prefixes::UNKNOWN.or_of(records.iter());
        assert_eq!(guessed, Prefixes::between(5, 9));
        let none = Prefixes::between(5, 4);
        assert_eq!((none.first, none.last), (5, 5));
    }
}
