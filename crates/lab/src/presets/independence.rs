//! Are the permutations of min-hashes min-wise independent: is each element of a set the least one
//! equally often? Broder's Theorem 1 and Manning's 19.6 ask for that, of all sets; Broder says that
//! linear functions come near enough in practice.
//!
//! *Input.* Sets of 100 numbers without pattern, as fingerprints are, and of 100 neighbouring
//! numbers. *Output.* How often each is the least one under the permutations that a run draws, and
//! the estimate that follows for two subsets of 80 that share 60. *Algorithm.* The min-hashes of a
//! set of one number are the values of the permutations. *Memory.* 8 bytes for each permutation.

use crate::corpus::ten_words;
use crate::evaluation::{Claim, claims};
use crate::random::mix;
use crate::table::{Table, figure, row};
use model::{PermutationFamily, Sampling};
use sketch::SetSampler;

/// Elements of a set. Two subsets of it lack the first [`ONLY`] and the last; they share 60, and
/// their union is the set.
const ELEMENTS: usize = 100;
const ONLY: usize = 20;
const PERMUTATIONS: u32 = 200;
/// The mean of an unbiased estimate is off by at most so many standard errors.
const DEVIATION_MAX: f64 = 4.0;

/// For each permutation of some seeds, the place of the least element of a set.
fn least(family: PermutationFamily, set: &[u64], seeds: u64) -> Vec<usize> {
    let of_seed = |seed: u64| {
        let sampling = Sampling::MinHash {
            permutations: PERMUTATIONS,
            family,
        };
        let params = ten_words(sampling, &format!("independence {seed}"));
        let mut sampler = SetSampler::new(&params);
        let mut best = vec![(u64::MAX, 0); PERMUTATIONS as usize];
        for (place, element) in set.iter().enumerate() {
            let (_, values) = sampler.sketch(&[*element]);
            for (best, value) in best.iter_mut().zip(values) {
                *best = (*best).min((*value, place));
            }
        }
        best.into_iter().map(|(_, place)| place)
    };
    (0..seeds).flat_map(of_seed).collect()
}

/// How often elements are the least ones, by family and kind of set.
pub(super) fn independence(seeds: u64) -> Table {
    let title = format!("How often is each of {ELEMENTS} elements the least one?");
    let mut table = Table::new(title, []);
    let scattered: Vec<u64> = (0..ELEMENTS as u64).map(mix).collect();
    let neighbours: Vec<u64> = (1 << 40..).take(ELEMENTS).collect();
    for (name, family) in [
        ("keyed", PermutationFamily::Keyed),
        ("linear", PermutationFamily::Linear),
    ] {
        for (kind, set) in [("fingerprints", &scattered), ("neighbours", &neighbours)] {
            let least = least(family, set, seeds);
            let mut counts = [0_usize; ELEMENTS];
            for place in &least {
                counts[*place] += 1;
            }
            let expected = least.len() as f64 / ELEMENTS as f64;
            let squares = counts.map(|count| (count as f64 - expected).powi(2));
            let chi = squares.iter().sum::<f64>() / expected / (ELEMENTS - 1) as f64;
            let [rarest, most] = [counts.iter().min(), counts.iter().max()]
                .map(|count| count.map_or(0.0, |count| *count as f64 / expected));
            let exact = 1.0 - 2.0 * ONLY as f64 / ELEMENTS as f64;
            let equal: usize = counts[ONLY..ELEMENTS - ONLY].iter().sum();
            let mean = equal as f64 / least.len() as f64;
            let standard_error = (exact * (1.0 - exact) / least.len() as f64).sqrt();
            table.push(row! {
                "permutations": name,
                "elements": kind,
                "drawn": least.len(),
                "rarest × n": rarest,
                "most frequent × n": most,
                "chi² / degrees": chi,
                "mean estimate of 0.6": mean,
                "deviation": (mean - exact) / standard_error,
            });
        }
    }
    table
}

/// The conclusions from the table.
pub(super) fn claim(table: &Table) -> Vec<Claim> {
    let deviations = table.column("deviation");
    let chi = table.column("chi² / degrees");
    let [keyed, keyed_of_neighbours, linear, linear_of_neighbours] =
        [0, 1, 2, 3].map(|at| deviations.get(at).map_or(f64::MAX, |one| one.abs()));
    let worst = keyed.max(keyed_of_neighbours).max(linear);
    let chi = chi.last().copied().unwrap_or(0.0);
    claims! {
        "Broder 1997, 4.1",
        "linear transformations of fingerprints are random enough permutations":
            worst <= DEVIATION_MAX,
            "the mean estimate is off by at most {} standard errors for fingerprints under both, \
             and for neighbouring numbers under the keyed one; by {} for neighbouring numbers under \
             the linear one, where chi² is {} times its degrees",
            figure(worst), figure(linear_of_neighbours), figure(chi);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_linear_permutations_of_neighbours_are_not_independent() {
        let table = independence(50);
        let chi: Vec<f64> = table.numbers("chi² / degrees").flatten().collect();
        assert!(
            chi[..3].iter().all(|one| (0.5..1.6).contains(one)),
            "{chi:?}"
        );
        assert!(chi[3] > 1.6, "{chi:?}");
        assert!(claim(&table)[0].met);
    }
}
