//! The pairs that an earlier run settled.
//!
//! *Algorithm.* The counts of a pair follow from its two documents and from the list of common
//! shingles. So they are taken over if both documents are still there, in their present numbers,
//! and the list is the same. *Limits.* If the list changed, all pairs are compared again.

use engine::Engine;
use engine::merge_levels::{renumbering, taken};
use format::{FileKind, FormatError, MergeLevels, RecordReader, SettledRecord};
use model::Renumbering;
use runtime::{Error, PhaseName, parameters};

const PHASE: PhaseName = PhaseName::Settle;

/// Key of the digest of the common shingles among the counts of the phase.
pub(crate) const COMMON_DIGEST: &str = "common_digest";

/// The parameters that exact counts depend on.
pub(crate) fn parameters(engine: &Engine<'_>) -> String {
    parameters::of(PhaseName::Sketch, engine.config)
}

/// Pairs in order of their present numbers.
pub(crate) struct EarlierPairs {
    reader: Option<RecordReader<SettledRecord>>,
    by: Renumbering,
    next: Option<SettledRecord>,
}

impl EarlierPairs {
    /// Opens them; there are none if they are of other documents or cannot be read.
    pub(crate) fn open(engine: &Engine<'_>, common_digest: u64) -> Result<EarlierPairs, Error> {
        let mut earlier = EarlierPairs {
            reader: None,
            by: Renumbering::default(),
            next: None,
        };
        let manifest = engine.manifest();
        let levels = manifest.levels.get(PHASE.name()).cloned();
        let now = taken(&manifest);
        drop(manifest);
        let is_of_these = |levels: &MergeLevels| {
            levels.parameters == parameters(engine)
                && levels.counts.get(COMMON_DIGEST) == Some(&common_digest)
        };
        let Some(levels) = levels.filter(is_of_these) else {
            return Ok(earlier);
        };
        let is_changed = levels.snapshots.iter().any(|then| {
            let one = now.iter().find(|one| one.number == then.number);
            one.is_some_and(|one| one != then)
        });
        let Some(level) = levels.files.first().filter(|_| !is_changed) else {
            return Ok(earlier);
        };
        let (dir, kind) = (engine.dir(PHASE), FileKind::Settled);
        match RecordReader::open_sealed(&engine.disk, &dir, &level.sealed, kind) {
            Ok(reader) => earlier.reader = Some(reader),
            Err(source @ FormatError::Interrupted) => {
                return Err(Error::from_format(Some(PHASE), source));
            }
            Err(_) => return Ok(earlier),
        }
        earlier.by = renumbering(level, &now);
        earlier.advance()?;
        Ok(earlier)
    }

    /// The counts of the pair, if they are known. Pairs come in order.
    pub(crate) fn find(&mut self, pair: [u32; 2]) -> Result<Option<SettledRecord>, Error> {
        while self.next.is_some_and(|next| [next.a, next.b] < pair) {
            self.advance()?;
        }
        Ok(self.next.filter(|next| [next.a, next.b] == pair))
    }

    /// Goes to the next pair whose documents are both there.
    fn advance(&mut self) -> Result<(), Error> {
        self.next = None;
        let Some(reader) = &mut self.reader else {
            return Ok(());
        };
        while let Some(settled) = reader.next().map_err(Error::work(PHASE))? {
            if let (Some(a), Some(b)) = (self.by.get(settled.a), self.by.get(settled.b)) {
                self.next = Some(SettledRecord { a, b, ..settled });
                break;
            }
        }
        Ok(())
    }
}
