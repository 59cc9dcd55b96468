//! Header, block header and trailer, to the byte. FORMATS.md draws them.

use crate::FormatError;
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
/// Version of all formats here; a reader refuses any other.
pub const FORMAT_VERSION: u16 = 8;
/// No block is longer; a longer length is damage, and is never allocated.
pub(crate) const BLOCK_BYTES_MAX: u32 = 1 << 28;

/// 16 bytes that name the parameters and inputs a file was made from.
pub type Fingerprint = [u8; 16];

/// The content of a file. The number is on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u16)]
pub enum FileKind {
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
}

impl FileKind {
    /// All kinds, for reading headers back.
    pub const ALL: [FileKind; 26] = [
        FileKind::Documents,
        FileKind::Marks,
        FileKind::Sizes,
        FileKind::Sketches,
        FileKind::Rejected,
        FileKind::Classes,
        FileKind::Postings,
        FileKind::Pairs,
        FileKind::Common,
        FileKind::CommonOfDocuments,
        FileKind::Links,
        FileKind::Members,
        FileKind::Clusters,
        FileKind::Run,
        FileKind::Urls,
        FileKind::Groups,
        FileKind::Keys,
        FileKind::Blocks,
        FileKind::Segments,
        FileKind::Sources,
        FileKind::Representatives,
        FileKind::Revisits,
        FileKind::Payloads,
        FileKind::Revisited,
        FileKind::Settled,
        FileKind::Affected,
    ];
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
            return Err(FormatError::damaged(
                path,
                0,
                "not a file of this program (wrong magic number)",
            ));
        }
        if XxHash3_64::oneshot(&bytes[..56]) != u64_at(bytes, 56) {
            return Err(FormatError::damaged(
                path,
                56,
                "the checksum of the header does not match",
            ));
        }
        let version = u16::from_le_bytes([bytes[10], bytes[11]]);
        if version != FORMAT_VERSION {
            return Err(FormatError::Mismatch {
                path: path.to_path_buf(),
                what: "format version",
                expected: FORMAT_VERSION.to_string(),
                got: version.to_string(),
            });
        }
        let number = u16::from_le_bytes([bytes[8], bytes[9]]);
        let kind = FileKind::ALL
            .into_iter()
            .find(|kind| *kind as u16 == number);
        let kind =
            kind.ok_or_else(|| FormatError::damaged(path, 8, format!("unknown kind {number}")))?;
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

    pub(crate) fn decode(
        bytes: &[u8; TRAILER_BYTES],
        path: &Path,
        offset: u64,
    ) -> Result<Trailer, FormatError> {
        if bytes[..8] != END_MAGIC || XxHash3_64::oneshot(&bytes[..40]) != u64_at(bytes, 40) {
            return Err(FormatError::damaged(
                path,
                offset,
                "no trailer: the file was never finished, or was cut",
            ));
        }
        Ok(Trailer {
            records: u64_at(bytes, 8),
            blocks: u64_at(bytes, 16),
            payload_bytes: u64_at(bytes, 24),
            checksum: u64_at(bytes, 32),
        })
    }
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
