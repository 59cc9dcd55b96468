//! The records of fixed size over all segments: marks of documents, and numbers of revisits.

use super::{SegmentFile, Segments};
use crate::Error;
use format::{FileKind, Mark, RecordReader};

impl Segments {
    /// Marks of all documents, in order.
    pub fn marks(&self) -> Marks {
        Marks {
            segments: self.clone(),
            next: 0,
            end: self.list.len(),
            reader: None,
            doc: 0,
        }
    }

    /// Marks of the documents of one segment, in order.
    pub fn marks_of(&self, segment: usize) -> Marks {
        let doc = self.list.get(segment).map_or(0, |segment| segment.first);
        Marks {
            next: segment,
            end: segment + 1,
            doc,
            ..self.marks()
        }
    }

    /// The documents that were revisit records, to be asked for in ascending order.
    pub fn revisited(&self) -> RevisitDocuments {
        RevisitDocuments {
            segments: self.clone(),
            next: 0,
            reader: None,
            first: 0,
            doc: None,
        }
    }
}

/// Reads marks over all segments.
pub struct Marks {
    segments: Segments,
    next: usize,
    /// The segment to stop before.
    end: usize,
    reader: Option<RecordReader<Mark>>,
    doc: u32,
}

impl Marks {
    /// Skips the segments that end before a document.
    pub fn skip_segments(&mut self, doc: u32) {
        let reached = self.segments.list[..self.end]
            .partition_point(|segment| segment.first <= doc)
            .saturating_sub(1);
        if reached >= self.next {
            (self.next, self.reader) = (reached, None);
            self.doc = self.segments.first_of(reached);
        }
    }

    /// The mark of a document; ask in ascending order.
    ///
    /// # Errors
    /// As [`Marks::next`], and when there is none.
    pub fn of_document(&mut self, wanted: u32) -> Result<Mark, Error> {
        while let Some((doc, mark)) = self.next()? {
            if doc == wanted {
                return Ok(mark);
            }
        }
        Err(Error::Usage(format!(
            "failed to go on: document {wanted} has no mark"
        )))
    }

    /// The next document and its mark; `None` after the last.
    #[expect(
        clippy::should_implement_trait,
        reason = "an Iterator cannot end in an error"
    )]
    pub fn next(&mut self) -> Result<Option<(u32, Mark)>, Error> {
        loop {
            if let Some(reader) = &mut self.reader
                && let Some(mark) = reader.next()?
            {
                self.doc += 1;
                return Ok(Some((self.doc - 1, mark)));
            }
            let next = Some(self.next).filter(|next| *next < self.end);
            let Some((_, sealed)) =
                next.and_then(|next| self.segments.sealed(next, SegmentFile::Marks))
            else {
                return Ok(None);
            };
            let reader = RecordReader::open_sealed(
                &self.segments.disk,
                &self.segments.dir,
                sealed,
                FileKind::Marks,
            );
            self.reader = Some(reader?);
            self.next += 1;
        }
    }
}

/// Tells which documents were revisit records: their bodies are those of other documents.
pub struct RevisitDocuments {
    segments: Segments,
    next: usize,
    reader: Option<RecordReader<u32>>,
    /// First document of the segment being read.
    first: u32,
    /// The next of these documents.
    doc: Option<u32>,
}

impl RevisitDocuments {
    /// The next of these documents; `None` after the last.
    #[expect(
        clippy::should_implement_trait,
        reason = "an Iterator cannot end in an error"
    )]
    pub fn next(&mut self) -> Result<Option<u32>, Error> {
        loop {
            if let Some(reader) = &mut self.reader
                && let Some(found) = reader.next()?
            {
                return Ok(Some(self.first + found));
            }
            if self.next >= self.segments.count() {
                return Ok(None);
            }
            self.reader = self
                .segments
                .open_records(self.next, SegmentFile::Revisited)?;
            self.first = self.segments.first_of(self.next);
            self.next += 1;
        }
    }

    /// Whether a document was a revisit record. Ask in ascending order.
    pub fn has(&mut self, doc: u32) -> Result<bool, Error> {
        while self.doc.is_none_or(|known| known < doc) {
            // No document has the highest number.
            self.doc = Some(self.next()?.unwrap_or(u32::MAX));
        }
        Ok(self.doc == Some(doc))
    }
}
