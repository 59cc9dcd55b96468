//! `pipeline run` as it is typed.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use pipeline::PhaseName;
use std::ffi::OsString;
use std::path::PathBuf;

/// Reads the name of a phase, and knows all of them for help and completion.
fn phase() -> impl TypedValueParser<Value = PhaseName> {
    PossibleValuesParser::new(PhaseName::ALL.map(PhaseName::name))
        .try_map(|name| name.parse::<PhaseName>())
}

/// `pipeline run`.
#[derive(Args, Debug)]
pub(crate) struct RunArgs {
    /// Files, directories and globs to read, `@FILE` for a list of them, - for a list on standard
    /// input; without a configuration
    #[arg(value_name = "INPUT")]
    pub(crate) inputs: Vec<OsString>,

    /// With INPUT: work in this directory [default: pipeline-work]
    #[arg(long, value_name = "DIR", requires = "inputs")]
    pub(crate) work: Option<PathBuf>,

    /// With INPUT: publish the results in this directory [default: out]
    #[arg(short, long, value_name = "DIR", requires = "inputs")]
    pub(crate) output: Option<PathBuf>,

    /// Begin with this phase; the phases before it must be up to date
    #[arg(long, value_name = "PHASE", value_parser = phase())]
    pub(crate) from: Option<PhaseName>,

    /// End with this phase
    #[arg(long, value_name = "PHASE", value_parser = phase())]
    pub(crate) until: Option<PhaseName>,

    /// Run only this phase
    #[arg(long, value_name = "PHASE", value_parser = phase(), conflicts_with_all = ["from", "until"])]
    pub(crate) only: Option<PhaseName>,

    /// Also find the passages of so many words that stand at more than one place; the same as
    /// --set passages.words=WORDS
    #[arg(long, value_name = "WORDS", value_parser = clap::value_parser!(u32).range(5..=10_000))]
    pub(crate) passages: Option<u32>,

    /// Run the chosen phases even if they are up to date
    #[arg(long)]
    pub(crate) force: bool,

    /// Show which phases would run, why, and at what cost; change nothing
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,

    /// Take over the shards that `pipeline sketch` made on other machines, from these directories
    #[arg(long, value_name = "DIR", num_args = 1.., conflicts_with_all = ["dry_run", "inputs"])]
    pub(crate) adopt: Vec<PathBuf>,

    /// End with exit code 3 if any record is rejected
    #[arg(long)]
    pub(crate) strict: bool,

    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// The text after the help of `pipeline index`.
const INDEX_HELP: &str = "\
The shards and the pair counts in JOB were made by `python -m altavista_dedup.spark run` with the \
same configuration. The results are byte for byte those of `pipeline run`, and only what is missing is \
recomputed.

Examples:
  pipeline index --from /shared/job
  pipeline index --from /shared/job --config crawl/pipeline.toml";

/// `pipeline index`.
#[derive(Args, Debug)]
#[command(after_help = INDEX_HELP)]
pub(crate) struct IndexArgs {
    /// Read the job in this directory
    #[arg(long, value_name = "JOB")]
    pub(crate) from: PathBuf,

    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
