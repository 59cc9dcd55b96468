//! Phase 5: estimates → links → clusters.
//!
//! *Input.* Overlaps of pairs of representatives, in order of the pairs; classes; what `keep` ranks
//! by. *Output.* Links, the cluster of every document in one, and which member is kept.
//! *Algorithm.* *Syntactic Clustering of the Web*, "The clustering algorithm", last phase: a link
//! where a threshold is reached, union-find over links ([`UnionFind`]); or, for those who delete, a
//! star round each kept class ([`Star`]). What the clusters are is folded from sorted members
//! ([`ClusterFold`]) or added up in memory ([`Tallies`]). *Memory.* One 32-bit cell a document, in
//! whatever store implements [`Cells`], so that it can lie on disk when it does not fit. *Disk.*
//! None here. *Limits.* 2^32 − 1 documents.

mod candidate;
mod cells;
mod keep;
mod link;
pub mod policy;
mod star;
mod tally;
mod union_find;
mod weakest;

pub use candidate::{Candidate, Cluster, ClusterFold, Member, first_bytes};
pub use cells::{Cells, VecCells};
pub use keep::{Attributes, FieldRef, NUMBER_RANK_BYTES, RANK_BYTES, Rank, rank, rank_bytes};
pub use link::{LinkPolicy, Part, Reached, Sieve};
pub use policy::{Keep, Linkage};
pub use star::{Star, StarEdge};
pub use tally::{Decided, Tallies};
pub use union_find::{Sets, UnionFind};
pub use weakest::WeakestLink;
