//! How many fingerprints two sorted lists share.
//!
//! *Algorithm.* Eight of one list are compared with eight of the other, all with all, and the list
//! whose eight end first goes on (Inoue, Ohara, Taura, *Faster Set Intersection with SIMD
//! Instructions by Reducing Branch Mispredictions*, 2014). *Why it is fast.* The comparisons are
//! vector instructions, and no branch depends on the lists. For lists of 700, of which each has a
//! third alone, it takes 0.6 of the time of three merges side by side, and 0.3 of that of one
//! merge (virtual Intel Xeon, AVX2).

use crate::cpu::Cpu;
use crate::dispatch;
use crate::isa::HotLoop;

/// Fingerprints that are compared at once.
const BLOCK: usize = 8;

/// The number of fingerprints in both of two sorted lists without duplicates.
pub fn intersection_size(a: &[u64], b: &[u64]) -> usize {
    dispatch::run(Cpu::chosen().level(), Intersection { a, b })
}

/// The number of bits that two bitmaps of equal length share.
pub fn common_bits(a: &[u64], b: &[u64]) -> usize {
    dispatch::run(Cpu::chosen().level(), CommonBits { a, b })
}

/// The task of counting common bits.
struct CommonBits<'a> {
    a: &'a [u64],
    b: &'a [u64],
}

impl HotLoop for CommonBits<'_> {
    type Output = usize;

    #[inline(always)]
    fn run_portable(self) -> usize {
        let words = self.a.iter().zip(self.b);
        words.map(|(a, b)| (a & b).count_ones() as usize).sum()
    }
}

/// The task of counting.
struct Intersection<'a> {
    a: &'a [u64],
    b: &'a [u64],
}

impl HotLoop for Intersection<'_> {
    type Output = usize;

    #[inline(always)]
    fn run_portable(self) -> usize {
        let Intersection { a, b } = self;
        let (mut i, mut j, mut shared) = (0, 0, 0);
        while i + BLOCK <= a.len() && j + BLOCK <= b.len() {
            let (x, y) = (&a[i..i + BLOCK], &b[j..j + BLOCK]);
            shared += equal(x, y);
            i += BLOCK * usize::from(x[BLOCK - 1] <= y[BLOCK - 1]);
            j += BLOCK * usize::from(y[BLOCK - 1] <= x[BLOCK - 1]);
        }
        shared + merge(&a[i..], &b[j..])
    }
}

/// How many of one block are in the other.
#[inline(always)]
fn equal(x: &[u64], y: &[u64]) -> usize {
    let mut is_equal = [0; BLOCK];
    for one in y {
        for (is_equal, other) in is_equal.iter_mut().zip(x) {
            *is_equal |= u64::from(one == other);
        }
    }
    is_equal.iter().sum::<u64>() as usize
}

/// A merge without branches: which list goes on is hard to predict.
#[inline(always)]
fn merge(a: &[u64], b: &[u64]) -> usize {
    let (mut i, mut j, mut shared) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        let (x, y) = (a[i], b[j]);
        shared += usize::from(x == y);
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    shared
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn all_forms_count_the_intersection(
            a in prop::collection::btree_set(0u64..2000, 0..900), b in prop::collection::btree_set(0u64..2000, 0..900), shift in 0u64..3000,
        ) {
            let b: BTreeSet<u64> = b.into_iter().map(|one| one + shift).collect();
            let list = |set: &BTreeSet<u64>| set.iter().copied().collect::<Vec<_>>();
            let (list_a, list_b) = (list(&a), list(&b));
            for cpu in Cpu::all() {
                let task = Intersection { a: &list_a, b: &list_b };
                prop_assert_eq!(dispatch::run(cpu.level(), task), a.intersection(&b).count());
            }
        }
    }
}
