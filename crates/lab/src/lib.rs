//! Which method, which size, at which cost: the experiments of the papers, each as one command.
//!
//! *Input.* A [`Preset`], or documents of the user. *Output.* An [`Evaluation`]: what a paper
//! claims, what came out, tables, plots. *Algorithm.* The methods of the papers in plain form
//! (`methods`), over documents that are made from a seed, and the program itself for its four
//! phases. Figures of accuracy are the same every time; times are not. *Memory.* That of a preset
//! is fixed: at most 200 MB. That of documents is reserved in `work.memory`. *Disk.* At most 300 MB
//! in the temporary directory. *Limits.* The plain forms are slow: they are for comparison, and a
//! run of the program has forms of its own.

#[cfg(feature = "program")]
mod bench;
mod corpus;
mod cpu;
mod documents;
mod evaluation;
mod exact;
mod methods;
mod parquet_file;
mod plot;
mod presets;
mod probability;
mod program;
mod random;
mod set;
mod table;
mod words;

#[cfg(feature = "program")]
pub use bench::run;
pub use documents::{EvaluatedDocuments, evaluate_documents};
pub use evaluation::{Claim, Evaluation};
pub use parquet::errors::ParquetError;
pub use presets::Preset;
pub use program::remove_directories;
pub use table::{Cell, Table};
