//! Two documents by their shingles: the overlap of all of them, and of the two sketches.
//!
//! *Algorithm.* *Syntactic Clustering of the Web*, "Defining similarity", and the theorem of
//! "Estimating the resemblance and the containment". *Memory.* The caller holds the sets that are
//! compared. *Limits.* Shingle sets are sorted and have no duplicates.

use model::{Content, Overlap, Sampling};
use sketch::{SketchParams, Sketcher, UnionSketch};

/// All shingles of a document and its sketch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShingledDocument {
    /// Fingerprints of all shingles, ascending.
    pub all: Vec<u64>,
    /// The shingles that its sketch keeps, ascending.
    pub sketch: Vec<u64>,
    /// Level of the sketch.
    pub level: usize,
}

impl ShingledDocument {
    /// Makes both of the text of a document.
    pub fn of(params: &SketchParams, content: Content<'_>) -> ShingledDocument {
        let mut sketcher = Sketcher::new(params);
        let sketched = sketcher.sketch(content);
        let (sketch, level) = (sketched.fingerprints.to_vec(), usize::from(sketched.level));
        ShingledDocument {
            all: sketcher.all_fingerprints(content).to_vec(),
            sketch,
            level,
        }
    }

    /// The document that has the shingles of both, and its sketch, which follows from their
    /// sketches.
    pub(crate) fn joined(&self, other: &ShingledDocument, sampling: Sampling) -> ShingledDocument {
        let [(a, one), (b, two)] = [self, other].map(|one| (one.level as u8, &one.sketch[..]));
        let sketch = UnionSketch::new(sampling, (a, one), (b, two));
        let mut all = [&self.all[..], &other.all].concat();
        all.sort_unstable();
        all.dedup();
        ShingledDocument {
            all,
            sketch: sketch.fingerprints,
            level: usize::from(sketch.level),
        }
    }

    /// What all shingles of two documents share.
    pub fn exact(&self, other: &ShingledDocument) -> Overlap {
        Sampling::Modulus { modulus: 1 }.compare((0, &self.all), (0, &other.all))
    }

    /// What their sketches share, at the coarser of their moduli.
    pub fn estimated(&self, other: &ShingledDocument, sampling: Sampling) -> Overlap {
        sampling.compare((self.level, &self.sketch), (other.level, &other.sketch))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sketch::{Family, FingerprintBits, FingerprintKeys, ShingleKind, TextOfPages, TokenUnit};

    #[test]
    fn all_shingles_are_those_of_modulus_1_and_the_sketch_is_that_of_a_run() {
        let text = (0..3000).fold(String::new(), |text, n| format!("{text} w{}", n % 1700));
        for shingles in [ShingleKind::Set, ShingleKind::Labelled] {
            let params = SketchParams {
                tokens: TokenUnit::Words,
                drop_numbers: false,
                text_of_pages: TextOfPages::Whole,
                shingle_size: 4,
                shingles,
                sampling: Sampling::Adaptive {
                    target: 32,
                    coarsest_log2: 5,
                },
                bits: FingerprintBits::B64,
                family: Family::Keyed,
                keys: FingerprintKeys::from_seed("seed"),
            };
            let made = ShingledDocument::of(&params, Content::Text(&text));
            let mut sketcher = Sketcher::new(&params);
            let sketched = sketcher.sketch(Content::Text(&text));
            assert_eq!(made.sketch, sketched.fingerprints);
            assert!(made.level > 0 && made.level == usize::from(sketched.level));
            let everything = SketchParams {
                sampling: Sampling::Modulus { modulus: 1 },
                ..params
            };
            let mut sketcher = Sketcher::new(&everything);
            assert_eq!(made.all, sketcher.sketch(Content::Text(&text)).fingerprints);
        }
    }

    #[test]
    fn both_sides_are_taken_to_the_coarser_level() {
        let sampling = Sampling::Adaptive {
            target: 4,
            coarsest_log2: 5,
        };
        let a = ShingledDocument {
            all: vec![1, 2, 3, 4, 8],
            sketch: vec![1, 2, 4, 8],
            level: 0,
        };
        let b = ShingledDocument {
            all: vec![2, 4, 5, 8, 16],
            sketch: vec![4, 8, 16],
            level: 2,
        };
        assert_eq!(
            a.exact(&b),
            Overlap {
                shared: 3,
                size_a: 5,
                size_b: 5,
                modulus: 1
            }
        );
        assert_eq!(
            a.estimated(&b, sampling),
            Overlap {
                shared: 2,
                size_a: 2,
                size_b: 3,
                modulus: 4
            }
        );
    }
}
