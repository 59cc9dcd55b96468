//! Merge sort, for budgets that are too small to partition records and for parts whose prefixes are
//! all alike.
//!
//! *Algorithm.* A buffer is filled, sorted, combined and written as a run; runs are merged by a
//! loser tree, in several passes if there are more runs than the budget or the open-file limit
//! allows at once. *Memory.* The buffer and a writer; later a reader for each run. *Disk.* Each
//! record is written once in each pass.

use crate::combine::combine_sorted;
use crate::run_merge::{Merge, Run};
use crate::{Combine, SortSpec};
use format::{BLOCK_BYTES, FormatError, RecordSpec, RecordWriter};
use model::Record;
use std::path::{Path, PathBuf};

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
    files: RunFiles,
}

/// The runs on disk. This part does not depend on the type of the records, so it is compiled once.
struct RunFiles {
    spec: SortSpec,
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
            combine,
            buffer: Vec::new(),
            buffer_records,
            files: RunFiles {
                spec,
                block_bytes,
                runs: Vec::new(),
                runs_named: 0,
            },
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
        let path = self.files.next_path();
        let mut writer = self.files.create(&path)?;
        writer.push_all(&self.buffer)?;
        writer.finish()?;
        self.files.add(path);
        self.buffer.clear();
        Ok(())
    }

    /// Merges runs until a single merge can take all that are left, and starts that one.
    pub(crate) fn finish(mut self) -> Result<SortedRuns<R, C>, FormatError> {
        if self.files.runs.is_empty() {
            return Ok(SortedRuns::InMemory(self.buffer, self.combine));
        }
        self.sort();
        if !self.buffer.is_empty() {
            self.write_run()?;
        }
        self.buffer = Vec::new();
        let fan_in = self.files.fan_in();
        while self.files.runs.len() > fan_in {
            let (groups, rest) = self.files.take_groups(fan_in);
            for group in groups {
                self.merge_group(group)?;
            }
            self.files.runs.extend(rest);
        }
        let runs = std::mem::take(&mut self.files.runs);
        let records = (self.files.block_bytes / size_of::<R>().max(1)).min(MERGED_RECORDS_MAX);
        let merge = Merge::open(&self.files.spec.disk, runs, self.combine.clone())?;
        Ok(SortedRuns::Merged(merge, records))
    }

    /// Merges some runs into one.
    fn merge_group(&mut self, group: Vec<Run>) -> Result<(), FormatError> {
        let path = self.files.next_path();
        let mut writer = self.files.create(&path)?;
        let mut merge = Merge::open(&self.files.spec.disk, group, self.combine.clone())?;
        while let Some(record) = merge.next()? {
            writer.push(&record)?;
        }
        drop(merge);
        writer.finish()?;
        self.files.add(path);
        Ok(())
    }
}

impl RunFiles {
    fn next_path(&mut self) -> PathBuf {
        let name = format!("{}.run-{:05}", self.spec.name, self.runs_named);
        self.runs_named += 1;
        self.spec.dir.join(name)
    }

    fn create<R: Record>(&self, path: &Path) -> Result<RecordWriter<R>, FormatError> {
        let spec = RecordSpec::scratch(path.to_path_buf(), self.block_bytes);
        RecordWriter::create(&self.spec.disk, spec)
    }

    /// Adds a run whose writer has finished.
    fn add(&mut self, path: PathBuf) {
        self.runs.push(Run::of(&self.spec.disk, path));
    }

    fn fan_in(&self) -> usize {
        // One file for each run and one for the writer.
        let files = self.spec.memory_bytes / file_bytes(self.block_bytes);
        files.saturating_sub(1).min(self.spec.fan_in_max).max(2)
    }

    /// Takes the runs out for one pass: groups of at most `fan_in` runs to merge, until merged and
    /// remaining runs together are no more than `fan_in`, and the remaining runs.
    fn take_groups(&mut self, fan_in: usize) -> (Vec<Vec<Run>>, Vec<Run>) {
        let mut waiting = std::mem::take(&mut self.runs).into_iter();
        let mut groups: Vec<Vec<Run>> = Vec::new();
        while waiting.len() > 0 && waiting.len() + groups.len() > fan_in {
            let excess = waiting.len() + groups.len() - fan_in;
            groups.push(waiting.by_ref().take(fan_in.min(excess + 1)).collect());
        }
        (groups, waiting.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Distinct, KeepAll};
    use format::Disk;
    use model::Posting;

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
            (sorter.files.block_bytes, sorter.buffer_records)
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
            assert_eq!(sorter.files.runs.len(), runs, "{kept} different records");
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

    fn files(memory_bytes: usize, runs: usize) -> RunFiles {
        let spec = spec(memory_bytes);
        let run = |n| Run::of(&spec.disk, format!("no-such-run-{n}").into());
        RunFiles {
            runs: (0..runs).map(run).collect(),
            spec,
            block_bytes: 20,
            runs_named: 0,
        }
    }

    #[test]
    fn as_many_runs_are_merged_as_memory_and_files_allow() {
        assert_eq!(files(1000, 0).fan_in(), 9, "and a writer");
        assert_eq!(files(100_000, 0).fan_in(), 64);
        assert_eq!(files(100, 0).fan_in(), 2);
    }

    #[test]
    fn no_more_runs_are_merged_in_a_pass_than_must_be() {
        let groups = |runs| {
            let (groups, rest) = files(1000, runs).take_groups(3);
            let groups: Vec<usize> = groups.iter().map(Vec::len).collect();
            (groups, rest.len())
        };
        assert_eq!(groups(3), (vec![], 3));
        assert_eq!(groups(4), (vec![2], 2));
        assert_eq!(groups(7), (vec![3, 3], 1));
        assert_eq!(groups(10), (vec![3, 3, 3, 1], 0));
    }
}
