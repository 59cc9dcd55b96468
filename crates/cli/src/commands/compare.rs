//! `pipeline compare`.

use std::ffi::{OsStr, OsString};

use pipeline::{CompareOptions, CompareRequest};

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
    let names = [&args.a, &args.b].into_iter().chain(&args.with);
    let names: Vec<&OsStr> = names.map(OsString::as_os_str).collect();
    let [config, parameters] = config_for(config, &names)?;
    let request = CompareRequest {
        config,
        parameters,
        a: args.a,
        b: args.b,
        index: None,
    };
    let options = CompareOptions {
        joined: args.with,
        samples: args.sample,
    };
    results.print(&pipeline::compare(&request, &options)?, Form::of(args.json))
}
