//! `pipeline query`: what is asked.

use super::ResultArgs;
use clap::builder::TypedValueParser;
use clap::{Args, Subcommand};
use std::ffi::OsString;

/// The questions.
#[derive(Debug, Subcommand)]
pub(crate) enum Question {
    /// Show the newest document of a URL or id, its cluster, and how its members resemble it
    #[command(after_help = "\
If the URL is unknown, the command names similar ones (another scheme, www., trailing slash, order \
of the query) and ends with exit code 1.

Examples:
  pipeline query url http://a.example/page.html
  pipeline query url --json --limit 1000 http://a.example/page.html")]
    Url(UrlArgs),

    /// Show a document by its doc_id or id, its cluster, and how its members resemble it
    #[command(after_help = "\
A number is a doc_id; write id:17 for an id of the input.

Examples:
  pipeline query doc 17
  pipeline query doc 17 --json
  pipeline query doc id:17")]
    Doc(DocArgs),

    /// Show a cluster by its cluster_id, and how its members resemble the kept one
    #[command(after_help = "\
If the cluster is gone, the command shows since when and what became of its documents, and ends \
with exit code 1.

Examples:
  pipeline query cluster 12
  pipeline query cluster 12 --limit 1000")]
    Cluster(IdArgs),

    /// Find the content of a lost URL in the newest snapshot
    #[command(after_help = "\
If no snapshot has the URL, the command names similar ones and ends with exit code 1. A URL that \
is gone without a similar page is an answer: exit code 0.

Examples:
  pipeline query lost http://a.example/old/page.html
  pipeline query lost --json http://a.example/old/page.html")]
    Lost(OneUrlArgs),

    /// Show a URL from snapshot to snapshot, one line for each
    #[command(after_help = "Examples:\n  pipeline query history http://a.example/page.html")]
    History(OneUrlArgs),

    /// Group near-duplicates in a ranked list: URLs, doc_ids or ids on standard input, best first
    #[command(after_help = "\
Lines that are not in the corpus stay in the list and are marked.

Examples:
  search boats | pipeline query group
  pipeline query group --json < results.txt")]
    Group(ResultArgs),

    /// List the common shingles by frequency, with their words and the hosts that share them
    #[command(
        after_help = "Examples:\n  pipeline query common\n  pipeline query common --limit 100 --json"
    )]
    Common(LimitedArgs),

    /// Show the passages of a document that stand elsewhere, too, and who quotes it
    #[command(after_help = "\
Without a document, it lists the passages that stand at most places, and the documents of which \
most stands elsewhere. A run looks for passages with --passages or [passages]; after any other run \
the exit code is 1.

Examples:
  pipeline query passages
  pipeline query passages 17
  pipeline query passages http://a.example/page.html --json --limit 1000")]
    Passages(PassagesArgs),

    /// Find the documents that resemble a document or any text, best first
    #[command(after_help = "\
A doc_id, URL or id of the run comes before a file of that name; write ./123 for the file, id:123 \
for an id of the input, and - for standard input. With --batch, one pass answers for every document of the file, or of JSON lines on \
standard input; with --json, each answer is one line.

Examples:
  pipeline query like page.html
  pipeline query like --min 0.5 http://a.example/page.html
  pipeline query like --batch --json - < pages.jsonl")]
    Like(LikeArgs),

    /// Find the documents that contain a text: where was it copied to?
    #[command(
        after_help = "Examples:\n  pipeline query within excerpt.txt\n  pipeline query within --min 0.9 - < excerpt.txt\n  pipeline query within --count 0.9 excerpt.txt"
    )]
    Within(WithinArgs),

    /// Find the documents that a text contains: what was it made from?
    #[command(
        after_help = "Examples:\n  pipeline query contains book.html\n  pipeline query contains --min 0.9 --json 17"
    )]
    Contains(LikeArgs),
}

/// How an answer that may be long is printed.
#[derive(Args, Debug)]
pub(crate) struct LimitedArgs {
    #[command(flatten)]
    pub(crate) form: ResultArgs,

    /// Show at most this many
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..).map(|limit| limit as usize))]
    pub(crate) limit: usize,
}

/// `pipeline query url`.
#[derive(Args, Debug)]
pub(crate) struct UrlArgs {
    /// The URL, as it was crawled, or the id that the document has in the input
    pub(crate) url: String,

    #[command(flatten)]
    pub(crate) how: LimitedArgs,
}

/// `pipeline query passages`.
#[derive(Args, Debug)]
pub(crate) struct PassagesArgs {
    /// The doc_id, URL or id of a document
    pub(crate) document: Option<String>,

    #[command(flatten)]
    pub(crate) how: LimitedArgs,
}

/// `pipeline query lost`, `pipeline query history`.
#[derive(Args, Debug)]
pub(crate) struct OneUrlArgs {
    /// The URL, as it was crawled
    pub(crate) url: String,

    #[command(flatten)]
    pub(crate) form: ResultArgs,
}

/// `pipeline query cluster`.
#[derive(Args, Debug)]
pub(crate) struct IdArgs {
    /// The cluster_id, as in the tables
    #[arg(value_parser = cluster_id)]
    pub(crate) id: i64,

    #[command(flatten)]
    pub(crate) how: LimitedArgs,
}

/// `pipeline query doc`.
#[derive(Args, Debug)]
pub(crate) struct DocArgs {
    /// The doc_id, as in the tables, or the id in the input
    #[arg(value_name = "DOC")]
    pub(crate) document: String,

    #[command(flatten)]
    pub(crate) how: LimitedArgs,
}

/// `pipeline query within`.
#[derive(Args, Debug)]
pub(crate) struct WithinArgs {
    #[command(flatten)]
    pub(crate) like: LikeArgs,

    /// Count the documents that contain at least this share of the text, 0 to 1, instead of listing
    /// them
    #[arg(long, value_name = "SHARE", conflicts_with = "min")]
    pub(crate) count: Option<f64>,
}

/// `pipeline query like`, `within`, `contains`.
#[derive(Args, Debug)]
pub(crate) struct LikeArgs {
    /// A doc_id, URL or id of the run, or a file of any format, or - for standard input
    pub(crate) name: OsString,

    #[command(flatten)]
    pub(crate) how: LimitedArgs,

    /// List only documents whose estimate is at least this, 0 to 1
    #[arg(long, value_name = "ESTIMATE")]
    pub(crate) min: Option<f64>,

    /// Ask about every document of the file, or of JSON lines on standard input; with --json, each
    /// answer is one line
    #[arg(long)]
    pub(crate) batch: bool,
}

fn cluster_id(text: &str) -> Result<i64, String> {
    text.parse().map_err(|_| {
        "a cluster_id is a whole number: the doc_id of the cluster's lowest document; `query url` \
         and `query doc` name the cluster of a document"
            .to_owned()
    })
}
