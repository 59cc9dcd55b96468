//! `pipeline compare`, `explain`, `tune`, `inspect`, `tokens` and `shingles` as they are typed.

use clap::Args;
use std::ffi::OsString;
use std::path::PathBuf;

/// `pipeline compare`.
#[derive(Args, Debug)]
pub(crate) struct CompareArgs {
    /// The first document: a file; with --config also a doc_id, URL or id of the run
    pub(crate) a: OsString,

    /// The second document
    pub(crate) b: OsString,

    /// Count the shingles of this document as shingles of the first one, too; may be given several
    /// times
    #[arg(long, value_name = "DOCUMENT")]
    pub(crate) with: Vec<OsString>,

    /// Estimate again by the sample of another seed; may be given several times
    #[arg(long, value_name = "SEED")]
    pub(crate) sample: Vec<String>,

    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// `pipeline explain`.
#[derive(Args, Debug)]
pub(crate) struct ExplainArgs {
    /// The first document: a doc_id, URL or file; or the word `cluster`
    pub(crate) a: OsString,

    /// The second document; or the id of the cluster
    pub(crate) b: OsString,

    /// Show the passages that both documents have instead of what differs
    #[arg(long)]
    pub(crate) shared: bool,

    /// List at most this many differences, passages, links and documents
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) limit: usize,

    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// `pipeline tune`.
#[derive(Args, Debug)]
pub(crate) struct TuneArgs {
    /// Show at most this many links between one threshold and the next
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub(crate) sample: usize,

    /// Add this threshold, and show only links just below and just above it; may be given several
    /// times
    #[arg(long, value_name = "RESEMBLANCE")]
    pub(crate) at: Vec<f64>,

    /// Show how the judgements in this file agree with each threshold
    #[arg(long, value_name = "FILE")]
    pub(crate) judged: Option<PathBuf>,

    /// Print at which resemblance any two clusters join, instead: a line for each join
    #[arg(long, conflicts_with_all = ["at", "sample", "judged"])]
    pub(crate) tree: bool,

    /// Print that tree in the format of Newick, for programs that draw trees
    #[arg(long, requires = "tree", conflicts_with = "json")]
    pub(crate) newick: bool,

    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// `pipeline inspect`.
#[derive(Args, Debug)]
pub(crate) struct InspectArgs {
    /// A file of the work directory
    pub(crate) file: PathBuf,

    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// `pipeline tokens`.
#[derive(Args, Debug)]
pub(crate) struct TokensArgs {
    /// A file of any format that is read as input, or - for standard input
    pub(crate) file: PathBuf,

    /// Print what does not count of pages: the frame of their site
    #[arg(long)]
    pub(crate) frame: bool,

    /// Print the tokens of each document as a JSON array on a line
    #[arg(long)]
    pub(crate) json: bool,
}

/// `pipeline shingles`.
#[derive(Args, Debug)]
pub(crate) struct ShinglesArgs {
    /// A file of any format that is read as input, or - for standard input
    pub(crate) file: PathBuf,

    /// Print each shingle as a JSON object on a line
    #[arg(long)]
    pub(crate) json: bool,
}
