//! The pairs that phase `pairs` compared sketch by sketch, in order: those of sketches of a fixed
//! size.

use crate::Engine;
use format::{FileKind, LinkRecord, RecordReader};
use runtime::{Error, PhaseName};

/// The file of the compared pairs.
pub const COMPARED: &str = "compared";

/// Reads the compared pairs, all of them or some, in ascending order.
pub struct ComparedPairs {
    reader: RecordReader<LinkRecord>,
    next: Option<LinkRecord>,
}

impl ComparedPairs {
    /// Opens the pairs of a finished phase; `None` where pair counts say how pairs compare.
    ///
    /// # Errors
    /// When the file is missing or damaged.
    pub fn open(engine: &Engine<'_>) -> Result<Option<ComparedPairs>, Error> {
        if !engine.config.sketch.sampling.has_fixed_size() {
            return Ok(None);
        }
        let mut reader = engine.reader(PhaseName::Pairs, COMPARED, FileKind::Links)?;
        Ok(Some(ComparedPairs {
            next: reader.next()?,
            reader,
        }))
    }

    /// How many pairs there are.
    pub fn records(&self) -> u64 {
        self.reader.records()
    }

    /// The next pair; `None` after the last.
    ///
    /// # Errors
    /// When the file is damaged or cannot be read.
    #[expect(
        clippy::should_implement_trait,
        reason = "an Iterator cannot end in an error"
    )]
    pub fn next(&mut self) -> Result<Option<LinkRecord>, Error> {
        let next = self.next.take();
        if next.is_some() {
            self.next = self.reader.next()?;
        }
        Ok(next)
    }

    /// The counts of a pair, if it was compared and reached the floor.
    ///
    /// # Errors
    /// As [`ComparedPairs::next`].
    pub fn of(&mut self, a: u32, b: u32) -> Result<Option<LinkRecord>, Error> {
        while self.next.is_some_and(|pair| (pair.a, pair.b) < (a, b)) {
            self.next = self.reader.next()?;
        }
        Ok(self.next.filter(|pair| (pair.a, pair.b) == (a, b)))
    }
}
