//! Phase 3 and the engine room of the others: sorting more records than memory holds.
//!
//! *Input.* Records of one fixed-width type, in any order, pushed one by one or in slices, by one
//! thread or through a [`Feeder`] a thread. *Output.* The same records in order, one by one, in
//! slices, or part by part on several threads; equal ones combined if the [`Combine`] says so
//! (counts added). The result depends on the records alone.
//!
//! *Algorithm.* Divide, sort, merge (*Syntactic Clustering of the Web*, "Algorithms"), with the
//! division first, as in the distribution sorts of Knuth, *Sorting and Searching*, 5.4.9. Records
//! go by their prefix ([`model::Record::prefix`]) to one of up to 256 parts, each with a block of
//! up to 1 MiB (`lane`, `shape`; `code` says how they lie in it). A full block stays in memory
//! while there is room, else it is written to the part's file; the records of each of the part's
//! 2048 bins are counted as it goes (`store`). So when a part is read back, every record goes
//! straight to its bin (`part_sort`), and bins of a few hundred records are sorted in the cache
//! (`bin_sort`). There is no merge: parts follow each other. Threads sort parts ahead of whoever
//! takes them (`line`), or use them side by side (`parts`).
//!
//! *Skew.* A part that does not fit memory is sorted by a sort of its own, over the range of
//! prefixes it has (`wide`). Where prefixes do not tell records apart, and where memory is too
//! small for parts, sorted runs are merged by a loser tree (`run_sorter`), which does not care how
//! keys are spread.
//!
//! *Memory.* `memory_bytes` covers all of it: while records come in, the batch and the blocks of
//! each lane, full blocks and the counts of the bins; later the parts under way. What fits is never
//! written. *Disk.* Each record is written once if keys are spread as expected; each time its part
//! does not fit memory, once more. Files are removed as soon as they are read, and when the sort is
//! dropped. *Limits.* 2^64 records; 2^32 of a bin that is sorted in memory.

mod bin_sort;
mod code;
mod combine;
mod lane;
mod line;
mod loser_tree;
mod memory;
mod part_sort;
mod parts;
mod run_sorter;
mod runs;
mod shape;
mod sorted;
mod sorter;
mod spec;
mod store;
#[cfg(test)]
mod tests;
mod wide;

pub use combine::{Combine, Distinct, Keep, SumShared};
pub use memory::{BudgetError, MemoryBudget, Reservation};
pub use parts::Part;
pub use sorted::Sorted;
pub use sorter::{Feeder, Sorter};
pub use spec::{Prefixes, SortSpec};
