//! `pipeline compare`.

use pipeline::CompareRequest;

use super::configuration::config_for;
use crate::args::{CompareArgs, ConfigArgs};
use crate::exit::Failure;
use crate::stdout::{Form, Results};

/// Prints how two documents resemble and contain each other.
pub(super) fn compare(
    config: &ConfigArgs,
    args: CompareArgs,
    results: &mut Results,
) -> Result<(), Failure> {
    let config = config_for(config, [&args.a, &args.b])?;
    let request = CompareRequest {
        a: args.a,
        b: args.b,
        config,
    };
    results.print(&pipeline::compare(&request)?, Form::of(args.json))
}
