//! Step two: parted lists → pairs, range after range of lower documents.
//!
//! *Memory.* What [`RangeCounter`] is given, and the pairs that wait for their turn. A range whose lists do
//! not fit is counted by halves; a document whose lists do not fit, by reading them past its
//! counts; one with too many upper documents, by halves of these.

use super::PHASE;
use super::ordered::{OrderedPairs, RangeTurn, Stop};
use super::parts::ListPartitions;
use engine::levels::BySnapshot;
use model::PairCount;
use pairs::{MinShared, RangeCounter};
use runtime::Error;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// RangeQueue for each thread, so that they end together, while there are enough words for that to pay.
const RANGES_A_THREAD: u64 = 8;
const RANGE_WORDS_MIN: u64 = if cfg!(test) { 16 } else { 1 << 18 };

/// Documents of one part, counted together.
struct Unit {
    part: usize,
    docs: Range<u32>,
}

/// All ranges, in order, and what the threads share.
pub(super) struct RangeQueue<'a> {
    parts: &'a ListPartitions,
    min_shared: &'a MinShared,
    units: Vec<Unit>,
    /// RangeQueue of each part that are not done.
    left: Vec<AtomicUsize>,
    next: AtomicUsize,
    ordered: OrderedPairs,
    /// Bytes for the rows, and pairs that may wait, of one thread.
    row_bytes: usize,
    held_max: usize,
}

impl<'a> RangeQueue<'a> {
    /// Cuts the parts into ranges that should fit their memory.
    pub(super) fn of(
        (parts, min_shared): (&'a ListPartitions, &'a MinShared),
        ordered: OrderedPairs,
        memory_bytes: usize,
    ) -> RangeQueue<'a> {
        let threads = rayon::current_num_threads();
        let row_bytes = memory_bytes / 13 * 10 / threads;
        let held_max = memory_bytes / 13 * 3 / threads / size_of::<PairCount>();
        // Among them their index a list takes up to three times its words.
        let fitting = row_bytes as u64 / 4 / 3;
        let words: u64 = (0..parts.count())
            .map(|part| parts.file(part).words())
            .sum();
        let shared_out = (words / (threads as u64 * RANGES_A_THREAD)).max(RANGE_WORDS_MIN);
        let mut units = Vec::new();
        let mut left = Vec::new();
        for part in 0..parts.count() {
            let docs = parts.range(part);
            let cuts = parts
                .file(part)
                .words()
                .div_ceil(fitting.min(shared_out).max(1))
                .min(docs.len() as u64);
            let at = |cut: u64| docs.start + (docs.len() as u64 * cut / cuts.max(1)) as u32;
            units.extend((0..cuts).map(|cut| Unit {
                part,
                docs: at(cut)..at(cut + 1),
            }));
            left.push(AtomicUsize::new(cuts as usize));
        }
        RangeQueue {
            parts,
            min_shared,
            units,
            left,
            next: AtomicUsize::new(0),
            ordered,
            row_bytes,
            held_max,
        }
    }

    /// Counts range after range until none is left, of one thread.
    pub(super) fn count(&self) -> Result<(), Error> {
        let mut rows = RangeCounter::new(self.row_bytes);
        let mut held = Vec::new();
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(Unit { part, docs }) = self.units.get(number) else {
                return Ok(());
            };
            let place = self.ordered.place(number, &mut held, self.held_max);
            let (parts, min_shared) = (self.parts, self.min_shared);
            let mut counting = Counting {
                parts,
                min_shared,
                part: *part,
                rows: &mut rows,
                place,
            };
            let counted = counting
                .range(docs.clone())
                .and_then(|()| counting.place.finish());
            match counted {
                Ok(()) => {}
                Err(Some(error)) => return Err(error),
                // The thread that failed says why.
                Err(None) => return Ok(()),
            }
            if self.left[*part].fetch_sub(1, Ordering::AcqRel) == 1 {
                self.parts
                    .file(*part)
                    .remove()
                    .map_err(Error::work(PHASE))?;
            }
        }
    }

    /// Ends the file of pairs.
    pub(super) fn finish(self) -> Result<(format::Sealed, BySnapshot), Error> {
        self.ordered.finish()
    }
}

/// One range being counted.
struct Counting<'a> {
    parts: &'a ListPartitions,
    min_shared: &'a MinShared,
    part: usize,
    rows: &'a mut RangeCounter,
    place: RangeTurn<'a>,
}

impl Counting<'_> {
    fn range(&mut self, docs: Range<u32>) -> Result<(), Stop> {
        let Counting {
            parts,
            min_shared,
            part,
            rows,
            place,
        } = self;
        let lists = parts.file(*part);
        if rows.begin(docs.clone()) && lists.each_list(|list| Ok(rows.add(list))).map_err(Some)? {
            return rows.emit(min_shared, |pair| place.push(pair));
        }
        if docs.len() == 1 {
            let documents = self.parts.documents();
            return self.row(docs.start, docs.start..documents);
        }
        let middle = docs.start + docs.len() as u32 / 2;
        self.range(docs.start..middle)?;
        self.range(middle..docs.end)
    }

    /// The pairs of one lower document with a range of upper ones.
    fn row(&mut self, a: u32, upper: Range<u32>) -> Result<(), Stop> {
        let Counting {
            parts,
            min_shared,
            part,
            rows,
            place,
        } = self;
        rows.begin_row(a, upper.clone());
        if parts
            .file(*part)
            .each_list(|list| Ok(rows.add_to_row(list)))
            .map_err(Some)?
        {
            return rows.emit_row(min_shared, |pair| place.push(pair));
        }
        let middle = upper.start + (upper.end - upper.start) / 2;
        self.row(a, upper.start..middle)?;
        self.row(a, middle..upper.end)
    }
}
