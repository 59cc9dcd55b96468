//! `--lossless C`: a document is removed only if one that stays contains at least C of it.
//!
//! *Input.* The removals as chosen; the texts. *Output.* Those that are proven, in document order.
//! *Algorithm.* At 1.0 the texts must be equal ([`equal_text`]). Below, a document of the same body
//! needs no proof. Any other must pass the estimate from the sketches, or be in a class with the
//! kept one, and then the exact comparison of both whole pages ([`comparison`](super::comparison)).
//! There are three rounds. The first checks the document kept by the cluster. The second asks
//! [`kept`](super::kept) for a document that stays and contains the undecided one, by estimate: the
//! one that contains most, of equal ones the lowest. A class without such a document keeps its best
//! one by `keep`, and the rest of the class is removed in favour of that. In the third round the
//! documents of equal bodies that are still undecided are removed in favour of the best of them.
//! *Memory.* As [`super::decide`], as `comparison`, and 16 bytes a document, on disk where they do
//! not fit. *Disk.* As `comparison`, and the pairs of which one is contained in the other.

use super::comparison::RemovalComparison;
use super::equal_text;
use super::kept::KeptDocuments;
use super::lossless_rule::LosslessRule;
use super::undecided::Undecided;
use engine::Classes;
use format::RecordWriter;
use model::{Class, Words};
use publication::removals::candidate::{NONE, SIMILAR};
use publication::removals::removal::RemovalRecord;
use runtime::Error;
use sort::{SortedWords, WordSorter};
use std::path::Path;

/// Writes the removals that are proven.
pub(super) fn decide(
    lossless: &LosslessRule<'_>,
    removals: SortedWords<RemovalRecord>,
    writer: &mut RecordWriter<RemovalRecord>,
) -> Result<(), Error> {
    let task = lossless.task;
    let mut standing = task.by_document::<RemovalRecord>("standing", task.share_bytes / 2)?;
    let left = task.dir.join("left.run-0");
    if lossless.share.is_all() {
        equal_text::decide(lossless, removals, &mut standing)?;
    } else if lossless.prove(removals, &mut standing, Class::representative, &left)? {
        let removals = KeptDocuments::find(lossless, &left)?.removals(task, &left)?;
        let left = task.dir.join("left.run-1");
        let is_left = lossless.prove(
            removals,
            &mut standing,
            Class::lowest_of_equal_bodies,
            &left,
        )?;
        if is_left && !lossless.is_against {
            let mut removals = KeptDocuments::of_equal(task, &left)?.removals(task, &left)?;
            while let Some(removal) = removals.next()? {
                if removal.has_equal_body() {
                    standing.push(removal)?;
                }
            }
        }
    }
    let mut standing = standing.finish()?;
    while let Some(removal) = standing.next()? {
        writer.push(&removal)?;
    }
    Ok(())
}

impl LosslessRule<'_> {
    /// Adds the proven removals to `standing`, and writes the other documents to a file. Returns
    /// whether there are any others.
    fn prove(
        &self,
        mut removals: SortedWords<RemovalRecord>,
        standing: &mut WordSorter<RemovalRecord>,
        together: fn(&Class) -> u32,
        path: &Path,
    ) -> Result<bool, Error> {
        let task = self.task;
        let mut left = task.by_document::<Undecided>("left-over", task.share_bytes / 2)?;
        let mut comparison = RemovalComparison::open(task)?;
        let mut classes = Classes::open(task.engine)?;
        let enough = |removal: &RemovalRecord| {
            let overlap = removal.overlap();
            self.share.reached_by(overlap.share_of(overlap.size_a))
        };
        while let Some(removal) = removals.next()? {
            if removal.has_equal_body() {
                standing.push(removal)?;
            } else if removal.relation < SIMILAR || enough(&removal) {
                comparison.push(&removal)?;
            } else {
                let class = classes.of(removal.doc)?;
                let unproven = Words([class.doc, together(&class), NONE]);
                left.push(unproven)?;
            }
        }
        drop(removals);
        let mut compared = comparison.finish(self.texts)?;
        let mut classes = Classes::open(task.engine)?;
        while let Some(removal) = compared.next()? {
            let RemovalRecord { doc, kept, .. } = removal;
            if removal.size > 0 && removal.kept_size > 0 && enough(&removal) {
                standing.push(removal)?;
            } else {
                let class = classes.of(doc)?;
                let refuted = Words([doc, together(&class), kept]);
                left.push(refuted)?;
            }
        }
        drop(compared);
        let (mut left, mut writer) = (left.finish()?, task.write::<Undecided>(path)?);
        while let Some(one) = left.next()? {
            writer.push(&one)?;
        }
        Ok(writer.finish()?.records > 0)
    }
}
