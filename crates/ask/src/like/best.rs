//! The best documents of one sketch: a heap of as many as are asked for.

use super::containing::Containing;
use model::{Overlap, Ratio};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A representative that was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SimilarDocument {
    /// Its document.
    pub doc: u32,
    /// The overlap of the two sketches; a is the document looked for.
    pub overlap: Overlap,
}

/// The order of results: by the estimate asked for, then by resemblance, then by the shingles they
/// rest on, then lower documents first. So of documents that contain another one whole, the one
/// that is equal to it comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    ratio: Ratio,
    resemblance: Ratio,
    shared: u32,
    doc: Reverse<u32>,
}

/// The best documents of one sketch.
#[derive(Default)]
pub(super) struct BestDocuments {
    heap: BinaryHeap<Reverse<(Rank, RankedOverlap)>>,
    pub(super) total: u64,
    pub(super) containing: Containing,
}

/// The overlap behind a rank. All entries are equal, as ranks are all different and decide alone.
#[derive(Clone, Copy, Debug)]
struct RankedOverlap(Overlap);

impl PartialEq for RankedOverlap {
    fn eq(&self, _: &RankedOverlap) -> bool {
        true
    }
}
impl Eq for RankedOverlap {}
impl PartialOrd for RankedOverlap {
    fn partial_cmp(&self, other: &RankedOverlap) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for RankedOverlap {
    fn cmp(&self, _: &RankedOverlap) -> std::cmp::Ordering {
        std::cmp::Ordering::Equal
    }
}

impl BestDocuments {
    /// Takes a document if it is among the `limit` best.
    pub(super) fn offer(&mut self, ratio: Ratio, limit: usize, found: SimilarDocument) {
        self.total += 1;
        let rank = Rank {
            ratio,
            resemblance: found.overlap.shared_of_union(),
            shared: found.overlap.shared,
            doc: Reverse(found.doc),
        };
        self.heap
            .push(Reverse((rank, RankedOverlap(found.overlap))));
        if self.heap.len() > limit {
            self.heap.pop();
        }
    }

    /// The best ones, best first.
    pub(super) fn ranked(self) -> Vec<SimilarDocument> {
        let sorted = self.heap.into_sorted_vec();
        sorted
            .into_iter()
            .map(|Reverse((rank, RankedOverlap(overlap)))| SimilarDocument {
                doc: rank.doc.0,
                overlap,
            })
            .collect()
    }
}
