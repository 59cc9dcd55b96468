//! A part is read into memory and sorted there.
//!
//! *Algorithm.* The size of every bin is known by then, so each record is decoded once and goes
//! straight to its bin; the bins are sorted one by one while they are in the cache. *Memory.* The
//! records of the part, a scratch buffer for its largest bin, and a block to read into.

use crate::Combine;
use crate::bin_sort::{SCRATCH_RECORDS_MAX, sort_bin};
use crate::block_encoding::BlockEncoding;
use crate::combine::combine_sorted;
use crate::layout::Scale;
use crate::part_store::PartContents;
use format::{FormatError, SpillBlock};
use model::Record;

/// Memory for the records of one part, reused for later parts.
pub(crate) struct PartBuffer<R> {
    /// The records of the part, then perhaps some that are left from an earlier part.
    records: Vec<R>,
    /// How many records the part has.
    len: usize,
    scratch: Vec<R>,
    block: SpillBlock,
}

impl<R: Record> PartBuffer<R> {
    pub(crate) fn new() -> PartBuffer<R> {
        PartBuffer {
            records: Vec::new(),
            len: 0,
            scratch: Vec::new(),
            block: SpillBlock::new(0),
        }
    }

    /// A buffer of records that are in order already.
    pub(crate) fn of(records: Vec<R>) -> PartBuffer<R> {
        PartBuffer {
            len: records.len(),
            records,
            ..PartBuffer::new()
        }
    }

    /// The vector of records, to be filled again.
    pub(crate) fn into_records(self) -> Vec<R> {
        self.records
    }

    /// This memory, without records.
    pub(crate) fn emptied(self) -> PartBuffer<R> {
        PartBuffer { len: 0, ..self }
    }

    /// The records in order.
    #[inline]
    pub(crate) fn records(&self) -> &[R] {
        &self.records[..self.len]
    }

    /// Reads a part and sorts it.
    pub(crate) fn sort<C: Combine<R>>(
        &mut self,
        contents: PartContents,
        scale: Scale,
        combine: &C,
    ) -> Result<(), FormatError> {
        let encoding = contents.encoding;
        let mut ends = starts(&contents.bins);
        self.len = contents.records as usize;
        let (records, len) = (&mut self.records, self.len);
        let mut take = |block: &SpillBlock| {
            reserve(records, len, encoding, block.filled());
            place(records, scale, encoding, &mut ends, block.filled());
        };
        if let Some(mut spill) = contents.spill {
            for index in 0..spill.blocks() {
                spill.read(index, &mut self.block)?;
                take(&self.block);
            }
        }
        contents.kept.into_iter().for_each(|block| take(&block));
        let mut from = 0;
        for &end in &ends {
            sort_bin(&mut self.records[from..end as usize], &mut self.scratch);
            from = end as usize;
        }
        if C::JOINS {
            self.len = combine_sorted(&mut self.records[..self.len], combine);
        }
        Ok(())
    }
}

/// Where each bin begins.
fn starts(bins: &[u32]) -> Vec<u32> {
    let next = |sum: &mut u32, &count: &u32| {
        let start = *sum;
        *sum += count;
        Some(start)
    };
    bins.iter().scan(0, next).collect()
}

/// Extends a vector to at least `len` records.
fn reserve<R: Record>(records: &mut Vec<R>, len: usize, encoding: BlockEncoding, block: &[u8]) {
    if let Some(missing) = len.checked_sub(records.len())
        && let Some(any) = encoding.first(block)
    {
        // The value does not matter: each record is overwritten.
        records.reserve_exact(missing);
        records.resize(len, any);
    }
}

/// Puts each record of a block at the end of its bin; `ends` says how far each bin is filled.
fn place<R: Record>(
    records: &mut [R],
    scale: Scale,
    encoding: BlockEncoding,
    ends: &mut [u32],
    block: &[u8],
) {
    encoding.each(block, |record: R| {
        let end = &mut ends[scale.bin(record.prefix())];
        records[*end as usize] = record;
        *end += 1;
    });
}

/// Bytes that sorting a part in memory needs.
pub(crate) fn needed_bytes(
    contents: &PartContents,
    record_bytes: usize,
    block_bytes: usize,
) -> u64 {
    let scratch = contents
        .bins
        .iter()
        .copied()
        .max()
        .unwrap_or(0)
        .min(SCRATCH_RECORDS_MAX as u32);
    let records = (contents.records + u64::from(scratch)).saturating_mul(record_bytes as u64);
    records + block_bytes as u64 + 4 * contents.bins.len() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Posting;

    #[test]
    fn an_emptied_buffer_keeps_its_memory_and_no_records() {
        let records = vec![Posting { shingle: 1, doc: 2 }; 5];
        let buffer = PartBuffer::of(records).emptied();
        assert_eq!(buffer.records(), []);
        assert!(buffer.into_records().capacity() >= 5);
    }

    #[test]
    fn memory_for_a_part_is_that_of_records_largest_bin_counts_and_a_block() {
        let needed = |bins: &[u32]| {
            let mut contents = PartContents::default();
            contents.records = bins.iter().copied().map(u64::from).sum();
            contents.bins = bins.to_vec();
            needed_bytes(&contents, 16, 100)
        };
        assert_eq!(needed(&[3, 5]), (8 + 5) * 16 + 100 + 2 * 4);
        let large = SCRATCH_RECORDS_MAX as u64 + 1;
        assert_eq!(
            needed(&[large as u32]),
            (2 * large - 1) * 16 + 100 + 4,
            "sorted in place"
        );
    }
}
