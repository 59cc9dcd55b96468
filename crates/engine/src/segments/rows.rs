//! The rows of a file of the sketch phase, over all segments.

use super::{Segment, SegmentFile, Segments};
use crate::Error;
use format::{
    DocumentRow, EncodedRow, RejectedRow, RowReader, SizesRow, SketchRow, SkippedDocument,
    SnapshotSpan,
};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Reads rows over all segments.
pub struct SegmentRows {
    segments: Segments,
    file: SegmentFile,
    next: usize,
    /// The segment to stop before.
    end: usize,
    reader: Option<RowReader>,
    /// First document of the current segment.
    base: u32,
    /// First input file of its snapshot.
    first_file: u32,
    /// Rows of the current segment already read.
    row: u32,
}

impl Segments {
    /// Reads the rows of one kind of file over all segments.
    pub fn rows(&self, file: SegmentFile) -> SegmentRows {
        SegmentRows::over(self.clone(), file, 0..self.list.len())
    }

    /// Reads the rows of one file of one segment.
    pub fn rows_of(&self, segment: usize, file: SegmentFile) -> SegmentRows {
        SegmentRows::over(self.clone(), file, segment..segment + 1)
    }

    /// Reads the rows of one kind of file over the segments of one snapshot.
    pub fn rows_of_snapshot(&self, span: &SnapshotSpan, file: SegmentFile) -> SegmentRows {
        let is_of = |segment: &&Segment| segment.snapshot == span.number;
        let next = self
            .list
            .iter()
            .position(|segment| is_of(&segment))
            .unwrap_or(self.list.len());
        let end = next + self.list[next..].iter().take_while(is_of).count();
        SegmentRows::over(self.clone(), file, next..end)
    }

    /// URL and id of some documents.
    pub fn names(
        &self,
        wanted: &BTreeSet<u32>,
    ) -> Result<BTreeMap<u32, [Option<String>; 2]>, Error> {
        let mut names = BTreeMap::new();
        let mut rows = self.rows(SegmentFile::Documents);
        for &wanted in wanted {
            rows.skip_segments(wanted);
            while let Some((doc, row)) = rows.next_document()? {
                if doc >= wanted {
                    names.insert(doc, [row.url, row.id].map(|name| name.map(str::to_owned)));
                    break;
                }
            }
        }
        Ok(names)
    }
}

impl SegmentRows {
    /// The rows of some of the segments.
    pub(super) fn over(segments: Segments, file: SegmentFile, range: Range<usize>) -> SegmentRows {
        let Range { start: next, end } = range;
        SegmentRows {
            segments,
            file,
            next,
            end,
            reader: None,
            base: 0,
            first_file: 0,
            row: 0,
        }
    }

    fn advance(&mut self) -> Result<Option<&mut RowReader>, Error> {
        if !self.open_next()? {
            return Ok(None);
        }
        self.row += 1;
        Ok(self.reader.as_mut())
    }

    /// Opens segments until one has a next row; false after the last.
    fn open_next(&mut self) -> Result<bool, Error> {
        loop {
            if let Some(reader) = &mut self.reader
                && reader.more()?
            {
                return Ok(true);
            }
            let next = Some(self.next).filter(|next| *next < self.end);
            let Some((base, sealed)) = next.and_then(|next| self.segments.sealed(next, self.file))
            else {
                return Ok(false);
            };
            let reader = RowReader::open_sealed(
                &self.segments.disk,
                &self.segments.dir,
                sealed,
                self.file.kind(),
            );
            self.reader = Some(reader?);
            (self.base, self.row) = (base, 0);
            self.first_file = self.segments.list[self.next].first_file;
            self.next += 1;
        }
    }

    /// Skips the segments that end before a document.
    pub fn skip_segments(&mut self, doc: u32) {
        let reached = self.segments.list[..self.end]
            .partition_point(|segment| segment.first <= doc)
            .saturating_sub(1);
        if reached >= self.next {
            (self.next, self.reader) = (reached, None);
        }
    }

    /// The next document row. Its `file` counts the input files of all snapshots.
    pub fn next_document(&mut self) -> Result<Option<(u32, DocumentRow<'_>)>, Error> {
        if self.advance()?.is_none() {
            return Ok(None);
        }
        let (doc, first_file) = (self.base + self.row - 1, self.first_file);
        let Some(reader) = self.reader.as_mut() else {
            return Ok(None);
        };
        let row: Option<DocumentRow<'_>> = reader.next()?;
        Ok(row.map(|row| {
            (
                doc,
                DocumentRow {
                    file: first_file + row.file,
                    ..row
                },
            )
        }))
    }

    /// The row of a document; `None` if it has none. Documents are asked for in ascending order,
    /// each once.
    pub fn document(&mut self, wanted: u32) -> Result<Option<DocumentRow<'_>>, Error> {
        self.skip_segments(wanted);
        while self.open_next()? && self.base + self.row < wanted {
            if let Some(reader) = &mut self.reader {
                reader.next::<SkippedDocument>()?;
            }
            self.row += 1;
        }
        if self.reader.is_none() || self.base + self.row != wanted {
            return Ok(None);
        }
        Ok(self.next_document()?.map(|(_, row)| row))
    }

    /// The next document and its sketch sizes.
    pub fn next_sizes(&mut self) -> Result<Option<(u32, SizesRow)>, Error> {
        if self.advance()?.is_none() {
            return Ok(None);
        }
        let doc = self.base + self.row - 1;
        let Some(reader) = self.reader.as_mut() else {
            return Ok(None);
        };
        Ok(reader.next()?.map(|row| (doc, row)))
    }

    /// Calls `take` for the rows of a block; false after the last.
    #[inline]
    pub(crate) fn each_of_block<R: for<'a> EncodedRow<'a>>(
        &mut self,
        mut take: impl FnMut(u32, R) -> Result<(), Error>,
    ) -> Result<bool, Error> {
        if !self.open_next()? {
            return Ok(false);
        }
        let mut doc = self.base + self.row;
        let Some(reader) = self.reader.as_mut() else {
            return Ok(false);
        };
        let more = reader.each_of_block(|row| {
            doc += 1;
            take(doc - 1, row)
        });
        self.row = doc - self.base;
        more
    }

    /// The next piece of a sketch, with its document.
    pub fn next_sketch(&mut self) -> Result<Option<(u32, SketchRow<'_>)>, Error> {
        if self.advance()?.is_none() {
            return Ok(None);
        }
        let base = self.base;
        let Some(reader) = self.reader.as_mut() else {
            return Ok(None);
        };
        let row: Option<SketchRow<'_>> = reader.next()?;
        Ok(row.map(|row| (base + row.doc, row)))
    }

    /// The next rejected record. Its `file` counts the input files of all snapshots.
    pub fn next_rejected(&mut self) -> Result<Option<RejectedRow<'_>>, Error> {
        if self.advance()?.is_none() {
            return Ok(None);
        }
        let first_file = self.first_file;
        let Some(reader) = self.reader.as_mut() else {
            return Ok(None);
        };
        let row: Option<RejectedRow<'_>> = reader.next()?;
        Ok(row.map(|row| RejectedRow {
            file: first_file + row.file,
            ..row
        }))
    }
}
