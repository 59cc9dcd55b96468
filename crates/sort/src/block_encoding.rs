//! How records are encoded in the blocks of a part.
//!
//! *Input and output.* The records of one part, and the bytes of its blocks. *Algorithm.* By
//! default each record has its own encoding. A record that is a prefix and a number
//! ([`model::Record::NUMBERED`]) takes a word of 8 bytes instead, if records come roughly in the
//! order of their numbers: all prefixes of a part begin with the same bits, so these are left out,
//! and their place in the word takes the difference from the number before it in the block. If the
//! difference is too large, or the record is the first, these bits are all ones and a second word
//! has the number. *Why.* A posting takes 8 instead of 12 bytes, in memory and on disk. *Memory.*
//! One number for each part and thread. *Limits.* Numbers in no order take 16 bytes a record.

use crate::Prefixes;
use format::SpillBlock;
use model::Record;

const WORD: usize = 8;

/// Stands for the number before the first record of a block. Every difference from it is too large
/// for the short form.
pub(crate) const NONE_BEFORE: u64 = 1 << 32;

/// With fewer bits, too many differences would not fit. Tests have tiny budgets and so few parts;
/// the lower limit makes them use this encoding too.
const STEP_BITS_MIN: u32 = if cfg!(test) { 2 } else { 5 };

/// How the records of a part are encoded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct BlockEncoding {
    /// How many bits of a word are for the difference from the number before; 0 if records have
    /// their own encoding.
    step_bits: u32,
    /// The bits that all prefixes of the part begin with.
    lead: u64,
}

impl BlockEncoding {
    /// The encoding for `parts` parts, a power of two, of these prefixes.
    pub(crate) fn of<R: Record>(prefixes: Prefixes, parts: usize) -> BlockEncoding {
        let step_bits = parts.ilog2();
        let is_short = R::NUMBERED && prefixes.by_number && step_bits >= STEP_BITS_MIN;
        BlockEncoding {
            step_bits: if is_short { step_bits } else { 0 },
            lead: 0,
        }
    }

    /// This encoding for one of the parts.
    pub(crate) fn of_part(self, part: usize) -> BlockEncoding {
        let lead = if self.step_bits == 0 {
            0
        } else {
            (part as u64) << (64 - self.step_bits)
        };
        BlockEncoding { lead, ..self }
    }

    /// Stands for a difference that is too large.
    fn no_step(self) -> u64 {
        (1 << self.step_bits) - 1
    }

    /// Appends a record to a block whose last number is `last`; false if it does not fit.
    #[inline]
    pub(crate) fn put<R: Record>(self, record: &R, block: &mut SpillBlock, last: &mut u64) -> bool {
        if self.step_bits == 0 {
            return block
                .slot(R::SIZE)
                .map(|slot| record.encode(slot))
                .is_some();
        }
        let number = u64::from(record.number());
        let word = record.prefix() << self.step_bits;
        let step = number.wrapping_sub(*last);
        if step >= self.no_step() {
            return self.put_far(word, number, block, last);
        }
        let Some(slot) = block.slot(WORD) else {
            return false;
        };
        slot.copy_from_slice(&(word | step).to_le_bytes());
        *last = number;
        true
    }

    /// Appends a record with the number in a word of its own.
    #[cold]
    fn put_far(self, word: u64, number: u64, block: &mut SpillBlock, last: &mut u64) -> bool {
        let Some(slot) = block.slot(2 * WORD) else {
            return false;
        };
        slot[..WORD].copy_from_slice(&(word | self.no_step()).to_le_bytes());
        slot[WORD..].copy_from_slice(&number.to_le_bytes());
        *last = number;
        true
    }

    /// Decodes the records of a block and passes them to `take`.
    #[inline]
    pub(crate) fn each<R: Record>(self, bytes: &[u8], mut take: impl FnMut(R)) {
        if self.step_bits == 0 {
            return bytes.chunks_exact(R::SIZE).map(R::decode).for_each(take);
        }
        let mut words = bytes
            .as_chunks::<WORD>()
            .0
            .iter()
            .map(|word| u64::from_le_bytes(*word));
        let mut number = 0;
        while let Some(word) = words.next() {
            let step = word & self.no_step();
            number = if step == self.no_step() {
                words.next().unwrap_or(0)
            } else {
                number + step
            };
            if let Some(record) = R::numbered(self.lead | word >> self.step_bits, number as u32) {
                take(record);
            }
        }
    }

    /// The first record of a block.
    pub(crate) fn first<R: Record>(self, bytes: &[u8]) -> Option<R> {
        let mut first = None;
        self.each(&bytes[..bytes.len().min(R::SIZE.max(2 * WORD))], |record| {
            first = first.or(Some(record));
        });
        first
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{PairCount, Posting};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn records_of_a_part_read_back(
            parts_log2 in 1u32..9, part in any::<prop::sample::Index>(), by_number: bool,
            records in proptest::collection::vec((any::<u64>(), prop_oneof![0u64..3, 0u64..300, any::<u32>().prop_map(u64::from)]), 0..60),
        ) {
            let parts = 1_usize << parts_log2;
            let part = part.index(parts);
            let mut doc = 0_u64;
            let records: Vec<Posting> = records.into_iter().map(|(prefix, step)| {
                doc += step;
                let shingle = (part as u64) << (64 - parts_log2) | prefix >> parts_log2;
                Posting { shingle, doc: doc as u32 }
            }).collect();
            let prefixes = if by_number { Prefixes::ALL_BY_NUMBER } else { Prefixes::ALL };
            let encoding = BlockEncoding::of::<Posting>(prefixes, parts).of_part(part);
            let (mut block, mut last) = (SpillBlock::new(60 * 16), NONE_BEFORE);
            for record in &records {
                prop_assert!(encoding.put(record, &mut block, &mut last));
            }
            let mut read = Vec::new();
            encoding.each(block.filled(), |record: Posting| read.push(record));
            prop_assert_eq!(encoding.first(block.filled()), records.first().copied());
            prop_assert_eq!(read, records);
        }
    }

    #[test]
    fn only_numbered_records_of_enough_parts_take_a_word() {
        let own = BlockEncoding::default();
        assert_ne!(
            BlockEncoding::of::<Posting>(Prefixes::ALL_BY_NUMBER, 4),
            own
        );
        assert_eq!(
            BlockEncoding::of::<Posting>(Prefixes::ALL_BY_NUMBER, 2),
            own
        );
        assert_eq!(BlockEncoding::of::<Posting>(Prefixes::ALL, 64), own);
        assert_eq!(
            BlockEncoding::of::<PairCount>(Prefixes::ALL_BY_NUMBER, 64),
            own
        );
    }

    #[test]
    fn postings_of_many_documents_take_a_word_each() {
        let encoding = BlockEncoding::of::<Posting>(Prefixes::ALL_BY_NUMBER, 64).of_part(0);
        let (mut block, mut last) = (SpillBlock::new(1 << 12), NONE_BEFORE);
        for n in 0..100 {
            assert!(encoding.put(
                &Posting {
                    shingle: u64::from(n),
                    doc: 1_000_000 + 62 * n
                },
                &mut block,
                &mut last
            ));
        }
        assert_eq!(block.filled().len(), 101 * 8);
        assert!(encoding.put(
            &Posting {
                shingle: 1,
                doc: 1_000_000 + 62 * 99 + 63
            },
            &mut block,
            &mut last
        ));
        assert_eq!(block.filled().len(), 103 * 8, "63 is too far");
    }

    #[test]
    fn what_does_not_fit_changes_nothing() {
        let encoding = BlockEncoding::of::<Posting>(Prefixes::ALL_BY_NUMBER, 64);
        let (mut block, mut last) = (SpillBlock::new(24), NONE_BEFORE);
        assert!(encoding.put(&Posting { shingle: 1, doc: 5 }, &mut block, &mut last));
        assert!(!encoding.put(
            &Posting {
                shingle: 1,
                doc: 5000
            },
            &mut block,
            &mut last
        ));
        assert_eq!((block.filled().len(), last), (16, 5));
    }
}
