//! Finds the versions of a URL that are in one class. Of the others it makes requests for
//! estimates; of the URLs that are gone or new it makes both sides of moves.

use super::job::Job;
use super::outcome::{GONE, NONE, Outcome, counted, equal};
use super::versions::{NEW, Versions};
use engine::{Classes, SizeLookup};
use model::{Class, Equality, Overlap, Words};
use runtime::Error;
use sort::{SortedWords, WordSorter};

/// ⟨newer document, older one, the lowest documents of its classes⟩.
pub(super) type VersionPair = Words<5>;

/// ⟨lower representative, higher one, older document, newer one, whether the older one's is the
/// higher⟩.
pub(super) type EstimateRequest = Words<5>;

/// ⟨lowest document of a class, which class, older snapshot, side, document⟩. Sides are [`NEW`],
/// [`COPY`](super::versions::COPY), [`GONE_YOUNG`] and [`GONE_OLD`]: what is gone comes last.
pub(super) type MoveSide = Words<5>;

/// The classes of the older documents.
pub(super) struct OlderClasses {
    /// Versions of a URL, with the classes of the older one.
    pub(super) pairs: SortedWords<VersionPair>,
    /// Both sides of moves.
    pub(super) sides: SortedWords<MoveSide>,
}

/// Stands for a class in a [`MoveSide`]: all that one document represents.
pub(super) const REPRESENTED: u32 = 3;
/// A URL that is gone and was not in the snapshot before the older one.
pub(super) const GONE_YOUNG: u32 = 2;
/// A URL that is gone and was there: a copy may have appeared beside it.
pub(super) const GONE_OLD: u32 = 3;

/// The class of the older documents, and of what is new.
pub(super) fn older(
    job: &Job<'_>,
    versions: Versions,
    outcomes: &mut WordSorter<Outcome>,
) -> Result<OlderClasses, Error> {
    let Versions {
        mut by_old,
        mut appeared,
    } = versions;
    let (mut pairs, mut sides) = (
        job.sorter::<VersionPair>("both"),
        job.sorter::<MoveSide>("sides"),
    );
    let mut classes = Classes::open(job.engine)?;
    while let Some(Words([old, newer, was_there])) = by_old.next()? {
        let class = classes.of(old)?;
        if newer != NONE {
            let [a, b, c] = class.lowest;
            pairs.push(Words([newer, old, a, b, c]))?;
            continue;
        }
        outcomes.push(equal([old, GONE, NONE, 0]))?;
        push_sides(
            &mut sides,
            &class,
            [job.snapshot_of(old), GONE_YOUNG + was_there],
        )?;
    }
    drop(by_old);
    let mut list = job.write::<u32>("new")?;
    let mut classes = Classes::open(job.engine)?;
    while let Some(Words([doc, side])) = appeared.next()? {
        if side == NEW {
            list.push(&doc)?;
        }
        push_sides(
            &mut sides,
            &classes.of(doc)?,
            [job.snapshot_of(doc) - 1, side],
        )?;
    }
    list.finish()?;
    Ok(OlderClasses {
        pairs: pairs.finish()?,
        sides: sides.finish()?,
    })
}

fn push_sides(
    sides: &mut WordSorter<MoveSide>,
    class: &Class,
    [snapshot, side]: [u32; 2],
) -> Result<(), Error> {
    let mut push = |lowest, which| {
        sides
            .push(Words([lowest, which, snapshot, side, class.doc]))
            .map_err(Error::from)
    };
    for (which, lowest) in (0..REPRESENTED).zip(class.lowest) {
        if lowest != Class::NONE {
            push(lowest, which)?;
        }
    }
    push(class.representative(), REPRESENTED)
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

/// The class of the newer documents: what is in one class with the older is done.
pub(super) fn newer(
    job: &Job<'_>,
    mut pairs: SortedWords<VersionPair>,
    outcomes: &mut WordSorter<Outcome>,
) -> Result<SortedWords<EstimateRequest>, Error> {
    let (mut requests, mut sampled) = (
        job.sorter::<EstimateRequest>("wants"),
        job.sorter::<Words<3>>("sampled"),
    );
    let mut classes = Classes::open(job.engine)?;
    while let Some(Words([newer, old, a, b, c])) = pairs.next()? {
        let (class, of_old) = (
            classes.of(newer)?,
            Class {
                doc: old,
                lowest: [a, b, c],
            },
        );
        let (now, then) = (class.representative(), of_old.representative());
        match shared(&of_old, &class) {
            Some(Equality::Shingle) => sampled.push(Words([now, old, newer]))?,
            Some(equality) => outcomes.push(equal([old, equality as u32, newer, 1]))?,
            None => {
                let request = [
                    now.min(then),
                    now.max(then),
                    old,
                    newer,
                    u32::from(then > now),
                ];
                requests.push(Words(request))?;
            }
        }
    }
    drop(pairs);
    let (mut sampled, mut sizes) = (sampled.finish()?, SizeLookup::open(job.engine)?);
    while let Some(Words([representative, old, newer])) = sampled.next()? {
        let overlap = of_class(job, &mut sizes, representative)?;
        outcomes.push(counted([old, Equality::Shingle as u32, newer, 1], overlap))?;
    }
    requests.finish().map_err(Error::from)
}

/// What two documents with one sketch share: all of it.
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
