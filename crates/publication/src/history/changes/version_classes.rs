//! Finds the versions of a URL that are in one class. Of the others it makes requests for
//! estimates; of the URLs that are gone or new it makes both sides of moves.

use super::job::Job;
use super::outcome::{Outcome, UNCOUNTED};
use super::versions::{AppearedUrl, OldUrl, Versions};
use crate::removals::overlaps::DocumentPair;
use engine::{Error, SizeLookup};
use format::ScratchFile;
use model::{Class, Equality, Overlap, word_record};
use sort::{SortedWords, WordSorter};

/// Two versions of a URL, with the classes of the older one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct VersionPair {
    newer: u32,
    old: u32,
    lowest_of_old: [u32; 3],
}

word_record! { VersionPair { newer, old, lowest_of_old } }

/// Two versions in one shingle class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct SampledPair {
    representative: u32,
    old: u32,
    newer: u32,
}

word_record! { SampledPair { representative, old, newer } }

/// A document that is gone, or one that appeared, in one of its classes. Of a class, what is gone
/// comes last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct MoveSide {
    /// The lowest document of the class.
    pub(super) lowest: u32,
    /// The place of the class in [`Equality::ALL`], or [`REPRESENTED`].
    pub(super) which: u32,
    /// The place of the older snapshot.
    pub(super) snapshot: u32,
    pub(super) side: u8,
    pub(super) doc: u32,
}

word_record! { MoveSide { lowest, which, snapshot, side, doc } }
model::keyed! { MoveSide: [u32; 3] = |one| [one.lowest, one.which, one.snapshot] }

/// In place of a class: all that one document represents.
pub(super) const REPRESENTED: u32 = 3;

/// Side of a URL that was not in the older snapshot.
pub(super) const NEW: u8 = 0;
/// Side of a URL that appeared in the older snapshot: what is gone then may have been copied there.
pub(super) const COPY: u8 = 1;
/// Side of a URL that is gone and was not in the snapshot before the older one.
pub(super) const GONE_YOUNG: u8 = 2;
/// Side of a URL that is gone and was there: a copy may have appeared beside it.
pub(super) const GONE_OLD: u8 = 3;

/// Documents of which the classes are known.
pub(super) struct OlderClasses {
    /// Versions of a URL.
    pub(super) pairs: SortedWords<VersionPair>,
    /// Both sides of moves.
    pub(super) sides: SortedWords<MoveSide>,
    /// The documents of new URLs, in order.
    pub(super) new: ScratchFile<u32>,
}

/// Finds the classes of the older documents, and of those that appeared.
pub(super) fn older(
    job: &Job<'_>,
    versions: Versions,
    outcomes: &mut WordSorter<Outcome>,
) -> Result<OlderClasses, Error> {
    let Versions {
        mut old,
        mut appeared,
    } = versions;
    let (mut pairs, mut sides) = (job.sorter("both"), job.sorter("sides"));
    let mut classes = job.engine.classes()?;
    while let Some(url) = old.next()? {
        let OldUrl { doc, newer, .. } = url;
        let class = classes.of(doc)?;
        if !url.is_gone {
            pairs.push(VersionPair {
                newer,
                old: doc,
                lowest_of_old: class.lowest,
            })?;
            continue;
        }
        outcomes.push(Outcome::gone(doc))?;
        let side = if url.was_before { GONE_OLD } else { GONE_YOUNG };
        push_sides(&mut sides, &class, job.snapshot_of(doc), side)?;
    }
    drop(old);
    let mut new = job.file("new")?;
    let mut classes = job.engine.classes()?;
    while let Some(AppearedUrl { doc, is_copy }) = appeared.next()? {
        if !is_copy {
            new.push(&doc)?;
        }
        let side = if is_copy { COPY } else { NEW };
        push_sides(
            &mut sides,
            &classes.of(doc)?,
            job.snapshot_of(doc) - 1,
            side,
        )?;
    }
    Ok(OlderClasses {
        pairs: pairs.finish()?,
        sides: sides.finish()?,
        new: new.finish()?,
    })
}

fn push_sides(
    sides: &mut WordSorter<MoveSide>,
    class: &Class,
    snapshot: u32,
    side: u8,
) -> Result<(), Error> {
    let classes = (0..REPRESENTED).zip(class.lowest);
    let shared = classes.filter(|(_, lowest)| *lowest != Class::NONE);
    for (which, lowest) in shared.chain([(REPRESENTED, class.representative())]) {
        sides.push(MoveSide {
            lowest,
            which,
            snapshot,
            side,
            doc: class.doc,
        })?;
    }
    Ok(())
}

/// The narrowest class of two documents, by their lowest ones.
fn shared(a: &Class, b: &Class) -> Option<Equality> {
    let same = |(_, (a, b)): &(Equality, (u32, u32))| a == b && *a != Class::NONE;
    Equality::ALL
        .into_iter()
        .zip(a.lowest.into_iter().zip(b.lowest))
        .find(same)
        .map(|(equality, _)| equality)
}

/// Finds the classes of the newer documents: what is in one class with the older is done.
pub(super) fn newer(
    job: &Job<'_>,
    mut pairs: SortedWords<VersionPair>,
    outcomes: &mut WordSorter<Outcome>,
) -> Result<SortedWords<DocumentPair>, Error> {
    let (mut requests, mut sampled) = (job.sorter("wants"), job.sorter("sampled"));
    let mut classes = job.engine.classes()?;
    while let Some(pair) = pairs.next()? {
        let VersionPair { newer, old, .. } = pair;
        let class = classes.of(newer)?;
        let of_old = Class {
            doc: old,
            lowest: pair.lowest_of_old,
        };
        let (now, then) = (class.representative(), of_old.representative());
        match shared(&of_old, &class) {
            Some(Equality::Shingle) => sampled.push(SampledPair {
                representative: now,
                old,
                newer,
            })?,
            Some(equality) => {
                outcomes.push(Outcome::version(old, equality as u32, newer, UNCOUNTED))?;
            }
            None => requests.push(DocumentPair {
                lower: now.min(then),
                higher: now.max(then),
                doc: old,
                other: newer,
                is_higher: then > now,
            })?,
        }
    }
    drop(pairs);
    let (mut sampled, mut sizes) = (sampled.finish()?, job.engine.sizes()?);
    while let Some(pair) = sampled.next()? {
        let overlap = of_class(job, &mut sizes, pair.representative)?;
        let kind = Equality::Shingle as u32;
        outcomes.push(Outcome::version(pair.old, kind, pair.newer, overlap))?;
    }
    Ok(requests.finish()?)
}

/// The overlap of two documents with one sketch: all of it.
pub(super) fn of_class(
    job: &Job<'_>,
    sizes: &mut SizeLookup,
    representative: u32,
) -> Result<Overlap, Error> {
    let (size, level) = sizes.of_class(representative)?;
    let modulus = job.engine.config.sketch.sampling.modulus_at(level);
    Ok(Overlap {
        shared: size,
        size_a: size,
        size_b: size,
        modulus,
    })
}
