//! How a sort divides its memory, and the prefixes.
//!
//! Half of the memory is for the blocks that lanes fill, one a part and lane; the other half for
//! full blocks that stay. Parts are as many as can have blocks of 1 MiB, at least 64 if blocks of
//! 64 KiB can be had, so that writes are large and parts small.

use crate::Prefixes;

/// Blocks are not larger; direct I/O gains little beyond.
const BLOCK_BYTES_MAX: usize = 1 << 20;
/// Blocks are not smaller if that leaves enough parts.
const BLOCK_BYTES_WANTED: usize = 64 << 10;
const PARTS_WANTED: usize = 64;
const PARTS_MAX: usize = 256;
const PARTS_MIN: usize = 4;
/// Bins of a part at most: as many as the cache has room to write to at once.
const BINS_MAX: usize = 2048;
/// Records held before anything is parted take no more than this.
const HELD_BYTES_MAX: usize = 4 << 20;
/// Records of a lane's batch.
const BATCH_RECORDS_MAX: usize = 2048;
/// What direct I/O aligns to; larger blocks are multiples of it.
const GRID: usize = 4096;

/// Bits after the point of the factor that makes a prefix a bin. There are at most 2^19 bins, so
/// that 64 bits hold it.
const FRACTION_BITS: u32 = 40;

/// What the division depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Given {
    pub(crate) memory_bytes: usize,
    pub(crate) threads: usize,
    pub(crate) files_max: usize,
    /// Bytes of an encoded record.
    pub(crate) encoded_bytes: usize,
    /// Bytes of a record in memory.
    pub(crate) record_bytes: usize,
}

/// The division.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// A power of two.
    pub(crate) parts: usize,
    /// Bins of a part, a power of two.
    pub(crate) bins: usize,
    pub(crate) block_bytes: usize,
    /// Full blocks that may stay in memory.
    pub(crate) kept_max: usize,
    pub(crate) held_records: usize,
    pub(crate) batch_records: usize,
}

/// The largest power of two that is not larger; 1 for 0.
fn power_below(n: usize) -> usize {
    1 << n.max(1).ilog2()
}

impl Shape {
    /// The division of so much memory; `None` if it is too little to part at all.
    pub(crate) fn of(given: Given) -> Option<Shape> {
        let Given {
            memory_bytes,
            threads,
            files_max,
            encoded_bytes,
            record_bytes,
        } = given;
        // One lane a thread, and what finished lanes left.
        let lanes = threads.max(1) + 1;
        let lane_bytes = memory_bytes / 2 / lanes;
        let many = power_below(lane_bytes / BLOCK_BYTES_MAX);
        let enough = power_below(lane_bytes / BLOCK_BYTES_WANTED).min(PARTS_WANTED);
        let files = power_below(files_max).min(PARTS_MAX);
        let parts = many.max(enough).max(PARTS_MIN).min(files);
        let block_bytes = match (lane_bytes / parts).min(BLOCK_BYTES_MAX) {
            large if large >= GRID => large / GRID * GRID,
            small => small,
        };
        if block_bytes < 4 * encoded_bytes || parts < 2 {
            return None;
        }
        let bins = power_below(memory_bytes / 16 / 4 / parts).min(BINS_MAX);
        let taken = lanes * parts * block_bytes + parts * bins * 4;
        let batch_bytes = memory_bytes / 16 / lanes;
        Some(Shape {
            parts,
            bins,
            block_bytes,
            kept_max: (memory_bytes - batch_bytes * lanes).saturating_sub(taken) / block_bytes,
            held_records: (memory_bytes / 2).min(HELD_BYTES_MAX) / record_bytes.max(1),
            batch_records: (batch_bytes / record_bytes.max(1)).clamp(1, BATCH_RECORDS_MAX),
        })
    }
}

/// Divides a range of prefixes evenly into parts, and parts into bins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    first: u64,
    span: u64,
    shift: u32,
    factor: u64,
    bins_log2: u32,
}

impl Scale {
    pub(crate) fn new(prefixes: Prefixes, shape: &Shape) -> Scale {
        let span = (prefixes.last - prefixes.first).max(1);
        // Shifted to fill 64 bits, so that the high bits of one product are the bin.
        let shift = span.leading_zeros();
        let all = (shape.parts * shape.bins) as u128;
        let factor = ((all << (64 + FRACTION_BITS)) / (u128::from(span << shift) + 1)) as u64;
        Scale {
            first: prefixes.first,
            span,
            shift,
            factor,
            bins_log2: shape.bins.ilog2(),
        }
    }

    /// The bin among those of all parts. Keeps the order; prefixes out of range are in the first or
    /// last one.
    #[inline]
    fn place(&self, prefix: u64) -> usize {
        let filled = prefix.saturating_sub(self.first).min(self.span) << self.shift;
        ((u128::from(filled) * u128::from(self.factor)) >> (64 + FRACTION_BITS)) as usize
    }

    /// The part of a prefix.
    #[inline]
    pub(crate) fn part(&self, prefix: u64) -> usize {
        self.place(prefix) >> self.bins_log2
    }

    /// The bin within its part.
    #[inline]
    pub(crate) fn bin(&self, prefix: u64) -> usize {
        self.place(prefix) & ((1 << self.bins_log2) - 1)
    }

    /// About the prefixes in these bins of a part; both ends included.
    pub(crate) fn range(&self, part: usize, first: usize, last: usize) -> Prefixes {
        let start = |bin: usize| {
            let place = ((part << self.bins_log2) + bin) as u128;
            let filled = (place << (64 + FRACTION_BITS)) / u128::from(self.factor.max(1));
            let offset = u64::try_from(filled).unwrap_or(u64::MAX) >> self.shift;
            self.first.saturating_add(offset.min(self.span))
        };
        Prefixes::between(start(first), start(last + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn given() -> impl Strategy<Value = Given> {
        (
            0usize..40,
            0usize..1 << 20,
            1usize..20,
            1usize..600,
            4usize..60,
        )
            .prop_map(|(log, more, threads, files, bytes)| {
                let memory_bytes = (1_usize << log.min(31)) + more % (1 << log.min(31));
                Given {
                    memory_bytes,
                    threads,
                    files_max: files,
                    encoded_bytes: bytes,
                    record_bytes: bytes + 4,
                }
            })
    }

    proptest! {
        #[test]
        fn a_shape_fits_its_memory(given in given()) {
            if let Some(shape) = Shape::of(given) {
                let blocks = shape.kept_max + (given.threads + 1) * shape.parts;
                let batches = (given.threads + 1) * shape.batch_records * given.record_bytes;
                let bytes = blocks * shape.block_bytes + shape.parts * shape.bins * 4;
                prop_assert!(bytes <= given.memory_bytes, "{:?}: {} of {:?}", shape, bytes, given);
                prop_assert!(shape.batch_records == 1 || bytes + batches <= given.memory_bytes);
                prop_assert!(shape.parts <= given.files_max);
                prop_assert!(shape.held_records * given.record_bytes <= given.memory_bytes / 2);
            }
        }

        #[test]
        fn places_keep_the_order_and_fill_the_range(
            ends: (u64, u64), prefixes in proptest::collection::vec(any::<u64>(), 2..20), logs in (1u32..9, 0u32..12), low in 0u32..64,
        ) {
            let shape = Shape { parts: 1 << logs.0, bins: 1 << logs.1, block_bytes: 0, kept_max: 0, held_records: 0, batch_records: 1 };
            let first = ends.0 >> low;
            let range = Prefixes::between(first, first.saturating_add(ends.1 >> low));
            let scale = Scale::new(range, &shape);
            let mut prefixes: Vec<u64> = prefixes.iter().map(|p| p >> low).chain([range.first, range.last]).collect();
            prefixes.sort_unstable();
            let places: Vec<(usize, usize)> = prefixes.iter().map(|&p| (scale.part(p), scale.bin(p))).collect();
            prop_assert!(places.is_sorted());
            prop_assert!(places.iter().all(|&(part, bin)| part < shape.parts && bin < shape.bins));
            prop_assert_eq!((scale.part(range.first), scale.bin(range.first)), (0, 0));
            if range.last - range.first > 1 << 24 {
                prop_assert_eq!((scale.part(range.last), scale.bin(range.last)), (shape.parts - 1, shape.bins - 1));
                let again = scale.range(0, 0, shape.bins - 1);
                let width = (range.last - range.first) / shape.parts as u64;
                prop_assert!(again.first == range.first && again.last.abs_diff(range.first + width) <= width / 1000 + 2);
            }
        }
    }

    #[test]
    fn usual_budgets() {
        let shape = |mib: usize, threads: usize| {
            let given = Given {
                memory_bytes: mib << 20,
                threads,
                files_max: 248,
                encoded_bytes: 12,
                record_bytes: 16,
            };
            Shape::of(given).map(|shape| (shape.parts, shape.block_bytes >> 10))
        };
        assert_eq!(shape(56, 2), Some((64, 148)));
        assert_eq!(shape(256, 1), Some((64, 1024)));
        assert_eq!(shape(896, 2), Some((128, 1024)));
    }
}
