//! Finds the document that succeeds a document in another snapshot.
//!
//! *Algorithm.* As phase `index` decides it for all documents: a document of the same URL; else the
//! best of the documents whose URLs appeared and that are in a class with it or linked to it. A URL
//! has appeared if it was not in the old snapshot, or not in the one before that, which had the URL
//! of the old document. Linked documents are found in the postings of its sketch, because the file
//! of links is in order of the lower document only. *Memory.* The representatives that share a
//! shingle, and the documents of one URL.

use super::damaged;
use super::open::line;
use format::{LinkRecord, SnapshotSpan};
use model::{Equality, Interval, Ratio, Threshold};
use query::Index;
use runtime::Error;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// The successor of a document.
#[derive(Clone, Copy, Debug)]
pub(super) struct Successor {
    pub(super) doc: u32,
    /// The narrowest class of both, `similar`, or `changed`.
    pub(super) class: &'static str,
    pub(super) resemblance: f64,
    pub(super) interval: Interval,
    /// Whether its URL appeared while the old one was there still.
    pub(super) is_copy: bool,
    /// Its rank among candidates: the lowest is the best.
    rank: (u32, Reverse<Ratio>, u32),
}

/// The documents that stand for a URL in each snapshot.
pub(super) fn standing(index: &Index, url: &str) -> Result<Vec<Option<u32>>, Error> {
    let found = index.docs_of_url(url, usize::MAX).map_err(damaged)?;
    let snapshots = index.snapshots();
    let mut standing = vec![None; snapshots.len()];
    // The newest first: of each snapshot the first one counts.
    for doc in found.docs {
        let at = snapshots
            .partition_point(|snapshot| snapshot.first <= doc)
            .saturating_sub(1);
        if let Some(slot) = standing.get_mut(at) {
            slot.get_or_insert(doc);
        }
    }
    Ok(standing)
}

/// How a document relates to an older one. Common shingles do not count, as in `changes.parquet`;
/// the counts are exact if the run compared the two.
pub(super) fn between(index: &Index, old: u32, doc: u32) -> Result<Successor, Error> {
    let mut relation = index.relation(old, doc).map_err(damaged)?;
    let mut is_linked = false;
    if relation.equality.is_none() {
        let (a, b) = (representative(index, old)?, representative(index, doc)?);
        let link = index.link(a, b).map_err(damaged)?;
        let reaches = |bit| link.is_some_and(|link| link.reached & bit != 0);
        is_linked = reaches(LinkRecord::RESEMBLANCE) && !reaches(LinkRecord::CROWD);
        if let Some(exact) = index.settled(a, b).map_err(damaged)? {
            relation.overlap = exact;
        } else if reaches(LinkRecord::CROWD) {
            relation.overlap = index.overlap(a, b).map_err(damaged)?;
        }
    }
    let (resemblance, interval) = relation.resemblance();
    let class = match relation.equality {
        Some(equality) => equality.name(),
        None if is_linked => "similar",
        None => "changed",
    };
    let place = relation
        .equality
        .map_or(Equality::ALL.len(), |equality| equality as usize);
    let ratio = if relation.equality.is_some() {
        Ratio::new(1, 1)
    } else {
        relation.overlap.shared_of_union()
    };
    Ok(Successor {
        doc,
        class,
        resemblance,
        interval,
        is_copy: false,
        rank: (place as u32, Reverse(ratio), doc),
    })
}

fn representative(index: &Index, doc: u32) -> Result<u32, Error> {
    Ok(index.class(doc).map_err(damaged)?.representative())
}

/// Representatives that resemble one enough to have got its content.
fn resembling(index: &Index, representative: u32) -> Result<Vec<u32>, Error> {
    let (moved, min_shared) = move_policy(index);
    let mut sharing = BTreeSet::new();
    for shingle in index.sketch(representative).map_err(damaged)?.fingerprints {
        if index.common(shingle).map_err(damaged)?.is_none() {
            for posting in index.postings(shingle).map_err(damaged)?.iter() {
                sharing.insert(posting.map_err(damaged)?.doc);
            }
        }
    }
    sharing.remove(&representative);
    let mut resembling = Vec::new();
    for other in sharing {
        let overlap = match index.settled(representative, other).map_err(damaged)? {
            Some(exact) => exact,
            None => index.overlap(representative, other).map_err(damaged)?,
        };
        if overlap.shared >= min_shared && moved.reached_by(overlap.shared_of_union()) {
            resembling.push(other);
        }
    }
    Ok(resembling)
}

/// The resemblance, and the shared shingles, at which the run said that a page moved.
fn move_policy(index: &Index) -> (Threshold, u32) {
    let value = |key| line(index.parameters(), key);
    let moved = value("moved").and_then(|value| Threshold::from_f64(value.parse().ok()?).ok());
    let min_shared = value("min-shared").and_then(|value| value.parse().ok());
    let moved = moved.unwrap_or(Threshold::hundredths(100));
    (moved, min_shared.unwrap_or(1))
}

/// Where the content of a document went that was in the snapshot at `from`: the best document of
/// the one at `to`, and how many qualify. `lost` are the documents of its URL in each snapshot.
pub(super) fn moved(
    index: &Index,
    lost: &[Option<u32>],
    [from, to]: [usize; 2],
) -> Result<Option<(Successor, u64)>, Error> {
    let Some(old) = lost.get(from).copied().flatten() else {
        return Ok(None);
    };
    let before = from.checked_sub(1).filter(|before| lost[*before].is_some());
    let representative = representative(index, old)?;
    let (mut best, mut candidates): (Option<Successor>, u64) = (None, 0);
    let mut representatives = resembling(index, representative)?;
    representatives.push(representative);
    let Some(snapshot) = index.snapshots().get(to) else {
        return Ok(None);
    };
    for representative in representatives {
        each_of_class(index, representative, snapshot, &mut |doc| {
            let Some(url) = index.url(doc).map_err(damaged)? else {
                return Ok(());
            };
            let standing = standing(index, &url)?;
            let is_in = |at: usize| standing.get(at).is_some_and(Option::is_some);
            let is_copy = is_in(from) && before.is_some_and(|before| !is_in(before));
            if standing.get(to) != Some(&Some(doc)) || is_in(from) && !is_copy {
                return Ok(());
            }
            candidates += 1;
            let successor = Successor {
                is_copy,
                ..between(index, old, doc)?
            };
            if best.is_none_or(|best| successor.rank < best.rank) {
                best = Some(successor);
            }
            Ok(())
        })?;
    }
    Ok(best.map(|best| (best, candidates)))
}

/// The documents of a snapshot that a representative stands for, itself among them.
fn each_of_class(
    index: &Index,
    representative: u32,
    snapshot: &SnapshotSpan,
    take: &mut dyn FnMut(u32) -> Result<(), Error>,
) -> Result<(), Error> {
    let docs = snapshot.first..snapshot.first.saturating_add(snapshot.documents);
    if docs.contains(&representative) {
        take(representative)?;
    }
    let others = index.class_documents(representative).map_err(damaged)?;
    let (mut low, mut high) = (0, others.len());
    while low < high {
        let middle = low + (high - low) / 2;
        if others.get(middle).map_err(damaged)?.doc < docs.start {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for at in low..others.len() {
        let doc = others.get(at).map_err(damaged)?.doc;
        if doc >= docs.end {
            break;
        }
        take(doc)?;
    }
    Ok(())
}
