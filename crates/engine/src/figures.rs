//! The figures of each phase, as the manifest keeps them.
//!
//! They follow from inputs and parameters alone. `report.json` is made from them, and the next run
//! goes on from some of them.

use crate::field_types::join_types;
use output::ClassCounts;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The figures of phase `sketch`: of a segment, a snapshot, or all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SketchFigures {
    /// Documents.
    pub documents: u64,
    /// Bytes of their bodies.
    pub bytes: u64,
    /// Bytes of their URLs.
    pub url_bytes: u64,
    /// Their shingles.
    pub shingles: u64,
    /// Shingles in their sketches.
    pub sampled: u64,
    /// Documents without tokens.
    pub without_tokens: u64,
    /// Documents with fewer tokens than make a shingle.
    pub short: u64,
    /// Rejected records, by reason.
    pub rejected: BTreeMap<String, u64>,
    /// Skipped records, by type.
    pub skipped: BTreeMap<String, u64>,
    /// Documents with a flag, by flag.
    pub flags: BTreeMap<String, u64>,
    /// Types of the carried fields, as numbers.
    pub field_types: BTreeMap<String, u64>,
}

impl SketchFigures {
    /// Adds up.
    pub fn add(&mut self, more: &SketchFigures) {
        self.documents += more.documents;
        self.bytes += more.bytes;
        self.url_bytes += more.url_bytes;
        self.shingles += more.shingles;
        self.sampled += more.sampled;
        self.without_tokens += more.without_tokens;
        self.short += more.short;
        for (into, more) in [
            (&mut self.rejected, &more.rejected),
            (&mut self.skipped, &more.skipped),
            (&mut self.flags, &more.flags),
        ] {
            for (name, n) in more {
                *into.entry(name.clone()).or_default() += n;
            }
        }
        for (name, kind) in &more.field_types {
            let known = self.field_types.entry(name.clone()).or_default();
            *known = join_types(*known, *kind);
        }
    }
}

/// The figures of a finished segment of phase `sketch`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SegmentFigures {
    /// The figures of the documents that were sketched.
    pub sketched: SketchFigures,
    /// The pieces of files that have something to tell, by their place in the segment.
    pub pieces: BTreeMap<usize, PieceFigures>,
}

/// Where a piece of a file began and ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PieceFigures {
    /// The offset from which it was read.
    pub from: Option<u64>,
    /// The offset of its first record.
    pub first: Option<u64>,
    /// The offset behind its last record.
    pub next: Option<u64>,
    /// Its lines, if it has any.
    pub lines: Option<u64>,
    /// A digest of its bytes.
    pub digest: Option<u64>,
    /// Its file could not be opened.
    pub is_unread: bool,
}

/// The figures of phase `distinct`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DistinctFigures {
    /// Classes of equal documents.
    pub classes: ClassCounts,
    /// Documents that another one represents.
    pub represented: u64,
}

/// The figures of phase `pairs`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PairsFigures {
    /// Different shingles.
    pub shingles: u64,
    /// Shingles of one document only.
    pub shingles_in_one_document: u64,
    /// Postings of common shingles.
    pub common_postings: u64,
    /// Increments of pair counts.
    pub increments: u64,
    /// ⟨shingle, document⟩ of the representatives.
    pub postings: u64,
    /// Common shingles.
    pub common_shingles: u64,
    /// Pairs whose sketches of a fixed size were compared.
    pub compared_pairs: u64,
    /// Pairs whose counts were completed by common shingles.
    pub whole_pairs: u64,
    /// Pair counts in all files.
    pub pairs: u64,
}

/// The state that the next run of phase `pairs` goes on from, beside files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PairsLevels {
    /// The figures so far.
    pub figures: PairsFigures,
    /// The first document of the last step, if there is a file of its pairs.
    pub new_pairs_from: Option<u32>,
    /// Pairs without a document of the last step, if they were counted.
    pub other_pairs: Option<u64>,
}

/// The figures of phase `settle`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SettleFigures {
    /// Pairs that were chosen.
    pub chosen: u64,
    /// Pairs with exact counts.
    pub settled: u64,
    /// Pairs of an earlier run.
    pub taken_over: u64,
    /// A digest of the pairs that could not be compared; 0 if there are none.
    pub uncompared: u64,
    /// Files of the input with documents that could not be read as they were, by their numbers in
    /// the listing.
    pub unread_files: BTreeSet<u32>,
}

/// Links, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LinkFigures {
    /// Links of all kinds.
    pub links: u64,
    /// Links that reach the resemblance.
    pub resemblance: u64,
    /// Links that reach the containment.
    pub directed: u64,
    /// Pairs that were judged.
    pub pairs: u64,
}

/// Clusters, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ClusterSums {
    /// Clusters.
    pub clusters: u64,
    /// Documents in them.
    pub documents: u64,
    /// Clusters of identical documents only.
    pub identical_clusters: u64,
    /// Documents in those.
    pub identical_documents: u64,
    /// Representatives in clusters.
    pub representatives: u64,
    /// Documents that are removed.
    pub removed: u64,
}

/// The figures of phase `passages`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PassageFigures {
    /// Passages.
    pub passages: u64,
    /// Documents with passages, of those that count.
    pub documents: u64,
    /// Tokens in passages.
    pub words: u64,
    /// Documents that could not be read again as they were.
    pub unread: u64,
    /// The first files of the input with such documents, by their numbers in the listing. The phase
    /// runs again when one of them has its bytes again.
    pub unread_files: BTreeSet<u32>,
}

/// The figures of phase `cluster`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ClusterFigures {
    /// Links.
    pub links: LinkFigures,
    /// Links that reach the resemblance and are published.
    pub published_links: u64,
    /// Clusters.
    pub clusters: ClusterSums,
}
