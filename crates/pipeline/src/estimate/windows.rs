//! Which bytes of the input a sample reads.
//!
//! *Input.* The listed files, and how many bytes a slot has. *Output.* Slots in random order, and
//! the pieces of files in each. *Algorithm.* All files lie one after the other on one axis, which
//! is cut into slots of equal bytes. A record belongs to the slot it begins in; so does a page of a
//! tree, whole. Slots are drawn without replacement, with the same numbers on every machine: every
//! record is as likely to be met as any other, and two records of different slots are met together
//! with the square of that. *Memory.* A number for every [`EVERY`] files, and one for every slot
//! that is drawn.

use input::{Format, Piece, SourceFile};
use std::collections::HashSet;

/// Files between two places on the axis that are kept.
const EVERY: usize = 256;

/// All files, one after the other.
pub(super) struct Axis<'a> {
    files: &'a [SourceFile],
    /// Where the files with a number divisible by [`EVERY`] begin.
    begins: Vec<u64>,
    bytes: u64,
}

impl<'a> Axis<'a> {
    pub(super) fn new(files: &'a [SourceFile]) -> Axis<'a> {
        let mut bytes = 0_u64;
        let mut begins = Vec::with_capacity(files.len() / EVERY + 1);
        for (index, file) in files.iter().enumerate() {
            if index % EVERY == 0 {
                begins.push(bytes);
            }
            bytes = bytes.saturating_add(file.bytes);
        }
        Axis {
            files,
            begins,
            bytes,
        }
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// What of the files is read for the bytes from `start` up to `end`.
    pub(super) fn pieces(&self, start: u64, end: u64) -> Vec<Piece> {
        let mark = self
            .begins
            .partition_point(|&begin| begin <= start)
            .saturating_sub(1);
        let mut at = self.begins.get(mark).copied().unwrap_or(0);
        let mut pieces = Vec::new();
        for (index, file) in self.files.iter().enumerate().skip(mark * EVERY) {
            if at >= end {
                break;
            }
            let (first, last) = (start.max(at), end.min(at.saturating_add(file.bytes)));
            let number = u32::try_from(index).unwrap_or(u32::MAX);
            match file.format {
                Format::Html | Format::Text if at >= start => {
                    pieces.push(Piece {
                        file: number,
                        start: 0,
                        end: file.bytes,
                    });
                }
                Format::Html | Format::Text => {}
                Format::Warc | Format::Jsonl | Format::Parquet if first < last => {
                    pieces.push(Piece {
                        file: number,
                        start: first - at,
                        end: last - at,
                    });
                }
                Format::Warc | Format::Jsonl | Format::Parquet => {}
            }
            at = at.saturating_add(file.bytes);
        }
        pieces
    }
}

/// Numbers that look random: SplitMix64 (Steele, Lea, Flood: *Fast splittable pseudorandom number
/// generators*, 2014).
#[derive(Clone, Copy, Debug)]
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        ((u128::from(mix(self.0)) * u128::from(limit)) >> 64) as u64
    }
}

/// A bijection each of whose bits depends on all of the argument.
pub(super) fn mix(number: u64) -> u64 {
    let mixed = (number ^ (number >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

/// `wanted` different numbers below `count`, or all of them, in random order; the same for the same
/// arguments.
pub(super) fn draw(count: u64, wanted: usize) -> Vec<u64> {
    let mut numbers = Numbers(count);
    if count <= wanted as u64 * 2 {
        let mut all: Vec<u64> = (0..count).collect();
        for last in (1..all.len()).rev() {
            all.swap(last, numbers.below(last as u64 + 1) as usize);
        }
        all.truncate(wanted);
        return all;
    }
    let mut seen = HashSet::with_capacity(wanted);
    let mut drawn = Vec::with_capacity(wanted);
    while drawn.len() < wanted {
        let number = numbers.below(count);
        if seen.insert(number) {
            drawn.push(number);
        }
    }
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::path::PathBuf;

    fn files(sizes: &[(u64, bool)]) -> Vec<SourceFile> {
        let file = |&(bytes, tree): &(u64, bool)| SourceFile {
            name: String::new(),
            path: PathBuf::new(),
            format: if tree { Format::Html } else { Format::Warc },
            bytes,
            modified_ns: 0,
            changed_ns: 0,
            inode: 0,
        };
        sizes.iter().map(file).collect()
    }

    proptest! {
        #[test]
        fn every_byte_of_every_file_is_in_one_slot(
            sizes in proptest::collection::vec((1u64..3000, any::<bool>()), 0..700), slot in 1u64..5000,
        ) {
            let files = files(&sizes);
            let axis = Axis::new(&files);
            prop_assert_eq!(axis.bytes(), sizes.iter().map(|(bytes, _)| bytes).sum::<u64>());
            let mut seen = vec![0_u64; files.len()];
            for number in 0..axis.bytes().div_ceil(slot) {
                for piece in axis.pieces(number * slot, (number + 1) * slot) {
                    prop_assert!(piece.start == seen[piece.file as usize] && piece.end > piece.start);
                    seen[piece.file as usize] = piece.end;
                }
            }
            let all: Vec<u64> = sizes.iter().map(|(bytes, _)| *bytes).collect();
            prop_assert_eq!(seen, all);
        }

        #[test]
        fn drawn_numbers_are_different_and_below_the_limit(count in 0u64..5000, wanted in 0usize..400) {
            let drawn = draw(count, wanted);
            prop_assert_eq!(drawn.len() as u64, count.min(wanted as u64));
            prop_assert!(drawn.iter().all(|&number| number < count));
            prop_assert_eq!(drawn.iter().collect::<HashSet<_>>().len(), drawn.len());
        }
    }

    #[test]
    fn drawn_numbers_are_spread_evenly() {
        for (count, wanted) in [(1000, 600), (1 << 40, 4000)] {
            let mut tenths = [0_u32; 10];
            for number in draw(count, wanted) {
                tenths[(number * 10 / count) as usize] += 1;
            }
            let mean = wanted as f64 / 10.0;
            assert!(
                tenths
                    .iter()
                    .all(|&n| (f64::from(n) - mean).abs() < 6.0 * mean.sqrt()),
                "{tenths:?}"
            );
        }
    }
}
