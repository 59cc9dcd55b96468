//! The parts of a sort while records come in: which blocks are full, which are on disk.

use crate::Prefixes;
use crate::code::Code;
use crate::shape::{Scale, Shape};
use format::{Disk, FormatError, Spill, SpillBlock};
use model::Record;
use std::marker::PhantomData;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What a part holds.
#[derive(Default)]
pub(crate) struct Contents {
    /// How records lie in the blocks.
    pub(crate) code: Code,
    pub(crate) records: u64,
    /// Records of each bin; empty while there are none.
    pub(crate) bins: Vec<u32>,
    /// Full blocks in memory, the last one perhaps not full.
    pub(crate) kept: Vec<SpillBlock>,
    /// Blocks on disk.
    pub(crate) spill: Option<Spill>,
    /// What finished lanes left; not yet counted in the bins.
    rest: Option<SpillBlock>,
}

/// All parts.
pub(crate) struct Store<R> {
    pub(crate) shape: Shape,
    pub(crate) scale: Scale,
    pub(crate) code: Code,
    disk: Disk,
    dir: PathBuf,
    name: String,
    parts: Vec<Mutex<Contents>>,
    /// Full blocks in memory.
    kept: AtomicUsize,
    record: PhantomData<R>,
}

impl<R: Record> Store<R> {
    pub(crate) fn new(shape: Shape, prefixes: Prefixes, spec: &crate::SortSpec) -> Store<R> {
        let code = Code::of::<R>(prefixes, shape.parts);
        let contents = |part| {
            Mutex::new(Contents {
                code: code.of_part(part),
                ..Contents::default()
            })
        };
        Store {
            shape,
            scale: Scale::new(prefixes, &shape),
            code,
            disk: spec.disk.clone(),
            dir: spec.dir.clone(),
            name: spec.name.clone(),
            parts: (0..shape.parts).map(contents).collect(),
            kept: AtomicUsize::new(0),
            record: PhantomData,
        }
    }

    fn lock(&self, part: usize) -> MutexGuard<'_, Contents> {
        self.parts[part]
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a full block; gives an empty one.
    pub(crate) fn put(&self, part: usize, block: SpillBlock) -> Result<SpillBlock, FormatError> {
        self.put_into(&mut self.lock(part), part, block)
    }

    fn put_into(
        &self,
        to: &mut Contents,
        part: usize,
        mut block: SpillBlock,
    ) -> Result<SpillBlock, FormatError> {
        self.count(to, &block);
        if self.kept.fetch_add(1, Ordering::Relaxed) < self.shape.kept_max {
            to.kept.push(block);
            return Ok(SpillBlock::new(self.shape.block_bytes));
        }
        self.kept.fetch_sub(1, Ordering::Relaxed);
        self.spill(to, part, &block)?;
        block.clear();
        Ok(block)
    }

    fn spill(&self, to: &mut Contents, part: usize, block: &SpillBlock) -> Result<(), FormatError> {
        if to.spill.is_none() {
            to.spill = Some(Spill::create(
                &self.disk,
                &self.dir.join(format!("{}.run-p{part:03}", self.name)),
            )?);
        }
        to.spill
            .as_mut()
            .map_or(Ok(()), |spill| spill.append(block))
    }

    fn count(&self, to: &mut Contents, block: &SpillBlock) {
        to.bins.resize(self.shape.bins, 0);
        let (scale, bins, mut records) = (self.scale, &mut to.bins[..], 0);
        to.code.each(block.filled(), |record: R| {
            let bin = &mut bins[scale.bin(record.prefix())];
            *bin = bin.saturating_add(1);
            records += 1;
        });
        to.records += records;
    }

    /// Takes the last block of a lane, which is not full.
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

    /// Ends the input: the parts in order, with at most so many blocks kept in memory.
    pub(crate) fn close(
        self,
        kept_max: impl Fn(&[Contents]) -> usize,
    ) -> Result<(Scale, Vec<Contents>), FormatError> {
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

    /// Where a part that is sorted by itself puts its files.
    pub(crate) fn name_of(name: &str, part: usize) -> String {
        format!("{name}.run-p{part:03}")
    }
}
