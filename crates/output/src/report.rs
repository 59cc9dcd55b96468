//! `report.json`: what a run found, counted as in the Status section of *Syntactic Clustering of
//! the Web*.
//!
//! Nothing here depends on the time of a run, so equal runs give equal bytes; times are in
//! `run.json` ([`crate::RunRecord`]).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::humane::{counted, thousands, total};
use crate::{ChangeCounts, OutputError, PassageCounts, ThresholdFigures};

/// The counts of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The records that were read.
    pub input: InputCounts,
    /// Shingles and sketches.
    pub sketch: SketchCounts,
    /// Documents equal without comparing shingles.
    pub classes: ClassCounts,
    /// Shared shingles.
    pub pairs: ReportedPairs,
    /// Links and clusters.
    pub clusters: ClusterCounts,
    /// Documents that go when duplicates are removed.
    pub removed: RemovedCounts,
    /// The effect of other thresholds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thresholds: Option<ThresholdFigures>,
    /// Changes between snapshots, where there are two or more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<ChangeCounts>,
    /// Passages that stand at more than one place, where they are looked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passages: Option<PassageCounts>,
}

/// The records that were read. Each is in exactly one of `documents`, `rejected` and `skipped`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputCounts {
    /// Documents.
    pub documents: u64,
    /// Bytes of their bodies, after transfer and content decoding.
    pub bytes: u64,
    /// Bytes of their URLs.
    pub url_bytes: u64,
    /// Records not used, by reason.
    pub rejected: BTreeMap<String, u64>,
    /// Records that are no pages by their type, by type.
    pub skipped: BTreeMap<String, u64>,
    /// Things worth counting that cost a document nothing, by kind.
    pub flags: BTreeMap<String, u64>,
    /// Ids of the input that stand at more than one document of a snapshot.
    #[serde(default, skip_serializing_if = "is_none")]
    pub repeated_ids: u64,
}

/// Most inputs have none of it.
#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde calls it with a reference"
)]
fn is_none(count: &u64) -> bool {
    *count == 0
}

/// Shingles and sketches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SketchCounts {
    /// Shingles of all documents, before sampling.
    pub shingles_found: u64,
    /// Shingles kept in sketches.
    pub shingles_sampled: u64,
    /// Documents without tokens: they have no shingle.
    pub documents_without_tokens: u64,
    /// Documents with a token, but fewer than make a whole shingle: they have one.
    pub documents_shorter_than_shingle: u64,
    /// Pages whose main part has fewer than `min-words` words: they have none, and join only pages
    /// of the same source.
    #[serde(default, skip_serializing_if = "is_none")]
    pub documents_below_min_words: u64,
}

/// Documents equal without comparing shingles. The classes widen: a lexical class may hold several
/// identical ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClassCounts {
    /// Equal body, media type and charset.
    pub identical: ClassCount,
    /// Equal canonical tokens.
    pub lexical: ClassCount,
    /// Equal sketch at equal modulus.
    pub shingle: ClassCount,
    /// Documents left when each widest class counts once.
    pub representatives: u64,
}

/// Classes of two or more documents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClassCount {
    /// Classes.
    pub classes: u64,
    /// Documents in them.
    pub documents: u64,
}

/// Shared shingles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReportedPairs {
    /// ⟨shingle, document⟩ of the representatives.
    pub postings: u64,
    /// Shingles in more sketches than `common-shingle-limit`.
    pub common_shingles: u64,
    /// ⟨document, document, 1⟩ formed.
    pub pair_increments: u64,
    /// Pairs of a lower resemblance are not counted; 0: all are.
    pub floor: f64,
    /// Pairs of documents that share a shingle and reach the floor.
    pub distinct_pairs: u64,
    /// Pairs that were compared by all their shingles.
    pub settled: u64,
}

/// Links and clusters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClusterCounts {
    /// Pairs at or above the resemblance asked for.
    pub links: u64,
    /// Pairs at or above the containment asked for, in one direction or both.
    pub directed_links: u64,
    /// The links that `pairs.parquet` lists: not all if a cluster is dense.
    pub published_links: u64,
    /// Clusters of two or more.
    pub clusters: u64,
    /// Documents in them.
    pub documents: u64,
    /// Clusters of identical documents only.
    pub identical_only: GroupCount,
    /// The other clusters.
    pub remaining: GroupCount,
    /// The largest clusters, largest first, then by id; ten at most.
    pub largest: Vec<ClusterSize>,
    /// Documents that go when duplicates are removed: those with `keep = false`, but for documents
    /// of references.
    pub removed_if_deduplicated: u64,
}

/// Some clusters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupCount {
    /// Clusters.
    pub clusters: u64,
    /// Documents in them.
    pub documents: u64,
}

/// One cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClusterSize {
    /// Its id.
    pub cluster_id: i64,
    /// Documents in it.
    pub documents: u64,
    /// The id of the document that is kept, if it has one of at most 4 KiB.
    pub kept_id: Option<String>,
    /// The URL of that document, likewise.
    pub kept_url: Option<String>,
    /// The title of that document.
    pub title: Option<String>,
}

/// Documents that go when duplicates are removed, by their relation to the one that is kept.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RemovedCounts {
    /// Identical copies: of equal content.
    pub identical: RemovedCount,
    /// Lexical copies: of equal tokens.
    pub lexical: RemovedCount,
    /// Near copies: of the classes `shingle` and `similar`.
    pub near: RemovedCount,
    /// Bytes of the bodies of all of them: what deduplication saves. A revisit has none.
    pub bytes_saved: u64,
    /// The document that is least like the one kept in its favour; none if all are equal to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub least_alike: Option<LeastAlike>,
    /// Documents that only others link to the one kept in their favour.
    pub through_others: u64,
    /// Documents with the URL of the one kept in their favour: captures of one page.
    #[serde(default, skip_serializing_if = "is_none")]
    pub same_url: u64,
    /// The hosts with most of them, most first; ten at most.
    pub hosts: Vec<RemovedHost>,
}

impl RemovedCounts {
    /// All documents that go.
    pub fn documents(&self) -> u64 {
        let parts = [self.identical, self.lexical, self.near];
        parts.iter().map(|part| part.documents).sum()
    }

    /// Parts captures of one page from copies at other URLs.
    pub fn note_of_captures(&self) -> Option<String> {
        (self.same_url > 0).then(|| {
            format!(
                "captured again under the URL of the kept page: {}; at other URLs: {}",
                thousands(self.same_url),
                thousands(self.documents().saturating_sub(self.same_url))
            )
        })
    }
}

/// A document that goes, beside the one that is kept in its favour.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeastAlike {
    /// The document that goes.
    pub doc_id: i64,
    /// The one that is kept.
    pub kept_doc_id: i64,
    /// Their resemblance, as in `removed.parquet`.
    pub resemblance: f64,
}

/// Some of the documents that go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemovedCount {
    /// Documents.
    pub documents: u64,
    /// Bytes of their bodies.
    pub bytes: u64,
}

/// A host with documents that go.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemovedHost {
    /// The host, in lower case.
    pub host: String,
    /// Its documents that go.
    pub documents: u64,
}

impl SketchCounts {
    /// Says how many pages have so little main text that they are told by their source.
    pub fn note_of_short_pages(&self) -> Option<String> {
        let count = self.documents_below_min_words;
        (count > 0).then(|| {
            format!(
                "{}: main text below min-words, alike only to pages that are equal.",
                counted(count, "page")
            )
        })
    }
}

impl InputCounts {
    /// Says that ids stand at more than one document, and what to do.
    pub fn note_of_ids(&self) -> Option<String> {
        (self.repeated_ids > 0).then(|| {
            format!(
                "ids that stand at more than one document: {}; use doc_id, or name a field of unique ids \
                 (id-field in [input])",
                thousands(self.repeated_ids)
            )
        })
    }

    /// Records not used, for all reasons.
    pub fn rejected_total(&self) -> u64 {
        total(self.rejected.values())
    }
}

/// A value as the bytes of the file `name`: indented JSON, a line feed at the end.
pub fn json_file(name: &str, value: &impl Serialize) -> Result<Vec<u8>, OutputError> {
    let text = serde_json::to_string_pretty(value);
    let text = text.map_err(|error| OutputError::write(name)(error.into()))?;
    Ok((text + "\n").into_bytes())
}
