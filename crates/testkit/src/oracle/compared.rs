//! Pairs whose sketches, of a fixed size, are compared whole.
//!
//! Input: sketches of representatives. Output: compared pairs, and their links. Algorithm: a pair
//! is compared if it shares a key that is not in too many documents, or if it is one of a crowd.
//! The counts are those of Broder, *On the resemblance and containment of documents* (1997),
//! theorem 1, by sets. Memory: O(documents²).

use std::collections::BTreeSet;

use model::{Overlap, Sampling};

use super::classes::Classes;
use super::crowds;
use super::outcome::{OracleCrowdPair, OracleLink};
use super::question::{OracleDocument, OracleParams};

/// The compared pairs that share something, sorted, whatever the floor is. `common` are the keys
/// that make no pair.
pub(super) fn find(
    documents: &[OracleDocument],
    classes: &Classes,
    common: &[(u64, u32, u32)],
    params: &OracleParams,
) -> Vec<OracleCrowdPair> {
    let keys = |doc: u32| -> BTreeSet<u64> {
        let sketch = documents[doc as usize].fingerprints.iter().copied();
        sketch
            .filter(|key| common.iter().all(|(one, ..)| one != key))
            .collect()
    };
    let mut pairs = BTreeSet::new();
    if params.crowds.is_some() {
        pairs = crowds::pairs(documents, classes, common, params);
    }
    let representatives = classes.representatives();
    for (at, &a) in representatives.iter().enumerate() {
        for &b in &representatives[at + 1..] {
            if !keys(a).is_disjoint(&keys(b)) {
                pairs.insert((a, b));
            }
        }
    }
    let compared = pairs.into_iter().map(|(a, b)| OracleCrowdPair {
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

/// What two sketches share, by the definition of their method.
fn overlap(a: &[u64], b: &[u64], sampling: Sampling) -> Overlap {
    let Sampling::Min { size, modulus } = sampling else {
        return Overlap {
            shared: 0,
            size_a: 0,
            size_b: 0,
            modulus: 1,
        };
    };
    let union: BTreeSet<u64> = a.iter().chain(b).copied().collect();
    let smallest: Vec<u64> = union.iter().copied().take(size as usize).collect();
    let size_of = |set: &[u64]| smallest.iter().filter(|one| set.contains(one)).count() as u32;
    let is_in_both = |one: &&u64| a.contains(one) && b.contains(one);
    let is_cut = |count: usize| count >= size as usize;
    let is_whole = !is_cut(a.len()) && !is_cut(b.len()) && union.len() < size as usize;
    Overlap {
        shared: smallest.iter().filter(is_in_both).count() as u32,
        size_a: size_of(a),
        size_b: size_of(b),
        modulus: if is_whole { modulus } else { u32::MAX },
    }
}

/// The links of compared pairs.
pub(super) fn links(pairs: &[OracleCrowdPair], params: &OracleParams) -> Vec<OracleLink> {
    let is_link = |pair: &&OracleCrowdPair| {
        let ratio = pair.overlap.resemblance().ratio;
        pair.overlap.shared >= params.min_shared && params.resemblance.reached_by(ratio)
    };
    let link = |pair: &OracleCrowdPair| OracleLink {
        a: pair.a,
        b: pair.b,
        shared: pair.overlap.shared,
        size_a: pair.overlap.size_a,
        size_b: pair.overlap.size_b,
        modulus: pair.overlap.modulus,
        resemblance_reached: true,
        a_in_b: false,
        b_in_a: false,
        is_crowd: false,
    };
    pairs.iter().filter(is_link).map(link).collect()
}
