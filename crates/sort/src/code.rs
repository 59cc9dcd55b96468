//! How records lie in the blocks of a part.
//!
//! *Input and output.* The records of one part, and the bytes of its blocks. *Algorithm.* As they
//! are encoded. But records that are a prefix and a number ([`model::Record::NUMBERED`]), if they
//! come about in the order of their numbers, take a word of 8 bytes: all prefixes of a part begin
//! with the same bits, and in the place of these stands how far the number is from the one before
//! it in the block. Where that is too far, or none is before it, all these bits are ones and a
//! second word has the number. *Memory.* A number a part and lane. *Limits.* Numbers in no order
//! take 16 bytes a record.

use crate::Prefixes;
use format::SpillBlock;
use model::Record;

const WORD: usize = 8;

/// In place of the number before the first one: too far from any.
pub(crate) const NONE_BEFORE: u64 = 1 << 32;

/// With fewer bits for steps, too many would not fit. Tests have tiny budgets, so few parts, and
/// are to come this way too.
const STEP_BITS_MIN: u32 = if cfg!(test) { 2 } else { 5 };

/// How the records of a part lie.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Code {
    /// Bits of a word that are the step from number to number; 0 if records lie as they are
    /// encoded.
    step_bits: u32,
    /// What all prefixes of the part begin with.
    lead: u64,
}

impl Code {
    /// For so many parts, a power of two, of these prefixes.
    pub(crate) fn of<R: Record>(prefixes: Prefixes, parts: usize) -> Code {
        let step_bits = parts.ilog2();
        let is_short = R::NUMBERED && prefixes.by_number && step_bits >= STEP_BITS_MIN;
        Code {
            step_bits: if is_short { step_bits } else { 0 },
            lead: 0,
        }
    }

    /// The same for one of the parts.
    pub(crate) fn of_part(self, part: usize) -> Code {
        let lead = if self.step_bits == 0 {
            0
        } else {
            (part as u64) << (64 - self.step_bits)
        };
        Code { lead, ..self }
    }

    /// What stands in place of a step that does not fit.
    fn no_step(self) -> u64 {
        (1 << self.step_bits) - 1
    }

    /// Appends a record of the part to a block, of which `last` is the last number; false if there
    /// is no room.
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

    /// The same with the number in a word of its own.
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

    /// Hands on the records of a block of the part.
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
            first = first.or(Some(record))
        });
        first
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Posting;
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
            let code = Code::of::<Posting>(prefixes, parts).of_part(part);
            let (mut block, mut last) = (SpillBlock::new(60 * 16), NONE_BEFORE);
            for record in &records {
                prop_assert!(code.put(record, &mut block, &mut last));
            }
            let mut read = Vec::new();
            code.each(block.filled(), |record: Posting| read.push(record));
            prop_assert_eq!(code.first(block.filled()), records.first().copied());
            prop_assert_eq!(read, records);
        }
    }

    #[test]
    fn postings_of_many_documents_take_a_word_each() {
        let code = Code::of::<Posting>(Prefixes::ALL_BY_NUMBER, 64);
        let (mut block, mut last) = (SpillBlock::new(1 << 12), NONE_BEFORE);
        for n in 0..100 {
            assert!(code.put(
                &Posting {
                    shingle: u64::from(n),
                    doc: 1_000_000 + 62 * n
                },
                &mut block,
                &mut last
            ));
        }
        assert_eq!(block.filled().len(), 101 * 8);
        assert!(code.put(
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
        let code = Code::of::<Posting>(Prefixes::ALL_BY_NUMBER, 64);
        let (mut block, mut last) = (SpillBlock::new(24), NONE_BEFORE);
        assert!(code.put(&Posting { shingle: 1, doc: 5 }, &mut block, &mut last));
        assert!(!code.put(
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
