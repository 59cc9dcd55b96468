//! Documents of a cluster as rows, and how many of them an answer holds.

use super::MemberView;
use super::show::{url, write_more};
use crate::index::{Index, Relation};
use engine::Error;
use std::fmt;

/// Bytes of long names in an answer: it is held in memory, and once more as it is printed.
const ROOM_BYTES: usize = 4 << 20;

/// A name of more bytes is a long one. An answer has as many others as are asked for.
const LONG_NAME_BYTES: usize = 1 << 10;

/// The room that an answer has for long names: ids and URLs may have a MiB each.
#[derive(Debug)]
pub(crate) struct NameRoom {
    left: usize,
}

impl Default for NameRoom {
    fn default() -> NameRoom {
        NameRoom { left: ROOM_BYTES }
    }
}

impl NameRoom {
    /// Takes the room for the names of a row; false if it is not there. The first row has room.
    pub(crate) fn takes(&mut self, names: [&Option<String>; 2]) -> bool {
        let left = self.left.checked_sub(long(names));
        self.left = left.unwrap_or(0);
        left.is_some()
    }
}

/// Bytes of the long ones among the names of a row.
fn long(names: [&Option<String>; 2]) -> usize {
    let bytes = names.map(|name| name.as_ref().map_or(0, String::len));
    bytes.iter().filter(|bytes| **bytes > LONG_NAME_BYTES).sum()
}

/// The first documents of a cluster of two or more, in order: `limit` of them, or as many as
/// [`NameRoom`] allows. Each is seen from the document `beside`, or else from the one that is kept
/// in its favour.
pub(super) fn members(
    index: &Index,
    cluster: u32,
    beside: Option<u32>,
    limit: usize,
) -> Result<Vec<MemberView>, Error> {
    let documents = index.cluster_documents(cluster)?;
    let mut room = NameRoom::default();
    let mut members = Vec::new();
    for record in documents.iter().take(limit) {
        let doc = record?.doc;
        let beside = match beside {
            Some(beside) => beside,
            None => index.member(doc)?.kept,
        };
        let relation = index.relation(beside, doc)?;
        let member = member_view(index, doc, &relation)?;
        if !room.takes([&member.id, &member.url]) {
            break;
        }
        members.push(member);
    }
    Ok(members)
}

fn member_view(index: &Index, doc: u32, relation: &Relation) -> Result<MemberView, Error> {
    let (id, url) = index.names(doc)?;
    Ok(MemberView {
        id,
        url,
        ..unnamed_view(index, doc, relation)?
    })
}

/// A member without the names that may be long.
pub(super) fn unnamed_view(
    index: &Index,
    doc: u32,
    relation: &Relation,
) -> Result<MemberView, Error> {
    let (resemblance, interval) = relation.resemblance();
    let kept = index.member(doc)?.kept;
    Ok(MemberView {
        doc_id: index.public_id(doc),
        keep: kept == doc,
        kept_doc_id: index.public_id(kept),
        class: relation.name(),
        linked: relation.linked,
        resemblance,
        low: interval.low,
        high: interval.high,
        id: None,
        url: None,
    })
}

/// A table of members, and how many more there are. Where several documents are kept, it names the
/// one that each goes for.
pub(super) fn write_members(
    f: &mut fmt::Formatter<'_>,
    members: &[MemberView],
    all: u64,
) -> fmt::Result {
    let ids = members.iter().map(|member| member.doc_id.to_string().len());
    let width = ids.max().unwrap_or(0).max(6);
    let keeps_one = |pair: &[MemberView]| pair[0].kept_doc_id == pair[1].kept_doc_id;
    let keep_one = members.windows(2).all(keeps_one);
    let kept_width = if keep_one { 4 } else { width };
    writeln!(
        f,
        "\n{:>width$}  {:<kept_width$}  class      link  resemblance  95 % interval     URL",
        "doc_id", "kept"
    )?;
    for member in members {
        let kept = match (member.keep, keep_one) {
            (true, _) => "yes".to_owned(),
            (false, true) => "-".to_owned(),
            (false, false) => member.kept_doc_id.to_string(),
        };
        let link = if member.linked { "yes" } else { "-" };
        let (doc_id, class, resemblance) = (member.doc_id, member.class, member.resemblance);
        let interval = format!("{:.4} to {:.4}", member.low, member.high);
        let url = url(member.url.as_ref().or(member.id.as_ref()));
        writeln!(
            f,
            "{doc_id:>width$}  {kept:<kept_width$}  {class:<9}  {link:<4}  {resemblance:>11.4}  {interval}  {url}"
        )?;
    }
    let names = members.iter().map(|member| long([&member.id, &member.url]));
    match all.saturating_sub(members.len() as u64) {
        more if more > 0 && names.sum::<usize>() > ROOM_BYTES / 2 => writeln!(
            f,
            "… and {more} more, as names are long; `pipeline export membership` has them"
        ),
        _ => write_more(f, all, members.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_names_need_no_room_and_long_ones_end_it() {
        let mut room = NameRoom::default();
        let short = Some("x".repeat(LONG_NAME_BYTES));
        let largest = Some("x".repeat(1 << 20));
        for _ in 0..10_000 {
            assert!(room.takes([&short, &None]));
        }
        let rows = (0..10).filter(|_| room.takes([&largest, &short])).count();
        assert_eq!(rows, 4);
        assert!(!room.takes([&largest, &None]));
    }
}
