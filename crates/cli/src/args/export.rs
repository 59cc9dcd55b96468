//! `pipeline export` as it is typed.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// A published table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TableName {
    /// Every document.
    Documents,
    /// Every document's classes and cluster.
    Membership,
    /// Every removed document, and the one kept instead.
    Removed,
    /// Every host and host of which it holds copies.
    #[value(name = "host_pairs")]
    HostPairs,
    /// Every cluster of two or more.
    Clusters,
    /// Every link between representatives.
    Pairs,
    /// Every common shingle.
    Common,
    /// Every passage that stands at more than one place.
    Passages,
    /// Every URL of two consecutive snapshots, and what became of it.
    Changes,
    /// Every URL that is gone while its content has a new one.
    Moved,
    /// Every host of two consecutive snapshots, and what became of its URLs.
    #[value(name = "host_changes")]
    HostChanges,
    /// The changes of clusters from one publication to the next.
    #[value(name = "cluster_changes")]
    ClusterChanges,
    /// All of these that are published, in one SQLite file.
    All,
}

/// A format of tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TableFormat {
    /// Apache Parquet.
    Parquet,
    /// One JSON object a row.
    Jsonl,
    /// Comma-separated values with a head line.
    Csv,
    /// An Arrow IPC file.
    Arrow,
    /// A SQLite database; in builds with the feature `sqlite`.
    Sqlite,
}

/// `pipeline export`.
#[derive(Args, Debug)]
pub(crate) struct ExportArgs {
    /// The table
    pub(crate) table: TableName,

    /// The format [default: by the ending of FILE: .parquet, .jsonl, .csv, .arrow or .sqlite;
    /// without one, jsonl]
    #[arg(short, long)]
    pub(crate) format: Option<TableFormat>,

    /// Write JSON lines, as --format jsonl does
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,

    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Write CSV texts as they are; by default, a ' precedes texts that a spreadsheet would run as
    /// formulas
    #[arg(long)]
    pub(crate) verbatim: bool,
}
