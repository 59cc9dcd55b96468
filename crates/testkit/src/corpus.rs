//! Random sketches with planted relations, for comparing phases with the oracle.
//!
//! Input: a seed and a [`CorpusShape`]. Output: [`OracleDocument`]s. Algorithm: each document draws
//! a full set of shingles, afresh or from an earlier document (see [`CorpusShape::documents`] for
//! the relations); the set is then sampled by the definition of the rule. The universe of shingles
//! is small, so that strangers share some, and a template that many documents carry makes common
//! shingles. Fingerprints are a bijection of small numbers, and now and then 0 and 2^64 − 1, the
//! ends of every sort. Memory: all full sets.

mod case;

use std::collections::BTreeSet;

use model::Sampling;

use crate::oracle::OracleDocument;
use crate::random::{Random, mix};

pub use case::OracleCase;
#[cfg(test)]
pub(crate) use case::threshold;

/// The shape of a random corpus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CorpusShape {
    /// Number of documents.
    pub documents: u32,
    /// Number of different shingles, at least 1.
    pub universe: u64,
    /// Shingles of a document drawn afresh, at most.
    pub set_max: u64,
    /// How many of a thousand documents derive from an earlier one.
    pub derived_per_mille: u64,
    /// How many of a thousand fresh documents carry the template.
    pub template_per_mille: u64,
    /// Bits of a fingerprint: 1 to 64.
    pub fingerprint_bits: u32,
    /// The rule of the sketches.
    pub sampling: Sampling,
}

/// A document before sampling.
#[derive(Clone)]
struct Full {
    identity: u128,
    lexical: u64,
    words: u64,
    bytes: u64,
    date: Option<i64>,
    shingles: BTreeSet<u64>,
}

/// How a document derives from an earlier one.
#[derive(Clone, Copy)]
enum Relation {
    /// The same bytes, fetched at another time.
    Mirror,
    /// The same tokens in another markup.
    LexicalTwin,
    /// The same set of shingles from other tokens.
    ShingleTwin,
    /// Exactly the shingles of the sketch: equal fingerprints, mostly at another modulus.
    Sieved,
    /// Some shingles gone, some new.
    Edited,
    /// A run of the shingles.
    Excerpt,
    /// All the shingles and many more.
    Extended,
    /// The same token fingerprint with another number of tokens: not equal.
    Collision,
}

const RELATIONS: [Relation; 14] = [
    Relation::Mirror,
    Relation::Mirror,
    Relation::LexicalTwin,
    Relation::LexicalTwin,
    Relation::ShingleTwin,
    Relation::Sieved,
    Relation::Edited,
    Relation::Edited,
    Relation::Edited,
    Relation::Edited,
    Relation::Excerpt,
    Relation::Excerpt,
    Relation::Extended,
    Relation::Collision,
];

/// The fingerprint of a document without tokens.
const NO_TOKENS: u64 = 0x6E6F_2074_6F6B_656E;

impl CorpusShape {
    /// The documents of a seed. Relations to earlier documents: identical, lexically equal, equal
    /// sets, equal sketches at different moduli, edited (so chains arise), excerpt, extended;
    /// further documents without tokens, and pairs whose token fingerprints collide. Identical
    /// documents are equal in all but the date, lexically equal ones in the sketch.
    pub fn documents(&self, seed: u64) -> Vec<OracleDocument> {
        let mut random = Random::for_item(seed, 1);
        let template: Vec<u64> = (0..random.within(1, 20))
            .map(|_| random.below(self.universe))
            .collect();
        let mut all: Vec<Full> = Vec::new();
        for _ in 0..self.documents {
            let earlier = if random.chance(self.derived_per_mille) {
                all.get(random.index(all.len()))
            } else {
                None
            };
            let full = match earlier {
                Some(earlier) => self.derived(&mut random, earlier),
                None if random.chance(60) => empty(&mut random),
                None => self.fresh(&mut random, &template),
            };
            all.push(full);
        }
        all.iter().map(|full| self.sampled(full)).collect()
    }

    /// A run of neighbouring shingles, so that runs overlap in chains; some from anywhere; perhaps
    /// the template.
    fn fresh(&self, random: &mut Random, template: &[u64]) -> Full {
        let length = random.within(1, self.set_max);
        let start = random.below(self.universe);
        let mut shingles: BTreeSet<u64> = (start..start + length)
            .map(|n| n % self.universe.max(1))
            .collect();
        for _ in 0..random.below(length / 4 + 1) {
            shingles.insert(random.below(self.universe));
        }
        if random.chance(self.template_per_mille) {
            shingles.extend(template);
        }
        with_shingles(random, shingles)
    }

    fn derived(&self, random: &mut Random, earlier: &Full) -> Full {
        if earlier.words == 0 {
            let mut other = earlier.clone();
            other.date = random_date(random);
            if random.chance(500) {
                other.identity = identity(random);
            }
            return other;
        }
        let shingles = &earlier.shingles;
        match RELATIONS[random.index(RELATIONS.len())] {
            Relation::Mirror => Full {
                date: random_date(random),
                ..earlier.clone()
            },
            Relation::LexicalTwin => Full {
                identity: identity(random),
                bytes: earlier.bytes + random.below(50),
                date: random_date(random),
                ..earlier.clone()
            },
            Relation::ShingleTwin => with_shingles(random, shingles.clone()),
            Relation::Sieved => {
                let modulus = modulus(self.sampling, self.level(shingles));
                let kept = shingles
                    .iter()
                    .copied()
                    .filter(|&s| self.fingerprint(s).is_multiple_of(modulus));
                with_shingles(random, kept.collect())
            }
            Relation::Edited => {
                let per_mille = random.pick([5, 30, 100, 250, 400]);
                let mut edited: BTreeSet<u64> = shingles
                    .iter()
                    .copied()
                    .filter(|_| !random.chance(per_mille))
                    .collect();
                for _ in 0..shingles.len() as u64 * per_mille / 1000 {
                    edited.insert(random.below(self.universe));
                }
                with_shingles(random, edited)
            }
            Relation::Excerpt => {
                let length = random.within(1, shingles.len() as u64) as usize;
                let start = random.index(shingles.len() - length.min(shingles.len()) + 1);
                with_shingles(
                    random,
                    shingles.iter().copied().skip(start).take(length).collect(),
                )
            }
            Relation::Extended => {
                let mut extended = shingles.clone();
                for _ in 0..random.within(1, 2 * shingles.len() as u64 + 1) {
                    extended.insert(random.below(self.universe));
                }
                with_shingles(random, extended)
            }
            Relation::Collision => {
                let mut other = with_shingles(random, shingles.clone());
                other.lexical = earlier.lexical;
                // far beyond the numbers drawn elsewhere, and by itself, so that it equals no third
                // document
                other.words = earlier.words + 1_000_000 + random.below(1 << 40);
                other
            }
        }
    }

    fn sampled(&self, full: &Full) -> OracleDocument {
        let level = self.level(&full.shingles);
        let mut fingerprints = self.multiples(&full.shingles, level);
        match self.sampling {
            Sampling::Min { size, .. } => fingerprints.truncate(size as usize),
            Sampling::MinHash { permutations, .. } => {
                let least = |slot: u64| {
                    let values = fingerprints.iter().map(|one| mix(one ^ slot) >> 8);
                    values.min().map(|least| slot << 56 | least)
                };
                fingerprints = (0..u64::from(permutations)).filter_map(least).collect();
            }
            Sampling::Modulus { .. } | Sampling::Adaptive { .. } => {}
        }
        OracleDocument {
            identity: full.identity,
            lexical: full.lexical,
            words: full.words,
            bytes: full.bytes,
            date: full.date,
            level,
            fingerprints,
            all: self.multiples(&full.shingles, 0),
        }
    }

    /// The smallest level that leaves at most the target, else the coarsest.
    fn level(&self, shingles: &BTreeSet<u64>) -> usize {
        match self.sampling {
            Sampling::Modulus { .. } | Sampling::Min { .. } | Sampling::MinHash { .. } => 0,
            Sampling::Adaptive {
                target,
                coarsest_log2,
            } => {
                let coarsest = usize::from(coarsest_log2);
                let fits = |&level: &usize| {
                    self.multiples(shingles, level).len() as u64 <= u64::from(target)
                };
                (0..coarsest).find(fits).unwrap_or(coarsest)
            }
        }
    }

    /// The fingerprints that a level keeps, sorted and distinct.
    fn multiples(&self, shingles: &BTreeSet<u64>, level: usize) -> Vec<u64> {
        let modulus = modulus(self.sampling, level);
        let distinct: BTreeSet<u64> = shingles
            .iter()
            .map(|&shingle| self.fingerprint(shingle))
            .collect();
        distinct
            .into_iter()
            .filter(|fingerprint| fingerprint.is_multiple_of(modulus))
            .collect()
    }

    fn fingerprint(&self, shingle: u64) -> u64 {
        let bits = self.fingerprint_bits.clamp(1, 64);
        match shingle {
            // the two ends of the range, which a sort must not lose
            3 => 0,
            5 => u64::MAX >> (64 - bits),
            _ => mix(shingle.wrapping_add(1)) >> (64 - bits),
        }
    }
}

fn modulus(sampling: Sampling, level: usize) -> u64 {
    match sampling {
        Sampling::Modulus { modulus } | Sampling::Min { modulus, .. } => u64::from(modulus.max(1)),
        Sampling::Adaptive { .. } => 1 << level.min(31),
        Sampling::MinHash { .. } => 1,
    }
}

/// A document with tokens of its own. A set may be empty: a page may lose every shingle to an edit.
fn with_shingles(random: &mut Random, shingles: BTreeSet<u64>) -> Full {
    // rounded, so that lengths tie
    let words = (shingles.len() as u64 + random.below(20)) / 10 * 10 + 10;
    Full {
        identity: identity(random),
        lexical: random.bits(),
        words,
        bytes: words * 6 + random.below(100),
        date: random_date(random),
        shingles,
    }
}

fn empty(random: &mut Random) -> Full {
    Full {
        identity: identity(random),
        lexical: NO_TOKENS,
        words: 0,
        bytes: random.below(100),
        date: random_date(random),
        shingles: BTreeSet::new(),
    }
}

fn identity(random: &mut Random) -> u128 {
    (u128::from(random.bits()) << 64) | u128::from(random.bits())
}

/// Few different dates, so that they tie; some before 1970, some missing.
fn random_date(random: &mut Random) -> Option<i64> {
    let days = random.below(12) as i64 - 3;
    random.chance(750).then_some(days * 86_400_000_000)
}

#[cfg(test)]
mod tests;
