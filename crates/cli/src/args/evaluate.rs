//! Arguments of `pipeline evaluate`.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueHint};
use lab::Preset;

/// The text of `--help` below the options.
pub(super) const AFTER_HELP: &str = "\
With INPUT, all links of the documents are found by exact sets, and each method is held against \
them. --config and --set say what a shingle and a link are.

With --preset, documents are made from a seed. Figures of accuracy are the same every time; times \
are not. docs/papers.md shows all results.

Examples:
  pipeline evaluate crawl/
  pipeline evaluate a.html b.html --set cluster.resemblance=0.8
  pipeline evaluate --preset bergillos-1
  pipeline evaluate --preset super-shingles -o figures --check";

/// `pipeline evaluate`.
#[derive(Args, Debug)]
pub(crate) struct EvaluateArgs {
    /// Files, directories and globs: all methods are held against exact sets of their documents
    #[arg(value_name = "INPUT", required_unless_present = "preset")]
    pub(crate) inputs: Vec<String>,

    /// Do an experiment of a paper instead, on documents made from a seed
    #[arg(long, value_name = "NAME", value_parser = preset(), conflicts_with = "inputs")]
    pub(crate) preset: Option<Preset>,

    /// Take one document in N; documents that resemble each other mostly stay together
    #[arg(long, value_name = "N", default_value_t = 1, conflicts_with = "preset")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) sample: u64,

    /// Also write a page in Markdown, the figures as JSON lines and Parquet, and plots as SVG into
    /// this directory; it is created if it does not exist
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) output: Option<PathBuf>,

    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// End with code 1 if a claim is missed
    #[arg(long, requires = "preset")]
    pub(crate) check: bool,
}

/// Presets by their names.
fn preset() -> impl TypedValueParser<Value = Preset> {
    let names = Preset::ALL.map(Preset::name);
    PossibleValuesParser::new(names).try_map(|name| {
        let mut presets = Preset::ALL.into_iter();
        presets
            .find(|preset| preset.name() == name)
            .ok_or("no such preset")
    })
}
