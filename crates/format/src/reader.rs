//! Reading a file: every block is checked before a record of it is handed out.

use crate::direct::{ALIGN, DIRECT_BYTES_MIN};
use crate::disk::Disk;
use crate::inlet::Inlet;
use crate::layout::{
    BLOCK_HEADER_BYTES, FileKind, Fingerprint, Framing, HEADER_BYTES, Header, MAGIC, Trailer,
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

/// An open file. Blocks come in order, or from any record on for fixed-width records.
pub struct FileReader {
    path: PathBuf,
    inlet: Inlet,
    framing: Framing,
    /// Checksums of the blocks read, while they are read in order from the first.
    hasher: Option<XxHash3_64>,
    block_index: u64,
    offset: u64,
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
    pub fn open(disk: &Disk, path: &Path) -> Result<FileReader, FormatError> {
        let mut inlet = Inlet::open(disk, path)?;
        let framing = inlet.framing()?;
        let header = &framing.header;
        let block_bytes = match (header.block_records as usize, header.record_bytes as usize) {
            (0, _) => ROW_BLOCK_BYTES,
            (records, 0) => records.saturating_mul(PACKED_RECORD_BYTES).min(BLOCK_BYTES),
            (records, width) => records.saturating_mul(width).min(BLOCK_BYTES),
        };
        inlet.start(HEADER_BYTES as u64, piece_bytes(block_bytes));
        let mut hasher = XxHash3_64::new();
        hasher.write(&framing.header_bytes);
        Ok(FileReader {
            path: path.to_path_buf(),
            inlet,
            framing,
            hasher: Some(hasher),
            block_index: 0,
            offset: HEADER_BYTES as u64,
            block: 0..0,
            block_records: 0,
        })
    }

    /// Opens a file and checks that it is the one the manifest lists.
    pub fn open_sealed(
        disk: &Disk,
        dir: &Path,
        sealed: &Sealed,
        kind: FileKind,
    ) -> Result<FileReader, FormatError> {
        let reader = FileReader::open(disk, &dir.join(&sealed.name))?;
        reader.framing.expect_sealed(&reader.path, sealed, kind)?;
        Ok(reader)
    }

    /// Opens a file of this kind.
    pub(crate) fn open_kind(
        disk: &Disk,
        path: &Path,
        kind: FileKind,
    ) -> Result<FileReader, FormatError> {
        let reader = FileReader::open(disk, path)?;
        reader.framing.expect_kind(path, kind)?;
        Ok(reader)
    }

    /// Refuses records of another width.
    pub(crate) fn expect_width(&self, width: usize) -> Result<(), FormatError> {
        self.framing.expect_width(&self.path, width)
    }

    /// The header.
    pub fn header(&self) -> &Header {
        &self.framing.header
    }

    /// The trailer.
    pub fn trailer(&self) -> &Trailer {
        &self.framing.trailer
    }

    /// The fingerprint of the parameters and inputs that made the file.
    pub fn fingerprint(&self) -> Fingerprint {
        self.framing.header.fingerprint
    }

    /// An error at the current block.
    pub fn damage(&self, what: impl Into<String>) -> FormatError {
        FormatError::damaged(&self.path, self.offset, what)
    }

    /// Reads and checks the next block; false after the last one, when the whole file was sound.
    pub fn next_block(&mut self) -> Result<bool, FormatError> {
        self.block = 0..0;
        self.block_records = 0;
        if self.block_index == self.framing.trailer.blocks {
            if self.offset != self.framing.end {
                return Err(self.damage("bytes between the last block and the trailer"));
            }
            let sealed = self.framing.trailer.checksum;
            if self
                .hasher
                .as_ref()
                .is_some_and(|hasher| hasher.finish() != sealed)
            {
                return Err(self.damage("the blocks are not those the trailer sealed"));
            }
            return Ok(false);
        }
        let head = self.inlet.take(BLOCK_HEADER_BYTES)?;
        let payload_at = self.offset + BLOCK_HEADER_BYTES as u64;
        let left = self.framing.end.saturating_sub(payload_at);
        let head = self.framing.block_header(self.inlet.bytes(head), left);
        let head = head.map_err(|what| self.damage(what))?;
        let block = self.inlet.take(head.length as usize)?;
        let payload = self.inlet.bytes(block.clone());
        let checked = self.framing.check_block(self.block_index, &head, payload);
        checked.map_err(|what| self.damage(what))?;
        if let Some(hasher) = &mut self.hasher {
            hasher.write(&head.checksum.to_le_bytes());
        }
        self.block = block;
        self.block_records = head.records;
        self.block_index += 1;
        self.offset = payload_at + u64::from(head.length);
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
    pub(crate) fn seek_record(&mut self, record: u64) -> Result<u64, FormatError> {
        let header = &self.framing.header;
        let (in_block, width) = (
            u64::from(header.block_records),
            u64::from(header.record_bytes),
        );
        if in_block == 0 || width == 0 {
            return Err(self.damage("rows of varying length cannot be sought"));
        }
        self.block_index = (record / in_block).min(self.framing.trailer.blocks);
        let before = self.block_index * (BLOCK_HEADER_BYTES as u64 + in_block * width);
        self.offset = (HEADER_BYTES as u64 + before).min(self.framing.end);
        self.inlet.seek(self.offset);
        self.block = 0..0;
        self.block_records = 0;
        // Blocks are no longer seen in order from the first; each is still checked by itself.
        self.hasher = None;
        Ok(record - self.block_index * in_block)
    }

    /// Reads single blocks from now on, and nothing ahead: for those who seek.
    pub(crate) fn read_single_blocks(&mut self) {
        let header = &self.framing.header;
        let block_bytes = header.block_records as usize * header.record_bytes as usize;
        // Holds a block wherever it begins, as pieces begin on the grid.
        let piece_bytes = BLOCK_HEADER_BYTES + block_bytes.min(BLOCK_BYTES) + ALIGN;
        self.inlet.set_piece(piece_bytes);
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
