//! Computes, from members sorted by cluster, star and rank, the document kept in favour of each and
//! the figures of each cluster.

use crate::{RANK_BYTES, Rank};
use model::{Class, word_record};

/// A document of a cluster that may be kept. Sorted by cluster and star, then by rank, so that the
/// first one of each star is kept. `N` bytes of the rank may differ: [`crate::rank_bytes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Candidate<const N: usize = RANK_BYTES> {
    /// The cluster: its lowest document.
    pub cluster: u32,
    /// Its star within the cluster; 0 for all where a cluster keeps one document.
    pub star: u32,
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

word_record! { [const N: usize] Candidate<N> { cluster, star, excluded, rank, doc, lowest } }

/// A member of a cluster, and the document that is kept in its favour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// The document.
    pub doc: u32,
    /// Its cluster.
    pub cluster: u32,
    /// The document that stays in its favour; itself if it stays.
    pub kept: u32,
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
    /// The document that is kept; the best by rank of several.
    pub kept: u32,
    /// How many documents are kept.
    pub keeps: u32,
}

/// A cluster whose documents come by.
#[derive(Clone, Copy, Debug)]
struct OpenCluster<const N: usize> {
    cluster: Cluster,
    /// What comes before the document kept in its order.
    rank: (u8, [u8; N]),
    /// The lowest documents of the classes that all documents so far share.
    common: [u32; 3],
    /// The star whose documents come by.
    star: u32,
    /// The document that it keeps.
    kept: u32,
}

impl<const N: usize> OpenCluster<N> {
    /// Without documents.
    fn of(first: &Candidate<N>) -> OpenCluster<N> {
        OpenCluster {
            cluster: Cluster {
                cluster: first.cluster,
                documents: 0,
                distinct: 0,
                kind: 3,
                kept: first.doc,
                keeps: 0,
            },
            rank: (first.excluded, first.rank),
            common: first.lowest,
            star: first.star,
            kept: first.doc,
        }
    }

    fn add(&mut self, next: &Candidate<N>) -> Member {
        let Candidate { doc, lowest, .. } = *next;
        let cluster = &mut self.cluster;
        if cluster.keeps == 0 || self.star != next.star {
            (self.star, self.kept) = (next.star, doc);
            cluster.keeps += 1;
            let rank = (next.excluded, next.rank);
            if (rank, doc) < (self.rank, cluster.kept) {
                (self.rank, cluster.kept) = (rank, doc);
            }
        }
        cluster.documents += 1;
        cluster.distinct += u32::from(Class { doc, lowest }.representative() == doc);
        for (shared, own) in self.common.iter_mut().zip(lowest) {
            if *shared != own {
                *shared = Class::NONE;
            }
        }
        Member {
            doc,
            cluster: cluster.cluster,
            kept: self.kept,
        }
    }
}

/// Computes clusters from sorted candidates, in one pass.
#[derive(Clone, Copy, Debug)]
pub struct ClusterFold<const N: usize>(Option<OpenCluster<N>>);

impl<const N: usize> Default for ClusterFold<N> {
    fn default() -> ClusterFold<N> {
        ClusterFold(None)
    }
}

impl<const N: usize> ClusterFold<N> {
    /// Takes the next candidate in order. Returns it as a member, and the cluster before if that is
    /// complete now.
    pub fn push(&mut self, next: &Candidate<N>) -> (Member, Option<Cluster>) {
        let is_open = |open: &OpenCluster<N>| open.cluster.cluster == next.cluster;
        let complete = match self.0.as_ref().is_some_and(is_open) {
            true => None,
            false => self.finish(),
        };
        let open = self.0.get_or_insert_with(|| OpenCluster::of(next));
        (open.add(next), complete)
    }

    /// Completes the last cluster.
    pub fn finish(&mut self) -> Option<Cluster> {
        let OpenCluster {
            mut cluster,
            common,
            ..
        } = self.0.take()?;
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
            star: 0,
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

    /// ⟨document, the one kept in its favour⟩, in the order of documents.
    fn kept(mut members: Vec<Member>) -> Vec<(u32, u32)> {
        members.sort_unstable_by_key(|member| member.doc);
        let kept = members.iter().map(|member| (member.doc, member.kept));
        kept.collect()
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
                kept: 2,
                keeps: 1,
            }]
        );
        assert_eq!(kept(members), [(1, 2), (2, 2), (3, 2)]);
    }

    #[test]
    fn each_star_keeps_its_first_and_the_cluster_names_the_best_of_them() {
        let of_star = |star, doc, excluded| Candidate {
            star,
            ..candidate(1, doc, excluded, [NO; 3])
        };
        let (members, clusters) = fold(vec![
            of_star(0, 7, 1),
            of_star(0, 1, 2),
            of_star(4, 6, 0),
            of_star(4, 2, 2),
            of_star(9, 5, 0),
            candidate(8, 8, 0, [8; 3]),
            candidate(8, 9, 0, [8; 3]),
        ]);
        let found = clusters
            .iter()
            .map(|one| (one.documents, one.kept, one.keeps));
        assert_eq!(found.collect::<Vec<_>>(), [(5, 5, 3), (2, 8, 1)]);
        assert_eq!(
            kept(members),
            [(1, 7), (2, 6), (5, 5), (6, 6), (7, 7), (8, 8), (9, 8)]
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
