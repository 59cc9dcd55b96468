//! The pairs of crowds that an earlier run found.
//!
//! *Algorithm.* A document is paired with documents before it, and which ones does not depend on
//! documents after it. So documents that follow all others add pairs, and change none. If the
//! others are those of the earlier run, its pairs are taken over, and only the groups of new
//! documents are looked at.

use super::sketches::LossyDocuments;
use crate::pairs::outputs::{LOST, PHASE};
use engine::merge_levels::{self, EarlierLevels};
use engine::{Engine, Output};
use format::{FileKind, LinkRecord, LostRecord, RecordReader, Sealed};
use runtime::Error;

/// The pairs of an earlier run.
pub(in crate::pairs) struct EarlierCrowds {
    pub(super) pairs: Output<LinkRecord>,
    lost: Output<LostRecord>,
    /// How many documents that run had.
    pub(super) documents: u32,
}

impl EarlierCrowds {
    /// Opens the files of the earlier run, before files of this run take their names. `pairs` is
    /// the name of the file of pairs. `None` if a file cannot be opened, or if the documents of
    /// that run are not the first ones now.
    pub(in crate::pairs) fn open(
        engine: &Engine<'_>,
        earlier: &EarlierLevels,
        pairs: &str,
    ) -> Option<EarlierCrowds> {
        let levels = &earlier.levels;
        if !merge_levels::taken(&engine.manifest()).starts_with(&levels.snapshots) {
            return None;
        }
        let (dir, disk) = (engine.dir(PHASE), &engine.disk);
        let [pairs, lost] = [pairs, LOST].map(|name| levels.others.get(name));
        let pairs = RecordReader::open_sealed(disk, &dir, pairs?, FileKind::Links).ok()?;
        let lost = RecordReader::open_sealed(disk, &dir, lost?, FileKind::Lost).ok()?;
        Some(EarlierCrowds {
            pairs: Output::of(pairs, PHASE),
            lost: Output::of(lost, PHASE),
            documents: levels.snapshots.iter().map(|one| one.documents).sum(),
        })
    }

    /// The number of documents that lost shingles; `None` if those of the earlier run are others
    /// than they were. Returns the reader of its pairs, too.
    pub(super) fn following(
        self,
        engine: &Engine<'_>,
        lost: &Sealed,
    ) -> Result<Option<(EarlierPairs, u64)>, Error> {
        let mut then = LossyDocuments::of(self.lost)?;
        let mut now = LossyDocuments::open(engine, lost)?;
        let mut count = 0;
        while let Some(doc) = now.next {
            let is_old = doc < self.documents;
            if is_old && then.next != Some(doc) {
                return Ok(None);
            }
            if is_old {
                then.go_to(doc + 1)?;
            }
            now.go_to(doc + 1)?;
            count += 1;
        }
        let pairs = EarlierPairs::of(self.pairs, self.documents)?;
        Ok(then.next.is_none().then_some((pairs, count)))
    }
}

/// The pairs in order.
pub(in crate::pairs) struct EarlierPairs {
    reader: Output<LinkRecord>,
    next: Option<LinkRecord>,
    /// How many documents the run had.
    pub(in crate::pairs) documents: u32,
}

impl EarlierPairs {
    fn of(mut reader: Output<LinkRecord>, documents: u32) -> Result<EarlierPairs, Error> {
        Ok(EarlierPairs {
            next: reader.next()?,
            reader,
            documents,
        })
    }

    /// Hands on the pairs before this one, or all.
    pub(in crate::pairs) fn each_below(
        &mut self,
        end: Option<[u32; 2]>,
        mut take: impl FnMut(&LinkRecord) -> Result<(), Error>,
    ) -> Result<(), Error> {
        while let Some(pair) = self.next
            && end.is_none_or(|end| [pair.a, pair.b] < end)
        {
            take(&pair)?;
            self.next = self.reader.next()?;
        }
        Ok(())
    }
}
