//! `pipeline run` as it is typed.

use super::config::ConfigArgs;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use pipeline::PhaseName;

/// Reads the name of a phase, and knows all of them for help and completion.
fn phase() -> impl TypedValueParser<Value = PhaseName> {
    PossibleValuesParser::new(PhaseName::ALL.map(PhaseName::name))
        .try_map(|name| name.parse::<PhaseName>())
}

/// `pipeline run`.
#[derive(Args, Debug)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) config: ConfigArgs,

    /// Begin with this phase; the phases before it must be up to date
    #[arg(long, value_name = "PHASE", value_parser = phase())]
    pub(crate) from: Option<PhaseName>,

    /// End with this phase
    #[arg(long, value_name = "PHASE", value_parser = phase())]
    pub(crate) until: Option<PhaseName>,

    /// Run only this phase
    #[arg(long, value_name = "PHASE", value_parser = phase(), conflicts_with_all = ["from", "until"])]
    pub(crate) only: Option<PhaseName>,

    /// Run the chosen phases even if they are up to date
    #[arg(long)]
    pub(crate) force: bool,

    /// Show which phases would run, why, and at what cost; change nothing
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,

    /// End with exit code 3 if any record is rejected
    #[arg(long)]
    pub(crate) strict: bool,

    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
