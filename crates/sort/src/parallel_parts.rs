//! Several threads take parts from the queue in order, sort them and use them side by side.
//!
//! An oversized part is used alone: its thread waits until the others have finished theirs.

use crate::Combine;
use crate::oversized::{NestedSort, PartContext, QueuedPart};
use crate::part_buffer::PartBuffer;
use crate::part_queue::PartQueue;
use crate::sync::{Mutex, RwLock, spawn_scoped, thread};
use format::FormatError;
use model::{Record, Unpoisoned};
use std::collections::VecDeque;

/// Some of the records, in order.
pub struct Part<'a, R> {
    index: usize,
    records: PartRecords<'a, R>,
}

enum PartRecords<'a, R> {
    Slice(&'a [R]),
    Stream(&'a mut (dyn NestedSort<R> + 'a)),
}

impl<'a, R: Record> Part<'a, R> {
    pub(crate) fn stream(index: usize, sorted: &'a mut (dyn NestedSort<R> + 'a)) -> Part<'a, R> {
        Part {
            index,
            records: PartRecords::Stream(sorted),
        }
    }

    /// How many parts come before this one.
    pub fn index(&self) -> usize {
        self.index
    }

    /// The next records of the part, at least one; `None` after the last.
    pub fn next_slice(&mut self) -> Result<Option<&[R]>, FormatError> {
        match &mut self.records {
            PartRecords::Slice(slice) => {
                let slice = std::mem::take(slice);
                Ok((!slice.is_empty()).then_some(slice))
            }
            PartRecords::Stream(sorted) => sorted.next_slice(),
        }
    }
}

/// State that the threads share.
struct SharedQueue<R, T, E> {
    waiting: VecDeque<QueuedPart>,
    taken: usize,
    spare: Vec<PartBuffer<R>>,
    results: Vec<(usize, Result<T, E>)>,
    failed: bool,
}

/// Calls `work` with each part of a queue; gives the results in the order of the parts.
pub(crate) fn for_each<R, C, T, E, F>(mut queue: PartQueue<R, C>, work: &F) -> Result<Vec<T>, E>
where
    R: Record,
    C: Combine<R>,
    T: Send,
    E: From<FormatError> + Send,
    F: Fn(&mut Part<'_, R>) -> Result<T, E> + Sync,
{
    let setup = &mut queue.context.setup;
    let threads = setup.spec.threads.min(setup.buffers_max).max(1);
    let shared = Mutex::new(SharedQueue {
        waiting: std::mem::take(&mut setup.waiting),
        taken: 0,
        spare: Vec::new(),
        results: Vec::new(),
        failed: false,
    });
    // A thread with a part that fits holds it for reading, one with an oversized part for writing.
    let gate = RwLock::new(());
    let context = &queue.context;
    thread::scope(|scope| {
        for _ in 1..threads {
            spawn_scoped(scope, || take_parts(context, &shared, &gate, work));
        }
        take_parts(context, &shared, &gate, work);
    });
    let mut results = shared.into_inner().unpoisoned().results;
    results.sort_unstable_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

/// The work of one thread: takes parts until none is left or one has failed.
fn take_parts<R, C, T, E, F>(
    context: &PartContext<R, C>,
    shared: &Mutex<SharedQueue<R, T, E>>,
    gate: &RwLock<()>,
    work: &F,
) where
    R: Record,
    C: Combine<R>,
    E: From<FormatError>,
    F: Fn(&mut Part<'_, R>) -> Result<T, E>,
{
    loop {
        let (index, next) = {
            let mut shared = shared.lock().unpoisoned();
            if shared.failed {
                return;
            }
            let Some(next) = shared.waiting.pop_front() else {
                return;
            };
            shared.taken += 1;
            (shared.taken - 1, next)
        };
        let result = if next.is_oversized {
            let _alone = gate.write().unpoisoned();
            shared.lock().unpoisoned().spare.clear();
            (context.sort_oversized)(context, next)
                .map_err(E::from)
                .and_then(|mut sorted| work(&mut Part::stream(index, &mut *sorted)))
        } else {
            let _beside = gate.read().unpoisoned();
            let mut buffer = shared
                .lock()
                .unpoisoned()
                .spare
                .pop()
                .unwrap_or_else(PartBuffer::new);
            let sorted = buffer
                .sort(next.contents, context.setup.scale, &context.combine)
                .map_err(E::from);
            let result = sorted.and_then(|()| {
                work(&mut Part {
                    index,
                    records: PartRecords::Slice(buffer.records()),
                })
            });
            shared.lock().unpoisoned().spare.push(buffer);
            result
        };
        let mut shared = shared.lock().unpoisoned();
        shared.failed |= result.is_err();
        shared.results.push((index, result));
    }
}
