//! The part of a document that a sketch keeps, and how two sketches compare.
//!
//! A sample at a modulus has as many fingerprints as its document is long. Pair counts and sketch
//! sizes say how two of them compare, each at its level. A sketch of a fixed size has no level, and
//! its pairs are compared sketch by sketch ([`Sampling::compare_fixed`]).

use serde::{Deserialize, Serialize};

/// The sampling rule of a run. `Modulus`, `Adaptive` and `Min` are MOD_m, V_i and MIN_s of Broder,
/// *On the resemblance and containment of documents* (1997).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Sampling {
    /// Fingerprints ≡ 0 (mod `modulus`). AltaVista: 25. 1 keeps all.
    Modulus {
        /// At least 1.
        modulus: u32,
    },
    /// Fingerprints ≡ 0 (mod 2^i), the smallest i that leaves at most `target`, but never coarser
    /// than 2^`coarsest_log2`.
    #[serde(rename = "adaptive-modulus")]
    Adaptive {
        /// At least 1.
        target: u32,
        /// At most 15: moduli up to 32768.
        coarsest_log2: u8,
    },
    /// The `size` smallest of the fingerprints ≡ 0 (mod `modulus`). The fingerprints are keyed, so
    /// their order is a random permutation of the shingles.
    #[serde(rename = "min-of-modulus")]
    Min {
        /// 1 to [`Sampling::FIXED_SIZE_MAX`].
        size: u32,
        /// At least 1.
        modulus: u32,
    },
    /// The least value of the fingerprints under each of some permutations; none of a document
    /// without shingles. An element has the number of its permutation in its upper byte.
    MinHash {
        /// 1 to [`Sampling::PERMUTATIONS_MAX`].
        permutations: u32,
        /// Which permutations.
        family: PermutationFamily,
    },
}

impl Default for Sampling {
    /// Keeps all fingerprints.
    fn default() -> Sampling {
        Sampling::Modulus { modulus: 1 }
    }
}

/// A family of permutations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum PermutationFamily {
    /// a x + b modulo the prime 2^61 − 1.
    Linear,
    /// A keyed bijection of 64 bits, that of the fingerprints.
    Keyed,
    /// (a x + b mod 2^64) modulo 2^61 − 1, the lowest bits: datasketch, datatrove and text-dedup.
    Numpy {
        /// The seed of the generator of NumPy that draws all a, then all b.
        seed: u32,
        /// So many lowest bits, 8 to 64.
        bits: u32,
    },
}

/// Sketch sizes of one document at each level of a [`Sampling`]. Levels finer than its own have
/// [`SizesByLevel::UNKNOWN`].
///
/// Level `l` has modulus [`Sampling::modulus_at`]`(l)`. A fixed modulus has one level, so one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SizesByLevel {
    /// Sizes by level; only the first [`Sampling::levels`] are meaningful.
    pub sizes: [u32; Sampling::LEVELS_MAX],
}

/// The level at which two sketches compare, and their sizes there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CommonLevel {
    /// The coarser of the own levels of both.
    pub level: usize,
    /// The size of the first sketch at this level.
    pub size_a: u32,
    /// The size of the second sketch at this level.
    pub size_b: u32,
}

impl Sampling {
    /// The most levels any sampling has.
    pub const LEVELS_MAX: usize = 16;

    /// The largest sketch of a fixed size.
    pub const FIXED_SIZE_MAX: u32 = 4096;

    /// The most permutations: their numbers have one byte.
    pub const PERMUTATIONS_MAX: u32 = 256;

    /// Bits of a min-hash below the number of its permutation.
    pub const MIN_HASH_BITS: u32 = 56;

    /// The value by which an element is sorted in a super-shingle: that of its shingle alone.
    pub fn value_of(&self, element: u64) -> u64 {
        match self {
            Sampling::MinHash { .. } => element << (u64::BITS - Sampling::MIN_HASH_BITS),
            _ => element,
        }
    }

    /// Whether sketches have a fixed size. Their pairs are compared by [`Sampling::compare_fixed`],
    /// and no link is made by containment.
    pub fn has_fixed_size(&self) -> bool {
        match self {
            Sampling::Modulus { .. } | Sampling::Adaptive { .. } => false,
            Sampling::Min { .. } | Sampling::MinHash { .. } => true,
        }
    }

    /// Number of levels: `coarsest_log2` + 1 for an adaptive modulus, 1 for other rules.
    pub fn levels(&self) -> usize {
        match self {
            Sampling::Adaptive { coarsest_log2, .. } => usize::from(*coarsest_log2) + 1,
            Sampling::Modulus { .. } | Sampling::Min { .. } | Sampling::MinHash { .. } => 1,
        }
    }

    /// The modulus of a level.
    pub fn modulus_at(&self, level: usize) -> u32 {
        match self {
            Sampling::Modulus { modulus } | Sampling::Min { modulus, .. } => *modulus,
            Sampling::Adaptive { .. } => 1_u32 << level,
            Sampling::MinHash { .. } => 1,
        }
    }

    /// The coarsest level that still keeps this fingerprint (which the sketch's own level keeps).
    pub fn coarsest_level_of(&self, fingerprint: u64) -> usize {
        match self {
            Sampling::Adaptive { coarsest_log2, .. } => {
                (fingerprint.trailing_zeros() as usize).min(usize::from(*coarsest_log2))
            }
            Sampling::Modulus { .. } | Sampling::Min { .. } | Sampling::MinHash { .. } => 0,
        }
    }

    /// The level of the sketch of a document, by all of its distinct fingerprints.
    pub fn level_of(&self, fingerprints: &[u64]) -> usize {
        let Sampling::Adaptive { target, .. } = self else {
            return 0;
        };
        let by_level = self.sizes_by_level(0, fingerprints);
        let sizes = &by_level.sizes[..self.levels()];
        let first = sizes.iter().position(|size| size <= target);
        first.unwrap_or(self.levels() - 1)
    }

    /// The sizes of a sketch at its own level `level` and all coarser ones.
    pub fn sizes_by_level(&self, level: usize, fingerprints: &[u64]) -> SizesByLevel {
        let mut by_level = SizesByLevel::unknown();
        let mut by_coarsest = [0; Sampling::LEVELS_MAX];
        for &fingerprint in fingerprints {
            by_coarsest[self.coarsest_level_of(fingerprint)] += 1;
        }
        let mut size = 0;
        for at in (level..self.levels()).rev() {
            size += by_coarsest[at];
            by_level.sizes[at] = size;
        }
        by_level
    }
}

impl SizesByLevel {
    /// Marks a level finer than the sketch was kept at.
    pub const UNKNOWN: u32 = u32::MAX;

    /// No level known.
    pub fn unknown() -> SizesByLevel {
        SizesByLevel {
            sizes: [Self::UNKNOWN; Sampling::LEVELS_MAX],
        }
    }

    /// The sketch's own level: the finest known one.
    pub fn own_level(&self) -> Option<usize> {
        self.sizes.iter().position(|&size| size != Self::UNKNOWN)
    }

    /// The sketch's own level, and its size at that level: 0 and 0 if no level is known.
    #[inline]
    pub fn own_size(&self) -> (usize, u32) {
        self.own_level()
            .map_or((0, 0), |level| (level, self.sizes[level]))
    }

    /// Takes `count` common shingles away that reach up to `coarsest` (their
    /// [`Sampling::coarsest_level_of`]).
    pub fn remove(&mut self, coarsest: usize, count: u32) {
        for size in self.sizes.iter_mut().take(coarsest + 1) {
            if *size != Self::UNKNOWN {
                *size = size.saturating_sub(count);
            }
        }
    }

    /// The level at which two sketches compare; `None` if they have no level in common.
    pub fn common_level(&self, other: &SizesByLevel) -> Option<CommonLevel> {
        SizesByLevel::common_level_of(&self.sizes, &other.sizes)
    }

    /// [`SizesByLevel::common_level`] of the sizes of two sketches as they lie in an array: the
    /// first level both know.
    #[inline]
    pub fn common_level_of(a: &[u32], b: &[u32]) -> Option<CommonLevel> {
        let known =
            |&(_, (&a, &b)): &(usize, (&u32, &u32))| a != Self::UNKNOWN && b != Self::UNKNOWN;
        a.iter()
            .zip(b)
            .enumerate()
            .find(known)
            .map(|(level, (&size_a, &size_b))| CommonLevel {
                level,
                size_a,
                size_b,
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_count_multiples_of_each_power() {
        let sampling = Sampling::Adaptive {
            target: 128,
            coarsest_log2: 5,
        };
        let by_level = sampling.sizes_by_level(1, &[2, 4, 6, 8, 64]);
        assert_eq!(
            &by_level.sizes[..6],
            &[SizesByLevel::UNKNOWN, 5, 3, 2, 1, 1]
        );
        assert_eq!(by_level.own_level(), Some(1));
        assert_eq!(by_level.own_size(), (1, 5));
        assert_eq!(SizesByLevel::unknown().own_size(), (0, 0));
    }

    #[test]
    fn pairs_compare_at_the_coarser_level() {
        let sampling = Sampling::Adaptive {
            target: 128,
            coarsest_log2: 5,
        };
        let fine = sampling.sizes_by_level(0, &[1, 2, 3, 4]);
        let coarse = sampling.sizes_by_level(2, &[4, 8, 12]);
        assert_eq!(
            fine.common_level(&coarse),
            Some(CommonLevel {
                level: 2,
                size_a: 1,
                size_b: 3
            })
        );
    }

    #[test]
    fn removal_reaches_up_to_the_shingles_own_level_only() {
        let sampling = Sampling::Adaptive {
            target: 128,
            coarsest_log2: 2,
        };
        let mut by_level = sampling.sizes_by_level(0, &[1, 2, 4, 8]);
        by_level.remove(sampling.coarsest_level_of(2), 1);
        assert_eq!(&by_level.sizes[..3], &[3, 2, 2]);
    }

    #[test]
    fn a_fixed_modulus_has_one_level() {
        let sampling = Sampling::Modulus { modulus: 25 };
        assert_eq!(
            (
                sampling.levels(),
                sampling.modulus_at(0),
                sampling.coarsest_level_of(50)
            ),
            (1, 25, 0)
        );
        assert_eq!(sampling.sizes_by_level(0, &[25, 50]).sizes[0], 2);
    }
}
