//! The removals at many thresholds at once, where a document goes only for one that it is linked
//! to.
//!
//! *Input.* Links; the numbers of their classes, in the order of `keep`. *Output.* For each
//! threshold the classes that go, and the bytes of their documents. *Algorithm.* By stars and by
//! leaders, a class goes if it is linked to a better one that stays. So the links are sorted once,
//! by their better ends, and a cell of a class has a bit for each threshold at which it goes. Which
//! documents are contained in others, and so come last, depends on the threshold: where
//! containment is looked for, each threshold has a turn of its own. *Memory.* A cell a document,
//! and a sort. *Disk.* 12 bytes a link that joins. *Limits.* 32 thresholds a turn.

use crate::bands::SweptLinks;
use crate::kept_documents::KeptOfClasses;
use crate::link_policy::reached;
use crate::memory;
use crate::star::{LINKED, is_lost_part};
use engine::Error;
use model::Cells;
use model::word_record;
use std::ops::Range;

/// A link that may take a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct TakenEdge {
    better: u32,
    worse: u32,
    /// A bit for each threshold at which it joins.
    joins: u32,
}

word_record! { TakenEdge { better, worse, joins } }

/// Classes that go, and the bytes of their documents.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Taken {
    pub(super) classes: u64,
    pub(super) bytes: u64,
}

/// The removals at each threshold.
pub(super) fn taken(swept: &SweptLinks<'_>) -> Result<Vec<Taken>, Error> {
    let turn = if swept.bands.policy.containment.is_none() {
        u32::BITS as usize
    } else {
        1
    };
    let all = swept.bands.thresholds.len();
    let mut taken = Vec::with_capacity(all);
    for first in (0..all).step_by(turn) {
        taken.extend(taken_in(swept, first..all.min(first + turn))?);
    }
    Ok(taken)
}

/// The removals at some of the thresholds, in one turn.
fn taken_in(swept: &SweptLinks<'_>, some: Range<usize>) -> Result<Vec<Taken>, Error> {
    let joining = |link: &_| swept.bands.joins_at(some.start, link);
    let mut kept = KeptOfClasses::of(swept, &joining)?;
    let takers = &mut swept.scratch.cells("tune-takers")?;
    take(swept, &some, &mut kept, takers)?;
    let mut taken = vec![Taken::default(); some.len()];
    for doc in 0..swept.scratch.documents {
        let number = kept.numbers.get(doc)?;
        if number <= LINKED {
            continue;
        }
        let class = number - LINKED - 1;
        let goes = takers.get(class)?;
        if goes == 0 {
            continue;
        }
        let bytes = u64::from(kept.bytes.get(class)?);
        for (at, taken) in taken.iter_mut().enumerate() {
            let goes = u64::from(goes >> at & 1);
            taken.classes += goes;
            taken.bytes += goes * bytes;
        }
    }
    Ok(taken)
}

/// Notes at which of these thresholds each class goes.
fn take(
    swept: &SweptLinks<'_>,
    some: &Range<usize>,
    kept: &mut KeptOfClasses,
    takers: &mut impl Cells<Error = format::FormatError>,
) -> Result<(), Error> {
    let memory = swept.scratch.budget.take(memory::EDGES);
    let mut edges = swept.scratch.by_document("edges", memory.bytes());
    let mut reader = swept.links.read()?;
    while let Some(link) = reader.next()? {
        let joins = swept
            .bands
            .joining(&link)
            .min(some.end)
            .saturating_sub(some.start);
        if joins == 0 {
            continue;
        }
        let [a, b] = [link.a, link.b].map(|doc| kept.numbers.get(doc));
        let ends = [a?, b?];
        if is_lost_part(ends, reached(&link), kept.last_reference) {
            continue;
        }
        let edge = TakenEdge {
            better: ends[0].min(ends[1]) - LINKED - 1,
            worse: ends[0].max(ends[1]) - LINKED - 1,
            joins: u32::MAX >> (u32::BITS as usize - joins),
        };
        edges.push(edge)?;
    }
    let mut edges = edges.finish()?;
    while let Some(edge) = edges.next()? {
        // All links by which the better end could go came before.
        let better = takers.get(edge.better)?;
        let worse = takers.get(edge.worse)?;
        if edge.joins & !better & !worse != 0 {
            takers.set(edge.worse, worse | edge.joins & !better)?;
        }
    }
    Ok(())
}
