//! Phase 4: groups of equal shingles → ⟨id, id, n⟩; common shingles set aside.
//!
//! *Input.* Postings sorted by (shingle, document). *Output.* A pair for every two documents of a group; for a group over
//! the limit no pair, but its frequency, and a loss for each of its documents. *Algorithm.* *Syntactic Clustering of the
//! Web*, "The clustering algorithm", third phase, and "Common shingles". The copies of a page share most of their
//! shingles, so the same list of documents comes back shingle after shingle: [`EqualLists`] counts equal lists, and each
//! makes its pairs once, with its count. The pairs are added up by the caller's sort. *Memory.* `held_max` document
//! numbers, and what [`EqualLists`] is given; a group that is larger is not held but read again from its place, block by
//! block. *Disk.* None here. *Limits.* A group under the limit of n documents makes n (n − 1) / 2 pairs.

mod expand;
mod lists;

pub use expand::{ExpandParams, Expansion, PairSink, PostingSource, Shard, expand};
pub use lists::{EqualLists, Lists, list_hash, pairs_of, put_list};
