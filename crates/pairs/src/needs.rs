//! What a document must share with any other for the two to be alike enough.
//!
//! *Input.* The sizes of each sketch at its levels, in document order, and the least resemblance
//! that matters. *Output.* The fewest shingles that a pair shares whose resemblance is so high, at
//! most 255: of any pair with a document, and of two given ones. *Algorithm.* n shared shingles of
//! a and b are a resemblance of n / (a + b − n) ≤ n / max(a, b): the larger sketch decides, and its
//! share is needed. Two sketches are compared at the coarser of their levels, which is the own
//! level of one of them: of that one the size is at hand. So any pair with a document shares its
//! share of its own sketch, or what the smallest sketch of a coarser level needs, where that is
//! less. This is the bound by size of Bayardo, Ma and Srikant, *Scaling up all pairs similarity
//! search*, 2007. *Memory.* A byte a document, two if there is more than one level. *Limits.* None.

use model::{Sampling, SizesByLevel, Threshold};

/// The fewest shared shingles that matter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// Of each document, the share of its own sketch.
    own: Vec<u8>,
    /// Own levels, where there are several.
    levels: Vec<u8>,
    /// The least of all sketches of coarser levels, by level.
    coarser: [u8; Sampling::LEVELS_MAX],
}

impl Needs {
    /// Every pair matters.
    pub fn none() -> Needs {
        Needs::default()
    }

    /// Bytes for so many documents with sketches of so many levels.
    pub fn bytes(documents: u32, levels: usize) -> usize {
        documents as usize * levels.min(2)
    }

    /// The fewest shingles that a document shares in a pair that matters; 0 if nothing is known.
    #[inline]
    pub fn of(&self, doc: u32) -> u32 {
        let Some(&own) = self.own.get(doc as usize) else {
            return 0;
        };
        let level = self.levels.get(doc as usize);
        u32::from(level.map_or(own, |level| own.min(self.coarser[usize::from(*level)])))
    }

    /// [`Needs::of`] of the documents from one on.
    pub(crate) fn fill(&self, from: usize, room: &mut [u8]) {
        let own = self.own.get(from..).unwrap_or_default();
        let known = own.len().min(room.len());
        let (room, rest) = room.split_at_mut(known);
        room.copy_from_slice(&own[..known]);
        rest.fill(0);
        for (need, level) in room
            .iter_mut()
            .zip(self.levels.get(from..).unwrap_or_default())
        {
            *need = self.coarser[usize::from(*level)].min(*need);
        }
    }

    /// The fewest shingles that these two share if they matter as a pair; 0 if nothing is known.
    /// Where there is one level, it is what `a` needs: what `b` needs lies anywhere in memory, and
    /// hardly ever decides.
    #[inline]
    pub fn of_pair(&self, a: u32, b: u32) -> u32 {
        if self.levels.is_empty() {
            return self.of(a);
        }
        // The coarser one decides, of equal ones the larger.
        self.at_own_level(a).max(self.at_own_level(b)).1
    }

    /// The level of a document's sketch, and what a pair with one that is not coarser needs; 0 if
    /// nothing is known.
    #[inline]
    pub(crate) fn at_own_level(&self, doc: u32) -> (u8, u32) {
        let own = self.own.get(doc as usize).copied().unwrap_or(0);
        (
            self.levels.get(doc as usize).copied().unwrap_or(0),
            u32::from(own),
        )
    }

    /// What a pair of a sketch of this level with any coarser one needs.
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

/// A little below the floor: doubles round in the sixteenth digit.
fn share(floor: Threshold) -> f64 {
    floor.to_f64() * (1.0 - 1e-12)
}

/// The own level of a sketch, and the share of its size.
#[inline]
fn own(share: f64, ladder: &SizesByLevel) -> (u8, u8) {
    let level = ladder.own_level().unwrap_or(0);
    let size = ladder
        .sizes
        .get(level)
        .copied()
        .filter(|size| *size != SizesByLevel::UNKNOWN)
        .unwrap_or(0);
    (level as u8, of_size(share, size))
}

/// The share of a sketch of this size.
#[inline]
fn of_size(share: f64, size: u32) -> u8 {
    let share = share * f64::from(size);
    let below = share.min(f64::from(u8::MAX)) as u8;
    below.saturating_add(u8::from(f64::from(below) < share))
}

/// Makes [`Needs`] of sizes that come in document order.
#[derive(Debug)]
pub struct NeedsOf {
    share: f64,
    has_levels: bool,
    /// The least of all documents of a level.
    of_level: [u8; Sampling::LEVELS_MAX],
    needs: Needs,
}

impl NeedsOf {
    /// For so many documents whose sketches have so many levels.
    pub fn new(floor: Threshold, documents: u32, levels: usize) -> NeedsOf {
        let (documents, has_levels) = (documents as usize, levels > 1);
        let levels = Vec::with_capacity(if has_levels { documents } else { 0 });
        let needs = Needs {
            own: Vec::with_capacity(documents),
            levels,
            coarser: [u8::MAX; Sampling::LEVELS_MAX],
        };
        NeedsOf {
            share: share(floor),
            has_levels,
            of_level: [u8::MAX; Sampling::LEVELS_MAX],
            needs,
        }
    }

    /// The sizes of the next document, common shingles left out.
    #[inline]
    pub fn push(&mut self, ladder: &SizesByLevel) {
        let (level, own) = own(self.share, ladder);
        self.needs.own.push(own);
        if self.has_levels {
            self.needs.levels.push(level);
            let least = &mut self.of_level[usize::from(level)];
            *least = own.min(*least);
        }
    }

    /// The size of the next document, where sketches have one level.
    #[inline]
    pub fn push_finest(&mut self, size: u32) {
        let size = if size == SizesByLevel::UNKNOWN {
            0
        } else {
            size
        };
        self.needs.own.push(of_size(self.share, size));
    }

    /// What each of them needs.
    pub fn finish(self) -> Needs {
        let mut needs = self.needs;
        for level in (1..Sampling::LEVELS_MAX).rev() {
            needs.coarser[level - 1] = needs.coarser[level].min(self.of_level[level]);
        }
        needs
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Overlap, Ratio};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn who_is_alike_shares_what_both_need(
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
            let mut needs = NeedsOf::new(floor, kept.len() as u32, sampling.levels());
            kept.iter().for_each(|(ladder, _)| needs.push(ladder));
            let needs = needs.finish();
            let mut room = vec![7; kept.len() + 3];
            needs.fill(1, &mut room);
            for (doc, need) in (1..).zip(&room) {
                prop_assert_eq!(u32::from(*need), needs.of(doc));
            }
            for (a, (of_a, prints_a)) in kept.iter().enumerate() {
                for (b, (of_b, prints_b)) in kept.iter().enumerate().skip(a + 1) {
                    let shared = prints_a.intersection(prints_b).count() as u32;
                    let Some((level, size_a, size_b)) = of_a.common_level(of_b) else { continue };
                    let overlap = Overlap { shared, size_a, size_b, modulus: sampling.modulus_at(level) };
                    let (of_pair, each) = (needs.of_pair(a as u32, b as u32), needs.of(a as u32).max(needs.of(b as u32)));
                    if several {
                        prop_assert!(of_pair >= each);
                    }
                    if shared > 0 && floor.reached_by(overlap.shared_of_union()) {
                        prop_assert!(shared >= needs.of_pair(a as u32, b as u32));
                    }
                }
            }
            if !several {
                for (a, (of_a, _)) in kept.iter().enumerate() {
                    let size = of_a.sizes[0];
                    let least = (0..=size).find(|n| size == 0 || floor.reached_by(Ratio::new(u64::from(*n), u64::from(size))));
                    prop_assert_eq!(needs.of(a as u32), least.unwrap(), "more could be asked for");
                }
            }
        }
    }

    #[test]
    fn a_need_has_room_in_a_byte_and_without_sizes_nothing_is_needed() {
        let ladder = |size| Sampling::Modulus { modulus: 1 }.sizes_by_level(0, &vec![0; size]);
        let mut needs = NeedsOf::new(Threshold::from_f64(0.5).unwrap(), 2, 1);
        [0, 9, 5000]
            .iter()
            .for_each(|size| needs.push(&ladder(*size)));
        let needs = needs.finish();
        assert_eq!([0, 1, 2, 3].map(|doc| needs.of(doc)), [0, 5, 255, 0]);
        assert_eq!((Needs::none().of(0), Needs::none().of_pair(0, 1)), (0, 0));
    }
}
