//! Merge sort, for budgets that are too small to partition records and for parts whose prefixes are
//! all alike.
//!
//! *Algorithm.* A buffer is filled, sorted, combined and written as a run; runs are merged by a
//! loser tree, in several passes if there are more runs than the budget or the open-file limit
//! allows at once. *Memory.* The buffer and a writer; later a reader for each run. *Disk.* Each
//! record is written once in each pass.

use crate::combine::combine_sorted;
use crate::run_merge::{self, Merge, Run};
use crate::{Combine, SortSpec};
use format::{BLOCK_BYTES, FormatError};
use model::Record;
use std::path::PathBuf;

/// The result of a [`RunSorter`].
pub(crate) enum SortedRuns<R, C> {
    /// Nothing was spilled; the records are not sorted yet.
    InMemory(Vec<R>, C),
    /// A merge of all runs, and how many records to take from it at a time.
    Merged(Merge<R, C>, usize),
}

/// Takes records and spills sorted runs.
pub(crate) struct RunSorter<R, C> {
    spec: SortSpec,
    combine: C,
    buffer: Vec<R>,
    buffer_records: usize,
    block_bytes: usize,
    runs: Vec<Run>,
    runs_named: u64,
}

/// Memory of an open file: one block, and four more for direct I/O, which moves several blocks
/// together.
fn file_bytes(block_bytes: usize) -> usize {
    5 * block_bytes
}

/// Records taken from a merge at a time.
const MERGED_RECORDS_MAX: usize = 4096;

impl<R: Record, C: Combine<R>> RunSorter<R, C> {
    /// An empty sort. The buffer is allocated as it fills.
    pub(crate) fn new(spec: SortSpec, combine: C) -> RunSorter<R, C> {
        // Small enough that eight runs can be merged at once and most memory is left for the
        // buffer.
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

    /// Doubles the capacity of the buffer, up to its share of the memory.
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
        // If combining freed at least half of the buffer, fill it again before writing.
        if self.buffer.len() < self.buffer_records / 2 {
            return Ok(());
        }
        self.write_run()
    }

    /// Writes the sorted buffer as a run, and empties it.
    fn write_run(&mut self) -> Result<(), FormatError> {
        let path = self.next_path();
        let mut writer = run_merge::create(&self.spec.disk, &path, self.block_bytes)?;
        writer.push_all(&self.buffer)?;
        self.runs
            .push(run_merge::seal(&self.spec.disk, path, writer)?);
        self.buffer.clear();
        Ok(())
    }

    fn next_path(&mut self) -> PathBuf {
        let name = format!("{}.run-{:05}", self.spec.name, self.runs_named);
        self.runs_named += 1;
        self.spec.dir.join(name)
    }

    fn fan_in(&self) -> usize {
        // One file for each run and one for the writer.
        let files = self.spec.memory_bytes / file_bytes(self.block_bytes);
        files.saturating_sub(1).min(self.spec.fan_in_max).max(2)
    }

    /// Merges runs until a single merge can take all that are left, and starts that one.
    pub(crate) fn finish(mut self) -> Result<SortedRuns<R, C>, FormatError> {
        if self.runs.is_empty() {
            return Ok(SortedRuns::InMemory(self.buffer, self.combine));
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
        let merge = Merge::open(&self.spec.disk, runs, self.combine.clone())?;
        Ok(SortedRuns::Merged(merge, records))
    }

    /// Merges groups of runs until `fan_in` runs are left, or all runs were merged once.
    fn merge_pass(&mut self, fan_in: usize) -> Result<(), FormatError> {
        let mut waiting = std::mem::take(&mut self.runs).into_iter();
        let mut left = waiting.len();
        while left > 0 && left + self.runs.len() > fan_in {
            let excess = left + self.runs.len() - fan_in;
            let group: Vec<Run> = waiting.by_ref().take(fan_in.min(excess + 1)).collect();
            left -= group.len();
            let path = self.next_path();
            let mut writer = run_merge::create(&self.spec.disk, &path, self.block_bytes)?;
            let mut merge = Merge::open(&self.spec.disk, group, self.combine.clone())?;
            while let Some(record) = merge.next()? {
                writer.push(&record)?;
            }
            drop(merge);
            self.runs
                .push(run_merge::seal(&self.spec.disk, path, writer)?);
        }
        self.runs.extend(waiting);
        Ok(())
    }
}
