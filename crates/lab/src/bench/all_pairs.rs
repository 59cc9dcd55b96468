//! All pairs of sets whose resemblance or containment reaches a threshold.
//!
//! *Input.* Ascending sets of numbered shingles. *Output.* Every such [`Pair`], exactly.
//! *Algorithm.* A prefix filter (Bayardo, Ma and Srikant, *Scaling Up All Pairs Similarity Search*,
//! 2007): the shingles of each set are ordered from rare to frequent. Two sets that share `s`
//! shingles share one of the first `n − s + 1` of each, so only these prefixes are compared by an
//! inverted index. The place of the first shared shingle bounds the shared ones of a candidate
//! (Xiao, Wang, Lin, Yu and Wang, *Efficient Similarity Joins for Near Duplicate Detection*, 2011).
//! A candidate that is left is counted by walking along both sets. *Memory.* 4 bytes a shingle for
//! the order, 8 for each place in the index, a counter a set and thread, 12 bytes a pair.

use model::Ratio;
use rayon::prelude::*;

/// The figure of two sets that has to reach the threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Measure {
    /// |A ∩ B| / |A ∪ B|; each pair once, the lower set first.
    Resemblance,
    /// |A ∩ B| / |A|; A is the first set of the pair.
    Containment,
}

/// Two sets, by their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Pair {
    /// Set A.
    pub(crate) a: u32,
    /// Set B.
    pub(crate) b: u32,
    /// Shingles in both.
    pub(crate) shared: u32,
}

/// A measure and its threshold, which is above 0.
#[derive(Clone, Copy, Debug)]
struct Bound {
    measure: Measure,
    least: Ratio,
}

impl Bound {
    /// The fewest shingles that two sets of these sizes share if they reach the threshold.
    fn shared(self, a: usize, b: usize) -> usize {
        let Ratio {
            numerator,
            denominator,
        } = self.least;
        let shared = match self.measure {
            // s / (a + b − s) ≥ n / d
            Measure::Resemblance => (numerator * (a + b) as u64).div_ceil(numerator + denominator),
            Measure::Containment => (numerator * a as u64).div_ceil(denominator),
        };
        shared as usize
    }

    /// The first shingles of set A, one of which a pair shares. Both figures are at most
    /// |A ∩ B| / |A|, so this many shingles of A are shared.
    fn prefix(self, set: &[u32]) -> &[u32] {
        let shared = (self.least.numerator * set.len() as u64).div_ceil(self.least.denominator);
        &set[..(set.len() + 1 - shared as usize).min(set.len())]
    }

    /// The same of set B.
    fn indexed(self, set: &[u32]) -> &[u32] {
        match self.measure {
            Measure::Resemblance => self.prefix(set),
            Measure::Containment => set,
        }
    }
}

/// All pairs of `sets` that reach `least`, which is above 0.
pub(crate) fn all_pairs(sets: &[Vec<u32>], measure: Measure, least: Ratio) -> Vec<Pair> {
    let bound = Bound { measure, least };
    let (sets, single) = from_rare_to_frequent(sets);
    // The places of each shingle of two sets or more, by set.
    let shingles = shingles(&sets).max(single);
    let mut places: Vec<Vec<(u32, u32)>> = vec![Vec::new(); shingles - single];
    for (number, set) in (0_u32..).zip(&sets) {
        for (at, &shingle) in (0_u32..).zip(bound.indexed(set)) {
            if let Some(shingle) = (shingle as usize).checked_sub(single) {
                places[shingle].push((number, at));
            }
        }
    }
    // `met` holds, for each set, the number after the last set A that met it.
    let of_one = |met: &mut Vec<u32>, a: usize| {
        let mut pairs = Vec::new();
        for (at, &shingle) in bound.prefix(&sets[a]).iter().enumerate() {
            let Some(shingle) = (shingle as usize).checked_sub(single) else {
                continue;
            };
            let first = match measure {
                Measure::Resemblance => places[shingle].partition_point(|of| of.0 as usize <= a),
                Measure::Containment => 0,
            };
            for &(b, at_b) in &places[shingle][first..] {
                if b as usize == a || met[b as usize] == a as u32 + 1 {
                    continue;
                }
                met[b as usize] = a as u32 + 1;
                let [set, other] = [&sets[a], &sets[b as usize]];
                let least = bound.shared(set.len(), other.len());
                let rests = [&set[at..], &other[at_b as usize..]];
                pairs.extend(shared(rests, least).map(|shared| Pair {
                    a: a as u32,
                    b,
                    shared,
                }));
            }
        }
        pairs
    };
    (0..sets.len())
        .into_par_iter()
        .map_init(|| vec![0; sets.len()], of_one)
        .flatten_iter()
        .collect()
}

/// The number after the last shingle.
pub(crate) fn shingles(sets: &[Vec<u32>]) -> usize {
    let last = sets.iter().flatten().max();
    last.map_or(0, |last| *last as usize + 1)
}

/// How many elements two ascending sets share, if that is at least `least`.
pub(crate) fn shared([a, b]: [&[u32]; 2], least: usize) -> Option<u32> {
    let (mut at, mut at_b, mut shared) = (0, 0, 0);
    while at < a.len() && at_b < b.len() {
        if shared + (a.len() - at).min(b.len() - at_b) < least {
            return None;
        }
        let order = a[at].cmp(&b[at_b]);
        at += usize::from(order.is_le());
        at_b += usize::from(order.is_ge());
        shared += usize::from(order.is_eq());
    }
    (shared >= least).then_some(shared as u32)
}

/// The sets with their shingles numbered anew, those of fewer sets first; and how many shingles
/// have only one set.
fn from_rare_to_frequent(sets: &[Vec<u32>]) -> (Vec<Vec<u32>>, usize) {
    let mut holders = vec![0_u32; shingles(sets)];
    for shingle in sets.iter().flatten() {
        holders[*shingle as usize] += 1;
    }
    let mut order: Vec<u32> = (0..holders.len() as u32).collect();
    order.sort_unstable_by_key(|shingle| (holders[*shingle as usize], *shingle));
    let single = holders.iter().filter(|sets| **sets < 2).count();
    let mut numbers = vec![0_u32; holders.len()];
    for (number, shingle) in (0..).zip(order) {
        numbers[shingle as usize] = number;
    }
    let numbered = |set: &Vec<u32>| {
        let number = |shingle: &u32| numbers[*shingle as usize];
        let mut set: Vec<u32> = set.iter().map(number).collect();
        set.sort_unstable();
        set
    };
    (sets.iter().map(numbered).collect(), single)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Sets that resemble each other often, and some that are empty.
    fn sets() -> impl Strategy<Value = Vec<Vec<u32>>> {
        let near = prop::collection::btree_set(0_u32..14, 0..12);
        let far = prop::collection::btree_set(0_u32..40, 0..25);
        let set = prop_oneof![near, far].prop_map(|set| set.into_iter().collect());
        prop::collection::vec(set, 0..25)
    }

    fn by_brute_force(sets: &[Vec<u32>], measure: Measure, least: Ratio) -> Vec<Pair> {
        let mut pairs = Vec::new();
        for (a, set) in sets.iter().enumerate() {
            for (b, other) in sets.iter().enumerate() {
                let shared = set.iter().filter(|shingle| other.contains(shingle)).count();
                let (is_asked, whole) = match measure {
                    Measure::Resemblance => (a < b, set.len() + other.len() - shared),
                    Measure::Containment => (a != b, set.len()),
                };
                if is_asked && Ratio::new(shared as u64, whole as u64) >= least {
                    let [a, b, shared] = [a, b, shared].map(|number| number as u32);
                    pairs.push(Pair { a, b, shared });
                }
            }
        }
        pairs
    }

    proptest! {
        #[test]
        fn pairs_are_those_of_brute_force(sets in sets(), least in 1_u64..=20) {
            let least = Ratio::new(least, 20);
            for measure in [Measure::Resemblance, Measure::Containment] {
                let mut found = all_pairs(&sets, measure, least);
                found.sort_unstable();
                prop_assert_eq!(found, by_brute_force(&sets, measure, least), "{:?}", measure);
            }
        }
    }
}
