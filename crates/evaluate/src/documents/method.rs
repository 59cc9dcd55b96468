//! The methods and sizes that are held against exact sets.

use crate::methods::minhash::{Functions, equal_places};
use crate::methods::sample::{Hits, common, common_of_smallest, multiples, smallest};
use crate::methods::super_shingle::share_one;
use model::Interval;

/// The seed of the hash functions of minima. Fingerprints are in a random order already.
pub(super) const SEED: u64 = 6;

/// A method of a size.
#[derive(Clone, Copy, Debug)]
pub(super) enum Method {
    Modulus(u64),
    /// The least power of two that leaves at most so many values, up to 32.
    Adaptive(usize),
    Smallest(usize),
    Minima(usize),
    /// Bands of ten rows over so many minima.
    Bands(usize),
    /// Super-shingles of so many of the 200 smallest values.
    SuperShingles(usize),
}

pub(super) const METHODS: [Method; 12] = [
    Method::Modulus(25),
    Method::Modulus(8),
    Method::Adaptive(64),
    Method::Adaptive(128),
    Method::Adaptive(256),
    Method::Smallest(100),
    Method::Smallest(200),
    Method::Minima(100),
    Method::Minima(200),
    Method::Bands(200),
    Method::SuperShingles(6),
    Method::SuperShingles(14),
];

/// What a method keeps of a document.
pub(super) enum Sketch {
    Values { values: Vec<u64>, modulus: u64 },
    Signature(Vec<u32>),
}

impl Sketch {
    /// Its values, and the bytes that they take.
    pub(super) fn size(&self) -> (usize, usize) {
        match self {
            Sketch::Values { values, .. } => (values.len(), 8 * values.len()),
            Sketch::Signature(values) => (values.len(), 4 * values.len()),
        }
    }
}

/// What a method says of two documents.
pub(super) struct Judged {
    /// Whether it compares them.
    pub(super) is_candidate: bool,
    /// The estimate with its interval; without one, all candidates are links.
    pub(super) estimate: Option<(f64, Interval)>,
}

impl Judged {
    /// Whether it links them at a threshold.
    pub(super) fn reaches(&self, threshold: f64) -> bool {
        self.is_candidate && self.estimate.is_none_or(|(one, _)| one >= threshold)
    }
}

impl Method {
    pub(super) fn name(self) -> (&'static str, usize) {
        match self {
            Method::Modulus(modulus) => ("MOD_m", modulus as usize),
            Method::Adaptive(target) => ("adaptive (default: 128)", target),
            Method::Smallest(s) => ("MIN_s", s),
            Method::Minima(count) => ("minima", count),
            Method::Bands(count) => ("minima, bands of 10", count),
            Method::SuperShingles(length) => ("super-shingles of MIN_200", length),
        }
    }

    pub(super) fn sketch(self, set: &[u64], functions: &Functions) -> Sketch {
        let values = |values: Vec<u64>, modulus| Sketch::Values { values, modulus };
        match self {
            Method::Modulus(modulus) => values(multiples(set, modulus), modulus),
            Method::Adaptive(target) => {
                let levels = [1, 2, 4, 8, 16, 32].map(|modulus| (multiples(set, modulus), modulus));
                let fits =
                    |(kept, modulus): &(Vec<u64>, u64)| kept.len() <= target || *modulus == 32;
                let (kept, modulus) = levels.into_iter().find(fits).unwrap_or_default();
                values(kept, modulus)
            }
            Method::Smallest(s) => values(smallest(set, s).to_vec(), 1),
            Method::SuperShingles(_) => values(smallest(set, 200).to_vec(), 1),
            Method::Minima(count) | Method::Bands(count) => {
                Sketch::Signature(functions.signature_of(set, count))
            }
        }
    }

    /// Compares two documents. `union` is the number of shingles of both.
    pub(super) fn judge(self, a: &Sketch, b: &Sketch, union: usize) -> Judged {
        let without_estimate = |is_candidate| Judged {
            is_candidate,
            estimate: None,
        };
        let with_interval = |hits: Hits, one_in: usize| {
            let one_in = u32::try_from(one_in).unwrap_or(u32::MAX);
            (
                hits,
                Interval::wilson(hits.hits as u64, hits.of as u64, one_in),
            )
        };
        let (hits, interval) = match (a, b) {
            (Sketch::Signature(a), Sketch::Signature(b)) => {
                let hits = Hits {
                    hits: equal_places(a, b),
                    of: a.len(),
                };
                let in_band = || a.chunks(10).zip(b.chunks(10)).any(|(a, b)| a == b);
                if matches!(self, Method::Bands(_)) && !in_band() {
                    return without_estimate(false);
                }
                with_interval(hits, usize::MAX)
            }
            (
                Sketch::Values {
                    values: a,
                    modulus: at_a,
                },
                Sketch::Values {
                    values: b,
                    modulus: at_b,
                },
            ) => match self {
                Method::SuperShingles(length) => return without_estimate(share_one(a, b, length)),
                Method::Smallest(s) => {
                    let hits = common_of_smallest(a, b, s);
                    with_interval(hits, union.div_ceil(hits.of.max(1)))
                }
                _ => {
                    let modulus = *at_a.max(at_b);
                    let [a, b] = [a, b].map(|values| multiples(values, modulus));
                    with_interval(common(&a, &b), modulus as usize)
                }
            },
            _ => return without_estimate(false),
        };
        Judged {
            is_candidate: true,
            estimate: Some((hits.ratio(), interval)),
        }
    }
}
