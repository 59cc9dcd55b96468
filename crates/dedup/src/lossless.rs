//! `--lossless C`: what is to go, and is not contained enough in any document that stays, stays.
//!
//! *Input.* Fates as they were chosen. *Output.* Those that stand, in document order. *Algorithm.*
//! A document goes if it is in one class with the one it was to go for, or if that one holds at
//! least C of it. Of the others each class is looked for in everything that stays
//! ([`holders`](super::holders)): it goes for the document that holds most of it, of equal ones the
//! lowest, or stays, and then its best document by `keep` stands for the rest of the class. All
//! containments are those of the stored sketches, compared as exact rationals; whoever holds a
//! document shares `min-shared` shingles with it. *Memory.* As [`super::decide`], and 12 bytes a
//! document, on disk where they do not fit. *Disk.* The pairs of which one is contained in the
//! other.

use super::Task;
use super::choose::{SIMILAR, pair_up};
use super::decide::{read, write};
use super::evidence::{self, Fate, Linked};
use super::files::Files;
use super::holders::Holders;
use format::{RecordReader, RecordWriter};
use model::Threshold;
use phases::cluster::Classes;
use phases::words::Words;
use runtime::{Error, PhaseName};
use sort::{Keep, Prefixes, Sorted};
use std::path::{Path, PathBuf};

/// What it works with.
pub(super) struct Lossless<'a> {
    pub(super) task: &'a Task<'a>,
    /// So much of a document is to be contained.
    pub(super) share: Threshold,
    /// With `--against`: only documents of NAME hold others.
    pub(super) against: Option<&'a Files>,
}

/// ⟨document, representative⟩, in document order.
pub(super) type Left = Words<2>;

/// Writes the fates that stand.
pub(super) fn decide(
    lossless: &Lossless<'_>,
    fates: Sorted<Fate, Keep>,
    writer: &mut RecordWriter<Fate>,
) -> Result<(), Error> {
    let task = lossless.task;
    let (work, outside) = (Error::work(PhaseName::Cluster), |e| {
        Error::from_format(None, e)
    });
    let first = task.dir.join("held.run-0");
    let left = set_apart(lossless, fates, &first)?;
    let mut first = read::<Fate>(task, &first)?;
    let mut next = first.next().map_err(outside)?;
    if let Some(left) = left {
        let mut held = held_elsewhere(lossless, &left)?;
        while let Some(fate) = held.next().map_err(work)? {
            while let Some(earlier) = next.filter(|next| next.0[0] < fate.0[0]) {
                writer.push(&earlier).map_err(work)?;
                next = first.next().map_err(outside)?;
            }
            writer.push(&fate).map_err(work)?;
        }
    }
    while let Some(fate) = next {
        writer.push(&fate).map_err(work)?;
        next = first.next().map_err(outside)?;
    }
    Ok(())
}

/// Writes the fates that stand as they are to one file, and what is left over to another, if
/// anything is.
fn set_apart(
    lossless: &Lossless<'_>,
    mut fates: Sorted<Fate, Keep>,
    first: &Path,
) -> Result<Option<PathBuf>, Error> {
    let (task, work) = (lossless.task, Error::work(PhaseName::Cluster));
    let left = task.dir.join("left.run-0");
    let (mut stands, mut others) = (write::<Fate>(task, first)?, write::<Left>(task, &left)?);
    let mut classes = Classes::open(task.engine)?;
    while let Some(fate) = fates.next().map_err(work)? {
        let overlap = evidence::overlap(&fate);
        let in_one_class = fate.0[2] < SIMILAR;
        if in_one_class || lossless.share.reached_by(overlap.share_of(overlap.size_a)) {
            stands.push(&fate).map_err(work)?;
        } else {
            let doc = fate.0[0];
            others
                .push(&Words([doc, classes.of(doc)?.representative()]))
                .map_err(work)?;
        }
    }
    stands.finish().map_err(work)?;
    let others = others.finish().map_err(work)?.records;
    Ok((others > 0).then_some(left))
}

/// Of what is left over, the fates of what goes for another document.
fn held_elsewhere(lossless: &Lossless<'_>, left: &Path) -> Result<Sorted<Fate, Keep>, Error> {
    let (task, work) = (lossless.task, Error::work(PhaseName::Cluster));
    let range = Prefixes::documents(task.engine.segments()?.documents());
    let mut holders = Holders::find(lossless, left)?;
    let mut going = task
        .sorter::<Words<5>>("going", task.share_bytes)
        .expecting(range);
    let mut classes = Classes::open(task.engine)?;
    let mut left: RecordReader<Left> = read(task, left)?;
    while let Some(Words([doc, representative])) =
        left.next().map_err(|e| Error::from_format(None, e))?
    {
        if let Some(kept) = holders.of(representative)?.filter(|kept| *kept != doc) {
            let [identical, lexical, shingle] = classes.of(doc)?.lowest;
            going
                .push(Words([kept, doc, identical, lexical, shingle]))
                .map_err(work)?;
        }
    }
    drop(holders);
    let wants = pair_up(task, going.finish().map_err(work)?)?;
    evidence::fates(task, wants, &mut Linked::open(task.engine)?)
}
