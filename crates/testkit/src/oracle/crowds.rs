//! Pairs of documents that lost shingles as common, and probably resemble each other with them.
//!
//! Input: whole sketches of representatives. Output: pairs with the counts of whole sketches.
//! Algorithm: 32 bands of 2 min-hashes each, of a sketch at its own level and at the next. The
//! documents with equal min-hashes in a band of a level are a group, in order; each is compared
//! with the smallest one before it and the previous one. One smaller than all before it is compared
//! with all of these, up to three such comparisons for each of them. Memory: O(documents).

use std::collections::{BTreeMap, BTreeSet};

use model::{Overlap, Sampling};

use super::classes::Classes;
use super::links::modulus;
use super::outcome::{OracleCrowdPair, OracleLink};
use super::question::{OracleDocument, OracleParams};
use crate::random::Random;

/// Bands, and min-hashes of each.
const BANDS: u64 = 32;
const HASHES: u64 = 2;

/// The place of a band and its min-hashes: level, band, min-hashes.
type Band = (usize, u64, Vec<i32>);

/// The pairs that reach the floor, sorted.
pub(super) fn find(
    documents: &[OracleDocument],
    classes: &Classes,
    common: &[(u64, u32, u32)],
    params: &OracleParams,
) -> Vec<OracleCrowdPair> {
    let Some(floor) = params.crowds else {
        return Vec::new();
    };
    let lost_some = |doc: &u32| {
        let sketch = &documents[*doc as usize].fingerprints;
        common.iter().any(|(shingle, ..)| sketch.contains(shingle))
    };
    let pairs = pairs(documents, classes, lost_some, params.sampling);
    let compared = pairs.into_iter().map(|(a, b)| OracleCrowdPair {
        a,
        b,
        overlap: overlap(
            &documents[a as usize],
            &documents[b as usize],
            params.sampling,
        ),
    });
    compared
        .filter(|pair| pair.overlap.shared > 0)
        .filter(|pair| floor.reached_by(pair.overlap.resemblance().ratio))
        .collect()
}

/// The pairs of representatives that lost something as common.
pub(super) fn pairs(
    documents: &[OracleDocument],
    classes: &Classes,
    lost_some: impl Fn(&u32) -> bool,
    sampling: Sampling,
) -> BTreeSet<(u32, u32)> {
    let mut groups: BTreeMap<Band, Vec<u32>> = BTreeMap::new();
    for doc in classes.representatives() {
        if lost_some(&doc) {
            for band in bands(&documents[doc as usize], sampling) {
                groups.entry(band).or_default().push(doc);
            }
        }
    }
    let mut pairs = BTreeSet::new();
    for group in groups.values() {
        let size = |doc: &u32| documents[*doc as usize].words;
        let mut whole = 0;
        for (at, &doc) in group.iter().enumerate().skip(1) {
            let before = &group[..at];
            let Some(smallest) = before.iter().min_by_key(|other| (size(other), **other)) else {
                continue;
            };
            pairs.extend([(*smallest, doc), (group[at - 1], doc)]);
            if size(&doc) < size(smallest) && whole + at <= 3 * at {
                whole += at;
                pairs.extend(before.iter().map(|other| (*other, doc)));
            }
        }
    }
    pairs
}

/// The bands of a sketch at its level and at the next, if it has fingerprints there.
fn bands(document: &OracleDocument, sampling: Sampling) -> Vec<Band> {
    let mut bands = Vec::new();
    for level in document.level..sampling.levels().min(document.level + 2) {
        let kept = at_level(document, sampling, level);
        if kept.is_empty() {
            continue;
        }
        for band in 0..BANDS {
            let functions = band * HASHES..(band + 1) * HASHES;
            let minima = functions.filter_map(|function| min_hash(function, &kept));
            bands.push((level, band, minima.collect()));
        }
    }
    bands
}

/// The least value of a permutation of 32-bit numbers.
fn min_hash(function: u64, fingerprints: &[u64]) -> Option<i32> {
    let bits = Random::new(function).bits();
    let hash = |fingerprint: &u64| {
        let folded = (fingerprint.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as i32;
        (folded ^ bits as i32).wrapping_mul((bits >> 32) as i32 | 1)
    };
    fingerprints.iter().map(hash).min()
}

/// The fingerprints of a sketch that a level keeps.
fn at_level(document: &OracleDocument, sampling: Sampling, level: usize) -> Vec<u64> {
    let modulus = u64::from(modulus(sampling, level));
    let all = document.fingerprints.iter().copied();
    all.filter(|one| one.is_multiple_of(modulus)).collect()
}

fn overlap(a: &OracleDocument, b: &OracleDocument, sampling: Sampling) -> Overlap {
    let level = a.level.max(b.level);
    let [a, b] = [a, b].map(|document| at_level(document, sampling, level));
    Overlap {
        shared: a.iter().filter(|one| b.contains(one)).count() as u32,
        size_a: a.len() as u32,
        size_b: b.len() as u32,
        modulus: modulus(sampling, level),
    }
}

/// Adds the links that whole sketches make of pairs whose sketches without common shingles do not
/// reach the resemblance. Such a pair may be a link by containment already, and stays one.
pub(super) fn add_links(
    pairs: &[OracleCrowdPair],
    params: &OracleParams,
    links: &mut Vec<OracleLink>,
) {
    for pair in pairs {
        let Overlap {
            shared,
            size_a,
            size_b,
            modulus,
        } = pair.overlap;
        let ratio = pair.overlap.resemblance().ratio;
        let known = links
            .iter()
            .position(|link| (link.a, link.b) == (pair.a, pair.b));
        let known = known.map(|at| links[at]);
        let is_reached = known.is_some_and(|link| link.resemblance_reached);
        if is_reached || shared < params.min_shared || !params.resemblance.reached_by(ratio) {
            continue;
        }
        links.retain(|link| (link.a, link.b) != (pair.a, pair.b));
        links.push(OracleLink {
            a: pair.a,
            b: pair.b,
            shared,
            size_a,
            size_b,
            modulus,
            resemblance_reached: true,
            a_in_b: known.is_some_and(|link| link.a_in_b),
            b_in_a: known.is_some_and(|link| link.b_in_a),
            is_crowd: true,
        });
    }
    links.sort_by_key(|link| (link.a, link.b));
}
