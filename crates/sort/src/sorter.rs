//! The input of a sort: records are pushed by one thread or by several.

use crate::oversized::{NestedSort, PartContext, QueuedPart};
use crate::part_queue::PartQueue;
use crate::sync::Arc;
use crate::sync::atomic::Ordering;
use crate::thread_partitioner::{SharedInput, SortStage, ThreadPartitioner};
use crate::{Combine, Prefixes, SortSpec, Sorted};
use format::FormatError;
use model::Record;

/// Takes records in any order; [`Sorter::finish`] gives them in order.
pub struct Sorter<R, C> {
    shared: SharedInput<R, C>,
    partitioner: ThreadPartitioner<R>,
}

/// An oversized part is partitioned again at most so many times; then it is sorted in runs.
const DEPTH_MAX: u32 = 4;

impl<R: Record, C: Combine<R>> Sorter<R, C> {
    /// An empty sort. Memory is allocated as records come.
    pub fn new(spec: SortSpec, combine: C) -> Sorter<R, C> {
        let prefixes = Some(spec.prefixes);
        Sorter::of(SharedInput::new(spec, prefixes, combine, 0))
    }

    /// A sort of one part of another sort. It sorts in runs if `prefixes` is `None`, because
    /// partitioning is useless then, and if it is nested too deep.
    fn nested(spec: SortSpec, prefixes: Option<Prefixes>, combine: C, depth: u32) -> Sorter<R, C> {
        let prefixes = prefixes.filter(|_| depth <= DEPTH_MAX);
        Sorter::of(SharedInput::new(spec, prefixes, combine, depth))
    }

    fn of(shared: SharedInput<R, C>) -> Sorter<R, C> {
        let partitioner = ThreadPartitioner::new(&shared);
        Sorter {
            shared,
            partitioner,
        }
    }

    /// This sort, expecting prefixes in another range. Call it before the first record.
    #[must_use]
    pub fn expecting(mut self, prefixes: Prefixes) -> Sorter<R, C> {
        self.shared.prefixes = self.shared.prefixes.map(|_| prefixes);
        self
    }

    /// How many records were pushed so far, without those that a feeder has not passed on yet.
    pub fn pushed(&self) -> u64 {
        self.shared.pushed.load(Ordering::Relaxed) + self.partitioner.batched()
    }

    /// Adds a record.
    #[inline]
    pub fn push(&mut self, record: R) -> Result<(), FormatError> {
        self.partitioner.push(&self.shared, record)
    }

    /// An input for one more thread. At most [`SortSpec::threads`] may exist at a time, else the
    /// sort exceeds its memory.
    pub fn feeder(&self) -> Feeder<'_, R, C> {
        Feeder {
            partitioner: ThreadPartitioner::new(&self.shared),
            shared: &self.shared,
        }
    }

    /// Ends the input and gives the records in order.
    ///
    /// # Errors
    /// When records that do not fit memory cannot be written or read, or a feeder was dropped
    /// unfinished.
    pub fn finish(mut self) -> Result<Sorted<R, C>, FormatError> {
        self.partitioner.finish(&self.shared)?;
        if self.shared.lost.load(Ordering::Relaxed) {
            return Err(FormatError::Interrupted);
        }
        let depth = self.shared.depth;
        let (spec, combine, stage) = self.shared.into_stage();
        match stage {
            SortStage::Buffered(records) => Ok(Sorted::in_memory(records, &combine)),
            SortStage::Runs(runs) => Ok(Sorted::of_runs(runs.finish()?)),
            SortStage::Partitioned(store) => {
                // All feeders are gone, so this is the only owner.
                let store = Arc::try_unwrap(store).map_err(|_| FormatError::Interrupted)?;
                let queue = PartQueue::new(spec, combine, store, depth, sort_oversized)?;
                Ok(Sorted::of_parts(queue))
            }
        }
    }
}

/// Sorts a part that does not fit memory by a sort of its own.
fn sort_oversized<R: Record, C: Combine<R>>(
    context: &PartContext<R, C>,
    part: QueuedPart,
) -> Result<Box<dyn NestedSort<R>>, FormatError> {
    let QueuedPart { contents, part, .. } = part;
    let mut sorter = Sorter::nested(
        context.setup.nested_spec(part),
        context.setup.range_to_partition(&contents, part),
        context.combine.clone(),
        context.setup.depth + 1,
    );
    context
        .setup
        .each_record(contents, |record| sorter.push(record))?;
    Ok(Box::new(sorter.finish()?))
}

/// Pushes the records of one thread; several feeders may work at once.
pub struct Feeder<'a, R: Record, C: Combine<R>> {
    partitioner: ThreadPartitioner<R>,
    shared: &'a SharedInput<R, C>,
}

impl<R: Record, C: Combine<R>> Feeder<'_, R, C> {
    /// Adds a record.
    #[inline]
    pub fn push(&mut self, record: R) -> Result<(), FormatError> {
        self.partitioner.push(self.shared, record)
    }

    /// Passes its last records on. A feeder that is dropped without this makes the whole sort
    /// fail.
    pub fn finish(mut self) -> Result<(), FormatError> {
        self.partitioner.finish(self.shared)
    }
}

impl<R: Record, C: Combine<R>> Drop for Feeder<'_, R, C> {
    fn drop(&mut self) {
        if !self.partitioner.is_empty() {
            self.shared.lost.store(true, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::KeepAll;
    use format::Disk;
    use model::Posting;

    fn spec() -> SortSpec {
        SortSpec::new(Disk::default(), "dir".into(), "test".into(), 1 << 20)
    }

    #[test]
    fn parts_of_parts_are_partitioned_a_few_times_only() {
        let prefixes = |depth| {
            let sorter =
                Sorter::<Posting, KeepAll>::nested(spec(), Some(Prefixes::ALL), KeepAll, depth);
            sorter.shared.prefixes
        };
        assert_eq!(prefixes(DEPTH_MAX), Some(Prefixes::ALL));
        assert_eq!(prefixes(DEPTH_MAX + 1), None);
    }

    #[test]
    fn records_that_wait_in_a_batch_are_counted() {
        let mut sorter = Sorter::new(spec(), KeepAll);
        for pushed in 1..4 {
            sorter.push(Posting { shingle: 1, doc: 1 }).unwrap();
            assert_eq!(sorter.pushed(), pushed);
        }
    }
}
