//! Records out, in order.

use crate::Combine;
use crate::combine::combine_sorted;
use crate::line::Line;
use crate::part_sort::Room;
use crate::parts::{self, Part};
use crate::runs::Merge;
use format::FormatError;
use model::Record;

/// Records in order.
pub struct Sorted<R, C> {
    source: Source<R, C>,
    room: Room<R>,
    taken: usize,
}

/// Where more records come from.
enum Source<R, C> {
    /// There are no more.
    None,
    /// Runs being merged, so many records at a time.
    Merge(Box<Merge<R, C>>, usize),
    /// Parts sorted one by one.
    Line(Box<Line<R, C>>),
}

impl<R: Record, C: Combine<R>> Sorted<R, C> {
    /// What was never put aside, in no order.
    pub(crate) fn of_held(mut records: Vec<R>, combine: &C) -> Sorted<R, C> {
        records.sort_unstable();
        let kept = combine_sorted(&mut records, combine);
        records.truncate(kept);
        Sorted {
            source: Source::None,
            room: Room::of(records),
            taken: 0,
        }
    }

    pub(crate) fn of_merge(merge: Merge<R, C>, block_records: usize) -> Sorted<R, C> {
        Sorted {
            source: Source::Merge(Box::new(merge), block_records.max(1)),
            room: Room::new(),
            taken: 0,
        }
    }

    pub(crate) fn of_line(line: Line<R, C>) -> Sorted<R, C> {
        Sorted {
            source: Source::Line(Box::new(line)),
            room: Room::new(),
            taken: 0,
        }
    }

    /// Gets more records; false after the last.
    #[cold]
    fn refill(&mut self) -> Result<bool, FormatError> {
        let used = std::mem::replace(&mut self.room, Room::new());
        self.taken = 0;
        let next = match &mut self.source {
            Source::None => None,
            Source::Merge(merge, records) => {
                let mut block = used.into_records();
                merge.next_block(&mut block, *records)?;
                (!block.is_empty()).then(|| Room::of(block))
            }
            Source::Line(line) => line.next(used)?,
        };
        if let Some(room) = next {
            self.room = room;
        }
        Ok(!self.room.records().is_empty())
    }

    /// All that is at hand, in exchange for memory; for the sort that this one is part of.
    pub(crate) fn next_room(&mut self, used: Room<R>) -> Result<Option<Room<R>>, FormatError> {
        if self.taken == 0 && !self.room.records().is_empty() {
            return Ok(Some(std::mem::replace(&mut self.room, used.emptied())));
        }
        self.room = used;
        if !self.refill()? {
            return Ok(None);
        }
        Ok(Some(std::mem::replace(&mut self.room, Room::new())))
    }

    /// The next record; `None` after the last.
    ///
    /// # Errors
    /// When what was written is damaged or cannot be read.
    #[expect(
        clippy::should_implement_trait,
        reason = "an Iterator cannot end in an error"
    )]
    #[inline]
    pub fn next(&mut self) -> Result<Option<R>, FormatError> {
        if self.taken == self.room.records().len() && !self.refill()? {
            return Ok(None);
        }
        self.taken += 1;
        Ok(Some(self.room.records()[self.taken - 1]))
    }

    /// All records that are at hand, one at least; `None` after the last.
    ///
    /// # Errors
    /// As [`Sorted::next`].
    pub fn next_slice(&mut self) -> Result<Option<&[R]>, FormatError> {
        if self.taken == self.room.records().len() && !self.refill()? {
            return Ok(None);
        }
        let from = std::mem::replace(&mut self.taken, self.room.records().len());
        Ok(Some(&self.room.records()[from..]))
    }

    /// Hands the records to `work` part by part, parts on as many threads as the sort may use;
    /// gives the results in the order of the parts.
    ///
    /// Records of equal prefix are in one part. Where the parts are cut depends on memory and on
    /// the number of records, so results must not depend on it. Records taken before by
    /// [`Sorted::next`] do not come again.
    ///
    /// # Errors
    /// The first error of `work` in the order of the parts, or that of reading.
    pub fn for_each_part<T, E, F>(mut self, work: F) -> Result<Vec<T>, E>
    where
        T: Send,
        E: From<FormatError> + Send,
        F: Fn(&mut Part<'_, R, C>) -> Result<T, E> + Sync,
    {
        match self.source {
            Source::Line(line) if self.taken == self.room.records().len() => {
                drop(self.room);
                parts::for_each(*line, &work)
            }
            source => {
                self.source = source;
                Ok(vec![work(&mut Part::stream(0, &mut self))?])
            }
        }
    }
}
