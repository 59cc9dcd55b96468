//! Pair counts, and their short form of two to four bytes instead of twelve.
//!
//! *Input.* Pair counts in the order of (a, b). *Output.* A control byte for each, then their data
//! one after the other. *Algorithm.* A row of the matrix of pairs begins where `a` changes. For
//! each pair the data hold the difference of its `b` from the last `b` in its row, or from `a`, in
//! one to four bytes. The control byte says how many bytes, so the way from pair to pair is an
//! addition and not a branch that the processor must predict, as with 7 bits a byte (compare
//! *Stream VByte*, Lemire, Kurz, Rupp, 2018). Nearly all counts fit the control byte, too.
//! *Memory.* None of its own. *Limits.* Any pairs can be packed, also unsorted ones: differences
//! wrap around.
//!
//! | bits of the control byte | meaning |
//! |---|---|
//! | 0, 1 | bytes of the difference of `b`, less one |
//! | 2 | begins a row; before that difference comes how far its `a` is from the last, in one byte, or 255 and four bytes |
//! | 3 to 7 | the count; 31: it follows the difference, in four bytes |

use crate::{keyed, record};

/// ⟨document, document, count of common shingles⟩ with a < b, ordered by (a, b). 12 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PairCount {
    /// The lower document.
    pub a: u32,
    /// The higher document.
    pub b: u32,
    /// Shared sampled shingles.
    pub shared: u32,
}

record!(PairCount { a, b, shared }, {
    #[inline]
    fn prefix(&self) -> u64 {
        (u64::from(self.a) << 32) | u64::from(self.b)
    }
    const PACKED: bool = true;
    fn pack(records: &[Self], bytes: &mut Vec<u8>) {
        pack_pairs(records, bytes);
    }
    fn unpack(bytes: &[u8], count: usize, records: &mut Vec<Self>) -> Option<()> {
        unpack_pairs(bytes, count, records)
    }
});
keyed! { PairCount: [u32; 2] = |pair| [pair.a, pair.b] }

const NEW_ROW: u8 = 1 << 2;
const COUNT_SHIFT: u32 = 3;
/// In place of a count that is this or more.
const COUNT_FOLLOWS: u32 = 31;
/// In place of a step from row to row that is this or more.
const STEP_FOLLOWS: u8 = 255;
/// Bytes of a packed pair at most, control byte included.
const BYTES_MAX: usize = 1 + 5 + 4 + 4;
/// Masks of the lower 1 to 4 bytes of a word.
const MASKS: [u32; 4] = [0xFF, 0xFFFF, 0xFF_FFFF, 0xFFFF_FFFF];

/// Appends the packed form of pairs.
fn pack_pairs(pairs: &[PairCount], bytes: &mut Vec<u8>) {
    let start = bytes.len();
    bytes.resize(start + pairs.len() * BYTES_MAX, 0);
    let (controls, data) = bytes[start..].split_at_mut(pairs.len());
    let (mut a, mut b, mut at) = (0_u32, 0_u32, 0);
    for (pair, slot) in pairs.iter().zip(controls) {
        let mut control = 0;
        if pair.a != a || at == 0 {
            control |= NEW_ROW;
            let step = pair.a.wrapping_sub(a);
            data[at] = step.min(u32::from(STEP_FOLLOWS)) as u8;
            at += 1;
            if step >= u32::from(STEP_FOLLOWS) {
                data[at..at + 4].copy_from_slice(&step.to_le_bytes());
                at += 4;
            }
            (a, b) = (pair.a, pair.a);
        }
        let step = pair.b.wrapping_sub(b);
        b = pair.b;
        let wide = (step | 1).ilog2() / 8;
        data[at..at + 4].copy_from_slice(&step.to_le_bytes());
        at += wide as usize + 1;
        if pair.shared >= COUNT_FOLLOWS {
            data[at..at + 4].copy_from_slice(&pair.shared.to_le_bytes());
            at += 4;
        }
        *slot = control | wide as u8 | (pair.shared.min(COUNT_FOLLOWS) as u8) << COUNT_SHIFT;
    }
    bytes.truncate(start + pairs.len() + at);
}

/// Appends `count` pairs that were packed; `None` if the bytes are not those of so many.
fn unpack_pairs(bytes: &[u8], count: usize, pairs: &mut Vec<PairCount>) -> Option<()> {
    let (controls, data) = bytes.split_at_checked(count)?;
    let (mut a, mut b, mut at, mut whole) = (0_u32, 0_u32, 0_usize, true);
    pairs.extend(controls.iter().map(|&control| {
        if control & NEW_ROW != 0 {
            let mut step = word(data, at) & MASKS[0];
            at += 1;
            if step == u32::from(STEP_FOLLOWS) {
                step = word(data, at);
                at += 4;
            }
            a = a.wrapping_add(step);
            b = a;
        }
        let wide = usize::from(control & 3);
        b = b.wrapping_add(word(data, at) & MASKS[wide]);
        at += wide + 1;
        let mut shared = u32::from(control >> COUNT_SHIFT);
        if shared == COUNT_FOLLOWS {
            shared = word(data, at);
            at += 4;
            whole &= shared >= COUNT_FOLLOWS;
        }
        PairCount { a, b, shared }
    }));
    (whole && at == data.len()).then_some(())
}

/// Four bytes from a place on; those behind the end are 0.
#[inline]
fn word(data: &[u8], at: usize) -> u32 {
    match data.get(at..).and_then(|rest| rest.first_chunk()) {
        Some(bytes) => u32::from_le_bytes(*bytes),
        None => word_at_the_end(data, at),
    }
}

#[cold]
fn word_at_the_end(data: &[u8], at: usize) -> u32 {
    let rest = data.get(at..).unwrap_or_default();
    rest.iter()
        .rev()
        .fold(0, |word, byte| word << 8 | u32::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn number() -> impl Strategy<Value = u32> {
        (any::<u32>(), 0u32..32).prop_map(|(number, shift)| number >> shift)
    }

    fn sorted() -> impl Strategy<Value = Vec<PairCount>> {
        let pair =
            (number(), number(), number()).prop_map(|(a, b, shared)| PairCount { a, b, shared });
        let rows = prop_oneof![Just(1_u32), Just(20), Just(u32::MAX)];
        (proptest::collection::vec(pair, 0..300), rows).prop_map(|(mut pairs, rows)| {
            pairs.iter_mut().for_each(|pair| pair.a %= rows);
            pairs.sort_unstable();
            pairs
        })
    }

    proptest! {
        #[test]
        fn pairs_read_back(pairs in sorted(), before in proptest::collection::vec(any::<u8>(), 0..5), shuffled: bool) {
            let mut pairs = pairs;
            if shuffled {
                pairs.sort_unstable_by_key(|pair| pair.shared);
            }
            let mut bytes = before.clone();
            pack_pairs(&pairs, &mut bytes);
            prop_assert_eq!(&bytes[..before.len()], &before);
            prop_assert!(bytes.len() <= before.len() + pairs.len() * BYTES_MAX);
            let mut read = Vec::new();
            prop_assert_eq!(unpack_pairs(&bytes[before.len()..], pairs.len(), &mut read), Some(()));
            prop_assert_eq!(read, pairs);
        }

        #[test]
        fn bytes_that_are_too_many_or_too_few_are_refused(pairs in sorted(), cut in 1usize..9, more: u8) {
            let mut bytes = Vec::new();
            pack_pairs(&pairs, &mut bytes);
            let cut = bytes.len().saturating_sub(cut);
            prop_assert!(bytes.is_empty() || unpack_pairs(&bytes[..cut], pairs.len(), &mut Vec::new()).is_none());
            bytes.push(more);
            prop_assert_eq!(unpack_pairs(&bytes, pairs.len(), &mut Vec::new()), None);
        }

        #[test]
        fn any_bytes_end_in_an_answer(bytes in proptest::collection::vec(any::<u8>(), 0..100), count in 0usize..120) {
            let mut read = Vec::new();
            if unpack_pairs(&bytes, count, &mut read).is_some() {
                prop_assert_eq!(read.len(), count);
            }
        }
    }

    #[test]
    fn rows_take_four_bytes_a_pair() {
        let pair = |n: u32| PairCount {
            a: n / 20 * 3,
            b: 1_000_000 * (n % 20 + 1),
            shared: 1 + n % 7,
        };
        let pairs: Vec<PairCount> = (0..2000).map(pair).collect();
        let mut bytes = Vec::new();
        pack_pairs(&pairs, &mut bytes);
        assert_eq!(bytes.len(), 2000 * 4 + 100);
    }
}
