//! Worker threads of a sort, and the answers that its reader waits for.
//!
//! Tasks are boxed closures, so threads and channels do not depend on the type of the records and
//! are compiled once: a sort is compiled for dozens of record types.

use crate::sync::mpsc::{Receiver, Sender, channel};
use crate::sync::thread::{self, JoinHandle};
use crate::sync::{Arc, Condvar, Mutex};
use model::Unpoisoned;

/// Work for one thread.
pub(crate) type ThreadWork = Box<dyn FnOnce() + Send>;

/// Threads that do tasks in the order in which they were given.
pub(crate) struct Workers {
    tasks: Option<Sender<ThreadWork>>,
    threads: Vec<JoinHandle<()>>,
}

impl Workers {
    /// Starts up to `threads` threads: fewer if the system refuses, none for a single one, which
    /// would only make its reader wait.
    pub(crate) fn start(threads: usize) -> Workers {
        let (tasks, queue) = channel::<ThreadWork>();
        let queue = Arc::new(Mutex::new(queue));
        let start = |_| {
            let queue = Arc::clone(&queue);
            thread::Builder::new()
                .name("sort".into())
                .spawn(move || work(&queue))
                .ok()
        };
        let wanted = if threads > 1 { threads } else { 0 };
        Workers {
            threads: (0..wanted).filter_map(start).collect(),
            tasks: Some(tasks),
        }
    }

    /// Has a task done: by a thread, or at once if there is none.
    pub(crate) fn give(&self, task: ThreadWork) {
        match &self.tasks {
            // Sending fails if all threads have panicked. The task is dropped then, so its answer
            // is `None`.
            Some(tasks) if !self.threads.is_empty() => drop(tasks.send(task)),
            _ => task(),
        }
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.tasks = None;
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

/// Does tasks until no more can come.
fn work(queue: &Mutex<Receiver<ThreadWork>>) {
    loop {
        let next = queue.lock().unpoisoned().recv();
        let Ok(task) = next else {
            return;
        };
        task();
    }
}

struct AnswerSlot<T> {
    /// The outer `None` until the task has ended.
    value: Mutex<Option<Option<T>>>,
    changed: Condvar,
}

/// The place for an answer, held by the task. If it is dropped without a value, as after a panic,
/// the answer is `None`.
pub(crate) struct AnswerSender<T>(Arc<AnswerSlot<T>>);

/// An answer that may still be outstanding.
pub(crate) struct Answer<T>(Arc<AnswerSlot<T>>);

/// An answer and the place to put it.
pub(crate) fn answer<T>() -> (AnswerSender<T>, Answer<T>) {
    let slot = Arc::new(AnswerSlot {
        value: Mutex::new(None),
        changed: Condvar::new(),
    });
    (AnswerSender(Arc::clone(&slot)), Answer(slot))
}

impl<T> AnswerSender<T> {
    /// Gives the answer.
    pub(crate) fn send(self, value: T) {
        *self.0.value.lock().unpoisoned() = Some(Some(value));
    }
}

impl<T> Drop for AnswerSender<T> {
    fn drop(&mut self) {
        self.0.value.lock().unpoisoned().get_or_insert(None);
        self.0.changed.notify_all();
    }
}

impl<T> Answer<T> {
    /// Waits for the answer; `None` if the task ended without one.
    pub(crate) fn wait(self) -> Option<T> {
        let mut value = self.0.value.lock().unpoisoned();
        loop {
            match value.take() {
                Some(answer) => return answer,
                None => value = self.0.changed.wait(value).unpoisoned(),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    #[test]
    fn a_task_that_panics_answers_none() {
        for threads in [2, 3] {
            let workers = Workers::start(threads);
            let (sender, first) = answer::<u32>();
            workers.give(Box::new(move || {
                let _sender = sender;
                std::panic::resume_unwind(Box::new("not a message on the terminal"));
            }));
            assert_eq!(first.wait(), None);
            let (sender, second) = answer();
            workers.give(Box::new(move || sender.send(7)));
            assert_eq!(second.wait(), Some(7), "another thread is left");
        }
    }

    #[test]
    fn a_single_thread_is_that_of_the_caller() {
        let workers = Workers::start(1);
        let (sender, answer) = answer();
        workers.give(Box::new(move || sender.send(std::thread::current().id())));
        assert_eq!(answer.wait(), Some(std::thread::current().id()));
    }

    #[test]
    fn tasks_left_when_workers_are_dropped_are_done_before() {
        let workers = Workers::start(2);
        let done = Arc::new(AtomicUsize::new(0));
        let answers: Vec<Answer<usize>> = (0..100)
            .map(|n| {
                let (sender, answer) = answer();
                let done = Arc::clone(&done);
                workers.give(Box::new(move || {
                    sender.send(n);
                    thread::sleep(Duration::from_micros(100));
                    done.fetch_add(1, Ordering::Relaxed);
                }));
                answer
            })
            .collect();
        drop(workers);
        assert_eq!(done.load(Ordering::Relaxed), 100);
        let got: Vec<Option<usize>> = answers.into_iter().map(Answer::wait).collect();
        assert_eq!(got, (0..100).map(Some).collect::<Vec<_>>());
    }
}
