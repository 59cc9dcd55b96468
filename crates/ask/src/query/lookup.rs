//! A document by its URL or id, and a cluster by its id.

use super::members::{members, write_members};
use super::{ClusterView, DocumentView, Escaped, MemberView};
use crate::index::{Index, UrlMatches};
use engine::Error;
use serde::Serialize;
use std::fmt::{self, Write};

/// Near URLs that are proposed.
const NEAR_MAX: usize = 10;

/// A document and its cluster.
#[derive(Clone, Debug, Serialize)]
pub struct DocumentAnswer {
    /// The document.
    #[serde(flatten)]
    pub document: DocumentView,
    /// Documents with the URL or id that was asked for, the newest first.
    pub doc_ids: Vec<i64>,
    /// How many there are.
    pub doc_ids_total: u64,
    /// Its cluster.
    pub cluster: ClusterView,
    /// The documents of the cluster beside this one, itself among them; none if it is alone.
    pub members: Vec<MemberView>,
}

/// A cluster and its documents, each beside the one that is kept in its favour.
#[derive(Clone, Debug, Serialize)]
pub struct ClusterAnswer {
    /// The cluster.
    #[serde(flatten)]
    pub cluster: ClusterView,
    /// Its documents.
    pub members: Vec<MemberView>,
}

/// The prefix of an id of the input that could be taken for a doc_id or a URL.
const OWN_ID: &str = "id:";

/// The newest document with this doc_id, URL or id of the input, the first of them that is known.
pub fn find(index: &Index, name: &str) -> Result<Option<u32>, Error> {
    let doc_id = name.parse::<i64>().ok();
    if let Some(doc) = doc_id.and_then(|id| index.doc_of(id)) {
        return Ok(Some(doc));
    }
    Ok(by_name(index, name, 1)?.docs.first().copied())
}

/// The documents with this URL, or else with this id.
fn by_name(index: &Index, name: &str, limit: usize) -> Result<UrlMatches, Error> {
    let found = index.docs_of_url(name, limit)?;
    if !found.docs.is_empty() {
        return Ok(found);
    }
    let id = name.strip_prefix(OWN_ID).unwrap_or(name);
    Ok(index.docs_of_id(id, limit)?)
}

/// The newest document of a URL or of an id of the input, and at most `limit` others of it and
/// members of its cluster.
pub fn by_url(index: &Index, url: &str, limit: usize) -> Result<DocumentAnswer, Error> {
    let found = by_name(index, url, limit.max(1))?;
    let Some(newest) = found.docs.first() else {
        return Err(unknown(index, url)?);
    };
    let answer = answer(index, *newest, limit)?;
    let doc_ids = found.docs.iter().map(|doc| index.public_id(*doc)).collect();
    Ok(DocumentAnswer {
        doc_ids,
        doc_ids_total: found.total,
        ..answer
    })
}

/// That no document has this URL or id, with the nearest known ones.
pub(super) fn unknown(index: &Index, url: &str) -> Result<Error, Error> {
    let shown = Escaped(url);
    let mut text = format!("failed to find {shown}: no document has this URL or id");
    let near = index.near_urls(url, NEAR_MAX)?;
    if !near.is_empty() {
        text += "; similar URLs:";
    }
    for (doc, url) in near {
        // writing to a String cannot fail
        let _ = write!(text, "\n  {} {}", index.public_id(doc), Escaped(&url));
    }
    Ok(Error::NotFound(text))
}

/// The document with this public id, and at most `limit` members of its cluster.
pub fn by_id(index: &Index, id: i64, limit: usize) -> Result<DocumentAnswer, Error> {
    answer(index, known(index, id, "document")?, limit)
}

/// The cluster of this id, and at most `limit` of its members.
pub fn by_cluster(index: &Index, id: i64, limit: usize) -> Result<ClusterAnswer, Error> {
    let doc = known(index, id, "cluster")?;
    let cluster = index.member(doc)?.cluster;
    if cluster != doc {
        let cluster = index.public_id(cluster);
        return Err(Error::NotFound(format!(
            "failed to find cluster {id}: document {id} is in cluster {cluster}"
        )));
    }
    Ok(ClusterAnswer {
        cluster: ClusterView::of(index, cluster)?,
        members: members(index, cluster, None, limit)?,
    })
}

fn known(index: &Index, id: i64, what: &str) -> Result<u32, Error> {
    index.doc_of(id).ok_or_else(|| {
        let last = index.documents().checked_sub(1);
        let last = last.map_or(-1, |last| index.public_id(last));
        let first = index.public_id(0);
        Error::NotFound(format!(
            "failed to find {what} {id}: ids go from {first} to {last}"
        ))
    })
}

fn answer(index: &Index, doc: u32, limit: usize) -> Result<DocumentAnswer, Error> {
    let document = DocumentView::of(index, doc)?;
    let cluster = index.member(doc)?.cluster;
    Ok(DocumentAnswer {
        doc_ids: vec![document.doc_id],
        doc_ids_total: 1,
        document,
        cluster: ClusterView::of(index, cluster)?,
        members: members(index, cluster, Some(doc), limit)?,
    })
}

impl fmt::Display for DocumentAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.document)?;
        if self.doc_ids_total > 1 {
            let older: Vec<String> = self.doc_ids.iter().skip(1).map(i64::to_string).collect();
            let more = match self.doc_ids_total.saturating_sub(self.doc_ids.len() as u64) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            writeln!(
                f,
                "also as    {}{more}, with the same URL or id",
                older.join(" ")
            )?;
        }
        write_cluster(f, &self.cluster, &self.members)
    }
}

impl fmt::Display for ClusterAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_cluster(f, &self.cluster, &self.members)
    }
}

fn write_cluster(
    f: &mut fmt::Formatter<'_>,
    cluster: &ClusterView,
    members: &[MemberView],
) -> fmt::Result {
    write!(f, "{cluster}")?;
    match members.is_empty() {
        true => Ok(()),
        false => write_members(f, members, cluster.documents),
    }
}
