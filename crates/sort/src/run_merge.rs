//! Sorted runs on disk and their k-way merge.

use crate::Combine;
use crate::loser_tree::LoserTree;
use format::{Disk, FileKind, FormatError, RecordReader};
use model::Record;
use std::path::PathBuf;

/// The file of a run, removed when this is dropped.
pub(crate) struct Run {
    disk: Disk,
    pub(crate) path: PathBuf,
}

impl Drop for Run {
    fn drop(&mut self) {
        let _ = self.disk.remove(&self.path);
    }
}

impl Run {
    /// A run whose file is complete.
    pub(crate) fn of(disk: &Disk, path: PathBuf) -> Run {
        Run {
            disk: disk.clone(),
            path,
        }
    }
}

/// The records of several runs, merged into one sorted sequence, with equal ones combined.
pub(crate) struct Merge<R, C> {
    readers: Vec<RecordReader<R>>,
    tree: LoserTree<R>,
    combine: C,
    /// Their files are removed when the merge ends.
    _runs: Vec<Run>,
}

impl<R: Record, C: Combine<R>> Merge<R, C> {
    pub(crate) fn open(
        disk: &Disk,
        runs: Vec<Run>,
        combine: C,
    ) -> Result<Merge<R, C>, FormatError> {
        let mut readers = Vec::with_capacity(runs.len());
        let mut heads = Vec::with_capacity(runs.len());
        for run in &runs {
            let mut reader = RecordReader::<R>::open(disk, &run.path, FileKind::Run)?;
            heads.push(reader.next()?);
            readers.push(reader);
        }
        Ok(Merge {
            readers,
            tree: LoserTree::new(heads),
            combine,
            _runs: runs,
        })
    }

    fn pop(&mut self) -> Result<Option<R>, FormatError> {
        let Some((source, record)) = self.tree.winner() else {
            return Ok(None);
        };
        let next = self.readers[source].next()?;
        self.tree.replace_winner(next);
        Ok(Some(record))
    }

    /// Replaces the records of `block` by the next ones, at most `records`.
    pub(crate) fn next_block(
        &mut self,
        block: &mut Vec<R>,
        records: usize,
    ) -> Result<(), FormatError> {
        block.clear();
        while block.len() < records
            && let Some(record) = self.next()?
        {
            block.push(record);
        }
        Ok(())
    }

    pub(crate) fn next(&mut self) -> Result<Option<R>, FormatError> {
        let Some(mut record) = self.pop()? else {
            return Ok(None);
        };
        while let Some((_, head)) = self.tree.winner() {
            if !self.combine.absorb(&mut record, &head) {
                break;
            }
            self.pop()?;
        }
        Ok(Some(record))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::KeepAll;
    use format::{RecordSpec, RecordWriter};
    use model::Posting;

    #[test]
    fn a_merge_gives_no_more_records_at_a_time_than_asked_for() {
        let dir = tempfile::tempdir().unwrap();
        let disk = Disk::default();
        let path = dir.path().join("run");
        let spec = RecordSpec::scratch(path.clone(), 100);
        let mut writer = RecordWriter::create(&disk, spec).unwrap();
        for doc in 0..3 {
            writer.push(&Posting { shingle: 1, doc }).unwrap();
        }
        writer.finish().unwrap();
        let mut merge = Merge::open(&disk, vec![Run::of(&disk, path)], KeepAll).unwrap();
        let mut block: Vec<Posting> = Vec::new();
        for records in [2, 1, 0] {
            merge.next_block(&mut block, 2).unwrap();
            assert_eq!(block.len(), records);
        }
    }
}
