//! The parts of a sort wait in a queue to be sorted, and come out in order.
//!
//! *Algorithm.* As many parts as fit memory are being sorted or used at once: one by the reader,
//! the others by worker threads that sort ahead. An oversized part waits until no other part is in
//! memory, then gets a sort of its own ([`crate::oversized`]).

use crate::layout::{Layout, Scale};
use crate::oversized::{NestedSort, PartContext, QueuedPart, SortOversized};
use crate::part_buffer::{PartBuffer, needed_bytes};
use crate::part_store::{PartContents, PartStore};
use crate::{Combine, SortSpec};
use format::FormatError;
use model::Record;
use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

/// A part for a worker to sort, and where the answer goes.
struct Job<R> {
    contents: PartContents,
    buffer: PartBuffer<R>,
    done: SyncSender<Result<PartBuffer<R>, FormatError>>,
}

/// Threads that sort parts ahead of the reader.
struct Workers<R> {
    jobs: Option<Sender<Job<R>>>,
    threads: Vec<JoinHandle<()>>,
}

/// The parts of a sort in order.
pub(crate) struct PartQueue<R, C> {
    pub(crate) context: PartContext<R, C>,
    pub(crate) waiting: VecDeque<QueuedPart>,
    /// How many parts may be in memory at once.
    pub(crate) buffers_max: usize,
    spare: Vec<PartBuffer<R>>,
    workers: Option<Workers<R>>,
    /// The answers for the parts being sorted, in order.
    being_sorted: VecDeque<Receiver<Result<PartBuffer<R>, FormatError>>>,
    /// The sort of the oversized part that is being read.
    oversized: Option<Box<dyn NestedSort<R>>>,
}

/// How the memory of a sort is shared out among parts.
struct PartMemory {
    layout: Layout,
    memory_bytes: usize,
    /// Parts that should be in memory at once: one with the reader and one with each thread.
    buffers_wanted: usize,
}

impl PartMemory {
    fn of(spec: &SortSpec, layout: Layout) -> PartMemory {
        let bin_bytes = layout.parts * layout.bins * 4;
        PartMemory {
            layout,
            memory_bytes: spec.memory_bytes.saturating_sub(bin_bytes),
            buffers_wanted: if spec.threads > 1 {
                spec.threads + 1
            } else {
                1
            },
        }
    }

    fn needed<R: Record>(&self, contents: &PartContents) -> u64 {
        needed_bytes::<R>(contents, self.layout.block_bytes)
    }

    /// Bins are counted, and places in memory are, in 32 bits.
    fn is_oversized<R: Record>(&self, contents: &PartContents) -> bool {
        self.needed::<R>(contents) > self.memory_bytes as u64
            || contents.records > u64::from(u32::MAX)
    }

    /// Bytes that the largest part that fits needs.
    fn largest<R: Record>(&self, parts: &[PartContents]) -> usize {
        let fitting = parts.iter().filter(|part| !self.is_oversized::<R>(part));
        fitting
            .map(|part| self.needed::<R>(part))
            .max()
            .unwrap_or(0) as usize
    }

    /// How many full blocks may stay in memory while parts are sorted.
    fn kept_max<R: Record>(&self, parts: &[PartContents]) -> usize {
        if parts.iter().any(|part| self.is_oversized::<R>(part)) {
            return 0;
        }
        // If nothing was written so far, it is worth a thread that nothing is.
        let buffers = if parts.iter().all(|part| part.spill.is_none()) {
            self.buffers_wanted.min(2)
        } else {
            self.buffers_wanted
        };
        let taken = buffers.saturating_mul(self.largest::<R>(parts));
        self.memory_bytes.saturating_sub(taken) / self.layout.block_bytes.max(1)
    }

    /// How many parts may be in memory at once beside the blocks that stayed there.
    fn buffers_max<R: Record>(&self, parts: &[PartContents]) -> usize {
        let kept: usize = parts
            .iter()
            .map(|contents| contents.kept.len() * self.layout.block_bytes)
            .sum();
        let free = self.memory_bytes - kept.min(self.memory_bytes);
        (free / self.largest::<R>(parts).max(1)).clamp(1, self.buffers_wanted)
    }
}

impl<R: Record, C: Combine<R>> PartQueue<R, C> {
    /// Ends the input of a store and queues its parts.
    pub(crate) fn new(
        spec: SortSpec,
        combine: C,
        store: PartStore<R>,
        depth: u32,
        sort_oversized: SortOversized<R, C>,
    ) -> Result<PartQueue<R, C>, FormatError> {
        let memory = PartMemory::of(&spec, store.layout);
        let (scale, parts) = store.close(|parts| memory.kept_max::<R>(parts))?;
        let buffers_max = memory.buffers_max::<R>(&parts);
        let waiting = parts
            .into_iter()
            .enumerate()
            .filter(|(_, contents)| contents.records > 0)
            .map(|(part, contents)| QueuedPart {
                is_oversized: memory.is_oversized::<R>(&contents),
                contents,
                part,
            })
            .collect();
        let context = PartContext {
            spec,
            combine,
            scale,
            memory_bytes: memory.memory_bytes,
            block_bytes: memory.layout.block_bytes,
            depth,
            sort_oversized,
        };
        Ok(PartQueue {
            context,
            waiting,
            buffers_max,
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
        while self.being_sorted.len() < self.buffers_max
            && let Some(next) = self.waiting.pop_front_if(|next| !next.is_oversized)
        {
            self.begin(next.contents)?;
        }
        if let Some(first) = self.being_sorted.pop_front() {
            // A worker that ended without an answer has failed.
            return first
                .recv()
                .unwrap_or(Err(FormatError::Interrupted))
                .map(Some);
        }
        let Some(next) = self.waiting.pop_front() else {
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

    /// Has a part sorted: by a worker, or at once if there is none.
    fn begin(&mut self, contents: PartContents) -> Result<(), FormatError> {
        let mut buffer = self.spare.pop().unwrap_or_else(PartBuffer::new);
        let (done, answer) = sync_channel(1);
        self.being_sorted.push_back(answer);
        if let Some(jobs) = self.jobs() {
            let job = Job {
                contents,
                buffer,
                done,
            };
            return jobs.send(job).map_err(|_| FormatError::Interrupted);
        }
        let sorted = buffer
            .sort(contents, self.context.scale, &self.context.combine)
            .map(|()| buffer);
        done.send(sorted).map_err(|_| FormatError::Interrupted)
    }

    /// Where jobs for the workers go; `None` if there are no workers. They start with the first
    /// part.
    fn jobs(&mut self) -> Option<Sender<Job<R>>> {
        let threads = self.context.spec.threads.min(self.buffers_max);
        if threads <= 1 {
            return None;
        }
        let (scale, combine) = (self.context.scale, &self.context.combine);
        let workers = self
            .workers
            .get_or_insert_with(|| Workers::new(threads, scale, combine));
        workers.jobs.clone().filter(|_| !workers.threads.is_empty())
    }
}

impl<R: Record> Workers<R> {
    fn new<C: Combine<R>>(threads: usize, scale: Scale, combine: &C) -> Workers<R> {
        let (jobs, queue) = channel::<Job<R>>();
        let queue = Arc::new(Mutex::new(queue));
        let start = |_| {
            let (queue, combine) = (Arc::clone(&queue), combine.clone());
            let work = move || {
                loop {
                    let next = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    let Ok(Job {
                        contents,
                        mut buffer,
                        done,
                    }) = next
                    else {
                        return;
                    };
                    let sorted = buffer.sort(contents, scale, &combine).map(|()| buffer);
                    // The receiver is gone if the sort was dropped.
                    let _ = done.send(sorted);
                }
            };
            std::thread::Builder::new()
                .name("sort".into())
                .spawn(work)
                .ok()
        };
        let threads: Vec<JoinHandle<()>> = (0..threads).filter_map(start).collect();
        Workers {
            jobs: Some(jobs),
            threads,
        }
    }
}

impl<R> Drop for Workers<R> {
    fn drop(&mut self) {
        self.jobs = None;
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}
