//! Published files read at random, block by block.
//!
//! *Input.* A finished file, in the layout of every work file. *Output.* Its blocks and, if they
//! are of fixed width, its records. *Algorithm.* The file is mapped. Opening compares only its
//! length with the manifest. The first access to any block reads header and trailer and compares
//! them with the manifest; the first access to a block compares it with its checksum. *Memory.* One
//! bit a block. The pages of the mapping belong to the system, which can take them back at any
//! time. *Limits.* A file that is cut or damaged is an error; see [`crate::map`] for a file that is
//! cut while it is read.

use crate::disk::Disk;
use crate::layout::{
    BLOCK_BYTES_MAX, BLOCK_HEADER_BYTES, FileKind, HEADER_BYTES, Header, TRAILER_BYTES, Trailer,
    block_checksum, name_digest, u32_at, u64_at,
};
use crate::{BLOCK_BYTES, FormatError, Sealed};
use memmap2::Mmap;
use model::Record;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use twox_hash::XxHash3_64;

/// A mapped file.
#[derive(Debug)]
pub(crate) struct MappedFile {
    disk: Disk,
    path: PathBuf,
    map: Mmap,
    /// Checksum, records, kind and width that the manifest lists.
    expected: Expected,
    /// Header and trailer, once they were found to be the expected ones.
    framing: OnceLock<Framing>,
}

/// The properties that a mapped file must have.
#[derive(Clone, Debug)]
struct Expected {
    checksum: String,
    records: u64,
    kind: FileKind,
    /// Bytes of a record, where all have the same.
    width: Option<usize>,
}

/// Header and trailer of a file.
#[derive(Debug)]
struct Framing {
    header: Header,
    trailer: Trailer,
    seed: u64,
    /// Where the trailer begins.
    end: u64,
    /// One bit a block: its checksum was found to fit.
    checked: Box<[AtomicU64]>,
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
        let bytes = file
            .metadata()
            .map_err(|e| FormatError::io("examine", &path, 0, e))?
            .len();
        if bytes != sealed.bytes || bytes < (HEADER_BYTES + TRAILER_BYTES) as u64 {
            let what = format!("it has {bytes} bytes, {} were written", sealed.bytes);
            return Err(FormatError::damaged(&path, bytes, what));
        }
        let map = crate::map::map(&file).map_err(|e| FormatError::io("map", &path, 0, e))?;
        let expected = Expected {
            checksum: sealed.checksum.clone(),
            records: sealed.records,
            kind,
            width,
        };
        Ok(MappedFile {
            disk: disk.clone(),
            path,
            map,
            expected,
            framing: OnceLock::new(),
        })
    }

    /// Header and trailer; read and checked at the first call.
    fn framing(&self) -> Result<&Framing, FormatError> {
        if let Some(framing) = self.framing.get() {
            return Ok(framing);
        }
        let framing = self.read_framing()?;
        Ok(self.framing.get_or_init(|| framing))
    }

    fn read_framing(&self) -> Result<Framing, FormatError> {
        let (path, map, bytes) = (&self.path, &self.map, self.map.len() as u64);
        let short = || FormatError::damaged(path, 0, "shorter than header and trailer");
        let header_bytes = map.first_chunk::<HEADER_BYTES>().ok_or_else(short)?;
        let header = Header::decode(header_bytes, path)?;
        let end = bytes - TRAILER_BYTES as u64;
        let trailer = Trailer::decode(
            map.last_chunk::<TRAILER_BYTES>().ok_or_else(short)?,
            path,
            end,
        )?;
        self.disk.count_read((HEADER_BYTES + TRAILER_BYTES) as u64);
        let framing = trailer
            .blocks
            .saturating_mul(BLOCK_HEADER_BYTES as u64)
            .saturating_add(HEADER_BYTES as u64);
        if trailer.payload_bytes.saturating_add(framing) != end {
            return Err(self.damaged(end, "its length is not what the trailer says"));
        }
        if header.name_digest != name_digest(path) {
            return Err(self.damaged(40, "it was written under another name"));
        }
        let Expected {
            checksum,
            records,
            kind,
            width,
        } = &self.expected;
        let got = format!(
            "{:016x} of {} records, kind {:?}",
            trailer.checksum, trailer.records, header.kind
        );
        self.mismatch(
            "checksum",
            format!("{checksum} of {records} records, kind {kind:?}"),
            got,
        )?;
        if let Some(width) = width {
            self.mismatch(
                "record width",
                width.to_string(),
                header.record_bytes.to_string(),
            )?;
            let in_block = u64::from(header.block_records);
            if in_block == 0 || trailer.blocks != trailer.records.div_ceil(in_block) {
                return Err(self.damaged(end, "its blocks are not as long as the header says"));
            }
        }
        let checked = (0..trailer.blocks.div_ceil(64))
            .map(|_| AtomicU64::new(0))
            .collect();
        Ok(Framing {
            seed: XxHash3_64::oneshot(header_bytes),
            header,
            trailer,
            end,
            checked,
        })
    }

    fn mismatch(
        &self,
        what: &'static str,
        expected: String,
        got: String,
    ) -> Result<(), FormatError> {
        if expected == got {
            return Ok(());
        }
        Err(FormatError::Mismatch {
            path: self.path.clone(),
            what,
            expected,
            got,
        })
    }

    pub(crate) fn damaged(&self, offset: u64, what: impl Into<String>) -> FormatError {
        FormatError::damaged(&self.path, offset, what)
    }

    /// The block with this number, which begins at `offset`.
    pub(crate) fn block(&self, number: u64, offset: u64) -> Result<MappedBlock<'_>, FormatError> {
        let Framing {
            header,
            trailer,
            seed,
            end,
            checked,
        } = self.framing()?;
        let at = usize::try_from(offset).unwrap_or(usize::MAX);
        let within = &self.map[..*end as usize];
        let (word, bit) = ((number / 64) as usize, 1 << (number % 64));
        let word = checked.get(word);
        let is_new = word.is_none_or(|word| word.load(Ordering::Relaxed) & bit == 0);
        if is_new {
            // all of a usual block by one read of the disk
            let usual = at.saturating_add(BLOCK_HEADER_BYTES + BLOCK_BYTES);
            crate::map::need(&self.map, at.min(within.len())..usual.min(within.len()));
        }
        let head = at
            .checked_add(BLOCK_HEADER_BYTES)
            .and_then(|end| within.get(at..end));
        let Some(head) = head.filter(|_| number < trailer.blocks) else {
            return Err(self.damaged(offset, format!("block {number} does not begin here")));
        };
        let (length, records, checksum) = (u32_at(head, 0), u32_at(head, 4), u64_at(head, 8));
        let start = at + BLOCK_HEADER_BYTES;
        let payload = within
            .get(start..start.saturating_add(length as usize))
            .filter(|_| length <= BLOCK_BYTES_MAX);
        let Some(payload) = payload else {
            return Err(self.damaged(
                offset,
                format!("a block of {length} bytes reaches beyond the end"),
            ));
        };
        let width = u64::from(header.record_bytes);
        if width != 0 && u64::from(length) != u64::from(records) * width {
            return Err(self.damaged(offset, format!("{length} bytes are not {records} records")));
        }
        if is_new {
            if block_checksum(*seed, number, records, payload) != checksum {
                return Err(self.damaged(
                    offset,
                    format!("the checksum of block {number} does not match"),
                ));
            }
            if let Some(word) = word {
                word.fetch_or(bit, Ordering::Relaxed);
            }
            self.disk
                .count_read((BLOCK_HEADER_BYTES as u64) + u64::from(length));
        }
        Ok(MappedBlock { payload, records })
    }
}

/// A mapped file of records of one type.
#[derive(Debug)]
pub struct MappedRecords<R> {
    file: MappedFile,
    record: PhantomData<R>,
}

/// The records of one block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RecordBlock<'a, R> {
    payload: &'a [u8],
    record: PhantomData<R>,
}

impl<R: Record> RecordBlock<'_, R> {
    pub(crate) fn len(&self) -> usize {
        self.payload.len() / R::SIZE
    }

    pub(crate) fn get(&self, index: usize) -> Option<R> {
        self.payload
            .get(index * R::SIZE..(index + 1) * R::SIZE)
            .map(R::decode)
    }

    /// How many records at the beginning have a prefix below this one.
    pub(crate) fn below(&self, prefix: u64) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if self
                .get(middle)
                .is_some_and(|record| record.prefix() < prefix)
            {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
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
        self.file.expected.records
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Records in each block but the last.
    pub(crate) fn in_block(&self) -> Result<u64, FormatError> {
        Ok(u64::from(self.file.framing()?.header.block_records).max(1))
    }

    pub(crate) fn blocks(&self) -> Result<u64, FormatError> {
        Ok(self.file.framing()?.trailer.blocks)
    }

    pub(crate) fn damaged(&self, what: impl Into<String>) -> FormatError {
        self.file.damaged(0, what)
    }

    pub(crate) fn block(&self, number: u64) -> Result<RecordBlock<'_, R>, FormatError> {
        let stride = BLOCK_HEADER_BYTES as u64 + self.in_block()? * R::SIZE as u64;
        let offset = number
            .checked_mul(stride)
            .and_then(|at| at.checked_add(HEADER_BYTES as u64));
        let block = self.file.block(number, offset.unwrap_or(u64::MAX))?;
        Ok(RecordBlock {
            payload: block.payload,
            record: PhantomData,
        })
    }

    /// The record with this number.
    ///
    /// # Errors
    /// At damage, and when there is no such record.
    pub fn get(&self, number: u64) -> Result<R, FormatError> {
        let in_block = self.in_block()?;
        let (block, at) = (number / in_block, number % in_block);
        let record = self.block(block)?.get(at as usize);
        record.ok_or_else(|| self.file.damaged(0, format!("there is no record {number}")))
    }
}

#[cfg(test)]
#[path = "mapped_tests.rs"]
mod tests;
