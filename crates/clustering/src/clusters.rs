//! The clusters of representatives, before the documents that these stand for are added.

use crate::link_joiner::WeakestLinkRows;
use crate::weakest::Weakest;
use cluster::{Sets, UnionFind, VecCells};
use engine::cells::SpillableCells;
use format::FormatError;
use model::Words;
use sort::{Distinct, Reservation, Sorted};

/// Clusters of representatives.
pub(super) enum Clusters {
    /// All sums of each cluster fit memory.
    InMemory(Box<ClustersInMemory>),
    /// They do not; sorts hold them.
    Sorted(Box<SortedClusters>),
}

/// Clusters of representatives in memory.
pub(super) struct ClustersInMemory {
    pub(super) sets: UnionFind<VecCells>,
    pub(super) rows: WeakestLinkRows,
    /// Documents that must not be kept because another one of their set contains them. Empty if
    /// there are none.
    pub(super) contained: Vec<u64>,
    /// How many clusters there may be that have no links.
    pub(super) others: usize,
    /// The reservations for these fields, and for the sums of each cluster.
    pub(super) memory: [Reservation; 2],
}

/// Representatives in clusters of two or more, as sorted lists.
pub(super) struct SortedClusters {
    /// ⟨representative, cluster, 1 if it must not be kept⟩, one of each, in order.
    pub(super) assigned: ClusterAssignments,
    /// ⟨cluster, shared, union⟩ of the weakest link of each cluster, in order.
    pub(super) weakest: Sorted<Words<3>, Weakest>,
    /// The reservation for both.
    pub(super) memory: Reservation,
}

/// The cluster of each representative, read in order.
pub(super) enum ClusterAssignments {
    /// The sets, and in order the documents that are contained in another.
    Components {
        sets: Sets<SpillableCells>,
        documents: u32,
        next: u32,
        contained: Sorted<Words<1>, Distinct>,
        next_contained: Option<u32>,
    },
    /// A sorted list.
    Stars(Sorted<Words<3>, Distinct>),
}

impl ClusterAssignments {
    /// The next representative.
    pub(super) fn next(&mut self) -> Result<Option<Words<3>>, FormatError> {
        match self {
            ClusterAssignments::Stars(sorted) => sorted.next(),
            ClusterAssignments::Components {
                sets,
                documents,
                next,
                contained,
                next_contained,
            } => {
                while next < documents {
                    let doc = *next;
                    *next += 1;
                    let is_contained = *next_contained == Some(doc);
                    if is_contained {
                        *next_contained = contained.next()?.map(|Words([doc])| doc);
                    }
                    if let Some(root) = sets.of(doc)? {
                        return Ok(Some(Words([doc, root, u32::from(is_contained)])));
                    }
                }
                Ok(None)
            }
        }
    }
}
