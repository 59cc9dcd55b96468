//! Joins linked representatives into clusters, their connected components.
//!
//! *Input.* Links in order, while they are found or from their file. *Output.* The sets of
//! representatives, and the weakest link of each lower document. *Algorithm.* Union-find in one
//! pass. *Memory.* A cell a document with the sizes of its sketch beside it. If that does not fit:
//! cells alone, in memory or on disk. *Disk.* That of [`link_joiner`](super::link_joiner) and of
//! cells.

use crate::link_joiner::{JoinedSets, LinkJoiner};
use crate::link_policy::PHASE;
use crate::resemblances;
use engine::{Engine, Error, cells::SpillableCells, figures::LinkFigures};
use format::{FileKind, LinkRecord, Sealed};
use model::{LinkPolicy, VecCells};

/// Links joined at a time.
const BATCH_LINKS: usize = 256;

/// Links, and the sets that they join.
pub(super) struct LinkedSets {
    pub(super) links: Sealed,
    pub(super) figures: LinkFigures,
    pub(super) joined: JoinedSets<SpillableCells>,
}

/// Finds the links, and the connected components of those that join.
pub(super) fn components(engine: &Engine<'_>, policy: &LinkPolicy) -> Result<LinkedSets, Error> {
    let scratch = engine.scratch(PHASE)?;
    let documents = scratch.documents as usize;
    let levels = engine.config.sketch.sampling.levels();
    if let Some(memory) = SpillableCells::reserve_beside(&engine.budget, documents, levels) {
        let mut linker =
            LinkJoiner::new(&scratch, policy, VecCells::with_words(documents, levels))?;
        let (links, figures) = resemblances::links(engine, policy, Some(&mut linker))?;
        let JoinedSets { sets, rows } = linker.finish()?;
        let sets = sets.map_cells(|cells| SpillableCells::Memory(cells, memory));
        return Ok(LinkedSets {
            links,
            figures,
            joined: JoinedSets { sets, rows },
        });
    }
    let (links, figures) = resemblances::links(engine, policy, None)?;
    let mut linker = LinkJoiner::new(&scratch, policy, scratch.cells("parents")?)?;
    let mut reader = engine.open::<LinkRecord>(PHASE, &links, FileKind::Links)?;
    while let Some(links) = reader.next_slice()? {
        links
            .chunks(BATCH_LINKS)
            .try_for_each(|links| linker.take(links))?;
    }
    Ok(LinkedSets {
        links,
        figures,
        joined: linker.finish()?,
    })
}
