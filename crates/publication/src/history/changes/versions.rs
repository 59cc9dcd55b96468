//! Document rows → versions of URLs in consecutive snapshots; what is gone; what is new.

use super::job::Job;
use crate::PHASE;
use engine::{Error, segments::SegmentFile};
use model::{record, word_record};
use sketch::UrlKeys;
use sort::{KeepAll, Prefixes, SortedWords};

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

/// A URL of a snapshot that has a next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct OldUrl {
    pub(super) doc: u32,
    /// Whether the URL is not in the next snapshot.
    pub(super) is_gone: bool,
    /// Its document in the next snapshot; 0 if it is gone.
    pub(super) newer: u32,
    /// Whether the URL was in the snapshot before, too.
    pub(super) was_before: bool,
}

word_record! { OldUrl { doc, is_gone, newer, was_before } }

/// A URL that a page of the snapshot before may have got.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct AppearedUrl {
    pub(super) doc: u32,
    /// Whether the URL was in the snapshot before, and not in the one before that; else it was not
    /// in the snapshot before.
    pub(super) is_copy: bool,
}

word_record! { AppearedUrl { doc, is_copy } }

/// The fates of the documents that stand for URLs.
pub(super) struct Versions {
    /// The URLs of all snapshots that have a next one, by their documents.
    pub(super) old: SortedWords<OldUrl>,
    pub(super) appeared: SortedWords<AppearedUrl>,
}

/// Brings the documents of each URL together. Also says how many URLs each snapshot has that is
/// looked at.
pub(super) fn versions(job: &Job<'_>) -> Result<(Versions, Vec<u64>), Error> {
    let bytes = job.share_bytes * 3;
    let visits = job
        .engine
        .sorter::<Visit, _>(PHASE, "visits", bytes, KeepAll);
    let visits = visits.expecting(Prefixes::ALL);
    let segments = job.engine.segments()?;
    let keys = UrlKeys::of(&job.engine.config.sketch.keys);
    segments.in_every_thread(|some| {
        let mut feeder = visits.feeder();
        for segment in some {
            let place = job.snapshot_of(segments.first_of(segment)) as usize;
            if !job.earlier.is_looked_at(place) {
                continue;
            }
            let mut rows = segments.rows_of(segment, SegmentFile::Documents);
            while let Some((doc, row)) = rows.next_document()? {
                if let Some(url) = row.url {
                    feeder.push(Visit {
                        key: keys.exact(url),
                        snapshot: job.snapshot_of(doc),
                        date: row.date.unwrap_or(i64::MIN),
                        doc,
                    })?;
                }
            }
        }
        Ok::<(), Error>(feeder.finish()?)
    })?;
    let mut visits = visits.finish()?;
    let (mut olds, mut appeared) = (
        job.sorter::<OldUrl>("versions"),
        job.sorter::<AppearedUrl>("appeared"),
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
            match old {
                Some((old, _)) => olds.push(OldUrl {
                    doc: old.doc,
                    is_gone: false,
                    newer: visit.doc,
                    was_before: since < old.snapshot,
                })?,
                None => appeared.push(AppearedUrl {
                    doc: visit.doc,
                    is_copy: false,
                })?,
            }
            if place > 1 && since + 1 == visit.snapshot {
                appeared.push(AppearedUrl {
                    doc: visit.doc,
                    is_copy: true,
                })?;
            }
        }
        let stays = |next: &Visit| next.key == visit.key && next.snapshot == visit.snapshot + 1;
        if job.earlier.is_wanted(place) && !next.as_ref().is_some_and(stays) {
            olds.push(OldUrl {
                doc: visit.doc,
                is_gone: true,
                newer: 0,
                was_before: since < visit.snapshot,
            })?;
        }
        before = Some((visit, since));
    }
    drop(visits);
    Ok((
        Versions {
            old: olds.finish()?,
            appeared: appeared.finish()?,
        },
        urls,
    ))
}
