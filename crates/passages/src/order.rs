//! The order in which documents keep a passage: that of `keep`, those of references first.
//!
//! *Input.* The ranks of documents; the classes. *Output.* A number for each document that stands
//! for those of equal tokens: that of the best of them. *Algorithm.* One sort of the ranks.
//! *Memory.* 16 bytes a document, in cells that may be on disk; none where the order of the input
//! is kept.

use crate::memory;
use crate::records::RankedDocument;
use clustering::{Ranks, ReferenceOrder};
use engine::{Engine, Error, PhaseName, ScratchDir, cells::SpillableCells};
use format::{FileKind, FormatError};
use model::{Cells, Class, Keep};

/// Numbers of documents in the order of `keep`, and back; `None`: the order of the input.
pub(super) struct DocumentOrder(Option<Ranking>);

struct Ranking {
    /// The number of each document, plus one.
    numbers: SpillableCells,
    /// The document of each number.
    documents: SpillableCells,
    /// The best of the documents for which one stands, plus one; `None`: each for itself.
    best: Option<SpillableCells>,
}

impl DocumentOrder {
    /// The order of a run. `counts_all` says that each document counts by itself, and not one for
    /// all of equal tokens.
    pub(super) fn find(
        engine: &Engine<'_>,
        scratch: &ScratchDir,
        counts_all: bool,
    ) -> Result<DocumentOrder, Error> {
        let is_input = matches!(engine.config.cluster.keep, Keep::First);
        if is_input && !engine.inputs.listing.has_references() {
            return Ok(DocumentOrder(None));
        }
        let (mut numbers, mut documents) = (scratch.cells("numbers")?, scratch.cells("documents")?);
        let (mut lowest, mut best) = match counts_all {
            true => (None, None),
            false => {
                let lowest = lowest_of_equal(engine, scratch.cells("lowest")?)?;
                (Some(lowest), Some(scratch.cells("best")?))
            }
        };
        let memory = scratch.budget.take(memory::RANKED);
        let mut sorter = scratch.sorter::<RankedDocument>("ranks", memory.bytes());
        let segments = engine.segments()?;
        let (mut ranks, mut references) = (
            Ranks::new(engine.config, &segments),
            ReferenceOrder::new(&engine.inputs, &segments),
        );
        let has_references = engine.inputs.listing.has_references();
        while let Some((doc, rank)) = ranks.next()? {
            let is_data = has_references && !references.is_reference(doc)?;
            sorter.push(RankedDocument { is_data, rank, doc })?;
        }
        let mut sorted = sorter.finish()?;
        let mut next = 0;
        while let Some(RankedDocument { doc, .. }) = sorted.next()? {
            let standing = match &mut lowest {
                Some(lowest) => lowest.get(doc)?.checked_sub(1).unwrap_or(doc),
                None => doc,
            };
            if numbers.get(standing)? == 0 {
                documents.set(next, standing)?;
                next += 1;
                numbers.set(standing, next)?;
                if let Some(best) = &mut best {
                    best.set(standing, doc + 1)?;
                }
            }
        }
        Ok(DocumentOrder(Some(Ranking {
            numbers,
            documents,
            best,
        })))
    }

    /// The order of the input.
    #[cfg(test)]
    pub(super) fn of_input() -> DocumentOrder {
        DocumentOrder(None)
    }

    /// The number of a document.
    pub(super) fn of(&mut self, doc: u32) -> Result<u32, FormatError> {
        match &mut self.0 {
            Some(ranking) => Ok(ranking.numbers.get(doc)?.saturating_sub(1)),
            None => Ok(doc),
        }
    }

    /// The document of a number.
    pub(super) fn document(&mut self, number: u32) -> Result<u32, FormatError> {
        match &mut self.0 {
            Some(ranking) => ranking.documents.get(number),
            None => Ok(number),
        }
    }

    /// The best of the documents for which one stands.
    pub(super) fn best(&mut self, standing: u32) -> Result<u32, FormatError> {
        let best = self.0.as_mut().and_then(|ranking| ranking.best.as_mut());
        match best {
            Some(best) => Ok(best.get(standing)?.checked_sub(1).unwrap_or(standing)),
            None => Ok(standing),
        }
    }
}

/// Notes at each document of a class the lowest one with the same tokens, plus one.
fn lowest_of_equal(
    engine: &Engine<'_>,
    mut lowest: SpillableCells,
) -> Result<SpillableCells, Error> {
    let mut classes = engine.reader::<Class>(PhaseName::Distinct, "classes", FileKind::Classes)?;
    while let Some(class) = classes.next()? {
        lowest.set(class.doc, class.lowest_of_equal_tokens() + 1)?;
    }
    Ok(lowest)
}
