//! `pipeline dedup`: what goes, and where the copies go.

use clap::{Args, ValueEnum, ValueHint};
use std::ffi::OsString;
use std::path::PathBuf;

/// How links become clusters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LinkageChoice {
    /// Connected components.
    Components,
    /// Remove only documents linked directly to the kept one.
    Star,
    /// As star, but assign each removed document to the most similar kept one.
    Leader,
}

/// `pipeline dedup`.
#[derive(Args, Debug)]
pub(crate) struct DedupArgs {
    /// Without a configuration, with --against or --remove: files, directories and globs to copy,
    /// `@FILE` for a list of them, - for a list on standard input
    #[arg(value_name = "INPUT")]
    pub(crate) inputs: Vec<OsString>,

    /// The directory of the copies: new or empty, or one where the same command was interrupted
    #[arg(short, long, value_name = "DIR", required_unless_present_any = ["list", "kept", "dry_run"])]
    pub(crate) output: Option<PathBuf>,

    /// Only print the doc_ids of removed documents; with --json also their ids and URLs
    #[arg(long, conflicts_with_all = ["output", "dry_run"])]
    pub(crate) list: bool,

    /// Print the kept documents instead, with --list
    #[arg(long, requires = "list", conflicts_with_all = ["output", "dry_run"])]
    pub(crate) kept: bool,

    /// Remove nothing, but write the rows of JSONL and Parquet with cluster, class and fate, and a
    /// CDXJ index beside each WARC file
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

    /// Remove a document only if a kept one contains this share of its runs of words, 0 to 1, at
    /// 1.0 only if one has the same text but for white space; both are read again, and all text of
    /// a page counts, frames too
    #[arg(long, value_name = "SHARE", conflicts_with = "drop_all")]
    pub(crate) lossless: Option<f64>,

    /// Remove only documents that this [[input.source]], snapshot, file, directory or glob also
    /// has; do not copy it; may be given several times
    #[arg(long, value_name = "NAME|FILE", conflicts_with = "drop_all")]
    pub(crate) against: Vec<String>,

    /// Remove all documents of every cluster of two or more
    #[arg(long)]
    pub(crate) drop_all: bool,

    /// Remove the documents that this file names, and no others: doc_ids or ids, one a line, or
    /// JSON lines, CSV or Parquet with doc_id or id; decides without clusters
    #[arg(long, value_name = "LIST", value_hint = ValueHint::FilePath)]
    #[arg(conflicts_with_all = ["against", "drop_all", "lossless", "linkage", "keep"])]
    pub(crate) remove: Option<PathBuf>,

    /// Cut the passages that stay at another place, and remove no other document; the run must
    /// have looked for passages. JSONL, Parquet and texts only
    #[arg(long, conflicts_with_all = ["kept", "annotate", "linkage", "keep", "lossless", "against", "drop_all", "remove"])]
    pub(crate) passages: bool,

    /// With --passages: remove a document of which fewer words would stay
    #[arg(
        long,
        value_name = "WORDS",
        requires = "passages",
        default_value_t = 20
    )]
    pub(crate) rest: u32,

    /// With --passages: put this text in place of each part that is cut
    #[arg(
        long,
        value_name = "TEXT",
        requires = "passages",
        default_value = "",
        hide_default_value = true
    )]
    pub(crate) marker: String,

    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
