//! `pipeline query`: what is asked.

use super::ConfigArgs;
use clap::{Args, Subcommand};
use std::ffi::OsString;

/// `pipeline query`.
#[derive(Args, Debug)]
pub(crate) struct QueryArgs {
    /// What is asked.
    #[command(subcommand)]
    pub(crate) question: Question,
}

/// The questions.
#[derive(Debug, Subcommand)]
pub(crate) enum Question {
    /// The newest document of a URL, its cluster, and how its members resemble it
    #[command(after_help = "\
A URL that is not there is exit 1, and those that are almost it are named: other scheme, www., trailing slash, order of
the query.

Examples:
  pipeline query url http://a.example/page.html
  pipeline query url --json --limit 1000 http://a.example/page.html")]
    Url(UrlArgs),

    /// A document by its doc_id, its cluster, and how its members resemble it
    #[command(after_help = "Examples:\n  pipeline query doc 17\n  pipeline query doc 17 --json")]
    Doc(IdArgs),

    /// A cluster by its cluster_id, and how its members resemble the one that is kept
    #[command(after_help = "\
Of a cluster that is gone it is told since when, what became of it, and what came of it: exit 1.

Examples:
  pipeline query cluster 12
  pipeline query cluster 12 --limit 1000")]
    Cluster(IdArgs),

    /// Where the content of a lost URL is in the newest snapshot
    #[command(after_help = "\
A URL that no snapshot has is exit 1, and those that are almost it are named. What is gone, with nothing like it, is an
answer: exit 0.

Examples:
  pipeline query lost http://a.example/old/page.html
  pipeline query lost --json http://a.example/old/page.html")]
    Lost(OneUrlArgs),

    /// A URL from snapshot to snapshot: one line each
    #[command(after_help = "Examples:\n  pipeline query history http://a.example/page.html")]
    History(OneUrlArgs),

    /// Fold near-duplicates in a ranked list: URLs or doc_ids on standard input, best first
    #[command(after_help = "\
What is not in the corpus passes through.

Examples:
  search boats | pipeline query group
  pipeline query group --json < results.txt")]
    Group(AskArgs),

    /// The common shingles by frequency, with their words and the sites that share them
    #[command(
        after_help = "Examples:\n  pipeline query common\n  pipeline query common --limit 100 --json"
    )]
    Common(LimitedArgs),

    /// The documents that resemble one, known or not, best first
    #[command(after_help = "\
A doc_id or URL of the run comes before a file of that name, which is ./123 then; - is standard input. With --batch every
document of the file, or of JSON lines on standard input, is asked about in one pass; with --json that gives one line an
answer.

Examples:
  pipeline query like page.html
  pipeline query like --min 0.5 http://a.example/page.html
  pipeline query like --batch --json - < pages.jsonl")]
    Like(LikeArgs),

    /// The documents that contain it: where has this text been copied to?
    #[command(
        after_help = "Examples:\n  pipeline query within excerpt.txt\n  pipeline query within --min 0.9 - < excerpt.txt"
    )]
    Within(LikeArgs),

    /// The documents that it contains: what has this one been made from?
    #[command(
        after_help = "Examples:\n  pipeline query contains book.html\n  pipeline query contains --min 0.9 --json 17"
    )]
    Contains(LikeArgs),
}

/// Where to ask, and how to answer.
#[derive(Args, Debug)]
pub(crate) struct AskArgs {
    #[command(flatten)]
    pub(crate) config: ConfigArgs,

    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// The same, for long answers.
#[derive(Args, Debug)]
pub(crate) struct LimitedArgs {
    #[command(flatten)]
    pub(crate) ask: AskArgs,

    /// Show at most so many
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) limit: u32,
}

/// `pipeline query url`.
#[derive(Args, Debug)]
pub(crate) struct UrlArgs {
    /// The URL, as it was crawled
    pub(crate) url: String,

    #[command(flatten)]
    pub(crate) how: LimitedArgs,
}

/// `pipeline query lost`, `pipeline query history`.
#[derive(Args, Debug)]
pub(crate) struct OneUrlArgs {
    /// The URL, as it was crawled
    pub(crate) url: String,

    #[command(flatten)]
    pub(crate) ask: AskArgs,
}

/// `pipeline query doc`, `pipeline query cluster`.
#[derive(Args, Debug)]
pub(crate) struct IdArgs {
    /// The id, as tables show it
    pub(crate) id: i64,

    #[command(flatten)]
    pub(crate) how: LimitedArgs,
}

/// `pipeline query like`, `within`, `contains`.
#[derive(Args, Debug)]
pub(crate) struct LikeArgs {
    /// A doc_id or URL of the run, else a file of any format, or - for standard input
    pub(crate) name: OsString,

    #[command(flatten)]
    pub(crate) how: LimitedArgs,

    /// List only what reaches this estimate, 0 to 1
    #[arg(long, value_name = "ESTIMATE")]
    pub(crate) min: Option<f64>,

    /// Take every document of the file, or of JSON lines on standard input; with --json one line an
    /// answer
    #[arg(long)]
    pub(crate) batch: bool,
}
