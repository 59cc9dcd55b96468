//! Document rows → documents by the keys of their URLs and ids, of one URL the newest last.
//!
//! Threads take segments, read their rows, and feed one sort, each through a feeder of its own. The
//! newer of two versions is decided by the snapshot, within one by the date of the document, where
//! the input has one, then by its number; a document without a date is older than any with.
//! Snapshot and date are sorted by, and not written: 24 bytes a URL and an id are sorted for 12.

use crate::PHASE;
use crate::memory;
use engine::{
    Engine, Error,
    segments::{SegmentFile, Segments},
};
use format::{RecordWriter, Sealed, UrlRecord};
use model::record;
use sketch::UrlKeys;
use sort::{KeepAll, Prefixes, Sorter};
use std::sync::atomic::{AtomicU64, Ordering};

/// Marks keys of ids, in the lowest bit beside the number of a snapshot, which has 31.
const ID: u32 = 1;

/// ⟨key of a URL or id, snapshot and kind, date, document⟩, ordered so. 24 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct DatedUrl {
    key: u64,
    snapshot_and_kind: u32,
    /// As in the row, the earliest there is for none.
    date: i64,
    doc: u32,
}

impl DatedUrl {
    fn undated(self) -> UrlRecord {
        UrlRecord {
            key: self.key,
            doc: self.doc,
        }
    }
}

record! { DatedUrl { key, doc, snapshot_and_kind, date }, |url| url.key }

/// State that the threads share.
struct UrlContext<'a> {
    segments: &'a Segments,
    keys: UrlKeys,
    sorter: Sorter<DatedUrl, KeepAll>,
    below_min_words: AtomicU64,
}

/// The map, and what is found while it is made.
pub struct UrlMap {
    pub(super) sealed: Sealed,
    /// Ids that stand at more than one document of a snapshot.
    pub repeated_ids: u64,
    /// Pages with words, but without a shingle: their main part is too short.
    pub below_min_words: u64,
}

/// Writes the map; documents without URL and id are not in it.
pub(super) fn urls(
    engine: &Engine<'_>,
    mut writer: RecordWriter<UrlRecord>,
) -> Result<UrlMap, Error> {
    let memory = engine.budget.take(memory::URLS);
    let sorter = engine.sorter::<DatedUrl, _>(PHASE, "urls", memory.bytes(), KeepAll);
    let shared = UrlContext {
        segments: &engine.segments()?,
        keys: UrlKeys::of(&engine.config.sketch.keys),
        sorter: sorter.expecting(Prefixes::ALL),
        below_min_words: AtomicU64::new(0),
    };
    shared
        .segments
        .in_every_thread(|segments| shared.feed(segments))?;
    let mut sorted = shared.sorter.finish()?;
    let (mut repeated_ids, mut last, mut is_counted) = (0, None, false);
    while let Some(records) = sorted.next_slice()? {
        for record in records {
            let (key, kind) = (record.key, record.snapshot_and_kind);
            let is_repeated = last.replace((key, kind)) == Some((key, kind)) && kind & ID == ID;
            repeated_ids += u64::from(is_repeated && !is_counted);
            is_counted = is_repeated;
            writer.push(&record.undated())?;
        }
    }
    Ok(UrlMap {
        sealed: writer.finish()?,
        repeated_ids,
        below_min_words: shared.below_min_words.into_inner(),
    })
}

impl UrlContext<'_> {
    /// The work of one thread on its segments.
    fn feed(&self, segments: &mut dyn Iterator<Item = usize>) -> Result<(), Error> {
        let mut feeder = self.sorter.feeder();
        let (mut form, mut bare) = (Vec::new(), 0);
        for segment in segments {
            let (snapshot, _) = self.segments.place(segment);
            let mut rows = self.segments.rows_of(segment, SegmentFile::Documents);
            while let Some((doc, row)) = rows.next_document()? {
                bare += u64::from(row.words > 0 && row.shingles == 0);
                let url = row.url.map(|url| self.keys.key(url, &mut form));
                let id = row.id.map(|id| self.keys.of_id(id));
                for (key, kind) in [(url, 0), (id, ID)] {
                    let Some(key) = key else { continue };
                    let dated = DatedUrl {
                        key,
                        snapshot_and_kind: snapshot << 1 | kind,
                        date: row.date.unwrap_or(i64::MIN),
                        doc,
                    };
                    feeder.push(dated)?;
                }
            }
        }
        self.below_min_words.fetch_add(bare, Ordering::Relaxed);
        feeder.finish().map_err(Error::from)
    }
}
