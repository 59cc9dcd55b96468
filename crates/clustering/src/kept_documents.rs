//! The documents that linked classes keep, and their bytes: what goes when links join classes.
//!
//! *Memory.* Two cells for each document, and a sort.

use crate::link_policy::PHASE;
use crate::star::{Joining, LINKED, number_classes};
use cluster::Cells;
use engine::Engine;
use engine::cells::SpillableCells;
use format::{FormatError, Sealed};
use runtime::Error;

/// The documents that linked classes keep.
pub(super) struct KeptDocuments {
    /// For the representative of a class the number of its kept document, the best by `keep` first.
    pub(super) numbers: SpillableCells,
    /// For each of these numbers, from [`LINKED`] + 1 on, the bytes of the document.
    pub(super) bytes: SpillableCells,
}

impl KeptDocuments {
    pub(super) fn of(
        engine: &Engine<'_>,
        links: &Sealed,
        joining: Joining<'_>,
    ) -> Result<KeptDocuments, Error> {
        let documents = engine.segments()?.documents() as usize;
        let cells = |name: &str| {
            let path = engine.dir(PHASE).join(name);
            SpillableCells::create(&engine.disk, &path, documents, &engine.budget)
                .map_err(Error::work(PHASE))
        };
        let mut kept = KeptDocuments {
            numbers: cells("tune-numbers.run-cells")?,
            bytes: cells("tune-bytes.run-cells")?,
        };
        let KeptDocuments { numbers, bytes } = &mut kept;
        number_classes(engine, links, joining, numbers, |number, of_best| {
            bytes.set(number - LINKED - 1, of_best)
        })?;
        Ok(kept)
    }

    /// Joins the clusters of two representatives; gives the bytes of the document that goes. The
    /// joined cluster has the representative `a`.
    pub(super) fn join(&mut self, a: u32, b: u32) -> Result<u64, FormatError> {
        let (of_a, of_b) = (self.numbers.get(a)?, self.numbers.get(b)?);
        self.numbers.set(a, of_a.min(of_b))?;
        self.bytes.get(of_a.max(of_b) - LINKED - 1).map(u64::from)
    }
}
