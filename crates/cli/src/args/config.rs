//! Which configuration a verb reads.

use std::path::PathBuf;

use clap::Args;

/// The configuration where none is named.
pub(crate) const CONFIG_DEFAULT: &str = "pipeline.toml";

/// Where the configuration is, and what it says for this call.
#[derive(Args, Debug)]
pub(crate) struct ConfigArgs {
    /// The configuration; paths in it are relative to its directory
    #[arg(short, long, value_name = "FILE", default_value = CONFIG_DEFAULT)]
    pub(crate) config: PathBuf,

    #[command(flatten)]
    pub(crate) set: SetArgs,
}

/// Values for one call.
#[derive(Args, Debug)]
pub(crate) struct SetArgs {
    /// For this call, replace a value of the configuration, as in work.memory=2GiB; may be given
    /// several times
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) values: Vec<String>,
}
