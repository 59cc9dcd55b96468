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

/// Sketch sizes in document order, common shingles left out.
pub struct Ladders {
    rows: Rows,
    lost: Output<LostRecord>,
    next_lost: Option<LostRecord>,
}

impl Ladders {
    /// Opens the sizes and the losses of a finished phase `pairs`.
    ///
    /// # Errors
    /// When a file is missing, damaged, or cannot be read.
    pub fn open(engine: &Engine<'_>) -> Result<Ladders, Error> {
        Ladders::with(
            engine,
            engine.reader::<LostRecord>(PhaseName::Pairs, "lost", FileKind::Lost)?,
        )
    }

    /// The same with the given losses to common shingles, in document order.
    ///
    /// # Errors
    /// When a file is missing, damaged, or cannot be read.
    pub fn with(engine: &Engine<'_>, mut lost: Output<LostRecord>) -> Result<Ladders, Error> {
        let next_lost = lost.next()?;
        Ok(Ladders {
            rows: engine.segments()?.rows(SegmentFile::Ladders),
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
        let Ladders {
            rows,
            lost,
            next_lost,
        } = self;
        let mut reached = 0;
        while reached < end
            && rows.each_ladder(|doc, mut ladder| {
                take_off(doc, &mut ladder, (lost, next_lost))?;
                take(doc, &ladder);
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
        let Ladders {
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
                    let mut ladder = SizesByLevel::unknown();
                    ladder.sizes[0] = size;
                    take_off(doc, &mut ladder, (lost, next_lost))?;
                    size = ladder.sizes[0];
                }
                take(doc, size);
                reached = doc + 1;
                Ok(())
            })?
        {}
        Ok(())
    }

    /// The next document, its sizes, and how many common shingles its sketch lost.
    #[expect(
        clippy::should_implement_trait,
        reason = "an Iterator cannot end in an error"
    )]
    pub fn next(&mut self) -> Result<Option<(u32, SizesByLevel, u32)>, Error> {
        let Some((doc, row)) = self.rows.next_ladder()? else {
            return Ok(None);
        };
        let mut ladder = row.0;
        let total = take_off(doc, &mut ladder, (&mut self.lost, &mut self.next_lost))?;
        Ok(Some((doc, ladder, total)))
    }
}

/// Takes off the sizes of a sketch what it lost to common shingles; says how many. Losses come in
/// order.
#[inline]
fn take_off(
    doc: u32,
    ladder: &mut SizesByLevel,
    (losses, next): (&mut Output<LostRecord>, &mut Option<LostRecord>),
) -> Result<u32, Error> {
    let mut total = 0_u32;
    // Those before it are of documents that were passed over.
    while let Some(lost) = next.filter(|lost| lost.doc <= doc) {
        if lost.doc == doc {
            ladder.remove(usize::from(lost.level), lost.count);
            total = total.saturating_add(lost.count);
        }
        *next = losses.next()?;
    }
    Ok(total)
}

/// Sizes looked up in ascending order of documents.
pub(super) struct InOrder {
    ladders: Ladders,
    current: Option<(u32, SizesByLevel)>,
}

impl InOrder {
    pub(super) fn open(engine: &Engine<'_>) -> Result<InOrder, Error> {
        Ok(InOrder {
            ladders: Ladders::open(engine)?,
            current: None,
        })
    }

    pub(super) fn of(&mut self, wanted: u32) -> Result<&[u32], Error> {
        if self.current.is_none_or(|(doc, _)| doc < wanted) {
            self.ladders.skip_segments(wanted);
        }
        while self.current.is_none_or(|(doc, _)| doc < wanted) {
            let Some((doc, ladder, _)) = self.ladders.next()? else {
                return Err(Error::Usage(format!(
                    "failed to judge pairs: document {wanted} has no sketch"
                )));
            };
            self.current = Some((doc, ladder));
        }
        Ok(self
            .current
            .as_ref()
            .map_or(&[], |(_, ladder)| &ladder.sizes))
    }
}
