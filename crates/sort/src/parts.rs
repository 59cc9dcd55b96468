//! Parts handed out to several threads at once.
//!
//! Threads take parts from the line in order, sort and use them side by side. A part that does not
//! fit memory is used alone: whoever takes it waits until the others are done with theirs.

use crate::line::{Line, Waiting};
use crate::part_sort::Room;
use crate::wide::Rule;
use crate::{Combine, Sorted};
use format::FormatError;
use model::Record;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

/// Some of the records, in order.
pub struct Part<'a, R, C> {
    index: usize,
    content: Content<'a, R, C>,
}

enum Content<'a, R, C> {
    Slice(&'a [R]),
    Stream(&'a mut Sorted<R, C>),
}

impl<'a, R: Record, C: Combine<R>> Part<'a, R, C> {
    pub(crate) fn stream(index: usize, sorted: &'a mut Sorted<R, C>) -> Part<'a, R, C> {
        Part {
            index,
            content: Content::Stream(sorted),
        }
    }

    /// Parts before this one.
    pub fn index(&self) -> usize {
        self.index
    }

    /// The next records of the part, one at least; `None` after the last.
    ///
    /// # Errors
    /// As [`Sorted::next`].
    pub fn next_slice(&mut self) -> Result<Option<&[R]>, FormatError> {
        match &mut self.content {
            Content::Slice(slice) => {
                let slice = std::mem::take(slice);
                Ok((!slice.is_empty()).then_some(slice))
            }
            Content::Stream(sorted) => sorted.next_slice(),
        }
    }
}

/// What the threads share.
struct Desk<R, T, E> {
    waiting: VecDeque<Waiting>,
    taken: usize,
    spare: Vec<Room<R>>,
    results: Vec<(usize, Result<T, E>)>,
    failed: bool,
}

/// Hands out the parts of a line.
pub(crate) fn for_each<R, C, T, E, F>(mut line: Line<R, C>, work: &F) -> Result<Vec<T>, E>
where
    R: Record,
    C: Combine<R>,
    T: Send,
    E: From<FormatError> + Send,
    F: Fn(&mut Part<'_, R, C>) -> Result<T, E> + Sync,
{
    let waiting = std::mem::take(&mut line.waiting);
    let desk = Mutex::new(Desk {
        waiting,
        taken: 0,
        spare: Vec::new(),
        results: Vec::new(),
        failed: false,
    });
    // Read by those who use parts that fit, written by who uses one that does not.
    let gate = RwLock::new(());
    let threads = line.rule.spec.threads.min(line.rooms_max).max(1);
    let (shared, rule) = ((&desk, &gate), &line.rule);
    std::thread::scope(|scope| {
        for _ in 1..threads {
            // Without this thread the others do its work.
            let _ = std::thread::Builder::new()
                .name("sort".into())
                .spawn_scoped(scope, || take_parts(rule, shared, work));
        }
        take_parts(rule, shared, work);
    });
    let mut results = desk
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner)
        .results;
    results.sort_unstable_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What one thread does.
fn take_parts<R, C, T, E, F>(
    rule: &Rule<C>,
    (desk, gate): (&Mutex<Desk<R, T, E>>, &RwLock<()>),
    work: &F,
) where
    R: Record,
    C: Combine<R>,
    E: From<FormatError>,
    F: Fn(&mut Part<'_, R, C>) -> Result<T, E>,
{
    loop {
        let (index, next) = {
            let mut desk = lock(desk);
            if desk.failed {
                return;
            }
            let Some(next) = desk.waiting.pop_front() else {
                return;
            };
            desk.taken += 1;
            (desk.taken - 1, next)
        };
        let result = if next.wide {
            let _alone = gate.write().unwrap_or_else(PoisonError::into_inner);
            lock(desk).spare.clear();
            rule.sort_wide(next)
                .map_err(E::from)
                .and_then(|mut sorted| work(&mut Part::stream(index, &mut sorted)))
        } else {
            let _beside = gate.read().unwrap_or_else(PoisonError::into_inner);
            let mut room = lock(desk).spare.pop().unwrap_or_else(Room::new);
            let sorted = room
                .sort(next.contents, rule.scale, &rule.combine)
                .map_err(E::from);
            let result = sorted.and_then(|()| {
                work(&mut Part {
                    index,
                    content: Content::Slice(room.records()),
                })
            });
            lock(desk).spare.push(room);
            result
        };
        let mut desk = lock(desk);
        desk.failed |= result.is_err();
        desk.results.push((index, result));
    }
}
