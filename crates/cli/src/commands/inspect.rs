//! `pipeline inspect`.

use crate::args::InspectArgs;
use crate::exit::Failure;
use crate::stdout::{Form, Results};

/// Prints header, trailer and first records of a work file.
pub(super) fn inspect(args: &InspectArgs, results: &mut Results) -> Result<(), Failure> {
    results.print(&pipeline::inspect(&args.file)?, Form::of(args.json))
}
