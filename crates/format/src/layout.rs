//! Header, block header and trailer, to the byte. FORMATS.md draws them.

use crate::{FormatError, Sealed};
use std::hash::Hasher;
use std::path::Path;
use twox_hash::XxHash3_64;

/// First bytes of every file: not text, broken by line-end conversion, like PNG's.
pub(crate) const MAGIC: [u8; 8] = *b"\x89NDP\r\n\x1a\n";
/// First bytes of every trailer.
pub(crate) const END_MAGIC: [u8; 8] = *b"NDP-END\n";
/// Bytes of a header.
pub(crate) const HEADER_BYTES: usize = 64;
/// Bytes of a block header.
pub(crate) const BLOCK_HEADER_BYTES: usize = 16;
/// Bytes of a trailer.
pub(crate) const TRAILER_BYTES: usize = 48;
/// Bytes of a file without blocks.
pub(crate) const FRAMING_BYTES: u64 = (HEADER_BYTES + TRAILER_BYTES) as u64;
/// Version of all formats here; a reader refuses any other.
pub const FORMAT_VERSION: u16 = 9;
/// No block is longer; a longer length is damage, and is never allocated.
pub(crate) const BLOCK_BYTES_MAX: u32 = 1 << 28;

/// 16 bytes that name the parameters and inputs a file was made from.
pub type Fingerprint = [u8; 16];

macro_rules! file_kinds {
    ($($(#[$doc:meta])+ $kind:ident = $number:literal,)+) => {
        /// The content of a file. The number is on disk.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u16)]
        pub enum FileKind {
            $($(#[$doc])+ $kind = $number,)+
        }

        impl FileKind {
            fn of(number: u16) -> Option<FileKind> {
                match number {
                    $($number => Some(FileKind::$kind),)+
                    _ => None,
                }
            }
        }
    };
}

file_kinds! {
    /// Document rows: place, URL, counts, carried fields.
    Documents = 1,
    /// One [`crate::Mark`] a document.
    Marks = 2,
    /// Sketch sizes by level, a row a document.
    Sizes = 3,
    /// Sketches, in rows of at most [`crate::SKETCH_ROW_MAX`] fingerprints.
    Sketches = 4,
    /// Rejected records.
    Rejected = 5,
    /// Classes of equal documents, by document.
    Classes = 6,
    /// Postings, by shingle and document.
    Postings = 7,
    /// Pair counts, by both documents.
    Pairs = 8,
    /// Common shingles, by shingle.
    Common = 9,
    /// Common shingles of sketches, by document.
    CommonOfDocuments = 10,
    /// Links, by both documents.
    Links = 11,
    /// Documents of clusters, by document.
    Members = 12,
    /// Clusters, by id.
    Clusters = 13,
    /// A run of a sort, of whatever record.
    Run = 14,
    /// Keys of URLs and their documents, by key.
    Urls = 15,
    /// Documents by the cluster or class they belong to.
    Groups = 16,
    /// The first key of each block of other files.
    Keys = 17,
    /// The first document of each block of rows.
    Blocks = 18,
    /// The segments an index consists of.
    Segments = 19,
    /// The input files a corpus was read from.
    Sources = 20,
    /// A bit for each document: whether it stands for itself in the postings.
    Representatives = 21,
    /// Records whose bodies are those of others, in file order.
    Revisits = 22,
    /// Keys of payload digests and their documents, by document.
    Payloads = 23,
    /// Documents that were revisits, by document.
    Revisited = 24,
    /// Pairs that were compared by all their shingles, by both documents.
    Settled = 27,
    /// Older documents of shingles that became common, or are no longer common, by document.
    Affected = 30,
    /// Passages, by document and token.
    Passages = 31,
    /// Parts of passages that stay elsewhere, by document and token.
    Cuts = 32,
    /// Passages, by the place where they stand first.
    Quotes = 33,
}

/// The first 64 bytes of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// The kind of its content.
    pub kind: FileKind,
    /// Bytes of a record; 0 for rows of varying length and packed records.
    pub record_bytes: u32,
    /// Records in every block but the last; 0 for rows.
    pub block_records: u32,
    /// The fingerprint of the parameters and inputs that made it.
    pub fingerprint: Fingerprint,
    /// XXH3-64 of the final file name: a file under another's name is noticed.
    pub name_digest: u64,
}

pub(crate) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let mut word = [0; 4];
    word.copy_from_slice(&bytes[at..at + 4]);
    u32::from_le_bytes(word)
}

pub(crate) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(word)
}

/// Digest of a file's last path component.
pub(crate) fn name_digest(path: &Path) -> u64 {
    XxHash3_64::oneshot(path.file_name().unwrap_or_default().as_encoded_bytes())
}

impl Header {
    /// Whether its records are packed, block by block.
    pub fn is_packed(&self) -> bool {
        self.record_bytes == 0 && self.block_records > 0
    }

    pub(crate) fn encode(&self) -> [u8; HEADER_BYTES] {
        let mut bytes = [0; HEADER_BYTES];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..10].copy_from_slice(&(self.kind as u16).to_le_bytes());
        bytes[10..12].copy_from_slice(&FORMAT_VERSION.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.record_bytes.to_le_bytes());
        bytes[16..20].copy_from_slice(&self.block_records.to_le_bytes());
        bytes[24..40].copy_from_slice(&self.fingerprint);
        bytes[40..48].copy_from_slice(&self.name_digest.to_le_bytes());
        let checksum = XxHash3_64::oneshot(&bytes[..56]);
        bytes[56..].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    pub(crate) fn decode(bytes: &[u8; HEADER_BYTES], path: &Path) -> Result<Header, FormatError> {
        if bytes[..8] != MAGIC {
            let what = "not a file of this program (wrong magic number)";
            return Err(FormatError::damaged(path, 0, what));
        }
        if XxHash3_64::oneshot(&bytes[..56]) != u64_at(bytes, 56) {
            let what = "the checksum of the header does not match";
            return Err(FormatError::damaged(path, 56, what));
        }
        let version = u16::from_le_bytes([bytes[10], bytes[11]]);
        FormatError::expect(path, "format version", &FORMAT_VERSION, &version)?;
        let number = u16::from_le_bytes([bytes[8], bytes[9]]);
        let unknown = || FormatError::damaged(path, 8, format!("unknown kind {number}"));
        let kind = FileKind::of(number).ok_or_else(unknown)?;
        let mut fingerprint = [0; 16];
        fingerprint.copy_from_slice(&bytes[24..40]);
        Ok(Header {
            kind,
            record_bytes: u32_at(bytes, 12),
            block_records: u32_at(bytes, 16),
            fingerprint,
            name_digest: u64_at(bytes, 40),
        })
    }
}

/// The last 48 bytes of a file; a file without them is not finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trailer {
    /// Records or rows in the file.
    pub records: u64,
    /// Blocks in the file.
    pub blocks: u64,
    /// Payload bytes in all blocks.
    pub payload_bytes: u64,
    /// XXH3-64 of the header and all block checksums, in order.
    pub checksum: u64,
}

impl Trailer {
    pub(crate) fn encode(&self) -> [u8; TRAILER_BYTES] {
        let mut bytes = [0; TRAILER_BYTES];
        bytes[..8].copy_from_slice(&END_MAGIC);
        bytes[8..16].copy_from_slice(&self.records.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.blocks.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.payload_bytes.to_le_bytes());
        bytes[32..40].copy_from_slice(&self.checksum.to_le_bytes());
        let own = XxHash3_64::oneshot(&bytes[..40]);
        bytes[40..].copy_from_slice(&own.to_le_bytes());
        bytes
    }

    /// The checksum in hex, as a manifest lists it.
    pub fn checksum(&self) -> String {
        format!("{:016x}", self.checksum)
    }

    pub(crate) fn decode(
        bytes: &[u8; TRAILER_BYTES],
        path: &Path,
        offset: u64,
    ) -> Result<Trailer, FormatError> {
        if bytes[..8] != END_MAGIC || XxHash3_64::oneshot(&bytes[..40]) != u64_at(bytes, 40) {
            let what = "no trailer: the file was never finished, or was cut";
            return Err(FormatError::damaged(path, offset, what));
        }
        Ok(Trailer {
            records: u64_at(bytes, 8),
            blocks: u64_at(bytes, 16),
            payload_bytes: u64_at(bytes, 24),
            checksum: u64_at(bytes, 32),
        })
    }
}

/// Header and trailer of a finished file that belong to each other and to its name.
#[derive(Clone, Debug)]
pub(crate) struct Framing {
    pub(crate) header: Header,
    pub(crate) header_bytes: [u8; HEADER_BYTES],
    pub(crate) trailer: Trailer,
    /// Where the trailer begins.
    pub(crate) end: u64,
    /// Seed of the checksums of blocks.
    seed: u64,
}

impl Framing {
    /// Reads header and trailer of a file of so many bytes; `read` gives the bytes at an offset.
    pub(crate) fn read(
        path: &Path,
        bytes: u64,
        mut read: impl FnMut(&mut [u8], u64) -> Result<(), FormatError>,
    ) -> Result<Framing, FormatError> {
        let damaged = |at, what| Err(FormatError::damaged(path, at, what));
        if bytes < FRAMING_BYTES {
            return damaged(bytes, "shorter than header and trailer");
        }
        let (mut header_bytes, mut trailer) = ([0; HEADER_BYTES], [0; TRAILER_BYTES]);
        read(&mut header_bytes, 0)?;
        let header = Header::decode(&header_bytes, path)?;
        let end = bytes - TRAILER_BYTES as u64;
        read(&mut trailer, end)?;
        let trailer = Trailer::decode(&trailer, path, end)?;
        let block_headers = trailer.blocks.saturating_mul(BLOCK_HEADER_BYTES as u64);
        let blocks = trailer.payload_bytes.saturating_add(block_headers);
        if blocks.saturating_add(HEADER_BYTES as u64) != end {
            return damaged(end, "its length is not what the trailer says");
        }
        if header.name_digest != name_digest(path) {
            return damaged(40, "it was written under another name");
        }
        let seed = block_seed(&header_bytes);
        Ok(Framing {
            header,
            header_bytes,
            trailer,
            end,
            seed,
        })
    }

    /// Refuses another kind of file.
    pub(crate) fn expect_kind(&self, path: &Path, kind: FileKind) -> Result<(), FormatError> {
        let name = |kind: FileKind| format!("{kind:?}");
        FormatError::expect(path, "kind", &name(kind), &name(self.header.kind))
    }

    /// Refuses another file than the one that a manifest lists.
    pub(crate) fn expect_sealed(
        &self,
        path: &Path,
        sealed: &Sealed,
        kind: FileKind,
    ) -> Result<(), FormatError> {
        self.expect_kind(path, kind)?;
        let name = |checksum: &str, records: u64| format!("{checksum} of {records} records");
        let expected = name(&sealed.checksum, sealed.records);
        let got = name(&self.trailer.checksum(), self.trailer.records);
        FormatError::expect(path, "checksum", &expected, &got)
    }

    /// Refuses records of another width.
    pub(crate) fn expect_width(&self, path: &Path, width: usize) -> Result<(), FormatError> {
        FormatError::expect(
            path,
            "record width",
            &width,
            &(self.header.record_bytes as usize),
        )
    }

    /// The header of a block in a file where `left` bytes follow it; or what contradicts it.
    pub(crate) fn block_header(&self, head: &[u8], left: u64) -> Result<BlockHeader, String> {
        let (length, records, checksum) = (u32_at(head, 0), u32_at(head, 4), u64_at(head, 8));
        let width = u64::from(self.header.record_bytes);
        if length > BLOCK_BYTES_MAX || u64::from(length) > left {
            Err(format!("a block of {length} bytes where {left} are left"))
        } else if records == 0 {
            Err("a block of no records".to_owned())
        } else if width != 0 && u64::from(length) != u64::from(records) * width {
            Err(format!("{length} bytes are not {records} records"))
        } else {
            Ok(BlockHeader {
                length,
                records,
                checksum,
            })
        }
    }

    /// Compares the bytes of a block with its checksum.
    pub(crate) fn check_block(
        &self,
        number: u64,
        block: &BlockHeader,
        payload: &[u8],
    ) -> Result<(), String> {
        if block_checksum(self.seed, number, block.records, payload) == block.checksum {
            return Ok(());
        }
        Err(format!("the checksum of block {number} does not match"))
    }
}

/// The 16 bytes before the payload of a block.
pub(crate) struct BlockHeader {
    pub(crate) length: u32,
    pub(crate) records: u32,
    pub(crate) checksum: u64,
}

/// The seed of the checksums of all blocks of a file.
pub(crate) fn block_seed(header: &[u8; HEADER_BYTES]) -> u64 {
    XxHash3_64::oneshot(header)
}

/// Checksum of a block: its place in its file, its lengths and its bytes, seeded with the file's
/// own header.
pub(crate) fn block_checksum(seed: u64, index: u64, records: u32, payload: &[u8]) -> u64 {
    let mut hasher = XxHash3_64::with_seed(seed);
    hasher.write(&index.to_le_bytes());
    hasher.write(&records.to_le_bytes());
    hasher.write(payload);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_records_without_a_width_are_packed() {
        for (record_bytes, block_records, expected) in [(0, 0, false), (0, 5, true), (12, 5, false)]
        {
            let header = Header {
                kind: FileKind::Pairs,
                record_bytes,
                block_records,
                fingerprint: [7; 16],
                name_digest: 1,
            };
            assert_eq!(header.is_packed(), expected);
        }
    }
}
