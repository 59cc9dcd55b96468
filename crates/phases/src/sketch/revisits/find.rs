//! Finds the original of each revisit: the document that has its body.
//!
//! *Algorithm.* First, originals are looked for among the documents: the keys of both sides are
//! sorted and [merged](super::sides). A revisit whose original is known stands for it, so those
//! that refer to it [follow](super::followers). When no reference leads further, revisits without
//! any reference are looked for [by their URLs](super::by_url), and references are followed again.
//! Revisits that refer to each other in a circle are never reached. *Limits.* A chain in which
//! references and URLs alternate is followed [`URL_ROUNDS_MOST`] times.

use super::by_url;
use super::followers::Followers;
use super::originals::Originals;
use super::scope::SearchScope;
use super::sides::Sides;
use engine::Error;
use format::RevisitRow;

/// Rounds of the search by URLs. Each reads all documents, and crawlers write no chain that needs
/// more than one.
const URL_ROUNDS_MOST: u32 = 16;

/// Finds the originals.
pub(super) fn find(scope: &SearchScope<'_>) -> Result<Originals, Error> {
    let revisits = scope.each_revisit(|_, _| Ok(()))?;
    let mut originals = Originals::none(scope, revisits)?;
    let is_equal = |wanted, offered| wanted == offered;
    let mut named = named(scope, &mut originals)?;
    scope.each_document(|doc, row| offer(&mut named, row, doc))?;
    let best = named.matches(scope, is_equal)?;
    originals.take(best)?;
    if originals.found == revisits {
        return Ok(originals);
    }
    let mut named = self::named(scope, &mut originals)?;
    scope.each_revisit(|revisit, row| offer(&mut named, row, revisit))?;
    let mut followers = Followers::of(scope, named, revisits)?;
    followers.follow(scope, &mut originals)?;
    for _ in 0..URL_ROUNDS_MOST {
        let known = originals.found;
        by_url::resolve(scope, &mut originals)?;
        if originals.found == known {
            break;
        }
        followers.follow(scope, &mut originals)?;
    }
    Ok(originals)
}

/// The keys that revisits without an original look for.
fn named(scope: &SearchScope<'_>, originals: &mut Originals) -> Result<Sides, Error> {
    Sides::of(scope, originals, |keys, row, take| {
        keys.of_revisit(row, |rank, key| take(rank, key, key));
    })
}

/// Offers a record under all its names.
fn offer(sides: &mut Sides, names: &RevisitRow<'_>, doc: u32) -> Result<(), Error> {
    let (keys, mut offered) = (sides.keys, Ok(()));
    keys.of_document(names, |key| {
        if offered.is_ok() {
            offered = sides.offer(key, key, doc);
        }
    });
    offered
}
