//! Phase 4: groups of equal shingles → ⟨id, id, n⟩; common shingles set aside.
//!
//! *Input.* Postings sorted by (shingle, document). *Output.* ⟨a, b, n⟩ for every two documents
//! that share `n` shingles, sorted; for a shingle over the limit no pair, but its frequency, and a
//! loss for each of its documents. *Algorithm.* *Syntactic Clustering of the Web*, "The clustering
//! algorithm", third phase, and "Common shingles". The paper writes each pair of a group and adds
//! up by sorting; here [`expand`] gives each group as a list of documents, the caller parts the
//! lists by their lower documents, and [`Rows`] counts a range of these in memory, document by
//! document: a list of k documents is written as at most k words for each range it touches, instead
//! of k²/2 pairs. Where lists of near-duplicates begin with the same document, [`Blocks`] counts
//! them as bits, and each of their pairs is written once. *Memory.* `held_max` document numbers,
//! and what [`Rows`] is given; a larger group is read again from its place, block by block. *Disk.*
//! None here. *Limits.* A group under the limit of n documents stands for n (n − 1) / 2 increments.

mod block;
mod blocks;
mod counter;
mod expand;
mod held;
mod lists;
mod named;
mod needs;
mod row;
mod rows;

pub use blocks::Blocks;
pub use expand::{ExpandParams, Expansion, PairSink, PostingSource, Shard, expand};
pub use lists::{LIST_DOCUMENTS_MAX, List, Lists, put_list, words_of};
pub use named::{Named, Namings, Reaching};
pub use needs::{Needs, NeedsOf};
pub use rows::Rows;
