//! Records in.

use crate::lane::{Lane, Shared, Stage};
use crate::line::Line;
use crate::{Combine, Prefixes, SortSpec, Sorted};
use format::FormatError;
use model::Record;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Takes records.
pub struct Sorter<R, C> {
    shared: Shared<R, C>,
    lane: Lane<R>,
}

/// A part that is too large is parted again so many times; then it is sorted in runs.
const DEPTH_MAX: u32 = 4;

impl<R: Record, C: Combine<R>> Sorter<R, C> {
    /// An empty sort. Memory is taken as it fills.
    pub fn new(spec: SortSpec, combine: C) -> Sorter<R, C> {
        let prefixes = Some(spec.prefixes);
        Sorter::of(Shared::new(spec, prefixes, combine, 0))
    }

    /// A sort of one part of another; in runs if there is no use in parting it again.
    pub(crate) fn nested(
        spec: SortSpec,
        prefixes: Option<Prefixes>,
        combine: C,
        depth: u32,
    ) -> Sorter<R, C> {
        let prefixes = prefixes.filter(|_| depth <= DEPTH_MAX);
        Sorter::of(Shared::new(spec, prefixes, combine, depth))
    }

    fn of(shared: Shared<R, C>) -> Sorter<R, C> {
        let lane = Lane::new(&shared);
        Sorter { shared, lane }
    }

    /// The same sort for prefixes in another range. Before the first record only.
    #[must_use]
    pub fn expecting(mut self, prefixes: Prefixes) -> Sorter<R, C> {
        self.shared.prefixes = self.shared.prefixes.map(|_| prefixes);
        self
    }

    /// Records pushed so far; those that a feeder still holds aside.
    pub fn pushed(&self) -> u64 {
        self.shared.pushed.load(Ordering::Relaxed) + self.lane.waiting()
    }

    /// Adds a record.
    ///
    /// # Errors
    /// When what does not fit memory cannot be written.
    #[inline]
    pub fn push(&mut self, record: R) -> Result<(), FormatError> {
        self.lane.push(&self.shared, record)
    }

    /// Adds records.
    ///
    /// # Errors
    /// As [`Sorter::push`].
    pub fn push_all(&mut self, records: &[R]) -> Result<(), FormatError> {
        self.lane.push_all(&self.shared, records)
    }

    /// A way in for one thread. At most [`SortSpec::threads`] at a time, or memory is exceeded.
    pub fn feeder(&self) -> Feeder<'_, R, C> {
        Feeder {
            lane: Lane::new(&self.shared),
            shared: &self.shared,
        }
    }

    /// Puts what was pushed in order.
    ///
    /// # Errors
    /// When what does not fit memory cannot be written or read, or a feeder was dropped unfinished.
    pub fn finish(mut self) -> Result<Sorted<R, C>, FormatError> {
        self.lane.finish(&self.shared)?;
        if self.shared.lost.load(Ordering::Relaxed) {
            return Err(FormatError::Interrupted);
        }
        let depth = self.shared.depth;
        let (spec, combine, stage) = self.shared.into_stage();
        match stage {
            Stage::Held(held) => Ok(Sorted::of_held(held, &combine)),
            Stage::Runs(runs) => runs.finish(),
            Stage::Parted(store) => {
                // The lanes are gone, so this is the only owner.
                let store = Arc::try_unwrap(store).map_err(|_| FormatError::Interrupted)?;
                Ok(Sorted::of_line(Line::new(spec, combine, store, depth)?))
            }
        }
    }
}

/// Pushes the records of one thread; several may work at once.
pub struct Feeder<'a, R: Record, C: Combine<R>> {
    lane: Lane<R>,
    shared: &'a Shared<R, C>,
}

impl<R: Record, C: Combine<R>> Feeder<'_, R, C> {
    /// Adds a record.
    ///
    /// # Errors
    /// When what does not fit memory cannot be written.
    #[inline]
    pub fn push(&mut self, record: R) -> Result<(), FormatError> {
        self.lane.push(self.shared, record)
    }

    /// Adds records.
    ///
    /// # Errors
    /// As [`Feeder::push`].
    pub fn push_all(&mut self, records: &[R]) -> Result<(), FormatError> {
        self.lane.push_all(self.shared, records)
    }

    /// Hands over what it holds. A feeder that is dropped instead makes the whole sort fail.
    ///
    /// # Errors
    /// When what does not fit memory cannot be written.
    pub fn finish(mut self) -> Result<(), FormatError> {
        self.lane.finish(self.shared)
    }
}

impl<R: Record, C: Combine<R>> Drop for Feeder<'_, R, C> {
    fn drop(&mut self) {
        if !self.lane.is_empty() {
            self.shared.lost.store(true, Ordering::Relaxed);
        }
    }
}
