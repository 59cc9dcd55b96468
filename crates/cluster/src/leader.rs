//! What stays of a cluster by leaders: each class joins the leader that it resembles most, or is
//! one itself.
//!
//! *Input.* Classes, numbered by their rank; the links that join, by their worse end. *Output.* The
//! leader of each class. *Algorithm.* Broder, *On the resemblance and containment of documents*,
//! 4.4: the greedy clustering whose representative of a cluster is its first member. Of leaders
//! that a class resembles equally, it joins the best. *Memory.* The cells.

use crate::Cells;
use crate::star::StarEdge;
use model::{Ratio, word_record};

/// A [`StarEdge`], sorted by its worse end.
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
    /// As [`StarEdge::better_is_contained`].
    pub better_is_contained: u8,
}

word_record! { LeaderEdge { worse, better, shared, union, better_is_contained } }

impl From<StarEdge> for LeaderEdge {
    fn from(edge: StarEdge) -> LeaderEdge {
        let StarEdge {
            better,
            worse,
            shared,
            union,
            better_is_contained,
        } = edge;
        LeaderEdge {
            worse,
            better,
            shared,
            union,
            better_is_contained,
        }
    }
}

impl LeaderEdge {
    fn resemblance(&self) -> Ratio {
        Ratio::new(u64::from(self.shared), u64::from(self.union))
    }
}

/// Assigns classes to leaders. A cell has the rank of the leader of its class, plus one; 0 if the
/// class leads.
#[derive(Debug)]
pub struct Leaders<C> {
    cells: C,
    /// The strongest link of the class at hand with a leader.
    strongest: Option<LeaderEdge>,
}

impl<C: Cells> Leaders<C> {
    /// All classes lead; `cells` must be all 0, one for each rank.
    pub fn new(cells: C) -> Leaders<C> {
        Leaders {
            cells,
            strongest: None,
        }
    }

    /// Takes the next edge in order.
    ///
    /// # Errors
    /// Those of the cells.
    pub fn push(&mut self, edge: &LeaderEdge) -> Result<(), C::Error> {
        if self
            .strongest
            .is_some_and(|strongest| strongest.worse != edge.worse)
        {
            self.finish()?;
        }
        // the better end comes before in the order, so what it joined is known
        if edge.better_is_contained == 0
            && self.cells.get(edge.better)? == 0
            && self
                .strongest
                .is_none_or(|strongest| strongest.resemblance() < edge.resemblance())
        {
            self.strongest = Some(*edge);
        }
        Ok(())
    }

    /// All edges of the class at hand came.
    ///
    /// # Errors
    /// Those of the cells.
    pub fn finish(&mut self) -> Result<(), C::Error> {
        match self.strongest.take() {
            Some(edge) => self.cells.set(edge.worse, edge.better + 1),
            None => Ok(()),
        }
    }

    /// The rank of the leader of this class, which may be itself.
    ///
    /// # Errors
    /// Those of the cells.
    pub fn keeper(&mut self, rank: u32) -> Result<u32, C::Error> {
        Ok(self.cells.get(rank)?.checked_sub(1).unwrap_or(rank))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::VecCells;
    use proptest::prelude::*;

    fn edge(better: u32, worse: u32, shared: u32, better_is_contained: u8) -> LeaderEdge {
        LeaderEdge {
            worse,
            better,
            shared,
            union: 10,
            better_is_contained,
        }
    }

    fn leaders(edges: &[LeaderEdge], classes: u32) -> Vec<u32> {
        let mut leaders = Leaders::new(VecCells::new(classes as usize));
        for edge in edges {
            leaders.push(edge).unwrap();
        }
        leaders.finish().unwrap();
        let found = (0..classes).map(|rank| leaders.keeper(rank).unwrap());
        found.collect()
    }

    #[test]
    fn a_class_joins_the_leader_that_it_resembles_most() {
        let edges = [
            edge(0, 2, 5, 0),
            edge(1, 2, 6, 0),
            edge(0, 3, 5, 0),
            edge(1, 3, 5, 0),
        ];
        assert_eq!(leaders(&edges, 4), [0, 1, 1, 0]);
    }

    #[test]
    fn a_member_leads_nobody_and_a_part_does_not_lead_the_whole() {
        let edges = [edge(0, 1, 5, 0), edge(1, 2, 9, 0), edge(2, 3, 9, 1)];
        assert_eq!(leaders(&edges, 4), [0, 0, 2, 3]);
    }

    proptest! {
        #[test]
        fn leaders_are_those_of_the_definition(
            links in prop::collection::btree_map((0u32..15, 0u32..15), (1u32..6, 0u8..2), 0..60),
        ) {
            let edges = links.into_iter().filter(|((a, b), _)| a < b);
            let mut edges: Vec<LeaderEdge> = edges.map(|((a, b), (shared, part))| edge(a, b, shared, part)).collect();
            edges.sort_unstable();
            // one document after another, as in the paper
            let mut expected: Vec<u32> = Vec::new();
            for class in 0..15 {
                let to_leaders = edges.iter().filter(|e| {
                    e.worse == class && e.better_is_contained == 0 && expected[e.better as usize] == e.better
                });
                let joined = to_leaders.min_by_key(|e| (std::cmp::Reverse(e.shared), e.better));
                expected.push(joined.map_or(class, |e| e.better));
            }
            prop_assert_eq!(leaders(&edges, 15), expected);
        }
    }
}
