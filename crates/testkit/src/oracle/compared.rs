//! Pairs whose sketches, of a fixed size, are compared whole.
//!
//! Input: sketches of representatives. Output: compared pairs, and their links. Algorithm: a pair
//! is compared if it shares a key that is not in too many documents, or if common keys propose it.
//! The counts are those of Broder, *On the resemblance and containment of documents* (1997),
//! theorem 1, by sets. Memory: O(documents²).

use std::collections::{BTreeMap, BTreeSet};

use model::{KeyRule, Overlap, Sampling};

use super::classes::Classes;
use super::outcome::{OracleComparedPair, OracleLink};
use super::proposals;
use super::question::{OracleDocument, OracleParams};

/// The compared pairs that share something, sorted, whatever the floor is.
pub(super) fn find(
    documents: &[OracleDocument],
    classes: &Classes,
    params: &OracleParams,
) -> Vec<OracleComparedPair> {
    let representatives = classes.representatives();
    let keys: BTreeMap<u32, BTreeSet<Key>> = representatives
        .iter()
        .map(|doc| (*doc, keys(&documents[*doc as usize].fingerprints, params)))
        .collect();
    let mut documents_of: BTreeMap<&Key, Vec<u32>> = BTreeMap::new();
    for (doc, keys) in &keys {
        for key in keys {
            documents_of.entry(key).or_default().push(*doc);
        }
    }
    let is_common = |key: &&Key| documents_of[key].len() as u64 > params.common_limit;
    let mut pairs = BTreeSet::new();
    if !params.drops_common {
        let common = documents_of.iter().filter(|(key, _)| is_common(key));
        let groups: Vec<Vec<u32>> = common.map(|(_, docs)| docs.clone()).collect();
        pairs = proposals::pairs(documents, &groups, params.common_limit);
    }
    for (at, a) in representatives.iter().enumerate() {
        for b in &representatives[at + 1..] {
            let shared = keys[a].intersection(&keys[b]);
            let count = shared.filter(|key| !is_common(key)).count();
            if count >= params.keys.least() as usize {
                pairs.insert((*a, *b));
            }
        }
    }
    let compared = pairs.into_iter().map(|(a, b)| OracleComparedPair {
        a,
        b,
        overlap: overlap(
            &documents[a as usize].fingerprints,
            &documents[b as usize].fingerprints,
            params.sampling,
        ),
    });
    compared.filter(|pair| pair.overlap.shared > 0).collect()
}

/// A key, as the elements that it is made of.
type Key = Vec<u64>;

/// The keys of a sketch.
fn keys(sketch: &[u64], params: &OracleParams) -> BTreeSet<Key> {
    let runs = |sorted: &[u64], length: u32| {
        let length = sorted.len().min(length as usize).max(1);
        sorted.windows(length).map(<[u64]>::to_vec).collect()
    };
    match params.keys {
        KeyRule::Elements => runs(sketch, 1),
        KeyRule::Bands { rows, .. } => sketch.chunks(rows as usize).map(<[u64]>::to_vec).collect(),
        KeyRule::SuperShingles { length, .. } => {
            let mut sorted = sketch.to_vec();
            if matches!(params.sampling, Sampling::MinHash { .. }) {
                sorted.sort_by_key(|one| (one % (1 << 56), *one));
            }
            runs(&sorted, length)
        }
    }
}

/// The overlap of two sketches, by the definition of their method.
fn overlap(a: &[u64], b: &[u64], sampling: Sampling) -> Overlap {
    match sampling {
        Sampling::Min { size, modulus } => smallest_of_union(a, b, size as usize, modulus),
        // Equal min-hashes of k: n of them make n / k.
        _ => {
            let count = a.len().max(b.len()) as u32;
            let shared = a.iter().filter(|one| b.contains(one)).count() as u32;
            Overlap {
                shared,
                size_a: (count + shared).div_ceil(2),
                size_b: (count + shared) / 2,
                modulus: Overlap::MIN_HASHES,
            }
        }
    }
}

/// The overlap of the smallest elements of the union of two sketches.
fn smallest_of_union(a: &[u64], b: &[u64], size: usize, modulus: u32) -> Overlap {
    let union: BTreeSet<u64> = a.iter().chain(b).copied().collect();
    let smallest: Vec<u64> = union.iter().copied().take(size).collect();
    let size_of = |set: &[u64]| smallest.iter().filter(|one| set.contains(one)).count() as u32;
    let is_in_both = |one: &&u64| a.contains(one) && b.contains(one);
    let is_whole = [a.len(), b.len(), union.len()]
        .iter()
        .all(|count| *count < size);
    Overlap {
        shared: smallest.iter().filter(is_in_both).count() as u32,
        size_a: size_of(a),
        size_b: size_of(b),
        modulus: if is_whole { modulus } else { Overlap::SMALLEST },
    }
}

/// The links of compared pairs.
pub(super) fn links(pairs: &[OracleComparedPair], params: &OracleParams) -> Vec<OracleLink> {
    let is_link = |pair: &&OracleComparedPair| {
        let ratio = pair.overlap.resemblance().ratio;
        pair.overlap.shared >= params.min_shared && params.resemblance.reached_by(ratio)
    };
    let link = |pair: &OracleComparedPair| OracleLink {
        a: pair.a,
        b: pair.b,
        shared: pair.overlap.shared,
        size_a: pair.overlap.size_a,
        size_b: pair.overlap.size_b,
        modulus: pair.overlap.modulus,
        resemblance_reached: true,
        a_in_b: false,
        b_in_a: false,
    };
    pairs.iter().filter(is_link).map(link).collect()
}
