//! Follows chains of revisits: those that look for a revisit have its original as soon as that is
//! known.
//!
//! *Input.* Keys that revisits look for, and keys of revisits; the order in which originals are
//! found. *Output.* More originals. *Algorithm.* A sort-merge join numbers the keys that both sides
//! have. Then revisits are visited breadth first: each is visited once, and each key is served
//! once, by the first visited revisit that has it. So the cost does not grow with the length of
//! chains. *Memory.* A cell for each revisit, for each key, and for each time that either side has
//! one, in memory or on disk.

use super::originals::Originals;
use super::records::{OfferedKey, WantedKey};
use super::scope::SearchScope;
use super::sides::Sides;
use crate::sketch::planned_segment::PHASE;
use engine::{Error, cells::SpillableCells};
use model::Cells;
use sort::Lookup;
use std::ops::Range;

/// Keys that revisits look for, by the revisits that have them.
pub(super) struct Followers {
    /// By revisit: the end of its keys in `offered`.
    offered_ends: SpillableCells,
    /// The keys of each revisit.
    offered: SpillableCells,
    /// By key: the end of the revisits in `wanted` that look for it.
    wanted_ends: SpillableCells,
    /// The revisits that look for each key.
    wanted: SpillableCells,
    /// By key: 1 once it is served.
    served: SpillableCells,
    /// The first turn that is not visited yet.
    next_turn: u32,
}

/// Checks that 32 bits number them.
fn numbered(count: u64) -> Result<u32, Error> {
    u32::try_from(count).map_err(|_| {
        Error::Usage(format!(
            "failed to resolve revisits: {count} keys of them are too many for one snapshot; make \
             two of it"
        ))
    })
}

/// The places of one of the lists that lie behind each other, by their ends.
fn places(ends: &mut SpillableCells, list: u32) -> Result<Range<u32>, Error> {
    let before = list.checked_sub(1);
    let begin = before.map_or(Ok(0), |before| ends.get(before))?;
    Ok(begin..ends.get(list)?)
}

impl Followers {
    /// Joins both sides.
    pub(super) fn of(
        scope: &SearchScope<'_>,
        sides: Sides,
        revisits: u32,
    ) -> Result<Followers, Error> {
        let (wanted, offered) = sides.sorters();
        let most = numbered(wanted.pushed())?;
        let mut wanted_cells = scope.cells("wanted", most)?;
        let mut wanted_ends = scope.cells("wanted-ends", most)?;
        let mut offers =
            scope
                .engine
                .word_sorter::<OfferedKey>(PHASE, "revisits-serving", scope.share_bytes);
        let mut offered = Lookup::over(offered.finish()?)?;
        let mut wanted = Lookup::over(wanted.finish()?)?;
        let (mut number, mut end) = (0, 0);
        while let Some(WantedKey { key, .. }) = wanted.peek() {
            let is_offered = offered.of(key)?.is_some();
            while let Some(offer) = offered.next_of(key)? {
                let revisit = offer.doc;
                offers.push(OfferedKey { revisit, number })?;
            }
            while let Some(WantedKey { revisit, .. }) = wanted.next_of(key)? {
                if is_offered {
                    wanted_cells.set(end, revisit)?;
                    end += 1;
                }
            }
            if is_offered {
                wanted_ends.set(number, end)?;
                number += 1;
            }
        }
        let mut offered_cells = scope.cells("offered", numbered(offers.pushed())?)?;
        let mut offered_ends = scope.cells("offered-ends", revisits)?;
        let mut offers = Lookup::over(offers.finish()?)?;
        let mut end = 0;
        for revisit in 0..revisits {
            while let Some(OfferedKey { number, .. }) = offers.next_of(revisit)? {
                offered_cells.set(end, number)?;
                end += 1;
            }
            offered_ends.set(revisit, end)?;
        }
        Ok(Followers {
            offered_ends,
            offered: offered_cells,
            wanted_ends,
            wanted: wanted_cells,
            served: scope.cells("served", number)?,
            next_turn: 0,
        })
    }

    /// Visits revisits whose originals are known until no other original is found.
    pub(super) fn follow(
        &mut self,
        scope: &SearchScope<'_>,
        originals: &mut Originals,
    ) -> Result<(), Error> {
        while self.next_turn < originals.found {
            scope.engine.disk.check_interrupt()?;
            let revisit = originals.at_turn(self.next_turn)?;
            self.next_turn += 1;
            let Some(doc) = originals.of(revisit)? else {
                continue;
            };
            for place in places(&mut self.offered_ends, revisit)? {
                let key = self.offered.get(place)?;
                if self.served.get(key)? == 0 {
                    self.served.set(key, 1)?;
                    self.serve(originals, key, doc)?;
                }
            }
        }
        Ok(())
    }

    /// Gives the revisits that look for a key, and have no original yet, this one.
    fn serve(&mut self, originals: &mut Originals, key: u32, doc: u32) -> Result<(), Error> {
        for place in places(&mut self.wanted_ends, key)? {
            let follower = self.wanted.get(place)?;
            if originals.of(follower)?.is_none() {
                originals.set(follower, doc)?;
            }
        }
        Ok(())
    }
}
