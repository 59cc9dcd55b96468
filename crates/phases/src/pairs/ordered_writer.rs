//! Several threads count ranges of documents; their pairs go to one file in the order of the
//! ranges.

use engine::{Error, merge_levels::SnapshotCounter};
use format::{RecordWriter, Sealed};
use model::{PairCount, Unpoisoned};
#[cfg(all(test, shuttle))]
use shuttle::sync::{Condvar, Mutex, MutexGuard};
#[cfg(not(all(test, shuttle)))]
use std::sync::{Condvar, Mutex, MutexGuard};

/// A thread checks for its turn after so many pairs.
const BATCH_PAIRS: usize = 1 << 12;

/// Why a thread ends early: its own error, or `None` because another thread failed.
pub(super) type ThreadStop = Option<Error>;

/// The file, and the number of the range whose turn it is.
pub(super) struct OrderedPairs {
    writer: Mutex<(RecordWriter<PairCount>, SnapshotCounter)>,
    turn: Mutex<Turn>,
    changed: Condvar,
}

struct Turn {
    next: usize,
    failed: bool,
}

impl OrderedPairs {
    pub(super) fn new(
        writer: RecordWriter<PairCount>,
        by_snapshot: SnapshotCounter,
    ) -> OrderedPairs {
        let turn = Turn {
            next: 0,
            failed: false,
        };
        OrderedPairs {
            writer: Mutex::new((writer, by_snapshot)),
            turn: Mutex::new(turn),
            changed: Condvar::new(),
        }
    }

    /// Writes the pairs of one range. Ranges are numbered without gaps in the order of their
    /// documents. Up to `waiting_max` pairs wait in memory until the turn of the range comes; then
    /// the thread waits.
    pub(super) fn turn_of<'a>(
        &'a self,
        number: usize,
        waiting: &'a mut Vec<PairCount>,
        waiting_max: usize,
    ) -> RangeTurn<'a> {
        waiting.clear();
        let waiting_max = waiting_max.max(1);
        RangeTurn {
            ordered: self,
            number,
            waiting,
            waiting_max,
            done: false,
        }
    }

    /// Completes the file; also returns how many pairs each snapshot has.
    pub(super) fn finish(self) -> Result<(Sealed, SnapshotCounter), Error> {
        let (writer, by_snapshot) = self.writer.into_inner().unpoisoned();
        Ok((writer.finish()?, by_snapshot))
    }

    fn turn(&self) -> MutexGuard<'_, Turn> {
        self.turn.lock().unpoisoned()
    }
}

/// The pairs of one range that wait for the turn of the range.
pub(super) struct RangeTurn<'a> {
    ordered: &'a OrderedPairs,
    number: usize,
    waiting: &'a mut Vec<PairCount>,
    waiting_max: usize,
    done: bool,
}

impl RangeTurn<'_> {
    /// Takes the next pair of the range.
    #[inline]
    pub(super) fn push(&mut self, pair: PairCount) -> Result<(), ThreadStop> {
        self.waiting.push(pair);
        if self.waiting.len().is_multiple_of(BATCH_PAIRS) || self.waiting.len() >= self.waiting_max
        {
            self.write_if_due()
        } else {
            Ok(())
        }
    }

    /// Writes the pairs if the turn has come; waits for the turn if no more pairs may wait.
    #[cold]
    fn write_if_due(&mut self) -> Result<(), ThreadStop> {
        if self.waiting.len() >= self.waiting_max {
            self.wait()?;
        }
        if self.ordered.turn().next == self.number {
            self.write()?;
        }
        Ok(())
    }

    fn wait(&self) -> Result<(), ThreadStop> {
        let mut turn = self.ordered.turn();
        while turn.next != self.number {
            if turn.failed {
                return Err(None);
            }
            turn = self.ordered.changed.wait(turn).unpoisoned();
        }
        Ok(())
    }

    fn write(&mut self) -> Result<(), ThreadStop> {
        let mut writer = self.ordered.writer.lock().unpoisoned();
        let (writer, by_snapshot) = &mut *writer;
        writer.push_all(self.waiting).map_err(Error::from)?;
        by_snapshot.add_all(self.waiting.iter().map(|pair| pair.a));
        self.waiting.clear();
        Ok(())
    }

    /// Ends the range and passes the turn to the next one.
    pub(super) fn finish(mut self) -> Result<(), ThreadStop> {
        self.wait()?;
        self.write()?;
        self.ordered.turn().next += 1;
        self.done = true;
        self.ordered.changed.notify_all();
        Ok(())
    }
}

impl Drop for RangeTurn<'_> {
    /// Wakes the threads that wait for a range that will never be finished.
    fn drop(&mut self) {
        if !self.done {
            self.ordered.turn().failed = true;
            self.ordered.changed.notify_all();
        }
    }
}

#[cfg(all(test, shuttle))]
#[path = "ordered_writer_tests.rs"]
mod tests;
