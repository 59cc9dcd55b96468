//! The exact counts of the pairs that phase `settle` compared.
//!
//! *Input.* Its file, in order of the pairs. *Output.* The counts of a pair, without common
//! shingles. *Memory.* A block of the file.

use crate::Engine;
use format::{FileKind, RecordReader, SettledRecord};
use model::Overlap;
use runtime::{Error, PhaseName};

/// Counts that are asked for in order of the pairs.
pub struct SettledPairs {
    reader: RecordReader<SettledRecord>,
    next: Option<SettledRecord>,
}

impl SettledPairs {
    /// Opens the pairs of the finished phase.
    ///
    /// # Errors
    /// When the file is missing or damaged.
    pub fn open(engine: &Engine<'_>) -> Result<SettledPairs, Error> {
        let mut reader = engine.reader(PhaseName::Settle, "settled", FileKind::Settled)?;
        Ok(SettledPairs {
            next: reader.next()?,
            reader,
        })
    }

    /// The counts of a pair that comes after all that were asked for before, or is the last of
    /// them; `None` if it was not compared.
    ///
    /// # Errors
    /// When the file is damaged or cannot be read.
    pub fn of(&mut self, a: u32, b: u32) -> Result<Option<Overlap>, Error> {
        while self.next.is_some_and(|next| (next.a, next.b) < (a, b)) {
            self.next = self.reader.next()?;
        }
        let found = self.next.filter(|next| (next.a, next.b) == (a, b));
        Ok(found.map(|settled| settled.overlap()))
    }
}
