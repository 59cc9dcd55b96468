//! `pipeline shingles`.

use pipeline::ShinglesForm;

use super::configuration::config_or_default;
use crate::args::{ConfigArgs, ShinglesArgs};
use crate::exit::Failure;
use crate::stdout::Results;

/// Prints the shingles of each document of a file.
pub(super) fn shingles(
    config: &ConfigArgs,
    args: &ShinglesArgs,
    results: &mut Results,
) -> Result<(), Failure> {
    let config = config_or_default(config)?;
    let form = if args.json {
        ShinglesForm::JsonLines
    } else {
        ShinglesForm::Text
    };
    pipeline::shingles(&config, args.file.as_os_str(), form, results)?;
    Ok(())
}
