//! `pipeline verify`.

use super::configuration::load;
use super::loudness::Loudness;
use crate::args::{ConfigArgs, ResultArgs};
use crate::exit::Failure;
use crate::stdout::{Form, Results};

/// Prints what every work file is worth; exit 5 if one is damaged.
pub(super) fn verify(
    config: &ConfigArgs,
    args: &ResultArgs,
    loudness: Loudness,
    results: &mut Results,
) -> Result<(), Failure> {
    let config = load(config)?;
    let verification = pipeline::verify(&config)?;
    let form = Form::of(args.json);
    let code = verification.exit_code();
    if loudness != Loudness::Quiet || form == Form::Json || code != 0 {
        results.print(&verification, form)?;
    }
    match code {
        0 => Ok(()),
        code => Err(Failure::Reported(code)),
    }
}
