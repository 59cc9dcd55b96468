//! `--lossless C`: a document is removed only if one that stays contains at least C of it.
//!
//! *Input.* The removals as chosen; the texts. *Output.* Those that are proven, in document order.
//! *Algorithm.* At 1.0 the texts must be equal ([`equal_text`]). Below, a document of the same body
//! needs no proof. Any other must pass the estimate from the sketches, or be in a class with the
//! kept one, and then the exact comparison of both whole pages ([`comparison`](super::comparison)).
//! There are three rounds. The first checks the document kept by the cluster. The second asks
//! [`kept`] for a document that stays and contains the undecided one, by estimate: the
//! one that contains most, of equal ones the lowest. A class without such a document keeps its best
//! one by `keep`, and the rest of the class is removed in favour of that. In the third round the
//! documents of equal bodies that are still undecided are removed in favour of the best of them.
//! *Memory.* As [`super::decide`], as `comparison`, and 16 bytes a document, on disk where they do
//! not fit. *Disk.* As `comparison`, and the pairs of which one is contained in the other.

use super::comparison::RemovalComparison;
use super::undecided::{LosslessRule, Undecided};
use super::{equal_text, kept};
use engine::{Classes, Error};
use format::ScratchFile;
use model::Class;
use publication::removals::candidate::{NONE, SIMILAR};
use publication::removals::removal::RemovalRecord;
use sort::{SortedWords, WordSorter};

/// The removals that are proven.
pub(super) fn decide(
    lossless: &LosslessRule<'_>,
    removals: SortedWords<RemovalRecord>,
) -> Result<SortedWords<RemovalRecord>, Error> {
    let task = lossless.task;
    let mut standing = task.in_parts(2).by_document::<RemovalRecord>("standing");
    if lossless.share.is_all() {
        equal_text::decide(lossless, removals, &mut standing)?;
    } else if let Some(left) = lossless.prove(removals, &mut standing, Class::representative)? {
        let removals = kept::find(lossless, &left)?.removals(task, &left)?;
        drop(left);
        let together = Class::lowest_of_equal_bodies;
        let left = lossless.prove(removals, &mut standing, together)?;
        if let Some(left) = left.filter(|_| !lossless.is_against) {
            let mut removals = kept::of_equal(task, &left)?.removals(task, &left)?;
            while let Some(removal) = removals.next()? {
                if removal.has_equal_body() {
                    standing.push(removal)?;
                }
            }
        }
    }
    standing.finish().map_err(Error::from)
}

impl LosslessRule<'_> {
    /// Adds the proven removals to `standing`. Gives the other documents, if there are any.
    fn prove(
        &self,
        mut removals: SortedWords<RemovalRecord>,
        standing: &mut WordSorter<RemovalRecord>,
        together: fn(&Class) -> u32,
    ) -> Result<Option<ScratchFile<Undecided>>, Error> {
        let task = self.task;
        let mut left = task.in_parts(2).by_document::<Undecided>("left-over");
        let mut comparison = RemovalComparison::open(task)?;
        let mut has_others = false;
        let mut put_off = |classes: &mut Classes, doc, refuted| {
            has_others = true;
            let together = together(&classes.of(doc)?);
            let undecided = Undecided {
                doc,
                together,
                refuted,
            };
            left.push(undecided).map_err(Error::from)
        };
        let enough = |removal: &RemovalRecord| {
            let overlap = removal.overlap();
            self.share.reached_by(overlap.share_of(overlap.size_a))
        };
        let mut classes = task.engine.classes()?;
        while let Some(removal) = removals.next()? {
            if removal.has_equal_body() {
                standing.push(removal)?;
            } else if removal.relation < SIMILAR || enough(&removal) {
                comparison.push(&removal)?;
            } else {
                put_off(&mut classes, removal.doc, NONE)?;
            }
        }
        drop(removals);
        let mut compared = comparison.finish(self.texts)?;
        let mut classes = task.engine.classes()?;
        while let Some(removal) = compared.next()? {
            if removal.size > 0 && removal.kept_size > 0 && enough(&removal) {
                standing.push(removal)?;
            } else {
                put_off(&mut classes, removal.doc, removal.kept)?;
            }
        }
        drop(compared);
        let left = task.scratch.store("left.run-file", left.finish()?)?;
        Ok(has_others.then_some(left))
    }
}
