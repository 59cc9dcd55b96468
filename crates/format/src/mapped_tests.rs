//! Mapped files against plain lists, over blocks so small that every search crosses several.

use super::*;
use crate::SegmentPart;
use crate::index_records::{BlockKey, BlockPlace, Seal, SegmentRecord, UrlRecord};
use crate::layout::{Header, TRAILER_BYTES};
use crate::mapped_rows::{MappedRows, PlaceRange, RowCursor, SegmentFiles};
use crate::rows::{EncodedRow, RowBytes};
use crate::sketch_row::SketchRow;
use crate::sorted_records::{KeyRange, SortedRecords};
use crate::writer::{FileWriter, Packing};
use crate::{Durability, RecordSpec, RecordWriter, block_keys, row_blocks};
use proptest::prelude::*;
use std::sync::Arc;

fn write<R: Record>(
    dir: &Path,
    name: &str,
    kind: FileKind,
    block_bytes: usize,
    records: &[R],
) -> Sealed {
    let spec = RecordSpec {
        block_bytes,
        ..RecordSpec::durable(dir.join(name), kind, [3; 16])
    };
    let mut writer = RecordWriter::create(&Disk::default(), spec).unwrap();
    writer.push_all(records).unwrap();
    writer.finish().unwrap()
}

struct Files {
    dir: tempfile::TempDir,
    records: Sealed,
    keys: Sealed,
}

fn files(records: &[UrlRecord], block_bytes: usize) -> Files {
    let dir = tempfile::tempdir().unwrap();
    let sealed = write(dir.path(), "urls", FileKind::Urls, block_bytes, records);
    let mut keys = Vec::new();
    let mut push = |key| {
        keys.push(BlockKey(key));
        Ok(())
    };
    block_keys::<UrlRecord>(
        &Disk::default(),
        dir.path(),
        &sealed,
        FileKind::Urls,
        &mut push,
    )
    .unwrap();
    let keys = write(dir.path(), "keys", FileKind::Keys, 16, &keys);
    Files {
        dir,
        records: sealed,
        keys,
    }
}

impl Files {
    fn open(&self, disk: &Disk) -> Result<SortedRecords<UrlRecord>, FormatError> {
        let dir = self.dir.path();
        let keys = Arc::new(MappedRecords::<BlockKey>::open_sealed(
            disk,
            dir,
            &self.keys,
            FileKind::Keys,
        )?);
        let range = 0..keys.len();
        let records = MappedRecords::open_sealed(disk, dir, &self.records, FileKind::Urls)?;
        Ok(SortedRecords::new(records, KeyRange { keys, range }))
    }
}

fn sorted(keys: &[u64]) -> Vec<UrlRecord> {
    let mut keys = keys.to_vec();
    keys.sort_unstable();
    keys.iter()
        .zip(0..)
        .map(|(&key, doc)| UrlRecord { key, doc })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn lookups_agree_with_a_list(
        keys in proptest::collection::vec(prop_oneof![0_u64..12, (1_u64 << 32)..(1 << 32) + 4, any::<u64>(), Just(u64::MAX)], 0..120),
        block in 1_usize..90,
        other in 0_u64..14,
    ) {
        let all = sorted(&keys);
        let files = files(&all, block);
        let found = files.open(&Disk::default()).unwrap();
        let list = |range: crate::RecordRange<'_, UrlRecord>| range.iter().collect::<Result<Vec<_>, _>>().unwrap();
        for key in keys.iter().copied().chain([other, u64::MAX, 0]) {
            let expected: Vec<_> = all.iter().filter(|record| record.key == key).copied().collect();
            let range = found.equal(key).unwrap();
            prop_assert_eq!(range.first().unwrap(), expected.first().copied());
            prop_assert_eq!(range.len(), expected.len() as u64);
            prop_assert_eq!(range.iter().next_back().transpose().unwrap(), expected.last().copied());
            prop_assert_eq!(list(range), expected);
            let high = (key >> 32) as u32;
            let expected: Vec<_> = all.iter().filter(|record| (record.key >> 32) as u32 == high).copied().collect();
            prop_assert_eq!(list(found.of(high).unwrap()), expected);
        }
        prop_assert_eq!(list(found.between(0, None).unwrap()), all);
    }
}

#[test]
fn a_lookup_reads_a_few_blocks_and_opening_none() {
    let framing = (HEADER_BYTES + TRAILER_BYTES) as u64;
    for n in [100_u64, 10_000] {
        let all: Vec<_> = (0..n)
            .map(|i| UrlRecord {
                key: i * 1_000_003,
                doc: i as u32,
            })
            .collect();
        let files = files(&all, 24);
        let disk = Disk::default();
        let found = files.open(&disk).unwrap();
        assert_eq!(disk.traffic().1, 0, "opening reads nothing");
        found.equal(n / 2 * 1_000_003).unwrap();
        // A block has two records, or two keys. A binary search reads as many blocks of keys as it
        // has steps; then two blocks of records are read.
        let blocks_max = u64::from((n / 4).ilog2() + 2) + 2;
        let read = disk.traffic().1 - 2 * framing;
        assert!(
            read <= blocks_max * (BLOCK_HEADER_BYTES as u64 + 24),
            "{read} bytes for one of {n}"
        );
        found.equal(n / 2 * 1_000_003).unwrap();
        assert_eq!(
            disk.traffic().1 - 2 * framing,
            read,
            "a block is checked once"
        );
    }
}

fn open_urls(
    disk: &Disk,
    dir: &Path,
    sealed: &Sealed,
) -> Result<MappedRecords<UrlRecord>, FormatError> {
    MappedRecords::open_sealed(disk, dir, sealed, FileKind::Urls)
}

#[test]
fn every_byte_that_is_read_is_counted_once() {
    let dir = tempfile::tempdir().unwrap();
    let all = sorted(&[1, 2, 3, 4, 5]);
    let sealed = write(dir.path(), "urls", FileKind::Urls, 24, &all);
    let disk = Disk::default();
    let urls = open_urls(&disk, dir.path(), &sealed).unwrap();
    assert_eq!((urls.len(), urls.is_empty()), (5, false));
    for (number, blocks) in [(0, 16 + 24), (1, 16 + 24), (4, 16 + 24 + 16 + 12)] {
        assert_eq!(urls.get(number).unwrap(), all[number as usize]);
        assert_eq!(
            disk.traffic().1,
            (HEADER_BYTES + TRAILER_BYTES) as u64 + blocks
        );
    }
    assert_eq!(
        [0, 2].map(|block| urls.block(block).unwrap().len() / UrlRecord::SIZE),
        [2, 1]
    );
    let beyond = urls.file.block(3, HEADER_BYTES as u64).unwrap_err();
    assert!(
        beyond.to_string().ends_with("block 3 does not begin here"),
        "{beyond}"
    );
}

#[test]
fn a_file_that_is_not_the_listed_one_is_refused_at_the_first_access() {
    let dir = tempfile::tempdir().unwrap();
    let sealed = write(dir.path(), "urls", FileKind::Urls, 24, &sorted(&[1, 2, 3]));
    let disk = Disk::default();
    let mismatch = |error| match error {
        FormatError::Mismatch { what, .. } => what,
        error => panic!("{error}"),
    };
    let more = Sealed {
        records: 4,
        ..sealed.clone()
    };
    let urls = open_urls(&disk, dir.path(), &more).unwrap();
    assert_eq!(mismatch(urls.get(0).unwrap_err()), "checksum");
    let keys =
        MappedRecords::<BlockKey>::open_sealed(&disk, dir.path(), &sealed, FileKind::Urls).unwrap();
    assert_eq!(mismatch(keys.get(0).unwrap_err()), "record width");
}

#[test]
fn a_file_without_room_for_header_and_trailer_is_not_opened() {
    let dir = tempfile::tempdir().unwrap();
    let sealed = write::<UrlRecord>(dir.path(), "urls", FileKind::Urls, 24, &[]);
    let open = |sealed: &Sealed| open_urls(&Disk::default(), dir.path(), sealed);
    assert!(open(&sealed).unwrap().is_empty());
    let bytes = sealed.bytes - 1;
    std::fs::write(dir.path().join("urls"), vec![0; bytes as usize]).unwrap();
    let short = open(&Sealed { bytes, ..sealed });
    assert!(matches!(short, Err(FormatError::Damaged { .. })));
}

#[test]
fn blocks_of_another_length_than_the_header_says_are_damage() {
    let dir = tempfile::tempdir().unwrap();
    let sealed = write(
        dir.path(),
        "urls",
        FileKind::Urls,
        24,
        &sorted(&[1, 2, 3, 4, 5]),
    );
    let path = dir.path().join("urls");
    let mut bytes = std::fs::read(&path).unwrap();
    for block_records in [0, 1] {
        let header = bytes.first_chunk().unwrap();
        let header = Header::decode(header, &path).unwrap();
        let other = Header {
            block_records,
            ..header
        };
        bytes[..HEADER_BYTES].copy_from_slice(&other.encode());
        std::fs::write(&path, &bytes).unwrap();
        let urls = open_urls(&Disk::default(), dir.path(), &sealed).unwrap();
        let error = urls.get(0).unwrap_err().to_string();
        assert!(error.ends_with("not as long as the header says"), "{error}");
    }
}

#[test]
fn every_flipped_bit_and_every_cut_is_an_error_or_changes_no_answer() {
    let all = sorted(&[1, 4, 4, 4, 9, 1 << 33, 1 << 34, u64::MAX]);
    let files = files(&all, 24);
    let answers = || -> Result<Vec<Vec<UrlRecord>>, FormatError> {
        let found = files.open(&Disk::default())?;
        [0, 1, 4, 9, 10, 1 << 33, u64::MAX]
            .map(|key| found.equal(key)?.iter().collect())
            .into_iter()
            .collect()
    };
    let right = answers().unwrap();
    let mut noticed = 0;
    for name in ["urls", "keys"] {
        let path = files.dir.path().join(name);
        let good = std::fs::read(&path).unwrap();
        for bit in 0..good.len() * 8 {
            let mut bad = good.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            std::fs::write(&path, &bad).unwrap();
            match answers() {
                Ok(answers) => assert_eq!(answers, right, "bit {bit} of {name}"),
                Err(_) => noticed += 1,
            }
        }
        for cut in 0..good.len() {
            std::fs::write(&path, &good[..cut]).unwrap();
            assert!(
                matches!(answers(), Err(FormatError::Damaged { .. })),
                "{name} cut at {cut}"
            );
        }
        std::fs::remove_file(&path).unwrap();
        assert!(
            matches!(answers(), Err(FormatError::Damaged { .. })),
            "{name} is missing"
        );
        std::fs::write(&path, &good).unwrap();
    }
    assert!(noticed > 8 * 100, "{noticed} flipped bits were noticed");
    assert_eq!(answers().unwrap(), right);
}

#[test]
fn keys_that_do_not_fit_the_records_are_damage() {
    let all = sorted(&[1, 4, 9, 16, 25, 36]);
    let mut files = files(&all, 24);
    files.keys = write(
        files.dir.path(),
        "keys",
        FileKind::Keys,
        16,
        &[1, 8, 25].map(BlockKey),
    );
    let found = files.open(&Disk::default()).unwrap();
    assert!(found.equal(1).is_ok());
    assert!(matches!(found.equal(9), Err(FormatError::Damaged { .. })));
    files.keys = write(
        files.dir.path(),
        "keys",
        FileKind::Keys,
        16,
        &[1, 9].map(BlockKey),
    );
    let found = files.open(&Disk::default()).unwrap();
    assert!(
        matches!(found.equal(1), Err(FormatError::Damaged { .. })),
        "fewer keys than blocks"
    );
}

/// Sketches of the documents of several segments. A sketch is cut into rows of a few fingerprints,
/// and a file into blocks of a few rows.
struct Sketches {
    dir: tempfile::TempDir,
    rows: MappedRows,
}

/// `segments` has the sizes of the sketches of each segment; a row has `row_size` fingerprints.
fn sketches(segments: &[Vec<usize>], row_size: usize, block_bytes: usize) -> Sketches {
    let dir = tempfile::tempdir().unwrap();
    let disk = Disk::default();
    let (mut records, mut places, mut first) = (Vec::new(), Vec::new(), 0);
    for (segment, lengths) in segments.iter().enumerate() {
        let path = dir.path().join(format!(
            "{}.sketches",
            crate::segment_name(3, segment as u32)
        ));
        let (kind, fingerprint) = (FileKind::Sketches, [0; 16]);
        let spec = RecordSpec {
            path,
            kind,
            fingerprint,
            block_bytes,
            durability: Durability::Durable,
        };
        let mut writer = FileWriter::create(&disk, spec, Packing::Rows).unwrap();
        for (doc, &length) in lengths.iter().enumerate() {
            let all = fingerprints(first + doc as u32, length);
            for chunk in all.chunks(row_size) {
                let piece = SketchRow::pieces(doc as u32, chunk).next().unwrap();
                writer.row(|out| piece.encode(out)).unwrap();
            }
        }
        let sealed = writer.finish().unwrap();
        row_blocks(&disk, dir.path(), &sealed, kind, &mut |block| {
            let (first, segment) = (first + block.first_number, segment as u32);
            places.push(BlockPlace {
                first,
                segment,
                block: block.block,
                offset: block.offset,
            });
            Ok(())
        })
        .unwrap();
        let mut files = [Seal::default(); 4];
        files[SegmentPart::Sketches as usize] = Seal::of(&sealed);
        records.push(SegmentRecord {
            first,
            documents: lengths.len() as u32,
            snapshot: 3,
            number: segment as u32,
            files,
        });
        first += lengths.len() as u32;
    }
    let segments = write(dir.path(), "segments", FileKind::Segments, 300, &records);
    let blocks = write(dir.path(), "blocks", FileKind::Blocks, 40, &places);
    let segments =
        MappedRecords::open_sealed(&disk, dir.path(), &segments, FileKind::Segments).unwrap();
    let places = MappedRecords::open_sealed(&disk, dir.path(), &blocks, FileKind::Blocks).unwrap();
    let (segments, places) = (Arc::new(segments), Arc::new(places));
    let range = 0..places.len();
    let files = SegmentFiles {
        disk,
        dir: dir.path().to_path_buf(),
        segments,
        part: SegmentPart::Sketches,
    };
    Sketches {
        rows: MappedRows::of_segments(files, PlaceRange { places, range }),
        dir,
    }
}

fn fingerprints(doc: u32, length: usize) -> Vec<u64> {
    (0..length as u64)
        .map(|i| u64::from(doc) * 1000 + i)
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn sketches_are_found_whatever_blocks_and_rows_they_lie_in(
        segments in proptest::collection::vec(proptest::collection::vec(0_usize..30, 0..20), 0..4),
        row in 1_usize..8,
        block in 1_usize..200,
    ) {
        let sketches = sketches(&segments, row, block);
        let lengths: Vec<usize> = segments.concat();
        for (doc, &length) in (0..).zip(&lengths) {
            let mut found = Vec::new();
            sketches.rows.sketch(doc, &mut |row| found.extend(row.iter())).unwrap();
            prop_assert_eq!(found, fingerprints(doc, length));
        }
        let mut beyond = 0;
        sketches.rows.sketch(lengths.len() as u32, &mut |_| beyond += 1).unwrap();
        prop_assert_eq!(beyond, 0);
        prop_assert!(sketches.dir.path().exists());
    }

    #[test]
    fn rows_are_found_in_any_order(
        segments in proptest::collection::vec(1_usize..30, 1..4),
        block in 1_usize..120,
        wanted in proptest::collection::vec(any::<proptest::sample::Index>(), 0..40),
    ) {
        // Each sketch has one row, so the file has a row for every document, as others have.
        let lengths: Vec<Vec<usize>> = segments.iter().map(|n| vec![3; *n]).collect();
        let sketches = sketches(&lengths, 8, block);
        let documents: usize = segments.iter().sum();
        let skip = |bytes: &mut RowBytes<'_>| SketchRow::decode(bytes).map(|_| ());
        let take = |bytes: &mut RowBytes<'_>| SketchRow::decode(bytes).map(|row| row.iter().collect::<Vec<u64>>());
        let mut cursor = RowCursor::default();
        for index in wanted {
            let doc = index.index(documents) as u32;
            let row = sketches.rows.row(&mut cursor, doc, skip, take).unwrap();
            prop_assert_eq!(row, fingerprints(doc, 3));
        }
        let mut cursor = RowCursor::default();
        for doc in 0..documents as u32 {
            prop_assert_eq!(sketches.rows.row(&mut cursor, doc, skip, take).unwrap(), fingerprints(doc, 3));
        }
        prop_assert!(sketches.rows.row(&mut cursor, documents as u32, skip, take).is_err());
    }
}

thread_local! {
    static SKIPPED: std::cell::Cell<u32> = const { std::cell::Cell::new(0) };
}

#[test]
fn rows_in_ascending_order_are_passed_over_once() {
    let sketches = sketches(&[vec![3; 5], vec![3; 4], vec![3; 20]], 8, 10_000);
    let skip = |bytes: &mut RowBytes<'_>| {
        SKIPPED.set(SKIPPED.get() + 1);
        SketchRow::decode(bytes).map(|_| ())
    };
    let take = |bytes: &mut RowBytes<'_>| SketchRow::decode(bytes).map(|row| row.iter().count());
    let mut cursor = RowCursor::default();
    for doc in 0..29 {
        sketches.rows.row(&mut cursor, doc, skip, take).unwrap();
        let segment = sketches.rows.segment_of(doc).unwrap();
        assert_eq!(segment, u32::from(doc >= 5) + u32::from(doc >= 9));
    }
    assert_eq!(SKIPPED.get(), 4 + 3 + 19);
}
