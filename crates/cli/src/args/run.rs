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

    #[command(flatten)]
    pub(crate) keys: KeyArgs,

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

/// The keys of the configuration that are turned most, as options. Each is short for `--set`.
#[derive(Args, Debug)]
#[command(next_help_heading = "Keys of the configuration")]
pub(crate) struct KeyArgs {
    /// Join pairs of this resemblance or more, 0 to 1; cluster.resemblance
    #[arg(long, value_name = "RESEMBLANCE")]
    threshold: Option<String>,

    /// Compare runs of so many tokens; sketch.shingle-size
    #[arg(long, visible_alias = "ngram", value_name = "TOKENS")]
    shingle_size: Option<String>,

    /// Make clusters in this way: star, components or leader; cluster.linkage
    #[arg(long, value_name = "NAME")]
    linkage: Option<String>,

    /// Keep this document of a cluster, such as first, longest or field:date:desc; cluster.keep
    #[arg(long, value_name = "ORDER")]
    keep: Option<String>,

    /// Compare this part of pages of HTML: main or page; sketch.content
    #[arg(long, value_name = "PART")]
    content: Option<String>,

    /// Choose shingles with this secret; sketch.seed
    #[arg(long, value_name = "SECRET")]
    seed: Option<String>,

    /// Take at most so much memory, such as 2GiB; work.memory
    #[arg(long, value_name = "BYTES")]
    memory: Option<String>,

    /// Work in so many threads; work.threads
    #[arg(long, value_name = "NUMBER")]
    threads: Option<String>,

    /// Also find the passages of so many words that stand at more than one place; passages.words
    #[arg(long, value_name = "WORDS", value_parser = clap::value_parser!(u32).range(5..=10_000))]
    passages: Option<u32>,
}

impl KeyArgs {
    /// The given ones as KEY=VALUE.
    pub(crate) fn entries(&self) -> Vec<String> {
        let words = self.passages.map(|words| words.to_string());
        let given = [
            ("cluster.resemblance", &self.threshold),
            ("sketch.shingle-size", &self.shingle_size),
            ("cluster.linkage", &self.linkage),
            ("cluster.keep", &self.keep),
            ("sketch.content", &self.content),
            ("sketch.seed", &self.seed),
            ("work.memory", &self.memory),
            ("work.threads", &self.threads),
            ("passages.words", &words),
        ];
        let given = given.into_iter();
        given
            .filter_map(|(key, value)| Some(format!("{key}={}", value.as_ref()?)))
            .collect()
    }
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
