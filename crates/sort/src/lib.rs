//! Sorts more records than fit in memory.
//!
//! *Input.* Records of one fixed-width type ([`model::Record`]) in any order. One thread pushes
//! them one by one or in slices, or several threads push through a [`Feeder`] each. *Output.* The
//! same records in order: one by one, in slices, or partition by partition on several threads. A
//! [`Combine`] may join equal records, for example by adding their counts. The result depends on
//! the records alone, not on memory or threads. *Errors.* A spilled file cannot be written or read,
//! or is damaged.
//!
//! ```
//! use format::Disk;
//! use model::PairCount;
//! use sort::{SortSpec, Sorter, SumShared};
//!
//! let dir = std::env::temp_dir();
//! // 1 MiB of memory; what does not fit is spilled to files `example.run-*` in `dir`.
//! let spec = SortSpec::new(Disk::default(), dir, "example".into(), 1 << 20);
//! let mut sorter = Sorter::new(spec, SumShared);
//! for (a, b) in [(7, 9), (2, 3), (7, 9)] {
//!     sorter.push(PairCount { a, b, shared: 1 })?;
//! }
//! let mut sorted = sorter.finish()?;
//! let mut pairs = Vec::new();
//! while let Some(pair) = sorted.next()? {
//!     pairs.push((pair.a, pair.b, pair.shared));
//! }
//! assert_eq!(pairs, [(2, 3, 1), (7, 9, 2)]);
//! # Ok::<(), format::FormatError>(())
//! ```
//!
//! # How it works
//!
//! *Syntactic Clustering of the Web* ("Algorithms") divides, sorts and merges. Here the division
//! comes first (distribution sort: Knuth, *Sorting and Searching*, 5.4.9), so nothing is merged.
//! "Part" is short for partition.
//!
//! 1. `layout` decides how many parts and blocks the memory allows.
//! 2. Each thread encodes its records into one open block for each part (`thread_partitioner`,
//!    `block_encoding`).
//! 3. A full block stays in memory while there is space, else it is appended to the file of the
//!    part (`part_store`). The records of each of the part's bins, up to 2048, are counted as it
//!    arrives.
//! 4. A part is read back (`part_buffer`). The counts say where each bin begins, so every record
//!    goes straight to its bin; a bin of a few hundred records is then sorted in the cache
//!    (`bin_sort`).
//! 5. The parts follow each other (`sorted`). Threads sort parts ahead of the reader
//!    (`part_queue`), or use the sorted parts side by side (`parallel_parts`).
//!
//! *Why it is fast.* A record is moved three times, whatever their number: into a block, into a
//! bin, and within the bin, where all accesses hit the cache. Writes are large (blocks of up to 1
//! MiB). A merge would instead compare each record log₂ k times with unpredictable outcomes.
//!
//! *After the sort.* Sorted records are read beside others by ascending keys ([`Stream`],
//! [`Lookup`]).
//!
//! *Small records.* Each type of records compiles a sorter of its own. Records of a few 32-bit
//! numbers that live only within a phase share a few ([`WordSorter`]).
//!
//! *Skew.* A part that does not fit memory is sorted by a sort of its own, over the range of
//! prefixes that it has (`oversized`). Where prefixes do not tell records apart, and where memory
//! is too small for parts, sorted runs are merged by a loser tree (`run_sorter`, `run_merge`,
//! `loser_tree`): merging works for every distribution of keys.
//!
//! *Memory.* `memory_bytes` covers everything: the batches and open blocks of all threads, the
//! full blocks in memory and the counts of the bins; later the parts being sorted. Nothing is
//! written if all records fit. *Disk.* Each record is written once if keys are spread as expected,
//! and once more whenever its part does not fit memory. Files are removed as soon as they are read,
//! and when the sort is dropped. *Limits.* 2^64 records; 2^32 in a part that is sorted in memory.

mod bin_sort;
mod block_encoding;
mod combine;
mod layout;
mod loser_tree;
mod memory;
mod oversized;
mod parallel_parts;
mod part_buffer;
mod part_queue;
mod part_store;
mod run_merge;
mod run_sorter;
mod sorted;
mod sorter;
mod spec;
mod stream;
mod sync;
#[cfg(test)]
mod tests;
mod thread_partitioner;
mod word_sorter;
mod workers;

pub use combine::{Combine, Distinct, KeepAll, SumShared};
pub use memory::{BudgetError, MemoryBudget, Reservation, Share};
pub use parallel_parts::Part;
pub use sorted::Sorted;
pub use sorter::{Feeder, Sorter};
pub use spec::{Prefixes, SortSpec};
pub use stream::{FromFn, Joined, Lookup, Stream, from_fn, from_slice};
pub use word_sorter::{SortedWords, WordSorter};
