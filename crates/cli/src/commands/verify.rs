//! `pipeline verify`.

use super::configuration::load;
use crate::args::{ConfigArgs, ResultArgs};
use crate::exit::Failure;
use crate::stdout::{Form, Results};

/// Prints what every work file is worth; exit 5 if one is damaged.
pub(super) fn verify(
    config: &ConfigArgs,
    args: &ResultArgs,
    results: &mut Results,
) -> Result<(), Failure> {
    let config = load(config)?;
    let verification = pipeline::verify(&config)?;
    results.print(&verification, Form::of(args.json))?;
    match verification.exit_code() {
        0 => Ok(()),
        code => Err(Failure::Reported(code)),
    }
}
