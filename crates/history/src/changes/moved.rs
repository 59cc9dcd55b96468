//! What is gone and what is new → where the gone went: the new documents of its classes, and those
//! linked with it.
//!
//! Both sides are sorted by class and snapshot, so that of each class the lowest new document and
//! their number are known when its gone ones come: nothing is paired that could be many times many.
//! Links are turned both ways, sorted by the side of the gone, then of the new, then of the gone
//! again.

use super::job::Job;
use super::outcome::{MOVED, MOVED_BY_LINK, Outcome, counted, equal};
use super::version_classes::{MoveSide, NEW, REPRESENTED, of_class};
use clustering::{overlap_of, reached};
use engine::SizeLookup;
use format::{FileKind, LinkRecord, RecordReader};
use model::{Equality, Overlap, Words};
use publication::PHASE;
use runtime::{Error, PhaseName};
use sort::{SortedWords, WordSorter};

/// ⟨representative of gone ones, older snapshot⟩.
type GoneGroup = Words<2>;
/// ⟨representative of new ones, older snapshot, lowest of them, how many⟩.
type NewGroup = Words<4>;
/// ⟨representative, older snapshot, gone document⟩.
type GoneDoc = Words<3>;
/// ⟨representative, the other one, shared, sizes of both, modulus⟩.
type DirectedLink = Words<6>;
/// ⟨representative of new ones, older snapshot, representative of gone ones, shared, sizes of gone
/// and new, modulus⟩.
type LinkOfGone = Words<7>;
/// ⟨representative of gone ones, older snapshot, shared, sizes of gone and new, modulus, lowest new
/// one, how many⟩.
type LinkToNew = Words<8>;

/// Looks for all that is gone.
pub(super) fn look(
    job: &Job<'_>,
    sides: SortedWords<MoveSide>,
    outcomes: &mut WordSorter<Outcome>,
) -> Result<(), Error> {
    if by_class(job, sides, outcomes)? {
        let of_gone = links_of_gone(job)?;
        by_link(job, links_to_new(job, of_gone)?, outcomes)?;
    }
    ["gone-groups", "new-groups", "gone-docs"]
        .into_iter()
        .try_for_each(|name| job.remove(name))
}

/// The new ones of one class and snapshot.
#[derive(Clone, Copy, Default)]
struct Group {
    lowest: u32,
    count: u32,
    has_gone: bool,
}

/// Gone ones with new ones in their classes. Says whether there are both gone and new ones.
fn by_class(
    job: &Job<'_>,
    mut sides: SortedWords<MoveSide>,
    outcomes: &mut WordSorter<Outcome>,
) -> Result<bool, Error> {
    let work = Error::work(PHASE);
    let mut sizes = SizeLookup::open(job.engine)?;
    let (mut gone_groups, mut gone_docs) = (
        job.write::<GoneGroup>("gone-groups")?,
        job.write("gone-docs")?,
    );
    let mut new_groups = job.write::<NewGroup>("new-groups")?;
    let mut group = Group::default();
    let mut next = sides.next().map_err(work)?;
    while let Some(Words([lowest, which, snapshot, side, doc])) = next {
        if side == NEW {
            group.lowest = if group.count == 0 { doc } else { group.lowest };
            group.count += 1;
        } else {
            group.has_gone = true;
            if which == REPRESENTED {
                gone_docs
                    .push(&Words([lowest, snapshot, doc]))
                    .map_err(work)?;
            } else if group.count > 0 {
                let found = [doc, MOVED + which, group.lowest, group.count];
                let outcome = if which == Equality::Shingle as u32 {
                    counted(found, of_class(job, &mut sizes, lowest)?)
                } else {
                    equal(found)
                };
                outcomes.push(outcome).map_err(work)?;
            }
        }
        next = sides.next().map_err(work)?;
        if next.is_none_or(|next| next.0[..3] != [lowest, which, snapshot]) {
            if which == REPRESENTED && group.has_gone {
                gone_groups.push(&Words([lowest, snapshot])).map_err(work)?;
            }
            if which == REPRESENTED && group.count > 0 {
                new_groups
                    .push(&Words([lowest, snapshot, group.lowest, group.count]))
                    .map_err(work)?;
            }
            group = Group::default();
        }
    }
    gone_docs.finish().map_err(work)?;
    let (gone, new) = (
        gone_groups.finish().map_err(work)?,
        new_groups.finish().map_err(work)?,
    );
    Ok(gone.records > 0 && new.records > 0)
}

/// Links by resemblance with a gone one, for each snapshot that it is gone from.
fn links_of_gone(job: &Job<'_>) -> Result<SortedWords<LinkOfGone>, Error> {
    let work = Error::work(PHASE);
    let mut directed = job.sorter::<DirectedLink>("directed");
    let mut links =
        job.engine
            .reader::<LinkRecord>(PhaseName::Cluster, "links", FileKind::Links)?;
    while let Some(link) = links.next()? {
        if reached(&link).resemblance {
            let Overlap {
                shared,
                size_a,
                size_b,
                modulus,
            } = overlap_of(&link);
            directed
                .push(Words([link.a, link.b, shared, size_a, size_b, modulus]))
                .map_err(work)?;
            directed
                .push(Words([link.b, link.a, shared, size_b, size_a, modulus]))
                .map_err(work)?;
        }
    }
    let mut directed = directed.finish().map_err(work)?;
    let mut groups = job.read::<GoneGroup>("gone-groups")?;
    let mut group = groups.next().map_err(work)?;
    let mut of_gone = job.sorter::<LinkOfGone>("asked");
    let (mut of, mut snapshots) = (0, Vec::new());
    while let Some(Words([from, to, shared, size_from, size_to, modulus])) =
        directed.next().map_err(work)?
    {
        if from != of || snapshots.is_empty() {
            snapshots.clear();
            of = from;
            while let Some(Words([representative, snapshot])) =
                group.filter(|group| group.0[0] <= from)
            {
                if representative == from {
                    snapshots.push(snapshot);
                }
                group = groups.next().map_err(work)?;
            }
        }
        for &snapshot in &snapshots {
            of_gone
                .push(Words([
                    to, snapshot, from, shared, size_from, size_to, modulus,
                ]))
                .map_err(work)?;
        }
    }
    of_gone.finish().map_err(work)
}

/// Those links whose other side has new documents.
fn links_to_new(
    job: &Job<'_>,
    mut of_gone: SortedWords<LinkOfGone>,
) -> Result<SortedWords<LinkToNew>, Error> {
    let work = Error::work(PHASE);
    let mut groups = job.read::<NewGroup>("new-groups")?;
    let mut group = groups.next().map_err(work)?;
    let mut to_new = job.sorter::<LinkToNew>("linked");
    while let Some(Words([to, snapshot, from, shared, size_from, size_to, modulus])) =
        of_gone.next().map_err(work)?
    {
        while group.is_some_and(|group| group.0[..2] < [to, snapshot][..]) {
            group = groups.next().map_err(work)?;
        }
        if let Some(Words([_, _, lowest, count])) =
            group.filter(|group| group.0[..2] == [to, snapshot])
        {
            let found = [
                from, snapshot, shared, size_from, size_to, modulus, lowest, count,
            ];
            to_new.push(Words(found)).map_err(work)?;
        }
    }
    to_new.finish().map_err(work)
}

/// The best link of each gone one.
fn by_link(
    job: &Job<'_>,
    mut linked: SortedWords<LinkToNew>,
    outcomes: &mut WordSorter<Outcome>,
) -> Result<(), Error> {
    let work = Error::work(PHASE);
    let mut docs: RecordReader<GoneDoc> = job.read("gone-docs")?;
    let mut gone = docs.next().map_err(work)?;
    let mut next = linked.next().map_err(work)?;
    while let Some(first) = next {
        let (mut best, mut candidates) = (first, 0_u32);
        while let Some(link) = next.filter(|link| link.0[..2] == first.0[..2]) {
            candidates = candidates.saturating_add(link.0[7]);
            let rank = |link: &LinkToNew| {
                (
                    overlap(link).shared_of_union(),
                    std::cmp::Reverse(link.0[6]),
                )
            };
            if rank(&link) > rank(&best) {
                best = link;
            }
            next = linked.next().map_err(work)?;
        }
        while let Some(Words([representative, snapshot, doc])) =
            gone.filter(|gone| gone.0[..2] <= first.0[..2])
        {
            if [representative, snapshot] == first.0[..2] {
                let found = [doc, MOVED_BY_LINK, best.0[6], candidates];
                outcomes
                    .push(counted(found, overlap(&best)))
                    .map_err(work)?;
            }
            gone = docs.next().map_err(work)?;
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
