//! Passages that two texts share.
//!
//! *Input.* The fingerprints of all windows of two documents, A and B, in the order of their texts.
//! *Output.* [`SharedPassages`]: the maximal runs of A's windows that
//! stand in B one after the other as well, each once, longest first. *Algorithm.* The smallest
//! automaton of all runs of B (Blumer and others, *The smallest automaton recognizing the subwords
//! of a text*, 1985), then A is read through it: at every window the longest run that ends there
//! and stands in B (*matching statistics*, Chang and Lawler, *Sublinear approximate string
//! matching*, 1994). A run is maximal where the next window does not lengthen it; no maximal run
//! lies inside another. *Memory.* About 75 bytes a window of B, at
//! most about 110 whatever it repeats, and 16 a maximal run. *Limits.* Time is n log n whatever the
//! texts hold: a run that stands in a thousand places is counted, its places are not listed.

mod automaton;

use automaton::{Automaton, WindowState};

/// A run of windows that stands in both texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Passage {
    /// Windows in it.
    pub(crate) windows: usize,
    /// Its first window in A, where it stands first.
    pub(crate) a: usize,
    /// Places in A where it stands and is maximal.
    pub(crate) a_places: usize,
    /// Its first window in B, where it stands first.
    pub(crate) b: usize,
    /// Places in B where it stands.
    pub(crate) b_places: usize,
}

/// The passages that two texts share.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SharedPassages {
    /// Longest first; of equal ones the first in A first.
    pub(crate) passages: Vec<Passage>,
    /// Windows of A that are in some passage.
    pub(crate) covered_a: usize,
    /// The same of B.
    pub(crate) covered_b: usize,
}

/// The passages that A and B share.
pub(crate) fn shared(a: &[u64], b: &[u64]) -> SharedPassages {
    let symbols = Symbols::of(b);
    let automaton = Automaton::of(b.len(), b.iter().filter_map(|window| symbols.get(*window)));
    let mut runs = Vec::new();
    let mut state = WindowState::START;
    for (at, window) in a.iter().enumerate() {
        let symbol = symbols.get(*window);
        let next = symbol.map_or(WindowState::START, |symbol| automaton.step(state, symbol));
        if state.length > 0 && next.length != state.length + 1 {
            runs.push((state, at - state.length));
        }
        state = next;
    }
    if state.length > 0 {
        runs.push((state, a.len() - state.length));
    }
    let covered = |list: &[u64], other: &Symbols| {
        let shared = list.iter().filter_map(|window| other.get(*window));
        shared.count()
    };
    SharedPassages {
        passages: passages(&automaton, runs),
        covered_a: covered(a, &symbols),
        covered_b: covered(b, &Symbols::of(a)),
    }
}

/// The different windows of a text, numbered in their order: half the memory of the windows.
struct Symbols(Vec<u64>);

impl Symbols {
    fn of(windows: &[u64]) -> Symbols {
        let mut different = windows.to_vec();
        different.sort_unstable();
        different.dedup();
        Symbols(different)
    }

    fn get(&self, window: u64) -> Option<u32> {
        let number = self.0.binary_search(&window).ok()?;
        u32::try_from(number).ok()
    }
}

/// Runs by their content, then longest first.
fn passages(automaton: &Automaton, mut runs: Vec<(WindowState, usize)>) -> Vec<Passage> {
    runs.sort_unstable_by_key(|(state, start)| (state.at, state.length, *start));
    let mut passages = Vec::new();
    for same in runs.chunk_by(|(first, _), (second, _)| first == second) {
        if let Some(&(state, a)) = same.first() {
            let (end, b_places) = automaton.places(state);
            let (windows, a_places) = (state.length, same.len());
            passages.push(Passage {
                windows,
                a,
                a_places,
                b: end + 1 - windows,
                b_places,
            });
        }
    }
    passages.sort_unstable_by_key(|passage| (usize::MAX - passage.windows, passage.a));
    passages
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    /// The definition, by trying every run at every place.
    fn directly(a: &[u64], b: &[u64]) -> SharedPassages {
        let places = |run: &[u64]| {
            (0..=b.len() - run.len())
                .filter(|&at| b[at..].starts_with(run))
                .collect::<Vec<_>>()
        };
        let mut runs: Vec<(usize, usize)> = Vec::new();
        for start in 0..a.len() {
            for end in start + 1..=a.len() {
                let run = &a[start..end];
                if run.len() <= b.len() && !places(run).is_empty() {
                    runs.push((start, end));
                }
            }
        }
        let inside = |x: &(usize, usize), y: &(usize, usize)| x != y && y.0 <= x.0 && x.1 <= y.1;
        let maximal: Vec<_> = runs
            .iter()
            .filter(|x| !runs.iter().any(|y| inside(x, y)))
            .collect();
        let mut by_content: BTreeMap<&[u64], Vec<usize>> = BTreeMap::new();
        for &&(start, end) in &maximal {
            by_content.entry(&a[start..end]).or_default().push(start);
        }
        let mut passages: Vec<Passage> = by_content
            .into_iter()
            .map(|(run, starts)| Passage {
                windows: run.len(),
                a: starts[0],
                a_places: starts.len(),
                b: places(run)[0],
                b_places: places(run).len(),
            })
            .collect();
        passages.sort_by_key(|passage| (usize::MAX - passage.windows, passage.a));
        let covered = |list: &[u64], other: &[u64]| {
            list.iter()
                .filter(|shingle| other.contains(shingle))
                .count()
        };
        SharedPassages {
            passages,
            covered_a: covered(a, b),
            covered_b: covered(b, a),
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]
        #[test]
        fn passages_are_the_maximal_runs(
            a in prop::collection::vec(0u64..5, 0..24), b in prop::collection::vec(0u64..5, 0..24),
        ) {
            prop_assert_eq!(shared(&a, &b), directly(&a, &b));
        }

        #[test]
        fn passages_of_edited_texts_are_the_maximal_runs(
            words in prop::collection::vec(0u64..40, 1..40), cuts in prop::collection::vec((0usize..40, 0usize..12, 90u64..99), 0..5),
            period in 1usize..9,
        ) {
            let a: Vec<u64> = words.iter().cycle().take(words.len().max(2 * period)).copied().collect();
            let mut b = a.clone();
            for (at, length, new) in cuts {
                let at = at.min(b.len());
                let end = (at + length).min(b.len());
                b.splice(at..end, [new]);
            }
            prop_assert_eq!(shared(&a, &b), directly(&a, &b));
        }
    }

    #[test]
    fn repetition_stays_cheap() {
        // a million windows each; every one of the first text matches the second in half a million
        // places
        let again = |pattern: &[u64]| {
            pattern
                .iter()
                .copied()
                .cycle()
                .take(1 << 20)
                .collect::<Vec<u64>>()
        };
        let found = shared(&again(&[1, 2]), &again(&[2, 1]));
        assert_eq!(found.passages[0].windows, (1 << 20) - 1);
        assert_eq!(found.covered_a, 1 << 20);
        // one shingle followed by all others, in both
        let hub = |odd: u64| {
            (0..1 << 19)
                .flat_map(|n| [0, 2 * n + odd])
                .collect::<Vec<u64>>()
        };
        let found = shared(&hub(1), &hub(2));
        let distinct: BTreeSet<usize> = found
            .passages
            .iter()
            .map(|passage| passage.windows)
            .collect();
        assert_eq!((found.passages.len(), distinct), (1, BTreeSet::from([1])));
        assert_eq!(
            (found.passages[0].a_places, found.passages[0].b_places),
            (1 << 19, 1 << 19)
        );
    }
}
