//! What stays of a cluster by stars: each class that stays takes its free linked neighbours, so
//! that every removed document is linked to the one that stays in its favour.
//!
//! Broder, *On the resemblance and containment of documents*, 4.4, calls this greedy clustering.
//! Classes are numbered by their rank; edges come sorted by their better end.

use crate::Cells;
use model::word_record;

/// A link that joins two classes, given by their ranks; `better` < `worse`. Sorted by both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StarEdge {
    /// Rank of the class that may take.
    pub better: u32,
    /// Rank of the class that may be taken.
    pub worse: u32,
    /// Shared shingles.
    pub shared: u32,
    /// Shingles of the union.
    pub union: u32,
    /// 1 if the better class is contained in the worse one but not the reverse: then it must not
    /// take the worse one, which has more than it.
    pub better_is_contained: u8,
}

word_record! { StarEdge { better, worse, shared, union, better_is_contained } }

/// Assigns classes to the classes that keep them. A cell has the rank of the class that took this
/// one, plus one; 0 if the class is free.
#[derive(Debug)]
pub struct Star<C>(C);

impl<C: Cells> Star<C> {
    /// All classes are free; `cells` must be all 0, one for each rank.
    pub fn new(cells: C) -> Star<C> {
        Star(cells)
    }

    /// Takes the next edge in order.
    ///
    /// # Errors
    /// Those of the cells.
    pub fn push(&mut self, edge: &StarEdge) -> Result<(), C::Error> {
        // All edges by which the better end could have been taken came before, so it is kept if
        // free.
        let free = self.0.get(edge.better)? == 0 && self.0.get(edge.worse)? == 0;
        if free && edge.better_is_contained == 0 {
            self.0.set(edge.worse, edge.better + 1)?;
        }
        Ok(())
    }

    /// The rank of the class that represents this one: the one that took it, or itself.
    ///
    /// # Errors
    /// Those of the cells.
    pub fn keeper(&mut self, rank: u32) -> Result<u32, C::Error> {
        Ok(self.0.get(rank)?.checked_sub(1).unwrap_or(rank))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::VecCells;
    use proptest::prelude::*;

    fn edge(better: u32, worse: u32, better_is_contained: u8) -> StarEdge {
        StarEdge {
            better,
            worse,
            shared: 1,
            union: 2,
            better_is_contained,
        }
    }

    #[test]
    fn a_chain_is_not_one_star() {
        let mut star = Star::new(VecCells::new(4));
        for e in [edge(0, 1, 0), edge(1, 2, 0), edge(2, 3, 0)] {
            star.push(&e).unwrap();
        }
        assert_eq!(
            [0, 1, 2, 3].map(|rank| star.keeper(rank).unwrap()),
            [0, 0, 2, 2]
        );
    }

    #[test]
    fn a_part_does_not_take_the_whole() {
        let mut star = Star::new(VecCells::new(2));
        star.push(&edge(0, 1, 1)).unwrap();
        assert_eq!(star.keeper(1).unwrap(), 1);
    }

    proptest! {
        #[test]
        fn every_taken_class_is_linked_to_a_kept_one(
            links in proptest::collection::btree_set((0u32..15, 0u32..15), 0..50),
        ) {
            let edges: Vec<StarEdge> = links.into_iter().filter(|(a, b)| a < b).map(|(a, b)| edge(a, b, 0)).collect();
            let mut star = Star::new(VecCells::new(15));
            for e in &edges {
                star.push(e).unwrap();
            }
            for rank in 0..15 {
                let keeper = star.keeper(rank).unwrap();
                prop_assert_eq!(star.keeper(keeper).unwrap(), keeper, "the keeper is kept");
                prop_assert!(keeper == rank || edges.iter().any(|e| (e.better, e.worse) == (keeper, rank)));
                // greedy: the best kept neighbour took it, and a class with a better kept neighbour
                // is not kept
                let best = edges.iter().filter(|e| e.worse == rank && star.keeper(e.better) == Ok(e.better)).map(|e| e.better).min();
                prop_assert_eq!(best.unwrap_or(rank), keeper);
            }
        }
    }
}
