//! The documents that linked classes keep, and their bytes: what goes when links join classes.
//!
//! *Memory.* Three cells for each document, and a sort; five, where some documents are contained in
//! others.

use crate::bands::SweptLinks;
use crate::partition::UnionFind;
use crate::star::{BestFound, Joining, LINKED, number_classes};
use engine::{Error, ScratchDir, cells::SpillableCells};
use format::FormatError;
use model::Cells;

/// The documents that linked classes keep.
pub(super) struct KeptOfClasses {
    /// For the representative of a class the number of its kept document, the best by `keep` first.
    pub(super) numbers: SpillableCells,
    /// For each of these numbers, from [`LINKED`] + 1 on, the bytes of the document.
    pub(super) bytes: SpillableCells,
    /// As `number_classes` gives it.
    pub(super) last_reference: u32,
}

impl KeptOfClasses {
    pub(super) fn of(swept: &SweptLinks<'_>, joining: Joining<'_>) -> Result<KeptOfClasses, Error> {
        let SweptLinks {
            engine, scratch, ..
        } = swept;
        let mut kept = KeptOfClasses {
            numbers: scratch.cells("tune-numbers")?,
            bytes: scratch.cells("tune-bytes")?,
            last_reference: 0,
        };
        let KeptOfClasses { numbers, bytes, .. } = &mut kept;
        let mut found = BestFound(scratch.cells("tune-found")?);
        let links = swept.links.read()?;
        let last = number_classes(engine, links, joining, numbers, |class, document| {
            if found.is_better(class, document)? {
                bytes.set(class, document.bytes)?;
            }
            Ok(())
        })?;
        kept.last_reference = last;
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

/// The documents that sets keep where some are contained in others: of references, or of all if the
/// set has none, the best by `keep` of those that no document of their set contains, else the best.
pub(super) struct KeptOfSets {
    kept: KeptOfClasses,
    /// 1 for a document that another one of its set contains.
    contained: SpillableCells,
}

impl KeptOfSets {
    /// All documents as if none were contained.
    pub(super) fn new(scratch: &ScratchDir, kept: KeptOfClasses) -> Result<KeptOfSets, Error> {
        let contained = scratch.cells("tune-contained")?;
        Ok(KeptOfSets { kept, contained })
    }

    /// Notes that a document of its set contains this one, as it does in every larger set.
    pub(super) fn contain(&mut self, doc: u32) -> Result<(), FormatError> {
        self.contained.set(doc, 1)
    }

    /// The bytes of the documents that go in these sets.
    pub(super) fn joined_bytes(
        &mut self,
        scratch: &ScratchDir,
        sets: &mut UnionFind<SpillableCells>,
    ) -> Result<u64, Error> {
        // Of each set the best number of a document that is not contained, and of one that is.
        let mut best = scratch.cells("tune-best")?;
        let mut best_contained = scratch.cells("tune-best-contained")?;
        let mut total = 0;
        for doc in 0..scratch.documents {
            let number = self.kept.numbers.get(doc)?;
            if number <= LINKED {
                continue;
            }
            total += self.bytes(number)?;
            let set = sets.find(doc)?;
            let best = match self.contained.get(doc)? {
                0 => &mut best,
                _ => &mut best_contained,
            };
            let before = best.get(set)?;
            if before == 0 || number < before {
                best.set(set, number)?;
            }
        }
        let mut kept = 0;
        for set in 0..scratch.documents {
            let mut number = best.get(set)?;
            let contained = best_contained.get(set)?;
            // A contained document of a reference comes before others that are of none.
            let last = self.kept.last_reference;
            if number == 0 || (contained != 0 && contained <= last && last < number) {
                number = contained;
            }
            if number > 0 {
                kept += self.bytes(number)?;
            }
        }
        Ok(total - kept)
    }

    fn bytes(&mut self, number: u32) -> Result<u64, FormatError> {
        self.kept.bytes.get(number - LINKED - 1).map(u64::from)
    }
}
