//! The keys by which phase `sort` brings documents together: those that share enough of them are
//! compared.

use crate::Sampling;
use serde::{Deserialize, Serialize};

/// The keys of a sketch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum KeyRule {
    /// Its elements.
    #[default]
    Elements,
    /// A key for each band of so many min-hashes. Two documents of resemblance r share one of b
    /// bands of k min-hashes with probability 1 − (1 − r^k)^b (locality-sensitive hashing).
    Bands {
        /// Min-hashes of a band, at least 1.
        rows: u32,
        /// Bands that a candidate pair shares, at least 1.
        shared: u32,
    },
    /// A key for each run of so many elements of the sorted sketch: the super-shingles of
    /// *Syntactic Clustering of the Web*. A shorter sketch has one, of all its elements.
    SuperShingles {
        /// Elements of a super-shingle, at least 1.
        length: u32,
        /// Super shingles that a candidate pair shares, at least 1.
        shared: u32,
    },
}

impl KeyRule {
    /// Whether the keys are the elements of sketches.
    pub fn is_elements(&self) -> bool {
        *self == KeyRule::Elements
    }

    /// The fewest keys that a candidate pair shares.
    pub fn least(&self) -> u32 {
        match *self {
            KeyRule::Elements => 1,
            KeyRule::Bands { shared, .. } | KeyRule::SuperShingles { shared, .. } => shared,
        }
    }

    /// Replaces `sketch` by its keys, distinct.
    pub fn replace(&self, sampling: Sampling, sketch: &mut Vec<u64>) {
        let keys: Vec<u64> = match *self {
            KeyRule::Elements => return,
            KeyRule::Bands { rows, .. } => {
                sketch.chunks(rows.max(1) as usize).map(key_of).collect()
            }
            KeyRule::SuperShingles { length, .. } => {
                sketch.sort_unstable_by_key(|one| (sampling.value_of(*one), *one));
                let length = sketch.len().min(length as usize).max(1);
                sketch.windows(length).map(key_of).collect()
            }
        };
        *sketch = keys;
        sketch.sort_unstable();
        sketch.dedup();
    }
}

/// The key of a band of min-hashes, or of a super-shingle: a hash of its elements in their order.
/// The elements of a band have the numbers of their permutations in them, so two bands of equal
/// values under other permutations have different keys.
pub fn key_of(elements: &[u64]) -> u64 {
    elements.iter().fold(0, |key, one| mix(key ^ one))
}

/// A bijection of 64 bits without pattern (Steele, Lea, Flood, *Fast splittable pseudorandom number
/// generators*, 2014).
pub const fn mix(number: u64) -> u64 {
    let mut x = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIN: Sampling = Sampling::Min {
        size: 9,
        modulus: 1,
    };

    fn keys(rule: KeyRule, sketch: &[u64]) -> Vec<u64> {
        let mut keys = sketch.to_vec();
        rule.replace(MIN, &mut keys);
        keys
    }

    #[test]
    fn sketches_share_the_super_shingles_of_their_common_runs() {
        let rule = KeyRule::SuperShingles {
            length: 3,
            shared: 1,
        };
        let [a, b] = [[1, 2, 3, 4, 6, 7], [1, 2, 3, 4, 5, 7]].map(|sketch| keys(rule, &sketch));
        assert_eq!((a.len(), b.len()), (4, 4));
        assert_eq!(a.iter().filter(|key| b.contains(key)).count(), 2);
        assert_eq!(keys(rule, &[1, 2]).len(), 1);
        assert_eq!(keys(rule, &[]), []);
        assert_eq!(keys(KeyRule::Elements, &[1, 2]), [1, 2]);
    }

    /// The share of pairs of resemblance s that share a band is 1 − (1 − s^r)^b.
    #[test]
    fn bands_follow_the_s_curve() {
        const PAIRS: u64 = 4000;
        for (bands, rows, tenths) in [(20, 10, 8), (20, 5, 5), (25, 5, 6), (10, 2, 3)] {
            let rule = KeyRule::Bands { rows, shared: 1 };
            let shares_band = |pair: u64| {
                let slot = |at: u64, side: u64| {
                    let bits = mix(pair << 20 | at << 1);
                    at << 56 | if bits % 10 < tenths { 0 } else { side }
                };
                let sketch = |side| (0..bands * u64::from(rows)).map(move |at| slot(at, side));
                let [a, b] = [1, 2].map(|side| keys(rule, &sketch(side).collect::<Vec<_>>()));
                assert_eq!(a.len() as u64, bands);
                a.iter().any(|key| b.contains(key))
            };
            let found = (0..PAIRS).filter(|pair| shares_band(*pair)).count() as f64;
            let s = tenths as f64 / 10.0;
            let expected = 1.0 - (1.0 - s.powi(rows as i32)).powi(bands as i32);
            let share = found / PAIRS as f64;
            assert!((share - expected).abs() < 0.03, "{share} of {expected}");
        }
    }
}
