//! `pipeline serve` and `pipeline report`.

use std::fs;
use std::io::Write;
use std::path::Path;

use lab::EvaluatedDocuments;
use serde_json::json;

use super::call::{Call, Loudness};
use super::whole_file::{WholeFile, end_at_signals, is_written_in_place};
use crate::args::{ReportArgs, ServeArgs};
use crate::exit::Failure;
use crate::messages;
use crate::web::{self, Server};

/// Answers a browser until it is interrupted.
pub(super) fn serve(call: &mut Call<'_>, args: &ServeArgs) -> Result<(), Failure> {
    let server = Server::open(&call.load()?, args.port, &args.judgements)?;
    let address = format!("http://{}/", server.address());
    match args.json {
        true => call.results.json(&json!({ "url": address }))?,
        false => call.results.text(&address)?,
    }
    call.results.flush().map_err(Failure::Stdout)?;
    let tell = |note: &str| {
        if !call.is_quiet() {
            messages::note(note);
        }
    };
    Ok(server.run(tell)?)
}

/// Writes the publication as one file.
pub(super) fn report(call: &mut Call<'_>, args: &ReportArgs) -> Result<(), Failure> {
    let config = call.load()?;
    if let Some(path) = &args.output {
        pipeline::check_written(&config, path)?;
    }
    let evaluate = || {
        let documents = EvaluatedDocuments {
            paths: config.input.paths.clone(),
            base: &config.base,
            one_in: 1,
        };
        lab::evaluate_documents(documents, &config, &call.reporter())
    };
    let evaluation = args.evaluate.then(evaluate).transpose()?;
    let report = web::report(&config, evaluation.as_ref())?;
    let Some(path) = &args.output else {
        return call
            .results
            .write_all(report.as_bytes())
            .map_err(Failure::Stdout);
    };
    let bytes = report.len();
    replace(path, report.as_bytes())?;
    if call.loudness == Loudness::Normal {
        messages::say(&format!("wrote {}", path.display()));
    }
    match args.json {
        true => call
            .results
            .json(&json!({ "file": path.to_string_lossy(), "bytes": bytes })),
        false => Ok(()),
    }
}

/// Replaces a file in one step; what is there and is no file, a device or a link, is written to.
fn replace(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    if is_written_in_place(path) {
        return fs::write(path, bytes).map_err(Failure::file("write", path));
    }
    end_at_signals(|| ())?;
    let whole = WholeFile::create(path)?;
    whole.write(bytes)?;
    whole.finish()
}
