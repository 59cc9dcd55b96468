//! Step 3: the pairs of each range of lower documents are counted in memory.
//!
//! *Input.* The lists of each partition, cut into ranges of documents that should fit memory.
//! *Output.* Sorted pair counts. *Memory.* That of a [`RangeCounter`] for each thread, and the
//! pairs that wait to be written in order. A range whose lists do not fit is halved. A single
//! document whose lists do not fit is counted without storing its lists, and its upper documents
//! are halved if they are too many.

use super::list_file::ListFile;
use super::list_partitions::ListPartitions;
use super::ordered_writer::{OrderedPairs, RangeTurn, ThreadStop};
use crate::expansion::{MinShared, RangeCounter};
use engine::{Error, merge_levels::SnapshotCounter};
use model::PairCount;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Ranges for each thread; several, so that all threads end at about the same time. A range has at
/// least so many words.
const RANGES_PER_THREAD: u64 = 8;
const RANGE_WORDS_MIN: u64 = if cfg!(test) { 16 } else { 1 << 18 };

/// Documents of one partition that are counted together.
struct DocumentRange {
    partition: usize,
    docs: Range<u32>,
}

/// All ranges in order; threads take one after the other.
pub(super) struct RangeQueue<'a> {
    partitions: &'a ListPartitions,
    min_shared: &'a MinShared,
    ranges: Vec<DocumentRange>,
    /// For each partition, how many of its ranges are not counted yet.
    left: Vec<AtomicUsize>,
    next: AtomicUsize,
    ordered: OrderedPairs,
    /// For each thread, bytes of its counter.
    counter_bytes: usize,
    /// For each thread, how many pairs may wait for their turn.
    waiting_max: usize,
}

impl<'a> RangeQueue<'a> {
    /// Cuts the partitions into ranges that should fit memory.
    pub(super) fn of(
        partitions: &'a ListPartitions,
        min_shared: &'a MinShared,
        ordered: OrderedPairs,
        memory_bytes: usize,
    ) -> RangeQueue<'a> {
        let threads = rayon::current_num_threads();
        let counter_bytes = memory_bytes / 13 * 10 / threads;
        let waiting_max = memory_bytes / 13 * 3 / threads / size_of::<PairCount>();
        // With its index, a list takes up to three times its words.
        let fitting = counter_bytes as u64 / 4 / 3;
        let words: u64 = (0..partitions.count())
            .map(|partition| partitions.file(partition).words())
            .sum();
        let shared_out = (words / (threads as u64 * RANGES_PER_THREAD)).max(RANGE_WORDS_MIN);
        let mut ranges = Vec::new();
        let mut left = Vec::new();
        for partition in 0..partitions.count() {
            let docs = partitions.range(partition);
            let cuts = partitions
                .file(partition)
                .words()
                .div_ceil(fitting.min(shared_out).max(1))
                .min(docs.len() as u64);
            let at = |cut: u64| docs.start + (docs.len() as u64 * cut / cuts.max(1)) as u32;
            ranges.extend((0..cuts).map(|cut| DocumentRange {
                partition,
                docs: at(cut)..at(cut + 1),
            }));
            left.push(AtomicUsize::new(cuts as usize));
        }
        RangeQueue {
            partitions,
            min_shared,
            ranges,
            left,
            next: AtomicUsize::new(0),
            ordered,
            counter_bytes,
            waiting_max,
        }
    }

    /// The work of one thread: counts ranges until none is left.
    pub(super) fn count(&self) -> Result<(), Error> {
        let mut counter = RangeCounter::new(self.counter_bytes);
        let mut waiting = Vec::new();
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(DocumentRange { partition, docs }) = self.ranges.get(number) else {
                return Ok(());
            };
            let turn = self.ordered.turn_of(number, &mut waiting, self.waiting_max);
            let lists = self.partitions.file(*partition);
            let mut counting = RangeCount {
                lists,
                documents: self.partitions.documents(),
                min_shared: self.min_shared,
                counter: &mut counter,
                turn,
            };
            let counted = counting
                .range(docs.clone())
                .and_then(|()| counting.turn.finish());
            match counted {
                Ok(()) => {}
                Err(Some(error)) => return Err(error),
                // Another thread failed; it reports the error.
                Err(None) => return Ok(()),
            }
            if self.left[*partition].fetch_sub(1, Ordering::AcqRel) == 1 {
                lists.remove()?;
            }
        }
    }

    /// Completes the file of pairs.
    pub(super) fn finish(self) -> Result<(format::Sealed, SnapshotCounter), Error> {
        self.ordered.finish()
    }
}

/// Counts one range.
struct RangeCount<'a> {
    /// The lists of its partition.
    lists: &'a ListFile,
    /// How many documents there are.
    documents: u32,
    min_shared: &'a MinShared,
    counter: &'a mut RangeCounter,
    turn: RangeTurn<'a>,
}

impl RangeCount<'_> {
    /// The pairs of a range of lower documents.
    fn range(&mut self, docs: Range<u32>) -> Result<(), ThreadStop> {
        let RangeCount {
            lists,
            min_shared,
            counter,
            turn,
            ..
        } = self;
        let fits = counter.begin(docs.clone())
            && lists
                .each_list(|list| Ok(counter.add(list)))
                .map_err(Some)?;
        if fits {
            return counter.emit(min_shared, |pair| turn.push(pair));
        }
        if docs.len() == 1 {
            return self.row(docs.start, docs.start..self.documents);
        }
        let middle = docs.start + docs.len() as u32 / 2;
        self.range(docs.start..middle)?;
        self.range(middle..docs.end)
    }

    /// The pairs of one lower document with a range of upper ones.
    fn row(&mut self, a: u32, upper: Range<u32>) -> Result<(), ThreadStop> {
        let RangeCount {
            lists,
            min_shared,
            counter,
            turn,
            ..
        } = self;
        counter.begin_row(a, upper.clone());
        let fits = lists
            .each_list(|list| Ok(counter.add_to_row(list)))
            .map_err(Some)?;
        if fits {
            return counter.emit_row(min_shared, |pair| turn.push(pair));
        }
        let middle = upper.start + (upper.end - upper.start) / 2;
        self.row(a, upper.start..middle)?;
        self.row(a, middle..upper.end)
    }
}
