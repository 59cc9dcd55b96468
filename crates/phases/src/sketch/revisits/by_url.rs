//! Finds the originals of revisits that refer to nothing: the newest earlier record of their URL.
//!
//! A server that answers 304 (not modified) names no record, and some crawlers write none into the
//! revisit. Its body is that of the page before, as programs that replay crawls take it.
//!
//! *Input.* The revisits that name no record and no digest; documents and resolved revisits.
//! *Output.* An original for each revisit that has one. *Algorithm.* A sort-merge join of keys that
//! have the hash of a URL and a date behind it: the last key of a URL up to the date of the revisit
//! is the newest record that is not younger. *Memory.* As [`super::find`].

use super::keys::is_of_one_url;
use super::originals::Originals;
use super::scope::SearchScope;
use super::sides::Sides;
use engine::Error;
use format::RevisitRow;

/// URL and date of a revisit that refers to nothing.
fn of_revisit<'a>(row: &RevisitRow<'a>) -> Option<(&'a str, i64)> {
    let names_record = row.refers_to_id.is_some()
        || row.payload.is_some()
        || (row.refers_to_url.is_some() && row.refers_to_date.is_some());
    let url = row.refers_to_url.or(row.url)?;
    row.date.filter(|_| !names_record).map(|date| (url, date))
}

/// Finds the originals of those that have none among the records whose bodies are known.
pub(super) fn resolve(scope: &SearchScope<'_>, originals: &mut Originals) -> Result<(), Error> {
    let mut unnamed = Sides::of(scope, originals, |keys, row, take| {
        if let Some((url, date)) = of_revisit(row) {
            take(0, keys.url_at(url, date), keys.url(url));
        }
    })?;
    if unnamed.wanted.pushed() == 0 {
        return Ok(());
    }
    scope.each_document(|doc, row| offer(&mut unnamed, row, doc))?;
    scope.each_revisit(|revisit, row| match originals.of(revisit)? {
        Some(doc) => offer(&mut unnamed, row, doc),
        None => Ok(()),
    })?;
    let best = unnamed.matches(scope, is_of_one_url)?;
    originals.take(best)
}

/// Offers a record under its URL and date.
fn offer(sides: &mut Sides, row: &RevisitRow<'_>, doc: u32) -> Result<(), Error> {
    let (Some(url), Some(date)) = (row.url, row.date) else {
        return Ok(());
    };
    let (key, known) = (sides.keys.url_at(url, date), sides.keys.url(url));
    sides.offer(key, known, doc)
}
