//! Finds the originals of revisits that refer to nothing: the newest earlier record of their URL.
//!
//! A server that answers 304 (not modified) names no record, and some crawlers write none into the
//! revisit. Its body is that of the page before, as programs that replay crawls take it.
//!
//! *Input.* The revisits that name no record and no digest; documents and resolved revisits.
//! *Output.* An original for each revisit that has one. *Algorithm.* A sort-merge join of keys that
//! have the hash of a URL and a date behind it: the last key of a URL up to the date of the revisit
//! is the newest record that is not younger. *Memory.* As [`super::find`].

use super::keys::{BloomFilter, KeyHasher, is_of_one_url};
use super::originals::{Originals, matches};
use super::records::WantedKey;
use super::scope::SearchScope;
use crate::sketch::planned_segment::PHASE;
use distinct::DocumentKey;
use engine::segments::SegmentFile;
use format::{DocumentRow, RevisitRow};
use runtime::Error;
use sort::{Keep, Prefixes, Sorter};

/// URL and date of a revisit that refers to nothing.
fn of_revisit<'a>(row: &RevisitRow<'a>) -> Option<(&'a str, i64)> {
    let names_record = row.refers_to_id.is_some()
        || row.payload.is_some()
        || (row.refers_to_url.is_some() && row.refers_to_date.is_some());
    let url = row.refers_to_url.or(row.url)?;
    row.date.filter(|_| !names_record).map(|date| (url, date))
}

/// Finds the originals of those that have none; gives how many it found.
pub(super) fn resolve(scope: &SearchScope<'_>, originals: &mut Originals) -> Result<u64, Error> {
    let work = Error::work(PHASE);
    let engine = scope.engine;
    let keys = KeyHasher {
        seed: engine.config.sketch.params().keys.content_seed(),
    };
    let sorter = engine.word_sorter::<WantedKey>(PHASE, "revisits-wanted", scope.share_bytes);
    let mut wanted = sorter.expecting(Prefixes::ALL);
    scope.each_revisit(|revisit, row| {
        let Some((url, date)) = of_revisit(row) else {
            return Ok(());
        };
        if originals.of(revisit)?.is_some() {
            return Ok(());
        }
        let key = keys.url_at(url, date);
        let rank = 0;
        wanted.push(WantedKey { key, rank, revisit }).map_err(work)
    })?;
    if wanted.pushed() == 0 {
        return Ok(0);
    }
    // A filter needs no order, but the number of keys was not known before.
    let mut filter = BloomFilter::new(wanted.pushed(), engine.budget.reserve_share(1, 2));
    scope.each_revisit(|_, row| {
        if let Some((url, _)) = of_revisit(row) {
            filter.insert(keys.url(url));
        }
        Ok(())
    })?;
    let sorter =
        engine.sorter::<DocumentKey, _>(PHASE, "revisits-offered", scope.share_bytes, Keep);
    let mut offered = OfferedUrls {
        keys,
        filter,
        sorter: sorter.expecting(Prefixes::ALL),
    };
    offered.documents(scope)?;
    scope.each_revisit(|revisit, row| match originals.of(revisit)? {
        Some(doc) => offered.push(row.url, row.date, doc),
        None => Ok(()),
    })?;
    let offered = offered.sorter.finish().map_err(work)?;
    let wanted = wanted.finish().map_err(work)?;
    let best = matches(scope, wanted, offered, is_of_one_url)?;
    originals.take(best)
}

/// The URLs and dates of records whose bodies are known.
struct OfferedUrls {
    keys: KeyHasher,
    filter: BloomFilter,
    sorter: Sorter<DocumentKey, Keep>,
}

impl OfferedUrls {
    fn push(&mut self, url: Option<&str>, date: Option<i64>, doc: u32) -> Result<(), Error> {
        let (Some(url), Some(date)) = (url, date) else {
            return Ok(());
        };
        if !self.filter.may_have(self.keys.url(url)) {
            return Ok(());
        }
        let key = self.keys.url_at(url, date);
        let pushed = self.sorter.push(DocumentKey { key, doc });
        pushed.map_err(Error::work(PHASE))
    }

    /// All documents there are.
    fn documents(&mut self, scope: &SearchScope<'_>) -> Result<(), Error> {
        let work = Error::work(PHASE);
        for segment in 0..scope.segments.count() {
            scope.engine.disk.check_interrupt().map_err(work)?;
            let first = scope.segments.first_of(segment);
            let Some(mut rows) = scope.segments.open(segment, SegmentFile::Documents)? else {
                continue;
            };
            let mut doc = first;
            while let Some(DocumentRow { url, date, .. }) = rows.next().map_err(work)? {
                self.push(url, date, doc)?;
                doc += 1;
            }
        }
        Ok(())
    }
}
