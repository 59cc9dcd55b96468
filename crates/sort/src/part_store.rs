//! The parts of a sort while records come in: their full blocks, in memory or on disk.
//!
//! The records of each bin are counted when a full block arrives. So the size of every bin is known
//! before the part is read back, and each record can go straight to its place.

use crate::block_encoding::BlockEncoding;
use crate::layout::{Layout, Scale};
use crate::sync::atomic::{AtomicUsize, Ordering};
use crate::sync::{Mutex, MutexGuard, PoisonError};
use crate::{Prefixes, SortSpec};
use format::{Disk, FormatError, Spill, SpillBlock};
use model::Record;
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
        self.parts[part]
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
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
            let mut contents = part.into_inner().unwrap_or_else(PoisonError::into_inner);
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
