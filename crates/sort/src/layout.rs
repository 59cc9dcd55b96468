//! How a sort divides its memory into blocks and the prefixes into parts.
//!
//! Half of the memory is for the open blocks, one for each part and thread; the other half for full
//! blocks that stay in memory. There are as many parts as can have blocks of 1 MiB, and at least 64
//! if the memory suffices for blocks of 64 KiB, so that writes are large and parts small.

use crate::Prefixes;

/// Most bytes of a block: direct I/O gains little from larger ones.
const BLOCK_BYTES_MAX: usize = 1 << 20;
/// Least bytes of a block, if there is memory for [`PARTS_WANTED`] parts.
const BLOCK_BYTES_WANTED: usize = 64 << 10;
const PARTS_WANTED: usize = 64;
const PARTS_MAX: usize = 256;
const PARTS_MIN: usize = 4;
/// Most bins of a part: records go to all of them at once, and the ends of all must stay in the
/// cache.
const BINS_MAX: usize = 2048;
/// Most bytes of records that are buffered before the first one is partitioned.
const BUFFERED_BYTES_MAX: usize = 4 << 20;
/// Most records of a thread's batch.
const BATCH_RECORDS_MAX: usize = 2048;
/// Alignment of direct I/O in bytes; larger blocks are multiples of it.
const GRID: usize = 4096;

/// Bits after the binary point of the factor that maps a prefix to a bin. There are at most 2^19
/// bins, so 64 bits hold the factor.
const FRACTION_BITS: u32 = 40;

/// The quantities that a layout depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LayoutInputs {
    pub(crate) memory_bytes: usize,
    pub(crate) threads: usize,
    pub(crate) files_max: usize,
    /// Bytes of an encoded record.
    pub(crate) encoded_bytes: usize,
    /// Bytes of a record in memory.
    pub(crate) record_bytes: usize,
}

/// How the memory of a sort is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Number of parts, a power of two.
    pub(crate) parts: usize,
    /// Number of bins in each part, a power of two.
    pub(crate) bins: usize,
    pub(crate) block_bytes: usize,
    /// How many full blocks may stay in memory.
    pub(crate) kept_max: usize,
    /// How many records are buffered before the first one is partitioned.
    pub(crate) buffered_records: usize,
    /// How many records a thread collects before it partitions them.
    pub(crate) batch_records: usize,
}

/// The largest power of two that is at most `n`; 1 for 0.
fn power_below(n: usize) -> usize {
    1 << n.max(1).ilog2()
}

#[cfg(test)]
impl Layout {
    /// Four parts of eight bins, and blocks of 100 bytes, of which none is kept.
    pub(crate) fn small() -> Layout {
        Layout {
            parts: 4,
            bins: 8,
            block_bytes: 100,
            kept_max: 0,
            buffered_records: 0,
            batch_records: 1,
        }
    }
}

impl Layout {
    /// The layout for these inputs; `None` if the memory is too small to partition records.
    pub(crate) fn of(inputs: LayoutInputs) -> Option<Layout> {
        let (memory_bytes, record_bytes) = (inputs.memory_bytes, inputs.record_bytes.max(1));
        // A set of open blocks for each thread, and one for the rests of finished threads.
        let sets = inputs.threads.max(1) + 1;
        let set_bytes = memory_bytes / 2 / sets;
        let many = power_below(set_bytes / BLOCK_BYTES_MAX);
        let enough = power_below(set_bytes / BLOCK_BYTES_WANTED).min(PARTS_WANTED);
        let files = power_below(inputs.files_max).min(PARTS_MAX);
        let parts = many.max(enough).max(PARTS_MIN).min(files);
        let block_bytes = match (set_bytes / parts).min(BLOCK_BYTES_MAX) {
            large if large >= GRID => large / GRID * GRID,
            small => small,
        };
        if block_bytes < 4 * inputs.encoded_bytes || parts < 2 {
            return None;
        }
        let bins = power_below(memory_bytes / 16 / 4 / parts).min(BINS_MAX);
        let taken = sets * parts * block_bytes + parts * bins * 4;
        let batch_bytes = memory_bytes / 16 / sets;
        Some(Layout {
            parts,
            bins,
            block_bytes,
            kept_max: (memory_bytes - batch_bytes * sets).saturating_sub(taken) / block_bytes,
            buffered_records: (memory_bytes / 2).min(BUFFERED_BYTES_MAX) / record_bytes,
            batch_records: (batch_bytes / record_bytes).clamp(1, BATCH_RECORDS_MAX),
        })
    }
}

/// Maps prefixes to bins: a range of prefixes is divided evenly into parts, and parts into bins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    first: u64,
    span: u64,
    shift: u32,
    factor: u64,
    bins_log2: u32,
}

impl Scale {
    pub(crate) fn new(prefixes: Prefixes, layout: &Layout) -> Scale {
        let span = (prefixes.last - prefixes.first).max(1);
        // Shifted to fill 64 bits, so that the high bits of one product are the bin.
        let shift = span.leading_zeros();
        let all = (layout.parts * layout.bins) as u128;
        let factor = ((all << (64 + FRACTION_BITS)) / (u128::from(span << shift) + 1)) as u64;
        Scale {
            first: prefixes.first,
            span,
            shift,
            factor,
            bins_log2: layout.bins.ilog2(),
        }
    }

    /// The bin of a prefix, counted over all parts. The mapping is monotonic; prefixes outside the
    /// range are in the first or the last bin. One multiplication, no division.
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

    /// The bin of a prefix within its part.
    #[inline]
    pub(crate) fn bin(&self, prefix: u64) -> usize {
        self.place(prefix) & ((1 << self.bins_log2) - 1)
    }

    /// A range that covers the prefixes in these bins of a part; both ends included.
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

    fn inputs() -> impl Strategy<Value = LayoutInputs> {
        (
            0usize..40,
            0usize..1 << 20,
            1usize..20,
            1usize..600,
            4usize..60,
        )
            .prop_map(|(log, more, threads, files, bytes)| {
                let memory_bytes = (1_usize << log.min(31)) + more % (1 << log.min(31));
                LayoutInputs {
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
        fn a_layout_fits_its_memory(inputs in inputs()) {
            if let Some(layout) = Layout::of(inputs) {
                let blocks = layout.kept_max + (inputs.threads + 1) * layout.parts;
                let batches = (inputs.threads + 1) * layout.batch_records * inputs.record_bytes;
                let bytes = blocks * layout.block_bytes + layout.parts * layout.bins * 4;
                prop_assert!(bytes <= inputs.memory_bytes, "{:?}: {} of {:?}", layout, bytes, inputs);
                prop_assert!(layout.batch_records == 1 || bytes + batches <= inputs.memory_bytes);
                prop_assert!(layout.parts <= inputs.files_max);
                prop_assert!(layout.buffered_records * inputs.record_bytes <= inputs.memory_bytes / 2);
            }
        }

        #[test]
        fn places_keep_the_order_and_fill_the_range(
            ends: (u64, u64), prefixes in proptest::collection::vec(any::<u64>(), 2..20), logs in (1u32..9, 0u32..12), low in 0u32..64,
        ) {
            let layout = Layout { parts: 1 << logs.0, bins: 1 << logs.1, block_bytes: 0, kept_max: 0, buffered_records: 0, batch_records: 1 };
            let first = ends.0 >> low;
            let range = Prefixes::between(first, first.saturating_add(ends.1 >> low));
            let scale = Scale::new(range, &layout);
            let mut prefixes: Vec<u64> = prefixes.iter().map(|p| p >> low).chain([range.first, range.last]).collect();
            prefixes.sort_unstable();
            let places: Vec<(usize, usize)> = prefixes.iter().map(|&p| (scale.part(p), scale.bin(p))).collect();
            prop_assert!(places.is_sorted());
            prop_assert!(places.iter().all(|&(part, bin)| part < layout.parts && bin < layout.bins));
            prop_assert_eq!((scale.part(range.first), scale.bin(range.first)), (0, 0));
            if range.last - range.first > 1 << 24 {
                prop_assert_eq!((scale.part(range.last), scale.bin(range.last)), (layout.parts - 1, layout.bins - 1));
                let again = scale.range(0, 0, layout.bins - 1);
                let width = (range.last - range.first) / layout.parts as u64;
                prop_assert!(again.first == range.first && again.last.abs_diff(range.first + width) <= width / 1000 + 2);
            }
        }
    }

    #[test]
    fn usual_budgets() {
        let layout = |mib: usize, threads: usize| {
            let inputs = LayoutInputs {
                memory_bytes: mib << 20,
                threads,
                files_max: 248,
                encoded_bytes: 12,
                record_bytes: 16,
            };
            Layout::of(inputs).map(|layout| (layout.parts, layout.block_bytes >> 10))
        };
        assert_eq!(layout(56, 2), Some((64, 148)));
        assert_eq!(layout(256, 1), Some((64, 1024)));
        assert_eq!(layout(896, 2), Some((128, 1024)));
    }

    #[test]
    fn every_part_of_a_layout_follows_from_the_inputs() {
        let layout = |[
            memory_bytes,
            threads,
            files_max,
            encoded_bytes,
            record_bytes,
        ]: [usize; 5]| {
            let inputs = LayoutInputs {
                memory_bytes,
                threads,
                files_max,
                encoded_bytes,
                record_bytes,
            };
            Layout::of(inputs).map(|layout| {
                let blocks = [layout.block_bytes, layout.kept_max];
                let records = [layout.buffered_records, layout.batch_records];
                (layout.parts, layout.bins, blocks, records)
            })
        };
        // Blocks of 4 KiB; no thread is as one.
        let small = Some((4, 256, [4096, 13], [3125, 195]));
        assert_eq!(layout([100_000, 1, 64, 12, 16]), small);
        assert_eq!(layout([100_000, 0, 64, 12, 16]), small);
        // Blocks at the grid, and the largest below it.
        let at_grid = Some((4, 256, [4096, 6], [2048, 128]));
        assert_eq!(layout([65_536, 1, 64, 12, 16]), at_grid);
        let below_grid = Some((4, 128, [4095, 6], [2047, 127]));
        assert_eq!(layout([65_535, 1, 64, 12, 16]), below_grid);
        // Three threads.
        let three = Some((4, 2048, [90_112, 14], [62_500, 1953]));
        assert_eq!(layout([3_000_000, 3, 20, 12, 24]), three);
        // As many parts as there may be.
        let large = Some((256, 2048, [1 << 20, 3326], [1 << 18, 2048]));
        assert_eq!(layout([4 << 30, 1, 1000, 12, 16]), large);
        // The least memory: four records a block.
        let least = Some((4, 2, [48, 6], [24, 1]));
        assert_eq!(layout([768, 1, 64, 12, 16]), least);
        assert_eq!(layout([767, 1, 64, 12, 16]), None);
        // The fewest files.
        assert_eq!(layout([768, 1, 2, 12, 16]).map(|layout| layout.0), Some(2));
        assert_eq!(layout([768, 1, 1, 12, 16]), None);
    }

    #[test]
    fn bins_divide_the_prefixes_evenly() {
        let layout = Layout {
            bins: 16,
            ..Layout::small()
        };
        let ends = |prefixes: Prefixes| (prefixes.first, prefixes.last);
        let all = Scale::new(Prefixes::ALL, &layout);
        for place in 0..64 {
            let first = (place as u64) << 58;
            for prefix in [first, first + ((1 << 58) - 1)] {
                assert_eq!(
                    (all.part(prefix), all.bin(prefix)),
                    (place / 16, place % 16)
                );
            }
        }
        assert_eq!(ends(all.range(1, 2, 3)), (18 << 58, 20 << 58));
        assert_eq!(ends(all.range(3, 15, 15)), (63 << 58, u64::MAX));
        let some = Scale::new(Prefixes::between(1000, 1000 + 65_535), &layout);
        let place = |prefix| (some.part(prefix), some.bin(prefix));
        assert_eq!(place(1000 + 18 * 1024), (1, 2));
        assert_eq!(place(1000 + 18 * 1024 - 1), (1, 1));
        assert_eq!((place(0), place(u64::MAX)), ((0, 0), (3, 15)));
        // Rounded down, so that the range covers all prefixes of the bins.
        let range = (1000 + 18 * 1024 - 1, 1000 + 20 * 1024 - 1);
        assert_eq!(ends(some.range(1, 2, 3)), range);
    }
}
