//! Sketch sizes in document order, common shingles left out.
//!
//! *Input.* The sizes that phase `sketch` wrote, and the number of common shingles in each sketch.
//! *Output.* The sizes that are compared, by blocks or one by one. *Algorithm.* Both inputs are in
//! document order. *Memory.* A block of each file. *Disk.* None of its own.

use engine::segments::{Rows, SegmentFile};
use engine::{Engine, Output};
use format::{FileKind, LostRecord};
use model::SizesByLevel;
use runtime::{Error, PhaseName};

/// Reads the sketch sizes of all documents in order, common shingles left out.
pub struct SketchSizes {
    rows: Rows,
    lost: Output<LostRecord>,
    next_lost: Option<LostRecord>,
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
    pub fn with(engine: &Engine<'_>, mut lost: Output<LostRecord>) -> Result<SketchSizes, Error> {
        let next_lost = lost.next()?;
        Ok(SketchSizes {
            rows: engine.segments()?.rows(SegmentFile::Sizes),
            lost,
            next_lost,
        })
    }

    /// Skips the segments that end before a document.
    pub(super) fn skip_segments(&mut self, doc: u32) {
        self.rows.skip_segments(doc);
    }

    /// Calls `take` with the sizes of the documents up to `end`, in order. It may go somewhat
    /// beyond `end`, because blocks are read whole.
    pub(crate) fn each_until(
        &mut self,
        end: u32,
        mut take: impl FnMut(u32, &SizesByLevel),
    ) -> Result<(), Error> {
        let SketchSizes {
            rows,
            lost,
            next_lost,
        } = self;
        let mut reached = 0;
        while reached < end
            && rows.each_sizes(|doc, mut sizes| {
                take_off(doc, &mut sizes, (lost, next_lost))?;
                take(doc, &sizes);
                reached = doc + 1;
                Ok(())
            })?
        {}
        Ok(())
    }

    /// The same of the finest sizes alone: all there are of a fixed modulus.
    pub(crate) fn each_finest_until(
        &mut self,
        end: u32,
        mut take: impl FnMut(u32, u32),
    ) -> Result<(), Error> {
        let SketchSizes {
            rows,
            lost,
            next_lost,
        } = self;
        let mut reached = 0;
        while reached < end
            && rows.each_finest_size(|doc, size| {
                let mut size = size;
                // Nearly no document lost anything.
                if next_lost.is_some_and(|lost| lost.doc <= doc) {
                    let mut sizes = SizesByLevel::unknown();
                    sizes.sizes[0] = size;
                    take_off(doc, &mut sizes, (lost, next_lost))?;
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
        let lost = take_off(doc, &mut sizes, (&mut self.lost, &mut self.next_lost))?;
        Ok(Some(DocumentSizes { doc, sizes, lost }))
    }
}

/// Takes off the sizes of a sketch what it lost to common shingles; says how many. Losses come in
/// order.
#[inline]
fn take_off(
    doc: u32,
    sizes: &mut SizesByLevel,
    (losses, next): (&mut Output<LostRecord>, &mut Option<LostRecord>),
) -> Result<u32, Error> {
    let mut total = 0_u32;
    // Those before it are of documents that were passed over.
    while let Some(lost) = next.filter(|lost| lost.doc <= doc) {
        if lost.doc == doc {
            sizes.remove(usize::from(lost.level), lost.count);
            total = total.saturating_add(lost.count);
        }
        *next = losses.next()?;
    }
    Ok(total)
}

/// Sizes looked up in ascending order of documents, each of which must have a sketch.
pub(super) struct RequiredSizes {
    reader: SketchSizes,
    current: Option<DocumentSizes>,
}

impl RequiredSizes {
    pub(super) fn open(engine: &Engine<'_>) -> Result<RequiredSizes, Error> {
        Ok(RequiredSizes {
            reader: SketchSizes::open(engine)?,
            current: None,
        })
    }

    pub(super) fn of(&mut self, wanted: u32) -> Result<&[u32], Error> {
        let is_before = |current: &DocumentSizes| current.doc < wanted;
        if self.current.as_ref().is_none_or(is_before) {
            self.reader.skip_segments(wanted);
        }
        while self.current.as_ref().is_none_or(is_before) {
            let Some(next) = self.reader.next()? else {
                return Err(Error::Usage(format!(
                    "failed to judge pairs: document {wanted} has no sketch"
                )));
            };
            self.current = Some(next);
        }
        Ok(self
            .current
            .as_ref()
            .map_or(&[], |current| &current.sizes.sizes))
    }
}
