//! The documents of a cluster that stay, by leaders: each class joins the leader that it resembles
//! most, or is one itself.
//!
//! *Input.* Classes, numbered by their rank; the links that join, by their worse end. *Output.* The
//! leader of each class. *Algorithm.* Broder, *On the resemblance and containment of documents*,
//! 4.4: the greedy clustering whose representative of a cluster is its first member. Of leaders
//! that a class resembles equally, it joins the best. *Memory.* The cells.

use crate::partition::Keepers;
use model::Cells;
use model::{Ratio, word_record};

/// A link that joins two classes, given by their ranks, and by which the better one may lead the
/// worse one: it is not contained in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LeaderEdge {
    /// Rank of the class that may join.
    pub worse: u32,
    /// Rank of the class that may lead.
    pub better: u32,
    /// Shared shingles.
    pub shared: u32,
    /// Shingles of the union.
    pub union: u32,
}

word_record! { LeaderEdge { worse, better, shared, union } }

impl LeaderEdge {
    fn resemblance(&self) -> Ratio {
        Ratio::new(u64::from(self.shared), u64::from(self.union))
    }
}

/// Assigns classes to leaders.
#[derive(Debug)]
pub struct Leaders<C> {
    keepers: Keepers<C>,
    /// The strongest link of the class at hand with a leader.
    strongest: Option<LeaderEdge>,
}

impl<C: Cells> Leaders<C> {
    /// All classes lead; `cells` must be all 0, one for each rank.
    pub fn new(cells: C) -> Leaders<C> {
        Leaders {
            keepers: Keepers::new(cells),
            strongest: None,
        }
    }

    /// Takes the next edge in order.
    ///
    /// # Errors
    /// Errors of the cells.
    pub fn push(&mut self, edge: &LeaderEdge) -> Result<(), C::Error> {
        if self
            .strongest
            .is_some_and(|strongest| strongest.worse != edge.worse)
        {
            self.join_strongest()?;
        }
        // The better end comes before in the order, so what it joined is known.
        let is_stronger = |strongest: LeaderEdge| strongest.resemblance() < edge.resemblance();
        if self.keepers.is_free(edge.better)? && self.strongest.is_none_or(is_stronger) {
            self.strongest = Some(*edge);
        }
        Ok(())
    }

    fn join_strongest(&mut self) -> Result<(), C::Error> {
        match self.strongest.take() {
            Some(edge) => self.keepers.take(edge.worse, edge.better),
            None => Ok(()),
        }
    }

    /// All edges came: the leader of each class.
    ///
    /// # Errors
    /// Errors of the cells.
    pub fn finish(mut self) -> Result<Keepers<C>, C::Error> {
        self.join_strongest()?;
        Ok(self.keepers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::VecCells;
    use proptest::prelude::*;

    fn edge(better: u32, worse: u32, shared: u32) -> LeaderEdge {
        LeaderEdge {
            worse,
            better,
            shared,
            union: 10,
        }
    }

    fn leaders(edges: &[LeaderEdge], classes: u32) -> Vec<u32> {
        let mut leaders = Leaders::new(VecCells::new(classes as usize));
        for edge in edges {
            leaders.push(edge).unwrap();
        }
        let mut keepers = leaders.finish().unwrap();
        let found = (0..classes).map(|rank| keepers.keeper(rank).unwrap());
        found.collect()
    }

    #[test]
    fn a_class_joins_the_leader_that_it_resembles_most() {
        let edges = [edge(0, 2, 5), edge(1, 2, 6), edge(0, 3, 5), edge(1, 3, 5)];
        assert_eq!(leaders(&edges, 4), [0, 1, 1, 0]);
    }

    #[test]
    fn a_member_leads_nobody() {
        let edges = [edge(0, 1, 5), edge(1, 2, 9), edge(2, 3, 9)];
        assert_eq!(leaders(&edges, 4), [0, 0, 2, 2]);
    }

    proptest! {
        #[test]
        fn leaders_are_those_of_the_definition(
            links in prop::collection::btree_map((0u32..15, 0u32..15), 1u32..6, 0..60),
        ) {
            let edges = links.into_iter().filter(|((a, b), _)| a < b);
            let mut edges: Vec<LeaderEdge> = edges.map(|((a, b), shared)| edge(a, b, shared)).collect();
            edges.sort_unstable();
            // one document after another, as in the paper
            let mut expected: Vec<u32> = Vec::new();
            for class in 0..15 {
                let to_leaders = edges.iter().filter(|e| {
                    e.worse == class && expected[e.better as usize] == e.better
                });
                let joined = to_leaders.min_by_key(|e| (std::cmp::Reverse(e.shared), e.better));
                expected.push(joined.map_or(class, |e| e.better));
            }
            prop_assert_eq!(leaders(&edges, 15), expected);
        }
    }
}
