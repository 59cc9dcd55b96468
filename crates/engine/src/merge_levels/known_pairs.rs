//! The results of an earlier run for pairs: they depend on the two documents alone, so it holds as
//! long as both are there.
//!
//! *Input.* A file of that run, by its pairs. *Output.* The record of a pair, in the document
//! numbers of this run. *Memory.* A block of the file.

use super::{DocumentRecord, MergedLevels};
use crate::Engine;
use crate::{Error, PhaseName};
use format::{FileKind, LinkRecord, MergeLevels, Sealed, SettledRecord, TakenSnapshot};
use model::{PairCount, Renumbering};
use sort::{Lookup, Stream};

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

impl<R: DocumentRecord> Stream for MergedLevels<R> {
    type Record = R;
    type Error = Error;
    fn next(&mut self) -> Result<Option<R>, Error> {
        Ok(MergedLevels::next(self)?.map(|(record, _)| record))
    }
}

/// Records of pairs that are asked for in order; none if there is no file.
pub type KnownPairs<R> = Lookup<Option<MergedLevels<R>>>;

/// Opens a file that `levels` lists. Nothing is known if there is none, or if it is not there any
/// more, or damaged.
pub fn known_pairs<R: DocumentRecord>(
    engine: &Engine<'_>,
    phase: PhaseName,
    kind: FileKind,
    file: Option<(&MergeLevels, &Sealed)>,
) -> Result<KnownPairs<R>, Error> {
    let opened = match file {
        Some((levels, sealed)) => open(engine, (phase, kind), sealed, &levels.snapshots),
        None => Lookup::over(None),
    };
    match opened {
        Err(Error::Interrupted { signal }) => Err(Error::Interrupted { signal }),
        Err(_) => Lookup::over(None),
        known => known,
    }
}

/// Opens a file that this run wrote.
pub fn pairs_of_now<R: DocumentRecord>(
    engine: &Engine<'_>,
    phase: PhaseName,
    kind: FileKind,
    sealed: &Sealed,
) -> Result<KnownPairs<R>, Error> {
    let now = engine.taken();
    open(engine, (phase, kind), sealed, &now)
}

/// Opens a file of a run over the snapshots `then`.
fn open<R: DocumentRecord>(
    engine: &Engine<'_>,
    (phase, kind): (PhaseName, FileKind),
    sealed: &Sealed,
    then: &[TakenSnapshot],
) -> Result<KnownPairs<R>, Error> {
    let now = engine.taken();
    let level = super::level(sealed.clone(), [0; 2], then, &vec![0; then.len()]);
    let levels = MergedLevels::open(engine, phase, kind, &[level], &now)?;
    Lookup::over(Some(levels))
}
