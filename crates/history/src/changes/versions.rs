//! Document rows → versions of URLs in consecutive snapshots; what is gone; what is new.

use super::job::Job;
use super::outcome::NONE;
use engine::segments::{SegmentFile, Segments};
use model::{Words, record};
use publication::PHASE;
use runtime::Error;
use sketch::UrlKeys;
use sort::{Keep, Prefixes, SortedWords, Sorter};

/// ⟨key of a URL, snapshot, date, document⟩, ordered so: of one URL and snapshot the last stands
/// for it. 32 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Visit {
    key: u128,
    snapshot: u32,
    /// As in the row, the earliest there is for none.
    date: i64,
    doc: u32,
}

record! { Visit { key, snapshot, date, doc }, |visit| (visit.key >> 64) as u64 }

/// The URL was not in the snapshot before.
pub(super) const NEW: u32 = 0;
/// The URL was in the snapshot before, and not in the one before that.
pub(super) const COPY: u32 = 1;

/// What became of the documents that stand for URLs.
pub(super) struct Versions {
    /// ⟨older document, newer or [`NONE`], 1 if the URL was in the snapshot before, too⟩ of each
    /// URL of a snapshot that has a next one, by the older.
    pub(super) by_old: SortedWords<Words<3>>,
    /// ⟨document, [`NEW`] or [`COPY`]⟩ of each URL that a page of the snapshot before may have got.
    pub(super) appeared: SortedWords<Words<2>>,
}

/// State that the threads share.
struct ThreadContext<'a> {
    job: &'a Job<'a>,
    segments: Segments,
    keys: UrlKeys,
    visits: Sorter<Visit, Keep>,
}

impl ThreadContext<'_> {
    /// The work of one thread on its segments.
    fn feed(&self, segments: &mut dyn Iterator<Item = usize>) -> Result<(), Error> {
        let mut feeder = self.visits.feeder();
        for segment in segments {
            if !self
                .job
                .earlier
                .is_looked_at(self.job.snapshot_of(self.segments.first_of(segment)) as usize)
            {
                continue;
            }
            let mut rows = self.segments.rows_of(segment, SegmentFile::Documents);
            while let Some((doc, row)) = rows.next_document()? {
                if let Some(url) = row.url {
                    let (key, snapshot) = (self.keys.exact(url), self.job.snapshot_of(doc));
                    let visit = Visit {
                        key,
                        snapshot,
                        date: row.date.unwrap_or(i64::MIN),
                        doc,
                    };
                    feeder.push(visit)?;
                }
            }
        }
        feeder.finish().map_err(Error::from)
    }
}

/// Brings the documents of each URL together. Also says how many URLs each snapshot has that is
/// looked at.
pub(super) fn versions(job: &Job<'_>) -> Result<(Versions, Vec<u64>), Error> {
    let bytes = job.share_bytes * 3;
    let shared = ThreadContext {
        job,
        segments: job.engine.segments()?,
        keys: UrlKeys::of(&job.engine.config.sketch.keys),
        visits: job
            .engine
            .sorter::<Visit, _>(PHASE, "visits", bytes, Keep)
            .expecting(Prefixes::ALL),
    };
    shared
        .segments
        .in_every_thread(|segments| shared.feed(segments))?;
    let mut visits = shared.visits.finish()?;
    let (mut by_old, mut appeared) = (
        job.sorter::<Words<3>>("versions"),
        job.sorter::<Words<2>>("appeared"),
    );
    let mut urls = vec![0; job.spans.len()];
    // The visit before, and the first of the consecutive snapshots that have its URL.
    let mut before: Option<(Visit, u32)> = None;
    let mut next = visits.next()?;
    while let Some(visit) = next {
        next = visits.next()?;
        if next.is_some_and(|next| (next.key, next.snapshot) == (visit.key, visit.snapshot)) {
            continue;
        }
        if let Some(count) = urls.get_mut(visit.snapshot as usize) {
            *count += 1;
        }
        let place = visit.snapshot as usize;
        let is_old = |old: &Visit| old.key == visit.key && old.snapshot + 1 == visit.snapshot;
        let old = before.filter(|(old, _)| is_old(old));
        let since = old.map_or(visit.snapshot, |(_, since)| since);
        if place > 0 && job.earlier.is_wanted(place - 1) {
            let was_there = |old: &Visit| u32::from(since < old.snapshot);
            match &old {
                Some((old, _)) => by_old.push(Words([old.doc, visit.doc, was_there(old)])),
                None => appeared.push(Words([visit.doc, NEW])),
            }?;
            if place > 1 && since + 1 == visit.snapshot {
                appeared.push(Words([visit.doc, COPY]))?;
            }
        }
        let stays = |next: &Visit| next.key == visit.key && next.snapshot == visit.snapshot + 1;
        if job.earlier.is_wanted(place) && !next.as_ref().is_some_and(stays) {
            let was_there = u32::from(since < visit.snapshot);
            by_old.push(Words([visit.doc, NONE, was_there]))?;
        }
        before = Some((visit, since));
    }
    drop(visits);
    Ok((
        Versions {
            by_old: by_old.finish()?,
            appeared: appeared.finish()?,
        },
        urls,
    ))
}
