//! Which document is read for one that has no body of its own.
//!
//! *Input.* The documents that were revisit records; the classes. *Output.* For the lowest document
//! of a class and each revisit an equal document that has a body. *Algorithm.* One pass over the
//! classes: the first document with a body is noted at the lowest one. A second pass notes it at
//! the revisits. *Memory.* 4 bytes a document; none where there are no revisits. *Limits.* A
//! revisit to which no other document is equal stands for itself, and cannot be read.

use crate::Workplace;
use engine::{Error, PhaseName, cells::SpillableCells};
use format::FileKind;
use model::Cells;
use model::Class;

/// Documents to read, by the lowest document of a class or by revisit; by default each for itself.
#[derive(Default)]
pub struct Bodies {
    cells: Option<SpillableCells>,
}

impl Bodies {
    /// Looks them up. `lowest` is the lowest of the documents that count as equal.
    pub fn find(place: &Workplace<'_>, lowest: fn(&Class) -> u32) -> Result<Bodies, Error> {
        let engine = place.engine;
        let segments = engine.segments()?;
        if segments.revisited().next()?.is_none() {
            return Ok(Bodies { cells: None });
        }
        let (path, documents) = (
            place.dir.join("bodies.run-cells"),
            segments.documents() as usize,
        );
        let mut cells = SpillableCells::create(&engine.disk, &path, documents, &engine.budget)?;
        let classes = || engine.reader::<Class>(PhaseName::Distinct, "classes", FileKind::Classes);
        let (mut revisited, mut reader) = (segments.revisited(), classes()?);
        while let Some(class) = reader.next()? {
            let lowest = lowest(&class);
            let is_known = cells.get(lowest)? != 0;
            if !is_known && !revisited.has(class.doc)? {
                cells.set(lowest, class.doc + 1)?;
            }
        }
        let (mut revisited, mut reader) = (segments.revisited(), classes()?);
        while let Some(class) = reader.next()? {
            let body = cells.get(lowest(&class))?;
            if body != 0 && revisited.has(class.doc)? {
                cells.set(class.doc, body)?;
            }
        }
        let cells = Some(cells);
        Ok(Bodies { cells })
    }

    /// The document to read for the lowest document of a class, or for another one that may be a
    /// revisit.
    pub fn of(&mut self, doc: u32) -> Result<u32, Error> {
        let Some(cells) = &mut self.cells else {
            return Ok(doc);
        };
        let cell = cells.get(doc)?;
        Ok(cell.checked_sub(1).unwrap_or(doc))
    }
}
