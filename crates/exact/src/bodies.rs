//! Which document is read for one that has no body of its own.
//!
//! *Input.* The documents that were revisit records; the classes. *Output.* For each representative
//! a document of the same tokens that has a body. *Algorithm.* One pass over the classes: the first
//! document with a body is noted at the lowest one of equal tokens. *Memory.* 4 bytes a document;
//! none where there are no revisits. *Limits.* A revisit whose tokens no other document has stands
//! for itself, and cannot be read.

use cluster::Cells;
use engine::cells::SpillableCells;
use format::FileKind;
use model::Class;
use runtime::{Error, PhaseName};
use sets::Workplace;

const PHASE: PhaseName = PhaseName::Settle;

/// Documents to read, by representative.
pub(crate) struct Bodies(Option<SpillableCells>);

impl Bodies {
    /// Looks them up.
    pub(crate) fn find(place: &Workplace<'_>) -> Result<Bodies, Error> {
        let (engine, work) = (place.engine, Error::work(PHASE));
        let segments = engine.segments()?;
        if segments.revisited().next()?.is_none() {
            return Ok(Bodies(None));
        }
        let mut revisited = segments.revisited();
        let (path, documents) = (
            place.dir.join("bodies.run-cells"),
            segments.documents() as usize,
        );
        let mut cells =
            SpillableCells::create(&engine.disk, &path, documents, &engine.budget).map_err(work)?;
        let mut classes =
            engine.reader::<Class>(PhaseName::Distinct, "classes", FileKind::Classes)?;
        while let Some(class) = classes.next()? {
            let lowest = class.lowest_of_equal_tokens();
            let is_known = cells.get(lowest).map_err(work)? != 0;
            if !is_known && !revisited.has(class.doc)? {
                cells.set(lowest, class.doc + 1).map_err(work)?;
            }
        }
        Ok(Bodies(Some(cells)))
    }

    /// The document to read for a representative.
    pub(crate) fn of(&mut self, representative: u32) -> Result<u32, Error> {
        let Some(cells) = &mut self.0 else {
            return Ok(representative);
        };
        let cell = cells.get(representative).map_err(Error::work(PHASE))?;
        Ok(cell.checked_sub(1).unwrap_or(representative))
    }
}
