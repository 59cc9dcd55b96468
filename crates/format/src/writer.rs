//! Writing a file: blocks to a temporary name, trailer, sync, rename.

use crate::FormatError;
use crate::disk::Disk;
use crate::layout::{
    BLOCK_BYTES_MAX, BLOCK_HEADER_BYTES, FileKind, Fingerprint, Header, Trailer, block_checksum,
    name_digest,
};
use crate::outlet::Outlet;
use std::hash::Hasher;
use std::path::{Path, PathBuf};
use twox_hash::XxHash3_64;

/// Bytes of a block unless a caller with a tiny budget asks for less.
pub const BLOCK_BYTES: usize = 256 << 10;
/// Blocks that are written, and read, with one operation once a file is large.
pub(crate) const PIECE_BLOCKS: usize = 4;

/// A block of packed records has one for so many of its bytes: they mostly take less.
pub(crate) const PACKED_RECORD_BYTES: usize = 8;

/// The properties of a new file.
#[derive(Clone, Debug)]
pub(crate) struct FileSpec {
    /// Its final path; the temporary one is beside it.
    pub path: PathBuf,
    /// The kind of its content.
    pub kind: FileKind,
    /// The fingerprint of the parameters and inputs that made it.
    pub fingerprint: Fingerprint,
    /// Bytes of a record; 0 for rows and packed records.
    pub record_bytes: usize,
    /// Records of a block that are packed together; 0 if none are.
    pub packed_records: usize,
    /// Wanted bytes of a block.
    pub block_bytes: usize,
}

/// A finished file, as the manifest lists it.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sealed {
    /// File name relative to the work directory, or for runs the full path.
    pub name: String,
    /// Bytes of the whole file.
    pub bytes: u64,
    /// Records or rows.
    pub records: u64,
    /// Checksum of its trailer, in hex.
    pub checksum: String,
}

/// Whether a finished file must survive a power cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// Synced before it gets its name; the directory is the caller's to sync, once for many files.
    Durable,
    /// Not synced: runs of a sort, made again after a crash.
    Scratch,
}

/// A file being written. Dropped unfinished, it removes its temporary file.
pub(crate) struct FileWriter {
    disk: Disk,
    path: PathBuf,
    part: PathBuf,
    outlet: Option<Outlet>,
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

/// The temporary name beside a final one.
pub(crate) fn part_path(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(".part");
    path.with_file_name(name)
}

impl FileWriter {
    /// Starts a file.
    pub(crate) fn create(
        disk: &Disk,
        spec: FileSpec,
        durability: Durability,
    ) -> Result<FileWriter, FormatError> {
        let part = part_path(&spec.path);
        let block_records = match spec.block_bytes.checked_div(spec.record_bytes) {
            Some(records) => records.max(1),
            None => spec.packed_records,
        };
        let header = Header {
            kind: spec.kind,
            record_bytes: spec.record_bytes as u32,
            block_records: block_records as u32,
            fingerprint: spec.fingerprint,
            name_digest: name_digest(&spec.path),
        };
        let bytes = header.encode();
        let outlet = Some(Outlet::create(
            disk,
            part.clone(),
            PIECE_BLOCKS * spec.block_bytes,
        )?);
        let mut hasher = XxHash3_64::new();
        hasher.write(&bytes);
        let block_bytes = if spec.record_bytes == 0 {
            spec.block_bytes
        } else {
            block_records * spec.record_bytes
        };
        let mut block = Vec::with_capacity(BLOCK_HEADER_BYTES + block_bytes);
        block.resize(BLOCK_HEADER_BYTES, 0);
        let mut writer = FileWriter {
            disk: disk.clone(),
            path: spec.path,
            part,
            outlet,
            durability,
            seed: XxHash3_64::oneshot(&bytes),
            hasher,
            record_bytes: spec.record_bytes,
            block_bytes,
            block,
            block_records: 0,
            records: 0,
            blocks: 0,
            payload_bytes: 0,
        };
        if let Some(outlet) = writer.outlet.as_mut() {
            outlet.append(&bytes)?;
        }
        Ok(writer)
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
        let Some(outlet) = self.outlet.as_mut() else {
            return Ok(());
        };
        if self.block_records == 0 {
            return Ok(());
        }
        let payload = &self.block[BLOCK_HEADER_BYTES..];
        if payload.len() as u64 > u64::from(BLOCK_BYTES_MAX) {
            let source = std::io::Error::other(format!(
                "a row of {} bytes; a block holds 256 MiB",
                payload.len()
            ));
            return Err(FormatError::Io {
                action: "write",
                path: self.path.clone(),
                source,
            });
        }
        let length = payload.len() as u32;
        let checksum = block_checksum(self.seed, self.blocks, self.block_records, payload);
        self.payload_bytes += u64::from(length);
        self.block[..4].copy_from_slice(&length.to_le_bytes());
        self.block[4..8].copy_from_slice(&self.block_records.to_le_bytes());
        self.block[8..16].copy_from_slice(&checksum.to_le_bytes());
        self.hasher.write(&checksum.to_le_bytes());
        outlet.append(&self.block)?;
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
        let Some(outlet) = self.outlet.take() else {
            return Err(FormatError::Interrupted);
        };
        let sealed = self.seal(outlet, trailer);
        if sealed.is_err() {
            let _ = self.disk.remove(&self.part);
        }
        sealed
    }

    fn seal(&self, mut outlet: Outlet, trailer: Trailer) -> Result<Sealed, FormatError> {
        outlet.append(&trailer.encode())?;
        let file = outlet.finish()?;
        if self.durability == Durability::Durable {
            self.disk.sync(&file, &self.part)?;
        }
        self.disk.rename(&self.part, &self.path)?;
        let framing = crate::layout::HEADER_BYTES + crate::layout::TRAILER_BYTES;
        Ok(Sealed {
            name: self
                .path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned(),
            bytes: framing as u64
                + trailer.blocks * BLOCK_HEADER_BYTES as u64
                + trailer.payload_bytes,
            records: trailer.records,
            checksum: format!("{:016x}", trailer.checksum),
        })
    }
}

impl Drop for FileWriter {
    fn drop(&mut self) {
        if self.outlet.take().is_some() {
            let _ = self.disk.remove(&self.part);
        }
    }
}

#[cfg(test)]
#[path = "writer_tests.rs"]
mod tests;
