//! Which configuration a verb reads.

use std::path::PathBuf;

use clap::Args;

/// The name of a configuration.
pub(crate) const CONFIG_NAME: &str = "pipeline.toml";

/// The work directory of a run that has no configuration; its configuration is written there.
pub(crate) const WORK_DEFAULT: &str = "pipeline-work";

/// Where the configuration is, and what it says for this call.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct ConfigArgs {
    /// Read this configuration; paths in it are relative to its directory [default: pipeline.toml
    /// or pipeline-work/pipeline.toml, here or in the nearest directory above that has one]
    #[arg(short, long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// Replace a value of the configuration for this call, as in work.memory=2GiB; may be given
    /// several times
    #[arg(long, global = true, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
}
