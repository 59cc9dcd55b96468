//! Phase 3 and the engine room of the others: sorting more records than memory holds.
//!
//! *Input.* Records of one fixed-width type, in any order, pushed one by one. *Output.* The same records in order,
//! pulled one by one; equal ones combined if the [`Combine`] says so (counts added). *Algorithm.* Divide, sort, merge
//! (*Syntactic Clustering of the Web*, "Algorithms"): a buffer is filled, sorted, combined and written as a run; runs
//! are merged by a loser tree, in several passes when there are more than the budget or the open-file limit allows at
//! once. *Memory.* `memory_bytes`, by whichever is in use: the buffer, or one block a run of a merge. *Disk.* Each
//! record is written once a pass; runs are removed as soon as they are merged, and when the sort is dropped.
//! *Limits.* 2^64 records; a merge of at least 2 runs, however small the budget.

mod chunks;
mod combine;
mod loser_tree;
mod memory;
mod runs;
mod sorter;

pub use combine::{Combine, Distinct, Keep, SumShared};
pub use memory::{BudgetError, MemoryBudget, Reservation};
pub use sorter::{SortSpec, Sorted, Sorter};
