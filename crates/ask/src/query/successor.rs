//! Finds the document that succeeds a document in another snapshot.
//!
//! *Algorithm.* As phase `index` decides it for all documents: a document of the same URL; else the
//! best of the documents whose URLs appeared and that are in a class with it or resemble it. A URL
//! has appeared if it was not in the old snapshot, or not in the one before that, which had the URL
//! of the old document. Documents that resemble it are found in the postings of its sketch. Those
//! of a common shingle are not read: then those of its cluster are compared, of which the run did
//! not judge all pairs, so candidates may differ from those of `moved.parquet`. *Memory.* The
//! representatives that share a shingle or the cluster, and the documents of one URL.

use crate::index::Index;
use crate::index::line;
use engine::Error;
use format::SnapshotSpan;
use model::{Equality, Interval, Overlap, Ratio, Threshold};
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
    let found = index.docs_of_url(url, usize::MAX)?;
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

/// How a document relates to an older one. The counts are exact if the run compared the two.
pub(super) fn between(index: &Index, old: u32, doc: u32) -> Result<Successor, Error> {
    let mut relation = index.relation(old, doc)?;
    let mut is_similar = false;
    if relation.equality.is_none() {
        let (a, b) = (representative(index, old)?, representative(index, doc)?);
        if let Some(exact) = index.settled(a, b)? {
            relation.overlap = exact;
        }
        is_similar = reaches(index, "resemblance", &relation.overlap);
    }
    let (resemblance, interval) = relation.resemblance();
    let none = Equality::ALL.len();
    let (class, place, ratio) = match relation.equality {
        Some(equality) => (equality.name(), equality as usize, Ratio::new(1, 1)),
        None if is_similar => ("similar", none, relation.overlap.shared_of_union()),
        None => ("changed", none, relation.overlap.shared_of_union()),
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
    Ok(index.class(doc)?.representative())
}

/// Representatives that resemble one enough to have got its content: of those that share a shingle
/// that is not common, and of its cluster if it has a common one.
fn resembling(index: &Index, representative: u32) -> Result<Vec<u32>, Error> {
    let mut sharing = BTreeSet::new();
    let mut has_common = false;
    for shingle in index.sketch(representative)?.fingerprints {
        if index.common(shingle)?.is_some() {
            has_common = true;
            continue;
        }
        for posting in index.postings(shingle)?.iter() {
            sharing.insert(posting?.doc);
        }
    }
    if has_common {
        let cluster = index.member(representative)?.cluster;
        for doc in index.cluster_documents(cluster)?.iter() {
            let class = index.class(doc?.doc)?;
            sharing.insert(class.representative());
        }
    }
    sharing.remove(&representative);
    let mut resembling = Vec::new();
    for other in sharing {
        let overlap = match index.settled(representative, other)? {
            Some(exact) => exact,
            None => index.overlap(representative, other)?,
        };
        if reaches(index, "moved", &overlap) {
            resembling.push(other);
        }
    }
    Ok(resembling)
}

/// Whether two documents reach a threshold of the run and share as many shingles as it asked for.
fn reaches(index: &Index, threshold: &str, overlap: &Overlap) -> bool {
    let value = |key| line(index.parameters(), key);
    let least = value(threshold).and_then(|value| Threshold::from_f64(value.parse().ok()?).ok());
    let least = least.unwrap_or(Threshold::hundredths(100));
    let min_shared = value("min-shared").and_then(|value| value.parse().ok());
    overlap.shared >= min_shared.unwrap_or(1).max(1) && least.reached_by(overlap.shared_of_union())
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
            let Some(url) = index.url(doc)? else {
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
    let others = index.class_documents(representative)?;
    let (mut low, mut high) = (0, others.len());
    while low < high {
        let middle = low + (high - low) / 2;
        if others.get(middle)?.doc < docs.start {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for at in low..others.len() {
        let doc = others.get(at)?.doc;
        if doc >= docs.end {
            break;
        }
        take(doc)?;
    }
    Ok(())
}
