//! How many different values a population has, from a sample of it.
//!
//! *Input.* How often each value met in the sample was met, and which share of the population the
//! sample is. *Output.* The number of different values. *Algorithm.* The generalised jackknife Duj1
//! of Haas, Naughton, Seshadri and Stokes (*Sampling-based estimation of the number of distinct
//! values of an attribute*, 1995): with d values met, f1 of them once, in n items that are the
//! share q of all, D = d / (1 − (1 − q) f1 / n). It takes values to be about equally frequent, and
//! gives too few otherwise: N² / Σ s² instead of the number of values of s items, N in all. Where
//! many items are single, N − 2 P / r is better, with P pairs of equal items and r the size of the
//! values that are not single; from T triples of equal items r = 2 + 3 T / P, and r = 2 without
//! any. That, too, gives too few with r = 2; so the largest counts. A few large values mislead all
//! of them. So, as in their Duj2a, values met [`OFTEN`] times and more count as themselves; and
//! when those met three and four times (f4 / f3 = (s − 3) q / 4 (1 − q) for values of s items) show
//! values behind them that a sample would hardly miss, beside many it met once, these two kinds are
//! counted apart. *Memory.* Five numbers. *Limits.* What lies between cannot be known: in a sample
//! of one in a hundred a value of ten items looks like forty-five values of two.

/// A value met so often is one of the large ones.
const OFTEN: u64 = 5;

/// Values met three or four times that are needed to say anything about larger ones.
const SHOWN_MIN: f64 = 10.0;

/// Where fewer values than this share of the items are left beside repeats, they are not taken for
/// single.
const SINGLES_MIN: f64 = 0.3;

/// Single values beside repeats count where they are more than was estimated otherwise by so many
/// standard errors.
const TELLING_ERRORS: f64 = 2.0;

/// Counts by how often values were met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Meetings {
    /// Values met once, twice, three and four times.
    few: [u64; OFTEN as usize - 1],
    /// Values met more often.
    often: u64,
}

impl Meetings {
    /// Adds a value met `times` times.
    pub(super) fn add(&mut self, times: u64) {
        match times {
            0 => {}
            OFTEN.. => self.often += 1,
            few => self.few[few as usize - 1] += 1,
        }
    }

    /// Different values met.
    pub(super) fn different(&self) -> u64 {
        self.few.iter().sum::<u64>() + self.often
    }

    /// Different values of the population of which `share` was looked at.
    pub(super) fn different_in_all(&self, share: f64) -> f64 {
        let met = self.different() as f64;
        if share >= 1.0 || met == 0.0 {
            return met;
        }
        let few = self.few.map(|n| n as f64);
        let [once, twice, thrice, four] = few;
        let often = self.often as f64;
        let (large, few) = match self.larger(share) {
            // Values behind those met three and four times, and what they have among those met once
            // and twice.
            Some([never, of_once, of_twice]) => {
                let left = [
                    (once - of_once).max(0.0),
                    (twice - of_twice).max(0.0),
                    0.0,
                    0.0,
                ];
                (never + of_once + of_twice + thrice + four, left)
            }
            None => (0.0, few),
        };
        (often + large + rest(few, share)).max(met)
    }

    /// Those of the values behind the ones met three and four times that were met never, once and
    /// twice, if they are so large that they were expected to be met, and if many more were met
    /// once than they account for.
    fn larger(&self, share: f64) -> Option<[f64; 3]> {
        let [once, _, thrice, four] = self.few.map(|n| n as f64);
        if thrice + four < SHOWN_MIN || thrice * four == 0.0 {
            return None;
        }
        let odds = (1.0 - share) / share;
        let size = 3.0 + 4.0 * odds * four / thrice;
        let of_twice = thrice * 3.0 * odds / (size - 2.0);
        let of_once = of_twice * 2.0 * odds / (size - 1.0);
        let never = of_once * odds / size;
        let error = of_once * 2.0 * (1.0 / thrice + 1.0 / four).sqrt();
        (size * share >= 1.0 && once - of_once > 3.0 * error).then_some([never, of_once, of_twice])
    }
}

/// The values behind those that were met once, twice, three and four times.
fn rest(few: [f64; 4], share: f64) -> f64 {
    let [once, twice, thrice, four] = few;
    let items = once + 2.0 * twice + 3.0 * thrice + 4.0 * four;
    if items <= 0.0 {
        return 0.0;
    }
    let jackknife = few.iter().sum::<f64>() / (1.0 - (1.0 - share) * once / items);
    let all = items / share;
    let pairs = (twice + 3.0 * thrice + 6.0 * four) / (share * share);
    let triples = (thrice + 4.0 * four) / (share * share * share);
    let shown = thrice + four;
    let weight = shown / (shown + SHOWN_MIN);
    let size = 2.0
        + if pairs > 0.0 {
            weight * 3.0 * triples / pairs
        } else {
            0.0
        };
    let repeated = 2.0 * pairs / size;
    let beside_singles = all - repeated;
    let otherwise = jackknife.max(all - pairs);
    // A small difference of two large numbers says nothing, nor one that chance may have made.
    let chance =
        repeated * (1.0 / twice.max(1.0) + ((size - 2.0) / size).powi(2) / shown.max(1.0)).sqrt();
    let tells =
        beside_singles >= SINGLES_MIN * all && beside_singles - otherwise > TELLING_ERRORS * chance;
    if tells { beside_singles } else { otherwise }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What is met of classes of these sizes (`(size, how many)`) when each item is met one time in
    /// `one_in`.
    fn met(classes: &[(u64, u64)], one_in: u64, seed: u64) -> Meetings {
        let mut random = testkit::Random::for_item(seed, 0);
        let mut meetings = Meetings::default();
        for &(size, count) in classes {
            for _ in 0..count {
                meetings.add((0..size).filter(|_| random.below(one_in) == 0).count() as u64);
            }
        }
        meetings
    }

    fn is_within(estimate: f64, truth: u64, share: f64) -> bool {
        (estimate / truth as f64 - 1.0).abs() <= share
    }

    proptest! {
        #[test]
        fn all_read_is_all_known(classes in proptest::collection::vec((1u64..50, 0u64..50), 0..10)) {
            let meetings = met(&classes, 1, 0);
            let different: u64 = classes.iter().map(|(_, count)| count).sum();
            prop_assert_eq!(meetings.different_in_all(1.0), different as f64);
        }

        #[test]
        fn classes_of_about_one_size_are_counted(
            size in 1u64..60, one_in in 2u64..16, seed: u64,
        ) {
            let count = 60_000 / size;
            let estimate = met(&[(size, count)], one_in, seed).different_in_all(1.0 / one_in as f64);
            prop_assert!(is_within(estimate, count, 0.3), "{} of {}", estimate, count);
        }

        #[test]
        fn singles_beside_pairs_and_large_classes_are_counted(
            singles in 10_000u64..40_000, pairs in 0u64..8_000, large in 0u64..40, one_in in 5u64..16, seed: u64,
        ) {
            let classes = [(1, singles), (2, pairs), (40 * one_in, large)];
            let estimate = met(&classes, one_in, seed).different_in_all(1.0 / one_in as f64);
            prop_assert!(is_within(estimate, singles + pairs + large, 0.3), "{} of {:?}", estimate, classes);
        }

        #[test]
        fn no_estimate_is_below_what_was_met(
            few in proptest::array::uniform4(0u64..30), often in 0u64..30, share in 0.0001f64..1.0,
        ) {
            let meetings = Meetings { few, often };
            let estimate = meetings.different_in_all(share);
            prop_assert!(estimate >= meetings.different() as f64 && estimate.is_finite());
        }
    }

    #[test]
    fn chance_does_not_make_singles_of_classes_of_four() {
        // 25 are met three times: as many more or less by chance as would leave a third of all
        // items single.
        for seed in 0..1000 {
            let estimate = met(&[(4, 15_000)], 13, seed).different_in_all(1.0 / 13.0);
            assert!(is_within(estimate, 15_000, 0.3), "{estimate}, seed {seed}");
        }
    }

    #[test]
    fn classes_of_thousands_do_not_hide_the_singles() {
        // One in 450 is met: of a class of a thousand two or three, which the plain jackknife would
        // spread over all.
        let classes = [(1, 2_000_000), (1000, 1000)];
        let estimate = met(&classes, 450, 7).different_in_all(1.0 / 450.0);
        assert!(is_within(estimate, 2_001_000, 0.3), "{estimate}");
    }
}
