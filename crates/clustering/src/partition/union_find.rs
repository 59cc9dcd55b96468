//! Union-find: joins sets of documents and finds the set of a document.
//!
//! *Algorithm.* The parent is always the lower document, so a root is the id of its cluster. Path
//! halving (Tarjan and van Leeuwen, *Worst-case analysis of set union algorithms*, 1984). *Why it
//! is fast.* The cells of a link are anywhere in memory. [`UnionFind::prefetch`] loads the cells of
//! many links, and those of their roots, before they are joined, so that the waits overlap.

use model::Cells;

/// Disjoint sets of documents. A cell has the parent of its document plus one; 0 if the document is
/// alone, `u32::MAX` if it is the root of a set of two or more.
#[derive(Debug)]
pub struct UnionFind<C> {
    cells: C,
    /// Number of sets of two or more.
    sets: u32,
}

/// The cell of a root of two or more documents. No document has this number.
pub(crate) const HEAD: u32 = u32::MAX;

/// How many links are prefetched together: enough that cells are in the cache when they are needed.
const AHEAD: usize = 128;

impl<C: Cells> UnionFind<C> {
    /// Every document is alone; `cells` must be all 0.
    pub fn new(cells: C) -> UnionFind<C> {
        UnionFind { cells, sets: 0 }
    }

    /// The cells.
    pub fn cells(&self) -> &C {
        &self.cells
    }

    /// The cells, to change the words beside them.
    pub fn cells_mut(&mut self) -> &mut C {
        &mut self.cells
    }

    /// Number of sets of two or more documents.
    pub fn sets(&self) -> u32 {
        self.sets
    }

    /// The cells of the sets.
    pub(crate) fn into_cells(self) -> C {
        self.cells
    }

    /// The same sets, with their cells in another store.
    pub fn map_cells<D: Cells>(self, map: impl FnOnce(C) -> D) -> UnionFind<D> {
        UnionFind {
            cells: map(self.cells),
            sets: self.sets,
        }
    }

    /// The lowest document of the set.
    ///
    /// # Errors
    /// Errors of the cells.
    #[inline]
    pub fn find(&mut self, mut doc: u32) -> Result<u32, C::Error> {
        let mut parent = self.cells.get(doc)?;
        loop {
            if is_root(parent) {
                return Ok(doc);
            }
            let grandparent = self.cells.get(parent - 1)?;
            if is_root(grandparent) {
                return Ok(parent - 1);
            }
            self.cells.set(doc, grandparent)?;
            doc = grandparent - 1;
            parent = self.cells.get(doc)?;
        }
    }

    /// Joins the sets of two documents; false if they were in the same set already.
    ///
    /// # Errors
    /// Errors of the cells.
    #[inline]
    pub fn union(&mut self, a: u32, b: u32) -> Result<bool, C::Error> {
        let (a, b) = (self.find(a)?, self.find(b)?);
        if a != b {
            self.join_roots(a, b)?;
        }
        Ok(a != b)
    }

    /// Joins the sets of the two documents of a link.
    ///
    /// # Errors
    /// Errors of the cells.
    #[inline]
    pub fn join(&mut self, a: u32, b: u32) -> Result<(), C::Error> {
        // Most links join nothing, because the documents are in one set already. Often their two
        // cells show that, and no other cell is needed.
        let (own, other) = (self.cells.get(a)?, self.cells.get(b)?);
        if have_same_root(a, own, b, other) {
            Ok(())
        } else {
            self.union(a, b).map(drop)
        }
    }

    /// Joins two sets, given by their lowest documents.
    fn join_roots(&mut self, a: u32, b: u32) -> Result<(), C::Error> {
        let (low, high) = (a.min(b), a.max(b));
        let known = [self.cells.get(low)?, self.cells.get(high)?]
            .into_iter()
            .filter(|cell| *cell == HEAD)
            .count();
        self.sets = self.sets + 1 - known as u32;
        self.cells.set(high, low + 1)?;
        self.cells.set(low, HEAD)
    }

    /// Loads the cells that [`UnionFind::join`] will need for these links.
    #[inline]
    pub fn prefetch(&self, mut links: impl Iterator<Item = (u32, u32)>) {
        let mut above = [0; 2 * AHEAD];
        loop {
            let mut asked = 0;
            for (two, (a, b)) in above.chunks_exact_mut(2).zip(&mut links) {
                let (own, other) = (self.cells.touch(a), self.cells.touch(b));
                let is_joined = have_same_root(a, own, b, other);
                // Most other documents are right below their root, whose cell is another cache
                // miss. Which ones are is unpredictable, so there is no branch.
                let root_of = |doc: u32, cell: u32| {
                    std::hint::select_unpredictable(
                        is_joined || is_root(cell),
                        doc,
                        cell.wrapping_sub(1),
                    )
                };
                (two[0], two[1]) = (root_of(a, own), root_of(b, other));
                asked += 1;
            }
            self.prefetch_cells(&above[..2 * asked]);
            if asked < AHEAD {
                return;
            }
        }
    }

    /// Loads cells that are anywhere in memory.
    #[inline]
    fn prefetch_cells(&self, docs: &[u32]) {
        // `black_box` keeps the compiler from removing loads whose values are not used.
        std::hint::black_box(
            docs.iter()
                .fold(0, |all: u32, doc| all.wrapping_add(self.cells.touch(*doc))),
        );
    }
}

/// Whether the cells of two documents show that they are in one set.
#[inline]
fn have_same_root(a: u32, cell_a: u32, b: u32, cell_b: u32) -> bool {
    (cell_a == cell_b && !is_root(cell_a)) || cell_b == a + 1 || cell_a == b + 1
}

/// Whether a cell is that of a root.
#[inline]
pub(crate) fn is_root(cell: u32) -> bool {
    cell == 0 || cell == HEAD
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::VecCells;
    use proptest::prelude::*;
    use std::cell::RefCell;
    use std::convert::Infallible;

    proptest! {
        #[test]
        fn sets_are_the_components_found_by_search(links in proptest::collection::vec((0u32..40, 0u32..40), 0..60)) {
            let mut sets = UnionFind::new(VecCells::new(40));
            let mut others = UnionFind::new(VecCells::new(40));
            for &(a, b) in &links {
                sets.union(a, b).unwrap();
            }
            let mut apart = std::collections::BTreeSet::new();
            for &(a, b) in &links {
                others.prefetch([(a, b)].into_iter());
                others.join(a, b).unwrap();
                if a != b {
                    apart.extend([a, b]);
                }
            }
            // The lowest document that can be reached, found by passing labels on until nothing
            // changes.
            let mut label: Vec<u32> = (0..40).collect();
            loop {
                let before = label.clone();
                for &(a, b) in &links {
                    let low = label[a as usize].min(label[b as usize]);
                    (label[a as usize], label[b as usize]) = (low, low);
                }
                if label == before {
                    break;
                }
            }
            for doc in 0..40 {
                prop_assert_eq!(sets.find(doc).unwrap(), label[doc as usize]);
            }
            let roots = apart.iter().filter(|&&doc| label[doc as usize] == doc).count() as u32;
            prop_assert_eq!((sets.sets(), others.sets()), (roots, roots));
        }
    }

    /// Cells that note what was touched early and count what was read for an answer.
    struct WatchedCells {
        cells: VecCells,
        touched: RefCell<Vec<u32>>,
        reads: usize,
    }

    impl Cells for WatchedCells {
        type Error = Infallible;
        fn get(&mut self, index: u32) -> Result<u32, Infallible> {
            self.reads += 1;
            self.cells.get(index)
        }
        fn set(&mut self, index: u32, value: u32) -> Result<(), Infallible> {
            self.cells.set(index, value)
        }
        fn touch(&self, index: u32) -> u32 {
            self.touched.borrow_mut().push(index);
            self.cells.touch(index)
        }
    }

    /// Sets with these links joined, and nothing noted yet.
    fn watched(
        documents: usize,
        links: impl Iterator<Item = (u32, u32)>,
    ) -> UnionFind<WatchedCells> {
        let mut sets = UnionFind::new(VecCells::new(documents));
        for (a, b) in links {
            sets.union(a, b).unwrap();
        }
        sets.map_cells(|cells| WatchedCells {
            cells,
            touched: RefCell::default(),
            reads: 0,
        })
    }

    #[test]
    fn prefetching_touches_the_cells_of_links_and_of_the_roots_above_them() {
        // Documents 2n and 2n + 1 are a set; documents from 1000 on are alone.
        let sets = watched(2000, (0..500).map(|n| (2 * n, 2 * n + 1)));
        // More links than are prefetched together; each needs the cells of two sets.
        let links = (0..300).map(|n| (2 * n + 1, if n % 2 == 0 { 1000 + n } else { 2 * n + 3 }));
        sets.prefetch(links.clone());
        let mut expected: Vec<u32> = links
            .flat_map(|(a, b)| [a, b, a - 1, if b < 1000 { b - 1 } else { b }])
            .collect();
        let mut touched = sets.cells.touched.take();
        expected.sort_unstable();
        touched.sort_unstable();
        assert_eq!(touched, expected);
        // Of a link within a set, the root is not needed.
        sets.prefetch([(0, 1)].into_iter());
        assert_eq!(sets.cells.touched.take(), [0, 1, 0, 1]);
    }

    #[test]
    fn a_link_within_a_set_reads_two_cells() {
        let mut sets = watched(6, [(0, 1), (0, 2)].into_iter());
        for (a, b) in [(0, 1), (1, 0), (1, 2)] {
            sets.cells.reads = 0;
            sets.join(a, b).unwrap();
            assert_eq!(sets.cells.reads, 2, "{a} and {b}");
        }
    }
}
