//! A ranked list, near-duplicates folded under the best of them: *Clustering search results* of the
//! 1997 paper.
//!
//! *Input.* A URL or public id a line, best first. *Output.* The same list, each line in the group
//! of its cluster, groups in the order of their best; an unknown line is a group of its own.
//! *Memory.* The list, within `work.memory`.

use super::lookup::find;
use super::members::member_view;
use super::{Escaped, MemberView, damaged};
use config::Config;
use query::Index;
use runtime::Error;
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
    pub groups: Vec<Group>,
    /// Lines that are no document of the corpus.
    pub unknown: u64,
}

/// Lines of one cluster.
#[derive(Clone, Debug, Serialize)]
pub struct Group {
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
///
/// # Errors
/// When the list cannot be read, is no UTF-8, or is too long for `work.memory`; damage.
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
        let Some(doc) = find(index, &text)? else {
            grouped.unknown += 1;
            grouped.groups.push(Group {
                rank,
                text,
                doc_id: None,
                cluster_id: None,
                folded: Vec::new(),
            });
            continue;
        };
        let cluster = index.member(doc).map_err(damaged)?.cluster;
        if let Some((place, best)) = known.get(&cluster) {
            let relation = index.relation(*best, doc).map_err(damaged)?;
            let member = member_view(index, doc, &relation)?;
            if let Some(group) = grouped.groups.get_mut(*place) {
                group.folded.push(FoldedLine { rank, text, member });
            }
            continue;
        }
        known.insert(cluster, (grouped.groups.len(), doc));
        let (doc_id, cluster_id) = (Some(index.public_id(doc)), Some(index.public_id(cluster)));
        grouped.groups.push(Group {
            rank,
            text,
            doc_id,
            cluster_id,
            folded: Vec::new(),
        });
    }
    Ok(grouped)
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
    let text = String::from_utf8(bytes);
    let text =
        text.map_err(|_| Error::Usage(format!("failed to group: line {number} is not UTF-8")))?;
    Ok((read > 0).then(|| text.trim().to_owned()))
}

impl fmt::Display for GroupAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: u64 = self
            .groups
            .iter()
            .map(|group| 1 + group.folded.len() as u64)
            .sum();
        let width = lines.to_string().len();
        for group in &self.groups {
            let known = if group.doc_id.is_none() {
                "  (not in the corpus)"
            } else {
                ""
            };
            writeln!(f, "{:>width$}  {}{known}", group.rank, Escaped(&group.text))?;
            for folded in &group.folded {
                let MemberView {
                    class, resemblance, ..
                } = &folded.member;
                writeln!(
                    f,
                    "  {:>width$}  {class:<9}  {resemblance:.4}  {}",
                    folded.rank,
                    Escaped(&folded.text)
                )?;
            }
        }
        let (groups, unknown) = (self.groups.len(), self.unknown);
        writeln!(
            f,
            "{lines} lines, {groups} groups, {unknown} not in the corpus"
        )
    }
}
