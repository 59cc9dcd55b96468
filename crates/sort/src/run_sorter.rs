//! Merge sort, for budgets that are too small to partition records and for parts whose prefixes are
//! all alike.
//!
//! *Algorithm.* A buffer is filled, sorted, combined and written as a run; runs are merged by a
//! loser tree, in several passes if there are more runs than the budget or the open-file limit
//! allows at once. *Memory.* The buffer and a writer; later a reader for each run. *Disk.* Each
//! record is written once in each pass.

use crate::combine::combine_sorted;
use crate::run_merge::Merge;
use crate::{Combine, SortSpec};
use format::{BLOCK_BYTES, FormatError, ScratchFile, ScratchWriter};
use model::Record;

/// The result of a [`RunSorter`].
pub(crate) enum SortedRuns<R, C> {
    /// Nothing was spilled; the records are not sorted yet.
    InMemory(Vec<R>, C),
    /// A merge of all runs, and how many records to take from it at a time.
    Merged(Merge<R, C>, usize),
}

/// Takes records and spills sorted runs.
pub(crate) struct RunSorter<R, C> {
    combine: C,
    buffer: Vec<R>,
    buffer_records: usize,
    spec: SortSpec,
    block_bytes: usize,
    runs: Vec<ScratchFile<R>>,
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
            combine,
            buffer: Vec::new(),
            buffer_records,
            spec,
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
        let mut writer = self.create()?;
        writer.as_writer().push_all(&self.buffer)?;
        self.runs.push(writer.finish()?);
        self.buffer.clear();
        Ok(())
    }

    /// The file of the next run.
    fn create(&mut self) -> Result<ScratchWriter<R>, FormatError> {
        let name = format!("{}.run-{:05}", self.spec.name, self.runs_named);
        self.runs_named += 1;
        ScratchWriter::with_blocks(&self.spec.disk, self.spec.dir.join(name), self.block_bytes)
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
            self.merge_some(fan_in)?;
        }
        let records = (self.block_bytes / size_of::<R>().max(1)).min(MERGED_RECORDS_MAX);
        let merge = Merge::open(self.runs, self.combine)?;
        Ok(SortedRuns::Merged(merge, records))
    }

    fn fan_in(&self) -> usize {
        // One file for each run and one for the writer.
        let files = self.spec.memory_bytes / file_bytes(self.block_bytes);
        files.saturating_sub(1).min(self.spec.fan_in_max).max(2)
    }

    /// One pass: merges groups of at most `fan_in` runs, the first ones, until merged and remaining
    /// runs together are no more than `fan_in`.
    fn merge_some(&mut self, fan_in: usize) -> Result<(), FormatError> {
        let mut waiting = std::mem::take(&mut self.runs).into_iter();
        while waiting.len() > 0 && waiting.len() + self.runs.len() > fan_in {
            let excess = waiting.len() + self.runs.len() - fan_in;
            let group = waiting.by_ref().take(fan_in.min(excess + 1)).collect();
            let mut writer = self.create()?;
            let mut merge = Merge::open(group, self.combine.clone())?;
            while let Some(record) = merge.next()? {
                writer.push(&record)?;
            }
            drop(merge);
            self.runs.push(writer.finish()?);
        }
        self.runs.extend(waiting);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Distinct, KeepAll};
    use format::Disk;
    use model::Posting;
    use std::path::Path;

    fn spec(memory_bytes: usize) -> SortSpec {
        SortSpec::new(Disk::default(), "dir".into(), "test".into(), memory_bytes)
    }

    fn posting(doc: u32) -> Posting {
        Posting { shingle: 1, doc }
    }

    #[test]
    fn the_buffer_has_the_memory_that_a_writer_leaves() {
        let sizes = |memory_bytes| {
            let sorter = RunSorter::<Posting, KeepAll>::new(spec(memory_bytes), KeepAll);
            (sorter.block_bytes, sorter.buffer_records)
        };
        assert_eq!(sizes(6400), (100, (6400 - 500) / 16));
        assert_eq!(sizes(64), (Posting::SIZE, 2), "too little memory");
        let most = 64 * BLOCK_BYTES;
        assert_eq!(sizes(2 * most).0, BLOCK_BYTES);
    }

    #[test]
    fn the_buffer_doubles_up_to_its_share() {
        let mut sorter = RunSorter::new(spec(6400 << 4), KeepAll);
        let most = sorter.buffer_records;
        assert!((4096..8192).contains(&most));
        let mut capacities = Vec::new();
        for doc in 0..most as u32 {
            sorter.push(posting(doc)).unwrap();
            capacities.push(sorter.buffer.capacity());
        }
        capacities.dedup();
        assert_eq!(capacities, [1024, 2048, 4096, most]);
    }

    #[test]
    fn a_buffer_is_written_if_less_than_half_of_it_was_combined() {
        let dir = tempfile::tempdir().unwrap();
        for (kept, runs) in [(184, 1), (183, 0)] {
            let spec = SortSpec {
                dir: dir.path().into(),
                ..spec(6400)
            };
            let mut sorter = RunSorter::new(spec, Distinct);
            assert_eq!(sorter.buffer_records, 368);
            for n in 0..369 {
                sorter.push(posting(n % kept)).unwrap();
            }
            assert_eq!(sorter.runs.len(), runs, "{kept} different records");
            let rest = if runs == 1 { 1 } else { kept as usize + 1 };
            assert_eq!(sorter.buffer.len(), rest);
        }
    }

    #[test]
    fn a_merge_gives_a_block_of_records_at_a_time() {
        let dir = tempfile::tempdir().unwrap();
        let spec = SortSpec {
            dir: dir.path().into(),
            ..spec(6400)
        };
        let mut sorter = RunSorter::new(spec, KeepAll);
        for doc in 0..400 {
            sorter.push(posting(doc)).unwrap();
        }
        let SortedRuns::Merged(_, records) = sorter.finish().unwrap() else {
            panic!("nothing was written");
        };
        assert_eq!(records, 100 / size_of::<Posting>());
    }

    /// A sorter with so many runs of one record each.
    fn of_runs(dir: &Path, memory_bytes: usize, runs: u32) -> RunSorter<Posting, KeepAll> {
        let dir = dir.into();
        let mut sorter = RunSorter::new(
            SortSpec {
                dir,
                ..spec(memory_bytes)
            },
            KeepAll,
        );
        sorter.block_bytes = 20;
        for doc in 0..runs {
            sorter.buffer.push(posting(doc));
            sorter.write_run().unwrap();
        }
        sorter
    }

    #[test]
    fn as_many_runs_are_merged_as_memory_and_files_allow() {
        let fan_in = |memory_bytes| of_runs(Path::new("dir"), memory_bytes, 0).fan_in();
        assert_eq!(fan_in(1000), 9, "and a writer");
        assert_eq!(fan_in(100_000), 64);
        assert_eq!(fan_in(100), 2);
    }

    #[test]
    fn no_more_runs_are_merged_in_a_pass_than_must_be() {
        let records_of_runs = |runs| -> Vec<u64> {
            let dir = tempfile::tempdir().unwrap();
            let mut sorter = of_runs(dir.path(), 1000, runs);
            sorter.merge_some(3).unwrap();
            sorter.runs.iter().map(ScratchFile::records).collect()
        };
        assert_eq!(records_of_runs(3), [1, 1, 1]);
        assert_eq!(records_of_runs(4), [2, 1, 1]);
        assert_eq!(records_of_runs(7), [3, 3, 1]);
        assert_eq!(records_of_runs(10), [3, 3, 3, 1]);
    }
}
