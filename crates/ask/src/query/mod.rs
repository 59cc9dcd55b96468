//! `pipeline query`: looks up documents, URLs, clusters and common shingles in a publication.
//!
//! *Input.* The query index of the newest publication of a configuration; for words, the documents
//! themselves, read again from the input. *Output.* An answer that prints itself, as text or JSON.
//! *Algorithm.* Lookups of [`Index`]; see "Query support" and "Clustering search results" in
//! *Syntactic Clustering of the Web*. *Memory.* The answer; for [`group()`] the list to be grouped,
//! within `work.memory`. *Disk.* Read-only. *Limits.* Answers are those of the publication, even if
//! the configuration has changed since; only the seed must be the same.

mod common;
mod gone;
mod group;
mod history;
mod lookup;
mod members;
mod open;
mod passages;
mod show;
mod successor;
#[cfg(test)]
pub mod tests;

pub use crate::index::Index;
pub use common::{CommonAnswer, CommonShingle, SiteCount, common};
pub use gone::{ClusterNow, GoneCluster, GoneEvent, gone};
pub use group::{FoldedLine, GroupAnswer, GroupedLines, group};
pub use history::{DocumentVersion, HistoryAnswer, HistoryRow, LostAnswer, history, lost};
pub use lookup::{ClusterAnswer, DocumentAnswer, by_cluster, by_id, by_url, find};
pub(crate) use members::NameRoom;
pub(crate) use open::{damaged, mendable};
pub use open::{open, outdated};
pub use passages::{
    DocumentPassages, ListedDocument, ListedPassage, MarkedText, PassageLists, PassageView,
    PassagesAnswer, QuoteView, leading_passages, passages,
};
pub(crate) use show::shown_name;
pub use show::{ClusterView, DocumentView, MemberView, NamedDocument};

pub use show::Escaped;
