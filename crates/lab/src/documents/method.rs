//! The methods and sizes that are held against exact sets: those of `[sketch] method`, by the
//! program's own sketches, keys and estimates.

use config::SketchConfig;
use model::PermutationFamily::{self, Keyed, Linear};
use model::{Estimate, KeyRule, Sampling, shared};
use sketch::{SetSampler, SketchParams};

/// A method of a size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Method {
    pub(super) name: &'static str,
    /// `None` of the configured method.
    pub(super) size: Option<usize>,
    sampling: Sampling,
    keys: KeyRule,
}

const fn modulus(modulus: u32) -> Sampling {
    Sampling::Modulus { modulus }
}

const fn adaptive(target: u32) -> Sampling {
    Sampling::Adaptive {
        target,
        coarsest_log2: 5,
    }
}

const fn min(size: u32, modulus: u32) -> Sampling {
    Sampling::Min { size, modulus }
}

const fn min_hash(permutations: u32, family: PermutationFamily) -> Sampling {
    Sampling::MinHash {
        permutations,
        family,
    }
}

const MIN_HASH_200: Sampling = min_hash(200, Keyed);

const fn bands(rows: u32) -> KeyRule {
    KeyRule::Bands { rows, shared: 1 }
}

const fn super_shingles(length: u32) -> KeyRule {
    KeyRule::SuperShingles { length, shared: 1 }
}

const fn method(name: &'static str, size: usize, sampling: Sampling, keys: KeyRule) -> Method {
    Method {
        name,
        size: Some(size),
        sampling,
        keys,
    }
}

pub(super) const MIN_HASH: &str = "minhash";
pub(super) const BANDS: &str = "minhash, bands of 10";
pub(super) const SUPER_SHINGLES: &str = "super-shingles of min, 200";
const SUPER_OF_MIN_HASH: &str = "super-shingles of minhash, 200";
const ELEMENTS: KeyRule = KeyRule::Elements;

const METHODS: [Method; 17] = [
    method("modulus", 25, modulus(25), ELEMENTS),
    method("modulus", 8, modulus(8), ELEMENTS),
    method("adaptive-modulus", 64, adaptive(64), ELEMENTS),
    method("adaptive-modulus", 128, adaptive(128), ELEMENTS),
    method("adaptive-modulus", 256, adaptive(256), ELEMENTS),
    method("min", 100, min(100, 1), ELEMENTS),
    method("min", 200, min(200, 1), ELEMENTS),
    method("min-of-modulus, 4", 100, min(100, 4), ELEMENTS),
    method(MIN_HASH, 100, min_hash(100, Keyed), ELEMENTS),
    method(MIN_HASH, 200, MIN_HASH_200, ELEMENTS),
    method("minhash, linear", 200, min_hash(200, Linear), ELEMENTS),
    method(BANDS, 200, MIN_HASH_200, bands(10)),
    method("minhash, bands of 5", 125, min_hash(125, Keyed), bands(5)),
    method(SUPER_SHINGLES, 6, min(200, 1), super_shingles(6)),
    method(SUPER_SHINGLES, 14, min(200, 1), super_shingles(14)),
    method(SUPER_OF_MIN_HASH, 6, MIN_HASH_200, super_shingles(6)),
    method(SUPER_OF_MIN_HASH, 14, MIN_HASH_200, super_shingles(14)),
];

/// The part of a document that a method keeps.
pub(super) struct Sketch {
    level: usize,
    elements: Vec<u64>,
    /// The keys by which the document is sorted; none if they are the elements.
    keys: Option<Vec<u64>>,
}

impl Sketch {
    fn keys(&self) -> &[u64] {
        self.keys.as_ref().unwrap_or(&self.elements)
    }

    /// How many records it has in the sort, and its bytes on disk: 8 for each element of the sketch
    /// and 12 for each record.
    pub(super) fn size(&self) -> (usize, usize) {
        let records = self.keys().len();
        (records, 8 * self.elements.len() + 12 * records)
    }
}

/// The estimate of a method for two documents.
pub(super) struct Judged {
    /// Whether it compares them.
    pub(super) is_candidate: bool,
    /// `None` if they share too few keys. Where the elements are the keys, it is there in any case:
    /// that none is shared is an estimate, too.
    pub(super) estimate: Option<Estimate>,
}

impl Judged {
    /// Whether it links them at a threshold.
    pub(super) fn reaches(&self, threshold: f64) -> bool {
        let reaches = |estimate: Estimate| estimate.ratio.to_f64() >= threshold;
        self.is_candidate && self.estimate.is_some_and(reaches)
    }
}

impl Method {
    /// All methods, and before them that of the configuration if it is none of them.
    pub(super) fn all(config: &SketchConfig) -> Vec<Method> {
        let configured = Method {
            name: "as configured",
            size: None,
            sampling: config.sampling,
            keys: config.sort_keys,
        };
        let is_listed = METHODS
            .iter()
            .any(|one| (one.sampling, one.keys) == (configured.sampling, configured.keys));
        let own = (!is_listed).then_some(configured);
        own.into_iter().chain(METHODS).collect()
    }

    /// Makes sketches of sets.
    pub(super) fn sampler(&self, params: &SketchParams) -> SetSampler {
        SetSampler::new(&SketchParams {
            sampling: self.sampling,
            ..params.clone()
        })
    }

    pub(super) fn sketch(&self, sampler: &mut SetSampler, set: &[u64]) -> Sketch {
        let (level, elements) = sampler.sketch(set);
        let elements = elements.to_vec();
        let keys = (self.keys != KeyRule::Elements).then(|| {
            let mut keys = elements.clone();
            self.keys.replace(self.sampling, &mut keys);
            keys
        });
        Sketch {
            level,
            elements,
            keys,
        }
    }

    /// Compares two documents as a run does: by their keys, then by their sketches, of which a link
    /// shares at least `min_shared` elements.
    pub(super) fn judge(&self, a: &Sketch, b: &Sketch, min_shared: u32) -> Judged {
        let [of_a, of_b] = [a, b].map(|one| (one.level, &one.elements[..]));
        let overlap = self.sampling.compare(of_a, of_b);
        let shares_keys = match self.keys {
            KeyRule::Elements => true,
            _ => shared(a.keys(), b.keys()) >= self.keys.least() as usize,
        };
        Judged {
            is_candidate: shares_keys && overlap.shared >= min_shared,
            estimate: shares_keys.then(|| overlap.resemblance()),
        }
    }
}
