//! What is gone and what has appeared → where the gone went: the documents of its classes, and
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
use super::outcome::{MOVED, MOVED_BY_LINK, Outcome, counted, equal};
use super::version_classes::{GONE_OLD, GONE_YOUNG, MoveSide, REPRESENTED, of_class};
use super::versions::{COPY, NEW};
use cluster::LinkPolicy;
use clustering::write_links_among;
use engine::merge_levels::PairCounts;
use engine::{DocumentSet, SizeLookup};
use format::{LinkRecord, RecordReader};
use model::{Equality, Overlap, Words};
use runtime::Error;
use sort::{SortedWords, WordSorter};
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::Arc;

/// ⟨representative of gone ones, older snapshot⟩.
type GoneGroup = Words<2>;
/// ⟨representative, older snapshot, [`NEW`] or [`COPY`], lowest of them, how many⟩.
type AppearedGroup = Words<5>;
/// ⟨representative, older snapshot, gone document, [`GONE_YOUNG`] or [`GONE_OLD`]⟩.
type GoneDoc = Words<4>;
/// ⟨representative, the other one, shared, sizes of both, modulus⟩.
type DirectedLink = Words<6>;
/// ⟨representative of new ones, older snapshot, representative of gone ones, shared, sizes of gone
/// and new, modulus⟩.
type LinkOfGone = Words<7>;
/// ⟨representative of gone ones, older snapshot, shared, sizes of gone and new, modulus, [`NEW`] or
/// [`COPY`], lowest of them, how many⟩.
type LinkToNew = Words<9>;

/// Looks for all that is gone. Gives the older snapshots of the steps in which a copy counted.
pub(super) fn look(
    job: &Job<'_>,
    sides: SortedWords<MoveSide>,
    outcomes: &mut WordSorter<Outcome>,
) -> Result<BTreeSet<u32>, Error> {
    let mut with_copies = BTreeSet::new();
    if by_class(job, sides, outcomes, &mut with_copies)? {
        let of_gone = links_of_gone(job)?;
        by_link(job, links_to_new(job, of_gone)?, outcomes, &mut with_copies)?;
    }
    ["gone-groups", "appeared-groups", "gone-docs"]
        .into_iter()
        .try_for_each(|name| job.remove(name))?;
    Ok(with_copies)
}

/// The documents of one class and snapshot that appeared.
#[derive(Clone, Copy, Default)]
struct Group {
    /// The lowest and the number of those that are new, and of the copies.
    sides: [[u32; 2]; 2],
    has_gone: bool,
}

impl Group {
    fn add(&mut self, side: u32, doc: u32) {
        let [lowest, count] = &mut self.sides[side as usize];
        *lowest = if *count == 0 { doc } else { *lowest };
        *count += 1;
    }

    /// The lowest document, the number, and whether the lowest is a copy, for what is gone.
    fn candidates(&self, gone: u32) -> Option<[u32; 3]> {
        let [[new, news], [copy, copies]] = self.sides;
        let copies = if gone == GONE_OLD { copies } else { 0 };
        let is_copy = copies > 0 && (news == 0 || copy < new);
        let lowest = if is_copy { copy } else { new };
        (news + copies > 0).then_some([lowest, news + copies, u32::from(is_copy)])
    }

    fn has_copies(&self, gone: u32) -> bool {
        gone == GONE_OLD && self.sides[COPY as usize][1] > 0
    }
}

/// Gone ones with others in their classes that appeared. Says whether there are both.
fn by_class(
    job: &Job<'_>,
    mut sides: SortedWords<MoveSide>,
    outcomes: &mut WordSorter<Outcome>,
    with_copies: &mut BTreeSet<u32>,
) -> Result<bool, Error> {
    let mut sizes = SizeLookup::open(job.engine)?;
    let (mut gone_groups, mut gone_docs) = (
        job.write::<GoneGroup>("gone-groups")?,
        job.write::<GoneDoc>("gone-docs")?,
    );
    let mut appeared_groups = job.write::<AppearedGroup>("appeared-groups")?;
    let mut group = Group::default();
    let mut next = sides.next()?;
    while let Some(Words([lowest, which, snapshot, side, doc])) = next {
        if side < GONE_YOUNG {
            group.add(side, doc);
        } else {
            group.has_gone = true;
            if which == REPRESENTED {
                let gone = Words([lowest, snapshot, doc, side]);
                gone_docs.push(&gone)?;
            } else if let Some([other, candidates, is_copy]) = group.candidates(side) {
                let found = [doc, MOVED + which, other, candidates];
                let mut outcome = if which == Equality::Shingle as u32 {
                    counted(found, of_class(job, &mut sizes, lowest)?)
                } else {
                    equal(found)
                };
                outcome.0[8] = is_copy;
                outcomes.push(outcome)?;
                if group.has_copies(side) {
                    with_copies.insert(snapshot);
                }
            }
        }
        next = sides.next()?;
        if next.is_none_or(|next| next.0[..3] != [lowest, which, snapshot]) {
            if which == REPRESENTED && group.has_gone {
                gone_groups.push(&Words([lowest, snapshot]))?;
            }
            for (side, [first, count]) in [NEW, COPY].into_iter().zip(group.sides) {
                if which == REPRESENTED && count > 0 {
                    let group = Words([lowest, snapshot, side, first, count]);
                    appeared_groups.push(&group)?;
                }
            }
            group = Group::default();
        }
    }
    gone_docs.finish()?;
    let (gone, appeared) = (gone_groups.finish()?, appeared_groups.finish()?);
    Ok(gone.records > 0 && appeared.records > 0)
}

/// The representatives of documents that appeared; `None` if the set does not fit the memory.
fn appeared(job: &Job<'_>) -> Result<Option<DocumentSet>, Error> {
    let documents = job.engine.segments()?.documents();
    let Some(mut appeared) = DocumentSet::new(&job.engine.budget, documents) else {
        return Ok(None);
    };
    let mut groups = job.read::<AppearedGroup>("appeared-groups")?;
    while let Some(group) = groups.next()? {
        appeared.add(group.0[0]);
    }
    Ok(Some(appeared))
}

/// Pairs of enough resemblance of a gone one with one that appeared, for each snapshot that it is
/// gone from.
fn links_of_gone(job: &Job<'_>) -> Result<SortedWords<LinkOfGone>, Error> {
    let policy = LinkPolicy {
        resemblance: job.engine.config.moved(),
        containment: None,
        ..job.engine.config.cluster.link_policy()
    };
    let pairs = match appeared(job)? {
        Some(appeared) => PairCounts::with_one_of(job.engine, Arc::new(appeared))?,
        None => PairCounts::open(job.engine)?,
    };
    let mut writer = job.write::<LinkRecord>("links")?;
    write_links_among(job.engine, &policy, pairs, &mut writer)?;
    writer.finish()?;
    let mut directed = job.sorter::<DirectedLink>("directed");
    let mut links = job.read::<LinkRecord>("links")?;
    while let Some(link) = links.next()? {
        let Overlap {
            shared,
            size_a,
            size_b,
            modulus,
        } = link.overlap();
        directed.push(Words([link.a, link.b, shared, size_a, size_b, modulus]))?;
        directed.push(Words([link.b, link.a, shared, size_b, size_a, modulus]))?;
    }
    drop(links);
    job.remove("links")?;
    let mut directed = directed.finish()?;
    let mut groups = job.read::<GoneGroup>("gone-groups")?;
    let mut group = groups.next()?;
    let mut of_gone = job.sorter::<LinkOfGone>("asked");
    let (mut of, mut snapshots) = (0, Vec::new());
    while let Some(Words([from, to, shared, size_from, size_to, modulus])) = directed.next()? {
        if from != of || snapshots.is_empty() {
            snapshots.clear();
            of = from;
            while let Some(Words([representative, snapshot])) =
                group.filter(|group| group.0[0] <= from)
            {
                if representative == from {
                    snapshots.push(snapshot);
                }
                group = groups.next()?;
            }
        }
        for &snapshot in &snapshots {
            of_gone.push(Words([
                to, snapshot, from, shared, size_from, size_to, modulus,
            ]))?;
        }
    }
    of_gone.finish().map_err(Error::from)
}

/// Those links whose other side has documents that appeared.
fn links_to_new(
    job: &Job<'_>,
    mut of_gone: SortedWords<LinkOfGone>,
) -> Result<SortedWords<LinkToNew>, Error> {
    let mut groups = job.read::<AppearedGroup>("appeared-groups")?;
    let mut group = groups.next()?;
    // Those of the last representative and snapshot that were asked for.
    let (mut of, mut found) = (None, Vec::<AppearedGroup>::new());
    let mut to_new = job.sorter::<LinkToNew>("linked");
    while let Some(Words([to, snapshot, from, shared, size_from, size_to, modulus])) =
        of_gone.next()?
    {
        let wanted = [to, snapshot];
        if of != Some(wanted) {
            (of, found) = (Some(wanted), Vec::new());
            while let Some(one) = group.filter(|group| group.0[..2] <= wanted[..]) {
                if one.0[..2] == wanted {
                    found.push(one);
                }
                group = groups.next()?;
            }
        }
        for Words([_, _, side, lowest, count]) in &found {
            let link = [
                from, snapshot, shared, size_from, size_to, modulus, *side, *lowest, *count,
            ];
            to_new.push(Words(link))?;
        }
    }
    to_new.finish().map_err(Error::from)
}

/// The best of some links, and how many documents they lead to.
#[derive(Clone, Copy, Default)]
struct BestLink {
    best: Option<LinkToNew>,
    candidates: u32,
}

impl BestLink {
    fn add(&mut self, link: &LinkToNew) {
        let rank = |link: &LinkToNew| (overlap(link).shared_of_union(), Reverse(link.0[7]));
        self.candidates = self.candidates.saturating_add(link.0[8]);
        if self.best.is_none_or(|best| rank(link) > rank(&best)) {
            self.best = Some(*link);
        }
    }
}

/// The best link of each gone one.
fn by_link(
    job: &Job<'_>,
    mut linked: SortedWords<LinkToNew>,
    outcomes: &mut WordSorter<Outcome>,
    with_copies: &mut BTreeSet<u32>,
) -> Result<(), Error> {
    let mut docs: RecordReader<GoneDoc> = job.read("gone-docs")?;
    let mut gone = docs.next()?;
    let mut next = linked.next()?;
    while let Some(first) = next {
        let (mut to_new, mut to_any) = (BestLink::default(), BestLink::default());
        while let Some(link) = next.filter(|link| link.0[..2] == first.0[..2]) {
            to_any.add(&link);
            if link.0[6] == NEW {
                to_new.add(&link);
            }
            next = linked.next()?;
        }
        while let Some(Words([representative, snapshot, doc, age])) =
            gone.filter(|gone| gone.0[..2] <= first.0[..2])
        {
            let links = if age == GONE_OLD { to_any } else { to_new };
            if [representative, snapshot] == first.0[..2]
                && let Some(best) = links.best
            {
                let found = [doc, MOVED_BY_LINK, best.0[7], links.candidates];
                let mut outcome = counted(found, overlap(&best));
                outcome.0[8] = u32::from(best.0[6] == COPY);
                outcomes.push(outcome)?;
                if links.candidates > to_new.candidates {
                    with_copies.insert(snapshot);
                }
            }
            gone = docs.next()?;
        }
    }
    Ok(())
}

fn overlap(link: &LinkToNew) -> Overlap {
    let Words([_, _, shared, size_a, size_b, modulus, ..]) = *link;
    Overlap {
        shared,
        size_a,
        size_b,
        modulus,
    }
}
