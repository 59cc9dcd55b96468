//! `pipeline status`.

use super::configuration::load;
use crate::args::ResultArgs;
use crate::exit::Failure;
use crate::stdout::{Form, Results};

/// Prints what is done, what would run next, and why.
pub(super) fn status(args: &ResultArgs, results: &mut Results) -> Result<(), Failure> {
    let config = load(&args.config)?;
    results.print(&pipeline::status(&config)?, Form::of(args.json))
}
