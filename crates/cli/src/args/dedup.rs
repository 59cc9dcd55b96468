//! `pipeline dedup`: what goes, and where the copies go.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// How links become clusters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LinkageChoice {
    /// Whatever a chain of links joins.
    Components,
    /// Nothing goes that is not itself linked to what is kept.
    Star,
    /// The same; a document goes in favour of the kept one that it resembles most.
    Leader,
}

/// `pipeline dedup`.
#[derive(Args, Debug)]
pub(crate) struct DedupArgs {
    /// The directory of the copies: new or empty, or one where the same command was interrupted
    #[arg(short, long, value_name = "DIR", required_unless_present_any = ["list", "kept", "dry_run"])]
    pub(crate) output: Option<PathBuf>,

    /// Only print the doc_ids of removed documents; with --json also their ids and URLs
    #[arg(long, conflicts_with_all = ["output", "dry_run"])]
    pub(crate) list: bool,

    /// With --list: print the documents that stay
    #[arg(long, requires = "list", conflicts_with_all = ["output", "dry_run"])]
    pub(crate) kept: bool,

    /// Remove nothing: write the rows of JSONL and Parquet with cluster, class and fate, and a CDXJ
    /// index beside each WARC file
    #[arg(long, requires = "output", conflicts_with_all = ["list", "dry_run"])]
    pub(crate) annotate: bool,

    /// Only print the counts
    #[arg(short = 'n', long, conflicts_with = "output")]
    pub(crate) dry_run: bool,

    /// Use this linkage for this call, instead of that of the run
    #[arg(long)]
    pub(crate) linkage: Option<LinkageChoice>,

    /// Use this choice of the kept document for this call: first, longest, oldest, newest,
    /// field:NAME[:desc], hosts:[A,B]
    #[arg(long)]
    pub(crate) keep: Option<String>,

    /// Remove a document only if this share of its text, 0 to 1, is in a document that stays; both
    /// are read again and all their words compared. Words are letters and digits: symbols and emoji
    /// do not count
    #[arg(long, value_name = "SHARE", conflicts_with = "drop_all")]
    pub(crate) lossless: Option<f64>,

    /// Remove only documents that this [[input.source]] or snapshot also has; do not copy it
    #[arg(long, value_name = "NAME", conflicts_with = "drop_all")]
    pub(crate) against: Option<String>,

    /// Remove all documents of every cluster of two or more
    #[arg(long)]
    pub(crate) drop_all: bool,

    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
