//! Union-find with the lower document as parent, so that a root is its cluster's id; path halving (Tarjan and van
//! Leeuwen, *Worst-case analysis of set union algorithms*, 1984).

use crate::Cells;

/// Disjoint sets of documents. A cell holds its parent's document plus one; 0 is a root.
#[derive(Debug)]
pub struct UnionFind<C>(C);

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
        loop {
            let parent = self.0.get(doc)?;
            if parent == 0 {
                return Ok(doc);
            }
            let grandparent = self.0.get(parent - 1)?;
            if grandparent == 0 {
                return Ok(parent - 1);
            }
            self.0.set(doc, grandparent)?;
            doc = grandparent - 1;
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
        Ok(true)
    }
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
            for &(a, b) in &links {
                sets.union(a, b).unwrap();
            }
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
        }
    }
}
