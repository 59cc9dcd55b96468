//! What an earlier run found of pairs: it depends on the two documents alone, so it holds as long
//! as both are there.
//!
//! *Input.* A file of that run, by its pairs. *Output.* The record of a pair, in the document
//! numbers of this run. *Memory.* A block of the file.

use super::{DocumentRecord, MergedLevels};
use crate::Engine;
use format::{FileKind, LinkRecord, MergeLevel, MergeLevels, Sealed, SettledRecord};
use model::{PairCount, Renumbering};
use runtime::{Error, PhaseName};

/// A record of two documents, sorted by them.
pub trait PairRecord: DocumentRecord {
    /// The lower document and the higher one.
    fn pair(&self) -> [u32; 2];
}

macro_rules! pair_record {
    ($($record:ident),*) => { $(
        impl PairRecord for $record {
            #[inline]
            fn pair(&self) -> [u32; 2] {
                [self.a, self.b]
            }
        }
    )* };
}
pair_record!(PairCount, LinkRecord, SettledRecord);

macro_rules! document_record {
    ($($record:ident),*) => { $(
        impl DocumentRecord for $record {
            #[inline]
            fn renumbered(self, by: &Renumbering) -> Option<Self> {
                let (a, b) = (by.get(self.a)?, by.get(self.b)?);
                Some($record { a, b, ..self })
            }
            #[inline]
            fn lower(&self) -> u32 {
                self.a
            }
        }
    )* };
}
document_record!(PairCount, LinkRecord, SettledRecord);

/// Records that are asked for in order of their pairs.
pub struct KnownPairs<R> {
    records: Option<MergedLevels<R>>,
    next: Option<R>,
}

impl<R: PairRecord> KnownPairs<R> {
    /// Nothing is known.
    pub fn none() -> KnownPairs<R> {
        KnownPairs {
            records: None,
            next: None,
        }
    }

    /// Opens a file that `levels` lists. Nothing is known if it is not there any more, or damaged.
    ///
    /// # Errors
    /// When the run is interrupted.
    pub fn open(
        engine: &Engine<'_>,
        phase: PhaseName,
        kind: FileKind,
        (levels, sealed): (&MergeLevels, &Sealed),
    ) -> Result<KnownPairs<R>, Error> {
        let records = vec![0; levels.snapshots.len()];
        let level = super::level(sealed.clone(), [0; 2], &levels.snapshots, &records);
        match KnownPairs::of_level(engine, phase, kind, &level) {
            Ok(known) => Ok(known),
            Err(error @ Error::Interrupted { .. }) => Err(error),
            Err(_) => Ok(KnownPairs::none()),
        }
    }

    /// Opens a file that is there.
    ///
    /// # Errors
    /// When it is damaged or cannot be read.
    pub fn of_level(
        engine: &Engine<'_>,
        phase: PhaseName,
        kind: FileKind,
        level: &MergeLevel,
    ) -> Result<KnownPairs<R>, Error> {
        let (files, now) = (
            std::slice::from_ref(level),
            super::taken(&engine.manifest()),
        );
        let mut known = KnownPairs {
            records: Some(MergedLevels::open(engine, phase, kind, files, &now)?),
            next: None,
        };
        known.advance()?;
        Ok(known)
    }

    fn advance(&mut self) -> Result<(), Error> {
        let next = self.records.as_mut().map(MergedLevels::next).transpose()?;
        self.next = next.flatten().map(|(record, _)| record);
        Ok(())
    }

    /// What is known of a pair. Pairs come in order.
    ///
    /// # Errors
    /// When the file is damaged or cannot be read.
    pub fn find(&mut self, pair: [u32; 2]) -> Result<Option<R>, Error> {
        while self.next.is_some_and(|next| next.pair() < pair) {
            self.advance()?;
        }
        Ok(self.next.filter(|next| next.pair() == pair))
    }
}
