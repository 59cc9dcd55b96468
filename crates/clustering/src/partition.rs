//! Decides which pairs of documents are links, joins links into clusters, and chooses the documents
//! of each cluster that are kept.
//!
//! *Input.* Overlaps of pairs of representatives, in order of the pairs; classes; the attributes by
//! which `keep` ranks documents. *Output.* Links, the cluster of each document, and the document
//! that is kept in its favour.
//!
//! ```
//! use clustering::partition::UnionFind;
//! use model::{LinkPolicy, Overlap, Threshold, VecCells};
//!
//! let policy = LinkPolicy {
//!     resemblance: Threshold::hundredths(50),
//!     containment: None,
//!     containment_joins: false,
//!     sampled_containment_min: LinkPolicy::SAMPLED_CONTAINMENT_MIN,
//!     min_shared: 2,
//! };
//! let mut sets = UnionFind::new(VecCells::new(4));
//! for (a, b, shared) in [(0, 1, 9), (1, 3, 8), (2, 3, 1)] {
//!     let overlap = Overlap { shared, size_a: 10, size_b: 10, modulus: 1 };
//!     if policy.judge(&overlap).is_some_and(|met| policy.joins(met)) {
//!         sets.join(a, b)?;
//!     }
//! }
//! // A cluster is named by its lowest document; document 2 is alone.
//! assert_eq!(sets.find(3)?, 0);
//! assert_eq!(sets.find(2)?, 2);
//! # Ok::<(), std::convert::Infallible>(())
//! ```
//!
//! *Algorithm.* *Syntactic Clustering of the Web*, "The clustering algorithm", last phase: a pair
//! is a link if it reaches a threshold ([`model::LinkPolicy`]), and connected documents form a
//! cluster ([`UnionFind`]). To delete duplicates safely, a cluster can keep a document of each star
//! around a class ([`Keepers`]). The figures of clusters are added up range by range ([`Tallies`]).
//! Of the links of a dense cluster, a few are published ([`LinkChooser`]). *Memory.* One 32-bit
//! cell for each document, in any store that implements [`model::Cells`], so that it can be on disk
//! if it does not fit. *Disk.* None here. *Limits.* 2^32 − 1 documents.

mod keep;
mod leader;
mod link_chooser;
mod pair_rule;
mod settle_rule;
mod star;
mod tally;
mod union_find;
mod weakest;

pub use keep::{
    Attributes, FieldRef, NUMBER_RANK_BYTES, RANK_BYTES, Rank, first_bytes, rank, rank_bytes,
};
pub use leader::{LeaderEdge, Leaders};
pub use link_chooser::{LinkChooser, weakness};
pub use pair_rule::{LinkRule, PairRule};
pub use settle_rule::SettleRule;
pub use star::{Keepers, StarEdge};
pub use tally::{Candidate, Cluster, Tallies};
pub use union_find::UnionFind;
pub use weakest::WeakestLink;
