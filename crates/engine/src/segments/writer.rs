//! The files that every segment has, as they are written.

use super::SegmentFile;
use format::{
    Disk, DocumentRow, Fingerprint, FormatError, Mark, RecordSpec, RecordWriter, RejectedRow,
    RowWriter, Sealed, SizesRow, SketchRow,
};
use model::SizesByLevel;
use std::path::Path;

/// Writes the files of a segment, document after document.
pub struct SegmentFiles {
    /// A row for each document.
    pub documents: RowWriter,
    /// Its mark.
    pub marks: RecordWriter<Mark>,
    /// The sizes of its sketch.
    pub sizes: RowWriter,
    /// Its sketch, in pieces.
    pub sketches: RowWriter,
    rejected: RowWriter,
    /// Documents so far.
    pub doc: u32,
}

impl SegmentFiles {
    /// Empty files for the segment with this path without extension.
    pub fn create(
        disk: &Disk,
        stem: &Path,
        fingerprint: Fingerprint,
    ) -> Result<SegmentFiles, FormatError> {
        let path = |file: SegmentFile| stem.with_extension(file.extension());
        let rows = |file| RowWriter::create(disk, path(file), file.kind(), fingerprint);
        let marks = SegmentFile::Marks;
        let marks = RecordSpec::durable(path(marks), marks.kind(), fingerprint);
        Ok(SegmentFiles {
            documents: rows(SegmentFile::Documents)?,
            marks: RecordWriter::create(disk, marks)?,
            sizes: rows(SegmentFile::Sizes)?,
            sketches: rows(SegmentFile::Sketches)?,
            rejected: rows(SegmentFile::Rejected)?,
            doc: 0,
        })
    }

    /// Adds a document with its whole sketch.
    pub fn push(
        &mut self,
        row: &DocumentRow<'_>,
        mark: &Mark,
        sizes: SizesByLevel,
        sketch: &[u64],
    ) -> Result<(), FormatError> {
        self.documents.push(row)?;
        self.marks.push(mark)?;
        self.sizes.push(&SizesRow(sizes))?;
        for piece in SketchRow::pieces(self.doc, sketch) {
            self.sketches.push(&piece)?;
        }
        self.doc += 1;
        Ok(())
    }

    /// Adds a record that gave no document.
    pub fn reject(&mut self, row: &RejectedRow<'_>) -> Result<(), FormatError> {
        self.rejected.push(row)
    }

    /// Seals the files.
    pub fn finish(self) -> Result<[Sealed; 5], FormatError> {
        Ok([
            self.documents.finish()?,
            self.marks.finish()?,
            self.sizes.finish()?,
            self.sketches.finish()?,
            self.rejected.finish()?,
        ])
    }
}
