//! The entries of a sparse index: the first key, or the first document, of each block of a finished
//! file.
//!
//! *Input.* A finished file. *Output.* One call a block. *Disk.* A few bytes of each block.
//! *Limits.* Blocks are not checked here. A lookup checks the block that the index names, and that
//! its first key is the one in the index.

use crate::disk::Disk;
use crate::inlet::Inlet;
use crate::layout::{
    BLOCK_HEADER_BYTES, FileKind, HEADER_BYTES, Header, TRAILER_BYTES, Trailer, u32_at,
};
use crate::rows::RowBytes;
use crate::{FormatError, Sealed};
use model::Record;
use std::path::{Path, PathBuf};

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

struct Walk {
    inlet: Inlet,
    path: PathBuf,
    header: Header,
    trailer: Trailer,
    end: u64,
}

impl Walk {
    fn open(disk: &Disk, dir: &Path, sealed: &Sealed, kind: FileKind) -> Result<Walk, FormatError> {
        let path = dir.join(&sealed.name);
        let mut inlet = Inlet::open(disk, &path)?;
        let framing = (HEADER_BYTES + TRAILER_BYTES) as u64;
        let bytes = inlet.file_bytes();
        if bytes < framing || bytes != sealed.bytes {
            return Err(FormatError::damaged(
                &path,
                bytes,
                format!("{} bytes were written", sealed.bytes),
            ));
        }
        let (mut header, mut trailer) = ([0; HEADER_BYTES], [0; TRAILER_BYTES]);
        let end = bytes - TRAILER_BYTES as u64;
        inlet.peek(&mut header, 0)?;
        inlet.peek(&mut trailer, end)?;
        let (header, trailer) = (
            Header::decode(&header, &path)?,
            Trailer::decode(&trailer, &path, end)?,
        );
        let got = format!("{:016x}, kind {:?}", trailer.checksum, header.kind);
        let expected = format!("{}, kind {kind:?}", sealed.checksum);
        if got != expected {
            return Err(FormatError::Mismatch {
                path,
                what: "checksum",
                expected,
                got,
            });
        }
        Ok(Walk {
            inlet,
            path,
            header,
            trailer,
            end,
        })
    }

    fn damaged(&self, offset: u64, what: &str) -> FormatError {
        FormatError::damaged(&self.path, offset, what)
    }
}

/// Calls `f` with the prefix of the first record of each block of a finished file of records.
///
/// # Errors
/// When the file is not the one that is listed, or its blocks are not in order, and when `f` fails.
pub fn block_keys<R: Record>(
    disk: &Disk,
    dir: &Path,
    sealed: &Sealed,
    kind: FileKind,
    f: &mut dyn FnMut(u64) -> Result<(), FormatError>,
) -> Result<(), FormatError> {
    let mut walk = Walk::open(disk, dir, sealed, kind)?;
    let stride = BLOCK_HEADER_BYTES as u64
        + u64::from(walk.header.block_records) * u64::from(walk.header.record_bytes);
    let mut record = vec![0; R::SIZE];
    let mut last = 0;
    for block in 0..walk.trailer.blocks {
        let at = (HEADER_BYTES as u64).saturating_add(block.saturating_mul(stride))
            + BLOCK_HEADER_BYTES as u64;
        walk.inlet.peek(&mut record, at)?;
        let key = R::decode(&record).prefix();
        if key < last || at + R::SIZE as u64 > walk.end {
            return Err(walk.damaged(at, "its records are not in order"));
        }
        f(key)?;
        last = key;
    }
    Ok(())
}

/// Calls `f` with each block of a file of rows.
///
/// # Errors
/// As [`block_keys`].
pub fn row_blocks(
    disk: &Disk,
    dir: &Path,
    sealed: &Sealed,
    kind: FileKind,
    f: &mut dyn FnMut(RowBlock) -> Result<(), FormatError>,
) -> Result<(), FormatError> {
    let mut walk = Walk::open(disk, dir, sealed, kind)?;
    let (mut offset, mut rows) = (HEADER_BYTES as u64, 0_u64);
    for block in 0..walk.trailer.blocks {
        let mut head = [0; BLOCK_HEADER_BYTES + ROW_HEAD_BYTES];
        let wanted = (head.len() as u64).min(walk.end.saturating_sub(offset)) as usize;
        walk.inlet.peek(&mut head[..wanted], offset)?;
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
    if offset != walk.end || rows != walk.trailer.records {
        return Err(walk.damaged(offset, "its blocks are not as long as their headers say"));
    }
    Ok(())
}
