//! Gone and new documents → where the gone ones went: the documents of its classes, and
//! those linked with it.
//!
//! A document of the newer snapshot has *appeared* if its URL was not in the older one. If the gone
//! URL was in the snapshot before that, too, and the other one was not, then it was copied first
//! and removed a snapshot later: such a *copy* counts as well.
//!
//! Both sides are sorted by class and snapshot, so that of each class the lowest document that
//! appeared and their number are known when its gone ones come: nothing is paired that could be
//! many times many. Links are turned both ways, sorted by the side of the gone, then of the new,
//! then of the gone again.

use super::job::Job;
use super::outcome::{MOVED, MOVED_BY_LINK, Outcome, UNCOUNTED};
use super::version_classes::{COPY, GONE_OLD, GONE_YOUNG, MoveSide, REPRESENTED, of_class};
use clustering::write_links_among;
use engine::{DocumentSet, Error, ScratchDir, merge_levels::PairCounts};
use format::{LinkRecord, ScratchFile};
use model::LinkPolicy;
use model::{Equality, Keyed, Overlap, keyed, record, word_record};
use sort::{Lookup, SortedWords, WordSorter};
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A document that is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct GoneDocument {
    representative: u32,
    /// The older snapshot.
    snapshot: u32,
    doc: u32,
    /// Whether its URL was in the snapshot before the older one, too: copies count for it.
    was_before: bool,
}

record! { GoneDocument { representative, snapshot, doc, was_before } }
keyed! { GoneDocument: u32 = |gone| gone.representative }
keyed! { GoneDocument: [u32; 2] = |gone| [gone.representative, gone.snapshot] }

/// The documents of one representative that appeared at one snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct AppearedGroup {
    representative: u32,
    /// The older snapshot.
    snapshot: u32,
    documents: Appeared,
}

record! { AppearedGroup { representative, snapshot, documents } }
keyed! { AppearedGroup: [u32; 2] = |group| [group.representative, group.snapshot] }

/// Some documents that appeared: those that are new, or the copies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Appeared {
    are_copies: bool,
    lowest: u32,
    count: u32,
}

record! { Appeared { are_copies, lowest, count } }
word_record! { Appeared { are_copies, lowest, count } }

impl Appeared {
    fn add(&mut self, doc: u32) {
        self.lowest = if self.count == 0 { doc } else { self.lowest };
        self.count += 1;
    }
}

/// A link, from one of its ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct DirectedLink {
    from: u32,
    to: u32,
    overlap: Overlap,
}

word_record! { DirectedLink { from, to, overlap } }

/// A link of documents that are gone, by its other end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct LinkOfGone {
    to: u32,
    snapshot: u32,
    from: u32,
    overlap: Overlap,
}

word_record! { LinkOfGone { to, snapshot, from, overlap } }

/// A link from documents that are gone to some that appeared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct LinkToNew {
    from: u32,
    snapshot: u32,
    overlap: Overlap,
    documents: Appeared,
}

word_record! { LinkToNew { from, snapshot, overlap, documents } }
keyed! { LinkToNew: [u32; 2] = |link| [link.from, link.snapshot] }

/// Looks for all that is gone. Gives the older snapshots of the steps in which a copy counted.
pub(super) fn look(
    job: &Job<'_>,
    sides: SortedWords<MoveSide>,
    outcomes: &mut WordSorter<Outcome>,
) -> Result<BTreeSet<u32>, Error> {
    let mut with_copies = BTreeSet::new();
    let found = by_class(job, sides, outcomes, &mut with_copies)?;
    if found.gone.records() > 0 && found.appeared.records() > 0 {
        let of_gone = links_of_gone(job, &found)?;
        let linked = links_to_new(job, of_gone, &found)?;
        by_link(linked, &found, outcomes, &mut with_copies)?;
    }
    Ok(with_copies)
}

/// Both sides of moves, by their representatives and snapshots.
struct BothSides {
    gone: ScratchFile<GoneDocument>,
    appeared: ScratchFile<AppearedGroup>,
}

/// The documents of one class that appeared at one snapshot.
struct SameClassGroup {
    new: Appeared,
    copies: Appeared,
}

/// The documents to which one that is gone may have moved.
struct MoveCandidates {
    lowest: u32,
    count: u32,
    lowest_is_copy: bool,
}

impl SameClassGroup {
    fn candidates(&self, with_copies: bool) -> Option<MoveCandidates> {
        let SameClassGroup { new, copies } = self;
        let copied = if with_copies { copies.count } else { 0 };
        let lowest_is_copy = copied > 0 && (new.count == 0 || copies.lowest < new.lowest);
        let count = new.count + copied;
        (count > 0).then_some(MoveCandidates {
            lowest: if lowest_is_copy {
                copies.lowest
            } else {
                new.lowest
            },
            count,
            lowest_is_copy,
        })
    }
}

/// Finds for the gone ones those that appeared in their classes. Gives both sides, for links.
fn by_class(
    job: &Job<'_>,
    sides: SortedWords<MoveSide>,
    outcomes: &mut WordSorter<Outcome>,
    with_copies: &mut BTreeSet<u32>,
) -> Result<BothSides, Error> {
    let mut sizes = job.engine.sizes()?;
    let mut gone = job.file("gone-docs")?;
    let mut appeared = job.file("appeared-groups")?;
    let mut sides = Lookup::over(sides)?;
    while let Some(first) = sides.peek() {
        let MoveSide {
            lowest,
            which,
            snapshot,
            ..
        } = first;
        let mut group = SameClassGroup {
            new: Appeared::default(),
            copies: Appeared {
                are_copies: true,
                ..Appeared::default()
            },
        };
        let key: [u32; 3] = first.key();
        while let Some(MoveSide { side, doc, .. }) = sides.next_of(key)? {
            if side < GONE_YOUNG {
                let documents = if side == COPY {
                    &mut group.copies
                } else {
                    &mut group.new
                };
                documents.add(doc);
                continue;
            }
            let was_before = side == GONE_OLD;
            if which == REPRESENTED {
                gone.push(&GoneDocument {
                    representative: lowest,
                    snapshot,
                    doc,
                    was_before,
                })?;
            } else if let Some(candidates) = group.candidates(was_before) {
                let overlap = match which == Equality::Shingle as u32 {
                    true => of_class(job, &mut sizes, lowest)?,
                    false => UNCOUNTED,
                };
                outcomes.push(Outcome {
                    doc,
                    kind: MOVED + which,
                    other: candidates.lowest,
                    candidates: candidates.count,
                    overlap,
                    is_copy: candidates.lowest_is_copy,
                })?;
                if was_before && group.copies.count > 0 {
                    with_copies.insert(snapshot);
                }
            }
        }
        for documents in [group.new, group.copies] {
            if which == REPRESENTED && documents.count > 0 {
                appeared.push(&AppearedGroup {
                    representative: lowest,
                    snapshot,
                    documents,
                })?;
            }
        }
    }
    Ok(BothSides {
        gone: gone.finish()?,
        appeared: appeared.finish()?,
    })
}

/// The representatives of documents that appeared; `None` if the set does not fit the memory.
fn appeared(job: &Job<'_>, found: &BothSides) -> Result<Option<DocumentSet>, Error> {
    let ScratchDir {
        budget, documents, ..
    } = &job.scratch;
    let Some(mut appeared) = DocumentSet::new(budget, *documents) else {
        return Ok(None);
    };
    let mut groups = found.appeared.read()?;
    while let Some(group) = groups.next()? {
        appeared.add(group.representative);
    }
    Ok(Some(appeared))
}

/// Pairs of enough resemblance of a gone one with one that appeared, for each snapshot that it is
/// gone from.
fn links_of_gone(job: &Job<'_>, found: &BothSides) -> Result<SortedWords<LinkOfGone>, Error> {
    let policy = LinkPolicy {
        resemblance: job.engine.config.moved(),
        containment: None,
        ..job.engine.config.cluster.link_policy()
    };
    let pairs = match appeared(job, found)? {
        Some(appeared) => PairCounts::with_one_of(job.engine, Arc::new(appeared))?,
        None => job.engine.pair_counts()?,
    };
    let mut links = job.file::<LinkRecord>("links")?;
    write_links_among(job.engine, &policy, pairs, links.as_writer())?;
    let links = links.finish()?;
    let mut directed = job.sorter("directed");
    let mut reader = links.read()?;
    while let Some(link) = reader.next()? {
        let overlap = link.overlap();
        directed.push(DirectedLink {
            from: link.a,
            to: link.b,
            overlap,
        })?;
        directed.push(DirectedLink {
            from: link.b,
            to: link.a,
            overlap: overlap.reversed(),
        })?;
    }
    drop((reader, links));
    let mut directed = directed.finish()?;
    let mut gone = Lookup::over(found.gone.read()?)?;
    let mut of_gone = job.sorter("asked");
    // The snapshots that documents of the last representative are gone from.
    let (mut of, mut snapshots) = (None, Vec::new());
    while let Some(DirectedLink { from, to, overlap }) = directed.next()? {
        if of.replace(from) != Some(from) {
            snapshots.clear();
            while let Some(GoneDocument { snapshot, .. }) = gone.next_of(from)? {
                if snapshots.last() != Some(&snapshot) {
                    snapshots.push(snapshot);
                }
            }
        }
        for &snapshot in &snapshots {
            of_gone.push(LinkOfGone {
                to,
                snapshot,
                from,
                overlap,
            })?;
        }
    }
    Ok(of_gone.finish()?)
}

/// The links whose other side has documents that appeared.
fn links_to_new(
    job: &Job<'_>,
    mut of_gone: SortedWords<LinkOfGone>,
    found: &BothSides,
) -> Result<SortedWords<LinkToNew>, Error> {
    let mut appeared = Lookup::over(found.appeared.read()?)?;
    // The groups of the last representative and snapshot that were asked for.
    let (mut of, mut groups) = (None, Vec::new());
    let mut to_new = job.sorter("linked");
    while let Some(link) = of_gone.next()? {
        let wanted = [link.to, link.snapshot];
        if of.replace(wanted) != Some(wanted) {
            appeared.all_of(wanted, &mut groups)?;
        }
        for AppearedGroup { documents, .. } in &groups {
            to_new.push(LinkToNew {
                from: link.from,
                snapshot: link.snapshot,
                overlap: link.overlap,
                documents: *documents,
            })?;
        }
    }
    Ok(to_new.finish()?)
}

/// The best of some links, and how many documents they lead to.
#[derive(Clone, Copy, Default)]
struct BestLink {
    best: Option<LinkToNew>,
    candidates: u32,
}

impl BestLink {
    fn add(&mut self, link: &LinkToNew) {
        let rank = |link: &LinkToNew| {
            let lowest = Reverse(link.documents.lowest);
            (link.overlap.shared_of_union(), lowest)
        };
        self.candidates = self.candidates.saturating_add(link.documents.count);
        if self.best.is_none_or(|best| rank(link) > rank(&best)) {
            self.best = Some(*link);
        }
    }
}

/// Finds the best link of each gone one.
fn by_link(
    linked: SortedWords<LinkToNew>,
    found: &BothSides,
    outcomes: &mut WordSorter<Outcome>,
    with_copies: &mut BTreeSet<u32>,
) -> Result<(), Error> {
    let mut gone = Lookup::over(found.gone.read()?)?;
    let mut linked = Lookup::over(linked)?;
    while let Some(LinkToNew { from, snapshot, .. }) = linked.peek() {
        let (mut to_new, mut to_any) = (BestLink::default(), BestLink::default());
        while let Some(link) = linked.next_of([from, snapshot])? {
            to_any.add(&link);
            if !link.documents.are_copies {
                to_new.add(&link);
            }
        }
        while let Some(one) = gone.next_of([from, snapshot])? {
            let links = if one.was_before { to_any } else { to_new };
            let Some(best) = links.best else { continue };
            outcomes.push(Outcome {
                doc: one.doc,
                kind: MOVED_BY_LINK,
                other: best.documents.lowest,
                candidates: links.candidates,
                overlap: best.overlap,
                is_copy: best.documents.are_copies,
            })?;
            if links.candidates > to_new.candidates {
                with_copies.insert(snapshot);
            }
        }
    }
    Ok(())
}
