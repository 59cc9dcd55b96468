//! Union-find with the lower document as parent, so that a root is its cluster's id; path halving (Tarjan and van
//! Leeuwen, *Worst-case analysis of set union algorithms*, 1984).

use crate::Cells;

/// Disjoint sets of documents. A cell holds its parent's document plus one; 0 is a document by itself, [`HEAD`] the root of
/// a set of two or more.
#[derive(Debug)]
pub struct UnionFind<C>(C);

/// Cell of a root that others have joined. No document has this number.
const HEAD: u32 = u32::MAX;

/// Links joined at a time: far enough ahead that their cells are near when they are needed.
const AHEAD: usize = 16;

impl<C: Cells> UnionFind<C> {
    /// Every document by itself; `cells` must all be 0.
    pub fn new(cells: C) -> UnionFind<C> {
        UnionFind(cells)
    }

    /// The lowest document of the set.
    ///
    /// # Errors
    /// Those of the cells.
    #[inline]
    pub fn find(&mut self, mut doc: u32) -> Result<u32, C::Error> {
        let mut parent = self.0.get(doc)?;
        loop {
            if is_root(parent) {
                return Ok(doc);
            }
            let grandparent = self.0.get(parent - 1)?;
            if is_root(grandparent) {
                return Ok(parent - 1);
            }
            self.0.set(doc, grandparent)?;
            doc = grandparent - 1;
            parent = self.0.get(doc)?;
        }
    }

    /// Joins the sets of two documents; false if they were one already.
    ///
    /// # Errors
    /// Those of the cells.
    #[inline]
    pub fn union(&mut self, a: u32, b: u32) -> Result<bool, C::Error> {
        let (a, b) = (self.find(a)?, self.find(b)?);
        if a == b {
            return Ok(false);
        }
        let (low, high) = (a.min(b), a.max(b));
        self.0.set(high, low + 1)?;
        self.0.set(low, HEAD)?;
        Ok(true)
    }

    /// Joins the two documents of each link. What it waits for in memory, it waits for together.
    ///
    /// # Errors
    /// Those of the cells.
    pub fn union_all(&mut self, links: &[(u32, u32)]) -> Result<(), C::Error> {
        let mut cells = [(0, 0); 2 * AHEAD];
        for links in links.chunks(AHEAD) {
            for (two, &(a, b)) in cells.chunks_exact_mut(2).zip(links) {
                (two[0], two[1]) = ((a, self.0.touch(a)), (b, self.0.touch(b)));
            }
            // Most lie right below their root, which is as far away as they.
            for &(doc, cell) in &cells[..2 * links.len()] {
                self.0.touch(if is_root(cell) { doc } else { cell - 1 });
            }
            for &(a, b) in links {
                self.union(a, b)?;
            }
        }
        Ok(())
    }

    /// Points each of the first `documents`, which are all there are, at its root.
    ///
    /// # Errors
    /// Those of the cells.
    pub fn flatten(mut self, documents: u32) -> Result<Sets<C>, C::Error> {
        for from in (0..documents).step_by(AHEAD) {
            let docs = from..documents.min(from + AHEAD as u32);
            for doc in docs.clone() {
                let parent = self.0.get(doc)?;
                if !is_root(parent) {
                    self.0.touch(parent - 1);
                }
            }
            for doc in docs {
                let parent = self.0.get(doc)?;
                if is_root(parent) {
                    continue;
                }
                // Parents are lower, so this one is flat already.
                let grandparent = self.0.get(parent - 1)?;
                if !is_root(grandparent) {
                    self.0.set(doc, grandparent)?;
                }
            }
        }
        Ok(Sets(self.0))
    }
}

/// The sets once all links are joined: each document's cell says which it is in.
#[derive(Debug)]
pub struct Sets<C>(C);

impl<C: Cells> Sets<C> {
    /// The lowest document of its set, or `None` if the document is alone.
    ///
    /// # Errors
    /// Those of the cells.
    #[inline]
    pub fn of(&mut self, doc: u32) -> Result<Option<u32>, C::Error> {
        Ok(match self.0.get(doc)? {
            0 => None,
            HEAD => Some(doc),
            parent => Some(parent - 1),
        })
    }
}

/// Whether a cell is that of a root.
#[inline]
fn is_root(cell: u32) -> bool {
    cell == 0 || cell == HEAD
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::VecCells;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sets_are_the_components_found_by_search(links in proptest::collection::vec((0u32..40, 0u32..40), 0..60)) {
            let mut sets = UnionFind::new(VecCells::new(40));
            let mut others = UnionFind::new(VecCells::new(40));
            for &(a, b) in &links {
                sets.union(a, b).unwrap();
            }
            others.union_all(&links).unwrap();
            // The lowest document that can be reached, found by passing labels on until nothing changes.
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
            for sets in [sets, others] {
                let mut flat = sets.flatten(40).unwrap();
                for doc in 0..40 {
                    let root = label[doc as usize];
                    let alone = label.iter().filter(|&&other| other == root).count() == 1;
                    prop_assert_eq!(flat.of(doc).unwrap(), (!alone).then_some(root));
                }
            }
        }
    }
}
