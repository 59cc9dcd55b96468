//! Document rows → documents by the keys of their URLs.
//!
//! Threads take segments, read their rows, and feed one sort, each through a feeder of its own.

use super::{Maps, PHASE};
use crate::Error;
use crate::segments::{SegmentFile, Segments};
use format::{Sealed, UrlRecord};
use query::{IndexFile, UrlKeys};
use sort::{Keep, Prefixes, Sorter};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// What the threads share.
struct Shared<'a> {
    segments: &'a Segments,
    keys: UrlKeys,
    sorter: Sorter<UrlRecord, Keep>,
    next: AtomicUsize,
    failed: AtomicBool,
}

/// Writes the map; documents without URL are not in it.
pub(super) fn urls(maps: &Maps<'_>, segments: &Segments) -> Result<Sealed, Error> {
    let work = Error::work(PHASE);
    let memory = maps.engine.budget.reserve_share(7, 8);
    let sorter = maps.engine.sorter::<UrlRecord, _>(PHASE, "urls", memory.bytes(), Keep).expecting(Prefixes::ALL);
    let keys = UrlKeys::of(&maps.engine.config.sketch.keys);
    let shared = Shared { segments, keys, sorter, next: AtomicUsize::new(0), failed: AtomicBool::new(false) };
    let fed = rayon::broadcast(|_| shared.feed().inspect_err(|_| shared.failed.store(true, Ordering::Relaxed)));
    fed.into_iter().collect::<Result<(), Error>>()?;
    let mut sorted = shared.sorter.finish().map_err(work)?;
    let mut writer = maps.writer::<UrlRecord>(IndexFile::Urls)?;
    while let Some(records) = sorted.next_slice().map_err(work)? {
        writer.push_all(records).map_err(work)?;
    }
    writer.finish().map_err(work)
}

impl Shared<'_> {
    /// What one thread does: segment after segment until none is left.
    fn feed(&self) -> Result<(), Error> {
        let mut feeder = self.sorter.feeder();
        let mut form = Vec::new();
        loop {
            let segment = self.next.fetch_add(1, Ordering::Relaxed);
            if segment >= self.segments.count() || self.failed.load(Ordering::Relaxed) {
                break;
            }
            let mut rows = self.segments.rows_of(segment, SegmentFile::Documents);
            while let Some((doc, row)) = rows.next_document()? {
                if let Some(url) = row.url {
                    let key = self.keys.key(url, &mut form);
                    feeder.push(UrlRecord { key, doc }).map_err(Error::work(PHASE))?;
                }
            }
        }
        feeder.finish().map_err(Error::work(PHASE))
    }
}
