//! Common shingles, and the links between representatives.
//!
//! Input: sketches of representatives. Output: common shingles, links. Algorithm: *Syntactic
//! Clustering of the Web*: a shingle in too many sketches is left out; two sketches compare at the
//! coarser of their moduli. Each pair is intersected by itself. Memory: O(links).

use std::collections::BTreeMap;

use model::{Overlap, Sampling};

use super::classes::Classes;
use super::outcome::OracleLink;
use super::question::{OracleDocument, OracleParams};

/// The sketch of a representative without the common shingles.
pub(super) struct Rest {
    doc: u32,
    level: usize,
    fingerprints: Vec<u64>,
}

/// The shingles in the sketches of more than `limit` representatives: (shingle, representatives,
/// lowest of them).
pub(super) fn common_shingles(
    documents: &[OracleDocument],
    classes: &Classes,
    limit: u64,
) -> Vec<(u64, u32, u32)> {
    let mut holders: BTreeMap<u64, (u32, u32)> = BTreeMap::new();
    for doc in classes.representatives() {
        for &fingerprint in &documents[doc as usize].fingerprints {
            // ascending documents: the first holder is the lowest
            holders.entry(fingerprint).or_insert((0, doc)).0 += 1;
        }
    }
    let common = holders
        .into_iter()
        .filter(|(_, (count, _))| u64::from(*count) > limit);
    common
        .map(|(shingle, (count, lowest))| (shingle, count, lowest))
        .collect()
}

/// The representatives' sketches without common shingles.
pub(super) fn without_common(
    documents: &[OracleDocument],
    classes: &Classes,
    common: &[(u64, u32, u32)],
) -> Vec<Rest> {
    let is_common = |fingerprint: u64| {
        common
            .binary_search_by_key(&fingerprint, |entry| entry.0)
            .is_ok()
    };
    let rest = |doc: u32| {
        let document = &documents[doc as usize];
        let fingerprints = document
            .fingerprints
            .iter()
            .copied()
            .filter(|&f| !is_common(f))
            .collect();
        Rest {
            doc,
            level: document.level,
            fingerprints,
        }
    };
    classes.representatives().into_iter().map(rest).collect()
}

/// All links, sorted by (a, b).
pub(super) fn find(rests: &[Rest], params: &OracleParams) -> Vec<OracleLink> {
    let mut links = Vec::new();
    for (position, a) in rests.iter().enumerate() {
        for b in rests.iter().skip(position + 1) {
            links.extend(link(a, b, params));
        }
    }
    links
}

fn link(a: &Rest, b: &Rest, params: &OracleParams) -> Option<OracleLink> {
    let modulus = modulus(params.sampling, a.level.max(b.level));
    let size = |rest: &Rest| {
        rest.fingerprints
            .iter()
            .filter(|&f| f.is_multiple_of(u64::from(modulus)))
            .count() as u32
    };
    let shared = a
        .fingerprints
        .iter()
        .filter(|&f| b.fingerprints.binary_search(f).is_ok())
        .count() as u32;
    if shared == 0 || shared < params.min_shared {
        return None;
    }
    let overlap = Overlap {
        shared,
        size_a: size(a),
        size_b: size(b),
        modulus,
    };
    let contained = |ratio| {
        params
            .containment
            .is_some_and(|threshold| threshold.reached_by(ratio))
    };
    let link = OracleLink {
        a: a.doc,
        b: b.doc,
        shared,
        size_a: overlap.size_a,
        size_b: overlap.size_b,
        modulus,
        resemblance_reached: params.resemblance.reached_by(overlap.resemblance().ratio),
        a_in_b: contained(overlap.containment_a_in_b().ratio),
        b_in_a: contained(overlap.containment_b_in_a().ratio),
    };
    (link.resemblance_reached || link.a_in_b || link.b_in_a).then_some(link)
}

/// The modulus of a level, never 0.
fn modulus(sampling: Sampling, level: usize) -> u32 {
    match sampling {
        Sampling::Modulus { modulus } => modulus.max(1),
        Sampling::Adaptive { .. } => 1 << level.min(31),
    }
}
