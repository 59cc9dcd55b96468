//! A ranked list, near-duplicates folded under the best of them: *Clustering search results* of the
//! 1997 paper.
//!
//! *Input.* A URL or public id a line, best first. *Output.* The same list, each line in the group
//! of its cluster, groups in the order of their best; an unknown line is a group of its own.
//! *Memory.* The list, within `work.memory`. Ids and URLs are read at the end: as many as the rest
//! of that holds, and at most [`NameRoom`] of long ones.

use super::lookup::find;
use super::members::{NameRoom, unnamed_view};
use super::{Escaped, MemberView};
use crate::index::Index;
use config::Config;
use engine::Error;
use serde::Serialize;
use sort::MemoryBudget;
use std::collections::HashMap;
use std::fmt;
use std::io::{BufRead, Read};

/// A longer line is no URL.
const LINE_BYTES_MAX: u64 = 64 << 10;

/// Bytes held for a line besides its text: a group of its own, and its entry in the map.
const LINE_BYTES: usize = 400;

/// A ranked list in groups.
#[derive(Clone, Debug, Default, Serialize)]
pub struct GroupAnswer {
    /// Groups, by their best line.
    pub groups: Vec<GroupedLines>,
    /// Lines that are no document of the corpus.
    pub unknown: u64,
    /// Folded lines without `id` and `url`, because the answer has no room for them.
    #[serde(skip_serializing_if = "is_zero")]
    pub unnamed: u64,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands over a reference"
)]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Lines of one cluster.
#[derive(Clone, Debug, Serialize)]
pub struct GroupedLines {
    /// Place in the list, from 1.
    pub rank: u64,
    /// The line.
    pub text: String,
    /// Its document; none if it is not known.
    pub doc_id: Option<i64>,
    /// Its cluster.
    pub cluster_id: Option<i64>,
    /// Later lines of the same cluster.
    pub folded: Vec<FoldedLine>,
}

/// A line beside the best one of its cluster.
#[derive(Clone, Debug, Serialize)]
pub struct FoldedLine {
    /// Place in the list, from 1.
    pub rank: u64,
    /// The line.
    pub text: String,
    /// The document, beside that of the best line.
    #[serde(flatten)]
    pub member: MemberView,
}

/// Groups a list, line by line; empty lines do not count. A number is a doc_id if there is such
/// a document. Any other line is a URL or an id, and stands for its newest document.
pub fn group(index: &Index, config: &Config, list: &mut dyn BufRead) -> Result<GroupAnswer, Error> {
    let budget = MemoryBudget::new(config.work.memory());
    let mut reserved = Vec::new();
    let mut grouped = GroupAnswer::default();
    // Cluster → place of its group, and the document of its best line.
    let mut known: HashMap<u32, (usize, u32)> = HashMap::new();
    let mut rank = 0;
    while let Some(text) = next_line(list, rank + 1)? {
        if text.is_empty() {
            continue;
        }
        rank += 1;
        reserved.push(budget.reserve("the list to be grouped", LINE_BYTES + text.len())?);
        let mut group = GroupedLines {
            rank,
            text,
            doc_id: None,
            cluster_id: None,
            folded: Vec::new(),
        };
        if let Some(doc) = find(index, &group.text)? {
            let cluster = index.member(doc)?.cluster;
            if let Some((place, best)) = known.get(&cluster) {
                let relation = index.relation(*best, doc)?;
                let folded = FoldedLine {
                    rank,
                    text: group.text,
                    member: unnamed_view(index, doc, &relation)?,
                };
                grouped.groups[*place].folded.push(folded);
                continue;
            }
            known.insert(cluster, (grouped.groups.len(), doc));
            group.doc_id = Some(index.public_id(doc));
            group.cluster_id = Some(index.public_id(cluster));
        } else {
            grouped.unknown += 1;
        }
        grouped.groups.push(group);
    }
    name_folded(index, &budget, &mut grouped)?;
    Ok(grouped)
}

/// Reads the ids and URLs of folded lines, until what is free of the budget is full of them.
fn name_folded(
    index: &Index,
    budget: &MemoryBudget,
    grouped: &mut GroupAnswer,
) -> Result<(), Error> {
    let (mut room, mut free_bytes) = (NameRoom::default(), budget.free_bytes());
    let groups = grouped.groups.iter_mut();
    for member in groups.flat_map(|group| group.folded.iter_mut().map(|line| &mut line.member)) {
        // The ids of the lines are those of documents.
        let doc = index.doc_of(member.doc_id).filter(|_| free_bytes > 0);
        if let Some(doc) = doc {
            let (id, url) = index.names(doc)?;
            let bytes = [&id, &url].map(|name| name.as_ref().map_or(0, String::len));
            free_bytes = free_bytes.saturating_sub(bytes.iter().sum());
            if free_bytes > 0 && room.takes([&id, &url]) {
                (member.id, member.url) = (id, url);
                continue;
            }
        }
        grouped.unnamed += 1;
    }
    Ok(())
}

/// The next line without white space around it; `None` at the end.
fn next_line(list: &mut dyn BufRead, number: u64) -> Result<Option<String>, Error> {
    let mut bytes = Vec::new();
    let read = list.take(LINE_BYTES_MAX).read_until(b'\n', &mut bytes);
    let read = read.map_err(Error::io("read the list to be grouped"))?;
    if read as u64 == LINE_BYTES_MAX {
        return Err(Error::Usage(format!(
            "failed to group: line {number} is too long; expected one URL or doc_id on each line"
        )));
    }
    let text = String::from_utf8(bytes)
        .map_err(|_| Error::Usage(format!("failed to group: line {number} is not UTF-8")))?;
    Ok((read > 0).then(|| text.trim().to_owned()))
}

impl fmt::Display for GroupAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = self.groups.iter().map(|group| 1 + group.folded.len());
        let lines: usize = lines.sum();
        let width = lines.to_string().len();
        for group in &self.groups {
            let known = match group.doc_id {
                None => "  (not in the corpus)",
                Some(_) => "",
            };
            writeln!(f, "{:>width$}  {}{known}", group.rank, Escaped(&group.text))?;
            for FoldedLine { rank, text, member } in &group.folded {
                let (class, resemblance, text) = (member.class, member.resemblance, Escaped(text));
                writeln!(f, "  {rank:>width$}  {class:<9}  {resemblance:.4}  {text}")?;
            }
        }
        let (groups, unknown) = (self.groups.len(), self.unknown);
        writeln!(
            f,
            "{lines} lines, {groups} groups, {unknown} not in the corpus"
        )
    }
}
