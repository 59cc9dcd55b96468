//! Looking up a key in a published file of sorted records.
//!
//! *Algorithm.* The first key of each block is in a small file of its own (a sparse index, Knuth,
//! *Sorting and Searching*, 6.2.4): a binary search there names the one block where the key begins,
//! another one within that block the record. *Disk.* The blocks of keys that the first search
//! meets, one block of records, and those that records of the same key go on in. A block whose
//! first record does not have the key that the sparse index says is damage, so both agree or
//! nothing is answered.

use crate::FormatError;
use crate::index_records::BlockKey;
use crate::mapped::{MappedRecords, partition_point, record_at};
use model::Record;
use std::ops::Range;
use std::sync::Arc;

/// Which part of a file of keys belongs to a file of records.
#[derive(Clone, Debug)]
pub struct KeyRange {
    /// All keys.
    pub keys: Arc<MappedRecords<BlockKey>>,
    /// The keys of the blocks of one file, one each.
    pub range: Range<u64>,
}

/// A mapped file of records in the order of their prefixes.
#[derive(Debug)]
pub struct SortedRecords<R> {
    records: MappedRecords<R>,
    keys: KeyRange,
}

/// Some records that follow each other.
#[derive(Clone, Debug)]
pub struct RecordRange<'a, R> {
    records: &'a MappedRecords<R>,
    range: Range<u64>,
}

impl<R: Record> SortedRecords<R> {
    /// Joins records and the keys of their blocks, one each.
    pub fn new(records: MappedRecords<R>, keys: KeyRange) -> SortedRecords<R> {
        SortedRecords { records, keys }
    }

    /// The records, by their number.
    pub fn records(&self) -> &MappedRecords<R> {
        &self.records
    }

    /// How many records have a prefix below this one.
    pub fn below(&self, prefix: u64) -> Result<u64, FormatError> {
        let Range { start, end } = self.keys.range;
        let (keys, blocks) = (end.saturating_sub(start), self.records.blocks()?);
        if keys != blocks || end > self.keys.keys.len() {
            let what = format!("{keys} keys for {blocks} blocks");
            return Err(self.records.damaged(what));
        }
        let low = partition_point(start..end, |at| Ok(self.keys.keys.get(at)?.0 < prefix))?;
        // Records of this prefix may begin at the end of the block before the first block that
        // begins with it.
        let Some(block) = (low - start).checked_sub(1) else {
            return Ok(0);
        };
        let records = self.records.block(block)?;
        let prefix_of = |at| record_at::<R>(records, at).map(|record| record.prefix());
        let first = prefix_of(0);
        if first != Some(self.keys.keys.get(low - 1)?.0) {
            let what = format!("block {block} does not begin with the key that the index names");
            return Err(self.records.damaged(what));
        }
        let is_below = |at| Ok(prefix_of(at).is_some_and(|first| first < prefix));
        let below = partition_point(0..(records.len() / R::SIZE) as u64, is_below)?;
        Ok(block * self.records.in_block()? + below)
    }

    /// The records whose prefix is at least `from` and below `to`; without an upper end if there is
    /// none.
    pub fn between(&self, from: u64, to: Option<u64>) -> Result<RecordRange<'_, R>, FormatError> {
        let start = self.below(from)?;
        let end = match to {
            Some(to) => self.below(to)?,
            None => self.records.len(),
        };
        Ok(RecordRange {
            records: &self.records,
            range: start..end.max(start),
        })
    }

    /// The records with this prefix.
    pub fn equal(&self, prefix: u64) -> Result<RecordRange<'_, R>, FormatError> {
        let start = self.below(prefix)?;
        // Most keys are rare: a look at what follows saves the second search.
        for number in start..(start + SHORT_RANGE).min(self.records.len()) {
            if self.records.get(number)?.prefix() != prefix {
                return Ok(RecordRange {
                    records: &self.records,
                    range: start..number,
                });
            }
        }
        self.between(prefix, prefix.checked_add(1))
    }

    /// The records of which the first number of the prefix, its high half, is this one.
    pub fn of(&self, high: u32) -> Result<RecordRange<'_, R>, FormatError> {
        let end = high.checked_add(1).map(|next| u64::from(next) << 32);
        self.between(u64::from(high) << 32, end)
    }
}

/// Records looked at before a second search.
const SHORT_RANGE: u64 = 16;

impl<'a, R: Record> RecordRange<'a, R> {
    /// How many there are.
    pub fn len(&self) -> u64 {
        self.range.end - self.range.start
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One of them.
    pub fn get(&self, index: u64) -> Result<R, FormatError> {
        self.records
            .get(self.range.start.saturating_add(index).min(self.range.end))
    }

    /// The first one.
    pub fn first(&self) -> Result<Option<R>, FormatError> {
        if self.is_empty() {
            Ok(None)
        } else {
            self.get(0).map(Some)
        }
    }

    /// All of them, in order or from the last on.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = Result<R, FormatError>> + use<'a, R> {
        let records = self.records;
        self.range.clone().map(move |number| records.get(number))
    }
}
