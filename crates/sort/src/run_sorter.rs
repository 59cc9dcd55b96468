//! Buffer, sorted runs, merge passes: for budgets too small to part records, and for parts whose
//! prefixes are all alike.
//!
//! *Algorithm.* A buffer is filled, sorted, combined and written as a run; runs are merged by a
//! loser tree, in several passes when there are more than the budget or the open-file limit allows
//! at once. *Memory.* The buffer and a writer, later a reader a run. *Disk.* Each record is written
//! once a pass.

use crate::combine::combine_sorted;
use crate::runs::{self, Merge, Run};
use crate::{Combine, SortSpec, Sorted};
use format::{BLOCK_BYTES, FormatError};
use model::Record;
use std::path::PathBuf;

/// Takes records, spills sorted runs.
pub(crate) struct RunSorter<R, C> {
    spec: SortSpec,
    combine: C,
    buffer: Vec<R>,
    buffer_records: usize,
    block_bytes: usize,
    runs: Vec<Run>,
    runs_named: u64,
}

/// Bytes that an open file holds: a block, and four more once they are large enough to be moved
/// together.
fn file_bytes(block_bytes: usize) -> usize {
    5 * block_bytes
}

/// Records taken from a merge at a time.
const MERGED_RECORDS_MAX: usize = 4096;

impl<R: Record, C: Combine<R>> RunSorter<R, C> {
    /// An empty sort. The buffer is allocated as it fills.
    pub(crate) fn new(spec: SortSpec, combine: C) -> RunSorter<R, C> {
        // At least eight runs at once, and a buffer that is not eaten up by the writer's blocks.
        let block_bytes = (spec.memory_bytes / 64).clamp(R::SIZE, BLOCK_BYTES);
        let buffer_bytes = spec.memory_bytes.saturating_sub(file_bytes(block_bytes));
        let buffer_records = (buffer_bytes / size_of::<R>().max(1)).max(2);
        RunSorter {
            spec,
            combine,
            buffer: Vec::new(),
            buffer_records,
            block_bytes,
            runs: Vec::new(),
            runs_named: 0,
        }
    }

    /// Adds a record.
    #[inline]
    pub(crate) fn push(&mut self, record: R) -> Result<(), FormatError> {
        if self.buffer.len() == self.buffer_records {
            self.spill()?;
        }
        if self.buffer.len() == self.buffer.capacity() {
            self.grow();
        }
        self.buffer.push(record);
        Ok(())
    }

    /// Doubles the buffer, never beyond its share.
    #[cold]
    fn grow(&mut self) {
        let wanted =
            (self.buffer.capacity() * 2).clamp(1024.min(self.buffer_records), self.buffer_records);
        self.buffer.reserve_exact(wanted - self.buffer.len());
    }

    fn sort(&mut self) {
        self.buffer.sort_unstable();
        let kept = combine_sorted(&mut self.buffer, &self.combine);
        self.buffer.truncate(kept);
    }

    fn spill(&mut self) -> Result<(), FormatError> {
        self.sort();
        // What combining freed is worth filling again when it is at least half.
        if self.buffer.len() < self.buffer_records / 2 {
            return Ok(());
        }
        self.write_run()
    }

    /// Writes the sorted buffer as a run, and empties it.
    fn write_run(&mut self) -> Result<(), FormatError> {
        let path = self.next_path();
        let mut writer = runs::create(&self.spec.disk, &path, self.block_bytes)?;
        writer.push_all(&self.buffer)?;
        self.runs.push(runs::seal(&self.spec.disk, path, writer)?);
        self.buffer.clear();
        Ok(())
    }

    fn next_path(&mut self) -> PathBuf {
        let name = format!("{}.run-{:05}", self.spec.name, self.runs_named);
        self.runs_named += 1;
        self.spec.dir.join(name)
    }

    fn fan_in(&self) -> usize {
        // One file a run, one for the writer.
        let files = self.spec.memory_bytes / file_bytes(self.block_bytes);
        files.saturating_sub(1).min(self.spec.fan_in_max).max(2)
    }

    /// Merges until one merge can take all runs, and gives the records in order.
    pub(crate) fn finish(mut self) -> Result<Sorted<R, C>, FormatError> {
        if self.runs.is_empty() {
            return Ok(Sorted::of_held(self.buffer, &self.combine));
        }
        self.sort();
        if !self.buffer.is_empty() {
            self.write_run()?;
        }
        self.buffer = Vec::new();
        let fan_in = self.fan_in();
        while self.runs.len() > fan_in {
            self.merge_pass(fan_in)?;
        }
        let runs = std::mem::take(&mut self.runs);
        let records = (self.block_bytes / size_of::<R>().max(1)).min(MERGED_RECORDS_MAX);
        Ok(Sorted::of_merge(
            Merge::open(&self.spec.disk, runs, self.combine.clone())?,
            records,
        ))
    }

    /// One pass over all runs, or only over as many as it takes to come down to `fan_in`.
    fn merge_pass(&mut self, fan_in: usize) -> Result<(), FormatError> {
        let mut waiting = std::mem::take(&mut self.runs).into_iter();
        let mut left = waiting.len();
        while left > 0 && left + self.runs.len() > fan_in {
            let excess = left + self.runs.len() - fan_in;
            let group: Vec<Run> = waiting.by_ref().take(fan_in.min(excess + 1)).collect();
            left -= group.len();
            let path = self.next_path();
            let mut writer = runs::create(&self.spec.disk, &path, self.block_bytes)?;
            let mut merge = Merge::open(&self.spec.disk, group, self.combine.clone())?;
            while let Some(record) = merge.next()? {
                writer.push(&record)?;
            }
            drop(merge);
            self.runs.push(runs::seal(&self.spec.disk, path, writer)?);
        }
        self.runs.extend(waiting);
        Ok(())
    }
}
