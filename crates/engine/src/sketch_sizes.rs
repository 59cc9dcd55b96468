//! Sketch sizes in document order.
//!
//! *Input.* The sizes that phase `sketch` wrote. With `common = "drop"` also the common shingles of
//! each sketch, which are left out. *Output.* The sizes that are compared, by blocks or one by one.
//! *Algorithm.* Both inputs are in document order. *Memory.* A block of each file. *Disk.* None of
//! its own.

use crate::segments::{SegmentFile, SegmentRows};
use crate::{Engine, FileLookup};
use crate::{Error, PhaseName};
use format::{CommonOfDocument, FileKind, FinestSizeRow, RecordReader, SizesRow};
use model::SizesByLevel;
use sort::Lookup;

/// The file of the common shingles of each sketch.
pub const COMMON_OF_DOCUMENTS: &str = "common-of-documents";

/// Reads the sketch sizes of all documents in order.
pub struct SketchSizes {
    rows: SegmentRows,
    /// If common shingles are left out.
    dropped: Option<CommonCounts>,
}

/// The sketch sizes of a document.
#[derive(Clone, Copy, Debug)]
pub struct DocumentSizes {
    /// The document.
    pub doc: u32,
    /// Its sizes.
    pub sizes: SizesByLevel,
    /// The shingles that were left out.
    pub dropped: u32,
}

impl Engine<'_> {
    /// The sketch sizes of a finished phase `pairs`.
    pub fn sketch_sizes(&self) -> Result<SketchSizes, Error> {
        let kind = FileKind::CommonOfDocuments;
        let dropped = match self.config.drops_common() {
            true => Some(self.reader(PhaseName::Pairs, COMMON_OF_DOCUMENTS, kind)?),
            false => None,
        };
        SketchSizes::without(self, dropped)
    }
}

impl SketchSizes {
    /// The sizes without the given shingles, which lie in document order.
    pub fn without(
        engine: &Engine<'_>,
        dropped: Option<RecordReader<CommonOfDocument>>,
    ) -> Result<SketchSizes, Error> {
        Ok(SketchSizes {
            rows: engine.segments()?.rows(SegmentFile::Sizes),
            dropped: dropped.map(CommonCounts::of).transpose()?,
        })
    }

    /// Skips the segments that end before a document.
    pub(crate) fn skip_segments(&mut self, doc: u32) {
        self.rows.skip_segments(doc);
    }

    /// Calls `take` with the sizes of the documents up to `end`, in order. It may go somewhat
    /// beyond `end`, because blocks are read whole.
    pub fn each_until(
        &mut self,
        end: u32,
        mut take: impl FnMut(u32, &SizesByLevel) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let SketchSizes { rows, dropped } = self;
        let mut reached = 0;
        while reached < end
            && rows.each_of_block(|doc, SizesRow(mut sizes)| {
                if let Some(dropped) = dropped {
                    dropped.subtract(doc, &mut sizes)?;
                }
                reached = doc + 1;
                take(doc, &sizes)
            })?
        {}
        Ok(())
    }

    /// Hands on the finest size of each document up to `end`: all there are of a fixed modulus.
    pub fn each_finest_until(
        &mut self,
        end: u32,
        mut take: impl FnMut(u32, u32) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let SketchSizes { rows, dropped } = self;
        let mut reached = 0;
        while reached < end
            && rows.each_of_block(|doc, FinestSizeRow(mut size)| {
                if let Some(dropped) = dropped
                    && size != SizesByLevel::UNKNOWN
                {
                    size = size.saturating_sub(dropped.count_of(doc)?);
                }
                reached = doc + 1;
                take(doc, size)
            })?
        {}
        Ok(())
    }

    /// The sizes of the next document.
    #[expect(
        clippy::should_implement_trait,
        reason = "an Iterator cannot end in an error"
    )]
    pub fn next(&mut self) -> Result<Option<DocumentSizes>, Error> {
        let Some((doc, row)) = self.rows.next_sizes()? else {
            return Ok(None);
        };
        let mut sizes = row.0;
        let dropped = match &mut self.dropped {
            Some(dropped) => dropped.subtract(doc, &mut sizes)?,
            None => 0,
        };
        Ok(Some(DocumentSizes {
            doc,
            sizes,
            dropped,
        }))
    }
}

/// How many common shingles each sketch has, asked for in document order.
pub struct CommonCounts(FileLookup<CommonOfDocument>);

impl CommonCounts {
    /// Counts what a file lists.
    pub fn of(reader: RecordReader<CommonOfDocument>) -> Result<CommonCounts, Error> {
        Ok(CommonCounts(Lookup::over(reader)?))
    }

    /// The number of common shingles in the sketch of a document.
    #[inline]
    pub fn count_of(&mut self, doc: u32) -> Result<u32, Error> {
        match self.0.peek() {
            // Nearly no document has any.
            Some(next) if next.doc <= doc => self.count(doc),
            _ => Ok(0),
        }
    }

    #[cold]
    fn count(&mut self, doc: u32) -> Result<u32, Error> {
        let mut count = 0;
        while self.0.next_of(doc)?.is_some() {
            count += 1;
        }
        Ok(count)
    }

    /// Takes them from the sizes of a sketch that has one level, and says how many they are.
    fn subtract(&mut self, doc: u32, sizes: &mut SizesByLevel) -> Result<u32, Error> {
        let count = self.count_of(doc)?;
        if count > 0 {
            sizes.remove(0, count);
        }
        Ok(count)
    }
}
