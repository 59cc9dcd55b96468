//! Finds which documents share shingles, and how many: sorted postings → pair counts.
//!
//! *Input.* Postings sorted by (shingle, document): an inverted index. *Output.* ⟨a, b, n⟩ for
//! every two documents `a` < `b` that share `n` shingles, sorted by (a, b). A shingle in more
//! documents than the limit is *common*: its group is not paired. It is reported with its
//! documents, and each of these is proposed with few others ([`Proposals`]). Pairs that cannot
//! reach the floor may be left out ([`MinShared`]).
//!
//! ```
//! use model::Posting;
//! use phases::expansion::{ExpandParams, GroupSink, List, MinShared};
//! use phases::expansion::{PostingSource, RangeCounter, PostingShard};
//!
//! struct Postings(Vec<Posting>, usize);
//! impl PostingSource for Postings {
//!     type Error = ();
//!     fn next_slice(&mut self) -> Result<Option<&[Posting]>, ()> {
//!         let rest = &self.0[std::mem::replace(&mut self.1, self.0.len())..];
//!         Ok((!rest.is_empty()).then_some(rest))
//!     }
//!     fn seek(&mut self, position: u64) -> Result<(), ()> {
//!         self.1 = position as usize;
//!         Ok(())
//!     }
//! }
//!
//! struct Counting(RangeCounter);
//! impl GroupSink for Counting {
//!     type Error = ();
//!     fn list(&mut self, docs: &[u32]) -> Result<(), ()> {
//!         self.0.add(List::of(docs, 1)).then_some(()).ok_or(())
//!     }
//!     fn common(&mut self, _: u64, _: u64, _: u32) -> Result<(), ()> {
//!         Ok(())
//!     }
//!     fn common_of(&mut self, _: u32, _: u64) -> Result<(), ()> {
//!         Ok(())
//!     }
//! }
//!
//! // Shingle 5 is in documents 0, 1 and 2; shingle 6 in 0 and 2; shingle 7 in 1 only.
//! let postings = [(5, 0), (5, 1), (5, 2), (6, 0), (6, 2), (7, 1)];
//! let postings = postings.map(|(shingle, doc)| Posting { shingle, doc });
//! let mut counting = Counting(RangeCounter::new(1 << 20));
//! counting.0.begin(0..3);
//! let params = ExpandParams { common_limit: 1000, group_documents_max: 1000 };
//! let all = PostingShard { start: 0, end: 6 };
//! let mut postings = Postings(postings.to_vec(), 0);
//! phases::expansion::expand(&mut postings, all, params, &mut counting)?;
//! let mut pairs = Vec::new();
//! counting.0.emit(&MinShared::none(), |pair| {
//!     pairs.push((pair.a, pair.b, pair.shared));
//!     Ok::<(), ()>(())
//! })?;
//! assert_eq!(pairs, [(0, 1, 1), (0, 2, 2), (1, 2, 1)]);
//! # Ok::<(), ()>(())
//! ```
//!
//! # The forms of a group
//!
//! A *group* is all documents of one shingle. *Syntactic Clustering of the Web* ("The clustering
//! algorithm", third phase) writes each pair of each group and adds up equal pairs by sorting. Here
//! a group stays a list of its documents until its pairs are counted in memory, so that a group of
//! k documents is written as at most k words for each partition instead of k²/2 pairs. On the way
//! it has nine forms. This module does no I/O; modules with `pairs::` are those of [`crate::pairs`]
//! and move the forms to and from files.
//!
//! ```text
//!    form                                            made by                      kept in
//!  1 postings ⟨shingle, document⟩                    phase `sort`                 file
//!  2 group: documents of one shingle, in order       expand                       memory
//!        ── only with a floor: group by first document, then prune ──
//!  3 deferred list                                   pairs::deferred              file
//!        with document frequencies                   DocumentFrequencies          memory
//!  4 pruned list: without the documents that are     ListPruner,                  memory
//!        in too few lists                            CandidateDocuments
//!  5 distinct list: equal lists once, with a count   ListBuffer in ListCompactor  memory
//!  6 row list: one document and what it shares with  BitmapBlock in ListCompactor memory
//!        each of the others
//!        ── from here on with and without a floor ──
//!  7 partitioned list: ⟨length, documents, count⟩    pairs::list_partitions       file
//!        in each partition of its documents
//!  8 row: for one lower document, the tails of all   RangeCounter, PairRow        memory
//!        lists that contain it
//!  9 pair count ⟨a, b, n⟩                            RowCounter                   memory
//!        in order                                    pairs::ordered_writer        file
//! ```
//!
//! *Algorithm.* [`RangeCounter`] counts the pairs of a range of lower documents row by row. The
//! lists of near-duplicates that begin with the same document become row lists (`list_compactor`),
//! so that each of their pairs is written once. *Memory.* `group_documents_max` document numbers,
//! and the bytes that each structure is given; a larger group is read again from its start, block
//! by block. *Limits.* A group of n documents under the common limit stands for n (n − 1) / 2
//! increments of pair counts.

mod bitmap_block;
mod document_frequencies;
mod expand;
mod list_buffer;
mod list_compactor;
mod list_pruner;
mod lists;
mod min_shared;
mod pair_row;
mod proposals;
mod range_counter;
mod row_counter;
mod tail_range;

pub use document_frequencies::{CandidateDocuments, DocumentFrequencies, FrequencyCounter};
pub use expand::{ExpandParams, Expansion, GroupSink, PostingShard, PostingSource, expand};
pub use list_pruner::ListPruner;
pub use lists::{LIST_DOCUMENTS_MAX, List, Lists, put_list, words_of};
pub use min_shared::{MinShared, MinSharedBuilder};
pub use proposals::{Hubs, Proposals, ShingleRanks};
pub use range_counter::RangeCounter;
