//! A part read into memory and sorted there.
//!
//! *Algorithm.* How many records each bin has is known when the last one has come, so every record
//! is decoded once and goes straight to its bin; bins are sorted one by one while they are in the
//! cache. *Memory.* The part's records, the scratch of its largest bin, and a block to read into.

use crate::Combine;
use crate::bin_sort::{SCRATCH_RECORDS_MAX, sort_bin};
use crate::code::Code;
use crate::combine::combine_sorted;
use crate::shape::Scale;
use crate::store::Contents;
use format::{FormatError, SpillBlock};
use model::Record;

/// Memory for one part, used again and again.
pub(crate) struct Room<R> {
    /// At least as many as the part has; what is beyond is left from earlier parts.
    records: Vec<R>,
    len: usize,
    scratch: Vec<R>,
    block: SpillBlock,
}

impl<R: Record> Room<R> {
    pub(crate) fn new() -> Room<R> {
        Room {
            records: Vec::new(),
            len: 0,
            scratch: Vec::new(),
            block: SpillBlock::new(0),
        }
    }

    /// Records that are in order already.
    pub(crate) fn of(records: Vec<R>) -> Room<R> {
        Room {
            len: records.len(),
            records,
            ..Room::new()
        }
    }

    /// The memory for records, with whatever is in it.
    pub(crate) fn into_records(self) -> Vec<R> {
        self.records
    }

    /// The same memory without records.
    pub(crate) fn emptied(self) -> Room<R> {
        Room { len: 0, ..self }
    }

    /// The records in order.
    #[inline]
    pub(crate) fn records(&self) -> &[R] {
        &self.records[..self.len]
    }

    /// Reads a part and sorts it.
    pub(crate) fn sort<C: Combine<R>>(
        &mut self,
        contents: Contents,
        scale: Scale,
        combine: &C,
    ) -> Result<(), FormatError> {
        let Contents {
            code,
            records,
            bins,
            kept,
            spill,
            ..
        } = contents;
        let mut ends = starts(&bins);
        self.len = records as usize;
        if let Some(mut spill) = spill {
            for index in 0..spill.blocks() {
                spill.read(index, &mut self.block)?;
                place(
                    (&mut self.records, self.len),
                    (scale, code),
                    &mut ends,
                    &self.block,
                );
            }
        }
        for block in kept {
            place(
                (&mut self.records, self.len),
                (scale, code),
                &mut ends,
                &block,
            );
        }
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

/// Puts the records of a block where their bins have got to, in a vector of at least `len` records.
fn place<R: Record>(
    (records, len): (&mut Vec<R>, usize),
    (scale, code): (Scale, Code),
    ends: &mut [u32],
    block: &SpillBlock,
) {
    if records.len() < len
        && let Some(any) = code.first(block.filled())
    {
        // Whatever record: each is overwritten.
        records.reserve_exact(len - records.len());
        records.resize(len, any);
    }
    let records = &mut records[..];
    code.each(block.filled(), |record: R| {
        let end = &mut ends[scale.bin(record.prefix())];
        records[*end as usize] = record;
        *end += 1;
    });
}

/// Bytes a part needs to be sorted in memory.
pub(crate) fn needed_bytes<R: Record>(contents: &Contents, block_bytes: usize) -> u64 {
    let scratch = contents
        .bins
        .iter()
        .copied()
        .max()
        .unwrap_or(0)
        .min(SCRATCH_RECORDS_MAX as u32);
    let records = (contents.records + u64::from(scratch)).saturating_mul(size_of::<R>() as u64);
    records + block_bytes as u64 + 4 * contents.bins.len() as u64
}
