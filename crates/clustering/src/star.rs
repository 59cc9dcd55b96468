//! Links → the class that stays in favour of each class, by the linkage `star` or `leader`.
//!
//! *Input.* Links, classes, ranks by `keep`. *Output.* [`Stars`]. *Algorithm.* The linked classes
//! are numbered in the order of `keep`; those that a joining link finds contained in another come
//! after all others. The links are sorted by their better class for stars, by their worse class for
//! [`Leaders`]. A night takes all links again: one new document that ranks first can change
//! what stays of every cluster. *Memory.* Four cells a document, and sorts.

use crate::attributes::{DATA, Ranks, ReferenceOrder};
use crate::link_policy::{PHASE, reached, union};
use crate::memory;
use crate::partition::{Keepers, LeaderEdge, Leaders, Rank, StarEdge};
use engine::{Engine, Error, cells::SpillableCells};
use format::{FileKind, FormatError, LinkRecord, RecordReader, Sealed};
use model::word_record;
use model::{Cells, ContainedDocument, LinkPolicy, Linkage, ThresholdsMet};
use sort::SortedWords;

/// A document of a linked class, to be sorted by its rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RankedDocument {
    /// Goes before the rank: [`DATA`] behind references; 2 more if its
    /// class is contained in another; with components 1 more if it is a revisit.
    pub(super) excluded: u32,
    rank: Rank,
    doc: u32,
    representative: u32,
    pub(super) bytes: u32,
    /// 1 if it is a revisit.
    pub(super) revisited: u32,
}

word_record! { RankedDocument { excluded, rank, doc, representative, bytes, revisited } }

/// Cell of a linked class that has no number yet; numbers follow from 2 on.
pub(super) const LINKED: u32 = 1;
/// The mark of a class that is contained in another. No number is as high, except that of the last
/// of 2^32 − 2 classes, which has no second document.
const CONTAINED: u32 = u32::MAX;

fn awaits_number(cell: u32) -> bool {
    cell == LINKED || cell == CONTAINED
}

/// Whether a class may be kept, and whether it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Standing {
    /// Others are kept rather than this one.
    pub(super) is_excluded: bool,
    /// It is kept, whatever its rank.
    pub(super) is_kept: bool,
}

/// The class that keeps each linked one.
pub(super) struct Stars {
    /// For its representative the number of a class.
    numbers: SpillableCells,
    keepers: Keepers<SpillableCells>,
    /// The document that each class has to keep, by its number, plus one.
    best: SpillableCells,
}

impl Stars {
    /// Whether the class of a representative is kept, or goes in favour of another one.
    pub(super) fn of(&mut self, representative: u32) -> Result<Standing, FormatError> {
        let own = self.class_of(representative)?;
        let is_kept = match own {
            Some(own) => self.keepers.keeper(own)? == own,
            None => false,
        };
        Ok(Standing {
            is_excluded: own.is_some() && !is_kept,
            is_kept,
        })
    }

    /// The document that is kept in favour of the class of a representative, if it has links.
    pub(super) fn kept(&mut self, representative: u32) -> Result<Option<u32>, FormatError> {
        let Some(own) = self.class_of(representative)? else {
            return Ok(None);
        };
        let keeper = self.keepers.keeper(own)?;
        Ok(self.best.get(keeper)?.checked_sub(1))
    }

    /// The class of a representative, if it has links.
    fn class_of(&mut self, representative: u32) -> Result<Option<u32>, FormatError> {
        let number = self.numbers.get(representative)?;
        Ok((number > LINKED).then(|| number - LINKED - 1))
    }
}

pub(super) fn stars(
    engine: &Engine<'_>,
    policy: &LinkPolicy,
    links: &Sealed,
) -> Result<Stars, Error> {
    let joining = |link: &LinkRecord| {
        let reached = reached(link);
        policy.joins(reached).then_some(reached)
    };
    let scratch = engine.scratch(PHASE)?;
    let (mut numbers, mut best) = (scratch.cells("numbers")?, scratch.cells("best")?);
    let mut found = BestFound(scratch.cells("found")?);
    let read_links = || engine.open::<LinkRecord>(PHASE, links, FileKind::Links);
    let last_reference = number_classes(
        engine,
        read_links()?,
        &joining,
        &mut numbers,
        |class, document| {
            if found.is_better(class, document)? {
                best.set(class, document.doc + 1)?;
            }
            Ok(())
        },
    )?;
    drop(found);
    let takers = scratch.cells("takers")?;
    let memory = scratch.budget.take(memory::EDGES);
    let joining = JoiningLinks {
        links: read_links()?,
        numbers: &mut numbers,
        last_reference,
        joining: &joining,
    };
    let sort_bytes = memory.bytes();
    let keepers = match engine.config.cluster.linkage {
        Linkage::Star => {
            let mut edges = scratch.by_document("edges", sort_bytes);
            joining.each(|better, worse, _| edges.push(StarEdge { better, worse }))?;
            let (mut edges, mut keepers) = (edges.finish()?, Keepers::new(takers));
            while let Some(edge) = edges.next()? {
                keepers.push(&edge)?;
            }
            keepers
        }
        _ => {
            let mut edges = scratch.by_document("edges", sort_bytes);
            joining.each(|better, worse, link| {
                edges.push(LeaderEdge {
                    worse,
                    better,
                    shared: link.shared,
                    union: union(link),
                })
            })?;
            let (mut edges, mut leaders) = (edges.finish()?, Leaders::new(takers));
            while let Some(edge) = edges.next()? {
                leaders.push(&edge)?;
            }
            leaders.finish()?
        }
    };
    Ok(Stars {
        numbers,
        keepers,
        best,
    })
}

/// Finds the best document of each class, of documents that come in the order of `keep`.
pub(super) struct BestFound(pub(super) SpillableCells);

impl BestFound {
    /// Whether this document of a class is better than all before. A class keeps data only if it
    /// has nothing of a reference, and a revisit only if it has no document with a body.
    pub(super) fn is_better(
        &mut self,
        class: u32,
        document: &RankedDocument,
    ) -> Result<bool, FormatError> {
        let is_reference = document.excluded < u32::from(DATA);
        let merit = 2 - document.revisited + 2 * u32::from(is_reference);
        let is_better = self.0.get(class)? < merit;
        if is_better {
            self.0.set(class, merit)?;
        }
        Ok(is_better)
    }
}

/// The links that join classes.
struct JoiningLinks<'a> {
    links: RecordReader<LinkRecord>,
    /// The number of each class.
    numbers: &'a mut SpillableCells,
    /// As [`number_classes`] gives it. Data goes in favour of a part of it that is a reference.
    last_reference: u32,
    joining: Joining<'a>,
}

/// The thresholds that a link reaches, if it joins classes.
pub(super) type Joining<'a> = &'a dyn Fn(&LinkRecord) -> Option<ThresholdsMet>;

impl JoiningLinks<'_> {
    /// Hands on the links by which the better one of two classes may keep the worse one: both
    /// classes, and the link.
    fn each(
        mut self,
        mut take: impl FnMut(u32, u32, &LinkRecord) -> Result<(), FormatError>,
    ) -> Result<(), FormatError> {
        while let Some(link) = self.links.next()? {
            let Some(reached) = (self.joining)(&link) else {
                continue;
            };
            let ends = [self.numbers.get(link.a)?, self.numbers.get(link.b)?];
            if !is_lost_part(ends, reached, self.last_reference) {
                let [a, b] = ends.map(|number| number - LINKED - 1);
                take(a.min(b), a.max(b), &link)?;
            }
        }
        Ok(())
    }
}

/// Whether the better one of two classes, given by their numbers, is a part of the other one that
/// must not take it. Data goes in favour of a part of it that is a reference.
pub(super) fn is_lost_part([a, b]: [u32; 2], reached: ThresholdsMet, last_reference: u32) -> bool {
    let better = if a < b {
        ContainedDocument::A
    } else {
        ContainedDocument::B
    };
    a.min(b) > last_reference && reached.contained_document() == Some(better)
}

/// Gives the classes with joining links their numbers: 2 for the best by `keep`, and so on; then
/// those that are contained in another. With components, classes of revisits alone come last among
/// each of the two, as a run prefers any document with a body. Calls `take` with each class,
/// counted from 0, and each of its documents, the best document first. Gives the last number of a
/// class with a document of a reference; 0 if there are no references.
pub(super) fn number_classes(
    engine: &Engine<'_>,
    links: RecordReader<LinkRecord>,
    joining: Joining<'_>,
    numbers: &mut SpillableCells,
    mut take: impl FnMut(u32, &RankedDocument) -> Result<(), FormatError>,
) -> Result<u32, Error> {
    let has_references = engine.inputs.listing.has_references();
    let mut last_reference = 0;
    mark_linked(links, joining, numbers)?;
    let memory = engine.budget.take(memory::RANKED);
    let mut ranked = rank_documents(engine, numbers, memory.bytes())?;
    let mut next = LINKED + 1;
    while let Some(document) = ranked.next()? {
        let mut number = numbers.get(document.representative)?;
        if awaits_number(number) {
            number = next;
            numbers.set(document.representative, number)?;
            next += 1;
        }
        if has_references && document.excluded < u32::from(DATA) {
            last_reference = number;
        }
        take(number - LINKED - 1, &document)?;
    }
    Ok(last_reference)
}

fn mark_linked(
    mut links: RecordReader<LinkRecord>,
    joining: Joining<'_>,
    numbers: &mut SpillableCells,
) -> Result<(), Error> {
    while let Some(link) = links.next()? {
        let Some(reached) = joining(&link) else {
            continue;
        };
        let contained = reached.contained_document();
        for (class, end) in [
            (link.a, ContainedDocument::A),
            (link.b, ContainedDocument::B),
        ] {
            if contained == Some(end) {
                numbers.set(class, CONTAINED)?;
            } else if numbers.get(class)? != CONTAINED {
                numbers.set(class, LINKED)?;
            }
        }
    }
    Ok(())
}

/// All documents of the marked classes, in the order in which classes get their numbers.
fn rank_documents(
    engine: &Engine<'_>,
    numbers: &mut SpillableCells,
    memory: usize,
) -> Result<SortedWords<RankedDocument>, Error> {
    let mut ranked = engine.scratch(PHASE)?.sorter("ranked", memory);
    let (segments, mut classes) = (engine.segments()?, engine.classes()?);
    let mut ranks = Ranks::new(engine.config, &segments);
    let mut references = ReferenceOrder::new(&engine.inputs, &segments);
    let mut revisits = segments.revisited();
    let are_components = engine.config.cluster.linkage == Linkage::Components;
    while let Some((doc, rank)) = ranks.next()? {
        let representative = classes.of(doc)?.representative();
        let cell = numbers.get(representative)?;
        if awaits_number(cell) {
            let revisited = revisits.has(doc)?;
            ranked.push(RankedDocument {
                excluded: u32::from(references.of(doc)?)
                    + 2 * u32::from(cell == CONTAINED)
                    + u32::from(are_components && revisited),
                rank,
                doc,
                representative,
                // A revisit has no body that could be saved.
                bytes: if revisited { 0 } else { ranks.bytes() },
                revisited: u32::from(revisited),
            })?;
        }
    }
    ranked.finish().map_err(Error::from)
}
