//! Computes, from members sorted by cluster and rank, the kept document and the figures of each
//! cluster.

use crate::{RANK_BYTES, Rank};
use model::{Class, word_record};

/// A document of a cluster that may be kept. Sorted by cluster, then by rank, so that the first one
/// of each cluster is kept. `N` bytes of the rank may differ: [`crate::rank_bytes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Candidate<const N: usize = RANK_BYTES> {
    /// The cluster: its lowest document.
    pub cluster: u32,
    /// Comes before the rank: 2 if the document must not be kept (it is part of another member, or
    /// was taken by a star), plus 1 if it is a revisit, whose body is that of another document.
    pub excluded: u8,
    /// The first bytes of its rank by `keep`.
    pub rank: [u8; N],
    /// The document.
    pub doc: u32,
    /// Its classes, as in [`Class`].
    pub lowest: [u32; 3],
}

/// The first bytes of a rank.
pub fn first_bytes<const N: usize>(rank: &Rank) -> [u8; N] {
    std::array::from_fn(|at| rank.get(at).copied().unwrap_or(0))
}

word_record! { [const N: usize] Candidate<N> { cluster, excluded, rank, doc, lowest } }

/// A member of a cluster, and whether it is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// The document.
    pub doc: u32,
    /// Its cluster.
    pub cluster: u32,
    /// Whether the document is kept.
    pub kept: bool,
}

/// A cluster of two or more documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cluster {
    /// Its lowest document.
    pub cluster: u32,
    /// Number of documents.
    pub documents: u32,
    /// Number of representatives.
    pub distinct: u32,
    /// The weakest relation that holds the cluster together: 0 identical, 1 lexical, 2 shingle, 3
    /// similar.
    pub kind: u8,
    /// The document that is kept.
    pub kept: u32,
}

/// Computes clusters from sorted candidates, in one pass.
#[derive(Clone, Copy, Debug, Default)]
pub struct ClusterFold {
    open: Option<(Cluster, [u32; 3])>,
}

impl ClusterFold {
    /// Takes the next candidate in order. Returns it as a member, and the cluster before if that is
    /// complete now.
    pub fn push<const N: usize>(&mut self, next: &Candidate<N>) -> (Member, Option<Cluster>) {
        let class = Class {
            doc: next.doc,
            lowest: next.lowest,
        };
        let distinct = u32::from(class.representative() == next.doc);
        let mut member = Member {
            doc: next.doc,
            cluster: next.cluster,
            kept: false,
        };
        if let Some((cluster, common)) = self
            .open
            .as_mut()
            .filter(|(open, _)| open.cluster == next.cluster)
        {
            cluster.documents += 1;
            cluster.distinct += distinct;
            for (shared, own) in common.iter_mut().zip(next.lowest) {
                if *shared != own {
                    *shared = Class::NONE;
                }
            }
            return (member, None);
        }
        let complete = self.finish();
        member.kept = true;
        let cluster = Cluster {
            cluster: next.cluster,
            documents: 1,
            distinct,
            kind: 3,
            kept: next.doc,
        };
        self.open = Some((cluster, next.lowest));
        (member, complete)
    }

    /// Completes the last cluster.
    pub fn finish(&mut self) -> Option<Cluster> {
        let (mut cluster, common) = self.open.take()?;
        let shared = common.iter().position(|lowest| *lowest != Class::NONE);
        cluster.kind = shared.map_or(3, |relation| relation as u8);
        Some(cluster)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NO: u32 = Class::NONE;

    fn candidate(cluster: u32, doc: u32, excluded: u8, lowest: [u32; 3]) -> Candidate {
        Candidate {
            cluster,
            excluded,
            rank: [0; RANK_BYTES],
            doc,
            lowest,
        }
    }

    fn fold(mut candidates: Vec<Candidate>) -> (Vec<Member>, Vec<Cluster>) {
        candidates.sort_unstable();
        let mut fold = ClusterFold::default();
        let (mut members, mut clusters) = (Vec::new(), Vec::new());
        for next in &candidates {
            let (member, complete) = fold.push(next);
            members.push(member);
            clusters.extend(complete);
        }
        clusters.extend(fold.finish());
        (members, clusters)
    }

    #[test]
    fn the_first_that_may_be_kept_is_kept() {
        let (members, clusters) = fold(vec![
            candidate(1, 1, 1, [NO; 3]),
            candidate(1, 2, 0, [NO; 3]),
            candidate(1, 3, 0, [NO; 3]),
        ]);
        assert_eq!(
            clusters,
            [Cluster {
                cluster: 1,
                documents: 3,
                distinct: 3,
                kind: 3,
                kept: 2
            }]
        );
        assert_eq!(
            members
                .iter()
                .filter(|m| m.kept)
                .map(|m| m.doc)
                .collect::<Vec<_>>(),
            [2]
        );
    }

    #[test]
    fn kinds_are_the_weakest_relation_needed() {
        let kind = |members: Vec<Candidate>| fold(members).1[0].kind;
        assert_eq!(
            kind(vec![
                candidate(1, 1, 0, [1, 1, 1]),
                candidate(1, 4, 0, [1, 1, 1])
            ]),
            0
        );
        assert_eq!(
            kind(vec![
                candidate(1, 1, 0, [1, 1, NO]),
                candidate(1, 4, 0, [NO, 1, NO])
            ]),
            1
        );
        assert_eq!(
            kind(vec![
                candidate(1, 1, 0, [1, 1, 1]),
                candidate(1, 4, 0, [NO, NO, 1])
            ]),
            2
        );
        assert_eq!(
            kind(vec![
                candidate(1, 1, 0, [1, 1, 1]),
                candidate(1, 4, 0, [4, 4, 4])
            ]),
            3
        );
        let counted = fold(vec![
            candidate(1, 1, 0, [1, 1, 1]),
            candidate(1, 3, 0, [1, 1, 1]),
            candidate(1, 4, 0, [NO; 3]),
        ])
        .1[0];
        assert_eq!((counted.documents, counted.distinct), (3, 2));
    }
}
