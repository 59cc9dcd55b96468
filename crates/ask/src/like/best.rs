//! The best documents of one sketch.

use super::containing::ContainingDocuments;
use model::{Leading, Overlap, Ratio};
use std::cmp::Reverse;

/// A representative that was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SimilarDocument {
    /// Its document.
    pub(super) doc: u32,
    /// The overlap of the two sketches; a is the document looked for.
    pub(super) overlap: Overlap,
}

/// The order of results: by the estimate asked for, then by resemblance, then by the shingles they
/// rest on, then lower documents first. So of documents that contain another one whole, the one
/// that is equal to it comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct ResultRank {
    ratio: Ratio,
    resemblance: Ratio,
    shared: u32,
    doc: Reverse<u32>,
}

/// The best documents of one sketch.
pub(super) struct BestDocuments {
    best: Leading<Reverse<ResultRank>, SimilarDocument>,
    pub(super) total: u64,
    pub(super) containing: ContainingDocuments,
}

impl BestDocuments {
    /// At most so many.
    pub(super) fn of(limit: usize) -> BestDocuments {
        BestDocuments {
            best: Leading::of(limit),
            total: 0,
            containing: ContainingDocuments::default(),
        }
    }

    /// Takes a document if it is among the best.
    pub(super) fn offer(&mut self, ratio: Ratio, found: SimilarDocument) {
        self.total += 1;
        let rank = ResultRank {
            ratio,
            resemblance: found.overlap.shared_of_union(),
            shared: found.overlap.shared,
            doc: Reverse(found.doc),
        };
        self.best.offer(Reverse(rank), || found);
    }

    /// The best ones, best first.
    pub(super) fn ranked(self) -> Vec<SimilarDocument> {
        self.best.sorted()
    }
}
