//! Sketches of sets of fingerprints, instead of documents.
//!
//! *Input.* The distinct fingerprints of a document. *Output.* Its sketch, as [`crate::Sketcher`]
//! makes it of the text. *Algorithm.* That of `sample`. *Memory.* A sketch. *Limits.* The
//! fingerprints are those of the same seed.

use crate::cpu::Cpu;
use crate::params::SketchParams;
use crate::sample::Sampler;

/// Makes sketches of sets, one after another, reusing its buffers.
pub struct SetSampler {
    cpu: Cpu,
    sampler: Sampler,
}

impl SetSampler {
    /// By the sampling rule and the keys of these parameters.
    pub fn new(params: &SketchParams) -> SetSampler {
        let cpu = Cpu::chosen();
        SetSampler {
            cpu,
            sampler: Sampler::new(params.sampling, params.keys.permutation_key, cpu),
        }
    }

    /// Level and elements of the sketch, in the order of a sketch. They hold until the next call.
    pub fn sketch(&mut self, fingerprints: &[u64]) -> (usize, &[u64]) {
        self.sampler.clear();
        self.sampler.offer_all(self.cpu, fingerprints);
        let (level, elements) = self.sampler.finish();
        (usize::from(level), elements)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Family, FingerprintBits, FingerprintKeys, ShingleKind, Sketcher, TextOfPages, TokenUnit,
    };
    use model::{Content, PermutationFamily, Sampling};

    #[test]
    fn sketches_of_sets_are_those_of_documents() {
        let min_hash = |family| Sampling::MinHash {
            permutations: 40,
            family,
        };
        let rules = [
            Sampling::Modulus { modulus: 8 },
            Sampling::Adaptive {
                target: 64,
                coarsest_log2: 5,
            },
            Sampling::Min {
                size: 50,
                modulus: 2,
            },
            min_hash(PermutationFamily::Keyed),
            min_hash(PermutationFamily::Linear),
        ];
        for sampling in rules {
            let params = SketchParams {
                sampling,
                keys: FingerprintKeys::from_seed("sets"),
                tokens: TokenUnit::Words,
                drop_numbers: false,
                text_of_pages: TextOfPages::Whole,
                shingle_size: 4,
                shingles: ShingleKind::Set,
                bits: FingerprintBits::B64,
                family: Family::Keyed,
            };
            let (mut sketcher, mut sampler) = (Sketcher::new(&params), SetSampler::new(&params));
            for tokens in [0, 3, 60, 5000] {
                let text = (0..tokens).fold(String::new(), |text, at| format!("{text} w{at}"));
                let all = sketcher.all_fingerprints(Content::Text(&text)).to_vec();
                let sketched = sketcher.sketch(Content::Text(&text));
                let expected = (usize::from(sketched.level), sketched.fingerprints);
                assert_eq!(sampler.sketch(&all), expected, "{sampling:?}, {tokens}");
            }
        }
    }
}
