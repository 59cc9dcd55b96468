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
    let samples: BTreeMap<u64, Sample<'_>> = counted
        .iter()
        .filter(|(_, docs)| docs.len() >= 4)
        .map(|(&shingle, docs)| (shingle, Sample::of(shingle, docs, documents, &sketched)))
        .collect();
    // Of the shingles that are in the same counted documents, the lowest of the coarsest level.
    let mut blocks: BTreeMap<&[u32], (usize, u64)> = BTreeMap::new();
    for (&shingle, sample) in &samples {
        let level = params.sampling.coarsest_level_of(shingle);
        let best = blocks.entry(sample.counted).or_insert((level, shingle));
        if best.0 < level {
            *best = (level, shingle);
        }
    }
    let shingles: BTreeSet<u64> = sketched.keys().chain(samples.keys()).copied().collect();
    let of_shingle = |shingle: u64| {
        let sketches = sketched.get(&shingle).map_or(&[][..], Vec::as_slice);
        let mut frequency = sketches.len() as u64;
        let mut known = sketches.first().copied();
        if let Some(sample) = samples.get(&shingle) {
            let (level, best) = blocks[sample.counted];
            let is_finer = params.sampling.coarsest_level_of(shingle) < level;
            let estimate = if is_finer && sample.is_uncertain(params.common_limit) {
                Some(samples[&best].documents())
            } else {
                (sample.beyond >= 4).then(|| sample.documents())
            };
            if let Some(estimate) = estimate {
                frequency = frequency.max(estimate);
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

/// What counted documents say of a shingle.
struct Sample<'a> {
    /// The counted documents that contain it: at least four.
    counted: &'a [u32],
    /// How many of them contain it beyond their sketches.
    beyond: u64,
    /// How many sketches contain it.
    sketches: u64,
}

impl Sample<'_> {
    fn of<'a>(
        shingle: u64,
        counted: &'a [u32],
        documents: &[OracleDocument],
        sketched: &BTreeMap<u64, Vec<u32>>,
    ) -> Sample<'a> {
        let is_beyond = |doc: &&u32| {
            let sketch = &documents[**doc as usize].fingerprints;
            sketch.binary_search(&shingle).is_err()
        };
        Sample {
            counted,
            beyond: counted.iter().filter(is_beyond).count() as u64,
            sketches: sketched.get(&shingle).map_or(0, Vec::len) as u64,
        }
    }

    /// How many documents contain the shingle: 64 for each beyond its sketch, if they are four.
    fn documents(&self) -> u64 {
        let beyond = Some(self.beyond).filter(|beyond| *beyond >= 4);
        self.sketches + 64 * beyond.unwrap_or(0)
    }

    /// Whether 64 for each is not clearly below or above the limit.
    fn is_uncertain(&self, limit: u64) -> bool {
        let estimate = 64 * self.counted.len() as u64;
        estimate >= limit / 3 && estimate / 2 <= limit
    }
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
        is_crowd: false,
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
