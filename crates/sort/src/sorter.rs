//! Buffer, runs, passes.

use crate::Combine;
use crate::chunks::SortedChunks;
use crate::runs::{self, Merge, Run};
use format::{BLOCK_BYTES, Disk, FormatError};
use model::Record;
use std::path::PathBuf;

/// How to sort.
#[derive(Clone, Debug)]
pub struct SortSpec {
    /// The way to the disk.
    pub disk: Disk,
    /// Directory for runs.
    pub dir: PathBuf,
    /// First part of the runs' names; unique among the sorts of a directory.
    pub name: String,
    /// Bytes for the buffer, later for the blocks of a merge.
    pub memory_bytes: usize,
    /// Runs merged at once at most, whatever the memory: the open-file limit.
    pub fan_in_max: usize,
}

/// Takes records, spills sorted runs.
pub struct Sorter<R, C> {
    spec: SortSpec,
    combine: C,
    buffer: Vec<R>,
    buffer_records: usize,
    block_bytes: usize,
    runs: Vec<Run>,
    runs_named: u64,
    pushed: u64,
}

impl<R: Record, C: Combine<R>> Sorter<R, C> {
    /// An empty sort. The buffer is allocated as it fills.
    pub fn new(spec: SortSpec, combine: C) -> Sorter<R, C> {
        let buffer_records = (spec.memory_bytes / size_of::<R>().max(1)).max(2);
        // At least eight runs at once, and a buffer that is not eaten up by the writer's block.
        let block_bytes = (spec.memory_bytes / 9).clamp(R::SIZE, BLOCK_BYTES);
        Sorter {
            spec,
            combine,
            buffer: Vec::new(),
            buffer_records,
            block_bytes,
            runs: Vec::new(),
            runs_named: 0,
            pushed: 0,
        }
    }

    /// Records pushed so far.
    pub fn pushed(&self) -> u64 {
        self.pushed
    }

    /// Adds a record.
    ///
    /// # Errors
    /// When a full buffer cannot be written.
    #[inline]
    pub fn push(&mut self, record: R) -> Result<(), FormatError> {
        if self.buffer.len() == self.buffer_records {
            self.spill()?;
        }
        if self.buffer.len() == self.buffer.capacity() {
            self.grow();
        }
        self.buffer.push(record);
        self.pushed += 1;
        Ok(())
    }

    /// Doubles the buffer, never beyond its share.
    #[cold]
    fn grow(&mut self) {
        let wanted = (self.buffer.capacity() * 2).clamp(1024.min(self.buffer_records), self.buffer_records);
        self.buffer.reserve_exact(wanted - self.buffer.len());
    }

    fn spill(&mut self) -> Result<(), FormatError> {
        let sorted = SortedChunks::sort(std::mem::take(&mut self.buffer), &self.combine);
        // What combining freed is worth filling again when it is at least half.
        if sorted.len() < self.buffer_records / 2 {
            self.buffer = sorted.into_records();
            return Ok(());
        }
        self.buffer = self.write_run(sorted)?;
        self.buffer.clear();
        Ok(())
    }

    /// Writes a sorted buffer as a run; gives the buffer back.
    fn write_run(&mut self, mut sorted: SortedChunks<R>) -> Result<Vec<R>, FormatError> {
        let path = self.next_path();
        let mut writer = runs::create(&self.spec.disk, &path, self.block_bytes)?;
        while let Some(record) = sorted.next(&self.combine) {
            writer.push(&record)?;
        }
        self.runs.push(runs::seal(&self.spec.disk, path, writer)?);
        Ok(sorted.into_records())
    }

    fn next_path(&mut self) -> PathBuf {
        let name = format!("{}.run-{:05}", self.spec.name, self.runs_named);
        self.runs_named += 1;
        self.spec.dir.join(name)
    }

    fn fan_in(&self) -> usize {
        // One block a run, one for the writer.
        (self.spec.memory_bytes / self.block_bytes).saturating_sub(1).min(self.spec.fan_in_max).max(2)
    }

    /// Merges until one merge can take all runs, and gives the records in order.
    ///
    /// # Errors
    /// When a run cannot be written or read.
    pub fn finish(mut self) -> Result<Sorted<R, C>, FormatError> {
        let sorted = SortedChunks::sort(std::mem::take(&mut self.buffer), &self.combine);
        if self.runs.is_empty() {
            return Ok(Sorted::Memory(sorted, self.combine.clone()));
        }
        if sorted.len() > 0 {
            self.write_run(sorted)?;
        }
        let fan_in = self.fan_in();
        while self.runs.len() > fan_in {
            self.merge_pass(fan_in)?;
        }
        let runs = std::mem::take(&mut self.runs);
        Ok(Sorted::Merge(Merge::open(&self.spec.disk, runs, self.combine.clone())?))
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

/// Records in order.
#[expect(private_interfaces, reason = "callers only pull; how the records are held is this crate's business")]
pub enum Sorted<R, C> {
    /// Everything fitted the buffer.
    Memory(SortedChunks<R>, C),
    /// Runs being merged.
    Merge(Merge<R, C>),
}

impl<R: Record, C: Combine<R>> Sorted<R, C> {
    /// The next record; `None` after the last.
    ///
    /// # Errors
    /// When a run is damaged or cannot be read.
    #[expect(clippy::should_implement_trait, reason = "an Iterator cannot end in an error")]
    #[inline]
    pub fn next(&mut self) -> Result<Option<R>, FormatError> {
        match self {
            Sorted::Memory(records, combine) => Ok(records.next(combine)),
            Sorted::Merge(merge) => merge.next(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Distinct, Keep, SumShared};
    use model::{PairCount, Posting};
    use proptest::prelude::*;
    use std::path::Path;

    fn spec(dir: &Path, memory_bytes: usize, fan_in_max: usize) -> SortSpec {
        SortSpec { disk: Disk::default(), dir: dir.to_path_buf(), name: "test".into(), memory_bytes, fan_in_max }
    }

    fn sorted<R: Record, C: Combine<R>>(spec: SortSpec, records: &[R], combine: C) -> Vec<R> {
        let dir = spec.dir.clone();
        let mut sorter = Sorter::new(spec, combine);
        for record in records {
            sorter.push(*record).unwrap();
        }
        let mut sorted = sorter.finish().unwrap();
        let mut out = Vec::new();
        while let Some(record) = sorted.next().unwrap() {
            out.push(record);
        }
        drop(sorted);
        assert_eq!(std::fs::read_dir(dir).unwrap().count(), 0, "runs were left behind");
        out
    }

    fn postings() -> impl Strategy<Value = Vec<Posting>> {
        proptest::collection::vec((0u64..300, 0u32..20).prop_map(|(shingle, doc)| Posting { shingle, doc }), 0..600)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn sorts_like_memory(records in postings(), memory in 40usize..3000, fan_in in 2usize..7) {
            let dir = tempfile::tempdir().unwrap();
            let mut expected = records.clone();
            expected.sort_unstable();
            prop_assert_eq!(&sorted(spec(dir.path(), memory, fan_in), &records, Keep), &expected);
            expected.dedup();
            prop_assert_eq!(&sorted(spec(dir.path(), memory, fan_in), &records, Distinct), &expected);
        }

        #[test]
        fn adds_like_a_map(pairs in proptest::collection::vec((0u32..12, 0u32..12, 1u32..4), 0..500), memory in 30usize..2000) {
            let dir = tempfile::tempdir().unwrap();
            let mut map = std::collections::BTreeMap::new();
            for (a, b, n) in &pairs {
                *map.entry((*a, *b)).or_insert(0) += n;
            }
            let expected: Vec<PairCount> = map.into_iter().map(|((a, b), shared)| PairCount { a, b, shared }).collect();
            let records: Vec<PairCount> = pairs.iter().map(|&(a, b, shared)| PairCount { a, b, shared }).collect();
            prop_assert_eq!(sorted(spec(dir.path(), memory, 3), &records, SumShared), expected);
        }
    }

    #[test]
    fn agrees_with_the_extsort_crate() {
        use extsort::{ExternalSorter, Sortable};
        use std::io::{Read, Write};
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
        struct Item(Posting);
        impl Sortable for Item {
            fn encode<W: Write>(&self, writer: &mut W) -> std::io::Result<()> {
                let mut bytes = [0; Posting::SIZE];
                self.0.encode(&mut bytes);
                writer.write_all(&bytes)
            }
            fn decode<R: Read>(reader: &mut R) -> std::io::Result<Item> {
                let mut bytes = [0; Posting::SIZE];
                reader.read_exact(&mut bytes)?;
                Ok(Item(Posting::decode(&bytes)))
            }
        }
        let mut state = 7_u64;
        let records: Vec<Posting> = (0..100_000)
            .map(|doc| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                Posting { shingle: state >> 40, doc }
            })
            .collect();
        let (ours, theirs) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let rival = ExternalSorter::new().with_segment_size(9_000).with_sort_dir(theirs.path().to_path_buf());
        let expected: Vec<Posting> =
            rival.sort(records.iter().map(|r| Item(*r))).unwrap().map(|item| item.unwrap().0).collect();
        assert_eq!(sorted(spec(ours.path(), 64 << 10, 5), &records, Keep), expected);
    }

    #[test]
    fn every_failing_operation_is_reported() {
        use format::{DiskOptions, Faults};
        let records: Vec<Posting> = (0..400).map(|i| Posting { shingle: 400 - u64::from(i), doc: i }).collect();
        let mut failures = 0;
        for nth in 1.. {
            let dir = tempfile::tempdir().unwrap();
            let disk = Disk::new(DiskOptions { faults: Faults::failing(None, nth, 5), ..DiskOptions::default() });
            let mut sorter = Sorter::new(SortSpec { disk, ..spec(dir.path(), 600, 3) }, Keep);
            let result = (|| {
                for record in &records {
                    sorter.push(*record)?;
                }
                let mut sorted = sorter.finish()?;
                let mut out = 0;
                while sorted.next()?.is_some() {
                    out += 1;
                }
                Ok::<_, FormatError>(out)
            })();
            match result {
                Err(_) => failures += 1,
                Ok(n) => {
                    // Only a failing removal may pass unreported: the run is then left for the next start to clear.
                    assert_eq!(n, 400);
                    if nth > 300 {
                        break;
                    }
                }
            }
        }
        assert!(failures > 50, "{failures}");
    }
}
