//! The smallest automaton of all runs of a sequence: each of its states stands for runs that end in
//! the same places.
//!
//! Most states have one way out, which is kept in the state; the others lie in one ordered map. The
//! start has many, which are an array. A sequence may be parted: no run crosses the parting.

use std::collections::BTreeMap;

/// No state, no symbol.
const NONE: u32 = u32::MAX;

/// Where a reader is: a state, and how many windows it has matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct State {
    pub(super) at: u32,
    pub(super) length: usize,
}

impl State {
    /// Nothing matched.
    pub(super) const START: State = State { at: 0, length: 0 };
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
    /// Its only way out, or one of them.
    symbol: u32,
    target: u32,
}

pub(super) struct Automaton {
    nodes: Vec<Node>,
    /// Ways out of the start, by symbol.
    start: Vec<u32>,
    /// Further ways out of other states.
    more: BTreeMap<(u32, u32), u32>,
    last: u32,
}

impl Automaton {
    /// For a sequence of so many windows with so many different symbols.
    pub(super) fn new(symbols: usize, windows: usize) -> Automaton {
        let mut nodes = Vec::with_capacity(windows + 1);
        nodes.push(Node {
            length: 0,
            link: NONE,
            end: 0,
            places: 0,
            symbol: NONE,
            target: NONE,
        });
        Automaton {
            nodes,
            start: vec![NONE; symbols],
            more: BTreeMap::new(),
            last: 0,
        }
    }

    fn node(&self, state: u32) -> &Node {
        &self.nodes[state as usize]
    }

    fn target(&self, state: u32, symbol: u32) -> Option<u32> {
        let target = if state == 0 {
            self.start.get(symbol as usize).copied().unwrap_or(NONE)
        } else if self.node(state).symbol == symbol {
            self.node(state).target
        } else {
            self.more.get(&(state, symbol)).copied().unwrap_or(NONE)
        };
        (target != NONE).then_some(target)
    }

    fn lead(&mut self, state: u32, symbol: u32, target: u32) {
        if state == 0 {
            self.start[symbol as usize] = target;
            return;
        }
        let node = &mut self.nodes[state as usize];
        if node.symbol == NONE || node.symbol == symbol {
            (node.symbol, node.target) = (symbol, target);
        } else {
            self.more.insert((state, symbol), target);
        }
    }

    fn add(&mut self, node: Node) -> u32 {
        self.nodes.push(node);
        // at most two states a window, and a text has fewer than 2^31 windows
        (self.nodes.len() - 1) as u32
    }

    /// No run goes on from here.
    pub(super) fn part(&mut self) {
        self.last = 0;
    }

    /// The next window of the sequence.
    pub(super) fn push(&mut self, symbol: u32, at: usize) {
        let (end, length) = (at as u32, self.node(self.last).length + 1);
        // after a parting, or where it began before, the run may be there already
        if let Some(there) = self.target(self.last, symbol) {
            let there = self.longest(self.last, symbol, there);
            self.nodes[there as usize].places += 1;
            self.last = there;
            return;
        }
        let new = self.add(Node {
            length,
            link: 0,
            end,
            places: 1,
            symbol: NONE,
            target: NONE,
        });
        let mut state = self.last;
        while state != NONE && self.target(state, symbol).is_none() {
            self.lead(state, symbol, new);
            state = self.node(state).link;
        }
        if let Some(target) = self.target_of(state, symbol) {
            let link = self.longest(state, symbol, target);
            self.nodes[new as usize].link = link;
        }
        self.last = new;
    }

    fn target_of(&self, state: u32, symbol: u32) -> Option<u32> {
        if state == NONE {
            None
        } else {
            self.target(state, symbol)
        }
    }

    /// The state whose longest run is that of `state` and the symbol: `target`, or a new state
    /// split off it.
    fn longest(&mut self, state: u32, symbol: u32, target: u32) -> u32 {
        let length = self.node(state).length + 1;
        if self.node(target).length == length {
            return target;
        }
        let twin = self.add(Node {
            length,
            places: 0,
            ..*self.node(target)
        });
        let ways = self
            .more
            .range((target, 0)..=(target, NONE))
            .map(|((_, symbol), way)| (*symbol, *way));
        for (symbol, way) in ways.collect::<Vec<_>>() {
            self.more.insert((twin, symbol), way);
        }
        let mut state = state;
        while state != NONE && self.target(state, symbol) == Some(target) {
            self.lead(state, symbol, twin);
            state = self.node(state).link;
        }
        self.nodes[target as usize].link = twin;
        twin
    }

    /// Adds up the places, once the sequence is complete.
    pub(super) fn count_places(&mut self) {
        let mut order: Vec<u32> = (1..self.nodes.len() as u32).collect();
        order.sort_unstable_by_key(|state| NONE - self.node(*state).length);
        for state in order {
            let Node { places, link, .. } = *self.node(state);
            if link != NONE {
                self.nodes[link as usize].places += places;
            }
        }
    }

    /// Reads a symbol: the state of the longest suffix of the match, with the symbol appended, that
    /// occurs in the sequence.
    pub(super) fn step(&self, from: State, symbol: u32) -> State {
        let State { mut at, mut length } = from;
        loop {
            if let Some(next) = self.target(at, symbol) {
                return State {
                    at: next,
                    length: length + 1,
                };
            }
            let link = self.node(at).link;
            if link == NONE {
                return State::START;
            }
            at = link;
            length = self.node(at).length as usize;
        }
    }

    /// Where the runs of a state end first, and in how many places.
    pub(super) fn places(&self, state: State) -> (usize, usize) {
        let node = self.node(state.at);
        (node.end as usize, node.places as usize)
    }
}
