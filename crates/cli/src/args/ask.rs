//! `pipeline compare`, `pipeline explain` and `pipeline tune` as they are typed.

use super::{ConfigArgs, SetArgs};
use clap::Args;
use std::ffi::OsString;
use std::path::PathBuf;

/// `pipeline compare`.
#[derive(Args, Debug)]
pub(crate) struct CompareArgs {
    /// A file; with --config also a doc_id or a URL of the run
    pub(crate) a: OsString,

    /// Another one
    pub(crate) b: OsString,

    /// The configuration of a run, whose parameters and common shingles are used
    #[arg(short, long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) set: SetArgs,

    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// `pipeline explain`.
#[derive(Args, Debug)]
pub(crate) struct ExplainArgs {
    /// A doc_id, URL or file; or the word `cluster`
    pub(crate) a: OsString,

    /// Another one; or the cluster's id
    pub(crate) b: OsString,

    /// The configuration of the run; by default pipeline.toml here, if it is needed
    #[arg(short, long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) set: SetArgs,

    /// Passages, links or documents listed at most, of each kind
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) limit: usize,

    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// `pipeline tune`.
#[derive(Args, Debug)]
pub(crate) struct TuneArgs {
    #[command(flatten)]
    pub(crate) config: ConfigArgs,

    /// Links shown between one threshold and the next, at most
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub(crate) sample: usize,

    /// Look at this resemblance besides, and show only links just below and just above it; may be
    /// given several times
    #[arg(long, value_name = "RESEMBLANCE")]
    pub(crate) at: Vec<f64>,

    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
