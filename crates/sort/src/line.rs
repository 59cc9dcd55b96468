//! Parts waiting in line to be sorted, and coming out in order.
//!
//! *Algorithm.* As many parts as fit memory are under way at once: one with whoever takes the
//! records, the others with threads that sort ahead. A part that does not fit by itself waits until
//! nothing else is under way, and is sorted by a sort of its own: parted again over the range of
//! prefixes it has, or in runs if one bin holds most of it.

use crate::part_sort::{Room, needed_bytes};
use crate::shape::Scale;
use crate::store::{Contents, Store};
use crate::wide::Rule;
use crate::{Combine, SortSpec, Sorted};
use format::FormatError;
use model::Record;
use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

/// A part in line.
pub(crate) struct Waiting {
    pub(crate) contents: Contents,
    pub(crate) part: usize,
    /// It does not fit memory.
    pub(crate) wide: bool,
}

struct Job<R> {
    contents: Contents,
    room: Room<R>,
    done: SyncSender<Result<Room<R>, FormatError>>,
}

/// Threads that sort ahead.
struct Crew<R> {
    jobs: Option<Sender<Job<R>>>,
    threads: Vec<JoinHandle<()>>,
}

/// The parts of a sort in order.
pub(crate) struct Line<R, C> {
    pub(crate) rule: Rule<C>,
    pub(crate) waiting: VecDeque<Waiting>,
    /// Parts that may be in memory at once.
    pub(crate) rooms_max: usize,
    spare: Vec<Room<R>>,
    crew: Option<Crew<R>>,
    under_way: VecDeque<Receiver<Result<Room<R>, FormatError>>>,
    /// Sorts a part that does not fit.
    wide: Option<Box<Sorted<R, C>>>,
}

impl<R: Record, C: Combine<R>> Line<R, C> {
    pub(crate) fn new(
        spec: SortSpec,
        combine: C,
        store: Store<R>,
        depth: u32,
    ) -> Result<Line<R, C>, FormatError> {
        let shape = store.shape;
        let memory_bytes = spec
            .memory_bytes
            .saturating_sub(shape.parts * shape.bins * 4);
        let need = |contents: &Contents| needed_bytes::<R>(contents, shape.block_bytes);
        // Bins are counted, and places in memory are, in 32 bits.
        let is_wide =
            |c: &Contents| need(c) > memory_bytes as u64 || c.records > u64::from(u32::MAX);
        let largest = |parts: &[Contents]| {
            parts
                .iter()
                .filter(|c| !is_wide(c))
                .map(need)
                .max()
                .unwrap_or(0) as usize
        };
        // One part with the taker, and one with each thread.
        let rooms_wanted = if spec.threads > 1 {
            spec.threads + 1
        } else {
            1
        };
        let kept_max = |parts: &[Contents]| {
            let wide = parts.iter().any(is_wide);
            // If nothing was written so far, it is worth a thread that nothing is.
            let rooms = if parts.iter().all(|part| part.spill.is_none()) {
                rooms_wanted.min(2)
            } else {
                rooms_wanted
            };
            let free = memory_bytes.saturating_sub(rooms.saturating_mul(largest(parts)));
            if wide {
                0
            } else {
                free / shape.block_bytes.max(1)
            }
        };
        let (scale, parts) = store.close(kept_max)?;
        let kept: usize = parts
            .iter()
            .map(|contents| contents.kept.len() * shape.block_bytes)
            .sum();
        let rooms_max = ((memory_bytes - kept.min(memory_bytes)) / largest(&parts).max(1))
            .clamp(1, rooms_wanted);
        let waiting = parts
            .into_iter()
            .enumerate()
            .filter(|(_, contents)| contents.records > 0);
        let waiting = waiting
            .map(|(part, contents)| Waiting {
                wide: is_wide(&contents),
                contents,
                part,
            })
            .collect();
        let (spare, under_way) = (Vec::new(), VecDeque::new());
        let rule = Rule {
            spec,
            combine,
            scale,
            memory_bytes,
            block_bytes: shape.block_bytes,
            depth,
        };
        Ok(Line {
            rule,
            waiting,
            rooms_max,
            spare,
            crew: None,
            under_way,
            wide: None,
        })
    }

    /// Gives back the records last taken, and takes the next ones; `None` after the last.
    pub(crate) fn next(&mut self, used: Room<R>) -> Result<Option<Room<R>>, FormatError> {
        if let Some(wide) = &mut self.wide {
            if let Some(room) = wide.next_room(used)? {
                return Ok(Some(room));
            }
            self.wide = None;
        } else {
            self.spare.push(used);
        }
        while self.under_way.len() < self.rooms_max
            && let Some(next) = self.waiting.pop_front_if(|next| !next.wide)
        {
            self.begin(next.contents)?;
        }
        if let Some(first) = self.under_way.pop_front() {
            // The thread ended without an answer: it cannot have gone well.
            return first
                .recv()
                .unwrap_or(Err(FormatError::Interrupted))
                .map(Some);
        }
        let Some(next) = self.waiting.pop_front() else {
            return Ok(None);
        };
        self.spare.clear();
        let mut sorted = Box::new(self.rule.sort_wide(next)?);
        let room = sorted.next_room(Room::new())?;
        self.wide = Some(sorted);
        match room {
            Some(room) => Ok(Some(room)),
            None => self.next(Room::new()),
        }
    }

    /// Has a part sorted: by the crew, or at once if there is none.
    fn begin(&mut self, contents: Contents) -> Result<(), FormatError> {
        let mut room = self.spare.pop().unwrap_or_else(Room::new);
        let (done, answer) = sync_channel(1);
        self.under_way.push_back(answer);
        if let Some(jobs) = self.crew() {
            return jobs
                .send(Job {
                    contents,
                    room,
                    done,
                })
                .map_err(|_| FormatError::Interrupted);
        }
        let sorted = room
            .sort(contents, self.rule.scale, &self.rule.combine)
            .map(|()| room);
        done.send(sorted).map_err(|_| FormatError::Interrupted)
    }

    /// The way to the crew, which is called together for the first part.
    fn crew(&mut self) -> Option<Sender<Job<R>>> {
        let threads = self.rule.spec.threads.min(self.rooms_max);
        if threads <= 1 {
            return None;
        }
        let (scale, combine) = (self.rule.scale, &self.rule.combine);
        let crew = self
            .crew
            .get_or_insert_with(|| Crew::new(threads, scale, combine));
        crew.jobs.clone().filter(|_| !crew.threads.is_empty())
    }
}

impl<R: Record> Crew<R> {
    fn new<C: Combine<R>>(threads: usize, scale: Scale, combine: &C) -> Crew<R> {
        let (jobs, queue) = channel::<Job<R>>();
        let queue = Arc::new(Mutex::new(queue));
        let start = |_| {
            let (queue, combine) = (Arc::clone(&queue), combine.clone());
            let work = move || {
                loop {
                    let next = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    let Ok(Job {
                        contents,
                        mut room,
                        done,
                    }) = next
                    else {
                        return;
                    };
                    let sorted = room.sort(contents, scale, &combine).map(|()| room);
                    // Nobody waits any more when the sort was dropped.
                    let _ = done.send(sorted);
                }
            };
            std::thread::Builder::new()
                .name("sort".into())
                .spawn(work)
                .ok()
        };
        let threads: Vec<JoinHandle<()>> = (0..threads).filter_map(start).collect();
        Crew {
            jobs: Some(jobs),
            threads,
        }
    }
}

impl<R> Drop for Crew<R> {
    fn drop(&mut self) {
        self.jobs = None;
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}
