//! Published files read at random, block by block.
//!
//! *Input.* A finished file, in the layout of every work file. *Output.* Its blocks and, if they
//! are of fixed width, its records. *Algorithm.* The file is mapped. Opening compares only its
//! length with the manifest. The first access to any block reads header and trailer and compares
//! them with the manifest; the first access to a block compares it with its checksum. *Memory.* One
//! bit a block. The pages of the mapping belong to the system, which can take them back at any
//! time. *Limits.* A file that is cut or damaged is an error; see [`crate::map`] for a file that is
//! cut while it is read.

use crate::disk::{Disk, length};
use crate::layout::{BLOCK_HEADER_BYTES, FRAMING_BYTES, FileKind, Framing, HEADER_BYTES};
use crate::{BLOCK_BYTES, FormatError, Sealed};
use memmap2::Mmap;
use model::Record;
use std::marker::PhantomData;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// A mapped file.
#[derive(Debug)]
pub(crate) struct MappedFile {
    disk: Disk,
    path: PathBuf,
    map: Mmap,
    /// The entry of the manifest for it, its kind, and the bytes of a record, where all have the
    /// same.
    sealed: Sealed,
    kind: FileKind,
    width: Option<usize>,
    /// Header and trailer, once they were found to be the expected ones.
    checked: OnceLock<CheckedFile>,
}

/// A file whose header and trailer are the expected ones.
#[derive(Debug)]
struct CheckedFile {
    framing: Framing,
    /// One bit a block: its checksum was found to fit.
    blocks: Box<[AtomicU64]>,
}

/// A block whose checksum fits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MappedBlock<'a> {
    pub(crate) payload: &'a [u8],
    pub(crate) records: u32,
}

impl MappedFile {
    /// Maps the file that a manifest lists, with records of `width` bytes if it has such; reads
    /// nothing of it.
    pub(crate) fn open_sealed(
        disk: &Disk,
        dir: &Path,
        sealed: &Sealed,
        kind: FileKind,
        width: Option<usize>,
    ) -> Result<MappedFile, FormatError> {
        let path = dir.join(&sealed.name);
        if crate::disk::examine(&path)?.is_none() {
            return Err(FormatError::damaged(&path, 0, "it is missing"));
        }
        let file = disk.open(&path)?;
        let bytes = length(&file, &path)?;
        sealed.expect_bytes(&path, bytes)?;
        if bytes < FRAMING_BYTES {
            let what = "shorter than header and trailer";
            return Err(FormatError::damaged(&path, bytes, what));
        }
        let map = crate::map::map(&file).map_err(|e| FormatError::io("map", &path, 0, e))?;
        Ok(MappedFile {
            disk: disk.clone(),
            path,
            map,
            sealed: sealed.clone(),
            kind,
            width,
            checked: OnceLock::new(),
        })
    }

    /// Header and trailer; read and checked at the first call.
    fn checked(&self) -> Result<&CheckedFile, FormatError> {
        if let Some(checked) = self.checked.get() {
            return Ok(checked);
        }
        let checked = self.check()?;
        Ok(self.checked.get_or_init(|| checked))
    }

    fn check(&self) -> Result<CheckedFile, FormatError> {
        let path = &self.path;
        let framing = Framing::read(path, self.map.len() as u64, |bytes, at| {
            let at = at as usize;
            bytes.copy_from_slice(&self.map[at..at + bytes.len()]);
            Ok(())
        })?;
        self.disk.count_read(FRAMING_BYTES);
        framing.expect_sealed(path, &self.sealed, self.kind)?;
        let trailer = &framing.trailer;
        if let Some(width) = self.width {
            framing.expect_width(path, width)?;
            let in_block = u64::from(framing.header.block_records);
            if in_block == 0 || trailer.blocks != trailer.records.div_ceil(in_block) {
                let what = "its blocks are not as long as the header says";
                return Err(self.damaged(framing.end, what));
            }
        }
        let words = trailer.blocks.div_ceil(64);
        let blocks = (0..words).map(|_| AtomicU64::new(0)).collect();
        Ok(CheckedFile { framing, blocks })
    }

    pub(crate) fn damaged(&self, offset: u64, what: impl Into<String>) -> FormatError {
        FormatError::damaged(&self.path, offset, what)
    }

    /// The block with this number, which begins at `offset`.
    pub(crate) fn block(&self, number: u64, offset: u64) -> Result<MappedBlock<'_>, FormatError> {
        let CheckedFile { framing, blocks } = self.checked()?;
        let at = usize::try_from(offset).unwrap_or(usize::MAX);
        let within = &self.map[..framing.end as usize];
        let (word, bit) = ((number / 64) as usize, 1 << (number % 64));
        let word = blocks.get(word);
        let is_new = word.is_none_or(|word| word.load(Ordering::Relaxed) & bit == 0);
        if is_new {
            // all of a usual block by one read of the disk
            let usual = at.saturating_add(BLOCK_HEADER_BYTES + BLOCK_BYTES);
            crate::map::need(&self.map, at.min(within.len())..usual.min(within.len()));
        }
        let block = within
            .get(at..)
            .and_then(|rest| rest.split_at_checked(BLOCK_HEADER_BYTES));
        let Some((head, rest)) = block.filter(|_| number < framing.trailer.blocks) else {
            return Err(self.damaged(offset, format!("block {number} does not begin here")));
        };
        let damaged = |what| self.damaged(offset, what);
        let head = framing
            .block_header(head, rest.len() as u64)
            .map_err(damaged)?;
        let payload = &rest[..head.length as usize];
        if is_new {
            framing
                .check_block(number, &head, payload)
                .map_err(damaged)?;
            if let Some(word) = word {
                word.fetch_or(bit, Ordering::Relaxed);
            }
            let bytes = BLOCK_HEADER_BYTES + payload.len();
            self.disk.count_read(bytes as u64);
        }
        Ok(MappedBlock {
            payload,
            records: head.records,
        })
    }
}

/// The first number of a range for which `is_below` does not hold: it holds for none after that.
pub(crate) fn partition_point(
    Range { mut start, mut end }: Range<u64>,
    mut is_below: impl FnMut(u64) -> Result<bool, FormatError>,
) -> Result<u64, FormatError> {
    while start < end {
        let middle = start + (end - start) / 2;
        if is_below(middle)? {
            start = middle + 1;
        } else {
            end = middle;
        }
    }
    Ok(start)
}

/// The record at this place of a block, found without a look at those before it.
pub(crate) fn record_at<R: Record>(block: &[u8], index: u64) -> Option<R> {
    // `nth` comes before `map`, which would decode one record after the other.
    block
        .chunks_exact(R::SIZE)
        .nth(index as usize)
        .map(R::decode)
}

/// A mapped file of records of one type.
#[derive(Debug)]
pub struct MappedRecords<R> {
    file: MappedFile,
    record: PhantomData<R>,
}

impl<R: Record> MappedRecords<R> {
    /// Maps the file that a manifest lists; reads nothing of it.
    ///
    /// # Errors
    /// When it is missing, or its length is not the listed one. If it is another file of the same
    /// length, the first access to a record fails.
    pub fn open_sealed(
        disk: &Disk,
        dir: &Path,
        sealed: &Sealed,
        kind: FileKind,
    ) -> Result<Self, FormatError> {
        let file = MappedFile::open_sealed(disk, dir, sealed, kind, Some(R::SIZE))?;
        Ok(MappedRecords {
            file,
            record: PhantomData,
        })
    }

    /// Records in the file, as listed.
    pub fn len(&self) -> u64 {
        self.file.sealed.records
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Records in each block but the last.
    pub(crate) fn in_block(&self) -> Result<u64, FormatError> {
        Ok(u64::from(self.file.checked()?.framing.header.block_records).max(1))
    }

    pub(crate) fn blocks(&self) -> Result<u64, FormatError> {
        Ok(self.file.checked()?.framing.trailer.blocks)
    }

    pub(crate) fn damaged(&self, what: impl Into<String>) -> FormatError {
        self.file.damaged(0, what)
    }

    /// The bytes of the records of a block.
    pub(crate) fn block(&self, number: u64) -> Result<&[u8], FormatError> {
        let stride = BLOCK_HEADER_BYTES as u64 + self.in_block()? * R::SIZE as u64;
        let offset = number
            .checked_mul(stride)
            .and_then(|at| at.checked_add(HEADER_BYTES as u64));
        let block = self.file.block(number, offset.unwrap_or(u64::MAX))?;
        Ok(block.payload)
    }

    /// The record with this number.
    pub fn get(&self, number: u64) -> Result<R, FormatError> {
        let in_block = self.in_block()?;
        let record = record_at(self.block(number / in_block)?, number % in_block);
        record.ok_or_else(|| self.damaged(format!("there is no record {number}")))
    }
}

#[cfg(test)]
#[path = "mapped_tests.rs"]
mod tests;
