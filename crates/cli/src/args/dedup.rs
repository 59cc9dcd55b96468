//! `pipeline dedup`: what goes, and where the copies go.

use super::ConfigArgs;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// How links become clusters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LinkageChoice {
    /// Whatever a chain of links joins.
    Components,
    /// Nothing goes that is not itself linked to what is kept.
    Star,
}

/// `pipeline dedup`.
#[derive(Args, Debug)]
pub(crate) struct DedupArgs {
    #[command(flatten)]
    pub(crate) config: ConfigArgs,

    /// The directory of the copies: free, or one where the same command was interrupted
    #[arg(short, long, value_name = "DIR", required_unless_present_any = ["list", "dry_run"])]
    pub(crate) output: Option<PathBuf>,

    /// Only print the doc_ids of the documents that go; with --json also their ids and URLs
    #[arg(long, conflicts_with_all = ["output", "dry_run"])]
    pub(crate) list: bool,

    /// Only print the counts
    #[arg(short = 'n', long, conflicts_with = "output")]
    pub(crate) dry_run: bool,

    /// For this call, another linkage than that of the run
    #[arg(long)]
    pub(crate) linkage: Option<LinkageChoice>,

    /// For this call, another choice of the one that is kept: first, longest, oldest, newest,
    /// field:NAME[:desc], hosts:[A,B]
    #[arg(long)]
    pub(crate) keep: Option<String>,

    /// A document goes only if this share of its text, 0 to 1, is contained in the one that is
    /// kept; both are read again and compared exactly
    #[arg(long, value_name = "SHARE", conflicts_with = "drop_all")]
    pub(crate) lossless: Option<f64>,

    /// Remove only what this [[input.source]] has from the other sources, and copy only those
    #[arg(long, value_name = "NAME", conflicts_with = "drop_all")]
    pub(crate) against: Option<String>,

    /// Keep no member of a cluster of two or more
    #[arg(long)]
    pub(crate) drop_all: bool,

    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
