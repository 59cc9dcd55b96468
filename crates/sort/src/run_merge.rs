//! Sorted runs on disk and their k-way merge.

use crate::Combine;
use crate::loser_tree::LoserTree;
use format::{FormatError, RecordReader, ScratchFile};
use model::Record;

/// The records of several runs, merged into one sorted sequence, with equal ones combined.
pub(crate) struct Merge<R, C> {
    readers: Vec<RecordReader<R>>,
    tree: LoserTree<R>,
    combine: C,
    /// Their files are removed when the merge ends.
    _runs: Vec<ScratchFile<R>>,
}

impl<R: Record, C: Combine<R>> Merge<R, C> {
    pub(crate) fn open(runs: Vec<ScratchFile<R>>, combine: C) -> Result<Merge<R, C>, FormatError> {
        let mut readers = Vec::with_capacity(runs.len());
        let mut heads = Vec::with_capacity(runs.len());
        for run in &runs {
            let mut reader = run.read()?;
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
    use format::{Disk, ScratchWriter};
    use model::Posting;

    #[test]
    fn a_merge_gives_no_more_records_at_a_time_than_asked_for() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run");
        let mut writer = ScratchWriter::with_blocks(&Disk::default(), path, 100).unwrap();
        for doc in 0..3 {
            writer.push(&Posting { shingle: 1, doc }).unwrap();
        }
        let mut merge = Merge::open(vec![writer.finish().unwrap()], KeepAll).unwrap();
        let mut block: Vec<Posting> = Vec::new();
        for records in [2, 1, 0] {
            merge.next_block(&mut block, 2).unwrap();
            assert_eq!(block.len(), records);
        }
    }
}
