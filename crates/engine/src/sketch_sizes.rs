//! Sketch sizes in document order, common shingles left out.
//!
//! *Input.* The sizes that phase `sketch` wrote, and the number of common shingles in each sketch.
//! *Output.* The sizes that are compared, by blocks or one by one. *Algorithm.* Both inputs are in
//! document order. *Memory.* A block of each file. *Disk.* None of its own.

use crate::segments::{SegmentFile, SegmentRows};
use crate::{Engine, Output};
use format::{FileKind, LostRecord};
use model::SizesByLevel;
use runtime::{Error, PhaseName};

/// Reads the sketch sizes of all documents in order, common shingles left out.
pub struct SketchSizes {
    rows: SegmentRows,
    losses: Losses,
}

/// The sketch sizes of a document.
#[derive(Clone, Copy, Debug)]
pub struct DocumentSizes {
    /// The document.
    pub doc: u32,
    /// Its sizes, common shingles left out.
    pub sizes: SizesByLevel,
    /// The number of common shingles left out.
    pub lost: u32,
}

impl SketchSizes {
    /// Opens the sizes and the losses of a finished phase `pairs`.
    ///
    /// # Errors
    /// When a file is missing, damaged, or cannot be read.
    pub fn open(engine: &Engine<'_>) -> Result<SketchSizes, Error> {
        SketchSizes::with(
            engine,
            engine.reader::<LostRecord>(PhaseName::Pairs, "lost", FileKind::Lost)?,
        )
    }

    /// The same with the given losses to common shingles, in document order.
    ///
    /// # Errors
    /// When a file is missing, damaged, or cannot be read.
    pub fn with(engine: &Engine<'_>, losses: Output<LostRecord>) -> Result<SketchSizes, Error> {
        Ok(SketchSizes {
            losses: Losses::of(losses)?,
            rows: engine.segments()?.rows(SegmentFile::Sizes),
        })
    }

    /// Skips the segments that end before a document.
    pub(crate) fn skip_segments(&mut self, doc: u32) {
        self.rows.skip_segments(doc);
    }

    /// Calls `take` with the sizes of the documents up to `end`, in order. It may go somewhat
    /// beyond `end`, because blocks are read whole.
    ///
    /// # Errors
    /// When a file is damaged or cannot be read.
    pub fn each_until(
        &mut self,
        end: u32,
        mut take: impl FnMut(u32, &SizesByLevel),
    ) -> Result<(), Error> {
        let SketchSizes { rows, losses } = self;
        let mut reached = 0;
        while reached < end
            && rows.each_sizes(|doc, mut sizes| {
                losses.subtract(doc, &mut sizes)?;
                take(doc, &sizes);
                reached = doc + 1;
                Ok(())
            })?
        {}
        Ok(())
    }

    /// The same of the finest sizes alone: all there are of a fixed modulus.
    ///
    /// # Errors
    /// When a file is damaged or cannot be read.
    pub fn each_finest_until(
        &mut self,
        end: u32,
        mut take: impl FnMut(u32, u32),
    ) -> Result<(), Error> {
        let SketchSizes { rows, losses } = self;
        let mut reached = 0;
        while reached < end
            && rows.each_finest_size(|doc, size| {
                let mut size = size;
                // Nearly no document lost anything.
                if losses.may_have(doc) {
                    let mut sizes = SizesByLevel::unknown();
                    sizes.sizes[0] = size;
                    losses.subtract(doc, &mut sizes)?;
                    size = sizes.sizes[0];
                }
                take(doc, size);
                reached = doc + 1;
                Ok(())
            })?
        {}
        Ok(())
    }

    /// The sizes of the next document.
    ///
    /// # Errors
    /// When a file is missing, damaged, or cannot be read.
    #[expect(
        clippy::should_implement_trait,
        reason = "an Iterator cannot end in an error"
    )]
    pub fn next(&mut self) -> Result<Option<DocumentSizes>, Error> {
        let Some((doc, row)) = self.rows.next_sizes()? else {
            return Ok(None);
        };
        let mut sizes = row.0;
        let lost = self.losses.subtract(doc, &mut sizes)?;
        Ok(Some(DocumentSizes { doc, sizes, lost }))
    }
}

/// The losses of sketches to common shingles, read in document order.
struct Losses {
    reader: Output<LostRecord>,
    next: Option<LostRecord>,
}

impl Losses {
    fn of(mut reader: Output<LostRecord>) -> Result<Losses, Error> {
        Ok(Losses {
            next: reader.next()?,
            reader,
        })
    }

    /// Whether a document may have lost shingles; losses of documents before it are passed over
    /// later.
    #[inline]
    fn may_have(&self, doc: u32) -> bool {
        self.next.is_some_and(|lost| lost.doc <= doc)
    }

    /// Subtracts the common shingles of a document from its sizes; gives their number.
    #[inline]
    fn subtract(&mut self, doc: u32, sizes: &mut SizesByLevel) -> Result<u32, Error> {
        let mut total = 0_u32;
        // Losses before it are of documents that were passed over.
        while let Some(lost) = self.next.filter(|lost| lost.doc <= doc) {
            if lost.doc == doc {
                sizes.remove(usize::from(lost.level), lost.count);
                total = total.saturating_add(lost.count);
            }
            self.next = self.reader.next()?;
        }
        Ok(total)
    }
}
