//! The way of one thread's records into the sort: a batch, then the thread's own block of each
//! part.
//!
//! Threads meet only when a block is full, so that they do not wait for each other. A few records
//! are first held as they are: most sorts are small, and end in memory without having been parted.

use crate::code::NONE_BEFORE;
use crate::run_sorter::RunSorter;
use crate::shape::{Given, Shape};
use crate::store::Store;
use crate::{Combine, Prefixes, SortSpec};
use format::{FormatError, SpillBlock};
use model::Record;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How the records are held so far.
pub(crate) enum Stage<R, C> {
    /// As they came.
    Held(Vec<R>),
    /// Parted by prefix.
    Parted(Arc<Store<R>>),
    /// In sorted runs, because memory is too small for parts, or the prefixes do not tell records
    /// apart.
    Runs(RunSorter<R, C>),
}

/// What all lanes of a sort share.
pub(crate) struct Shared<R, C> {
    pub(crate) spec: SortSpec,
    pub(crate) prefixes: Option<Prefixes>,
    pub(crate) combine: C,
    /// How many times the records were parted before.
    pub(crate) depth: u32,
    shape: Option<Shape>,
    stage: Mutex<Stage<R, C>>,
    pub(crate) pushed: AtomicU64,
    /// A lane ended with records in it.
    pub(crate) lost: AtomicBool,
}

impl<R: Record, C: Combine<R>> Shared<R, C> {
    /// Before the first record; with `None` for prefixes that do not help.
    pub(crate) fn new(
        spec: SortSpec,
        prefixes: Option<Prefixes>,
        combine: C,
        depth: u32,
    ) -> Shared<R, C> {
        let given = Given {
            memory_bytes: spec.memory_bytes,
            threads: spec.threads,
            files_max: spec.fan_in_max,
            encoded_bytes: R::SIZE,
            record_bytes: size_of::<R>(),
        };
        let shape = prefixes.and_then(|_| Shape::of(given));
        let stage = match shape {
            Some(_) => Stage::Held(Vec::new()),
            None => Stage::Runs(RunSorter::new(spec.clone(), combine.clone())),
        };
        let (pushed, lost) = (AtomicU64::new(0), AtomicBool::new(false));
        Shared {
            spec,
            prefixes,
            combine,
            depth,
            shape,
            stage: Mutex::new(stage),
            pushed,
            lost,
        }
    }

    fn stage(&self) -> MutexGuard<'_, Stage<R, C>> {
        self.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn into_stage(self) -> (SortSpec, C, Stage<R, C>) {
        (
            self.spec,
            self.combine,
            self.stage
                .into_inner()
                .unwrap_or_else(PoisonError::into_inner),
        )
    }

    /// Takes a batch; or gives the store to part it into, and records that were held before, if it
    /// is time for that.
    fn take(&self, batch: &[R]) -> Result<Option<Parting<R>>, FormatError> {
        let mut stage = self.stage();
        let held = match &mut *stage {
            Stage::Runs(runs) => {
                return batch
                    .iter()
                    .try_for_each(|record| runs.push(*record))
                    .map(|()| None);
            }
            Stage::Parted(store) => return Ok(Some((Arc::clone(store), Vec::new()))),
            Stage::Held(held) => held,
        };
        let (Some(shape), Some(expected)) = (self.shape, self.prefixes) else {
            return Err(FormatError::Interrupted);
        };
        if held.len() + batch.len() <= shape.held_records {
            grow(held, batch.len(), shape.held_records);
            held.extend_from_slice(batch);
            return Ok(None);
        }
        let held = std::mem::take(held);
        if self.depth > 0
            && held
                .iter()
                .chain(batch)
                .map(R::prefix)
                .is_sorted_by(|a, b| a == b)
        {
            // Parting did not tell them apart before and will not now.
            let mut runs = RunSorter::new(self.spec.clone(), self.combine.clone());
            held.iter()
                .chain(batch)
                .try_for_each(|record| runs.push(*record))?;
            *stage = Stage::Runs(runs);
            return Ok(None);
        }
        let prefixes = expected.or_of(held.iter().chain(batch));
        let store = Arc::new(Store::new(shape, prefixes, &self.spec));
        *stage = Stage::Parted(Arc::clone(&store));
        Ok(Some((store, held)))
    }
}

/// Where to part records into, and those that were held before.
type Parting<R> = (Arc<Store<R>>, Vec<R>);

/// Doubles a vector for `more` records, never beyond `most`.
fn grow<R>(records: &mut Vec<R>, more: usize, most: usize) {
    let needed = records.len() + more;
    if needed > records.capacity() {
        let wanted = (2 * records.capacity()).max(needed).min(most);
        records.reserve_exact(wanted - records.len());
    }
}

/// One thread's way in.
pub(crate) struct Lane<R> {
    batch: Vec<R>,
    batch_records: usize,
    store: Option<Arc<Store<R>>>,
    /// One a part; without room before its first record.
    blocks: Vec<OpenBlock>,
}

/// A block that is being filled.
struct OpenBlock {
    block: SpillBlock,
    /// The last number in it.
    last: u64,
}

impl OpenBlock {
    fn of(block: SpillBlock) -> OpenBlock {
        OpenBlock {
            block,
            last: NONE_BEFORE,
        }
    }
}

impl<R: Record> Lane<R> {
    pub(crate) fn new<C: Combine<R>>(shared: &Shared<R, C>) -> Lane<R> {
        let batch_records = shared.shape.map_or(1, |shape| shape.batch_records);
        Lane {
            batch: Vec::new(),
            batch_records,
            store: None,
            blocks: Vec::new(),
        }
    }

    /// Records in the batch.
    pub(crate) fn waiting(&self) -> u64 {
        self.batch.len() as u64
    }

    /// Whether nothing of it would be lost.
    pub(crate) fn is_empty(&self) -> bool {
        self.batch.is_empty()
            && self
                .blocks
                .iter()
                .all(|open| open.block.filled().is_empty())
    }

    #[inline]
    pub(crate) fn push<C: Combine<R>>(
        &mut self,
        shared: &Shared<R, C>,
        record: R,
    ) -> Result<(), FormatError> {
        if self.batch.len() == self.batch_records {
            self.flush(shared)?;
        }
        self.batch.push(record);
        Ok(())
    }

    pub(crate) fn push_all<C: Combine<R>>(
        &mut self,
        shared: &Shared<R, C>,
        records: &[R],
    ) -> Result<(), FormatError> {
        self.flush(shared)?;
        records
            .chunks(self.batch_records.max(1))
            .try_for_each(|batch| self.pass(shared, batch))
    }

    /// Passes the batch on.
    #[cold]
    fn flush<C: Combine<R>>(&mut self, shared: &Shared<R, C>) -> Result<(), FormatError> {
        let mut batch = std::mem::take(&mut self.batch);
        let passed = self.pass(shared, &batch);
        batch.clear();
        self.batch = batch;
        passed
    }

    fn pass<C: Combine<R>>(
        &mut self,
        shared: &Shared<R, C>,
        batch: &[R],
    ) -> Result<(), FormatError> {
        shared
            .pushed
            .fetch_add(batch.len() as u64, Ordering::Relaxed);
        // Records are missing after an error, whether the caller minds it or not.
        self.stage(shared, batch)
            .inspect_err(|_| shared.lost.store(true, Ordering::Relaxed))
    }

    fn stage<C: Combine<R>>(
        &mut self,
        shared: &Shared<R, C>,
        batch: &[R],
    ) -> Result<(), FormatError> {
        if let Some(store) = self.store.clone() {
            return self.part(&store, batch);
        }
        let Some((store, held)) = shared.take(batch)? else {
            return Ok(());
        };
        self.blocks
            .resize_with(store.shape.parts, || OpenBlock::of(SpillBlock::new(0)));
        self.store = Some(Arc::clone(&store));
        self.part(&store, &held)?;
        self.part(&store, batch)
    }

    /// Encodes records into the blocks of their parts.
    fn part(&mut self, store: &Store<R>, records: &[R]) -> Result<(), FormatError> {
        for record in records {
            let part = store.scale.part(record.prefix());
            let open = &mut self.blocks[part];
            if store.code.put(record, &mut open.block, &mut open.last) {
                continue;
            }
            let full = std::mem::replace(&mut open.block, SpillBlock::new(0));
            *open = OpenBlock::of(match full.filled() {
                [] => SpillBlock::new(store.shape.block_bytes),
                _ => store.put(part, full)?,
            });
            store.code.put(record, &mut open.block, &mut open.last);
        }
        Ok(())
    }

    /// Hands over everything.
    pub(crate) fn finish<C: Combine<R>>(
        &mut self,
        shared: &Shared<R, C>,
    ) -> Result<(), FormatError> {
        self.flush(shared)?;
        let Some(store) = self.store.take() else {
            return Ok(());
        };
        for (part, OpenBlock { block, .. }) in
            std::mem::take(&mut self.blocks).into_iter().enumerate()
        {
            if !block.filled().is_empty() {
                store
                    .put_rest(part, block)
                    .inspect_err(|_| shared.lost.store(true, Ordering::Relaxed))?;
            }
        }
        Ok(())
    }
}
