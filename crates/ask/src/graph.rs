//! The links of a cluster as a graph: chains, weakest links, bridges, diameter, stars.
//!
//! *Input.* The links of one cluster, each between two documents, with the shared and united
//! shingles it rests on. *Output.* [`Graph::widest_path`], [`Graph::weakest`], [`Graph::bridges`],
//! [`Graph::diameter`], [`Graph::stars`]. *Algorithm.* Links in order of resemblance into
//! union-find until the two documents are joined (Kruskal) give the widest chain's weakest link,
//! breadth-first search over the links that are no weaker gives the shortest such chain; bridges by
//! Tarjan, *A note on finding the bridges of a graph*, 1974, without recursion. *Memory.*
//! [`memory_bytes`]: 32 bytes a link and 8 a document for the graph, the rest while it is made and
//! asked, and its documents ranked. *Limits.* The diameter is exact as long as a search from every
//! document costs at most a stated number of steps; else it has bounds.

mod distance;

use clustering::partition::{Keepers, StarEdge, UnionFind};
use model::Ratio;
use model::VecCells;
use std::collections::BTreeSet;
use std::convert::Infallible;

pub(crate) use distance::Diameter;

/// A link of a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Edge {
    /// The lower document.
    pub(crate) a: u32,
    /// The higher document.
    pub(crate) b: u32,
    /// Shingles both have.
    pub(crate) shared: u32,
    /// Shingles of the two together.
    pub(crate) union: u32,
}

impl Edge {
    /// Its resemblance.
    pub(crate) fn resemblance(&self) -> Ratio {
        Ratio::new(u64::from(self.shared), u64::from(self.union))
    }
}

/// Bytes that a graph of so many links and documents takes at most.
pub(crate) fn memory_bytes(links: usize, documents: usize) -> usize {
    links
        .saturating_mul(60)
        .saturating_add(documents.saturating_mul(160))
}

/// The documents of a cluster that have links, and the links.
#[derive(Clone, Debug)]
pub(crate) struct Graph {
    /// Ascending.
    documents: Vec<u32>,
    /// By both ends; ends are places in `documents`.
    edges: Vec<Edge>,
    /// Where the neighbours of each document begin.
    starts: Vec<u32>,
    /// ⟨neighbour, link⟩ of each document, by neighbour.
    neighbours: Vec<(u32, u32)>,
}

impl Graph {
    /// The graph of these links.
    pub(crate) fn new(mut links: Vec<Edge>) -> Graph {
        let mut documents: Vec<u32> = links.iter().flat_map(|link| [link.a, link.b]).collect();
        documents.sort_unstable();
        documents.dedup();
        let place = |document: u32| documents.partition_point(|other| *other < document) as u32;
        for link in &mut links {
            (link.a, link.b) = (place(link.a), place(link.b));
        }
        links.sort_unstable_by_key(|link| (link.a, link.b));
        let mut starts = vec![0_u32; documents.len() + 1];
        for link in &links {
            starts[link.a as usize + 1] += 1;
            starts[link.b as usize + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut free = starts.clone();
        let mut neighbours = vec![(0, 0); 2 * links.len()];
        // Lower neighbours come first because links are in order of their lower end.
        for is_lower in [true, false] {
            for (number, link) in links.iter().enumerate() {
                let (of, neighbour) = if is_lower {
                    (link.b, link.a)
                } else {
                    (link.a, link.b)
                };
                neighbours[free[of as usize] as usize] = (neighbour, number as u32);
                free[of as usize] += 1;
            }
        }
        Graph {
            documents,
            edges: links,
            starts,
            neighbours,
        }
    }

    /// Documents with links, ascending.
    pub(crate) fn documents(&self) -> &[u32] {
        &self.documents
    }

    /// How many links there are.
    pub(crate) fn links(&self) -> usize {
        self.edges.len()
    }

    fn place(&self, document: u32) -> Option<u32> {
        self.documents
            .binary_search(&document)
            .ok()
            .map(|place| place as u32)
    }

    fn neighbours(&self, place: u32) -> &[(u32, u32)] {
        &self.neighbours
            [self.starts[place as usize] as usize..self.starts[place as usize + 1] as usize]
    }

    /// A link with the documents' own numbers.
    fn named(&self, number: u32) -> Edge {
        let edge = self.edges[number as usize];
        Edge {
            a: self.documents[edge.a as usize],
            b: self.documents[edge.b as usize],
            ..edge
        }
    }

    /// Numbers of links, weakest first; of equal ones those of lower documents first.
    fn by_weakness(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.edges.len() as u32).collect();
        order.sort_by_key(|number| self.edges[*number as usize].resemblance());
        order
    }

    /// The weakest links, weakest first, at most so many.
    pub(crate) fn weakest(&self, limit: usize) -> Vec<Edge> {
        let weakest = self.by_weakness().into_iter().take(limit);
        weakest.map(|number| self.named(number)).collect()
    }

    /// The chain of links from one document to another whose weakest link is strongest; of such
    /// chains one with the fewest links. `None` if no chain joins them.
    pub(crate) fn widest_path(&self, from: u32, to: u32) -> Option<Vec<Edge>> {
        let (from, to) = (self.place(from)?, self.place(to)?);
        let mut order = self.by_weakness();
        let mut sets = UnionFind::new(VecCells::new(self.documents.len()));
        let find = |sets: &mut UnionFind<VecCells>, place| sets.find(place).unwrap_or_else(never);
        let mut weakest = None;
        while find(&mut sets, from) != find(&mut sets, to) {
            let edge = self.edges[order.pop()? as usize];
            sets.union(edge.a, edge.b).unwrap_or_else(never);
            weakest = Some(edge.resemblance());
        }
        Some(self.shortest(from, to, weakest.unwrap_or(Ratio::new(0, 1))))
    }

    /// The chain of fewest links no weaker than `least`; among those the one of lowest documents.
    fn shortest(&self, from: u32, to: u32, least: Ratio) -> Vec<Edge> {
        const UNSEEN: (u32, u32) = (u32::MAX, u32::MAX);
        // searched from the end, so that the chain comes out from its beginning
        let mut next = vec![UNSEEN; self.documents.len()];
        let mut queue = vec![to];
        let mut done = 0;
        while let Some(&place) = queue.get(done) {
            done += 1;
            for &(neighbour, number) in self.neighbours(place) {
                let seen = neighbour == to || next[neighbour as usize] != UNSEEN;
                if !seen && self.edges[number as usize].resemblance() >= least {
                    next[neighbour as usize] = (place, number);
                    queue.push(neighbour);
                }
            }
        }
        let mut chain = Vec::new();
        let mut place = from;
        while place != to && next[place as usize] != UNSEEN {
            let (step, number) = next[place as usize];
            chain.push(self.named(number));
            place = step;
        }
        chain
    }

    /// Links whose loss would split the cluster, weakest first.
    pub(crate) fn bridges(&self) -> Vec<Edge> {
        let mut bridges = Vec::new();
        let count = self.documents.len();
        // the order in which documents are met, from 1; the lowest that can be met without the link
        // they were met by
        let (mut met, mut low) = (vec![0_u32; count], vec![0_u32; count]);
        let mut next_neighbour: Vec<u32> = self.starts.clone();
        let mut number = 0;
        let mut path: Vec<(u32, u32)> = Vec::new();
        for root in 0..count as u32 {
            if met[root as usize] == 0 {
                number += 1;
                (met[root as usize], low[root as usize]) = (number, number);
                path.push((root, u32::MAX));
            }
            while let Some(&(place, by)) = path.last() {
                let at = next_neighbour[place as usize];
                if at < self.starts[place as usize + 1] {
                    next_neighbour[place as usize] += 1;
                    let (neighbour, link) = self.neighbours[at as usize];
                    if link == by {
                        continue;
                    }
                    if met[neighbour as usize] == 0 {
                        number += 1;
                        (met[neighbour as usize], low[neighbour as usize]) = (number, number);
                        path.push((neighbour, link));
                    } else {
                        low[place as usize] = low[place as usize].min(met[neighbour as usize]);
                    }
                    continue;
                }
                path.pop();
                if let Some(&(before, _)) = path.last() {
                    low[before as usize] = low[before as usize].min(low[place as usize]);
                    if low[place as usize] > met[before as usize] {
                        bridges.push(by);
                    }
                }
            }
        }
        bridges.sort_unstable();
        bridges.sort_by_key(|number| self.edges[*number as usize].resemblance());
        bridges.into_iter().map(|link| self.named(link)).collect()
    }

    /// The stars that `linkage = "star"` makes of these links: each document with the one that
    /// takes it, by document; a document that is kept takes itself. `ranked` has all of
    /// [`Graph::documents`], each once, best first. `is_part` gives the document of a link that
    /// must not take the other, because it is contained in it and not the other way; such documents
    /// come after all others.
    pub(crate) fn stars(
        &self,
        ranked: &[u32],
        is_part: impl Fn(&Edge) -> Option<u32>,
    ) -> Vec<(u32, u32)> {
        let edges = || (0..self.edges.len() as u32).map(|number| self.named(number));
        let parts: BTreeSet<u32> = edges().filter_map(|edge| is_part(&edge)).collect();
        let mut ranked = ranked.to_vec();
        ranked.sort_by_key(|document| parts.contains(document));
        let mut ranks = vec![u32::MAX; self.documents.len()];
        for (rank, document) in ranked.iter().enumerate() {
            if let Some(place) = self.place(*document) {
                ranks[place as usize] = rank as u32;
            }
        }
        let placed = self.edges.iter().zip(edges());
        let mut edges: Vec<StarEdge> = placed
            .filter_map(|(placed, named)| {
                let (a, b) = (ranks[placed.a as usize], ranks[placed.b as usize]);
                let (better, worse) = (a.min(b), a.max(b));
                // A document does not go in favour of a part of it.
                let named_better = if a < b { named.a } else { named.b };
                (is_part(&named) != Some(named_better)).then_some(StarEdge { better, worse })
            })
            .collect();
        edges.sort_unstable();
        let mut star = Keepers::new(VecCells::new(ranked.len()));
        for edge in &edges {
            star.push(edge).unwrap_or_else(never);
        }
        let keepers = self.documents.iter().zip(&ranks);
        let keepers = keepers.filter_map(|(document, rank)| {
            let keeper = star.keeper(*rank).unwrap_or_else(never);
            Some((*document, *ranked.get(keeper as usize)?))
        });
        keepers.collect()
    }
}

/// The value of an error that cannot occur.
fn never<T>(nothing: Infallible) -> T {
    match nothing {}
}

#[cfg(test)]
mod tests;
