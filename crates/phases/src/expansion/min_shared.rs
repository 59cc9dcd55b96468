//! The minimum overlap of a document: how many shingles it must share with any other for the pair
//! to reach the floor.
//!
//! *Input.* The sizes of each sketch at its sampling levels, in document order, and the least
//! resemblance that matters (the floor). *Output.* The fewest shingles, at most 255, that a pair of
//! the floor's resemblance shares: any pair with a given document, and a given pair. *Algorithm.* n
//! shared shingles of sketches of size a and b are a resemblance of n / (a + b − n) ≤ n / max(a,
//! b). So a pair shares at least floor × max(a, b) shingles: the larger sketch decides. Two
//! sketches are compared at the coarser of their levels, which is the own level of one of them; the
//! size of that sketch is at hand. So any pair with a document shares at least floor × the size of
//! its own sketch, or, if that is less, the minimum of the smallest sketch at a coarser level. Of
//! these, the common shingles of the sketch need not be counted yet. This
//! is the size bound of Bayardo, Ma and Srikant, *Scaling up all pairs similarity search*, 2007.
//! *Memory.* A byte for each document; two if there is more than one level. *Limits.* None.

use model::{PairCount, Sampling, SizesByLevel, Threshold};

/// The minimum overlap of each document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MinShared {
    /// For each document, the minimum overlap that the size of its own sketch asks for.
    own: Vec<u8>,
    /// OwnedList levels, where there are several.
    levels: Vec<u8>,
    /// For each level, the least minimum overlap of all sketches of coarser levels.
    coarser: [u8; Sampling::LEVELS_MAX],
}

impl MinShared {
    /// Without a floor: every pair matters.
    pub fn none() -> MinShared {
        MinShared::default()
    }

    /// Bytes for so many documents whose sketches have so many levels.
    pub fn bytes(documents: u32, levels: usize) -> usize {
        documents as usize * levels.min(2)
    }

    /// The fewest shingles that a document shares in any pair above the floor; 0 if its size is
    /// unknown.
    #[inline]
    pub(crate) fn of(&self, doc: u32) -> u32 {
        let Some(&own) = self.own.get(doc as usize) else {
            return 0;
        };
        let level = self.levels.get(doc as usize);
        u32::from(level.map_or(own, |level| own.min(self.coarser[usize::from(*level)])))
    }

    /// Writes [`MinShared::of`] of the documents from `from` on to `into`.
    pub(crate) fn fill(&self, from: usize, into: &mut [u8]) {
        let own = self.own.get(from..).unwrap_or_default();
        let known = own.len().min(into.len());
        let (into, rest) = into.split_at_mut(known);
        into.copy_from_slice(&own[..known]);
        rest.fill(0);
        for (least, level) in into
            .iter_mut()
            .zip(self.levels.get(from..).unwrap_or_default())
        {
            *least = self.coarser[usize::from(*level)].min(*least);
        }
    }

    /// The fewest shingles that these two share if they are a pair above the floor; 0 if their
    /// sizes are unknown. With a single level this is the minimum overlap of `a`: that of `b` is
    /// anywhere in memory and hardly ever decides.
    #[inline]
    pub(crate) fn of_pair(&self, a: u32, b: u32) -> u32 {
        if self.levels.is_empty() {
            return self.of(a);
        }
        // The coarser one decides, of equal ones the larger.
        self.at_own_level(a).max(self.at_own_level(b)).1
    }

    /// Whether a pair shares enough for the floor.
    #[inline]
    pub fn keeps(&self, pair: &PairCount) -> bool {
        pair.shared >= self.of(pair.a) && pair.shared >= self.of_pair(pair.a, pair.b)
    }

    /// The level of a document's sketch, and the minimum overlap of a pair with a sketch that is
    /// not coarser; 0 if its size is unknown.
    #[inline]
    pub(crate) fn at_own_level(&self, doc: u32) -> (u8, u32) {
        let own = self.own.get(doc as usize).copied().unwrap_or(0);
        (
            self.levels.get(doc as usize).copied().unwrap_or(0),
            u32::from(own),
        )
    }

    /// The minimum overlap of a pair of a sketch of this level with any coarser one.
    #[inline]
    pub(crate) fn with_coarser(&self, level: u8) -> u32 {
        u32::from(self.coarser[usize::from(level)])
    }

    /// The coarsest level of these documents.
    pub(crate) fn coarsest(&self, docs: &[u32]) -> u8 {
        let level = |doc: &u32| self.levels.get(*doc as usize).copied().unwrap_or(0);
        docs.iter().map(level).max().unwrap_or(0)
    }

    /// Whether sketches have several levels.
    #[inline]
    pub(crate) fn has_levels(&self) -> bool {
        !self.levels.is_empty()
    }
}

/// A little below the floor, because doubles round in the sixteenth digit.
fn share(floor: Threshold) -> f64 {
    floor.to_f64() * (1.0 - 1e-12)
}

/// The own level of a sketch and the minimum overlap for its size.
#[inline]
fn own(share: f64, sizes: &SizesByLevel) -> (u8, u8) {
    let (level, size) = sizes.own_size();
    (level as u8, of_size(share, size))
}

/// The minimum overlap for a sketch of this size: `share` of it, rounded up.
#[inline]
fn of_size(share: f64, size: u32) -> u8 {
    let share = share * f64::from(size);
    let below = share.min(f64::from(u8::MAX)) as u8;
    below.saturating_add(u8::from(f64::from(below) < share))
}

/// Computes [`MinShared`] from sketch sizes that come in document order.
#[derive(Debug)]
pub struct MinSharedBuilder {
    share: f64,
    has_levels: bool,
    /// For each level, the least minimum overlap of its documents.
    of_level: [u8; Sampling::LEVELS_MAX],
    min_shared: MinShared,
}

impl MinSharedBuilder {
    /// Starts for `documents` documents whose sketches have so many levels.
    pub fn new(floor: Threshold, documents: u32, levels: usize) -> MinSharedBuilder {
        let (documents, has_levels) = (documents as usize, levels > 1);
        let levels = Vec::with_capacity(if has_levels { documents } else { 0 });
        let min_shared = MinShared {
            own: Vec::with_capacity(documents),
            levels,
            coarser: [u8::MAX; Sampling::LEVELS_MAX],
        };
        MinSharedBuilder {
            share: share(floor),
            has_levels,
            of_level: [u8::MAX; Sampling::LEVELS_MAX],
            min_shared,
        }
    }

    /// Takes the sketch sizes of the next document, and how many shingles of its sketch are common:
    /// as many may be missing in the counts of its pairs.
    #[inline]
    pub fn push(&mut self, sizes: &SizesByLevel, common: u32) {
        let (level, own) = own(self.share, sizes);
        let own = u8::try_from(u32::from(own).saturating_sub(common)).unwrap_or(u8::MAX);
        self.min_shared.own.push(own);
        if self.has_levels {
            self.min_shared.levels.push(level);
            let least = &mut self.of_level[usize::from(level)];
            *least = own.min(*least);
        }
    }

    /// Takes the sketch size of the next document, if sketches have one level.
    #[inline]
    pub fn push_finest(&mut self, size: u32, common: u32) {
        let size = if size == SizesByLevel::UNKNOWN {
            0
        } else {
            size
        };
        let own = u32::from(of_size(self.share, size)).saturating_sub(common);
        self.min_shared
            .own
            .push(u8::try_from(own).unwrap_or(u8::MAX));
    }

    /// The minimum overlap of each document.
    pub fn finish(self) -> MinShared {
        let mut min_shared = self.min_shared;
        for level in (1..Sampling::LEVELS_MAX).rev() {
            min_shared.coarser[level - 1] = min_shared.coarser[level].min(self.of_level[level]);
        }
        min_shared
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{CommonLevel, Overlap, Ratio};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn similar_documents_share_the_minimum_overlap_of_both(
            sketches in proptest::collection::vec((0usize..4, proptest::collection::btree_set(0u64..64, 0..60)), 2..12),
            floor in 0.0f64..1.0, several in any::<bool>(),
        ) {
            let sampling =
                if several { Sampling::Adaptive { target: 8, coarsest_log2: 3 } } else { Sampling::Modulus { modulus: 1 } };
            let floor = Threshold::from_f64((floor * 100.0).round() / 100.0).unwrap();
            let kept: Vec<(SizesByLevel, BTreeSet<u64>)> = sketches
                .into_iter()
                .map(|(level, prints)| {
                    let level = if several { level } else { 0 };
                    let prints: Vec<u64> = prints.into_iter().filter(|print| print % (1 << level) == 0).collect();
                    (sampling.sizes_by_level(level, &prints), prints.into_iter().collect())
                })
                .collect();
            let mut min_shared = MinSharedBuilder::new(floor, kept.len() as u32, sampling.levels());
            kept.iter().for_each(|(sizes, _)| min_shared.push(sizes, 0));
            let min_shared = min_shared.finish();
            let mut filled = vec![7; kept.len() + 3];
            min_shared.fill(1, &mut filled);
            for (doc, least) in (1..).zip(&filled) {
                prop_assert_eq!(u32::from(*least), min_shared.of(doc));
            }
            for (a, (of_a, prints_a)) in kept.iter().enumerate() {
                for (b, (of_b, prints_b)) in kept.iter().enumerate().skip(a + 1) {
                    let shared = prints_a.intersection(prints_b).count() as u32;
                    let Some(CommonLevel { level, size_a, size_b }) = of_a.common_level(of_b) else { continue };
                    let overlap = Overlap { shared, size_a, size_b, modulus: sampling.modulus_at(level) };
                    let (of_pair, each) = (min_shared.of_pair(a as u32, b as u32), min_shared.of(a as u32).max(min_shared.of(b as u32)));
                    if several {
                        prop_assert!(of_pair >= each);
                    }
                    if shared > 0 && floor.reached_by(overlap.shared_of_union()) {
                        prop_assert!(shared >= min_shared.of_pair(a as u32, b as u32));
                    }
                }
            }
            if !several {
                for (a, (of_a, _)) in kept.iter().enumerate() {
                    let size = of_a.sizes[0];
                    let least = (0..=size).find(|n| size == 0 || floor.reached_by(Ratio::new(u64::from(*n), u64::from(size))));
                    prop_assert_eq!(min_shared.of(a as u32), least.unwrap(), "more could be asked for");
                }
            }
        }
    }

    #[test]
    fn a_minimum_overlap_fits_a_byte_and_is_0_without_sizes() {
        let sizes_of = |size| Sampling::Modulus { modulus: 1 }.sizes_by_level(0, &vec![0; size]);
        let mut min_shared = MinSharedBuilder::new(Threshold::from_f64(0.5).unwrap(), 2, 1);
        [0, 9, 5000]
            .iter()
            .for_each(|size| min_shared.push(&sizes_of(*size), 0));
        let min_shared = min_shared.finish();
        assert_eq!([0, 1, 2, 3].map(|doc| min_shared.of(doc)), [0, 5, 255, 0]);
        assert_eq!(
            (MinShared::none().of(0), MinShared::none().of_pair(0, 1)),
            (0, 0)
        );
    }
}
