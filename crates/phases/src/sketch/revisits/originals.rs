//! The original of each revisit, and the merge of keys by which it is found.
//!
//! *Input.* Sorted keys that revisits look for, and sorted keys of documents. *Output.* The
//! document that has the body of each revisit. *Algorithm.* A sort-merge join: of every group of
//! equal keys one document counts, and of the keys of a revisit the best one. *Memory.* A cell a
//! revisit, in memory or on disk.

use super::records::WantedKey;
use super::scope::SearchScope;
use crate::sketch::planned_segment::PHASE;
use cluster::Cells;
use distinct::DocumentKey;
use engine::cells::SpillableCells;
use model::Words;
use runtime::Error;
use sort::{Keep, Sorted, SortedWords};
use std::collections::BTreeSet;

/// The original of each revisit.
pub(super) struct Originals {
    /// The number of the original plus one; 0 for none.
    pub(super) cells: SpillableCells,
    pub(super) revisits: u32,
}

impl Originals {
    /// The original of a revisit, by its number in the snapshot.
    pub(super) fn of(&mut self, revisit: u32) -> Result<Option<u32>, Error> {
        Ok(self
            .cells
            .get(revisit)
            .map_err(Error::work(PHASE))?
            .checked_sub(1))
    }

    /// Takes the best original of each revisit of ⟨revisit, rank, document⟩; gives how many.
    pub(super) fn take(&mut self, mut best: SortedWords<Words<3>>) -> Result<u64, Error> {
        let work = Error::work(PHASE);
        let (mut last, mut resolved) = (None, 0);
        while let Some(Words([revisit, _, doc])) = best.next().map_err(work)? {
            if last.replace(revisit) != Some(revisit) {
                self.cells.set(revisit, doc + 1).map_err(work)?;
                resolved += 1;
            }
        }
        Ok(resolved)
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

/// Merges both sides: ⟨revisit, rank, document⟩, the best one of a revisit first. The last key that
/// is offered up to a wanted one counts, if it is a match.
pub(super) fn matches(
    scope: &SearchScope<'_>,
    mut wanted: SortedWords<WantedKey>,
    mut offered: Sorted<DocumentKey, Keep>,
    is_match: fn(u128, u128) -> bool,
) -> Result<SortedWords<Words<3>>, Error> {
    let work = Error::work(PHASE);
    let own = scope.first();
    let mut best = scope
        .engine
        .word_sorter::<Words<3>>(PHASE, "revisits-found", scope.share_bytes);
    let mut offer = offered.next().map_err(work)?;
    // The document that counts of the last group of equal keys.
    let mut group: Option<DocumentKey> = None;
    while let Some(WantedKey { key, rank, revisit }) = wanted.next().map_err(work)? {
        while let Some(one) = offer.filter(|offer| offer.key <= key) {
            let is_better =
                |held: DocumentKey| one.key != held.key || (one.doc >= own && held.doc < own);
            if group.is_none_or(is_better) {
                group = Some(one);
            }
            offer = offered.next().map_err(work)?;
        }
        if let Some(DocumentKey { doc, .. }) = group.filter(|group| is_match(key, group.key)) {
            best.push(Words([revisit, u32::from(rank), doc]))
                .map_err(work)?;
        }
    }
    best.finish().map_err(work)
}
