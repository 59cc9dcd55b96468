//! Cutting the input into tasks.
//!
//! *Input.* The listed files. *Output.* [`InputSegment`]s of about equal bytes. *Algorithm.* Files
//! are grouped in order until a segment is full; a large file whose records can be found from
//! anywhere inside it is cut into pieces, and its segments have no other file: so machines that
//! divide the segments can take whole files. *Limits.* Depends on nothing but names, formats and
//! sizes, so that every machine makes the same segments.

use crate::options::{Format, InputSegment, Piece, SourceFile};

const MIB: u64 = 1 << 20;

/// At most this many files in a segment, so that a tree of tiny pages is shared by threads as well.
const SEGMENT_FILES: usize = 4096;

/// The bytes that an input is cut by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Of a piece of a large file. The digest of a file is made of those of its pieces, and lists
    /// of snapshots keep digests for years: so this must stay as it is.
    pub piece_bytes: u64,
    /// Of a segment. Five files are made for each, and stay: a year of nightly crawls of 50 MiB has
    /// 13,000 of them.
    pub segment_bytes: u64,
}

impl Sizes {
    /// The sizes for an input of so many bytes: pieces of a 64th of it, between 2 MiB and 256 MiB,
    /// in whole MiB; segments of a 16th, between 8 MiB and 24 MiB, and of a piece at least. Five
    /// durable files cost more than a millisecond: as much as to sketch half a MiB.
    pub fn of(total_bytes: u64) -> Sizes {
        let share = |parts: u64, least: u64, most: u64| {
            (total_bytes / parts).div_ceil(MIB).clamp(least, most) * MIB
        };
        let piece_bytes = share(64, 2, 256);
        Sizes {
            piece_bytes,
            segment_bytes: share(16, 8, 24).max(piece_bytes),
        }
    }
}

/// Cuts `files` into segments of about so many bytes (0 is taken for 1), each byte of each file in
/// one piece.
pub fn plan(files: &[SourceFile], sizes: Sizes) -> Vec<InputSegment> {
    let (piece_bytes, segment_bytes) = (sizes.piece_bytes.max(1), sizes.segment_bytes);
    let mut segments = Vec::new();
    let mut open = InputSegment::new();
    let mut open_bytes = 0u64;
    let mut after_cut = false;
    for (index, file) in (0u32..).zip(files) {
        let is_cut = matches!(
            file.format,
            Format::Warc | Format::Arc | Format::Wacz | Format::Jsonl | Format::Parquet
        ) && file.stat.bytes > piece_bytes.saturating_mul(2);
        if (is_cut || after_cut) && !open.is_empty() {
            segments.push(std::mem::take(&mut open));
            open_bytes = 0;
        }
        after_cut = is_cut;
        for piece in cut(
            index,
            file.stat.bytes,
            if is_cut {
                piece_bytes
            } else {
                file.stat.bytes.max(1)
            },
        ) {
            let bytes = piece.end - piece.start;
            let is_full =
                open.len() >= SEGMENT_FILES || open_bytes.saturating_add(bytes) > segment_bytes;
            if !open.is_empty() && is_full {
                segments.push(std::mem::take(&mut open));
                open_bytes = 0;
            }
            open.push(piece);
            open_bytes = open_bytes.saturating_add(bytes);
        }
    }
    if !open.is_empty() {
        segments.push(open);
    }
    segments
}

/// Pieces of equal bytes, give or take one.
fn cut(file: u32, bytes: u64, piece_bytes: u64) -> impl Iterator<Item = Piece> {
    let pieces = bytes.div_ceil(piece_bytes).max(1);
    // 128 bits: a product of two sizes.
    let at = move |piece: u64| (u128::from(bytes) * u128::from(piece) / u128::from(pieces)) as u64;
    (0..pieces).map(move |piece| Piece {
        file,
        start: at(piece),
        end: at(piece + 1),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::path::PathBuf;

    fn file(format: Format, bytes: u64) -> SourceFile {
        SourceFile {
            name: String::new(),
            path: PathBuf::new(),
            format,
            stat: model::FileStat {
                bytes,
                ..model::FileStat::default()
            },
            sources: Vec::new(),
        }
    }

    #[test]
    fn sizes_depend_on_the_input_only_and_stay_in_bounds() {
        let mib = |total| {
            [
                Sizes::of(total).piece_bytes / MIB,
                Sizes::of(total).segment_bytes / MIB,
            ]
        };
        assert_eq!(mib(0), [2, 8]);
        assert_eq!(mib(128 * MIB), [2, 8]);
        assert_eq!(mib(128 * MIB + 64), [3, 9]);
        assert_eq!(mib(300 * MIB), [5, 19]);
        assert_eq!(mib(512 * MIB + 64), [9, 24]);
        assert_eq!(mib(2048 * MIB), [32, 32]);
        assert_eq!(mib(u64::MAX), [256, 256]);
    }

    #[test]
    fn pieces_share_a_segment_with_pieces_of_the_same_file_only() {
        let files = [
            file(Format::Html, 30),
            file(Format::Jsonl, 401),
            file(Format::Html, 60),
        ];
        let segments = plan(
            &files,
            Sizes {
                piece_bytes: 100,
                segment_bytes: 200,
            },
        );
        let bytes: Vec<Vec<u64>> = segments
            .iter()
            .map(|segment| segment.iter().map(|p| p.end - p.start).collect())
            .collect();
        assert_eq!(
            bytes,
            [vec![30], vec![80, 80], vec![80, 80], vec![81], vec![60]]
        );
    }

    #[test]
    fn small_files_share_a_segment_and_large_pages_stay_whole() {
        let files = [
            file(Format::Html, 10),
            file(Format::Html, 20),
            file(Format::Html, 900),
            file(Format::Jsonl, 201),
        ];
        let segments = plan(
            &files,
            Sizes {
                piece_bytes: 100,
                segment_bytes: 100,
            },
        );
        let ranges: Vec<Vec<_>> = segments
            .iter()
            .map(|segment| segment.iter().map(|p| (p.file, p.start, p.end)).collect())
            .collect();
        let expected: Vec<Vec<(u32, u64, u64)>> = vec![
            vec![(0, 0, 10), (1, 0, 20)],
            vec![(2, 0, 900)],
            vec![(3, 0, 67)],
            vec![(3, 67, 134)],
            vec![(3, 134, 201)],
        ];
        assert_eq!(ranges, expected);
    }

    #[test]
    fn a_segment_has_at_most_4096_files() {
        let files = vec![file(Format::Html, 1); SEGMENT_FILES + 1];
        assert_eq!(
            plan(&files, Sizes::of(MIB))
                .iter()
                .map(Vec::len)
                .collect::<Vec<_>>(),
            [SEGMENT_FILES, 1]
        );
    }

    proptest! {
        #[test]
        fn every_byte_of_every_file_is_in_one_piece(
            sizes in prop::collection::vec((0u64..5_000, 0usize..5), 0..60), piece_bytes in 0u64..2_000, times in 1u64..5,
        ) {
            let formats = [Format::Warc, Format::Jsonl, Format::Parquet, Format::Html, Format::Text];
            let files: Vec<_> = sizes.iter().map(|&(bytes, format)| file(formats[format], bytes)).collect();
            let segment = piece_bytes.max(1) * times;
            let segments = plan(&files, Sizes { piece_bytes, segment_bytes: segment });
            let mut next = (0u32, 0u64);
            for piece in segments.iter().flatten() {
                prop_assert_eq!((piece.file, piece.start), next);
                prop_assert!(piece.end > piece.start || files[piece.file as usize].stat.bytes == 0);
                next = if piece.end == files[piece.file as usize].stat.bytes { (piece.file + 1, 0) } else { (piece.file, piece.end) };
            }
            prop_assert_eq!(next, (files.len() as u32, 0));
            for segment_pieces in &segments {
                let bytes: u64 = segment_pieces.iter().map(|piece| piece.end - piece.start).sum();
                let is_one_whole_file = segment_pieces.len() == 1;
                prop_assert!(bytes <= segment || is_one_whole_file);
                prop_assert!(!segment_pieces.is_empty());
                let is_whole = |piece: &Piece| piece.start == 0 && piece.end == files[piece.file as usize].stat.bytes;
                let first = segment_pieces[0].file;
                prop_assert!(segment_pieces.iter().all(|piece| is_whole(piece) || piece.file == first));
            }
        }
    }
}
