//! Common shingles, and the links between representatives.
//!
//! Input: sketches of representatives. Output: common shingles, links. Algorithm: a shingle in too
//! many sketches is common. Two documents are compared if they share a shingle that is not, or if
//! common shingles propose them; two sketches compare at the coarser of their moduli, with all
//! shingles of both. With `drops_common`, as in *Syntactic Clustering of the Web*, common shingles
//! are left out altogether. Memory: O(documents²).

use std::collections::{BTreeMap, BTreeSet};

use model::{Overlap, Sampling};

use super::classes::Classes;
use super::outcome::OracleLink;
use super::proposals;
use super::question::{OracleDocument, OracleParams};

/// The sketch of a representative, or what is left of it.
struct Rest {
    doc: u32,
    level: usize,
    fingerprints: Vec<u64>,
}

/// The shingles in more than `limit` representatives: (shingle, representatives, the lowest).
pub(super) fn common_shingles(
    documents: &[OracleDocument],
    classes: &Classes,
    params: &OracleParams,
) -> Vec<(u64, u32, u32)> {
    let holders = holders(documents, classes).into_iter();
    let common = holders.filter(|(_, docs)| docs.len() as u64 > params.common_limit);
    common
        .map(|(shingle, docs)| (shingle, docs.len() as u32, docs[0]))
        .collect()
}

/// For each shingle, the representatives whose sketches contain it, ascending.
fn holders(documents: &[OracleDocument], classes: &Classes) -> BTreeMap<u64, Vec<u32>> {
    let mut holders: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
    for doc in classes.representatives() {
        for shingle in &documents[doc as usize].fingerprints {
            holders.entry(*shingle).or_default().push(doc);
        }
    }
    holders
}

/// All links, sorted by (a, b).
pub(super) fn find(
    documents: &[OracleDocument],
    classes: &Classes,
    common: &[(u64, u32, u32)],
    params: &OracleParams,
) -> Vec<OracleLink> {
    let is_common = |one: &u64| common.binary_search_by_key(one, |entry| entry.0).is_ok();
    let sketch = |doc: u32| {
        let document = &documents[doc as usize];
        let all = document.fingerprints.iter().copied();
        let kept = all.filter(|one| !params.drops_common || !is_common(one));
        Rest {
            doc,
            level: document.level,
            fingerprints: kept.collect(),
        }
    };
    let sketches: Vec<Rest> = classes.representatives().into_iter().map(sketch).collect();
    let groups = holders(documents, classes).into_iter();
    let groups: Vec<Vec<u32>> = groups
        .filter(|(shingle, _)| !params.drops_common && is_common(shingle))
        .map(|(_, docs)| docs)
        .collect();
    let proposed: BTreeSet<(u32, u32)> = proposals::pairs(documents, &groups, params.common_limit);
    let mut links = Vec::new();
    for (position, a) in sketches.iter().enumerate() {
        for b in sketches.iter().skip(position + 1) {
            let is_shared = |one: &&u64| b.fingerprints.binary_search(one).is_ok();
            let mut shared = a.fingerprints.iter().filter(is_shared);
            if proposed.contains(&(a.doc, b.doc)) || shared.any(|one| !is_common(one)) {
                links.extend(link(a, b, params));
            }
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
    // Of a sample, fewer than four shared shingles prove no containment.
    let is_enough = modulus == 1 || shared >= 4;
    let contained = |ratio| {
        is_enough
            && params
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
        a_in_b: contained(overlap.share_of(overlap.size_a)),
        b_in_a: contained(overlap.share_of(overlap.size_b)),
    };
    (link.resemblance_reached || link.a_in_b || link.b_in_a).then_some(link)
}

/// The modulus of a level, never 0.
pub(super) fn modulus(sampling: Sampling, level: usize) -> u32 {
    match sampling {
        Sampling::Modulus { modulus } | Sampling::Min { modulus, .. } => modulus.max(1),
        Sampling::Adaptive { .. } => 1 << level.min(31),
        Sampling::MinHash { .. } => 1,
    }
}
