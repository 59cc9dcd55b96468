//! A model of the collection that AltaVista clustered in April 1996, at any size.
//!
//! *Input.* A seed and a number of documents. *Output.* Pages in the formats of crawls ([`pages`]),
//! or sketches as the phase `sketch` leaves them ([`sketches`]). *Algorithm.* [`Model`] says what
//! document n is, from n alone: alone, one of a group of identical documents, or one of a cluster
//! of near-copies; how long; in which template. Both outputs follow it. *Memory.* The sizes of
//! groups, some thousands of entries, and one document a thread. *Limits.* 2^32 − 2 documents.
//!
//! | figure | in *Syntactic Clustering of the Web*, "Status" | here |
//! |---|---|---|
//! | documents | 30 M, 150 GB, 5 KB each | as many as asked for; [`Figures`] of 30 M in proportion |
//! | shingles kept | 600 M | 600 M of the representatives, which is what reaches `sort` |
//! | clusters | 3.6 M of 12.3 M documents | the same |
//! | of identical documents only | 2.1 M of 5.3 M documents | the same |
//! | the others | 1.5 M of 7 M documents, "a mixture of exact duplicates and similar" | 5.4 M different documents and 1.6 M copies |
//!
//! **Assumptions, where the paper is silent.** Of the copies among near-copies five of ten are
//! identical, three lexically equal, two equal in their shingles. Sizes of groups fall as powers
//! (−15/4 of identical ones, −11/4 of clusters). Near-copies differ from the first document of
//! their cluster in one word of 71, so they keep 0.865 of its shingles; every tenth is an excerpt
//! of 60 to 90 %. Lengths are log-normal (σ = 0.9).
//!
//! **Common shingles.** They are those of templates ("shared header or footer information on a
//! large number of automatically generated pages"): the number of templates of k pages falls as
//! k^−2, from 2 to 100,000 pages, so those of more than 1000 are the heavy tail that is ignored.
//!
//! **Why 1.38 G increments.** The third phase took at most 20 GB and its result 6 GB. That most is
//! reached in the last merge, when its runs and the result are both there: 14 GB of runs. With 10
//! bytes for ⟨ID, ID, count⟩ (4 + 4 + 2) this is 1.4 G triples before, and the result is 500 to 600
//! M different pairs (12 or 10 bytes). The number of templates is set so that a run has 1.38 G
//! increments and 520 M different pairs (docs/runs/altavista-bits). Two of five increments are
//! between near-copies, three between pages of a template.

mod bands;
mod fingerprints;
pub(crate) mod groups;
pub(crate) mod pages;
mod permutation;
mod plan;
pub(crate) mod sketches;

pub(crate) use permutation::Permutation;
pub(crate) use plan::{Change, Copy, Document, Model};

/// The counts of the Status section, and those that follow from them for a model of that size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Figures {
    /// Documents.
    pub(crate) documents: u64,
    /// Bytes of them.
    pub(crate) bytes: u64,
    /// Shingles kept.
    pub(crate) shingles: u64,
    /// Clusters of identical documents only.
    pub(crate) identical_clusters: u64,
    /// Documents in them.
    pub(crate) identical_documents: u64,
    /// The other clusters.
    pub(crate) mixed_clusters: u64,
    /// Documents in them.
    pub(crate) mixed_documents: u64,
    /// Different documents among those; assumed.
    pub(crate) mixed_distinct: u64,
    /// Increments of pair counts; derived.
    pub(crate) increments: u64,
}

/// The collection of 1996.
pub(crate) const ALTAVISTA: Figures = Figures {
    documents: 30_000_000,
    bytes: 150_000_000_000,
    shingles: 600_000_000,
    identical_clusters: 2_100_000,
    identical_documents: 5_300_000,
    mixed_clusters: 1_500_000,
    mixed_documents: 7_000_000,
    mixed_distinct: 5_400_000,
    increments: 1_380_000_000,
};
