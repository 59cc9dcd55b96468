//! The smallest automaton of all runs of a sequence: each of its states stands for runs that end in
//! the same places.

use std::collections::BTreeMap;

/// No state.
const NONE: u32 = u32::MAX;

/// Where a reader is: a state, and how many windows it has matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WindowState {
    pub(super) at: u32,
    pub(super) length: usize,
}

impl WindowState {
    /// Nothing matched.
    pub(super) const START: WindowState = WindowState { at: 0, length: 0 };
}

#[derive(Clone, Copy, Debug)]
struct Node {
    /// Length of its longest run.
    length: u32,
    /// The state of the longest end of its runs that has more places.
    link: u32,
    /// Where its runs end first.
    end: u32,
    /// In how many places they end.
    places: u32,
}

pub(super) struct Automaton {
    nodes: Vec<Node>,
    /// The state that a symbol leads to, by the state before it.
    ways: BTreeMap<(u32, u32), u32>,
}

impl Automaton {
    /// The automaton of so many symbols.
    pub(super) fn of(count: usize, symbols: impl Iterator<Item = u32>) -> Automaton {
        let mut automaton = Automaton {
            nodes: Vec::with_capacity(count + 1),
            ways: BTreeMap::new(),
        };
        let mut last = automaton.add(Node {
            length: 0,
            link: NONE,
            end: 0,
            places: 0,
        });
        for (end, symbol) in (0..).zip(symbols) {
            last = automaton.push(last, symbol, end);
        }
        automaton.count_places();
        automaton
    }

    fn node(&self, state: u32) -> &Node {
        &self.nodes[state as usize]
    }

    fn add(&mut self, node: Node) -> u32 {
        self.nodes.push(node);
        // at most two states a window, and a text has fewer than 2^31 windows
        (self.nodes.len() - 1) as u32
    }

    /// The state of the text so far with its next symbol; `last` is that of the text before.
    fn push(&mut self, last: u32, symbol: u32, end: u32) -> u32 {
        let new = self.add(Node {
            length: self.node(last).length + 1,
            link: 0,
            end,
            places: 1,
        });
        let mut state = last;
        while state != NONE && !self.ways.contains_key(&(state, symbol)) {
            self.ways.insert((state, symbol), new);
            state = self.node(state).link;
        }
        if let Some(target) = self.target(state, symbol) {
            self.nodes[new as usize].link = self.longest(state, symbol, target);
        }
        new
    }

    fn target(&self, state: u32, symbol: u32) -> Option<u32> {
        self.ways.get(&(state, symbol)).copied()
    }

    /// The state whose longest run is that of `state` and the symbol: `target`, or a new state
    /// split off it.
    fn longest(&mut self, mut state: u32, symbol: u32, target: u32) -> u32 {
        let length = self.node(state).length + 1;
        if self.node(target).length == length {
            return target;
        }
        let twin = self.add(Node {
            length,
            places: 0,
            ..*self.node(target)
        });
        let ways = self.ways.range((target, 0)..=(target, u32::MAX));
        let ways: Vec<_> = ways.map(|((_, by), way)| ((twin, *by), *way)).collect();
        self.ways.extend(ways);
        while self.target(state, symbol) == Some(target) {
            self.ways.insert((state, symbol), twin);
            state = self.node(state).link;
        }
        self.nodes[target as usize].link = twin;
        twin
    }

    /// Adds up the places, once the sequence is complete.
    fn count_places(&mut self) {
        let mut order: Vec<u32> = (1..self.nodes.len() as u32).collect();
        order.sort_unstable_by_key(|state| NONE - self.node(*state).length);
        for state in order {
            let Node { places, link, .. } = *self.node(state);
            self.nodes[link as usize].places += places;
        }
    }

    /// Reads a symbol: the state of the longest suffix of the match, with the symbol appended, that
    /// occurs in the sequence.
    pub(super) fn step(&self, from: WindowState, symbol: u32) -> WindowState {
        let WindowState { mut at, mut length } = from;
        loop {
            if let Some(next) = self.target(at, symbol) {
                return WindowState {
                    at: next,
                    length: length + 1,
                };
            }
            at = self.node(at).link;
            if at == NONE {
                return WindowState::START;
            }
            length = self.node(at).length as usize;
        }
    }

    /// Where the runs of a state end first, and in how many places.
    pub(super) fn places(&self, state: WindowState) -> (usize, usize) {
        let node = self.node(state.at);
        (node.end as usize, node.places as usize)
    }
}
