//! Several threads count ranges of documents, and their pairs go to one file in the order of the
//! ranges.

use super::PHASE;
use engine::levels::BySnapshot;
use format::{RecordWriter, Sealed};
use model::PairCount;
use runtime::Error;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Pairs written together.
const BATCH_PAIRS: usize = 1 << 12;

/// Why a thread ends early: its own error, or none because another thread failed.
pub(super) type Stop = Option<Error>;

/// The file and whose turn it is.
pub(super) struct OrderedPairs {
    writer: Mutex<(RecordWriter<PairCount>, BySnapshot)>,
    turn: Mutex<Turn>,
    changed: Condvar,
}

struct Turn {
    next: usize,
    failed: bool,
}

impl OrderedPairs {
    pub(super) fn new(writer: RecordWriter<PairCount>, by_snapshot: BySnapshot) -> OrderedPairs {
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

    /// The way of one range into the file; ranges are numbered without gaps in the order of their
    /// documents. A thread holds back up to `held_max` pairs until its turn comes, then waits.
    pub(super) fn place<'a>(
        &'a self,
        number: usize,
        held: &'a mut Vec<PairCount>,
        held_max: usize,
    ) -> RangeTurn<'a> {
        held.clear();
        let held_max = held_max.max(1);
        RangeTurn {
            ordered: self,
            number,
            held,
            held_max,
            send_at: held_max.min(BATCH_PAIRS),
            done: false,
        }
    }

    /// Ends the file; also says how many pairs there are for each snapshot.
    pub(super) fn finish(self) -> Result<(Sealed, BySnapshot), Error> {
        let (writer, by_snapshot) = self
            .writer
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        Ok((writer.finish().map_err(Error::work(PHASE))?, by_snapshot))
    }

    fn turn(&self) -> MutexGuard<'_, Turn> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The pairs of one range on their way.
pub(super) struct RangeTurn<'a> {
    ordered: &'a OrderedPairs,
    number: usize,
    held: &'a mut Vec<PairCount>,
    held_max: usize,
    /// When to look again whether the turn has come.
    send_at: usize,
    done: bool,
}

impl RangeTurn<'_> {
    /// Takes the next pair of the range.
    #[inline]
    pub(super) fn push(&mut self, pair: PairCount) -> Result<(), Stop> {
        self.held.push(pair);
        if self.held.len().is_multiple_of(BATCH_PAIRS) || self.held.len() >= self.held_max {
            self.send()
        } else {
            Ok(())
        }
    }

    /// Writes what is held if its turn has come; waits for the turn if no more can be held.
    #[cold]
    fn send(&mut self) -> Result<(), Stop> {
        if self.held.len() >= self.held_max {
            self.wait()?;
        }
        if self.ordered.turn().next == self.number {
            self.write()?;
        }
        self.send_at = (self.held.len() + BATCH_PAIRS).min(self.held_max);
        Ok(())
    }

    fn wait(&self) -> Result<(), Stop> {
        let mut turn = self.ordered.turn();
        while turn.next != self.number {
            if turn.failed {
                return Err(None);
            }
            turn = self
                .ordered
                .changed
                .wait(turn)
                .unwrap_or_else(PoisonError::into_inner);
        }
        Ok(())
    }

    fn write(&mut self) -> Result<(), Stop> {
        let mut writer = self
            .ordered
            .writer
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let (writer, by_snapshot) = &mut *writer;
        writer.push_all(self.held).map_err(Error::work(PHASE))?;
        by_snapshot.add_all(self.held.iter().map(|pair| pair.a));
        self.held.clear();
        Ok(())
    }

    /// Ends the range: the next one has its turn.
    pub(super) fn finish(mut self) -> Result<(), Stop> {
        self.wait()?;
        self.write()?;
        self.ordered.turn().next += 1;
        self.done = true;
        self.ordered.changed.notify_all();
        Ok(())
    }
}

impl Drop for RangeTurn<'_> {
    /// Nobody may wait for a range that will never be done.
    fn drop(&mut self) {
        if !self.done {
            self.ordered.turn().failed = true;
            self.ordered.changed.notify_all();
        }
    }
}
