//! `pipeline tokens`.

use super::configuration::config_or_default;
use crate::args::TokensArgs;
use crate::exit::Failure;
use crate::stdout::Results;

/// Prints the canonical tokens of each document of a file on a line.
pub(super) fn tokens(args: &TokensArgs, results: &mut Results) -> Result<(), Failure> {
    let config = config_or_default(args.config.as_deref(), &args.set)?;
    pipeline::tokens(&config, args.file.as_os_str(), results)?;
    Ok(())
}
