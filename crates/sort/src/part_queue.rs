//! The parts of a sort wait in a queue to be sorted, and come out in order.
//!
//! *Algorithm.* As many parts as fit memory are being sorted or used at once: one by the reader,
//! the others by worker threads that sort ahead. An oversized part waits until no other part is in
//! memory, then gets a sort of its own ([`crate::oversized`]).

use crate::layout::Layout;
use crate::oversized::{NestedSort, PartContext, PartSetup, QueuedPart, SortOversized};
use crate::part_buffer::{PartBuffer, needed_bytes};
use crate::part_store::{PartContents, PartStore};
use crate::workers::{Answer, Workers, answer};
use crate::{Combine, SortSpec};
use format::FormatError;
use model::Record;
use std::collections::VecDeque;

/// The parts of a sort in order.
pub(crate) struct PartQueue<R, C> {
    pub(crate) context: PartContext<R, C>,
    spare: Vec<PartBuffer<R>>,
    workers: Option<Workers>,
    /// The answers for the parts being sorted, in order.
    being_sorted: VecDeque<Answer<Result<PartBuffer<R>, FormatError>>>,
    /// The sort of the oversized part that is being read.
    oversized: Option<Box<dyn NestedSort<R>>>,
}

/// How the memory of a sort is shared out among parts.
struct PartMemory {
    layout: Layout,
    /// Bytes of a record in memory.
    record_bytes: usize,
    memory_bytes: usize,
    /// Parts that should be in memory at once: one with the reader and one with each thread.
    buffers_wanted: usize,
}

impl PartMemory {
    fn of(spec: &SortSpec, layout: Layout, record_bytes: usize) -> PartMemory {
        let bin_bytes = layout.parts * layout.bins * 4;
        PartMemory {
            layout,
            record_bytes,
            memory_bytes: spec.memory_bytes.saturating_sub(bin_bytes),
            buffers_wanted: if spec.threads > 1 {
                spec.threads + 1
            } else {
                1
            },
        }
    }

    fn needed(&self, contents: &PartContents) -> u64 {
        needed_bytes(contents, self.record_bytes, self.layout.block_bytes)
    }

    /// Bins are counted, and places in memory are, in 32 bits.
    fn is_oversized(&self, contents: &PartContents) -> bool {
        self.needed(contents) > self.memory_bytes as u64 || contents.records > u64::from(u32::MAX)
    }

    /// Bytes that the largest part that fits needs.
    fn largest(&self, parts: &[PartContents]) -> usize {
        let fitting = parts.iter().filter(|part| !self.is_oversized(part));
        fitting.map(|part| self.needed(part)).max().unwrap_or(0) as usize
    }

    /// How many full blocks may stay in memory while parts are sorted.
    fn kept_max(&self, parts: &[PartContents]) -> usize {
        if parts.iter().any(|part| self.is_oversized(part)) {
            return 0;
        }
        // If nothing was written so far, it is worth a thread that nothing is.
        let buffers = if parts.iter().all(|part| part.spill.is_none()) {
            self.buffers_wanted.min(2)
        } else {
            self.buffers_wanted
        };
        let taken = buffers.saturating_mul(self.largest(parts));
        self.memory_bytes.saturating_sub(taken) / self.layout.block_bytes.max(1)
    }

    /// How many parts may be in memory at once beside the blocks that stayed there.
    fn buffers_max(&self, parts: &[PartContents]) -> usize {
        let kept: usize = parts
            .iter()
            .map(|contents| contents.kept.len() * self.layout.block_bytes)
            .sum();
        let free = self.memory_bytes - kept.min(self.memory_bytes);
        (free / self.largest(parts).max(1)).clamp(1, self.buffers_wanted)
    }
}

impl PartSetup {
    /// Ends the input of a store. It is apart from [`PartQueue::new`] so that it is compiled once.
    fn of(
        spec: SortSpec,
        store: PartStore,
        depth: u32,
        record_bytes: usize,
    ) -> Result<PartSetup, FormatError> {
        let memory = PartMemory::of(&spec, store.layout, record_bytes);
        let (scale, parts) = store.close(&|parts| memory.kept_max(parts))?;
        let buffers_max = memory.buffers_max(&parts);
        let parts = parts.into_iter().enumerate();
        let waiting = parts.filter(|(_, contents)| contents.records > 0);
        let waiting = waiting.map(|(part, contents)| QueuedPart {
            is_oversized: memory.is_oversized(&contents),
            contents,
            part,
        });
        Ok(PartSetup {
            waiting: waiting.collect(),
            buffers_max,
            spec,
            scale,
            memory_bytes: memory.memory_bytes,
            block_bytes: memory.layout.block_bytes,
            depth,
        })
    }
}

impl<R: Record, C: Combine<R>> PartQueue<R, C> {
    /// Ends the input of a store and queues its parts.
    pub(crate) fn new(
        spec: SortSpec,
        combine: C,
        store: PartStore,
        depth: u32,
        sort_oversized: SortOversized<R, C>,
    ) -> Result<PartQueue<R, C>, FormatError> {
        Ok(PartQueue {
            context: PartContext {
                setup: PartSetup::of(spec, store, depth, size_of::<R>())?,
                combine,
                sort_oversized,
            },
            spare: Vec::new(),
            workers: None,
            being_sorted: VecDeque::new(),
            oversized: None,
        })
    }

    /// Takes back the buffer that was read last and gives the next one; `None` after the last.
    pub(crate) fn next(
        &mut self,
        used: PartBuffer<R>,
    ) -> Result<Option<PartBuffer<R>>, FormatError> {
        if let Some(oversized) = &mut self.oversized {
            if let Some(buffer) = oversized.next_buffer(used)? {
                return Ok(Some(buffer));
            }
            self.oversized = None;
        } else {
            self.spare.push(used);
        }
        while self.being_sorted.len() < self.context.setup.buffers_max
            && let Some(next) = self
                .context
                .setup
                .waiting
                .pop_front_if(|next| !next.is_oversized)
        {
            self.begin(next.contents);
        }
        if let Some(first) = self.being_sorted.pop_front() {
            // A task that ended without an answer has failed.
            return first
                .wait()
                .unwrap_or(Err(FormatError::Interrupted))
                .map(Some);
        }
        let Some(next) = self.context.setup.waiting.pop_front() else {
            return Ok(None);
        };
        self.spare.clear();
        let mut sorted = (self.context.sort_oversized)(&self.context, next)?;
        let buffer = sorted.next_buffer(PartBuffer::new())?;
        self.oversized = Some(sorted);
        match buffer {
            Some(buffer) => Ok(Some(buffer)),
            None => self.next(PartBuffer::new()),
        }
    }

    /// Has a part sorted: by a worker, or at once if there is none. Workers start with the first
    /// part.
    fn begin(&mut self, contents: PartContents) {
        let mut buffer = self.spare.pop().unwrap_or_else(PartBuffer::new);
        let (done, sorted) = answer();
        self.being_sorted.push_back(sorted);
        let setup = &self.context.setup;
        let (scale, combine) = (setup.scale, self.context.combine.clone());
        let threads = setup.spec.threads.min(setup.buffers_max);
        let workers = self.workers.get_or_insert_with(|| Workers::start(threads));
        workers.give(Box::new(move || {
            done.send(buffer.sort(contents, scale, &combine).map(|()| buffer));
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{KeepAll, Prefixes};
    use format::{Disk, Spill, SpillBlock};
    use model::Posting;

    /// 1000 bytes beside 128 for the counts of the bins.
    fn memory(threads: usize) -> PartMemory {
        memory_of(1128, threads)
    }

    fn memory_of(memory_bytes: usize, threads: usize) -> PartMemory {
        let layout = Layout::small();
        let spec = SortSpec {
            threads,
            ..SortSpec::new(Disk::default(), "dir".into(), "test".into(), memory_bytes)
        };
        PartMemory::of(&spec, layout, 16)
    }

    /// A part of one bin, which needs 32 bytes a record and 104 more.
    fn part(records: u32) -> PartContents {
        let mut contents = PartContents::default();
        contents.records = u64::from(records);
        contents.bins = vec![records];
        contents
    }

    #[test]
    fn a_part_is_oversized_if_it_exceeds_the_memory_or_32_bits() {
        assert!(!memory(1).is_oversized(&part(28)), "it needs 1000 bytes");
        assert!(memory(1).is_oversized(&part(29)));
        let vast = memory_of(usize::MAX, 1);
        assert!(!vast.is_oversized(&part(u32::MAX)));
        let mut large = part(u32::MAX);
        large.records += 1;
        assert!(vast.is_oversized(&large));
        assert_eq!(memory(1).largest(&[part(1), part(3), part(29)]), 200);
    }

    #[test]
    fn a_part_for_the_reader_and_each_thread_fits_beside_the_blocks() {
        let dir = tempfile::tempdir().unwrap();
        let parts = [part(1), part(3)];
        let mut spilled = [part(1), part(3)];
        spilled[0].spill =
            Some(Spill::create(&Disk::default(), &dir.path().join("spill")).unwrap());
        // The largest part needs 200 bytes.
        for (threads, kept, kept_if_spilled, buffers) in [(1, 8, 8, 1), (2, 6, 4, 3), (7, 6, 0, 5)]
        {
            let memory = memory(threads);
            assert_eq!(memory.kept_max(&parts), kept, "{threads} threads");
            assert_eq!(
                memory.kept_max(&spilled),
                kept_if_spilled,
                "{threads} threads"
            );
            assert_eq!(memory.buffers_max(&parts), buffers, "{threads} threads");
        }
        assert_eq!(
            memory(1).kept_max(&[part(1), part(29)]),
            0,
            "one is oversized"
        );
        spilled[1].kept.extend((0..5).map(|_| SpillBlock::new(100)));
        assert_eq!(
            memory(7).buffers_max(&spilled),
            2,
            "half of the memory is taken"
        );
        assert_eq!(memory(7).buffers_max(&[part(29)]), 8, "no part fits");
    }

    #[test]
    fn workers_sort_as_many_parts_ahead_as_fit() {
        let dir = tempfile::tempdir().unwrap();
        let spec = SortSpec {
            threads: 2,
            ..SortSpec::new(Disk::default(), dir.path().into(), "test".into(), 1128)
        };
        let layout = Layout {
            kept_max: 4,
            ..memory(2).layout
        };
        let store = PartStore::new::<Posting>(layout, Prefixes::ALL, &spec);
        for part in 0..4 {
            let mut block = SpillBlock::new(100);
            let record = Posting {
                shingle: (part as u64) << 62,
                doc: 1,
            };
            assert!(store.encoding.put(&record, &mut block, &mut 0));
            store.put_rest(part, block).unwrap();
        }
        let none: SortOversized<Posting, KeepAll> = |_, _| Err(FormatError::Interrupted);
        let mut queue = PartQueue::new(spec, KeepAll, store, 0, none).unwrap();
        assert_eq!(queue.context.setup.buffers_max, 3);
        let mut used = PartBuffer::new();
        for ahead in [2, 2, 1, 0] {
            used = queue.next(used).unwrap().unwrap();
            assert_eq!(used.records().len(), 1);
            assert_eq!(queue.being_sorted.len(), ahead);
        }
        assert!(queue.next(used).unwrap().is_none());
    }
}
