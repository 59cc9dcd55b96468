//! The two sides of a join: keys that revisits look for, and keys that may match them.
//!
//! *Algorithm.* A sort-merge join: of every group of equal keys one document counts, and of the
//! keys of a revisit the best one.

use super::keys::{BloomFilter, KeyHasher};
use super::originals::Originals;
use super::records::{FoundOriginal, WantedKey};
use super::scope::SearchScope;
use crate::distinct::DocumentKey;
use crate::memory;
use crate::sketch::planned_segment::PHASE;
use engine::Error;
use format::RevisitRow;
use sort::{KeepAll, Prefixes, SortedWords, Sorter, WordSorter};

/// Takes the rank of a key that is looked for, the key, and what of it the filter knows.
pub(super) type TakeWanted<'a> = &'a mut dyn FnMut(u8, u128, u128);

/// Both sides, not sorted yet.
pub(super) struct Sides {
    pub(super) keys: KeyHasher,
    pub(super) wanted: WordSorter<WantedKey>,
    filter: BloomFilter,
    offered: Sorter<DocumentKey, KeepAll>,
}

impl Sides {
    /// Both sides of the revisits without an original; `of_revisit` gives the keys that they look
    /// for.
    pub(super) fn of(
        scope: &SearchScope<'_>,
        originals: &mut Originals,
        of_revisit: fn(KeyHasher, &RevisitRow<'_>, TakeWanted<'_>),
    ) -> Result<Sides, Error> {
        let engine = scope.engine;
        let keys = KeyHasher {
            seed: engine.config.sketch.params().keys.content_seed(),
        };
        let sorter = engine.word_sorter::<WantedKey>(PHASE, "revisits-wanted", scope.share_bytes);
        let mut wanted = sorter.expecting(Prefixes::ALL);
        scope.each_revisit(|revisit, row| {
            let mut pushed = Ok(());
            if originals.of(revisit)?.is_none() {
                of_revisit(keys, row, &mut |rank, key, _| {
                    let one = wanted.push(WantedKey { key, rank, revisit });
                    pushed = std::mem::replace(&mut pushed, Ok(())).and(one);
                });
            }
            pushed.map_err(Error::from)
        })?;
        // A filter needs no order, but the number of keys was not known before; so they are made
        // twice.
        let mut filter =
            BloomFilter::new(wanted.pushed(), engine.budget.take(memory::REVISIT_FILTER));
        scope.each_revisit(|revisit, row| {
            if originals.of(revisit)?.is_none() {
                of_revisit(keys, row, &mut |_, _, known| filter.insert(known));
            }
            Ok(())
        })?;
        let sorter =
            engine.sorter::<DocumentKey, _>(PHASE, "revisits-offered", scope.share_bytes, KeepAll);
        Ok(Sides {
            keys,
            wanted,
            filter,
            offered: sorter.expecting(Prefixes::ALL),
        })
    }

    /// Offers a document or revisit under a key, of which the filter knows `known`.
    pub(super) fn offer(&mut self, key: u128, known: u128, doc: u32) -> Result<(), Error> {
        if !self.filter.may_have(known) {
            return Ok(());
        }
        let pushed = self.offered.push(DocumentKey { key, doc });
        pushed.map_err(Error::from)
    }

    /// Both, without the filter, whose memory is free again.
    pub(super) fn sorters(self) -> (WordSorter<WantedKey>, Sorter<DocumentKey, KeepAll>) {
        (self.wanted, self.offered)
    }

    /// Merges both sides: originals, the best one of a revisit first. The last key
    /// that is offered up to a wanted one counts, if it is a match.
    pub(super) fn matches(
        self,
        scope: &SearchScope<'_>,
        is_match: fn(u128, u128) -> bool,
    ) -> Result<SortedWords<FoundOriginal>, Error> {
        let (wanted, offered) = self.sorters();
        let mut wanted = wanted.finish()?;
        let mut offered = offered.finish()?;
        let own = scope.first();
        let mut best =
            scope
                .engine
                .word_sorter::<FoundOriginal>(PHASE, "revisits-found", scope.share_bytes);
        let mut offer = offered.next()?;
        // The document that counts of the last group of equal keys.
        let mut group: Option<DocumentKey> = None;
        while let Some(WantedKey { key, rank, revisit }) = wanted.next()? {
            while let Some(one) = offer.filter(|offer| offer.key <= key) {
                let is_better =
                    |held: DocumentKey| one.key != held.key || (one.doc >= own && held.doc < own);
                if group.is_none_or(is_better) {
                    group = Some(one);
                }
                offer = offered.next()?;
            }
            if let Some(DocumentKey { doc, .. }) = group.filter(|group| is_match(key, group.key)) {
                best.push(FoundOriginal { revisit, rank, doc })?;
            }
        }
        best.finish().map_err(Error::from)
    }
}
