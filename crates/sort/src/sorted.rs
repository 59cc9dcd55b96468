//! The output of a sort: records in order.

use crate::Combine;
use crate::oversized::NestedSort;
use crate::parallel_parts::{self, Part};
use crate::part_buffer::PartBuffer;
use crate::part_queue::PartQueue;
use crate::run_merge::Merge;
use crate::run_sorter::SortedRuns;
use format::FormatError;
use model::Record;

/// Records in order.
pub struct Sorted<R, C> {
    source: RecordSource<R, C>,
    buffer: PartBuffer<R>,
    /// Records of the buffer that the caller has taken.
    taken: usize,
}

/// Where the records come from that are not in the buffer yet.
enum RecordSource<R, C> {
    /// All records are in the buffer.
    Exhausted,
    /// Runs are merged, up to so many records at a time.
    Merge(Box<Merge<R, C>>, usize),
    /// Parts are sorted one after the other.
    Parts(Box<PartQueue<R, C>>),
}

impl<R: Record, C: Combine<R>> Sorted<R, C> {
    fn of(source: RecordSource<R, C>, buffer: PartBuffer<R>) -> Sorted<R, C> {
        Sorted {
            source,
            buffer,
            taken: 0,
        }
    }

    /// Sorts records that all fit memory.
    pub(crate) fn in_memory(mut records: Vec<R>, combine: &C) -> Sorted<R, C> {
        records.sort_unstable();
        let kept = crate::combine::combine_sorted(&mut records, combine);
        records.truncate(kept);
        Sorted::of(RecordSource::Exhausted, PartBuffer::of(records))
    }

    pub(crate) fn of_runs(runs: SortedRuns<R, C>) -> Sorted<R, C> {
        match runs {
            SortedRuns::InMemory(records, combine) => Sorted::in_memory(records, &combine),
            SortedRuns::Merged(merge, block_records) => Sorted::of(
                RecordSource::Merge(Box::new(merge), block_records.max(1)),
                PartBuffer::new(),
            ),
        }
    }

    pub(crate) fn of_parts(queue: PartQueue<R, C>) -> Sorted<R, C> {
        Sorted::of(RecordSource::Parts(Box::new(queue)), PartBuffer::new())
    }

    /// Fills the buffer again; false if no records are left.
    #[cold]
    fn refill(&mut self) -> Result<bool, FormatError> {
        let used = std::mem::replace(&mut self.buffer, PartBuffer::new());
        self.taken = 0;
        let next = match &mut self.source {
            RecordSource::Exhausted => None,
            RecordSource::Merge(merge, records) => {
                let mut block = used.into_records();
                merge.next_block(&mut block, *records)?;
                (!block.is_empty()).then(|| PartBuffer::of(block))
            }
            RecordSource::Parts(queue) => queue.next(used)?,
        };
        if let Some(buffer) = next {
            self.buffer = buffer;
        }
        Ok(!self.buffer.records().is_empty())
    }

    /// The next record; `None` after the last.
    #[expect(
        clippy::should_implement_trait,
        reason = "an Iterator cannot end in an error"
    )]
    #[inline]
    pub fn next(&mut self) -> Result<Option<R>, FormatError> {
        if self.taken == self.buffer.records().len() && !self.refill()? {
            return Ok(None);
        }
        self.taken += 1;
        Ok(Some(self.buffer.records()[self.taken - 1]))
    }

    /// All records at hand, at least one; `None` after the last.
    pub fn next_slice(&mut self) -> Result<Option<&[R]>, FormatError> {
        if self.taken == self.buffer.records().len() && !self.refill()? {
            return Ok(None);
        }
        let from = std::mem::replace(&mut self.taken, self.buffer.records().len());
        Ok(Some(&self.buffer.records()[from..]))
    }

    /// Passes the records to `work` part by part, on as many threads as the sort may use; gives the
    /// results in the order of the parts.
    ///
    /// Records of equal prefix are in one part. Where the parts are cut depends on memory and on
    /// the number of records, so results must not depend on it. Records taken before by
    /// [`Sorted::next`] do not come again.
    ///
    /// # Errors
    /// The first error of `work` in the order of the parts, or that of reading.
    pub fn for_each_part<T, E, F>(mut self, work: F) -> Result<Vec<T>, E>
    where
        T: Send,
        E: From<FormatError> + Send,
        F: Fn(&mut Part<'_, R>) -> Result<T, E> + Sync,
    {
        match self.source {
            RecordSource::Parts(queue) if self.taken == self.buffer.records().len() => {
                drop(self.buffer);
                parallel_parts::for_each(*queue, &work)
            }
            source => {
                self.source = source;
                Ok(vec![work(&mut Part::stream(0, &mut self))?])
            }
        }
    }
}

impl<R: Record, C: Combine<R>> NestedSort<R> for Sorted<R, C> {
    fn next_buffer(&mut self, used: PartBuffer<R>) -> Result<Option<PartBuffer<R>>, FormatError> {
        if self.taken == 0 && !self.buffer.records().is_empty() {
            return Ok(Some(std::mem::replace(&mut self.buffer, used.emptied())));
        }
        self.buffer = used;
        if !self.refill()? {
            return Ok(None);
        }
        Ok(Some(std::mem::replace(&mut self.buffer, PartBuffer::new())))
    }

    fn next_slice(&mut self) -> Result<Option<&[R]>, FormatError> {
        Sorted::next_slice(self)
    }
}
