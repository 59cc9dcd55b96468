//! With `--lossless`: finds a document that stays and contains a class whose first candidate
//! failed.
//!
//! *Input.* The undecided classes; members and classes, or the documents of NAME; pair counts and
//! sketch sizes. *Output.* [`KeptDocuments`]. *Algorithm.* Greedy, as stars are (Broder, *On the
//! resemblance and containment of documents*, 4.4), but directed, from the longest class to the
//! shortest, of equal ones by `keep`: a class is removed if one that stays contains it, else it
//! stays and may contain later ones. If a class is contained in a shorter one, the shorter one is
//! contained in it, too. So no class that stays is contained in another that stays, unless two
//! moduli estimate two lengths differently. A document that failed the exact comparison is not
//! proposed again for the same class. A document that was found unchanged has no body, so nothing
//! is removed in its favour. *Memory.* Four cells a document and two sorts.

use super::against::owned;
use super::files::Files;
use super::kept_documents::{KeptDocuments, KeptLink};
use super::undecided::{LosslessRule, Undecided, by_class};
use clustering::partition::{LinkRule, Rank};
use clustering::{reached, write_chosen};
use engine::{Error, PhaseName, cells::SpillableCells, merge_levels::PairCounts};
use format::{FileKind, LinkRecord, MemberRecord, RecordReader, ScratchFile};
use model::{Cells, LinkPolicy};
use model::{SizesByLevel, Threshold, word_record};
use publication::removals::candidate::NONE;
use publication::removals::task::RemovalTask;

/// Finds the kept documents for the classes of the file `left`. With `--against` only documents of
/// NAME are kept.
pub(super) fn find(
    lossless: &LosslessRule<'_>,
    left: &ScratchFile<Undecided>,
) -> Result<KeptDocuments, Error> {
    let (task, share) = (lossless.task, lossless.share);
    let mut kept_documents = match lossless.is_against {
        true => owned(task, lossless.files)?,
        false => kept(task, lossless.files)?,
    };
    let mut classes = UndecidedClasses::of(task, left, &mut kept_documents)?;
    let pairs = contained(task, share)?;
    classes.decide(task, &pairs, &mut kept_documents)?;
    classes.name(task, &pairs, &mut kept_documents)?;
    Ok(kept_documents)
}

/// The best of the undecided documents of equal bodies.
pub(super) fn of_equal(
    task: &RemovalTask<'_>,
    left: &ScratchFile<Undecided>,
) -> Result<KeptDocuments, Error> {
    let mut kept_documents = KeptDocuments::create(task, false)?;
    let mut members = by_class(task, left)?;
    while let Some(best) = members.next()? {
        if best.is_bodiless == 0 {
            kept_documents.set(best.together, Some(best.doc))?;
        }
        while members.next_of(best.together)?.is_some() {}
    }
    Ok(kept_documents)
}

/// The documents that the clusters keep of each class, and those of references. Nothing is chosen
/// of a class in no cluster, unless it has no body.
fn kept(task: &RemovalTask<'_>, files: &Files) -> Result<KeptDocuments, Error> {
    let engine = task.engine;
    let mut kept = KeptDocuments::create(task, true)?;
    let mut classes = engine.classes()?;
    let mut members =
        engine.reader::<MemberRecord>(PhaseName::Cluster, "members", FileKind::Members)?;
    let mut revisited = engine.segments()?.revisited();
    while let Some(member) = members.next()? {
        let representative = classes.of(member.doc)?.representative();
        let is_reference = kept.is_open(representative)? && !files.may_go(member.doc);
        if (member.stays() || is_reference) && !revisited.has(member.doc)? {
            kept.set(representative, Some(member.doc))?;
        } else {
            kept.close(representative)?;
        }
    }
    let (mut revisited, mut classes) = (engine.segments()?.revisited(), engine.classes()?);
    while let Some(doc) = revisited.next()? {
        kept.close(classes.of(doc)?.representative())?;
    }
    Ok(kept)
}

/// Writes the pairs of which one side is contained enough in the other.
fn contained(task: &RemovalTask<'_>, share: Threshold) -> Result<ScratchFile<LinkRecord>, Error> {
    let engine = task.engine;
    let mut writer = task.scratch.file::<LinkRecord>("contained.run-file")?;
    // A document contained in a much longer one may resemble it less than the floor of the run.
    let below = engine
        .config
        .floor()
        .map(|_| task.scratch.dir.join("pairs.run-0"));
    let pairs = match &below {
        None => engine.pair_counts()?,
        Some(all) => {
            phases::pairs::write_all(engine, all.clone())?;
            let all = RecordReader::open(&engine.disk, all, FileKind::Pairs);
            PairCounts::of_file(all?)
        }
    };
    // Containment is never below resemblance.
    let policy = LinkPolicy {
        resemblance: share,
        containment: Some(share),
        // Each pair that is found is compared exactly.
        sampled_containment_min: 0,
        ..engine.config.cluster.link_policy()
    };
    let rule = LinkRule::new(policy, None);
    write_chosen(engine, PhaseName::Cluster, &rule, pairs, writer.as_writer())?;
    let file = writer.finish()?;
    below.map_or(Ok(()), |all| engine.disk.remove(&all))?;
    Ok(file)
}

/// A representative of an undecided class, the longest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct ByLength {
    /// All bits of the length inverted.
    shortness: u64,
    /// Of its best document.
    rank: Rank,
    representative: u32,
}

word_record! { ByLength { shortness, rank, representative } }

/// A class that contains a shorter one, both by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct ContainedClass {
    longer: u32,
    shorter: u32,
}

word_record! { ContainedClass { longer, shorter } }

/// The undecided classes, numbered from 1: the longest first.
struct UndecidedClasses {
    /// By representative; 0 for all others.
    of: SpillableCells,
    /// By number: 1 if the class is removed.
    goes: SpillableCells,
    /// By number: a document that does not contain all of it enough, plus one; 0 if none is known.
    refuted: SpillableCells,
    /// Whether a class that is not removed may contain others.
    hold: bool,
}

impl UndecidedClasses {
    /// Numbers them. If they may contain others, the best document of each is kept for now.
    fn of(
        task: &RemovalTask<'_>,
        left: &ScratchFile<Undecided>,
        kept_documents: &mut KeptDocuments,
    ) -> Result<UndecidedClasses, Error> {
        let engine = task.engine;
        let documents = engine.segments()?.documents();
        let mut members = by_class(task, left)?;
        let mut longest = task.sorter::<ByLength>("longest");
        let mut sizes = engine.sizes()?;
        while let Some(best) = members.next()? {
            let representative = best.together;
            while members.next_of(representative)?.is_some() {}
            if kept_documents.others_stay {
                let is_bodiless = best.is_bodiless == 1;
                kept_documents.set(representative, (!is_bodiless).then_some(best.doc))?;
                if is_bodiless {
                    // The class stays, and nothing is removed in its favour.
                    continue;
                }
            }
            longest.push(ByLength {
                shortness: !length(task, &sizes.of(representative)?),
                rank: best.rank,
                representative,
            })?;
        }
        drop(members);
        let mut longest = longest.finish()?;
        let mut numbers = task.scratch.cells_of("numbers", documents)?;
        let mut count = 0;
        while let Some(class) = longest.next()? {
            count += 1;
            numbers.set(class.representative, count)?;
        }
        drop(longest);
        let goes = task.scratch.cells_of("goes", count + 1)?;
        let mut refuted = task.scratch.cells_of("refuted", count + 1)?;
        let mut left = left.read()?;
        while let Some(undecided) = left.next()? {
            if undecided.refuted != NONE {
                let number = numbers.get(undecided.together)?;
                refuted.set(number, undecided.refuted + 1)?;
            }
        }
        Ok(UndecidedClasses {
            of: numbers,
            goes,
            refuted,
            hold: kept_documents.others_stay,
        })
    }

    /// Decides which of them are removed.
    fn decide(
        &mut self,
        task: &RemovalTask<'_>,
        pairs: &ScratchFile<LinkRecord>,
        kept_documents: &mut KeptDocuments,
    ) -> Result<(), Error> {
        let mut edges = task.sorter::<ContainedClass>("edges");
        self.each(pairs, |classes, edge| {
            let (shorter, longer) = (edge.number, classes.of.get(edge.other)?);
            if longer == 0 {
                // The other class is decided already. Nothing is chosen of it if it is neither kept
                // nor undecided.
                let kept = kept_documents.of(edge.other)?;
                if kept.is_some_and(|doc| edge.may_go_for(doc)) {
                    classes.goes.set(shorter, 1)?;
                }
            } else if longer < shorter && classes.hold {
                edges.push(ContainedClass { longer, shorter })?;
            }
            Ok(())
        })?;
        let mut edges = edges.finish()?;
        // Every edge that could remove the longer class came before.
        while let Some(ContainedClass { longer, shorter }) = edges.next()? {
            if self.goes.get(longer)? == 0 {
                self.goes.set(shorter, 1)?;
            }
        }
        Ok(())
    }

    /// Sets the document that is kept in favour of each removed class.
    fn name(
        &mut self,
        task: &RemovalTask<'_>,
        pairs: &ScratchFile<LinkRecord>,
        kept_documents: &mut KeptDocuments,
    ) -> Result<(), Error> {
        let mut strongest = task.by_document::<KeptLink>("strongest");
        self.each(pairs, |classes, edge| {
            let number = classes.of.get(edge.other)?;
            let stays = number == 0 || classes.hold && classes.goes.get(number)? == 0;
            let goes = classes.goes.get(edge.number)? == 1;
            let kept = kept_documents.of(edge.other)?;
            if let Some(kept) = kept.filter(|&kept| stays && goes && edge.may_go_for(kept)) {
                strongest.push(KeptLink {
                    part: edge.part,
                    kept,
                    shared: edge.shared,
                    size: edge.size,
                })?;
            }
            Ok(())
        })?;
        kept_documents.set_strongest(strongest.finish()?, |_, _| Ok(true))
    }

    /// Hands on each undecided class that is contained in another.
    fn each(
        &mut self,
        pairs: &ScratchFile<LinkRecord>,
        mut take: impl FnMut(&mut UndecidedClasses, ContainmentEdge) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut pairs = pairs.read()?;
        while let Some(pair) = pairs.next()? {
            let reached = reached(&pair);
            for (part, other, size, is_contained) in [
                (pair.a, pair.b, pair.size_a, reached.a_in_b),
                (pair.b, pair.a, pair.size_b, reached.b_in_a),
            ] {
                let number = self.of.get(part)?;
                if number > 0 && is_contained {
                    let edge = ContainmentEdge {
                        number,
                        part,
                        other,
                        shared: pair.shared,
                        size,
                        refuted: self.refuted.get(number)?,
                    };
                    take(self, edge)?;
                }
            }
        }
        Ok(())
    }
}

/// An undecided class that is contained enough in another.
struct ContainmentEdge {
    /// The number of the contained class.
    number: u32,
    /// Its representative.
    part: u32,
    /// The representative of the other.
    other: u32,
    shared: u32,
    /// Shingles of the contained class.
    size: u32,
    /// As [`UndecidedClasses::refuted`].
    refuted: u32,
}

impl ContainmentEdge {
    /// Whether the exact comparison has not refuted it.
    fn may_go_for(&self, kept: u32) -> bool {
        kept + 1 != self.refuted
    }
}

/// An estimate of the number of different shingles of a document that are not common.
fn length(task: &RemovalTask<'_>, sizes: &SizesByLevel) -> u64 {
    let (level, size) = sizes.own_size();
    u64::from(size) * u64::from(task.engine.config.sketch.sampling.modulus_at(level))
}
