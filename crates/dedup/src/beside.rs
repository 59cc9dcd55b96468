//! The run that a call makes itself: over input that no run has read, or with references beside it.
//!
//! *Input.* The configuration; the references of the request. *Output.* A finished run in
//! [`WorkConfig::dedup_dir`](config::WorkConfig::dedup_dir), up to the phase that the call needs,
//! and the request with the references as sources. *Algorithm.* [`run::run`], which resumes what a
//! killed call has left. It publishes nothing. *Disk.* The work files of a run, which stay for the
//! next call.

use super::output_place;
use super::request::DedupRequest;
use config::Config;
use engine::{Error, Reporter};
use run::{OnInput, RunOptions};

/// Makes the run. Returns its configuration and the request to it.
pub(super) fn run(
    config: &Config,
    request: &DedupRequest,
    on_input: &OnInput,
    reporter: &Reporter,
) -> Result<(Config, DedupRequest), Error> {
    let references = &request.references;
    for reference in references {
        if let Some(why) = config::taken_in(&reference.path, config) {
            return Err(Error::Usage(format!("--against: {why}")));
        }
    }
    let beside = config.beside(references);
    if let Some(output) = request.deliver.directory() {
        output_place::check_apart(&beside, output)?;
    }
    let options = RunOptions {
        until: Some(request.last_phase()),
        tell_input: true,
        on_input: on_input.clone(),
        ..RunOptions::default()
    };
    run::run(&beside, &options, reporter).map_err(|error| told(error, request))?;
    let mut request = request.clone();
    let names = references.iter().map(|reference| reference.name.clone());
    request.against.extend(names);
    Ok((beside, request))
}

/// The error with advice for who gave a reference, which no configuration names.
fn told(error: Error, request: &DedupRequest) -> Error {
    let mut names = request.references.iter().map(|reference| &reference.name);
    match error {
        Error::EmptySource {
            part,
            rejected,
            why,
            mend,
        } => {
            let is_reference = names.any(|name| part == format!("source {name:?}"));
            let advice = "name it in [[input.source]], with the format and the fields by which it \
                          can be read";
            Error::EmptySource {
                mend: if is_reference { advice } else { mend },
                part,
                rejected,
                why,
            }
        }
        Error::SourceWithoutFile { name, pattern } if names.any(|known| *known == name) => {
            let what = format!("failed to read --against {name}: no file matches {pattern:?}");
            Error::Usage(what)
        }
        error => error,
    }
}
