//! Finds the original of each revisit: the document that has its body.
//!
//! *Algorithm.* The first round looks for originals among the documents. Each further round looks
//! among the revisits whose original is known, which stand for it: so a revisit may refer to
//! another one. A round sorts the keys of both sides and [merges](super::originals) them. When no
//! reference leads further, revisits without any reference are looked for
//! [by their URLs](super::by_url).

use super::by_url;
use super::keys::{BloomFilter, KeyHasher, RecordNames};
use super::originals::{Originals, matches};
use super::records::WantedKey;
use super::scope::SearchScope;
use crate::sketch::planned_segment::PHASE;
use distinct::DocumentKey;
use engine::cells::SpillableCells;
use engine::segments::SegmentFile;
use format::{DocumentRow, PayloadRecord};
use runtime::Error;
use sort::{Keep, Prefixes, Sorter};

/// Revisits that refer to revisits are followed so often.
pub(super) const ROUNDS_MAX: u32 = 16;

/// Finds the originals.
pub(super) fn find(scope: &SearchScope<'_>) -> Result<Originals, Error> {
    let work = Error::work(PHASE);
    let engine = scope.engine;
    let revisits = scope.each_revisit(|_, _| Ok(()))?;
    let path = engine.dir(PHASE).join("revisits.run-cells");
    let cells = SpillableCells::create(&engine.disk, &path, revisits as usize, &engine.budget)
        .map_err(work)?;
    let mut originals = Originals { cells, revisits };
    let mut missing = u64::from(revisits);
    let mut is_by_url = false;
    for round in 0..ROUNDS_MAX {
        engine.disk.check_interrupt().map_err(work)?;
        let resolved = if is_by_url {
            by_url::resolve(scope, &mut originals)?
        } else {
            resolve_round(scope, &mut originals, round)?
        };
        missing -= resolved;
        if missing == 0 || (is_by_url && resolved == 0) {
            break;
        }
        is_by_url = resolved == 0;
    }
    Ok(originals)
}

/// One round; gives how many originals it found.
fn resolve_round(
    scope: &SearchScope<'_>,
    originals: &mut Originals,
    round: u32,
) -> Result<u64, Error> {
    let work = Error::work(PHASE);
    let engine = scope.engine;
    let keys = KeyHasher {
        seed: engine.config.sketch.params().keys.content_seed(),
    };
    let sorter = engine.word_sorter::<WantedKey>(PHASE, "revisits-wanted", scope.share_bytes);
    let mut wanted = sorter.expecting(Prefixes::ALL);
    let mut failed = Ok(());
    scope.each_revisit(|revisit, row| {
        if originals.of(revisit)?.is_none() {
            keys.of_revisit(row, |rank, key| {
                let pushed = wanted.push(WantedKey { key, rank, revisit });
                failed = std::mem::replace(&mut failed, Ok(())).and(pushed);
            });
        }
        std::mem::replace(&mut failed, Ok(())).map_err(work)
    })?;
    // A filter needs no order, but the keys are not known before; so they are made twice.
    let mut filter = BloomFilter::new(wanted.pushed(), engine.budget.reserve_share(1, 2));
    scope.each_revisit(|revisit, row| {
        if originals.of(revisit)?.is_none() {
            keys.of_revisit(row, |_, key| filter.insert(key));
        }
        Ok(())
    })?;
    let sorter =
        engine.sorter::<DocumentKey, _>(PHASE, "revisits-offered", scope.share_bytes, Keep);
    let mut offered = OfferedKeys {
        keys,
        filter,
        sorter: sorter.expecting(Prefixes::ALL),
    };
    if round == 0 {
        offered.documents(scope)?;
    } else {
        scope.each_revisit(|revisit, row| {
            let Some(doc) = originals.of(revisit)? else {
                return Ok(());
            };
            offered.push(
                &RecordNames {
                    id: row.id,
                    url: row.url,
                    date: row.date,
                    payload: row.payload,
                },
                doc,
            )
        })?;
    }
    let offered = offered.sorter.finish().map_err(work)?;
    let wanted = wanted.finish().map_err(work)?;
    let best = matches(scope, wanted, offered, |wanted, offered| wanted == offered)?;
    originals.take(best)
}

/// The keys of documents that a revisit may look for.
struct OfferedKeys {
    keys: KeyHasher,
    filter: BloomFilter,
    sorter: Sorter<DocumentKey, Keep>,
}

impl OfferedKeys {
    fn push(&mut self, names: &RecordNames<'_>, doc: u32) -> Result<(), Error> {
        let mut pushed = Ok(());
        let OfferedKeys {
            keys,
            filter,
            sorter,
        } = self;
        keys.of_document(names, |key| {
            if filter.may_have(key) && pushed.is_ok() {
                pushed = sorter.push(DocumentKey { key, doc });
            }
        });
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
            let mut payloads = scope
                .segments
                .open_records::<PayloadRecord>(segment, SegmentFile::Payloads)?;
            let mut next = payloads
                .as_mut()
                .map_or(Ok(None), |reader| reader.next())
                .map_err(work)?;
            let mut doc = 0;
            while let Some(DocumentRow { id, url, date, .. }) = rows.next().map_err(work)? {
                let payload = next
                    .filter(|record| record.doc == doc)
                    .map(|record| record.payload);
                self.push(
                    &RecordNames {
                        id,
                        url,
                        date,
                        payload,
                    },
                    first + doc,
                )?;
                if payload.is_some() {
                    next = payloads
                        .as_mut()
                        .map_or(Ok(None), |reader| reader.next())
                        .map_err(work)?;
                }
                doc += 1;
            }
        }
        Ok(())
    }
}
