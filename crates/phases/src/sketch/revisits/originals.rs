//! The original of each revisit: the document that has its body.
//!
//! *Memory.* Two cells a revisit, in memory or on disk.

use super::records::FoundOriginal;
use super::scope::SearchScope;
use engine::{Error, cells::SpillableCells};
use model::Cells;
use sort::SortedWords;
use std::collections::BTreeSet;

/// The original of each revisit.
pub(super) struct Originals {
    /// The number of the original plus one; 0 for none.
    cells: SpillableCells,
    /// The revisits in the order in which their originals were found: by turn.
    by_turn: SpillableCells,
    pub(super) revisits: u32,
    /// How many have one.
    pub(super) found: u32,
}

impl Originals {
    /// None of so many.
    pub(super) fn none(scope: &SearchScope<'_>, revisits: u32) -> Result<Originals, Error> {
        Ok(Originals {
            cells: scope.cells("originals", revisits)?,
            by_turn: scope.cells("by-turn", revisits)?,
            revisits,
            found: 0,
        })
    }

    /// The original of a revisit, by its number in the snapshot.
    pub(super) fn of(&mut self, revisit: u32) -> Result<Option<u32>, Error> {
        let cell = self.cells.get(revisit)?;
        Ok(cell.checked_sub(1))
    }

    /// The revisit of a turn.
    pub(super) fn at_turn(&mut self, turn: u32) -> Result<u32, Error> {
        self.by_turn.get(turn).map_err(Error::from)
    }

    /// Sets the original of a revisit.
    pub(super) fn set(&mut self, revisit: u32, doc: u32) -> Result<(), Error> {
        if self.of(revisit)?.is_none() {
            self.by_turn.set(self.found, revisit)?;
            self.found += 1;
        }
        self.cells.set(revisit, doc + 1).map_err(Error::from)
    }

    /// Takes the best original of each revisit.
    pub(super) fn take(&mut self, mut found: SortedWords<FoundOriginal>) -> Result<(), Error> {
        let mut last = None;
        while let Some(FoundOriginal { revisit, doc, .. }) = found.next()? {
            if last.replace(revisit) != Some(revisit) {
                self.set(revisit, doc)?;
            }
        }
        Ok(())
    }

    /// Numbers of the earlier snapshots that have originals.
    pub(super) fn earlier_snapshots(
        &mut self,
        scope: &SearchScope<'_>,
    ) -> Result<BTreeSet<u32>, Error> {
        let own = scope.first();
        let mut snapshots = BTreeSet::new();
        for revisit in 0..self.revisits {
            if let Some(doc) = self.of(revisit)?.filter(|doc| *doc < own) {
                snapshots.insert(scope.segments.snapshot_of(doc));
            }
        }
        Ok(snapshots)
    }
}
