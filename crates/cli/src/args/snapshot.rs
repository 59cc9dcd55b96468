//! `pipeline snapshot`: what is to be done to the list.

use super::ResultArgs;
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// The subcommands of `pipeline snapshot`.
#[derive(Debug, Subcommand)]
pub(crate) enum SnapshotVerb {
    /// Add files as a snapshot; the next run reads them
    #[command(after_help = "\
Paths are relative to the current directory. The snapshot consists of the files that are there \
now. Files that come later are not part of it, and a run refuses a file that changed.

Examples:
  pipeline snapshot add 2026-01-31 crawls/2026-01-31/
  pipeline snapshot add january --date 2026-01-31 'crawls/2026-01-*/*.warc.gz' @more.txt")]
    Add(SnapshotAddArgs),

    /// Show all snapshots, also dropped ones and those that the next run will add
    #[command(after_help = "Examples:\n  pipeline snapshot list\n  pipeline snapshot list --json")]
    List(ResultArgs),

    /// Drop a snapshot; the next run removes its documents, and its number and name are never used
    /// again
    #[command(after_help = "Examples:\n  pipeline snapshot drop 2026-01-31")]
    Drop(SnapshotDropArgs),
}

/// `pipeline snapshot add`.
#[derive(Args, Debug)]
pub(crate) struct SnapshotAddArgs {
    /// Its name, which no other snapshot ever had; its documents are published as
    /// documents/NAME.parquet
    pub(crate) name: String,

    /// Files, directories, globs; @FILE names a list of paths
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,

    /// Set its date, as 2026-01-31 or in RFC 3339 [default: the day that its name begins with, if
    /// any]
    #[arg(long, value_name = "DATE")]
    pub(crate) date: Option<String>,

    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// `pipeline snapshot drop`.
#[derive(Args, Debug)]
pub(crate) struct SnapshotDropArgs {
    /// Its name
    pub(crate) name: String,

    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
