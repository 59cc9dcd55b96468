//! Random corpora under random parameters.
//!
//! Input: a seed. Output: documents and parameters. Every value is drawn from a short list that
//! holds the extremes, so that a few thousand seeds see their combinations. Memory: the corpus.

use model::{KeyRule, PermutationFamily, Sampling, Threshold};

use super::CorpusShape;
use crate::oracle::{OracleDocument, OracleKeep, OracleLinkage, OracleParams};
use crate::random::Random;

/// A random corpus with random parameters: one case of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OracleCase {
    /// The documents.
    pub documents: Vec<OracleDocument>,
    /// The parameters.
    pub params: OracleParams,
}

impl OracleCase {
    /// The case of a seed: 0 to 200 documents, small ones more often, under any parameters.
    pub fn from_seed(seed: u64) -> OracleCase {
        OracleCase::with_sampling(seed, |_| None)
    }

    /// A case with sketches of a fixed size, which make no links by containment.
    pub fn of_fixed_size(seed: u64) -> OracleCase {
        let mut case = OracleCase::with_sampling(seed, |random| {
            let min = Sampling::Min {
                size: random.pick([1, 2, 5, 16, 40, 200]),
                modulus: random.pick([1, 1, 1, 2, 5]),
            };
            let minhash = Sampling::MinHash {
                permutations: random.pick([1, 8, 40, 100]),
                family: PermutationFamily::Keyed,
            };
            Some(random.pick([min, minhash]))
        });
        case.params.containment = None;
        let mut random = Random::for_item(seed, 3);
        let super_shingles = KeyRule::SuperShingles {
            length: random.pick([1, 2, 4]),
            shared: random.pick([1, 1, 2]),
        };
        let bands = match case.params.sampling {
            Sampling::MinHash { permutations, .. } => KeyRule::Bands {
                rows: random.pick([1, 2, 4]).min(permutations),
                shared: random.pick([1, 1, 2]),
            },
            _ => super_shingles,
        };
        case.params.keys = random.pick([KeyRule::Elements, super_shingles, bands]);
        case
    }

    fn with_sampling(
        seed: u64,
        sampling: impl FnOnce(&mut Random) -> Option<Sampling>,
    ) -> OracleCase {
        let mut random = Random::for_item(seed, 0);
        let largest = random.pick([3, 12, 12, 40, 40, 100, 200]);
        let shape = CorpusShape {
            documents: random.within(0, largest) as u32,
            universe: random.pick([1, 30, 200, 1000, 5000]),
            set_max: random.pick([1, 12, 40, 150, 400]),
            derived_per_mille: random.pick([0, 300, 600, 900]),
            template_per_mille: random.pick([0, 0, 200, 600, 950]),
            fingerprint_bits: random.pick([64, 64, 40, 16]),
            sampling: {
                let any = random_sampling(&mut random);
                sampling(&mut Random::for_item(seed, 2)).unwrap_or(any)
            },
        };
        let mut params = random_params(&mut random, &shape);
        // The loss of an adaptive sketch is not known.
        let may_drop = shape.sampling.levels() == 1;
        params.drops_common = may_drop && Random::for_item(seed, 1).chance(400);
        OracleCase {
            documents: shape.documents(random.bits()),
            params,
        }
    }
}

fn random_sampling(random: &mut Random) -> Sampling {
    if random.chance(400) {
        Sampling::Modulus {
            modulus: random.pick([1, 1, 2, 3, 8, 25]),
        }
    } else {
        let target = random.pick([1, 4, 16, 32, 128]);
        Sampling::Adaptive {
            target,
            coarsest_log2: random.pick([0, 1, 3, 5, 5, 15]),
        }
    }
}

fn random_params(random: &mut Random, shape: &CorpusShape) -> OracleParams {
    let documents = u64::from(shape.documents);
    OracleParams {
        sampling: shape.sampling,
        keys: KeyRule::Elements,
        common_limit: random.pick([
            1,
            2,
            3,
            documents / 8 + 1,
            documents / 3 + 1,
            documents,
            300,
            u64::MAX,
        ]),
        drops_common: false,
        shingle_class_min: random.pick([1, 2, 4, 16, 16]),
        resemblance: threshold(random.pick([0, 50, 200, 330, 500, 500, 500, 600, 750, 900, 1000])),
        containment: random
            .chance(500)
            .then(|| threshold(random.pick([300, 500, 750, 900, 1000]))),
        containment_joins: random.chance(400),
        min_shared: random.pick([0, 1, 2, 2, 2, 3, 8]),
        linkage: random.pick([
            OracleLinkage::Components,
            OracleLinkage::Components,
            OracleLinkage::Star,
            OracleLinkage::Leader,
        ]),
        keep: random.pick([
            OracleKeep::First,
            OracleKeep::Longest,
            OracleKeep::Newest,
            OracleKeep::Oldest,
        ]),
    }
}

/// A threshold in thousandths, at most 1000.
pub(crate) fn threshold(per_mille: u32) -> Threshold {
    // a decimal of three places reads back as itself
    Threshold::from_f64(f64::from(per_mille.min(1000)) / 1000.0)
        .expect("expected thousandths to make a threshold")
}
