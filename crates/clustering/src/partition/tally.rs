//! Adds up the figures of clusters, a range of them at a time, and chooses the document of each
//! that is kept.
//!
//! *Input.* Sets of representatives; every document that is in a set or shares a class, in order;
//! the weakest link of each lower document: all of it once for each range. *Output.* Clusters in
//! order of their lowest document, and the cluster of each document. *Algorithm.* A document's
//! parent is lower, so its cluster is known when the document comes: one access to the parent, one
//! to the totals of the cluster. A range ends with the last cluster whose totals fit; documents of
//! later clusters are left for the next one. *Why it is fast.* There is no sort, and documents come
//! in batches, so that the waits for far memory overlap. *Memory.* The cells of the sets, and
//! [`Tallies::BYTES`] for each cluster of a range. *Disk.* None.

use crate::partition::union_find::{HEAD, is_root};
use crate::partition::{UnionFind, WeakestLink};
use model::Cells;
use model::Class;

/// A document of a cluster that may be kept. `N` bytes of the ranks may differ:
/// [`crate::partition::rank_bytes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate<const N: usize> {
    /// The document.
    pub doc: u32,
    /// Its classes, as in [`Class`].
    pub lowest: [u32; 3],
    /// Comes before the rank; not 0 if others are kept rather than this one.
    pub excluded: u8,
    /// The first bytes of its rank by `keep`.
    pub rank: [u8; N],
    /// Whether it represents a class that is kept; of a cluster without such a class the best
    /// document is kept.
    pub is_kept_class: bool,
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
    /// The weakest of its links, if it has any.
    pub weakest: Option<WeakestLink>,
}

/// The totals of one cluster.
#[derive(Clone, Copy, Debug)]
struct Tally<const N: usize> {
    cluster: u32,
    documents: u32,
    distinct: u32,
    keeps: u32,
    weakest: Option<WeakestLink>,
    /// The best document so far, and its rank.
    kept: u32,
    excluded: u8,
    rank: [u8; N],
    /// A bit for each relation of which one class contains all documents.
    common: u8,
}

/// The totals of a range of clusters.
#[derive(Debug)]
pub struct Tallies<C, const N: usize> {
    /// For a document that was added, its cell has its root; the first word beside it, if there is
    /// one, the number of its cluster in the range, or [`OUTSIDE`].
    cells: C,
    clusters: Vec<Tally<N>>,
    /// How many clusters fit.
    most: usize,
    /// The clusters that are counted: from the first one on, up to the first that did not fit.
    from: u32,
    end: Option<u32>,
    /// The parents, and then the cluster numbers, of the documents of a batch.
    numbers: Vec<u32>,
}

/// In place of the number of a cluster: it is not in the range.
const OUTSIDE: u32 = u32::MAX;

impl<C: Cells, const N: usize> Tallies<C, N> {
    /// Bytes for each cluster.
    pub const BYTES: usize = size_of::<Tally<N>>();

    /// Totals for the clusters of these sets, of at most so many at a time.
    pub fn new(sets: UnionFind<C>, most: usize) -> Tallies<C, N> {
        Tallies {
            cells: sets.into_cells(),
            clusters: Vec::with_capacity(most.max(1)),
            most: most.max(1),
            from: 0,
            end: None,
            numbers: Vec::new(),
        }
    }

    /// Begins the next range; false if no clusters are left.
    pub fn next_range(&mut self) -> bool {
        self.clusters.clear();
        let Some(end) = self.end.take() else {
            return false;
        };
        self.from = end;
        true
    }

    /// The first document that can be in a cluster of the range.
    pub fn first(&self) -> u32 {
        self.from
    }

    /// Whether a document that was not added yet has no link.
    ///
    /// # Errors
    /// Errors of the cells.
    #[inline]
    pub fn is_alone(&mut self, doc: u32) -> Result<bool, C::Error> {
        Ok(self.cells.get(doc)? == 0)
    }

    /// Adds the next documents in order.
    ///
    /// # Errors
    /// Errors of the cells.
    pub fn add(&mut self, batch: &[Candidate<N>]) -> Result<(), C::Error> {
        let mut numbers = std::mem::take(&mut self.numbers);
        numbers.clear();
        for next in batch {
            let cell = self.cells.get(next.doc)?;
            numbers.push(match is_root(cell) {
                true => next.class().representative(),
                false => cell - 1,
            });
        }
        // Load the cells of all parents at once, then the totals. `black_box` keeps the compiler
        // from removing loads whose values are not used.
        let cells = numbers.iter().map(|parent| self.cells.touch(*parent));
        std::hint::black_box(cells.fold(0, u32::wrapping_add));
        for (next, number) in batch.iter().zip(&mut numbers) {
            *number = self.place(next, *number)?;
        }
        let documents = |number: &u32| Some(self.clusters.get(*number as usize)?.documents);
        let counts = numbers.iter().filter_map(documents);
        std::hint::black_box(counts.fold(0, u32::wrapping_add));
        for (next, number) in batch.iter().zip(&numbers) {
            if let Some(tally) = self.clusters.get_mut(*number as usize) {
                tally.add(next);
            }
        }
        self.numbers = numbers;
        Ok(())
    }

    /// Puts a document into the cluster of its parent, or begins a new one; gives the number of the
    /// cluster.
    #[inline]
    fn place(&mut self, next: &Candidate<N>, parent: u32) -> Result<u32, C::Error> {
        let doc = next.doc;
        let above = if parent == doc {
            0
        } else {
            self.cells.get(parent)?
        };
        let (cell, number) = if above == 0 {
            (HEAD, self.begin(next))
        } else {
            let root = if is_root(above) { parent } else { above - 1 };
            (root + 1, self.number_of_root(root))
        };
        self.cells.set(doc, cell)?;
        if let Some(word) = self.cells.words_mut(doc).first_mut() {
            *word = number;
        }
        Ok(number)
    }

    /// Begins the cluster of its lowest document, if it is one of the range.
    #[inline]
    fn begin(&mut self, first: &Candidate<N>) -> u32 {
        if first.doc < self.from || self.end.is_some() {
            return OUTSIDE;
        }
        if self.clusters.len() == self.most {
            self.end = Some(first.doc);
            return OUTSIDE;
        }
        self.clusters.push(Tally::of(first));
        self.clusters.len() as u32 - 1
    }

    /// The number of a cluster that was begun.
    #[inline]
    fn number_of_root(&self, root: u32) -> u32 {
        if root < self.from {
            return OUTSIDE;
        }
        if let Some(number) = self.cells.words(root).first() {
            return *number;
        }
        let found = self
            .clusters
            .binary_search_by_key(&root, |tally| tally.cluster);
        found.map_or(OUTSIDE, |number| number as u32)
    }

    /// Takes a link of a document that was added.
    ///
    /// # Errors
    /// Errors of the cells.
    #[inline]
    pub fn linked(&mut self, doc: u32, link: WeakestLink) -> Result<(), C::Error> {
        if doc < self.from {
            return Ok(());
        }
        let number = match self.cells.words(doc).first() {
            Some(number) => *number,
            None => {
                let root = self.cluster_of(doc)?;
                root.map_or(OUTSIDE, |root| self.number_of_root(root))
            }
        };
        if let Some(tally) = self.clusters.get_mut(number as usize) {
            let weakest = tally.weakest.map_or(link, |one| one.or_weaker(link));
            tally.weakest = Some(weakest);
        }
        Ok(())
    }

    /// The clusters of the range, in order.
    pub fn clusters(&self) -> impl Iterator<Item = Cluster> + '_ {
        self.clusters.iter().map(|tally| Cluster {
            cluster: tally.cluster,
            documents: tally.documents,
            distinct: tally.distinct,
            kind: match tally.common {
                0 => 3,
                common => common.trailing_zeros() as u8,
            },
            kept: tally.kept,
            keeps: tally.keeps.max(1),
            weakest: tally.weakest,
        })
    }

    /// The cluster of a document, when all were added; `None` if it is in none.
    ///
    /// # Errors
    /// Errors of the cells.
    #[inline]
    pub fn cluster_of(&mut self, doc: u32) -> Result<Option<u32>, C::Error> {
        Ok(match self.cells.get(doc)? {
            0 => None,
            HEAD => Some(doc),
            root => Some(root - 1),
        })
    }
}

impl<const N: usize> Candidate<N> {
    #[inline]
    fn class(&self) -> Class {
        Class {
            doc: self.doc,
            lowest: self.lowest,
        }
    }
}

impl<const N: usize> Tally<N> {
    /// Totals of a cluster without documents, with `first` as the best so far.
    fn of(first: &Candidate<N>) -> Tally<N> {
        Tally {
            cluster: first.doc,
            documents: 0,
            distinct: 0,
            keeps: 0,
            weakest: None,
            kept: first.doc,
            excluded: first.excluded,
            rank: first.rank,
            common: 0b111,
        }
    }

    #[inline]
    fn add(&mut self, next: &Candidate<N>) {
        self.documents += 1;
        self.distinct += u32::from(next.class().representative() == next.doc);
        self.keeps += u32::from(next.is_kept_class);
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
mod tests;
