//! How far apart the documents of a cluster are.

use super::Graph;
use std::collections::VecDeque;

/// The most links that the shortest chain between two documents of a cluster can need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Diameter {
    /// At least so many.
    pub(crate) low: u32,
    /// At most so many; equal to `low` if it is exact.
    pub(crate) high: u32,
}

impl Graph {
    /// The diameter of the graph, which must be connected: exact if a search from every document
    /// takes at most `steps_max` steps, else bounds from as many searches as that allows, two at
    /// least.
    pub(crate) fn diameter(&self, steps_max: usize) -> Diameter {
        let documents = self.documents.len();
        let search_steps = 2 * self.edges.len() + documents;
        let searches = (steps_max / search_steps.max(1)).max(2).min(documents);
        let mut search = DistanceSearch {
            distances: vec![UNSEEN; documents],
            queue: VecDeque::new(),
        };
        let mut bounds = Diameter {
            low: 0,
            high: u32::MAX,
        };
        // each search begins where the one before ended: far out, where long chains are
        let (mut from, mut done) = (0, vec![false; documents]);
        for _ in 0..searches {
            done[from as usize] = true;
            let (furthest, distance) = search.from(self, from);
            bounds.low = bounds.low.max(distance);
            bounds.high = bounds.high.min(distance.saturating_mul(2));
            let next = if done[furthest as usize] {
                done.iter().position(|done| !done)
            } else {
                Some(furthest as usize)
            };
            match next {
                Some(next) if bounds.low < bounds.high => from = next as u32,
                _ => break,
            }
        }
        if documents == 0 || searches == documents && done.iter().all(|done| *done) {
            bounds.high = bounds.low;
        }
        bounds
    }
}

const UNSEEN: u32 = u32::MAX;

struct DistanceSearch {
    distances: Vec<u32>,
    queue: VecDeque<u32>,
}

impl DistanceSearch {
    /// The last document that a breadth-first search meets, and how far it is.
    fn from(&mut self, graph: &Graph, start: u32) -> (u32, u32) {
        self.distances.fill(UNSEEN);
        self.distances[start as usize] = 0;
        self.queue.push_back(start);
        let mut last = start;
        while let Some(place) = self.queue.pop_front() {
            last = place;
            for &(neighbour, _) in graph.neighbours(place) {
                if self.distances[neighbour as usize] == UNSEEN {
                    self.distances[neighbour as usize] = self.distances[place as usize] + 1;
                    self.queue.push_back(neighbour);
                }
            }
        }
        (last, self.distances[last as usize])
    }
}
