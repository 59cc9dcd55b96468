//! The files of the index and how they are written.

use engine::{Engine, Error, segments::SegmentFile};
use format::{Fingerprint, IndexFile, RecordSpec, RecordWriter};
use model::Record;
use std::path::PathBuf;

/// Bytes of the blocks of maps: what a lookup reads, checks, and needs little of.
const MAP_BLOCK_BYTES: usize = 16 << 10;

/// The files of a segment that are taken over, in the order of [`format::SegmentPart`].
pub(super) const SEGMENT_FILES: [SegmentFile; 4] = [
    SegmentFile::Documents,
    SegmentFile::Marks,
    SegmentFile::Sizes,
    SegmentFile::Sketches,
];

/// The index being made: its directory and the header of its files.
pub(super) struct IndexFiles<'a> {
    pub(super) engine: &'a Engine<'a>,
    pub(super) dir: PathBuf,
    pub(super) fingerprint: Fingerprint,
}

impl IndexFiles<'_> {
    /// A new file of records of the index.
    pub(super) fn writer<R: Record>(&self, file: IndexFile) -> Result<RecordWriter<R>, Error> {
        let path = self.dir.join(file.name());
        let spec = RecordSpec {
            block_bytes: MAP_BLOCK_BYTES,
            ..RecordSpec::durable(path, file.kind(), self.fingerprint)
        };
        RecordWriter::create(&self.engine.disk, spec).map_err(Error::from)
    }
}
