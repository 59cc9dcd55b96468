//! `pipeline tokens`.

use pipeline::{TokenLine, TokensOf};

use super::configuration::config_or_default;
use crate::args::{ConfigArgs, TokensArgs};
use crate::exit::Failure;
use crate::stdout::Results;

/// Prints the canonical tokens of each document of a file on a line.
pub(super) fn tokens(
    config: &ConfigArgs,
    args: &TokensArgs,
    results: &mut Results,
) -> Result<(), Failure> {
    let config = config_or_default(config)?;
    let form = match args.json {
        true => TokenLine::Json,
        false => TokenLine::Text,
    };
    let of = match args.frame {
        true => TokensOf::Frame,
        false => TokensOf::Document,
    };
    pipeline::tokens(&config, args.file.as_os_str(), form, of, results)?;
    Ok(())
}
