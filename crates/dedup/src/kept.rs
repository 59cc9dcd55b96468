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

use super::against::{StrongestLink, owned};
use super::files::Files;
use super::lossless_rule::LosslessRule;
use super::undecided::{Undecided, UndecidedDocument, by_class};
use cluster::{Cells, LinkPolicy, LinkRule};
use clustering::{reached, write_chosen};
use engine::cells::SpillableCells;
use engine::merge_levels::PairCounts;
use engine::{Classes, SizeLookup};
use format::{FileKind, LinkRecord, MemberRecord, RecordReader};
use model::{SizesByLevel, Threshold, Words};
use publication::removals::candidate::{Going, NONE, pair_up};
use publication::removals::evidence::{self, DirectLinks};
use publication::removals::removal::RemovalRecord;
use publication::removals::task::Task;
use runtime::{Error, PhaseName};
use sort::{Distinct, Prefixes, SortedWords};
use std::path::{Path, PathBuf};

/// For each class the document that is kept: one of the class, or one that contains it.
pub(super) struct KeptDocuments {
    /// By representative: the kept document plus one; [`NOBODY`]; 0 if not set.
    cells: SpillableCells,
    /// Whether a class stays whose cell is not set.
    others_stay: bool,
}

/// No document of the class can be kept in favour of others.
const NOBODY: u32 = u32::MAX;

impl KeptDocuments {
    /// Finds them for the classes of the file `left`. With `--against` only documents of NAME are
    /// kept.
    pub(super) fn find(lossless: &LosslessRule<'_>, left: &Path) -> Result<KeptDocuments, Error> {
        let (task, share) = (lossless.task, lossless.share);
        let mut kept_documents = match lossless.is_against {
            true => KeptDocuments {
                cells: owned(task, lossless.files)?,
                others_stay: false,
            },
            false => KeptDocuments {
                cells: kept(task, lossless.files)?,
                others_stay: true,
            },
        };
        let mut numbers = UndecidedClasses::of(task, left, &mut kept_documents)?;
        let pairs = contained(task, share)?;
        numbers.decide(task, &pairs, &mut kept_documents)?;
        numbers.name(task, &pairs, &mut kept_documents)?;
        Ok(kept_documents)
    }

    /// The best of the undecided documents of equal bodies.
    pub(super) fn of_equal(task: &Task<'_>, left: &Path) -> Result<KeptDocuments, Error> {
        let documents = task.engine.segments()?.documents();
        let mut kept_documents = KeptDocuments {
            cells: task.cells("equal.run-cells", documents)?,
            others_stay: false,
        };
        let mut members = by_class(task, left)?;
        let mut last = None;
        while let Some(UndecidedDocument {
            order: [lowest, bodiless],
            doc,
            ..
        }) = members.next()?
        {
            if last.replace(lowest) != Some(lowest) && bodiless == 0 {
                kept_documents.set(lowest, doc + 1)?;
            }
        }
        Ok(kept_documents)
    }

    /// From a cell for each document: 0, or the document kept in its favour, plus one.
    pub(super) fn of_documents(cells: SpillableCells) -> KeptDocuments {
        KeptDocuments {
            cells,
            others_stay: false,
        }
    }

    /// The kept document of a class, if there is one.
    pub(super) fn of(&mut self, representative: u32) -> Result<Option<u32>, Error> {
        let cell = self.cells.get(representative)?;
        Ok(match cell {
            0 => self.others_stay.then_some(representative),
            NOBODY => None,
            doc => Some(doc - 1),
        })
    }

    /// The removals of the undecided documents for which a document is kept.
    pub(super) fn removals(
        mut self,
        task: &Task<'_>,
        left: &Path,
    ) -> Result<SortedWords<RemovalRecord>, Error> {
        let mut going = task.by_document::<Going>("going", task.share_bytes)?;
        let mut classes = Classes::open(task.engine)?;
        let mut left: RecordReader<Undecided> = task.read(left)?;
        while let Some(Words([doc, together, _])) = left.next()? {
            if let Some(kept) = self.of(together)?.filter(|kept| *kept != doc) {
                going.push(Going::of(&classes.of(doc)?, kept))?;
            }
        }
        drop(self);
        let candidates = pair_up(task, going.finish()?)?;
        evidence::removals(task, candidates, &mut DirectLinks::open(task.engine)?)
    }

    fn set(&mut self, representative: u32, cell: u32) -> Result<(), Error> {
        self.cells.set(representative, cell).map_err(Error::from)
    }
}

/// The documents that the clusters keep of each class, and those of references. The cell of a class
/// in no cluster is not set, unless it has no body.
fn kept(task: &Task<'_>, files: &Files) -> Result<SpillableCells, Error> {
    let engine = task.engine;
    let mut cells = task.cells("kept.run-cells", engine.segments()?.documents())?;
    let mut classes = Classes::open(engine)?;
    let mut members =
        engine.reader::<MemberRecord>(PhaseName::Cluster, "members", FileKind::Members)?;
    let mut revisited = engine.segments()?.revisited();
    while let Some(member) = members.next()? {
        let representative = classes.of(member.doc)?.representative();
        let cell = cells.get(representative)?;
        let is_open = cell == 0 || cell == NOBODY;
        let is_reference = is_open && !files.may_go(member.doc);
        if (member.stays() || is_reference) && !revisited.has(member.doc)? {
            cells.set(representative, member.doc + 1)?;
        } else if cell == 0 {
            cells.set(representative, NOBODY)?;
        }
    }
    let (mut revisited, mut classes) = (engine.segments()?.revisited(), Classes::open(engine)?);
    while let Some(doc) = revisited.next()? {
        let representative = classes.of(doc)?.representative();
        if cells.get(representative)? == 0 {
            cells.set(representative, NOBODY)?;
        }
    }
    Ok(cells)
}

/// Writes the pairs of which one side is contained enough in the other.
fn contained(task: &Task<'_>, share: Threshold) -> Result<PathBuf, Error> {
    let path = task.dir.join("contained.run-0");
    let engine = task.engine;
    let mut writer = task.write::<LinkRecord>(&path)?;
    // A document contained in a much longer one may resemble it less than the floor of the run.
    let below = engine.config.floor().map(|_| task.dir.join("pairs.run-0"));
    let pairs = match &below {
        None => PairCounts::open(engine)?,
        Some(all) => {
            phases::pairs::write_all(engine, all.clone())?;
            PairCounts::of_file(RecordReader::open(&engine.disk, all, FileKind::Pairs)?)
        }
    };
    // Containment is never below resemblance.
    let policy = LinkPolicy {
        resemblance: share,
        containment: Some(share),
        // What is found is compared exactly.
        sampled_containment_min: 0,
        ..engine.config.cluster.link_policy()
    };
    let rule = LinkRule::new(policy, None);
    write_chosen(engine, PhaseName::Cluster, &rule, pairs, &mut writer)?;
    writer.finish()?;
    below.map_or(Ok(()), |all| engine.disk.remove(&all))?;
    Ok(path)
}

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
        task: &Task<'_>,
        left: &Path,
        kept_documents: &mut KeptDocuments,
    ) -> Result<UndecidedClasses, Error> {
        let engine = task.engine;
        let documents = engine.segments()?.documents();
        let mut members = by_class(task, left)?;
        // Representatives by the length of their class: ⟨length, rank of its best document⟩.
        let mut longest = task.sorter::<UndecidedDocument>("longest", task.share_bytes);
        let (mut sizes, mut last) = (SizeLookup::open(engine)?, None);
        while let Some(UndecidedDocument {
            order: [representative, bodiless],
            rank,
            doc,
        }) = members.next()?
        {
            if last.replace(representative) == Some(representative) {
                continue;
            }
            if kept_documents.others_stay {
                kept_documents.set(representative, if bodiless == 0 { doc + 1 } else { NOBODY })?;
                if bodiless == 1 {
                    // The class stays, and nothing is removed in its favour.
                    continue;
                }
            }
            let length = !length(task, &sizes.of(representative)?);
            let order = [(length >> 32) as u32, length as u32];
            longest.push(UndecidedDocument {
                order,
                rank,
                doc: representative,
            })?;
        }
        drop(members);
        let mut longest = longest.finish()?;
        let mut numbers = task.cells("numbers.run-cells", documents)?;
        let mut count = 0;
        while let Some(candidate) = longest.next()? {
            count += 1;
            numbers.set(candidate.doc, count)?;
        }
        drop(longest);
        let goes = task.cells("goes.run-cells", count + 1)?;
        let mut refuted = task.cells("refuted.run-cells", count + 1)?;
        let mut left: RecordReader<Undecided> = task.read(left)?;
        while let Some(Words([_, representative, kept])) = left.next()? {
            let number = numbers.get(representative)?;
            if kept != NONE {
                refuted.set(number, kept + 1)?;
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
        task: &Task<'_>,
        pairs: &Path,
        kept_documents: &mut KeptDocuments,
    ) -> Result<(), Error> {
        let mut edges = task.combining::<Words<2>, _>("edges", task.share_bytes, Distinct);
        self.each(task, pairs, |numbers, edge| {
            let ContainmentEdge {
                number: shorter,
                other,
                ..
            } = edge;
            match numbers.of.get(other)? {
                // The other class is decided already. Its cell is not set if it is neither kept nor
                // undecided.
                0 if kept_documents
                    .of(other)?
                    .is_some_and(|doc| edge.may_go_for(doc)) =>
                {
                    numbers.goes.set(shorter, 1).map_err(Error::from)
                }
                number if number > 0 && number < shorter && numbers.hold => {
                    edges.push(Words([number, shorter])).map_err(Error::from)
                }
                _ => Ok(()),
            }
        })?;
        let mut edges = edges.finish()?;
        // Every edge that could remove the longer class came before.
        while let Some(Words([longer, shorter])) = edges.next()? {
            if self.goes.get(longer)? == 0 {
                self.goes.set(shorter, 1)?;
            }
        }
        Ok(())
    }

    /// Sets the document that is kept in favour of each removed class.
    fn name(
        &mut self,
        task: &Task<'_>,
        pairs: &Path,
        kept_documents: &mut KeptDocuments,
    ) -> Result<(), Error> {
        let range = Prefixes::documents(task.engine.segments()?.documents());
        let strongest = task.combining::<Words<4>, _>("strongest", task.share_bytes, StrongestLink);
        let mut strongest = strongest.expecting(range);
        self.each(task, pairs, |numbers, edge| {
            let number = numbers.of.get(edge.other)?;
            let stays = number == 0 || numbers.hold && numbers.goes.get(number)? == 0;
            let goes = numbers.goes.get(edge.number)? == 1;
            let kept = kept_documents.of(edge.other)?;
            if let Some(kept) = kept.filter(|&kept| stays && goes && edge.may_go_for(kept)) {
                let ContainmentEdge {
                    part, shared, size, ..
                } = edge;
                strongest.push(Words([part, shared, size, kept]))?;
            }
            Ok(())
        })?;
        let mut strongest = strongest.finish()?;
        while let Some(Words([representative, _, _, kept])) = strongest.next()? {
            kept_documents.set(representative, kept + 1)?;
        }
        Ok(())
    }

    /// Hands on each undecided class that is contained in another.
    fn each(
        &mut self,
        task: &Task<'_>,
        pairs: &Path,
        mut take: impl FnMut(&mut UndecidedClasses, ContainmentEdge) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut pairs: RecordReader<LinkRecord> =
            RecordReader::open(&task.engine.disk, pairs, FileKind::Run)?;
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
fn length(task: &Task<'_>, sizes: &SizesByLevel) -> u64 {
    let (level, size) = sizes.own_size();
    u64::from(size) * u64::from(task.engine.config.sketch.sampling.modulus_at(level))
}
