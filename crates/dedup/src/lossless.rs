//! `--lossless C`: a document goes only if a document that stays contains at least C of it.
//!
//! *Input.* Fates as they were chosen; the texts. *Output.* Those that stand, in document order.
//! *Algorithm.* A document goes for one of equal tokens without more. For any other it goes if the
//! estimate from the sketches says that C of it is contained there, and if then the exact
//! comparison of both texts ([`exact`](super::exact)) says so, too. Three rounds: the first asks
//! for the document that was chosen. The second asks [`holders`](super::holders) for a document
//! that stays and contains what is left, by estimate: the one that contains most, of equal ones the
//! lowest. A class for which there is none keeps its best document by `keep`, and the rest of it
//! goes for that one. In the third the documents of equal tokens that are still left go for the
//! best of them. *Memory.* As [`super::decide`], as `exact`, and 16 bytes a document, on disk where
//! they do not fit. *Disk.* As `exact`, and the pairs of which one is contained in the other.

use super::Task;
use super::choose::{NONE, SIMILAR, pair_up};
use super::decide::{read, write};
use super::evidence::{self, Fate, Linked};
use super::exact::{Comparison, Texts, lowest_of_equal_tokens};
use super::files::Files;
use super::holders::Holders;
use super::left::Left;
use format::{RecordReader, RecordWriter};
use model::{Class, Threshold};
use phases::cluster::Classes;
use phases::words::Words;
use runtime::{Error, PhaseName};
use sort::{Keep, Prefixes, Sorted, Sorter};
use std::path::Path;

/// What it works with.
pub(super) struct Lossless<'a> {
    pub(super) task: &'a Task<'a>,
    /// So much of a document is to be contained.
    pub(super) share: Threshold,
    /// With `--against`: only documents of NAME hold others.
    pub(super) against: Option<&'a Files>,
    pub(super) texts: &'a dyn Texts,
}

/// Writes the fates that stand.
pub(super) fn decide(
    lossless: &Lossless<'_>,
    fates: Sorted<Fate, Keep>,
    writer: &mut RecordWriter<Fate>,
) -> Result<(), Error> {
    let (task, work) = (lossless.task, Error::work(PhaseName::Cluster));
    let range = Prefixes::documents(task.engine.segments()?.documents());
    let mut standing = task
        .sorter::<Fate>("standing", task.share_bytes / 2)
        .expecting(range);
    let left = task.dir.join("left.run-0");
    if lossless.prove(fates, &mut standing, Class::representative, &left)? {
        let fates = for_holders(task, &left, Holders::find(lossless, &left)?)?;
        let left = task.dir.join("left.run-1");
        let is_left = lossless.prove(fates, &mut standing, lowest_of_equal_tokens, &left)?;
        if is_left && lossless.against.is_none() {
            let mut fates = for_holders(task, &left, Holders::of_equal(task, &left)?)?;
            while let Some(fate) = fates.next().map_err(work)? {
                if evidence::is_equal(&fate) {
                    standing.push(fate).map_err(work)?;
                }
            }
        }
    }
    let mut standing = standing.finish().map_err(work)?;
    while let Some(fate) = standing.next().map_err(work)? {
        writer.push(&fate).map_err(work)?;
    }
    Ok(())
}

impl Lossless<'_> {
    /// Adds the fates that stand to some, writes the documents of the others to a file, and says
    /// whether there are any.
    fn prove(
        &self,
        mut fates: Sorted<Fate, Keep>,
        standing: &mut Sorter<Fate, Keep>,
        together: fn(&Class) -> u32,
        path: &Path,
    ) -> Result<bool, Error> {
        let (task, work) = (self.task, Error::work(PhaseName::Cluster));
        let range = Prefixes::documents(task.engine.segments()?.documents());
        let mut left = task
            .sorter::<Left>("left-over", task.share_bytes / 2)
            .expecting(range);
        let mut comparison = Comparison::open(task)?;
        let mut classes = Classes::open(task.engine)?;
        let enough = |fate: &Fate| {
            let overlap = evidence::overlap(fate);
            self.share.reached_by(overlap.share_of(overlap.size_a))
        };
        while let Some(fate) = fates.next().map_err(work)? {
            if evidence::is_equal(&fate) {
                standing.push(fate).map_err(work)?;
            } else if fate.0[2] < SIMILAR || enough(&fate) {
                comparison.push(&fate)?;
            } else {
                let class = classes.of(fate.0[0])?;
                let unproven = Words([class.doc, together(&class), NONE]);
                left.push(unproven).map_err(work)?;
            }
        }
        drop(fates);
        let mut compared = comparison.finish(self.texts)?;
        let mut classes = Classes::open(task.engine)?;
        while let Some(fate) = compared.next().map_err(work)? {
            let Words([doc, kept, _, _, size, kept_size, ..]) = fate;
            if size > 0 && kept_size > 0 && enough(&fate) {
                standing.push(fate).map_err(work)?;
            } else {
                let class = classes.of(doc)?;
                let refuted = Words([doc, together(&class), kept]);
                left.push(refuted).map_err(work)?;
            }
        }
        drop(compared);
        let (mut left, mut writer) = (left.finish().map_err(work)?, write::<Left>(task, path)?);
        while let Some(one) = left.next().map_err(work)? {
            writer.push(&one).map_err(work)?;
        }
        Ok(writer.finish().map_err(work)?.records > 0)
    }
}

/// Of what is left over, the fates of the documents that have a holder.
fn for_holders(
    task: &Task<'_>,
    left: &Path,
    mut holders: Holders,
) -> Result<Sorted<Fate, Keep>, Error> {
    let work = Error::work(PhaseName::Cluster);
    let range = Prefixes::documents(task.engine.segments()?.documents());
    let mut going = task
        .sorter::<Words<5>>("going", task.share_bytes)
        .expecting(range);
    let mut classes = Classes::open(task.engine)?;
    let mut left: RecordReader<Left> = read(task, left)?;
    let outside = |e| Error::from_format(None, e);
    while let Some(Words([doc, together, _])) = left.next().map_err(outside)? {
        if let Some(kept) = holders.of(together)?.filter(|kept| *kept != doc) {
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
