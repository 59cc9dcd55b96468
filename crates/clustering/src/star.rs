//! Links → the class that stays in favour of each class, by the linkage `star` or `leader`.
//!
//! *Input.* Links, classes, ranks by `keep`. *Output.* [`Stars`]. *Algorithm.* The linked classes
//! are numbered in the order of `keep`; those that a joining link finds contained in another come
//! after all others. The links are sorted by their better class for [`Star`], by their worse class
//! for [`Leaders`]. A night takes all links again: one new document that ranks first can change
//! what stays of every cluster. *Memory.* Two cells a document, and sorts.

use crate::attributes::{DATA, Ranks, ReferenceOrder};
use crate::files::cells;
use crate::files::read_links;
use crate::link_policy::{PHASE, reached, union};
use cluster::{
    Cells, ContainedDocument, LeaderEdge, Leaders, LinkPolicy, Linkage, Rank, Star, StarEdge,
    ThresholdsMet,
};
use engine::Engine;
use engine::cells::SpillableCells;
use format::{FileKind, FormatError, LinkRecord, Sealed};
use model::{Class, WordRecord, word_record};
use runtime::{Error, PhaseName};
use sort::{Prefixes, SortedWords};

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
/// The same of a class that is contained in another. No number is as high, except that of the last
/// of 2^32 − 2 classes, which has no second document.
const CONTAINED: u32 = u32::MAX;

fn awaits_number(cell: u32) -> bool {
    cell == LINKED || cell == CONTAINED
}

/// The class that keeps each linked one.
pub(super) struct Stars {
    /// For its representative the number of a class.
    numbers: SpillableCells,
    keepers: Keepers,
}

impl Stars {
    /// The number of the class that keeps the one of this representative, and whether it is another
    /// one.
    pub(super) fn of(&mut self, representative: u32) -> Result<(u32, bool), FormatError> {
        let number = self.numbers.get(representative)?;
        if number <= LINKED {
            return Ok((0, false));
        }
        let own = number - LINKED - 1;
        let keeper = self.keepers.of(own)?;
        Ok((keeper, keeper != own))
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
    let mut numbers = cells(engine, "numbers")?;
    let last_reference = number_classes(engine, links, &joining, &mut numbers, |_, _| Ok(()))?;
    let takers = cells(engine, "takers")?;
    let memory = engine.budget.reserve_share(3, 4);
    let joining = &mut JoiningLinks {
        links,
        numbers: &mut numbers,
        last_reference,
        share: memory.bytes(),
        joining: &joining,
    };
    let keepers = assign(engine, takers, joining)?;
    Ok(Stars { numbers, keepers })
}

/// The links that join classes.
struct JoiningLinks<'a> {
    links: &'a Sealed,
    /// The number of each class.
    numbers: &'a mut SpillableCells,
    /// As [`number_classes`] gives it. Data goes in favour of a part of it that is a reference.
    last_reference: u32,
    /// Memory to sort them with.
    share: usize,
    joining: Joining<'a>,
}

/// The thresholds that a link reaches, if it joins classes.
pub(super) type Joining<'a> = &'a dyn Fn(&LinkRecord) -> Option<ThresholdsMet>;

/// The class that keeps each class, by their numbers.
enum Keepers {
    Star(Star<SpillableCells>),
    Leaders(Leaders<SpillableCells>),
}

impl Keepers {
    /// The number of the class that keeps this one, which may be itself.
    fn of(&mut self, number: u32) -> Result<u32, FormatError> {
        match self {
            Keepers::Star(star) => star.keeper(number),
            Keepers::Leaders(leaders) => leaders.keeper(number),
        }
    }
}

/// Assigns classes to those that keep them, by the linkage of the configuration.
fn assign(
    engine: &Engine<'_>,
    cells: SpillableCells,
    links: &mut JoiningLinks<'_>,
) -> Result<Keepers, Error> {
    if engine.config.cluster.linkage == Linkage::Star {
        let mut edges = sorted_edges::<StarEdge>(engine, links)?;
        let mut star = Star::new(cells);
        while let Some(edge) = edges.next()? {
            star.push(&edge)?;
        }
        return Ok(Keepers::Star(star));
    }
    let mut edges = sorted_edges::<LeaderEdge>(engine, links)?;
    let mut leaders = Leaders::new(cells);
    while let Some(edge) = edges.next()? {
        leaders.push(&edge)?;
    }
    leaders.finish()?;
    Ok(Keepers::Leaders(leaders))
}

/// The links that join, between the numbers of their classes, in order.
fn sorted_edges<E: WordRecord + From<StarEdge>>(
    engine: &Engine<'_>,
    links: &mut JoiningLinks<'_>,
) -> Result<SortedWords<E>, Error> {
    let range = Prefixes::documents(engine.segments()?.documents());
    let mut edges = engine
        .word_sorter::<E>(PHASE, "edges", links.share)
        .expecting(range);
    let mut reader = read_links(engine, links.links)?;
    while let Some(link) = reader.next()? {
        let Some(reached) = (links.joining)(&link) else {
            continue;
        };
        let (a, b) = (links.numbers.get(link.a)?, links.numbers.get(link.b)?);
        let is_lost_part = is_lost_part([a, b], reached, links.last_reference);
        let edge = StarEdge {
            better: a.min(b) - 2,
            worse: a.max(b) - 2,
            shared: link.shared,
            union: union(&link),
            better_is_contained: u8::from(is_lost_part),
        };
        edges.push(edge.into())?;
    }
    edges.finish().map_err(Error::from)
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
/// each of the two, as a run prefers any document with a body. Calls `take` with each document and
/// the number of its class, the best document first. Gives the last number of a class with a
/// document of a reference; 0 if there are no references.
pub(super) fn number_classes(
    engine: &Engine<'_>,
    links: &Sealed,
    joining: Joining<'_>,
    numbers: &mut SpillableCells,
    mut take: impl FnMut(u32, &RankedDocument) -> Result<(), FormatError>,
) -> Result<u32, Error> {
    let has_references = engine.inputs.listing.has_references();
    let mut last_reference = 0;
    mark_linked(engine, links, joining, numbers)?;
    let memory = engine.budget.reserve_share(1, 2);
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
        take(number, &document)?;
    }
    Ok(last_reference)
}

fn mark_linked(
    engine: &Engine<'_>,
    links: &Sealed,
    joining: Joining<'_>,
    numbers: &mut SpillableCells,
) -> Result<(), Error> {
    let mut reader = read_links(engine, links)?;
    while let Some(link) = reader.next()? {
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
    let mut ranked = engine.word_sorter::<RankedDocument>(PHASE, "ranked", memory);
    let mut classes = engine.reader::<Class>(PhaseName::Distinct, "classes", FileKind::Classes)?;
    let mut class = classes.next()?;
    let mut ranks = Ranks::open(engine)?;
    let mut references = ReferenceOrder::open(engine)?;
    let mut revisits = engine.segments()?.revisited();
    let are_components = engine.config.cluster.linkage == Linkage::Components;
    while let Some((doc, rank)) = ranks.next()? {
        while class.is_some_and(|class| class.doc < doc) {
            class = classes.next()?;
        }
        let representative = class
            .filter(|class| class.doc == doc)
            .map_or(doc, |class| class.representative());
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
