//! The command line as it is typed: verbs, options, help with examples.

use std::path::PathBuf;

use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};

mod ask;
mod changes;
mod config;
mod decontaminate;
mod dedup;
mod evaluate;
mod export;
mod init;
mod query;
mod run;
mod sketch;
mod snapshot;
mod suggestions;
#[cfg(test)]
mod tests;

pub(crate) use ask::{CompareArgs, ExplainArgs, InspectArgs, ShinglesArgs, TokensArgs, TuneArgs};
pub(crate) use changes::ChangesArgs;
pub(crate) use config::{CONFIG_NAME, ConfigArgs, WORK_DEFAULT};
pub(crate) use decontaminate::DecontaminateArgs;
pub(crate) use dedup::{DedupArgs, LinkageChoice};
pub(crate) use evaluate::EvaluateArgs;
pub(crate) use export::{ExportArgs, TableFormat, TableName};
pub(crate) use init::InitArgs;
pub(crate) use query::{LikeArgs, Question};
pub(crate) use run::{IndexArgs, RunArgs};
pub(crate) use sketch::SketchArgs;
pub(crate) use snapshot::SnapshotVerb;
pub(crate) use suggestions::improved;

const ABOUT: &str = "Finds the near-duplicates of a crawl";

const LONG_ABOUT: &str = "\
Finds the near-duplicates of a crawl: reads WARC, WACZ, WET, ARC, JSONL, Parquet, HTML and text, clusters \
documents that resemble each other, and publishes the clusters as tables.

Every phase works on disk within a memory budget. An interrupted run resumes where it stopped, \
whatever stopped it.";

const EXIT_CODES: &str = "\
Exit codes:
    0  done; rejected records are counted and are no error
    1  failure, or not found
    2  wrong usage or configuration
    3  no usable document, in all, of a source or of the data; more rejected than max-rejected or --strict allows; input that changed
    4  out of disk, memory, inodes or open files, or over a limit of the shell
    5  damaged work files or results
   75  another run holds the lock
  129  stopped by SIGHUP; the next run resumes
  130  interrupted by SIGINT; the next run resumes
  143  stopped by SIGTERM; the next run resumes

Results go to standard output, everything else to standard error.";

const EXAMPLES: &str = "\
Examples:
  pipeline run crawl/
  pipeline status
  pipeline compare a.html b.html";

/// The whole command line.
#[derive(Debug, Parser)]
#[command(
    name = "pipeline",
    version,
    about = ABOUT,
    long_about = LONG_ABOUT,
    after_help = EXAMPLES,
    after_long_help = [EXAMPLES, "\n\n", EXIT_CODES].concat(),
    max_term_width = 110
)]
pub(crate) struct Cli {
    /// Print only errors: no progress, notes or summaries; answers still go to standard output
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,

    /// Print more on standard error; -vv and -vvv print still more
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub(crate) verbose: u8,

    /// Write standard error in this form: text, with the time before each line if it is not a
    /// terminal, or json, with one object on each line
    #[arg(long, global = true, value_name = "FORMAT", default_value = "text")]
    pub(crate) log_format: LogFormat,

    #[command(flatten)]
    pub(crate) config: ConfigArgs,

    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Write an annotated pipeline.toml for an input, with a new random seed
    #[command(after_help = "\
Examples:
  pipeline init crawls/2026-01
  pipeline init -c night/pipeline.toml 'crawls/*.warc.gz'
  pipeline init --snapshots 'crawls/{name}/'
  pipeline init --schema > pipeline.schema.json")]
    Init(InitArgs),

    /// Run every phase that is missing or out of date
    #[command(after_help = "\
Phases, in this order: sketch, distinct, sort, pairs, settle, cluster, passages (where they are asked for), \
index.

Without INPUT, a configuration says what is read. With INPUT, the configuration is written for you \
into the work directory, with a new random seed. The same command, and every question asked from \
here, finds it there.

Examples:
  pipeline run crawl/
  pipeline run 'crawl/*.warc.gz' --work /scratch/crawl -o results
  pipeline run
  pipeline run --config crawl/pipeline.toml --dry-run
  pipeline run --from cluster --force
  pipeline run --threshold 0.7 --memory 2GiB
  pipeline run --until sort --quiet --json
  pipeline run --adopt work.shards/*
  pipeline run --log-format json > report.txt 2>> log.jsonl")]
    Run(RunArgs),

    /// Sketch a share of the input, for `pipeline run --adopt` on one machine
    #[command(after_help = sketch::AFTER_HELP)]
    Sketch(SketchArgs),

    /// Publish the results of a Spark job: links, clusters, tables and the query index
    Index(IndexArgs),

    /// Show which phases are up to date, which would run, why, and at what cost
    #[command(
        after_help = "Examples:\n  pipeline status\n  pipeline status --config crawl/pipeline.toml --json"
    )]
    Status(ResultArgs),

    /// Read every file of the work directory and compare every checksum; note damage
    #[command(
        after_help = "Examples:\n  pipeline verify\n  pipeline verify --config crawl/pipeline.toml --json"
    )]
    Verify(ResultArgs),

    /// Show the header, the trailer and the first records of a work file
    #[command(
        after_help = "Examples:\n  pipeline inspect work/pairs/FILE\n  pipeline inspect --json work/cluster/FILE"
    )]
    Inspect(InspectArgs),

    /// Print the canonical tokens of a file, one document on each line
    #[command(after_help = "\
The configuration of --config says how text becomes tokens; without it, the default one.

Examples:
  pipeline tokens page.html
  pipeline tokens crawl.warc.gz | head -n 1")]
    Tokens(TokensArgs),

    /// Print the shingles of a file, with labels and fingerprints, and which the sketch keeps
    #[command(after_help = "\
The configuration of --config says what a shingle and a sketch are; without it, the default one.

Examples:
  pipeline shingles page.html
  echo a rose is a rose is a rose | pipeline shingles - --set sketch.shingle-size=4")]
    Shingles(ShinglesArgs),

    /// Compare two documents: resemblance and containment, exact and estimated, with intervals
    #[command(after_help = "\
A and B are files, or - for standard input. With --config they may also be doc_ids, URLs or ids \
of the run, and the common shingles of the run do not count. Such a name comes before a file of \
that name; write ./17 for the file, and id:17 for an id of the input.

Examples:
  pipeline compare a.html b.html
  pipeline compare --config pipeline.toml 17 https://a.example/page.html
  pipeline compare --json a.txt b.txt")]
    Compare(CompareArgs),

    /// List the URLs that changed since the snapshot before, what became of them, or a feed of them
    #[command(after_help = changes::AFTER_HELP)]
    Changes(ChangesArgs),

    /// Write a published table in another format
    #[command(after_help = "\
Examples:
  pipeline export clusters
  pipeline export pairs --format csv -o pairs.csv
  pipeline export documents -o documents.parquet")]
    Export(ExportArgs),

    /// Explain why two documents are in one cluster or not, by shared passages and links; or what
    /// holds a cluster together
    #[command(after_help = "\
A and B are doc_ids, URLs or ids of the run, or files, or - for standard input. Such a name comes \
before a file of that name; write ./17 for the file, and id:17 for an id of the input. `explain cluster ID` takes a cluster_id, or \
the doc_id or URL of a member. On a terminal the passages stand side by side, in colour unless \
NO_COLOR is set.

Examples:
  pipeline explain 17 https://a.example/page.html
  pipeline explain a.html b.html --limit 20
  pipeline explain cluster 17
  pipeline explain --json 17 23")]
    Explain(ExplainArgs),

    /// Ask the newest publication about a URL, a document, a cluster, a ranked list, the common
    /// shingles, or any text
    #[command(after_help = "\
Examples:
  pipeline query url http://a.example/page.html
  pipeline query like page.html
  pipeline query cluster 12
  pipeline query group < results.txt")]
    #[command(subcommand)]
    Query(Question),

    /// Show what other thresholds would do: links, clusters and removals, from the counts of the
    /// last run, with links to look at
    #[command(after_help = "\
Look at the links just below a threshold with `pipeline explain`, and decide whether they are \
duplicates.

Examples:
  pipeline tune
  pipeline tune --sample 10
  pipeline tune --config crawl/pipeline.toml --json")]
    Tune(TuneArgs),

    /// Show which method of the papers finds what at which cost: on documents of your own, or in
    /// the experiments of the papers
    #[command(after_help = evaluate::AFTER_HELP)]
    Evaluate(EvaluateArgs),

    /// Write copies of the input without the duplicates, with the evidence
    #[command(after_help = "\
The directory then holds data/ (the copies), removed.parquet (the removed documents, the documents \
kept instead, and how much they resemble each other), files.jsonl and dedup.json. The last run \
decides which documents are removed; --linkage and --keep decide differently for this call. With \
INPUT, or with --against FILE, the program makes the run that it needs, beside that of the \
configuration. After an interruption, the same command resumes.

Examples:
  pipeline dedup -o deduplicated
  pipeline dedup -o deduplicated --linkage star --lossless 0.95
  pipeline dedup --dry-run --against archive
  pipeline dedup crawl/ --against bench.jsonl --against old/ -o news
  pipeline dedup --remove contamination.parquet -o clean
  pipeline dedup --list > ids.txt")]
    Dedup(DedupArgs),

    /// Find the documents that hold an item of references, such as the questions of a benchmark;
    /// write copies without them
    #[command(after_help = decontaminate::AFTER_HELP)]
    Decontaminate(DecontaminateArgs),

    /// Add a snapshot to the list, show the list, or drop one
    ///
    /// A configuration with snapshots has no paths in [input]. Each crawl is added as a snapshot,
    /// and stays until it is dropped.
    #[command(after_help = "\
With [snapshots] in the configuration, a run finds and adds new snapshots itself.

Examples:
  pipeline snapshot add 2026-01-31 crawls/2026-01-31/ --date 2026-01-31
  pipeline snapshot list
  pipeline snapshot drop 2026-01-31")]
    #[command(subcommand)]
    Snapshot(SnapshotVerb),

    /// Show the publication in a browser on this machine
    #[cfg(feature = "web")]
    #[command(after_help = "\
The pages show what the crawl holds, its clusters, and what differs between two documents. They are \
answered on 127.0.0.1 alone and change nothing. A new publication is shown at once. Ctrl-C ends it.

Examples:
  pipeline serve
  pipeline serve --port 8000 --config crawl/pipeline.toml")]
    Serve(ServeArgs),

    /// Write the publication as one HTML file, with the largest clusters and what differs in them
    #[cfg(feature = "web")]
    #[command(after_help = "Examples:\n  pipeline report -o report.html")]
    Report(ReportArgs),

    /// Print the completion script of a shell
    #[command(
        after_help = "Examples:\n  pipeline completions bash > ~/.local/share/bash-completion/completions/pipeline"
    )]
    Completions(CompletionsArgs),

    /// Print the manual page, or write the pages of all commands into a directory
    #[command(
        after_help = "Examples:\n  pipeline man | man -l -\n  pipeline man ~/.local/share/man/man1"
    )]
    Man(ManArgs),
}

/// How lines on standard error look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// For people.
    Text,
    /// For programs.
    Json,
}

/// How a result is printed.
#[derive(Args, Debug)]
pub(crate) struct ResultArgs {
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// `pipeline serve`.
#[cfg(feature = "web")]
#[derive(Args, Debug)]
pub(crate) struct ServeArgs {
    /// Listen on this port; 0 takes a free one
    #[arg(long, value_name = "PORT", default_value_t = 7878)]
    pub(crate) port: u16,

    /// Add judgements to this file: whether two compared documents are duplicates
    #[arg(long, value_name = "FILE", default_value = "judgements.jsonl")]
    pub(crate) judgements: PathBuf,

    /// Print the address as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// `pipeline report`.
#[cfg(feature = "web")]
#[derive(Args, Debug)]
pub(crate) struct ReportArgs {
    /// Write to this file, and replace it if it exists [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Add what the methods of `pipeline evaluate` find on the input, beside exact sets, with plots
    #[arg(long)]
    pub(crate) evaluate: bool,

    /// Print the name and the size of FILE as JSON
    #[arg(long, requires = "output")]
    pub(crate) json: bool,
}

/// `pipeline completions`.
#[derive(Args, Debug)]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: clap_complete::Shell,

    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// `pipeline man`.
#[derive(Args, Debug)]
pub(crate) struct ManArgs {
    /// Write the page of every command into this directory; it is created if it does not exist
    pub(crate) dir: Option<PathBuf>,

    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
