//! The clusters of representatives, before the documents that these stand for are added.

use crate::link_joiner::WeakestLinkRows;
use crate::star::Stars;
use crate::weakest::Weakest;
use cluster::{Sets, UnionFind, VecCells};
use engine::cells::SpillableCells;
use format::FormatError;
use model::{Words, word_record};
use sort::{Distinct, Reservation, Sorted};

/// Clusters of representatives.
pub(super) enum Clusters {
    /// All sums of each cluster fit memory, and each keeps one document.
    InMemory(Box<ClustersInMemory>),
    /// Sorts hold them.
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

/// Representatives in clusters of two or more.
pub(super) struct SortedClusters {
    pub(super) assigned: ClusterAssignments,
    /// ⟨cluster, shared, union⟩ of the weakest link of each cluster, in order.
    pub(super) weakest: Sorted<Words<3>, Weakest>,
    /// The reservation for both.
    pub(super) memory: Reservation,
}

/// A document, or a representative, of a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Placed {
    pub(super) doc: u32,
    pub(super) cluster: u32,
    /// Where a cluster keeps several documents: the number of the class that keeps this one.
    pub(super) star: u32,
    /// 1 if it must not be kept.
    pub(super) is_excluded: u8,
}

word_record! { Placed { doc, cluster, star, is_excluded } }

/// The cluster of each representative, read in order.
pub(super) struct ClusterAssignments {
    sets: Sets<SpillableCells>,
    documents: u32,
    next: u32,
    may_stay: MayStay,
}

/// Which representatives stand for documents that may be kept.
pub(super) enum MayStay {
    /// A cluster keeps one document, of none of these if there are others.
    NotContained {
        contained: Sorted<Words<1>, Distinct>,
        next: Option<u32>,
    },
    /// A cluster keeps one document of each star.
    Stars(Stars),
}

impl MayStay {
    /// The star of a representative, and whether it must not be kept; in order.
    fn of(&mut self, doc: u32) -> Result<(u32, bool), FormatError> {
        match self {
            MayStay::Stars(stars) => stars.of(doc),
            MayStay::NotContained { contained, next } => {
                let is_contained = *next == Some(doc);
                if is_contained {
                    *next = contained.next()?.map(|Words([doc])| doc);
                }
                Ok((0, is_contained))
            }
        }
    }
}

impl ClusterAssignments {
    pub(super) fn new(
        sets: Sets<SpillableCells>,
        documents: u32,
        may_stay: MayStay,
    ) -> ClusterAssignments {
        ClusterAssignments {
            sets,
            documents,
            next: 0,
            may_stay,
        }
    }

    /// The next representative that is in a cluster.
    pub(super) fn next(&mut self) -> Result<Option<Placed>, FormatError> {
        while self.next < self.documents {
            let doc = self.next;
            self.next += 1;
            let (star, is_excluded) = self.may_stay.of(doc)?;
            if let Some(cluster) = self.sets.of(doc)? {
                return Ok(Some(Placed {
                    doc,
                    cluster,
                    star,
                    is_excluded: u8::from(is_excluded),
                }));
            }
        }
        Ok(None)
    }
}
