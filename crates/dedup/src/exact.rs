//! Compares every document about to be removed with the one kept in its favour, by all their
//! shingles.
//!
//! *Input.* RemovalFile that were decided by estimate, in document order; the texts ([`Texts`]).
//! *Output.* The same removals with exact counts, modulus 1, in document order. *Algorithm.* Every
//! shingle counts, common ones too. Documents of equal tokens with the same kept document
//! are compared once. Each text is read once; each of its shingles is written beside the kept
//! document. Sorted by kept document and shingle, the shingles of the kept one come first among
//! equals, so one pass counts what every other document shares with it. *Memory.* Three sorts of a
//! share, and what [`super::texts`] reads with. *Disk.* 16 bytes for each shingle of each text, and
//! 44 bytes a removal, if they do not fit.

use super::removal::RemovalRecord;
use super::task::Task;
use engine::Classes;
use engine::segments::RevisitDocuments;
use format::{FormatError, RecordReader};
use model::{Class, Record, Words};
use runtime::{Error, PhaseName};
use sort::{Combine, Distinct, Feeder, Keep, Prefixes, Sorted, SortedWords, Sorter, WordSorter};
use std::collections::HashMap;

/// ⟨lowest document of equal tokens, kept document, 1 if the text is that of another document,
/// removal⟩.
type Proposal = Words<11>;

/// ⟨document to read, kept document, [`KEPT`] or [`other`]⟩: the part of a document in a
/// comparison.
pub(super) type Role = Words<3>;

/// The document is the kept one.
const KEPT: u32 = 0;

/// Stands for a document about to be removed, and those of equal tokens.
fn other(lowest: u32) -> u32 {
    lowest + 1
}

/// A source of texts.
pub(super) trait Texts {
    /// Hands the shingles of every document that has a text and fits the memory to `shingles`.
    fn read(&self, roles: Sorted<Role, Distinct>, shingles: &Shingles) -> Result<(), Error>;
}

/// The lowest document that has the same tokens.
pub(super) fn lowest_of_equal_tokens(class: &Class) -> u32 {
    let [identical, lexical, _] = class.lowest;
    class.doc.min(identical).min(lexical)
}

/// Collects removals that are to be compared.
pub(super) struct Comparison<'a> {
    task: &'a Task<'a>,
    proposals: WordSorter<Proposal>,
    classes: Classes,
    revisited: RevisitDocuments,
}

impl<'a> Comparison<'a> {
    pub(super) fn open(task: &'a Task<'a>) -> Result<Comparison<'a>, Error> {
        let segments = task.engine.segments()?;
        let range = Prefixes::documents(segments.documents());
        let proposals = task.sorter("proposals", task.share_bytes);
        Ok(Comparison {
            task,
            proposals: proposals.expecting(range),
            classes: Classes::open(task.engine)?,
            revisited: segments.revisited(),
        })
    }

    /// Adds a removal; in document order.
    pub(super) fn push(&mut self, removal: &RemovalRecord) -> Result<(), Error> {
        let Words([doc, kept, relation, shared, own, other, modulus, links]) = *removal;
        let lowest = lowest_of_equal_tokens(&self.classes.of(doc)?);
        let has_no_body = u32::from(self.revisited.has(doc)?);
        self.proposals
            .push(Words([
                lowest,
                kept,
                has_no_body,
                doc,
                kept,
                relation,
                shared,
                own,
                other,
                modulus,
                links,
            ]))
            .map_err(Error::work(PhaseName::Cluster))
    }

    /// Reads the texts and compares. Where one of the two could not be read, all counts are 0.
    pub(super) fn finish(self, texts: &dyn Texts) -> Result<SortedWords<RemovalRecord>, Error> {
        let (task, work) = (self.task, Error::work(PhaseName::Cluster));
        let range = Prefixes::documents(task.engine.segments()?.documents());
        let path = task.dir.join("by-tokens.run-0");
        let mut by_tokens = task.write::<Proposal>(&path)?;
        let mut roles = task
            .combining::<Role, _>("roles", task.share_bytes, Distinct)
            .expecting(range);
        let mut proposals = self.proposals.finish().map_err(work)?;
        let mut last = None;
        while let Some(proposal) = proposals.next().map_err(work)? {
            let Words([lowest, kept, has_no_body, doc, ..]) = proposal;
            let is_first = last.replace((lowest, kept)) != Some((lowest, kept));
            if is_first && has_no_body == 0 {
                roles
                    .push(Words([doc, kept, other(lowest)]))
                    .map_err(work)?;
                roles.push(Words([kept, kept, KEPT])).map_err(work)?;
            }
            by_tokens.push(&proposal).map_err(work)?;
        }
        drop(proposals);
        by_tokens.finish().map_err(work)?;
        let shingles = Shingles::new(task, range);
        texts.read(roles.finish().map_err(work)?, &shingles)?;
        let mut counts = shingles.count(task, range)?;
        let mut count = counts.next().map_err(work)?;
        let mut compared = task
            .sorter::<RemovalRecord>("compared", task.share_bytes)
            .expecting(range);
        let mut by_tokens: RecordReader<Proposal> = task.read(&path)?;
        while let Some(proposal) = by_tokens.next().map_err(work)? {
            let Words([lowest, kept, _, doc, _, relation, .., links]) = proposal;
            while count.is_some_and(|Words([a, b, ..])| (a, b) < (lowest, kept)) {
                count = counts.next().map_err(work)?;
            }
            let [_, _, shared, own, other] = count
                .filter(|Words([a, b, ..])| (*a, *b) == (lowest, kept))
                .map_or([0; 5], |Words(count)| count);
            compared
                .push(Words([doc, kept, relation, shared, own, other, 1, links]))
                .map_err(work)?;
        }
        compared.finish().map_err(work)
    }
}

/// A shingle of a text that is compared. 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Shingle {
    /// The kept document.
    kept: u32,
    shingle: u64,
    /// [`KEPT`] or [`other`].
    whose: u32,
}

impl Record for Shingle {
    const SIZE: usize = 16;
    fn encode(&self, bytes: &mut [u8]) {
        let (high, low) = ((self.shingle >> 32) as u32, self.shingle as u32);
        Words([self.kept, high, low, self.whose]).encode(bytes);
    }
    fn decode(bytes: &[u8]) -> Self {
        let Words([kept, high, low, whose]) = Words::decode(bytes);
        Shingle {
            kept,
            shingle: u64::from(high) << 32 | u64::from(low),
            whose,
        }
    }
    fn prefix(&self) -> u64 {
        u64::from(self.kept) << 32 | self.shingle >> 32
    }
}

/// ⟨lowest document of equal tokens, kept document, shared, own size, size of the kept one⟩.
type Count = Words<5>;

/// Adds what was counted of the same two documents.
#[derive(Clone, Copy, Debug)]
struct AddCounts;

impl Combine<Count> for AddCounts {
    fn absorb(&self, into: &mut Count, next: &Count) -> bool {
        if into.0[..2] != next.0[..2] {
            return false;
        }
        into.0[2] += next.0[2];
        into.0[3] += next.0[3];
        true
    }
}

/// Others that are counted at a time before they are handed to a sort.
const OTHERS_AT_ONCE: usize = 4096;

/// All shingles of the texts that are compared.
pub(super) struct Shingles {
    shingles: Sorter<Shingle, Keep>,
    /// ⟨kept document, its size⟩.
    kept_sizes: Sorter<Words<2>, Keep>,
}

impl Shingles {
    fn new(task: &Task<'_>, range: Prefixes) -> Shingles {
        let shingles = task.combining("shingles", task.share_bytes, Keep);
        let kept_sizes = task.combining("kept-sizes", task.share_bytes / 4, Keep);
        Shingles {
            shingles: shingles.expecting(range),
            kept_sizes: kept_sizes.expecting(range),
        }
    }

    /// A way in for one thread.
    pub(super) fn feeder(&self) -> ShingleFeeder<'_> {
        ShingleFeeder {
            shingles: self.shingles.feeder(),
            kept_sizes: self.kept_sizes.feeder(),
        }
    }

    /// Counts, by the lowest document of equal tokens, then by kept document.
    fn count(self, task: &Task<'_>, range: Prefixes) -> Result<Sorted<Count, AddCounts>, Error> {
        let work = Error::work(PhaseName::Cluster);
        let mut shingles = self.shingles.finish().map_err(work)?;
        let mut kept_sizes = self.kept_sizes.finish().map_err(work)?;
        let mut counts = task
            .combining::<Count, _>("exact-counts", task.share_bytes, AddCounts)
            .expecting(range);
        let mut next_size = kept_sizes.next().map_err(work)?;
        let mut of_kept = KeptCounts::default();
        while let Some(next) = shingles.next().map_err(work)? {
            if of_kept.kept != Some(next.kept) {
                of_kept.flush(&mut counts).map_err(work)?;
                while next_size.is_some_and(|Words([kept, _])| kept < next.kept) {
                    next_size = kept_sizes.next().map_err(work)?;
                }
                let size = next_size.filter(|Words([kept, _])| *kept == next.kept);
                of_kept = KeptCounts {
                    kept: Some(next.kept),
                    size: size.map_or(0, |Words([_, size])| size),
                    ..KeptCounts::default()
                };
            }
            of_kept.add(&next);
            if of_kept.others.len() > OTHERS_AT_ONCE {
                of_kept.flush(&mut counts).map_err(work)?;
            }
        }
        of_kept.flush(&mut counts).map_err(work)?;
        drop((shingles, kept_sizes));
        counts.finish().map_err(work)
    }
}

/// The counts of one kept document and of those removed in its favour.
#[derive(Default)]
struct KeptCounts {
    kept: Option<u32>,
    /// Its shingles; 0 if it could not be read.
    size: u32,
    /// The last of them that was met.
    shingle: Option<u64>,
    /// Shared shingles and own size, by [`other`].
    others: HashMap<u32, [u32; 2]>,
}

impl KeptCounts {
    fn add(&mut self, next: &Shingle) {
        if next.whose == KEPT {
            self.shingle = Some(next.shingle);
            return;
        }
        let [shared, own] = self.others.entry(next.whose).or_default();
        *shared += u32::from(self.shingle == Some(next.shingle));
        *own += 1;
    }

    fn flush(&mut self, counts: &mut Sorter<Count, AddCounts>) -> Result<(), FormatError> {
        let kept = self.kept.unwrap_or(0);
        for (whose, [shared, own]) in self.others.drain() {
            counts.push(Words([whose - 1, kept, shared, own, self.size]))?;
        }
        Ok(())
    }
}

/// Takes the shingles of one thread.
pub(super) struct ShingleFeeder<'a> {
    shingles: Feeder<'a, Shingle, Keep>,
    kept_sizes: Feeder<'a, Words<2>, Keep>,
}

impl ShingleFeeder<'_> {
    /// Takes all different shingles of a document that has this role.
    pub(super) fn take(
        &mut self,
        Words([_, kept, whose]): Role,
        all: &[u64],
    ) -> Result<(), FormatError> {
        if whose == KEPT {
            let size = u32::try_from(all.len()).unwrap_or(u32::MAX);
            self.kept_sizes.push(Words([kept, size]))?;
        }
        all.iter().try_for_each(|&shingle| {
            self.shingles.push(Shingle {
                kept,
                shingle,
                whose,
            })
        })
    }

    /// Hands over what it holds.
    pub(super) fn finish(self) -> Result<(), FormatError> {
        self.shingles.finish()?;
        self.kept_sizes.finish()
    }
}
