//! Common shingles, and the links between representatives.
//!
//! Input: sketches of representatives. Output: common shingles, links. Algorithm: *Syntactic
//! Clustering of the Web*: a shingle in too many sketches is left out; two sketches compare at the
//! coarser of their moduli. Each pair is intersected by itself. Memory: O(links).

use std::collections::{BTreeMap, BTreeSet};

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

/// The shingles in more than `limit` representatives: (shingle, representatives, lowest of those
/// that are known).
pub(super) fn common_shingles(
    documents: &[OracleDocument],
    classes: &Classes,
    params: &OracleParams,
) -> Vec<(u64, u32, u32)> {
    let sketched = holders(documents, classes, |document| &document.fingerprints);
    let counted = holders(documents, classes, |document| &document.counted);
    // Of the shingles of the coarsest level that are in the same counted documents, the lowest.
    let mut blocks: BTreeMap<&[u32], u64> = BTreeMap::new();
    for (&shingle, docs) in &counted {
        if shingle.is_multiple_of(coarsest(params)) {
            blocks.entry(docs).or_insert(shingle);
        }
    }
    let shingles: BTreeSet<u64> = sketched.keys().chain(counted.keys()).copied().collect();
    let of_shingle = |shingle: u64| {
        let sketches = sketched.get(&shingle).map_or(&[][..], Vec::as_slice);
        let mut frequency = sketches.len() as u64;
        let mut known = sketches.first().copied();
        if let Some(sample) = Sample::of(shingle, documents, &counted, params) {
            let coarse = blocks
                .get(sample.counted)
                .and_then(|coarse| sketched.get(coarse));
            if let Some(beyond) = sample.frequency(frequency, coarse.map_or(0, Vec::len) as u64) {
                frequency = beyond;
                known = known
                    .into_iter()
                    .chain(sample.counted.first().copied())
                    .min();
            }
        }
        Some((shingle, u32::try_from(frequency).ok()?, known?))
    };
    let all = shingles.into_iter().filter_map(of_shingle);
    all.filter(|(_, frequency, _)| u64::from(*frequency) > params.common_limit)
        .collect()
}

/// For each shingle, the representatives that contain it, ascending.
fn holders(
    documents: &[OracleDocument],
    classes: &Classes,
    shingles: impl Fn(&OracleDocument) -> &Vec<u64>,
) -> BTreeMap<u64, Vec<u32>> {
    let mut holders: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
    for doc in classes.representatives() {
        for shingle in shingles(&documents[doc as usize]) {
            holders.entry(*shingle).or_default().push(doc);
        }
    }
    holders
}

/// What counted documents say of a shingle that sketches may leave out.
struct Sample<'a> {
    /// The counted documents that contain it: at least four.
    counted: &'a [u32],
    /// How many of them contain it beyond their sketches: at least one.
    beyond: u64,
    /// Whether 64 for each is not clearly below or above the limit.
    is_uncertain: bool,
}

impl Sample<'_> {
    fn of<'a>(
        shingle: u64,
        documents: &[OracleDocument],
        counted: &'a BTreeMap<u64, Vec<u32>>,
        params: &OracleParams,
    ) -> Option<Sample<'a>> {
        let is_coarse = shingle.is_multiple_of(coarsest(params));
        let counted = counted
            .get(&shingle)
            .filter(|docs| docs.len() >= 4 && !is_coarse)?;
        let is_beyond = |doc: &&u32| {
            let sketch = &documents[**doc as usize].fingerprints;
            sketch.binary_search(&shingle).is_err()
        };
        let beyond = counted.iter().filter(is_beyond).count() as u64;
        let estimate = 64 * counted.len() as u64;
        let is_uncertain =
            estimate >= params.common_limit / 4 && estimate / 4 <= params.common_limit;
        let sample = Sample {
            counted,
            beyond,
            is_uncertain,
        };
        let says_something = |sample: &Sample<'_>| sample.beyond > 0;
        Some(sample).filter(says_something)
    }

    /// The number of documents that contain the shingle: that of a shingle of the coarsest level in
    /// the same counted documents, if there is one; or 64 for each beyond its sketch, if they are
    /// four. `None` if it says nothing.
    fn frequency(&self, sketches: u64, coarse: u64) -> Option<u64> {
        if coarse > 0 && self.is_uncertain {
            Some(sketches.max(coarse))
        } else if self.beyond >= 4 {
            Some(sketches + 64 * self.beyond)
        } else {
            None
        }
    }
}

/// The modulus whose multiples every sketch keeps.
fn coarsest(params: &OracleParams) -> u64 {
    u64::from(modulus(params.sampling, params.sampling.levels() - 1))
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
