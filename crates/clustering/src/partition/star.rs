//! The documents of a cluster that stay, by stars: each class that stays takes its free linked
//! neighbours, so that every removed document is linked to the one that stays in its favour.
//!
//! Broder, *On the resemblance and containment of documents*, 4.4, calls this greedy clustering.
//! Classes are numbered by their rank; edges come sorted by their better end.

use model::Cells;
use model::word_record;

/// A link that joins two classes, given by their ranks, and by which the better one may take the
/// worse one: it is not contained in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StarEdge {
    /// Rank of the class that may take.
    pub better: u32,
    /// Rank of the class that may be taken.
    pub worse: u32,
}

word_record! { StarEdge { better, worse } }

/// The class that keeps each class. A cell has the rank of the class that took this one, plus one;
/// 0 if the class is free.
#[derive(Debug)]
pub struct Keepers<C>(C);

impl<C: Cells> Keepers<C> {
    /// All classes are free; `cells` must be all 0, one for each rank.
    pub fn new(cells: C) -> Keepers<C> {
        Keepers(cells)
    }

    /// Takes the next edge of stars, in order.
    ///
    /// # Errors
    /// Errors of the cells.
    pub fn push(&mut self, edge: &StarEdge) -> Result<(), C::Error> {
        // All edges by which the better end could have been taken came before, so it is kept if
        // free.
        if self.is_free(edge.better)? && self.is_free(edge.worse)? {
            self.take(edge.worse, edge.better)?;
        }
        Ok(())
    }

    /// The rank of the class that keeps this one: the one that took it, or itself.
    ///
    /// # Errors
    /// Errors of the cells.
    pub fn keeper(&mut self, rank: u32) -> Result<u32, C::Error> {
        Ok(self.0.get(rank)?.checked_sub(1).unwrap_or(rank))
    }

    pub(crate) fn is_free(&mut self, rank: u32) -> Result<bool, C::Error> {
        Ok(self.0.get(rank)? == 0)
    }

    pub(crate) fn take(&mut self, rank: u32, by: u32) -> Result<(), C::Error> {
        self.0.set(rank, by + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::VecCells;
    use proptest::prelude::*;

    fn edge(better: u32, worse: u32) -> StarEdge {
        StarEdge { better, worse }
    }

    #[test]
    fn a_chain_is_not_one_star() {
        let mut star = Keepers::new(VecCells::new(4));
        for e in [edge(0, 1), edge(1, 2), edge(2, 3)] {
            star.push(&e).unwrap();
        }
        assert_eq!(
            [0, 1, 2, 3].map(|rank| star.keeper(rank).unwrap()),
            [0, 0, 2, 2]
        );
    }

    proptest! {
        #[test]
        fn every_taken_class_is_linked_to_a_kept_one(
            links in proptest::collection::btree_set((0u32..15, 0u32..15), 0..50),
        ) {
            let edges: Vec<StarEdge> = links.into_iter().filter(|(a, b)| a < b).map(|(a, b)| edge(a, b)).collect();
            let mut star = Keepers::new(VecCells::new(15));
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
