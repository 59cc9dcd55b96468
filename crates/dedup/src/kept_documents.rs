//! For each class the document that is kept: one of the class, or one that it may go in favour of.
//!
//! *Memory.* A cell a document, on disk where they do not fit.

use super::undecided::Undecided;
use engine::{Error, cells::SpillableCells};
use format::ScratchFile;
use model::Cells;
use model::{Ratio, keyed, word_record};
use publication::removals::candidate::{Going, Members, pair_up};
use publication::removals::evidence;
use publication::removals::removal::RemovalRecord;
use publication::removals::task::RemovalTask;
use sort::{Lookup, SortedWords};

pub(super) struct KeptDocuments {
    /// By representative: the document plus one, [`NOBODY`], or 0 where nothing is chosen yet.
    cells: SpillableCells,
    /// Whether a class stays for which nothing is chosen.
    pub(super) others_stay: bool,
}

/// No document of the class can be kept in favour of others.
const NOBODY: u32 = u32::MAX;

impl KeptDocuments {
    /// Nothing is chosen yet.
    pub(super) fn create(
        task: &RemovalTask<'_>,
        others_stay: bool,
    ) -> Result<KeptDocuments, Error> {
        let documents = task.engine.segments()?.documents();
        Ok(KeptDocuments {
            cells: task.scratch.cells_of("kept", documents)?,
            others_stay,
        })
    }

    /// The kept document of a class, if there is one.
    pub(super) fn of(&mut self, representative: u32) -> Result<Option<u32>, Error> {
        let cell = self.cells.get(representative)?;
        Ok(match cell {
            0 => self.others_stay.then_some(representative),
            NOBODY => None,
            doc => Some(doc - 1),
        })
    }

    /// Chooses a document, or nobody.
    pub(super) fn set(&mut self, representative: u32, kept: Option<u32>) -> Result<(), Error> {
        let cell = kept.map_or(NOBODY, |doc| doc + 1);
        self.cells.set(representative, cell).map_err(Error::from)
    }

    /// Whether no document is chosen.
    pub(super) fn is_open(&mut self, representative: u32) -> Result<bool, Error> {
        Ok(matches!(self.cells.get(representative)?, 0 | NOBODY))
    }

    /// Chooses nobody, unless a document is chosen.
    pub(super) fn close(&mut self, representative: u32) -> Result<(), Error> {
        match self.is_open(representative)? {
            true => self.set(representative, None),
            false => Ok(()),
        }
    }

    /// Chooses the kept document of the strongest link of each class: that of the highest ratio, of
    /// equal ones the lowest. `may_be_set` says of which classes.
    pub(super) fn set_strongest(
        &mut self,
        links: SortedWords<KeptLink>,
        mut may_be_set: impl FnMut(&mut Self, u32) -> Result<bool, Error>,
    ) -> Result<(), Error> {
        let mut links = Lookup::over(links)?;
        while let Some(mut strongest) = links.next()? {
            while let Some(link) = links.next_of(strongest.part)? {
                if link.ratio().cmp(&strongest.ratio()).is_gt() {
                    strongest = link;
                }
            }
            if may_be_set(self, strongest.part)? {
                self.set(strongest.part, Some(strongest.kept))?;
            }
        }
        Ok(())
    }

    /// The removals of the undecided documents for which a document is kept.
    pub(super) fn removals(
        mut self,
        task: &RemovalTask<'_>,
        left: &ScratchFile<Undecided>,
    ) -> Result<SortedWords<RemovalRecord>, Error> {
        let mut going = task.by_document::<Going>("going");
        let mut classes = task.engine.classes()?;
        let mut left = left.read()?;
        while let Some(Undecided { doc, together, .. }) = left.next()? {
            if let Some(kept) = self.of(together)?.filter(|kept| *kept != doc) {
                going.push(Going::of(&classes.of(doc)?, kept))?;
            }
        }
        drop(self);
        let going = going.finish()?;
        evidence::removals(task, pair_up(task, Members::NotKeptAndCopied, going)?)
    }
}

/// A class and a document that it may go in favour of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct KeptLink {
    /// The representative of the class.
    pub(super) part: u32,
    pub(super) kept: u32,
    /// Shingles that both have.
    pub(super) shared: u32,
    /// Shingles of which these are a share.
    pub(super) size: u32,
}

word_record! { KeptLink { part, kept, shared, size } }
keyed! { KeptLink: u32 = |link| link.part }

impl KeptLink {
    fn ratio(&self) -> Ratio {
        Ratio::new(u64::from(self.shared), u64::from(self.size))
    }
}
