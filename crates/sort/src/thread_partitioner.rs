//! Partitions the records of one thread: they go to a batch, then to the thread's own open block of
//! each part.
//!
//! Threads synchronize only when a block is full, so that they do not wait for each other. Records
//! are buffered unpartitioned first, because most sorts are small and finish in memory.

use crate::block_encoding::NONE_BEFORE;
use crate::layout::{Layout, LayoutInputs};
use crate::part_store::PartStore;
use crate::run_sorter::RunSorter;
use crate::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use crate::sync::{Arc, Mutex, MutexGuard};
use crate::{Combine, Prefixes, SortSpec};
use format::{FormatError, SpillBlock};
use model::{Record, Unpoisoned};

/// How a sort stores its records at the moment.
pub(crate) enum SortStage<R, C> {
    /// Unpartitioned, in the order of arrival.
    Buffered(Vec<R>),
    /// Partitioned by prefix.
    Partitioned(Arc<PartStore>),
    /// In sorted runs, because memory is too small for parts or prefixes do not tell the records
    /// apart.
    Runs(RunSorter<R, C>),
}

/// State that all threads of a sort's input share.
pub(crate) struct SharedInput<R, C> {
    pub(crate) spec: SortSpec,
    pub(crate) prefixes: Option<Prefixes>,
    pub(crate) combine: C,
    /// How many sorts this one is nested in.
    pub(crate) depth: u32,
    layout: Option<Layout>,
    stage: Mutex<SortStage<R, C>>,
    pub(crate) pushed: AtomicU64,
    /// Whether records are missing: a feeder was dropped unfinished, or a push failed.
    pub(crate) lost: AtomicBool,
}

impl<R: Record, C: Combine<R>> SharedInput<R, C> {
    /// An empty input. `prefixes` is `None` if they do not tell the records apart.
    pub(crate) fn new(
        spec: SortSpec,
        prefixes: Option<Prefixes>,
        combine: C,
        depth: u32,
    ) -> SharedInput<R, C> {
        let inputs = LayoutInputs {
            memory_bytes: spec.memory_bytes,
            threads: spec.threads,
            files_max: spec.fan_in_max,
            encoded_bytes: R::SIZE,
            record_bytes: size_of::<R>(),
        };
        let layout = prefixes.and_then(|_| Layout::of(inputs));
        let stage = match layout {
            Some(_) => SortStage::Buffered(Vec::new()),
            None => SortStage::Runs(RunSorter::new(spec.clone(), combine.clone())),
        };
        SharedInput {
            spec,
            prefixes,
            combine,
            depth,
            layout,
            stage: Mutex::new(stage),
            pushed: AtomicU64::new(0),
            lost: AtomicBool::new(false),
        }
    }

    fn stage(&self) -> MutexGuard<'_, SortStage<R, C>> {
        self.stage.lock().unpoisoned()
    }

    pub(crate) fn into_stage(self) -> (SortSpec, C, SortStage<R, C>) {
        (
            self.spec,
            self.combine,
            self.stage.into_inner().unpoisoned(),
        )
    }

    /// Stores a batch unpartitioned or in runs. If it has to be partitioned instead, gives the
    /// store for that, with the records that were buffered before.
    fn take(&self, batch: &[R]) -> Result<Option<PartitionTarget<R>>, FormatError> {
        let mut stage = self.stage();
        let buffered = match &mut *stage {
            SortStage::Runs(runs) => {
                return batch
                    .iter()
                    .try_for_each(|record| runs.push(*record))
                    .map(|()| None);
            }
            SortStage::Partitioned(store) => {
                return Ok(Some(PartitionTarget {
                    store: Arc::clone(store),
                    buffered: Vec::new(),
                }));
            }
            SortStage::Buffered(buffered) => buffered,
        };
        let (Some(layout), Some(expected)) = (self.layout, self.prefixes) else {
            return Err(FormatError::Interrupted);
        };
        if buffered.len() + batch.len() <= layout.buffered_records {
            grow(buffered, batch.len(), layout.buffered_records);
            buffered.extend_from_slice(batch);
            return Ok(None);
        }
        let buffered = std::mem::take(buffered);
        let prefixes = buffered.iter().chain(batch).map(R::prefix);
        if self.depth > 0 && prefixes.is_sorted_by(|a, b| a == b) {
            // Partitioning did not tell these records apart before and will not now.
            let mut runs = RunSorter::new(self.spec.clone(), self.combine.clone());
            buffered
                .iter()
                .chain(batch)
                .try_for_each(|record| runs.push(*record))?;
            *stage = SortStage::Runs(runs);
            return Ok(None);
        }
        let prefixes = expected.or_of(buffered.iter().chain(batch));
        let store = Arc::new(PartStore::new::<R>(layout, prefixes, &self.spec));
        *stage = SortStage::Partitioned(Arc::clone(&store));
        Ok(Some(PartitionTarget { store, buffered }))
    }
}

/// The store to partition records into, and records that were buffered before it existed.
struct PartitionTarget<R> {
    store: Arc<PartStore>,
    buffered: Vec<R>,
}

/// Doubles the capacity of a vector to take `more` records, up to `most`.
fn grow<R>(records: &mut Vec<R>, more: usize, most: usize) {
    let needed = records.len() + more;
    if needed > records.capacity() {
        let wanted = (2 * records.capacity()).max(needed).min(most);
        records.reserve_exact(wanted - records.len());
    }
}

/// Partitions the records of one thread.
pub(crate) struct ThreadPartitioner<R> {
    batch: Vec<R>,
    batch_records: usize,
    store: Option<Arc<PartStore>>,
    /// One for each part; its memory is allocated with its first record.
    blocks: Vec<OpenBlock>,
}

/// A block that is being filled.
struct OpenBlock {
    block: SpillBlock,
    /// The last record number in it.
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

impl<R: Record> ThreadPartitioner<R> {
    pub(crate) fn new<C: Combine<R>>(shared: &SharedInput<R, C>) -> ThreadPartitioner<R> {
        let batch_records = shared.layout.map_or(1, |layout| layout.batch_records);
        ThreadPartitioner {
            batch: Vec::new(),
            batch_records,
            store: None,
            blocks: Vec::new(),
        }
    }

    /// How many records are in the batch.
    pub(crate) fn batched(&self) -> u64 {
        self.batch.len() as u64
    }

    /// Whether all of its records were passed on.
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
        shared: &SharedInput<R, C>,
        record: R,
    ) -> Result<(), FormatError> {
        if self.batch.len() == self.batch_records {
            self.flush(shared)?;
        }
        self.batch.push(record);
        Ok(())
    }

    /// Passes the batch on and empties it.
    #[cold]
    fn flush<C: Combine<R>>(&mut self, shared: &SharedInput<R, C>) -> Result<(), FormatError> {
        let mut batch = std::mem::take(&mut self.batch);
        let passed = self.pass(shared, &batch);
        batch.clear();
        self.batch = batch;
        passed
    }

    fn pass<C: Combine<R>>(
        &mut self,
        shared: &SharedInput<R, C>,
        batch: &[R],
    ) -> Result<(), FormatError> {
        shared
            .pushed
            .fetch_add(batch.len() as u64, Ordering::Relaxed);
        // Records are missing after an error, even if the caller ignores it.
        self.store_batch(shared, batch)
            .inspect_err(|_| shared.lost.store(true, Ordering::Relaxed))
    }

    fn store_batch<C: Combine<R>>(
        &mut self,
        shared: &SharedInput<R, C>,
        batch: &[R],
    ) -> Result<(), FormatError> {
        if let Some(store) = self.store.clone() {
            return self.partition(&store, batch);
        }
        let Some(PartitionTarget { store, buffered }) = shared.take(batch)? else {
            return Ok(());
        };
        self.blocks
            .resize_with(store.layout.parts, || OpenBlock::of(SpillBlock::new(0)));
        self.store = Some(Arc::clone(&store));
        self.partition(&store, &buffered)?;
        self.partition(&store, batch)
    }

    /// Encodes records into the open blocks of their parts.
    fn partition(&mut self, store: &PartStore, records: &[R]) -> Result<(), FormatError> {
        for record in records {
            let part = store.scale.part(record.prefix());
            let open = &mut self.blocks[part];
            if store.encoding.put(record, &mut open.block, &mut open.last) {
                continue;
            }
            let full = std::mem::replace(&mut open.block, SpillBlock::new(0));
            *open = OpenBlock::of(match full.filled() {
                [] => SpillBlock::new(store.layout.block_bytes),
                _ => store.put(part, full)?,
            });
            store.encoding.put(record, &mut open.block, &mut open.last);
        }
        Ok(())
    }

    /// Passes on the batch and the open blocks.
    pub(crate) fn finish<C: Combine<R>>(
        &mut self,
        shared: &SharedInput<R, C>,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::KeepAll;
    use format::Disk;
    use model::Posting;

    fn shared(depth: u32) -> SharedInput<Posting, KeepAll> {
        let spec = SortSpec::new(Disk::default(), "dir".into(), "test".into(), 1 << 16);
        SharedInput::new(spec, Some(Prefixes::ALL), KeepAll, depth)
    }

    #[test]
    fn a_part_of_one_prefix_is_not_partitioned_again() {
        for (shingle, is_partitioned) in [(1, false), (2, true)] {
            let shared = shared(1);
            let most = shared.layout.unwrap().buffered_records;
            let records = vec![Posting { shingle: 1, doc: 1 }; most];
            assert!(shared.take(&records).unwrap().is_none());
            let target = shared.take(&[Posting { shingle, doc: 1 }]).unwrap();
            assert_eq!(target.is_some(), is_partitioned);
            assert_eq!(
                matches!(&*shared.stage(), SortStage::Runs(_)),
                !is_partitioned
            );
        }
    }

    #[test]
    fn records_are_partitioned_once_the_batch_buffer_is_full() {
        let shared = shared(0);
        let most = shared.layout.unwrap().buffered_records;
        let records = vec![Posting { shingle: 1, doc: 1 }; most];
        assert!(shared.take(&records).unwrap().is_none());
        assert!(matches!(&*shared.stage(), SortStage::Buffered(held) if held.len() == most));
        let target = shared.take(&records[..1]).unwrap().unwrap();
        assert_eq!(
            target.buffered.len(),
            most,
            "to be partitioned before the batch"
        );
        assert!(matches!(&*shared.stage(), SortStage::Partitioned(_)));
    }

    #[test]
    fn the_batch_buffer_doubles_up_to_its_share() {
        let mut records = Vec::new();
        let mut capacities = Vec::new();
        for _ in 0..25 {
            grow(&mut records, 4, 100);
            records.extend([0_u8; 4]);
            capacities.push(records.capacity());
        }
        capacities.dedup();
        assert_eq!(capacities, [4, 8, 16, 32, 64, 100]);
        let mut records = vec![0; 8];
        grow(&mut records, 80, 100);
        assert_eq!(records.capacity(), 88, "more than twice as much is needed");
        records.resize(80, 0);
        grow(&mut records, 8, 100);
        assert_eq!(records.capacity(), 88, "there is room");
    }

    #[test]
    fn a_batch_is_passed_on_when_it_is_full() {
        let shared = shared(0);
        let mut partitioner = ThreadPartitioner::new(&shared);
        let most = partitioner.batch_records;
        let record = Posting { shingle: 1, doc: 1 };
        for _ in 0..most {
            partitioner.push(&shared, record).unwrap();
        }
        assert_eq!(partitioner.batched(), most as u64);
        partitioner.push(&shared, record).unwrap();
        assert_eq!(partitioner.batched(), 1);
    }
}
