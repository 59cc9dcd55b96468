//! `pipeline status`.

use crate::args::ResultArgs;
use crate::exit::Failure;
use crate::stdout::{Form, Results};

/// Prints what is done, what would run next, and why.
pub(super) fn status(args: &ResultArgs, results: &mut Results) -> Result<(), Failure> {
    let config = super::load(&args.config)?;
    results.print(&pipeline::status(&config)?, Form::of(args.json))
}
