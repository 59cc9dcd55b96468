//! The requests of a reader to the disk, and its errors for files that are damaged.

use super::*;
use crate::layout::TRAILER_BYTES;
use crate::writer::{FileWriter, Packing};
use crate::{DiskOptions, Durability, IoMode, RecordReader, RecordSpec, RecordWriter};
use model::PairCount;

fn disk() -> Disk {
    Disk::new(DiskOptions {
        io: IoMode::Auto,
        ..DiskOptions::default()
    })
}

/// A file of so many pairs, five in a block.
fn written(dir: &Path, pairs: u32) -> Sealed {
    let spec = RecordSpec {
        block_bytes: 60,
        ..RecordSpec::durable(dir.join("pairs"), FileKind::Pairs, [7; 16])
    };
    let mut writer = RecordWriter::create(&Disk::default(), spec).unwrap();
    for a in 0..pairs {
        writer.push(&PairCount { a, b: 1, shared: 2 }).unwrap();
    }
    writer.finish().unwrap()
}

/// Writes the bytes anew, reads the whole file, and gives the message of the error.
fn message(dir: &Path, bytes: &[u8]) -> String {
    let path = dir.join("pairs");
    std::fs::write(&path, bytes).unwrap();
    let read =
        FileReader::open(&Disk::default(), &path).and_then(|mut reader| reader.verify_rest());
    read.expect_err("damage").to_string()
}

#[test]
fn large_files_are_read_in_pieces_of_several_blocks() {
    assert_eq!(piece_bytes(BLOCK_BYTES), 4 * BLOCK_BYTES);
    assert_eq!(piece_bytes(DIRECT_BYTES_MIN / 4), DIRECT_BYTES_MIN);
    assert_eq!(
        piece_bytes(DIRECT_BYTES_MIN / 4 - 1),
        DIRECT_BYTES_MIN / 4 - 1
    );
}

#[test]
fn a_file_begins_as_ours_with_any_part_of_the_magic_number() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("file");
    let long = [&MAGIC[..], b"more"].concat();
    let cases = [
        (&b""[..], false),
        (&MAGIC[..1], true),
        (&MAGIC, true),
        (&long, true),
    ];
    for (bytes, expected) in cases.into_iter().chain([(&b"\x89PNG"[..], false)]) {
        std::fs::write(&path, bytes).unwrap();
        let ours = FileReader::begins_as_ours(&Disk::default(), &path).unwrap();
        assert_eq!(ours, expected, "{bytes:?}");
    }
}

#[test]
fn messages_say_what_is_damaged() {
    let dir = tempfile::tempdir().unwrap();
    written(dir.path(), 12);
    let good = std::fs::read(dir.path().join("pairs")).unwrap();
    assert!(message(dir.path(), &good[..HEADER_BYTES + TRAILER_BYTES - 1]).contains("shorter"));
    // Length and records of the last block, of two records.
    let last = good.len() - TRAILER_BYTES - 24 - BLOCK_HEADER_BYTES;
    let changed = |at: usize, value: u32| {
        let mut bad = good.clone();
        bad[last + at..last + at + 4].copy_from_slice(&value.to_le_bytes());
        message(dir.path(), &bad)
    };
    assert!(changed(0, 25).contains("a block of 25 bytes where 24 are left"));
    assert!(changed(0, 12).contains("12 bytes are not 2 records"));
    assert!(changed(4, 3).contains("24 bytes are not 3 records"));
    assert!(changed(4, 0).contains("a block of no records"));
    assert!(changed(8, 1).contains("the checksum of block 2 does not match"));
}

#[test]
fn a_reader_tells_what_made_the_file_and_where_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let sealed = written(dir.path(), 0);
    let disk = Disk::default();
    let mut reader = FileReader::open_sealed(&disk, dir.path(), &sealed, FileKind::Pairs).unwrap();
    assert_eq!(reader.fingerprint(), [7; 16]);
    assert!(!reader.next_block().unwrap());
    let as_links = FileReader::open_sealed(&disk, dir.path(), &sealed, FileKind::Links);
    let refused = as_links
        .err()
        .map(|error| error.to_string())
        .unwrap_or_default();
    assert!(refused.contains("kind"), "{refused}");
    let other = Sealed {
        records: 1,
        ..sealed.clone()
    };
    assert!(FileReader::open_sealed(&disk, dir.path(), &other, FileKind::Pairs).is_err());
    let other = Sealed {
        checksum: "0".into(),
        ..sealed
    };
    assert!(FileReader::open_sealed(&disk, dir.path(), &other, FileKind::Pairs).is_err());
}

#[test]
fn a_lookup_reads_one_block_and_what_the_grid_adds() {
    let dir = tempfile::tempdir().unwrap();
    written(dir.path(), 10_000);
    let disk = disk();
    let path = dir.path().join("pairs");
    let reader = RecordReader::<PairCount>::open(&disk, &path, FileKind::Pairs).unwrap();
    let (mut lookups, before) = (reader.for_lookups(), disk.traffic().1);
    lookups.seek(5_001).unwrap();
    assert_eq!(lookups.next().unwrap().map(|pair| pair.a), Some(5_001));
    assert_eq!(disk.traffic().1 - before, 2 * ALIGN as u64);
}

#[test]
fn rows_are_read_a_quarter_of_a_mebibyte_at_a_time() {
    let dir = tempfile::tempdir().unwrap();
    let (disk, path) = (disk(), dir.path().join("rows"));
    let spec = RecordSpec {
        path: path.clone(),
        kind: FileKind::Documents,
        fingerprint: [7; 16],
        block_bytes: 60,
        durability: Durability::Scratch,
    };
    let mut writer = FileWriter::create(&disk, spec, Packing::Rows).unwrap();
    for _ in 0..500 {
        writer
            .row(|block| block.resize(block.len() + 1000, 1))
            .unwrap();
    }
    writer.finish().unwrap();
    let mut reader = FileReader::open(&disk, &path).unwrap();
    let before = disk.traffic().1;
    assert!(reader.next_block().unwrap());
    assert_eq!(disk.traffic().1 - before, 1 << 18);
}
