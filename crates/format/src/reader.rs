//! Reading a file: every block is checked before a record of it is handed out.

use crate::direct::{ALIGN, DIRECT_BYTES_MIN};
use crate::disk::Disk;
use crate::inlet::Inlet;
use crate::layout::{
    BLOCK_BYTES_MAX, BLOCK_HEADER_BYTES, FileKind, Fingerprint, HEADER_BYTES, Header, MAGIC,
    TRAILER_BYTES, Trailer, block_checksum, name_digest, u32_at, u64_at,
};
use crate::writer::{BLOCK_BYTES, PACKED_RECORD_BYTES, PIECE_BLOCKS};
use crate::{FormatError, Sealed};
use std::hash::Hasher;
use std::ops::Range;
use std::path::{Path, PathBuf};
use twox_hash::XxHash3_64;

/// Rows do not say how long their blocks are to be; most are shorter than those of records.
const ROW_BLOCK_BYTES: usize = BLOCK_BYTES / 4;

/// Bytes read at once from a file of such blocks: one block where they are small, because memory
/// is.
fn piece_bytes(block_bytes: usize) -> usize {
    if PIECE_BLOCKS * block_bytes >= DIRECT_BYTES_MIN {
        PIECE_BLOCKS * block_bytes
    } else {
        block_bytes
    }
}

/// Bytes that hold a block wherever it begins, as pieces begin on the grid.
fn single_block_bytes(header: &Header) -> usize {
    let block_bytes = header.block_records as usize * header.record_bytes as usize;
    BLOCK_HEADER_BYTES + block_bytes.min(BLOCK_BYTES) + ALIGN
}

/// An open file. Blocks come in order, or from any record on for fixed-width records.
pub struct FileReader {
    path: PathBuf,
    inlet: Inlet,
    header: Header,
    trailer: Trailer,
    seed: u64,
    /// Checksums of the blocks read, while they are read in order from the first.
    hasher: Option<XxHash3_64>,
    block_index: u64,
    offset: u64,
    end: u64,
    /// Where in the inlet the payload of the block last read is.
    block: Range<usize>,
    block_records: u32,
}

impl FileReader {
    /// Whether a file begins as the files of this program do; one that was cut begins so, too.
    pub fn begins_as_ours(disk: &Disk, path: &Path) -> Result<bool, FormatError> {
        let mut inlet = Inlet::open(disk, path)?;
        let mut first = MAGIC;
        let length = inlet.file_bytes().min(MAGIC.len() as u64) as usize;
        inlet.peek(&mut first[..length], 0)?;
        Ok(length > 0 && first == MAGIC)
    }

    /// Opens a file and checks its header and trailer.
    ///
    /// # Errors
    /// When it cannot be opened, is not finished, is damaged, or lies under another file's name.
    pub fn open(disk: &Disk, path: &Path) -> Result<FileReader, FormatError> {
        let mut inlet = Inlet::open(disk, path)?;
        let bytes = inlet.file_bytes();
        if bytes < (HEADER_BYTES + TRAILER_BYTES) as u64 {
            return Err(FormatError::damaged(
                path,
                bytes,
                "shorter than header and trailer",
            ));
        }
        let mut header_bytes = [0; HEADER_BYTES];
        inlet.peek(&mut header_bytes, 0)?;
        let header = Header::decode(&header_bytes, path)?;
        let end = bytes - TRAILER_BYTES as u64;
        let mut trailer_bytes = [0; TRAILER_BYTES];
        inlet.peek(&mut trailer_bytes, end)?;
        let trailer = Trailer::decode(&trailer_bytes, path, end)?;
        let framing = trailer
            .blocks
            .saturating_mul(BLOCK_HEADER_BYTES as u64)
            .saturating_add(HEADER_BYTES as u64);
        if trailer.payload_bytes.saturating_add(framing) != end {
            return Err(FormatError::damaged(
                path,
                end,
                "its length is not what the trailer says",
            ));
        }
        if header.name_digest != name_digest(path) {
            return Err(FormatError::damaged(
                path,
                40,
                "it was written under another name",
            ));
        }
        let block_bytes = match (header.block_records as usize, header.record_bytes as usize) {
            (0, _) => ROW_BLOCK_BYTES,
            (records, 0) => records.saturating_mul(PACKED_RECORD_BYTES).min(BLOCK_BYTES),
            (records, width) => records.saturating_mul(width).min(BLOCK_BYTES),
        };
        inlet.start(HEADER_BYTES as u64, piece_bytes(block_bytes));
        let mut hasher = XxHash3_64::new();
        hasher.write(&header_bytes);
        let seed = XxHash3_64::oneshot(&header_bytes);
        let (path, offset) = (path.to_path_buf(), HEADER_BYTES as u64);
        let hasher = Some(hasher);
        let (block, block_records, block_index) = (0..0, 0, 0);
        Ok(FileReader {
            path,
            inlet,
            header,
            trailer,
            seed,
            hasher,
            block_index,
            offset,
            end,
            block,
            block_records,
        })
    }

    /// Opens a file and checks that it is the one the manifest lists.
    ///
    /// # Errors
    /// As [`FileReader::open`], and when kind, records, size or checksum differ.
    pub fn open_sealed(
        disk: &Disk,
        dir: &Path,
        sealed: &Sealed,
        kind: FileKind,
    ) -> Result<FileReader, FormatError> {
        let reader = FileReader::open(disk, &dir.join(&sealed.name))?;
        reader.expect_kind(kind)?;
        let got = format!("{:016x}", reader.trailer.checksum);
        if got != sealed.checksum || reader.trailer.records != sealed.records {
            return Err(FormatError::Mismatch {
                path: reader.path.clone(),
                what: "checksum",
                expected: format!("{} of {} records", sealed.checksum, sealed.records),
                got: format!("{got} of {} records", reader.trailer.records),
            });
        }
        Ok(reader)
    }

    /// Refuses another kind of file.
    pub(crate) fn expect_kind(&self, kind: FileKind) -> Result<(), FormatError> {
        if self.header.kind == kind {
            return Ok(());
        }
        Err(FormatError::Mismatch {
            path: self.path.clone(),
            what: "kind",
            expected: format!("{kind:?}"),
            got: format!("{:?}", self.header.kind),
        })
    }

    /// The header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The trailer.
    pub fn trailer(&self) -> &Trailer {
        &self.trailer
    }

    /// The fingerprint of the parameters and inputs that made the file.
    pub fn fingerprint(&self) -> Fingerprint {
        self.header.fingerprint
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// An error at the current block.
    pub fn damage(&self, what: impl Into<String>) -> FormatError {
        FormatError::damaged(&self.path, self.offset, what)
    }

    /// Reads and checks the next block; false after the last one, when the whole file was sound.
    ///
    /// # Errors
    /// When the block or the whole does not fit its checksums.
    pub fn next_block(&mut self) -> Result<bool, FormatError> {
        self.block = 0..0;
        self.block_records = 0;
        if self.block_index == self.trailer.blocks {
            if self.offset != self.end {
                return Err(self.damage("bytes between the last block and the trailer"));
            }
            if self
                .hasher
                .as_ref()
                .is_some_and(|hasher| hasher.finish() != self.trailer.checksum)
            {
                return Err(self.damage("the blocks are not those the trailer sealed"));
            }
            return Ok(false);
        }
        let head = self.inlet.take(BLOCK_HEADER_BYTES)?;
        let head = self.inlet.bytes(head);
        let (length, records, checksum) = (u32_at(head, 0), u32_at(head, 4), u64_at(head, 8));
        let left = self
            .end
            .saturating_sub(self.offset + BLOCK_HEADER_BYTES as u64);
        if length > BLOCK_BYTES_MAX || u64::from(length) > left {
            return Err(self.damage(format!("a block of {length} bytes where {left} are left")));
        }
        if records == 0 {
            return Err(self.damage("a block of no records"));
        }
        if self.header.record_bytes != 0
            && u64::from(length) != u64::from(records) * u64::from(self.header.record_bytes)
        {
            return Err(self.damage(format!("{length} bytes are not {records} records")));
        }
        let block = self.inlet.take(length as usize)?;
        if block_checksum(
            self.seed,
            self.block_index,
            records,
            self.inlet.bytes(block.clone()),
        ) != checksum
        {
            return Err(self.damage(format!(
                "the checksum of block {} does not match",
                self.block_index
            )));
        }
        if let Some(hasher) = &mut self.hasher {
            hasher.write(&checksum.to_le_bytes());
        }
        self.block = block;
        self.block_records = records;
        self.block_index += 1;
        self.offset += (BLOCK_HEADER_BYTES + length as usize) as u64;
        Ok(true)
    }

    /// Payload of the block last read.
    #[inline]
    pub fn block(&self) -> &[u8] {
        self.inlet.bytes(self.block.clone())
    }

    /// Records in the block last read.
    pub fn block_records(&self) -> u32 {
        self.block_records
    }

    /// Goes to the block that holds this record (fixed width only) and says how many records of it
    /// come before.
    ///
    /// # Errors
    /// When the system refuses, or the file has rows of varying length.
    pub(crate) fn seek_record(&mut self, record: u64) -> Result<u64, FormatError> {
        let (in_block, width) = (
            u64::from(self.header.block_records),
            u64::from(self.header.record_bytes),
        );
        if in_block == 0 || width == 0 {
            return Err(self.damage("rows of varying length cannot be sought"));
        }
        self.block_index = (record / in_block).min(self.trailer.blocks);
        self.offset =
            HEADER_BYTES as u64 + self.block_index * (BLOCK_HEADER_BYTES as u64 + in_block * width);
        self.offset = self.offset.min(self.end);
        self.inlet.seek(self.offset);
        self.block = 0..0;
        self.block_records = 0;
        // Blocks are no longer seen in order from the first; each is still checked by itself.
        self.hasher = None;
        Ok(record - self.block_index * in_block)
    }

    /// Reads single blocks from now on, and nothing ahead: for those who seek.
    pub(crate) fn read_single_blocks(&mut self) {
        self.inlet.set_piece(single_block_bytes(&self.header));
    }

    /// Reads the rest of the file and checks it.
    pub fn verify_rest(&mut self) -> Result<(), FormatError> {
        while self.next_block()? {}
        Ok(())
    }
}

#[cfg(test)]
#[path = "reader_tests.rs"]
mod tests;
