//! `pipeline query`: what a publication knows of documents, URLs, clusters and common shingles.
//!
//! *Input.* The query index of the newest publication of a configuration; for words, the documents themselves, read again
//! from the input. *Output.* An answer that prints itself, as text or JSON. *Algorithm.* Lookups of [`query::Index`].
//! *Memory.* What is shown. *Disk.* Read-only. *Limits.* Answers are those of the publication, whatever the configuration
//! says by now; only the seed has to be the one it was made with.

mod open;

pub(crate) use open::damaged;
pub use open::{open, outdated};
