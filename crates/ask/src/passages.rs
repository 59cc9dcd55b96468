//! Passages that two texts share.
//!
//! *Input.* The fingerprints of all windows of two documents, A and B, in the order of their texts.
//! *Output.* [`SharedPassages`]: the maximal runs of A's windows that
//! stand in B one after the other as well, each once, longest first. *Algorithm.* The suffixes of
//! both texts in order (Manber and Myers, *Suffix arrays: a new method for on-line string
//! searches*, 1993), and how much each shares with the one before it (Kasai and others,
//! *Linear-time longest-common-prefix computation in suffix arrays and its applications*, 2001).
//! The nearest suffixes of B give, at every window of A, the longest run that begins there and
//! stands in B (*matching statistics*, Chang and Lawler, *Sublinear approximate string matching*,
//! 1994). A run is maximal where the window before does not lengthen it; no maximal run lies inside
//! another. The places of a run are the suffixes that begin with it, which stand one after the
//! other. *Memory.* 40 bytes a window of A and B, and 48 a maximal run. *Limits.* The order takes
//! n log n steps whatever the texts hold, and the places at most n for each length that a maximal
//! run has: a run that stands in a thousand places is counted, its places are not listed.

use std::ops::Range;

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
    /// Windows of B that are in some passage.
    pub(crate) covered_b: usize,
}

/// The passages that A and B share.
pub(crate) fn shared(a: &[u64], b: &[u64]) -> SharedPassages {
    let mut different = [a, b].concat();
    different.sort_unstable();
    different.dedup();
    let number = |window: &u64| different.partition_point(|other| other < window) as u32;
    let (a, b): (Vec<u32>, Vec<u32>) = (
        a.iter().map(number).collect(),
        b.iter().map(number).collect(),
    );
    let covered = |windows: &[u32], other: &[u32]| {
        let mut stands = vec![false; different.len()];
        other.iter().for_each(|one| stands[*one as usize] = true);
        windows.iter().filter(|one| stands[**one as usize]).count()
    };
    let (covered_a, covered_b) = (covered(&a, &b), covered(&b, &a));
    // What stands between the two is in neither.
    let texts = [&a[..], &[different.len() as u32], &b].concat();
    SharedPassages {
        passages: Suffixes::of(&texts, a.len()).passages(),
        covered_a,
        covered_b,
    }
}

/// The suffixes of A, then what is between, then of B.
struct Suffixes {
    /// Windows of A.
    a_windows: u32,
    /// Where each begins, in their order.
    order: Vec<u32>,
    /// The place of each in that order.
    rank: Vec<u32>,
    /// Windows that each shares at its beginning with the one before it, in that order.
    common: Vec<u32>,
}

impl Suffixes {
    fn of(texts: &[u32], a_windows: usize) -> Suffixes {
        let (order, rank) = sorted(texts);
        let (mut common, mut length) = (vec![0; texts.len()], 0);
        for (at, rank) in rank.iter().map(|rank| *rank as usize).enumerate() {
            let Some(before) = rank.checked_sub(1).map(|before| order[before] as usize) else {
                length = 0;
                continue;
            };
            let ends = texts[at + length..].iter().zip(&texts[before + length..]);
            length += ends.take_while(|(one, other)| one == other).count();
            common[rank] = length as u32;
            // The next suffix shares at least all but the first of them with some other.
            length = length.saturating_sub(1);
        }
        Suffixes {
            a_windows: a_windows as u32,
            order,
            rank,
            common,
        }
    }

    /// At each window of A the length of the longest run that begins there and stands in B.
    fn longest(&self) -> Vec<u32> {
        let mut longest = vec![0; self.a_windows as usize];
        let mut meet = |place: usize, nearest: &mut u32| match self.order[place] {
            at if at > self.a_windows => *nearest = u32::MAX,
            at if at < self.a_windows => {
                let longest: &mut u32 = &mut longest[at as usize];
                *longest = (*longest).max(*nearest);
            }
            _ => {}
        };
        let (mut before, mut behind) = (0, 0);
        for place in 0..self.order.len() {
            before = before.min(self.common[place]);
            meet(place, &mut before);
        }
        for place in (0..self.order.len()).rev() {
            meet(place, &mut behind);
            behind = behind.min(self.common[place]);
        }
        longest
    }

    /// The maximal runs by their content, longest first.
    fn passages(&self) -> Vec<Passage> {
        let longest = self.longest();
        let is_maximal = |at: usize| {
            let before = at.checked_sub(1).map_or(0, |before| longest[before]);
            longest[at] > 0 && before <= longest[at]
        };
        let runs = (0..longest.len()).filter(|at| is_maximal(*at));
        let mut runs: Vec<(u32, u32)> = runs.map(|at| (longest[at], self.rank[at])).collect();
        runs.sort_unstable();
        let mut passages: Vec<Passage> = Vec::new();
        let mut rest = &runs[..];
        while let Some(&(length, rank)) = rest.first() {
            let places = self.places(rank as usize, length);
            let same = rest.partition_point(|run| *run < (length, places.end as u32));
            let starts = rest[..same]
                .iter()
                .map(|(_, rank)| self.order[*rank as usize]);
            let of_b = self.order[places].iter().filter(|at| **at > self.a_windows);
            let first_in_b = of_b.clone().min().map_or(0, |at| at - self.a_windows - 1);
            passages.push(Passage {
                windows: length as usize,
                a: starts.min().unwrap_or(0) as usize,
                a_places: same,
                b: first_in_b as usize,
                b_places: of_b.count(),
            });
            rest = &rest[same..];
        }
        passages.sort_unstable_by_key(|passage| (usize::MAX - passage.windows, passage.a));
        passages
    }

    /// The suffixes that share so many windows with this one, by their places in the order.
    fn places(&self, rank: usize, length: u32) -> Range<usize> {
        let shares = |place: &usize| self.common[*place] >= length;
        let start = (1..=rank).rev().take_while(shares).count();
        let end = (rank + 1..self.order.len()).take_while(shares).count();
        rank - start..rank + 1 + end
    }
}

/// Where the suffixes begin, in their order, and the place of each in it. First they are in the
/// order of their first numbers, and from there on, as the rest of a suffix is one too, in that of
/// twice as many.
fn sorted(numbers: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let count = numbers.len();
    let mut rank = numbers.to_vec();
    let (mut by_rest, mut width): (Vec<u32>, usize) = ((0..count as u32).collect(), 0);
    loop {
        let mut places = vec![0_u32; count + 1];
        rank.iter().for_each(|rank| places[*rank as usize + 1] += 1);
        for at in 1..places.len() {
            places[at] += places[at - 1];
        }
        let mut order = vec![0; count];
        for at in by_rest {
            let place = &mut places[rank[at as usize] as usize];
            order[*place as usize] = at;
            *place += 1;
        }
        let key = |at: u32| (rank[at as usize], rank.get(at as usize + width));
        let (mut next, mut different) = (vec![0; count], 0);
        for pair in order.windows(2) {
            different += u32::from(key(pair[0]) != key(pair[1]));
            next[pair[1] as usize] = different;
        }
        rank = next;
        if different as usize + 1 == count {
            return (order, rank);
        }
        width = (2 * width).max(1);
        let without_rest = (count - width) as u32..count as u32;
        let rests = order.iter().filter_map(|at| at.checked_sub(width as u32));
        by_rest = without_rest.chain(rests).collect();
    }
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
