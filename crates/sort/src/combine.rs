//! How records of equal key are joined while they are sorted.

use model::{PairCount, Record};

/// Joins records while they are sorted and merged. It must be associative and commutative on the
/// records that it joins, and join only records of equal prefix ([`Record::prefix`]).
pub trait Combine<R>: Clone + Send + Sync + 'static {
    /// Whether it ever joins records; if not, the sort skips the pass over each sorted part.
    const JOINS: bool = true;
    /// Joins `next` into `into` and returns true, or changes nothing and returns false. `into`
    /// sorts at or before `next`.
    fn absorb(&self, into: &mut R, next: &R) -> bool;
}

/// Keeps every record.
#[derive(Clone, Copy, Debug)]
pub struct KeepAll;

impl<R: Record> Combine<R> for KeepAll {
    const JOINS: bool = false;
    fn absorb(&self, _: &mut R, _: &R) -> bool {
        false
    }
}

/// Keeps one of several equal records.
#[derive(Clone, Copy, Debug)]
pub struct Distinct;

impl<R: Record> Combine<R> for Distinct {
    fn absorb(&self, into: &mut R, next: &R) -> bool {
        *into == *next
    }
}

/// Adds the counts of equal pairs, as the third phase of the paper does.
#[derive(Clone, Copy, Debug)]
pub struct SumShared;

impl Combine<PairCount> for SumShared {
    fn absorb(&self, into: &mut PairCount, next: &PairCount) -> bool {
        if (into.a, into.b) != (next.a, next.b) {
            return false;
        }
        into.shared = into.shared.saturating_add(next.shared);
        true
    }
}

/// Combines a sorted slice in place; returns how many records remain at its front.
pub(crate) fn combine_sorted<R: Record, C: Combine<R>>(records: &mut [R], combine: &C) -> usize {
    if !C::JOINS {
        return records.len();
    }
    let mut kept = 0;
    for i in 0..records.len() {
        let next = records[i];
        if i > 0 && combine.absorb(&mut records[kept - 1], &next) {
            continue;
        }
        records[kept] = next;
        kept += 1;
    }
    kept
}
