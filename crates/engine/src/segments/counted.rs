//! All fingerprints of counted documents, read beside other files of a segment.

use super::{SegmentFile, SegmentRows, Segments};
use runtime::Error;

/// The rows of a segment, read one ahead: most documents have none.
pub struct CountedRows {
    rows: SegmentRows,
    next: Option<(u32, Vec<u64>)>,
}

impl CountedRows {
    /// Opens the rows of a segment; there are none if it has no counted documents.
    ///
    /// # Errors
    /// When the file is missing, damaged, or cannot be read.
    pub fn open(segments: &Segments, segment: usize) -> Result<CountedRows, Error> {
        let mut opened = CountedRows {
            rows: segments.rows_of(segment, SegmentFile::Counted),
            next: None,
        };
        opened.advance()?;
        Ok(opened)
    }

    fn advance(&mut self) -> Result<(), Error> {
        let row = self.rows.next_sketch()?;
        self.next = row.map(|(doc, row)| (doc, row.iter().collect()));
        Ok(())
    }

    /// The next document with all of its fingerprints.
    ///
    /// # Errors
    /// When the file is damaged or cannot be read.
    pub fn next_document(&mut self) -> Result<Option<(u32, Vec<u64>)>, Error> {
        let Some((doc, mut all)) = self.next_below(u32::MAX)? else {
            return Ok(None);
        };
        while let Some((_, more)) = self.next_below(doc + 1)? {
            all.extend(more);
        }
        Ok(Some((doc, all)))
    }

    /// The next row if it is of a document below `end`: the document and some of its fingerprints.
    ///
    /// # Errors
    /// When the file is damaged or cannot be read.
    pub fn next_below(&mut self, end: u32) -> Result<Option<(u32, Vec<u64>)>, Error> {
        let row = self.next.take_if(|(doc, _)| *doc < end);
        if row.is_some() {
            self.advance()?;
        }
        Ok(row)
    }
}
