//! Expands the groups of shingles that changed since an earlier run.
//!
//! *Algorithm.* For a shingle that new documents have, the pairs with a new document are counted.
//! If it becomes common, the pairs of its older documents are subtracted; if it is no longer
//! common, all of its pairs are counted. All other groups cannot change and are skipped, unless
//! documents are gone.

use super::outputs::{PHASE, common_record};
use crate::combines::AddSigned;
use crate::expansion::Expansion;
use engine::{Engine, Error, merge_levels::MergedLevels};
use format::{CommonOfDocument, CommonRecord, RecordReader};
use model::{PairCount, Posting};
use sort::{Distinct, KeepAll, Sorter};

/// The increment that subtracts a shingle from a pair count; counts wrap around.
const MINUS_ONE: u32 = u32::MAX;

/// Progress is reported after so many postings.
const REPORT_EVERY: u64 = 1 << 14;

/// The present documents of a shingle.
#[derive(Default)]
pub(super) struct PresentGroup {
    shingle: u64,
    /// Whether the shingle was common before.
    was_common: bool,
    /// Documents whose sketches contain it, and those of them that are new.
    documents: u64,
    new: u64,
    example: u32,
    /// The first documents, up to the one with which it became common, and whether they are new.
    docs: Vec<(u32, bool)>,
    /// Older documents after these, if the shingle was not common before.
    more_old: Vec<u32>,
}

/// Expands the groups that changed.
pub(super) struct ChangedGroups {
    /// A shingle of more documents is common.
    pub(super) limit: u64,
    pub(super) group_documents_max: usize,
    /// Whether every group is expanded, because documents are gone: then the figures of all groups
    /// are counted again.
    pub(super) is_all: bool,
    /// The older documents of shingles that became common, or are no longer common, and those of
    /// common shingles that come after a new one.
    pub(super) affected: Sorter<u32, Distinct>,
    pub(super) pairs: Sorter<PairCount, AddSigned>,
    pub(super) common_of: Sorter<CommonOfDocument, KeepAll>,
    pub(super) common: Sorter<CommonRecord, KeepAll>,
    pub(super) common_before: RecordReader<CommonRecord>,
    pub(super) next_common: Option<CommonRecord>,
    pub(super) seen: Expansion,
    pub(super) group: PresentGroup,
}

impl ChangedGroups {
    /// Expands the groups that may have changed; false if one does not fit memory. `is_new` says
    /// which of the merged files are of this step.
    pub(super) fn expand(
        &mut self,
        engine: &Engine<'_>,
        mut merged: MergedLevels<Posting>,
        is_new: &[bool],
        postings: u64,
    ) -> Result<bool, Error> {
        let task = engine.reporter.task(PHASE, "postings", postings);
        let mut unreported = 0;
        loop {
            // Unless documents are gone, only groups with new documents and groups that were common
            // can change.
            let common = self.next_common.map(|common| common.shingle);
            if !self.is_all {
                let wanted = merged
                    .least_prefix(|file| is_new[file])
                    .into_iter()
                    .chain(common)
                    .min();
                merged.skip_below(wanted.unwrap_or(u64::MAX), |file| !is_new[file])?;
                if wanted.is_none() {
                    break;
                }
            }
            // A shingle that was common may be in no sketch any more.
            let with_postings = merged.least_prefix(|_| true).into_iter();
            let Some(shingle) = with_postings.chain(common).min() else {
                break;
            };
            self.begin(shingle)?;
            while merged.least_prefix(|_| true) == Some(shingle)
                && let Some((posting, file)) = merged.next()?
            {
                unreported += 1;
                if !self.put(posting.doc, is_new[file])? {
                    return Ok(false);
                }
            }
            self.close()?;
            if unreported > REPORT_EVERY {
                engine.disk.check_interrupt()?;
                task.add(std::mem::take(&mut unreported));
            }
        }
        task.finish();
        Ok(true)
    }

    /// Begins the group of a shingle.
    fn begin(&mut self, shingle: u64) -> Result<(), Error> {
        while self
            .next_common
            .is_some_and(|common| common.shingle < shingle)
        {
            self.next_common = self.common_before.next()?;
        }
        let was_common = self
            .next_common
            .is_some_and(|common| common.shingle == shingle);
        let PresentGroup {
            mut docs,
            mut more_old,
            ..
        } = std::mem::take(&mut self.group);
        docs.clear();
        more_old.clear();
        self.group = PresentGroup {
            shingle,
            was_common,
            docs,
            more_old,
            ..PresentGroup::default()
        };
        Ok(())
    }

    /// Whether the shingle of the group is common if the sketches of so many documents contain it.
    fn is_common(&self, documents: u64) -> bool {
        documents > self.limit
    }

    /// Takes a document of the group; false if it does not fit memory.
    fn put(&mut self, doc: u32, is_new: bool) -> Result<bool, Error> {
        let before = self.group.documents;
        let was_more = before > 0 && self.is_common(before);
        let group = &mut self.group;
        if before == 0 {
            group.example = doc;
        }
        if group.was_common && group.new > 0 && !is_new {
            // A document that stands for its class now, and did not before, comes between the older
            // ones: this one may meet others than before.
            self.affected.push(doc)?;
        }
        group.documents += 1;
        group.new += u64::from(is_new);
        if was_more {
            if !is_new && !group.was_common {
                group.more_old.push(doc);
            }
            self.put_common(doc)?;
        } else {
            group.docs.push((doc, is_new));
            if self.is_common(before + 1) {
                for at in 0..self.group.docs.len() {
                    self.put_common(self.group.docs[at].0)?;
                }
            }
        }
        Ok(self.group.docs.len() + self.group.more_old.len() <= self.group_documents_max)
    }

    /// The shingle of the group, which a sketch contains, is common.
    fn put_common(&mut self, doc: u32) -> Result<(), Error> {
        let shingle = self.group.shingle;
        self.common_of
            .push(CommonOfDocument { doc, shingle })
            .map_err(Error::from)
    }

    /// Ends the group: counts the changes that it makes, and moves on to the next common shingle.
    fn close(&mut self) -> Result<(), Error> {
        while self
            .next_common
            .is_some_and(|common| common.shingle <= self.group.shingle)
        {
            self.next_common = self.common_before.next()?;
        }
        let PresentGroup {
            shingle,
            was_common,
            documents,
            new,
            ..
        } = self.group;
        let is_common = self.is_common(documents);
        if is_common {
            let record = common_record(shingle, documents, self.group.example);
            self.common.push(record)?;
        }
        // A new document among the first ones, which stands for its class and did not before, may
        // be the hub (`Proposals`). Those after it are affected already.
        let may_have_another_hub = self.group.docs.iter().any(|(_, is_new)| *is_new);
        if is_common != was_common || (is_common && may_have_another_hub) {
            let old = self.group.docs.iter().filter(|(_, is_new)| !is_new);
            let old = old.map(|(doc, _)| doc).chain(&self.group.more_old);
            for doc in old {
                self.affected.push(*doc)?;
            }
        }
        if documents == 0 || (new == 0 && !was_common && !is_common && !self.is_all) {
            return Ok(());
        }
        self.update_figures(is_common);
        let docs = std::mem::take(&mut self.group.docs);
        let more_old = std::mem::take(&mut self.group.more_old);
        if is_common {
            if !was_common {
                let old = docs
                    .iter()
                    .filter(|(_, is_new)| !is_new)
                    .map(|(doc, _)| *doc);
                let old: Vec<u32> = old.chain(more_old.iter().copied()).collect();
                for (at, &a) in old.iter().enumerate() {
                    self.put_pairs(a, old[at + 1..].iter().copied(), MINUS_ONE)?;
                }
            }
        } else if new > 0 || was_common {
            self.count(&docs, was_common)?;
        }
        // Their memory is used for the next group.
        (self.group.docs, self.group.more_old) = (docs, more_old);
        Ok(())
    }

    /// Counts the pairs of these documents: all, or those with a new document.
    fn count(&mut self, docs: &[(u32, bool)], all: bool) -> Result<(), Error> {
        let new: Vec<u32> = docs
            .iter()
            .filter(|(_, is_new)| *is_new)
            .map(|(doc, _)| *doc)
            .collect();
        for (at, &(a, is_new)) in docs.iter().enumerate() {
            if all || is_new {
                self.put_pairs(a, docs[at + 1..].iter().map(|(doc, _)| *doc), 1)?;
            } else {
                // Few documents are new, and mostly they are the last ones.
                let after = new.partition_point(|doc| *doc <= a);
                self.put_pairs(a, new[after..].iter().copied(), 1)?;
            }
        }
        Ok(())
    }

    /// Adds `increment` to the count of each pair of `a` with another document.
    fn put_pairs(
        &mut self,
        a: u32,
        others: impl Iterator<Item = u32>,
        increment: u32,
    ) -> Result<(), Error> {
        for b in others {
            self.pairs.push(PairCount {
                a,
                b,
                shared: increment,
            })?;
        }
        Ok(())
    }

    /// Updates the figures: subtracts those of the group before, unless all are counted again, and
    /// adds the present ones.
    fn update_figures(&mut self, is_common: bool) {
        let PresentGroup {
            was_common,
            documents,
            new,
            ..
        } = self.group;
        let pairs = |n: u64| n * n.saturating_sub(1) / 2;
        let seen = &mut self.seen;
        if !self.is_all {
            let old = documents - new;
            seen.shingles -= u64::from(old > 0);
            seen.single -= u64::from(old == 1);
            seen.common_postings -= if was_common { old } else { 0 };
            seen.increments -= if was_common { 0 } else { pairs(old) };
        }
        seen.shingles += 1;
        seen.single += u64::from(documents == 1);
        seen.common_postings += if is_common { documents } else { 0 };
        seen.increments += if is_common { 0 } else { pairs(documents) };
    }
}
