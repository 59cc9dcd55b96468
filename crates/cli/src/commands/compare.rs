//! `pipeline compare`.

use pipeline::CompareRequest;
use std::path::Path;

use crate::args::{CONFIG_DEFAULT, CompareArgs};
use crate::exit::Failure;
use crate::stdout::{Form, Results};

/// Prints how two documents resemble and contain each other.
pub(super) fn compare(args: CompareArgs, results: &mut Results) -> Result<(), Failure> {
    // A name that is no file can only be a document of a run: the one here, unless another is named.
    let is_file = |name: &str| Path::new(name).exists();
    let here = Path::new(CONFIG_DEFAULT);
    let asks_run = args.config.is_none() && !(is_file(&args.a) && is_file(&args.b)) && here.exists();
    let path = if asks_run { Some(here.to_path_buf()) } else { args.config };
    let config = path.map(|path| pipeline::config::load(&path)).transpose()?;
    let request = CompareRequest { a: args.a, b: args.b, config };
    results.print(&pipeline::compare(&request)?, Form::of(args.json))
}
