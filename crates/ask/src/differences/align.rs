//! Two texts aligned: anchors first, then what lies between them.
//!
//! *Input.* The tokens of A and B as numbers. *Output.* The stretches that are not aligned, in
//! order. *Algorithm.* Runs of tokens that stand exactly once in A and once in B are anchors. Of
//! these, a longest ascending series is kept (patience difference, B. Cohen) and each anchor is
//! lengthened as far as the texts are equal. Between two anchors it goes on with shorter runs,
//! until the stretch is small enough for E. Myers (*An O(ND) Difference Algorithm and Its
//! Variations*, 1986) as imara-diff has it. *Memory.* About 60 bytes a token. *Limits.* A large
//! stretch without an anchor is one difference.

use imara_diff::{Algorithm, Diff, InternedInput};
use std::collections::HashMap;
use std::ops::Range;

/// Tokens of A in whose place B has others; one of the two ranges may be empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    /// Tokens of A.
    pub(crate) a: Range<usize>,
    /// Tokens of B.
    pub(crate) b: Range<usize>,
}

/// Tokens in an anchor, from the first attempt to the last.
const ANCHOR_TOKENS: [usize; 3] = [8, 3, 1];

/// Largest product of the tokens of two stretches that are aligned without anchors.
const SMALL: usize = 4_000_000;

/// The stretches of A and B that are not aligned.
pub(super) fn align(a: &[u64], b: &[u64]) -> Vec<Difference> {
    align_above(SMALL, a, b)
}

fn align_above(small: usize, a: &[u64], b: &[u64]) -> Vec<Difference> {
    let mut hunks = Vec::new();
    let at = (0, 0);
    Stretch { a, b, at, small }.align(&ANCHOR_TOKENS, &mut hunks);
    hunks
}

/// Tokens of A and of B, and the places in the texts where they begin.
#[derive(Clone, Copy)]
struct Stretch<'a> {
    a: &'a [u64],
    b: &'a [u64],
    at: (usize, usize),
    /// As [`SMALL`].
    small: usize,
}

impl<'a> Stretch<'a> {
    fn align(self, anchor_tokens: &[usize], hunks: &mut Vec<Difference>) {
        let here = self.without_equal_ends();
        let Stretch { a, b, at, small } = here;
        let mut push = |a: Range<usize>, b: Range<usize>| {
            hunks.push(Difference {
                a: at.0 + a.start..at.0 + a.end,
                b: at.1 + b.start..at.1 + b.end,
            });
        };
        if a.is_empty() && b.is_empty() {
            return;
        }
        if a.is_empty() || b.is_empty() {
            return push(0..a.len(), 0..b.len());
        }
        if a.len().saturating_mul(b.len()) <= small {
            let mut input = InternedInput::default();
            input.update_before(a.iter().copied());
            input.update_after(b.iter().copied());
            let places = |range: Range<u32>| range.start as usize..range.end as usize;
            for hunk in Diff::compute(Algorithm::Myers, &input).hunks() {
                push(places(hunk.before), places(hunk.after));
            }
            return;
        }
        let Some((&tokens, shorter)) = anchor_tokens.split_first() else {
            return push(0..a.len(), 0..b.len());
        };
        let mut done = (0, 0);
        for block in here.blocks(tokens) {
            here.part(done, (block.a, block.b)).align(shorter, hunks);
            done = (block.a + block.tokens, block.b + block.tokens);
        }
        here.part(done, (a.len(), b.len())).align(shorter, hunks);
    }

    fn part(self, from: (usize, usize), to: (usize, usize)) -> Stretch<'a> {
        Stretch {
            a: self.a.get(from.0..to.0).unwrap_or_default(),
            b: self.b.get(from.1..to.1).unwrap_or_default(),
            at: (self.at.0 + from.0, self.at.1 + from.1),
            small: self.small,
        }
    }

    fn without_equal_ends(self) -> Stretch<'a> {
        let is_equal = |(a, b): &(&u64, &u64)| a == b;
        let before = self.a.iter().zip(self.b).take_while(is_equal).count();
        let rest = self.part((before, before), (self.a.len(), self.b.len()));
        let backwards = rest.a.iter().rev().zip(rest.b.iter().rev());
        let behind = backwards.take_while(is_equal).count();
        rest.part((0, 0), (rest.a.len() - behind, rest.b.len() - behind))
    }

    /// Equal tokens around the anchors, in order and without overlap.
    fn blocks(self, tokens: usize) -> Vec<EqualRun> {
        let Stretch { a, b, .. } = self;
        let mut blocks: Vec<EqualRun> = Vec::new();
        let mut done = (0, 0);
        for (at_a, at_b) in ascending(&anchors(a, b, tokens)) {
            if at_a < done.0 || at_b < done.1 {
                continue;
            }
            let is_equal = |(a, b): &(&u64, &u64)| a == b;
            let before = a[done.0..at_a]
                .iter()
                .rev()
                .zip(b[done.1..at_b].iter().rev());
            let before = before.take_while(is_equal).count();
            let behind = a[at_a..]
                .iter()
                .zip(&b[at_b..])
                .take_while(is_equal)
                .count();
            blocks.push(EqualRun {
                a: at_a - before,
                b: at_b - before,
                tokens: before + behind,
            });
            done = (at_a + behind, at_b + behind);
        }
        blocks
    }
}

/// A run of equal tokens.
struct EqualRun {
    a: usize,
    b: usize,
    tokens: usize,
}

/// Where runs of so many tokens stand that are once in A and once in B, in the order of A.
fn anchors(a: &[u64], b: &[u64], tokens: usize) -> Vec<(usize, usize)> {
    /// Of one run: how often it is in A and in B, and where it was last in B.
    #[derive(Default)]
    struct RunPlaces {
        count_a: u32,
        count_b: u32,
        b: usize,
    }
    let mut places: HashMap<&[u64], RunPlaces> = HashMap::new();
    for run in a.windows(tokens) {
        places.entry(run).or_default().count_a += 1;
    }
    for (at, run) in b.windows(tokens).enumerate() {
        if let Some(places) = places.get_mut(run) {
            places.count_b += 1;
            places.b = at;
        }
    }
    let once = a.windows(tokens).enumerate().filter_map(|(at, run)| {
        let places = places.get(run)?;
        (places.count_a == 1 && places.count_b == 1).then_some((at, places.b))
    });
    once.collect()
}

/// A longest series of the pairs in which the second places ascend, too.
fn ascending(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // of each length, the pair that ends a series with the lowest second place
    let mut ends: Vec<usize> = Vec::new();
    let mut before = vec![None; pairs.len()];
    for (at, pair) in pairs.iter().enumerate() {
        let length = ends.partition_point(|&end| pairs[end].1 < pair.1);
        before[at] = length.checked_sub(1).map(|shorter| ends[shorter]);
        match ends.get_mut(length) {
            Some(end) => *end = at,
            None => ends.push(at),
        }
    }
    let last = ends.last().copied();
    let series = std::iter::successors(last, |&at| before[at]).map(|at| pairs[at]);
    let mut series: Vec<_> = series.collect();
    series.reverse();
    series
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Numbers that look random.
    fn tokens(count: usize, kinds: u64, seed: u64) -> Vec<u64> {
        let mut state = seed;
        let next = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) % kinds
        };
        std::iter::repeat_with(next).take(count).collect()
    }

    #[test]
    fn few_changes_in_a_long_text_are_found() {
        for kinds in [20, 5000] {
            let a = tokens(200_000, kinds, 1);
            let mut b = a.clone();
            b.splice(150_000..150_003, [kinds + 1]);
            b.splice(70_000..70_000, [kinds + 2, kinds + 3]);
            b[10] = kinds + 4;
            let hunk = |a, b| Difference { a, b };
            assert_eq!(
                align(&a, &b),
                [
                    hunk(10..11, 10..11),
                    hunk(70_000..70_000, 70_000..70_002),
                    hunk(150_000..150_003, 150_002..150_003)
                ]
            );
        }
    }

    #[test]
    fn long_texts_without_anchors_are_one_difference() {
        let (a, b) = (tokens(60_000, 3, 1), tokens(60_000, 3, 2));
        assert!(!align(&a, &b).is_empty());
        let (a, b) = (vec![1; 3000], [vec![2; 3000], vec![1; 3000]].concat());
        let (a, b) = ([&[5], &a[..], &[6]].concat(), [&[7], &b[..], &[8]].concat());
        assert_eq!(align(&a, &b).len(), 1);
    }

    #[test]
    fn the_series_is_a_longest_one() {
        let pairs = [(0, 5), (1, 0), (2, 6), (3, 1), (4, 2), (5, 7), (6, 3)];
        assert_eq!(ascending(&pairs), [(1, 0), (3, 1), (4, 2), (6, 3)]);
        assert_eq!(ascending(&[]), []);
    }

    proptest! {
        /// Whatever blocks anchors give: they are equal, ascend, and do not overlap.
        #[test]
        fn blocks_are_equal(
            a in prop::collection::vec(0u64..30, 0..200),
            b in prop::collection::vec(0u64..30, 0..200),
            width in 1usize..4,
        ) {
            let mut done = (0, 0);
            let whole = Stretch { a: &a, b: &b, at: (0, 0), small: 0 };
            for EqualRun { a: at_a, b: at_b, tokens } in whole.blocks(width) {
                prop_assert!(at_a >= done.0 && at_b >= done.1 && tokens >= width);
                prop_assert_eq!(&a[at_a..at_a + tokens], &b[at_b..at_b + tokens]);
                done = (at_a + tokens, at_b + tokens);
            }
        }

        /// Outside of the hunks the texts are equal, however small stretches have to be.
        #[test]
        fn what_is_aligned_is_equal(
            a in prop::collection::vec(0u64..30, 0..100),
            b in prop::collection::vec(0u64..30, 0..100),
            small in prop_oneof![Just(0), 0usize..200],
        ) {
            let mut done = (0, 0);
            for hunk in align_above(small, &a, &b) {
                prop_assert_eq!(&a[done.0..hunk.a.start], &b[done.1..hunk.b.start]);
                prop_assert!(!hunk.a.is_empty() || !hunk.b.is_empty());
                done = (hunk.a.end, hunk.b.end);
            }
            prop_assert_eq!(&a[done.0..], &b[done.1..]);
        }
    }
}
