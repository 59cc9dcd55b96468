//! The state of a run, [`Engine`], and the work directory that it reads and writes.
//!
//! [`intake`] finds the input of a run. [`segments`] reads the files of the sketch phase as one
//! stream. [`merge_levels`] keeps results from run to run and merges them, as an LSM tree does.
//! [`work_dir`] removes leftovers.

pub mod cells;
mod compared_pairs;
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
mod represented;
pub mod segments;
pub mod settled_pairs;
mod sketch_sizes;
pub mod work_dir;

pub use compared_pairs::{COMPARED, ComparedPairs};
pub use document_set::DocumentSet;
pub use engine::{Engine, RunStart};
pub use lookup::{Classes, SizeLookup};
pub use reading::Reading;
pub use represented::RepresentedLookup;
pub use settled_pairs::SettledPairs;
pub use sketch_sizes::{COMMON_OF_DOCUMENTS, CommonCounts, DocumentSizes, SketchSizes};
