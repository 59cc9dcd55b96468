//! How many documents the clusters of representatives have.
//!
//! *Memory.* A cell for each document.

use engine::{Error, ScratchDir, cells::SpillableCells};
use format::RecordReader;
use model::Cells;
use model::Class;

/// Documents that each representative stands for. Cells hold those besides itself, or that it is
/// none.
pub(super) struct ClusterSizes {
    cells: SpillableCells,
    pub(super) documents: u32,
    /// Documents that are no representatives.
    pub(super) represented: u64,
}

const REPRESENTED: u32 = u32::MAX;

impl ClusterSizes {
    pub(super) fn of(
        mut classes: RecordReader<Class>,
        scratch: &ScratchDir,
    ) -> Result<ClusterSizes, Error> {
        let mut cells = scratch.cells("tune-sizes")?;
        let mut represented = 0;
        while let Some(class) = classes.next()? {
            let representative = class.representative();
            if representative != class.doc {
                let before = cells.get(representative)?;
                cells.set(representative, before + 1)?;
                cells.set(class.doc, REPRESENTED)?;
                represented += 1;
            }
        }
        Ok(ClusterSizes {
            cells,
            documents: scratch.documents,
            represented,
        })
    }

    /// 0 for a document that another one represents.
    pub(super) fn get(&mut self, doc: u32) -> Result<u64, Error> {
        let cell = self.cells.get(doc)?;
        Ok(if cell == REPRESENTED {
            0
        } else {
            u64::from(cell) + 1
        })
    }

    pub(super) fn set(&mut self, doc: u32, documents: u64) -> Result<(), Error> {
        let besides = u32::try_from(documents - 1).unwrap_or(u32::MAX - 1);
        self.cells.set(doc, besides).map_err(Error::from)
    }
}
