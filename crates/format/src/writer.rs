//! Writing a file: blocks to a temporary name, trailer, sync, rename.

use crate::disk::Disk;
use crate::layout::{
    BLOCK_BYTES_MAX, BLOCK_HEADER_BYTES, FRAMING_BYTES, FileKind, Fingerprint, Header, Trailer,
    block_checksum, block_seed, name_digest,
};
use crate::outlet::Outlet;
use crate::{Durability, FormatError, Sealed};
use std::hash::Hasher;
use std::path::PathBuf;
use twox_hash::XxHash3_64;

/// Bytes of a block unless a caller with a tiny budget asks for less.
pub const BLOCK_BYTES: usize = 256 << 10;
/// Blocks that are written, and read, with one operation once a file is large.
pub(crate) const PIECE_BLOCKS: usize = 4;

/// A block of packed records has one for so many of its bytes: they mostly take less.
pub(crate) const PACKED_RECORD_BYTES: usize = 8;

/// Where and as what to write records or rows.
#[derive(Clone, Debug)]
pub struct RecordSpec {
    /// Final path; the temporary one is beside it.
    pub path: PathBuf,
    /// The kind of its content.
    pub kind: FileKind,
    /// The fingerprint of the parameters and inputs that made it.
    pub fingerprint: Fingerprint,
    /// Bytes of a block: [`BLOCK_BYTES`] unless the budget is tiny.
    pub block_bytes: usize,
    /// Whether it must survive a power cut.
    pub durability: Durability,
}

impl RecordSpec {
    /// A durable file with blocks of the usual size.
    pub fn durable(path: PathBuf, kind: FileKind, fingerprint: Fingerprint) -> RecordSpec {
        RecordSpec {
            path,
            kind,
            fingerprint,
            block_bytes: BLOCK_BYTES,
            durability: Durability::Durable,
        }
    }

    /// A file that lives only within a phase.
    pub fn scratch(path: PathBuf, block_bytes: usize) -> RecordSpec {
        RecordSpec {
            block_bytes,
            durability: Durability::Scratch,
            ..RecordSpec::durable(path, FileKind::Run, [0; 16])
        }
    }
}

/// How records lie in the blocks of a file.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Packing {
    /// Each in so many bytes.
    Fixed(usize),
    /// So many of a block together.
    Packed(usize),
    /// As rows of varying length.
    Rows,
}

/// A file being written. Dropped unfinished, it removes its temporary file.
pub(crate) struct FileWriter {
    outlet: Outlet,
    durability: Durability,
    seed: u64,
    hasher: XxHash3_64,
    record_bytes: usize,
    block_bytes: usize,
    /// Block header and payload, written with one call.
    block: Vec<u8>,
    block_records: u32,
    records: u64,
    blocks: u64,
    payload_bytes: u64,
}

impl FileWriter {
    /// Starts a file.
    pub(crate) fn create(
        disk: &Disk,
        spec: RecordSpec,
        packing: Packing,
    ) -> Result<FileWriter, FormatError> {
        let (record_bytes, block_records, block_bytes) = match packing {
            Packing::Fixed(bytes) => {
                let records = (spec.block_bytes / bytes.max(1)).max(1);
                (bytes, records, records * bytes)
            }
            Packing::Packed(records) => (0, records, spec.block_bytes),
            Packing::Rows => (0, 0, spec.block_bytes),
        };
        let header = Header {
            kind: spec.kind,
            record_bytes: record_bytes as u32,
            block_records: block_records as u32,
            fingerprint: spec.fingerprint,
            name_digest: name_digest(&spec.path),
        };
        let header = header.encode();
        let mut outlet = Outlet::create(disk, spec.path, PIECE_BLOCKS * spec.block_bytes)?;
        outlet.append(&header)?;
        let mut hasher = XxHash3_64::new();
        hasher.write(&header);
        let mut block = Vec::with_capacity(BLOCK_HEADER_BYTES + block_bytes);
        block.resize(BLOCK_HEADER_BYTES, 0);
        Ok(FileWriter {
            outlet,
            durability: spec.durability,
            seed: block_seed(&header),
            hasher,
            record_bytes,
            block_bytes,
            block,
            block_records: 0,
            records: 0,
            blocks: 0,
            payload_bytes: 0,
        })
    }

    /// Records so far.
    pub(crate) fn records(&self) -> u64 {
        self.records + u64::from(self.block_records)
    }

    /// Room for one fixed-width record at the end of the current block, to be filled by the caller.
    pub(crate) fn slot(&mut self) -> Result<&mut [u8], FormatError> {
        if self.block.len() - BLOCK_HEADER_BYTES >= self.block_bytes {
            self.flush()?;
        }
        let at = self.block.len();
        self.block.resize(at + self.record_bytes, 0);
        self.block_records += 1;
        Ok(&mut self.block[at..])
    }

    /// Room for up to `records` fixed-width records, at least one, at the end of the current block.
    pub(crate) fn slots(&mut self, records: usize) -> Result<&mut [u8], FormatError> {
        if self.block.len() - BLOCK_HEADER_BYTES >= self.block_bytes {
            self.flush()?;
        }
        let at = self.block.len();
        let room = (self.block_bytes - (at - BLOCK_HEADER_BYTES)) / self.record_bytes.max(1);
        let records = records.clamp(1, room.max(1));
        self.block.resize(at + records * self.record_bytes, 0);
        self.block_records += records as u32;
        Ok(&mut self.block[at..])
    }

    /// Appends one row; `fill` appends its bytes to the block. A row is never split over blocks.
    pub(crate) fn row(&mut self, fill: impl FnOnce(&mut Vec<u8>)) -> Result<(), FormatError> {
        fill(&mut self.block);
        self.block_records += 1;
        if self.block.len() - BLOCK_HEADER_BYTES >= self.block_bytes {
            self.flush()?;
        }
        Ok(())
    }

    /// Writes a whole block of so many records; `fill` appends its bytes.
    pub(crate) fn packed(
        &mut self,
        records: u32,
        fill: impl FnOnce(&mut Vec<u8>),
    ) -> Result<(), FormatError> {
        fill(&mut self.block);
        self.block_records = records;
        self.flush()
    }

    fn flush(&mut self) -> Result<(), FormatError> {
        if self.block_records == 0 {
            return Ok(());
        }
        let payload = &self.block[BLOCK_HEADER_BYTES..];
        if payload.len() as u64 > u64::from(BLOCK_BYTES_MAX) {
            let what = format!("a row of {} bytes; a block holds 256 MiB", payload.len());
            let source = std::io::Error::other(what);
            return Err(FormatError::io("write", self.outlet.path(), 0, source));
        }
        let length = payload.len() as u32;
        let checksum = block_checksum(self.seed, self.blocks, self.block_records, payload);
        self.payload_bytes += u64::from(length);
        self.block[..4].copy_from_slice(&length.to_le_bytes());
        self.block[4..8].copy_from_slice(&self.block_records.to_le_bytes());
        self.block[8..16].copy_from_slice(&checksum.to_le_bytes());
        self.hasher.write(&checksum.to_le_bytes());
        self.outlet.append(&self.block)?;
        self.records += u64::from(self.block_records);
        self.blocks += 1;
        self.block_records = 0;
        self.block.truncate(BLOCK_HEADER_BYTES);
        // One huge row must not keep its memory for the rest of the file.
        self.block
            .shrink_to(BLOCK_HEADER_BYTES + 2 * self.block_bytes);
        Ok(())
    }

    /// Writes the last block and the trailer, makes the file durable if asked, and gives it its
    /// name.
    ///
    /// # Errors
    /// When any step fails; the temporary file is then removed, and a failed sync is not tried
    /// again.
    pub(crate) fn finish(mut self) -> Result<Sealed, FormatError> {
        self.flush()?;
        let trailer = Trailer {
            records: self.records,
            blocks: self.blocks,
            payload_bytes: self.payload_bytes,
            checksum: self.hasher.finish(),
        };
        self.outlet.append(&trailer.encode())?;
        let block_headers = trailer.blocks * BLOCK_HEADER_BYTES as u64;
        Ok(Sealed {
            name: self.outlet.commit(self.durability)?,
            bytes: FRAMING_BYTES + block_headers + trailer.payload_bytes,
            records: trailer.records,
            checksum: trailer.checksum(),
        })
    }
}

#[cfg(test)]
#[path = "writer_tests.rs"]
mod tests;
