//! `pipeline.toml`: read, checked as a whole, and turned into plain values.
//!
//! *Input.* One TOML file, and values that replace some of its values for one run. *Output.* A
//! [`Config`], every value of which is in its range, or [`ConfigErrors`] with all problems.
//! *Steps.* `load` parses the text to a tree; `read` takes the keys of the table in `keys` from it
//! and checks each by itself; `validate` gives them their meaning and checks them against each
//! other. `show` makes the file of `init`, the guide's list and the schema of the same table.
//! *Files read.* The configuration, and `seed-file` if one is named. Directories are looked at,
//! never written. A list of snapshots beside the configuration is the input. *Limits.* Paths in an
//! `@list` are not looked at, so such a list can name files of the work directory unnoticed.

mod beside;
mod canonical;
mod check;
mod edit;
mod keys;
mod kind;
mod load;
mod nearest;
mod overrides;
mod problem;
mod read;
mod rules;
mod schema;
mod show;
mod size;
#[cfg(test)]
mod tests;
mod types;
mod validate;
mod values;

pub use beside::Reference;
pub use edit::{with_text, with_texts};
pub use load::{load, load_from, load_with, parse, parse_keep, parse_with, read_text};
pub use nearest::nearest;
pub use overrides::key_path;
pub use problem::{ConfigErrors, Problem, position};
pub use schema::schema;
pub use show::{default_toml, guide_list};
pub use size::{SIZE_BYTES_MAX, parse_size};
pub use types::{
    ClusterConfig, Common, Config, InputConfig, InputFrom, PairsConfig, PassagesConfig,
    SketchConfig, SnapshotPath, SnapshotsConfig, SourceConfig, WorkConfig,
};
pub use validate::taken_in;

/// The default configuration: the `pipeline.toml` of the repository, which a test holds equal to
/// [`default_toml`] with [`DEFAULT_SEED`].
pub const DEFAULT_TOML: &str = include_str!("../../../pipeline.toml");

/// The seed of [`DEFAULT_TOML`]. Everyone knows it, so it protects nothing.
pub const DEFAULT_SEED: &str = "change me";

/// The list of snapshots, beside the configuration.
pub const SNAPSHOTS_FILE: &str = "snapshots.toml";

/// `common-shingle-limit = "unlimited"`: no collection has more documents.
pub const UNLIMITED_COMMON_SHINGLES: u32 = u32::MAX;
