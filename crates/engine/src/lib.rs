//! The state of a run, [`Engine`], and the work directory that it reads and writes.
//!
//! [`runtime`] has the names of the phases, errors with exit codes, signals, the lock, progress.
//! [`intake`] finds the input of a run. [`segments`] reads the files of the sketch phase as one
//! stream. [`merge_levels`] keeps results from run to run and merges them, as an LSM tree does.
//! [`work_dir`] removes leftovers. *Errors.* A file is missing, damaged, or cannot be read or
//! written; the run is interrupted.

pub mod cells;
mod costs;
mod document_set;
pub mod document_tables;
mod engine;
pub mod field_types;
pub mod figures;
pub mod intake;
mod lookup;
pub mod merge_levels;
mod open_files;
pub mod optional_files;
pub mod reading;
pub mod runtime;
mod scratch;
pub mod segments;
mod sketch_sizes;
pub mod work_dir;

pub use document_set::DocumentSet;
pub use engine::{Engine, RunStart};
pub use lookup::{COMPARED, Classes, SizeLookup};
pub use reading::Reading;
pub use runtime::{Error, Holder, PhaseName, Reporter};
pub use scratch::ScratchDir;
pub use sketch_sizes::{COMMON_OF_DOCUMENTS, CommonCounts, DocumentSizes, SketchSizes};

/// The records of a file, asked for by ascending keys.
pub type FileLookup<R> = sort::Lookup<format::RecordReader<R>>;
