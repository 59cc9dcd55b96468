//! The blocks, the syncs and the end of a file being written.

use super::*;
use crate::{FileReader, RecordWriter};
use model::PairCount;
use std::path::Path;

fn writer(dir: &Path, durability: Durability, record_bytes: usize) -> (Disk, FileWriter) {
    let spec = RecordSpec {
        durability,
        block_bytes: 60,
        ..RecordSpec::durable(dir.join("file"), FileKind::Pairs, [7; 16])
    };
    let disk = Disk::default();
    let packing = match record_bytes {
        0 => Packing::Rows,
        bytes => Packing::Fixed(bytes),
    };
    let writer = FileWriter::create(&disk, spec, packing).unwrap();
    (disk, writer)
}

#[test]
fn records_are_cut_into_blocks_however_they_come() {
    let dir = tempfile::tempdir().unwrap();
    let disk = Disk::default();
    let pairs: Vec<PairCount> = (0..23).map(|a| PairCount { a, b: 1, shared: 2 }).collect();
    // Blocks of five, and of one where not even one fits.
    for (block_bytes, blocks) in [(60, 5), (71, 5), (5, 23)] {
        let spec = RecordSpec {
            block_bytes,
            ..RecordSpec::durable(dir.path().join("file"), FileKind::Pairs, [7; 16])
        };
        let mut sealed = Vec::new();
        for at_once in [1, 2, 7, 23] {
            let mut writer = RecordWriter::create(&disk, spec.clone()).unwrap();
            for (n, some) in pairs.chunks(at_once).enumerate() {
                match some {
                    [one] => writer.push(one).unwrap(),
                    _ => writer.push_all(some).unwrap(),
                }
                assert_eq!(writer.records() as usize, n * at_once + some.len());
            }
            sealed.push(writer.finish().unwrap());
            let reader = FileReader::open(&disk, &spec.path).unwrap();
            assert_eq!(reader.trailer().blocks, blocks, "{block_bytes} bytes");
        }
        assert!(sealed.iter().all(|other| *other == sealed[0]));
    }
}

#[test]
fn a_block_of_rows_ends_with_the_row_that_fills_it() {
    let dir = tempfile::tempdir().unwrap();
    let (_, mut writer) = writer(dir.path(), Durability::Scratch, 0);
    let mut blocks = Vec::new();
    for bytes in [30, 29, 1, 59, 900, 60] {
        writer
            .row(|block| block.resize(block.len() + bytes, 1))
            .unwrap();
        blocks.push(writer.blocks);
    }
    assert_eq!(blocks, [0, 0, 1, 1, 2, 3]);
    assert_eq!(writer.payload_bytes, 30 + 29 + 1 + 59 + 900 + 60);
    assert_eq!(
        writer.block.capacity(),
        BLOCK_HEADER_BYTES + 2 * 60,
        "after a huge row"
    );
}

#[test]
fn only_durable_files_are_synced() {
    let dir = tempfile::tempdir().unwrap();
    for (durability, expected) in [(Durability::Durable, 1), (Durability::Scratch, 0)] {
        let (disk, writer) = writer(dir.path(), durability, 12);
        let sealed = writer.finish().unwrap();
        let [_, syncs, renames, ..] = disk.operations();
        assert_eq!((syncs, renames), (expected, 1));
        assert_eq!(
            (&*sealed.name, sealed.bytes, sealed.records),
            ("file", 112, 0)
        );
    }
}

#[test]
fn a_file_that_is_dropped_unfinished_is_removed() {
    let dir = tempfile::tempdir().unwrap();
    let (_, writer) = writer(dir.path(), Durability::Durable, 12);
    assert!(dir.path().join("file.part").exists());
    drop(writer);
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn usual_blocks_have_256_kib() {
    let dir = tempfile::tempdir().unwrap();
    let spec = RecordSpec::durable(dir.path().join("file"), FileKind::Pairs, [7; 16]);
    let mut writer = RecordWriter::create(&Disk::default(), spec.clone()).unwrap();
    let pair = PairCount {
        a: 1,
        b: 2,
        shared: 3,
    };
    let in_block = 256 * 1024 / 12;
    writer.push_all(&vec![pair; in_block + 1]).unwrap();
    let sealed = writer.finish().unwrap();
    assert_eq!(sealed.bytes, std::fs::metadata(&spec.path).unwrap().len());
    let reader = FileReader::open(&Disk::default(), &spec.path).unwrap();
    assert_eq!(reader.header().block_records as usize, in_block);
    assert_eq!(reader.trailer().blocks, 2);
}

#[test]
fn slots_are_as_many_as_the_block_has_room_for() {
    let dir = tempfile::tempdir().unwrap();
    let (_, mut writer) = writer(dir.path(), Durability::Scratch, 12);
    let wanted = [100, 1, 2, 9, 0];
    let got = wanted.map(|records| writer.slots(records).unwrap().len() / 12);
    assert_eq!(got, [5, 1, 2, 2, 1]);
    assert_eq!(writer.records(), 11);
}
