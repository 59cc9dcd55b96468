//! The files of a segment that exist only if they have content.

use crate::segments::SegmentFile;
use format::{
    Disk, Fingerprint, FormatError, PayloadRecord, RecordSpec, RecordWriter, RevisitRow, RowWriter,
    Sealed,
};
use std::path::PathBuf;

/// Writers of the files that a segment has only if they have content; created at the first record.
pub struct OptionalFiles<'a> {
    disk: &'a Disk,
    /// Path and name of the segment.
    stem: PathBuf,
    fingerprint: Fingerprint,
    payloads: Option<RecordWriter<PayloadRecord>>,
    revisits: Option<RowWriter>,
}

impl<'a> OptionalFiles<'a> {
    /// No files yet, for the segment with this path without extension.
    pub fn new(disk: &'a Disk, stem: PathBuf, fingerprint: Fingerprint) -> OptionalFiles<'a> {
        OptionalFiles {
            disk,
            stem,
            fingerprint,
            payloads: None,
            revisits: None,
        }
    }

    fn path(&self, file: SegmentFile) -> PathBuf {
        self.stem.with_extension(file.extension())
    }

    /// Adds a digest of a body.
    pub fn payload(&mut self, record: &PayloadRecord) -> Result<(), FormatError> {
        if let Some(writer) = &mut self.payloads {
            return writer.push(record);
        }
        let file = SegmentFile::Payloads;
        let spec = RecordSpec::durable(self.path(file), file.kind(), self.fingerprint);
        self.payloads
            .insert(RecordWriter::create(self.disk, spec)?)
            .push(record)
    }

    /// Adds a revisit record.
    pub fn revisit(&mut self, row: &RevisitRow<'_>) -> Result<(), FormatError> {
        if let Some(writer) = &mut self.revisits {
            return writer.push(row);
        }
        let writer = self.rows(SegmentFile::Revisits)?;
        self.revisits.insert(writer).push(row)
    }

    fn rows(&self, file: SegmentFile) -> Result<RowWriter, FormatError> {
        RowWriter::create(self.disk, self.path(file), file.kind(), self.fingerprint)
    }

    /// Seals the files that were created.
    pub fn finish(self) -> Result<impl Iterator<Item = Sealed>, FormatError> {
        let payloads = self.payloads.map(RecordWriter::finish).transpose()?;
        let revisits = self.revisits.map(RowWriter::finish).transpose()?;
        Ok(payloads.into_iter().chain(revisits))
    }
}
