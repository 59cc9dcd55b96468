//! Adds up the figures of clusters in memory, and chooses the one document of each that is kept.
//!
//! *Input.* Sets of representatives; every document that is in a set or shares a class, in order;
//! the weakest link of each lower document. *Output.* As [`ClusterFold`](crate::ClusterFold):
//! clusters in order of their lowest document, then members in order. *Algorithm.* A document's
//! parent is lower, so its cluster is known when the document comes: one access to the parent, one
//! to the totals of the cluster. *Why it is fast.* There is no sort, and documents come in batches,
//! so that the waits for far memory overlap. *Memory.* The cells of the sets with a word beside
//! each, and [`Tallies::BYTES`] for each cluster. *Disk.* None.

use crate::union_find::{HEAD, is_root};
use crate::{Candidate, Cells, Cluster, Member, UnionFind, VecCells, WeakestLink};
use model::Class;

/// The totals of one cluster.
#[derive(Clone, Copy, Debug)]
struct Tally<const N: usize> {
    cluster: u32,
    documents: u32,
    distinct: u32,
    weakest: Option<WeakestLink>,
    /// The best document so far, and its rank.
    kept: u32,
    excluded: u8,
    rank: [u8; N],
    /// A bit for each relation of which one class contains all documents.
    common: u8,
}

/// The totals of all clusters.
#[derive(Debug)]
pub struct Tallies<const N: usize> {
    /// For a document that was added, its cell has its root, and the word beside it the number of
    /// its cluster.
    cells: VecCells,
    clusters: Vec<Tally<N>>,
    /// The cluster numbers of the documents of a batch.
    numbers: Vec<u32>,
}

impl<const N: usize> Tallies<N> {
    /// Bytes for each cluster.
    pub const BYTES: usize = size_of::<Tally<N>>();

    /// Totals for the clusters of these sets, whose cells must have a word beside each, and for
    /// `others` further clusters.
    pub fn new(sets: UnionFind<VecCells>, others: usize) -> Tallies<N> {
        let clusters = Vec::with_capacity(sets.sets() as usize + others);
        Tallies {
            cells: sets.into_cells(),
            clusters,
            numbers: Vec::new(),
        }
    }

    /// Whether a document that was not added yet has no link.
    #[inline]
    pub fn is_alone(&self, doc: u32) -> bool {
        self.cells.cell(doc) == 0
    }

    /// Adds the next documents in order, and sets the cluster of each.
    pub fn add(&mut self, batch: &mut [Candidate<N>]) {
        for next in &mut *batch {
            let class = Class {
                doc: next.doc,
                lowest: next.lowest,
            };
            let cell = self.cells.cell(next.doc);
            next.cluster = if is_root(cell) {
                class.representative()
            } else {
                cell - 1
            };
        }
        // Load the cells of all parents at once, then the totals. `black_box` keeps the compiler
        // from removing loads whose values are not used.
        let cells = batch.iter().map(|next| self.cells.cell(next.cluster));
        std::hint::black_box(cells.fold(0, u32::wrapping_add));
        self.numbers.clear();
        for next in &mut *batch {
            let number = self.place(next);
            self.numbers.push(number);
        }
        let counts = self.numbers.iter().map(|number| {
            self.clusters
                .get(*number as usize)
                .map_or(0, |tally| tally.documents)
        });
        std::hint::black_box(counts.fold(0, u32::wrapping_add));
        for (next, number) in batch.iter().zip(&self.numbers) {
            if let Some(tally) = self.clusters.get_mut(*number as usize) {
                tally.add(next);
            }
        }
    }

    /// Puts a document into the cluster of its parent, or begins a new one; returns the number of
    /// the cluster.
    #[inline]
    fn place(&mut self, next: &mut Candidate<N>) -> u32 {
        let above = self.cells.cell(next.cluster);
        let (cell, number) = if next.cluster == next.doc || above == 0 {
            next.cluster = next.doc;
            self.clusters.push(Tally::of(next));
            (HEAD, self.clusters.len() as u32 - 1)
        } else {
            let number = self.number(next.cluster) as u32;
            next.cluster = if is_root(above) {
                next.cluster
            } else {
                above - 1
            };
            (next.cluster + 1, number)
        };
        let Ok(()) = self.cells.set(next.doc, cell);
        if let Some(word) = self.cells.words_mut(next.doc).first_mut() {
            *word = number;
        }
        number
    }

    /// The number of the cluster of a document that was added.
    #[inline]
    fn number(&self, doc: u32) -> usize {
        self.cells.words(doc).first().copied().unwrap_or(0) as usize
    }

    /// Takes a link of a document that was added.
    #[inline]
    pub fn linked(&mut self, doc: u32, link: WeakestLink) {
        let number = self.number(doc);
        if let Some(tally) = self.clusters.get_mut(number) {
            tally.weakest = Some(
                tally
                    .weakest
                    .map_or(link, |weakest| weakest.or_weaker(link)),
            );
        }
    }

    /// All clusters, in order, with the weakest link of those that have one.
    pub fn clusters(&self) -> impl Iterator<Item = (Cluster, Option<WeakestLink>)> + '_ {
        self.clusters.iter().map(|tally| {
            let Tally {
                cluster,
                documents,
                distinct,
                kept,
                common,
                ..
            } = *tally;
            let kind = if common == 0 {
                3
            } else {
                common.trailing_zeros() as u8
            };
            (
                Cluster {
                    cluster,
                    documents,
                    distinct,
                    kind,
                    kept,
                    keeps: 1,
                },
                tally.weakest,
            )
        })
    }

    /// A document as a member of its cluster, when all were added; `None` if it is in none.
    #[inline]
    pub fn member(&self, doc: u32) -> Option<Member> {
        let cluster = match self.cells.cell(doc) {
            0 => return None,
            HEAD => doc,
            root => root - 1,
        };
        let tally = self.clusters.get(self.number(doc));
        let kept = tally.map_or(doc, |tally| tally.kept);
        Some(Member { doc, cluster, kept })
    }
}

impl<const N: usize> Tally<N> {
    /// Totals of a cluster without documents, with `first` as the best so far.
    fn of(first: &Candidate<N>) -> Tally<N> {
        let Candidate {
            cluster,
            excluded,
            rank,
            doc,
            ..
        } = *first;
        Tally {
            cluster,
            documents: 0,
            distinct: 0,
            weakest: None,
            kept: doc,
            excluded,
            rank,
            common: 0b111,
        }
    }

    #[inline]
    fn add(&mut self, next: &Candidate<N>) {
        let class = Class {
            doc: next.doc,
            lowest: next.lowest,
        };
        self.documents += 1;
        self.distinct += u32::from(class.representative() == next.doc);
        // All documents of a class are in one cluster. So a class that contains the whole cluster
        // has the same lowest document.
        for (relation, lowest) in next.lowest.into_iter().enumerate() {
            self.common &= !(u8::from(lowest != self.cluster) << relation);
        }
        if (next.excluded, next.rank) < (self.excluded, self.rank) {
            (self.kept, self.excluded, self.rank) = (next.doc, next.excluded, next.rank);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ClusterFold;
    use proptest::prelude::*;

    const DOCUMENTS: u32 = 60;

    /// Classes within classes: of each relation the group of a document, `None` where it is alone.
    fn classes() -> impl Strategy<Value = Vec<Class>> {
        proptest::collection::vec((0u8..40, 0u8..3, 0u8..3), DOCUMENTS as usize).prop_map(
            |groups| {
                let class = |(doc, own): (usize, &(u8, u8, u8))| {
                    let of = |same: &dyn Fn(&(u8, u8, u8)) -> bool| {
                        let is_shared = groups.iter().filter(|other| same(other)).count() > 1;
                        let lowest = groups.iter().position(same).unwrap_or(doc) as u32;
                        if is_shared { lowest } else { Class::NONE }
                    };
                    let lowest = [
                        of(&|other| other == own),
                        of(&|other| (other.0, other.1) == (own.0, own.1)),
                        of(&|o| o.0 == own.0),
                    ];
                    Class {
                        doc: doc as u32,
                        lowest,
                    }
                };
                groups.iter().enumerate().map(class).collect()
            },
        )
    }

    proptest! {
        #[test]
        fn sorted_candidates_folded_give_the_same(
            classes in classes(), links in proptest::collection::vec((0..DOCUMENTS, 0..DOCUMENTS, 1u32..9, 0u32..9), 0..60),
            ranks in proptest::collection::vec((0u8..4, any::<bool>()), DOCUMENTS as usize), batch in 1usize..20,
        ) {
            let mut sets = UnionFind::new(VecCells::with_words(DOCUMENTS as usize, 2));
            let mut rows: Vec<(u32, WeakestLink)> = Vec::new();
            for (a, b, shared, more) in links {
                let [a, b] = [a, b].map(|doc| classes[doc as usize].representative());
                if a != b {
                    sets.union(a, b).unwrap();
                    rows.push((a.min(b), WeakestLink { shared, union: shared + more }));
                }
            }
            rows.sort_unstable();
            let roots: Vec<u32> = classes.iter().map(|class| sets.find(class.representative()).unwrap()).collect();
            let in_cluster = |doc: u32| roots.iter().filter(|&&root| root == roots[doc as usize]).count() > 1;
            let candidates: Vec<Candidate<1>> = classes.iter().zip(&ranks).filter(|(class, _)| in_cluster(class.doc)).map(
                |(class, &(excluded, ranked))| {
                    let (doc, lowest) = (class.doc, class.lowest);
                    Candidate { cluster: roots[doc as usize], star: 0, excluded, rank: [u8::from(ranked)], doc, lowest }
                },
            ).collect();
            let linked = |cluster: u32| rows.iter().filter(|(a, _)| roots[*a as usize] == cluster).map(|row| row.1).min();
            let mut sorted = candidates.clone();
            sorted.sort_unstable();
            let (mut fold, mut members, mut clusters) = (ClusterFold::default(), Vec::new(), Vec::new());
            for next in &sorted {
                let (member, complete) = fold.push(next);
                members.push(member);
                clusters.extend(complete);
            }
            clusters.extend(fold.finish());
            members.sort_unstable_by_key(|member| member.doc);
            let clusters: Vec<_> = clusters.into_iter().map(|cluster| (cluster, linked(cluster.cluster))).collect();

            let mut tallies = Tallies::<1>::new(sets, 0);
            for docs in (0..DOCUMENTS).collect::<Vec<_>>().chunks(batch) {
                let of = |doc: &u32| candidates.iter().find(|candidate| candidate.doc == *doc).copied();
                let came: Vec<Candidate<1>> = docs.iter().filter_map(of).collect();
                let by_itself = |doc: &u32| tallies.is_alone(*doc) && classes[*doc as usize].lowest == [Class::NONE; 3];
                prop_assert_eq!(docs.iter().filter(|doc| !by_itself(doc)).count(), came.len());
                let mut unknown: Vec<Candidate<1>> = came.iter().map(|next| Candidate { cluster: 0, ..*next }).collect();
                tallies.add(&mut unknown);
                prop_assert_eq!(unknown, came);
                rows.iter().filter(|row| docs.contains(&row.0)).for_each(|row| tallies.linked(row.0, row.1));
            }
            prop_assert_eq!(tallies.clusters().collect::<Vec<_>>(), clusters);
            prop_assert_eq!((0..DOCUMENTS).filter_map(|doc| tallies.member(doc)).collect::<Vec<_>>(), members);
        }
    }
}
