//! The best documents of one sketch.

use super::containing::ContainingDocuments;
use model::{Overlap, Ratio};
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
#[derive(Default)]
pub(super) struct BestDocuments {
    /// As many as are asked for, and as many again that are not sorted yet.
    best: Vec<(ResultRank, Overlap)>,
    pub(super) total: u64,
    pub(super) containing: ContainingDocuments,
}

impl BestDocuments {
    /// Takes a document if it is among the `limit` best.
    pub(super) fn offer(&mut self, ratio: Ratio, limit: usize, found: SimilarDocument) {
        self.total += 1;
        let rank = ResultRank {
            ratio,
            resemblance: found.overlap.shared_of_union(),
            shared: found.overlap.shared,
            doc: Reverse(found.doc),
        };
        self.best.push((rank, found.overlap));
        if self.best.len() > limit.saturating_mul(2) {
            self.cut(limit);
        }
    }

    fn cut(&mut self, limit: usize) {
        self.best.sort_unstable_by_key(|(rank, _)| Reverse(*rank));
        self.best.truncate(limit);
    }

    /// The `limit` best ones, best first.
    pub(super) fn ranked(mut self, limit: usize) -> Vec<SimilarDocument> {
        self.cut(limit);
        let found = self
            .best
            .into_iter()
            .map(|(rank, overlap)| SimilarDocument {
                doc: rank.doc.0,
                overlap,
            });
        found.collect()
    }
}
