//! The parts of a sort while records come in: their full blocks, in memory or on disk.
//!
//! The records of each bin are counted when a full block arrives. So the size of every bin is known
//! before the part is read back, and each record can go straight to its place.

use crate::block_encoding::BlockEncoding;
use crate::layout::{Layout, Scale};
use crate::sync::atomic::{AtomicUsize, Ordering};
use crate::sync::{Mutex, MutexGuard};
use crate::{Prefixes, SortSpec};
use format::{Disk, FormatError, Spill, SpillBlock};
use model::{Record, Unpoisoned};
use std::path::PathBuf;

/// The records of one part.
#[derive(Default)]
pub(crate) struct PartContents {
    /// How records are encoded in the blocks.
    pub(crate) encoding: BlockEncoding,
    pub(crate) records: u64,
    /// How many records each bin has; empty while there are none.
    pub(crate) bins: Vec<u32>,
    /// Blocks in memory; all are full, except perhaps the last one.
    pub(crate) kept: Vec<SpillBlock>,
    /// Blocks on disk.
    pub(crate) spill: Option<Spill>,
    /// The records of finished threads that did not fill a block; not yet counted in the bins.
    rest: Option<SpillBlock>,
}

/// Adds the records of a block to the counts of the bins; returns how many there are.
type CountRecords = fn(BlockEncoding, Scale, &mut [u32], &[u8]) -> u64;

fn count_records<R: Record>(
    encoding: BlockEncoding,
    scale: Scale,
    bins: &mut [u32],
    block: &[u8],
) -> u64 {
    let mut records = 0;
    encoding.each(block, |record: R| {
        let bin = &mut bins[scale.bin(record.prefix())];
        *bin = bin.saturating_add(1);
        records += 1;
    });
    records
}

/// The parts of a sort. Their type does not depend on that of the records: one function pointer,
/// called once a block, does. So most of this code is compiled only once.
pub(crate) struct PartStore {
    pub(crate) layout: Layout,
    pub(crate) scale: Scale,
    pub(crate) encoding: BlockEncoding,
    disk: Disk,
    dir: PathBuf,
    name: String,
    parts: Vec<Mutex<PartContents>>,
    /// How many full blocks are in memory.
    kept: AtomicUsize,
    count_records: CountRecords,
}

impl PartStore {
    pub(crate) fn new<R: Record>(layout: Layout, prefixes: Prefixes, spec: &SortSpec) -> PartStore {
        let encoding = BlockEncoding::of::<R>(prefixes, layout.parts);
        PartStore::over(layout, prefixes, spec, encoding, count_records::<R>)
    }

    fn over(
        layout: Layout,
        prefixes: Prefixes,
        spec: &SortSpec,
        encoding: BlockEncoding,
        count_records: CountRecords,
    ) -> PartStore {
        let contents = |part| {
            Mutex::new(PartContents {
                encoding: encoding.of_part(part),
                ..PartContents::default()
            })
        };
        PartStore {
            layout,
            scale: Scale::new(prefixes, &layout),
            encoding,
            disk: spec.disk.clone(),
            dir: spec.dir.clone(),
            name: spec.name.clone(),
            parts: (0..layout.parts).map(contents).collect(),
            kept: AtomicUsize::new(0),
            count_records,
        }
    }

    fn lock(&self, part: usize) -> MutexGuard<'_, PartContents> {
        self.parts[part].lock().unpoisoned()
    }

    /// Takes a full block; returns an empty one.
    pub(crate) fn put(&self, part: usize, block: SpillBlock) -> Result<SpillBlock, FormatError> {
        self.put_into(&mut self.lock(part), part, block)
    }

    fn put_into(
        &self,
        to: &mut PartContents,
        part: usize,
        mut block: SpillBlock,
    ) -> Result<SpillBlock, FormatError> {
        self.count(to, &block);
        if self.kept.fetch_add(1, Ordering::Relaxed) < self.layout.kept_max {
            to.kept.push(block);
            return Ok(SpillBlock::new(self.layout.block_bytes));
        }
        self.kept.fetch_sub(1, Ordering::Relaxed);
        self.spill(to, part, &block)?;
        block.clear();
        Ok(block)
    }

    fn spill(
        &self,
        to: &mut PartContents,
        part: usize,
        block: &SpillBlock,
    ) -> Result<(), FormatError> {
        if to.spill.is_none() {
            to.spill = Some(Spill::create(
                &self.disk,
                &self.dir.join(PartStore::name_of(&self.name, part)),
            )?);
        }
        to.spill
            .as_mut()
            .map_or(Ok(()), |spill| spill.append(block))
    }

    fn count(&self, to: &mut PartContents, block: &SpillBlock) {
        to.bins.resize(self.layout.bins, 0);
        to.records += (self.count_records)(to.encoding, self.scale, &mut to.bins, block.filled());
    }

    /// Takes the last block of a thread, which is not full.
    pub(crate) fn put_rest(&self, part: usize, block: SpillBlock) -> Result<(), FormatError> {
        let mut to = self.lock(part);
        let Some(mut rest) = to.rest.take() else {
            to.rest = Some(block);
            return Ok(());
        };
        if rest.append(block.filled()) {
            to.rest = Some(rest);
        } else {
            self.put_into(&mut to, part, rest)?;
            to.rest = Some(block);
        }
        Ok(())
    }

    /// Ends the input and gives the parts in order. `kept_max` says how many blocks may stay in
    /// memory; the others are written.
    pub(crate) fn close(
        self,
        kept_max: &dyn Fn(&[PartContents]) -> usize,
    ) -> Result<(Scale, Vec<PartContents>), FormatError> {
        let mut parts = Vec::with_capacity(self.parts.len());
        let mut store = self;
        for part in std::mem::take(&mut store.parts) {
            let mut contents = part.into_inner().unpoisoned();
            if let Some(rest) = contents.rest.take() {
                store.count(&mut contents, &rest);
                contents.kept.push(rest);
            }
            parts.push(contents);
        }
        let kept_max = kept_max(&parts);
        let mut kept: usize = parts.iter().map(|contents| contents.kept.len()).sum();
        for (part, contents) in parts.iter_mut().enumerate() {
            if kept <= kept_max {
                break;
            }
            for block in std::mem::take(&mut contents.kept) {
                store.spill(contents, part, &block)?;
                kept -= 1;
            }
        }
        parts
            .iter_mut()
            .filter_map(|contents| contents.spill.as_mut())
            .for_each(Spill::rest);
        Ok((store.scale, parts))
    }

    /// The file name of a part. The sort of an oversized part adds to it.
    pub(crate) fn name_of(name: &str, part: usize) -> String {
        format!("{name}.run-p{part:03}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Posting;

    #[test]
    fn blocks_beyond_the_memory_are_written() {
        let dir = tempfile::tempdir().unwrap();
        let layout = Layout {
            bins: 2,
            block_bytes: 16,
            kept_max: 3,
            ..Layout::small()
        };
        let spec = SortSpec::new(Disk::default(), dir.path().into(), "test".into(), 1 << 20);
        let store = PartStore::new::<Posting>(layout, Prefixes::ALL, &spec);
        let block = |part: usize| {
            let mut block = SpillBlock::new(16);
            let shingle = (part as u64) << 62;
            assert!(
                store
                    .encoding
                    .put(&Posting { shingle, doc: 1 }, &mut block, &mut 0)
            );
            block
        };
        for part in [0, 0, 2, 2] {
            store.put(part, block(part)).unwrap();
        }
        for _ in 0..2 {
            store.put_rest(3, block(3)).unwrap();
        }
        let blocks = |parts: &[PartContents]| -> Vec<(usize, usize)> {
            let spilled = |part: &PartContents| part.spill.as_ref().map_or(0, Spill::blocks);
            parts
                .iter()
                .map(|part| (part.kept.len(), spilled(part)))
                .collect()
        };
        let (_, parts) = store
            .close(&|parts| {
                // Three blocks are in memory, and the last of a thread.
                assert_eq!(blocks(parts), [(2, 0), (0, 0), (1, 1), (1, 1)]);
                2
            })
            .unwrap();
        assert_eq!(blocks(&parts), [(0, 2), (0, 0), (1, 1), (1, 1)]);
        let records: Vec<u64> = parts.iter().map(|part| part.records).collect();
        assert_eq!(records, [2, 0, 2, 2]);
        assert_eq!(parts[3].bins, [2, 0]);
    }
}
