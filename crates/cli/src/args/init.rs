//! `pipeline init` as it is typed.

use clap::Args;
use std::ffi::OsString;

/// `pipeline init`.
#[derive(Args, Debug)]
pub(crate) struct InitArgs {
    /// Files, directories and globs that the configuration names as its input, `@FILE` for a list
    /// of them [default: this directory]
    #[arg(value_name = "INPUT")]
    pub(crate) inputs: Vec<OsString>,

    /// The input is one crawl after another: each directory of this pattern is a snapshot, whose
    /// name stands at {name}; without a pattern, those that `pipeline snapshot add` names
    #[arg(long, value_name = "PATTERN", num_args = 0..=1, default_missing_value = "", conflicts_with = "inputs")]
    pub(crate) snapshots: Option<String>,

    /// Print the JSON schema of configurations instead, for editors that use taplo
    #[arg(long, conflicts_with_all = ["inputs", "snapshots"])]
    pub(crate) schema: bool,

    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
