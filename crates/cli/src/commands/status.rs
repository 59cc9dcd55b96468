//! `pipeline status`.

use super::configuration::load;
use crate::args::{ConfigArgs, ResultArgs};
use crate::exit::Failure;
use crate::stdout::{Form, Results};

/// Prints what is done, what would run next, and why.
pub(super) fn status(
    config: &ConfigArgs,
    args: &ResultArgs,
    results: &mut Results,
) -> Result<(), Failure> {
    let config = load(config)?;
    results.print(&pipeline::status(&config)?, Form::of(args.json))
}
