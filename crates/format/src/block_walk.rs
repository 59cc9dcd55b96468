//! The entries of a sparse index: the first key, or the first document, of each block of a finished
//! file.
//!
//! *Input.* A finished file. *Output.* One call a block. *Disk.* A few bytes of each block.
//! *Limits.* Blocks are not checked here. A lookup checks the block that the index names, and that
//! its first key is the one in the index.

use crate::disk::Disk;
use crate::inlet::Inlet;
use crate::layout::{BLOCK_HEADER_BYTES, FileKind, Framing, HEADER_BYTES, u32_at};
use crate::rows::RowBytes;
use crate::{FormatError, Sealed};
use model::Record;
use std::path::Path;

/// Bytes of a row that are looked at.
const ROW_HEAD_BYTES: usize = 5;

/// A block of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowBlock {
    /// Its number in the file.
    pub block: u32,
    /// Where it begins.
    pub offset: u64,
    /// Rows in the blocks before it.
    pub rows_before: u32,
    /// The number its first row begins with.
    pub first_number: u32,
}

fn open(
    disk: &Disk,
    dir: &Path,
    sealed: &Sealed,
    kind: FileKind,
) -> Result<(Inlet, Framing), FormatError> {
    let path = dir.join(&sealed.name);
    let mut inlet = Inlet::open(disk, &path)?;
    sealed.expect_bytes(&path, inlet.file_bytes())?;
    let framing = inlet.framing()?;
    framing.expect_sealed(&path, sealed, kind)?;
    Ok((inlet, framing))
}

/// Calls `f` with the prefix of the first record of each block of a finished file of records.
pub fn block_keys<R: Record>(
    disk: &Disk,
    dir: &Path,
    sealed: &Sealed,
    kind: FileKind,
    f: &mut dyn FnMut(u64) -> Result<(), FormatError>,
) -> Result<(), FormatError> {
    let (mut inlet, framing) = open(disk, dir, sealed, kind)?;
    let header = &framing.header;
    let stride = BLOCK_HEADER_BYTES as u64
        + u64::from(header.block_records) * u64::from(header.record_bytes);
    let mut record = vec![0; R::SIZE];
    let mut last = 0;
    for block in 0..framing.trailer.blocks {
        let at = (HEADER_BYTES as u64).saturating_add(block.saturating_mul(stride))
            + BLOCK_HEADER_BYTES as u64;
        inlet.peek(&mut record, at)?;
        let key = R::decode(&record).prefix();
        if key < last || at + R::SIZE as u64 > framing.end {
            return Err(inlet.damaged(at, "its records are not in order"));
        }
        f(key)?;
        last = key;
    }
    Ok(())
}

/// Calls `f` with each block of a file of rows.
pub fn row_blocks(
    disk: &Disk,
    dir: &Path,
    sealed: &Sealed,
    kind: FileKind,
    f: &mut dyn FnMut(RowBlock) -> Result<(), FormatError>,
) -> Result<(), FormatError> {
    let (mut inlet, framing) = open(disk, dir, sealed, kind)?;
    let (mut offset, mut rows) = (HEADER_BYTES as u64, 0_u64);
    for block in 0..framing.trailer.blocks {
        let mut head = [0; BLOCK_HEADER_BYTES + ROW_HEAD_BYTES];
        let wanted = (head.len() as u64).min(framing.end.saturating_sub(offset)) as usize;
        inlet.peek(&mut head[..wanted], offset)?;
        let first_number = RowBytes(&head[BLOCK_HEADER_BYTES..]).varint().unwrap_or(0) as u32;
        f(RowBlock {
            block: block as u32,
            offset,
            rows_before: rows as u32,
            first_number,
        })?;
        rows += u64::from(u32_at(&head, 4));
        offset += BLOCK_HEADER_BYTES as u64 + u64::from(u32_at(&head, 0));
    }
    if offset != framing.end || rows != framing.trailer.records {
        return Err(inlet.damaged(offset, "its blocks are not as long as their headers say"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{TRAILER_BYTES, Trailer};
    use crate::writer::{FileWriter, Packing};
    use crate::{Durability, RecordSpec, RecordWriter};
    use model::PairCount;

    /// Pairs with these lower documents, two in a block.
    fn records(dir: &Path, lower: &[u32]) -> Sealed {
        let spec = RecordSpec {
            block_bytes: 2 * PairCount::SIZE,
            ..RecordSpec::durable(dir.join("pairs"), FileKind::Pairs, [7; 16])
        };
        let mut writer = RecordWriter::create(&Disk::default(), spec).unwrap();
        for &a in lower {
            writer.push(&PairCount { a, b: 1, shared: 2 }).unwrap();
        }
        writer.finish().unwrap()
    }

    /// The lower documents at the beginnings of blocks.
    fn keys(dir: &Path, sealed: &Sealed, kind: FileKind) -> Result<Vec<u32>, FormatError> {
        let mut keys = Vec::new();
        let push = &mut |key: u64| {
            keys.push((key >> 32) as u32);
            Ok(())
        };
        block_keys::<PairCount>(&Disk::default(), dir, sealed, kind, push)?;
        Ok(keys)
    }

    /// Rows of one byte, two in a block.
    fn rows(dir: &Path, numbers: &[u8]) -> Sealed {
        let spec = RecordSpec {
            path: dir.join("rows"),
            kind: FileKind::Documents,
            fingerprint: [7; 16],
            block_bytes: 2,
            durability: Durability::Scratch,
        };
        let mut writer = FileWriter::create(&Disk::default(), spec, Packing::Rows).unwrap();
        for &number in numbers {
            writer.row(|block| block.push(number)).unwrap();
        }
        writer.finish().unwrap()
    }

    fn blocks(dir: &Path, sealed: &Sealed) -> Result<Vec<(u32, u64, u32, u32)>, FormatError> {
        let mut blocks = Vec::new();
        let push = &mut |row: RowBlock| {
            blocks.push((row.block, row.offset, row.rows_before, row.first_number));
            Ok(())
        };
        row_blocks(&Disk::default(), dir, sealed, FileKind::Documents, push)?;
        Ok(blocks)
    }

    /// Changes what the trailer of a file says.
    fn reseal(dir: &Path, sealed: &Sealed, change: impl FnOnce(&mut Trailer)) {
        let path = dir.join(&sealed.name);
        let mut bytes = std::fs::read(&path).unwrap();
        let end = bytes.len() - TRAILER_BYTES;
        let mut trailer = Trailer::decode(bytes[end..].try_into().unwrap(), &path, 0).unwrap();
        change(&mut trailer);
        bytes[end..].copy_from_slice(&trailer.encode());
        std::fs::write(&path, bytes).unwrap();
    }

    #[test]
    fn each_block_of_records_gives_its_first_key() {
        let dir = tempfile::tempdir().unwrap();
        let sealed = records(dir.path(), &[1, 3, 5, 5, 5, 5, 9]);
        assert_eq!(
            keys(dir.path(), &sealed, FileKind::Pairs).unwrap(),
            [1, 5, 5, 9]
        );
        let none = records(dir.path(), &[]);
        assert!(keys(dir.path(), &none, FileKind::Pairs).unwrap().is_empty());
        let descending = records(dir.path(), &[1, 3, 5, 7, 4]);
        assert!(keys(dir.path(), &descending, FileKind::Pairs).is_err());
        // A fourth block would begin in the trailer.
        let sealed = records(dir.path(), &[1, 3, 5, 6, 7, 8]);
        reseal(dir.path(), &sealed, |trailer| trailer.blocks = 4);
        assert!(keys(dir.path(), &sealed, FileKind::Pairs).is_err());
    }

    #[test]
    fn records_that_reach_into_the_trailer_are_damage() {
        let dir = tempfile::tempdir().unwrap();
        let spec = RecordSpec {
            path: dir.path().join("pairs"),
            kind: FileKind::Pairs,
            fingerprint: [7; 16],
            block_bytes: 4,
            durability: Durability::Scratch,
        };
        let mut writer = FileWriter::create(&Disk::default(), spec, Packing::Fixed(4)).unwrap();
        writer.slot().unwrap().fill(1);
        let sealed = writer.finish().unwrap();
        assert!(
            keys(dir.path(), &sealed, FileKind::Pairs).is_err(),
            "pairs have 12 bytes"
        );
    }

    #[test]
    fn of_a_block_of_rows_only_the_head_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let sealed = rows(dir.path(), &[4, 5, 6, 7, 9]);
        let disk = Disk::default();
        row_blocks(&disk, dir.path(), &sealed, FileKind::Documents, &mut |_| {
            Ok(())
        })
        .unwrap();
        let heads = 2 * (BLOCK_HEADER_BYTES + ROW_HEAD_BYTES) + BLOCK_HEADER_BYTES + 1;
        assert_eq!(
            disk.traffic().1 as usize,
            HEADER_BYTES + TRAILER_BYTES + heads
        );
    }

    #[test]
    fn each_block_of_rows_gives_its_place() {
        let dir = tempfile::tempdir().unwrap();
        let sealed = rows(dir.path(), &[4, 5, 6, 7, 9]);
        let expected = [(0, 64, 0, 4), (1, 82, 2, 6), (2, 100, 4, 9)];
        assert_eq!(blocks(dir.path(), &sealed).unwrap(), expected);
        reseal(dir.path(), &sealed, |trailer| trailer.records += 1);
        assert!(
            blocks(dir.path(), &sealed).is_err(),
            "fewer rows than sealed"
        );
        reseal(dir.path(), &sealed, |trailer| {
            (trailer.blocks, trailer.records) = (2, 4);
        });
        assert!(
            blocks(dir.path(), &sealed).is_err(),
            "bytes after the last block"
        );
    }

    #[test]
    fn another_file_than_the_listed_one_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let sealed = records(dir.path(), &[1, 3, 5]);
        let refused =
            |sealed: &Sealed, kind| keys(dir.path(), sealed, kind).unwrap_err().to_string();
        assert!(refused(&sealed, FileKind::Links).contains("expected Links"));
        let other = Sealed {
            checksum: "0".into(),
            ..sealed.clone()
        };
        assert!(refused(&other, FileKind::Pairs).contains("checksum"));
        let longer = Sealed {
            bytes: sealed.bytes + 1,
            ..sealed.clone()
        };
        let message = format!("{} were written", longer.bytes);
        assert!(refused(&longer, FileKind::Pairs).contains(&message));
        std::fs::write(dir.path().join("pairs"), [0; 111]).unwrap();
        let short = Sealed {
            bytes: 111,
            ..sealed
        };
        assert!(refused(&short, FileKind::Pairs).contains("shorter"));
    }
}
