//! `pipeline serve` and `pipeline report`.

use std::fs;
use std::io::Write;
use std::path::Path;

use crate::web::{Appendix, AppendixTable};
use lab::EvaluatedDocuments;
use pipeline::config::Config;
use serde_json::json;

use super::call::{Call, Loudness};
use super::whole_file::{WholeFile, end_at_signals, is_written_in_place};
use crate::args::{ReportArgs, ServeArgs};
use crate::exit::Failure;
use crate::messages;

/// Answers a browser until it is interrupted.
pub(super) fn serve(call: &mut Call<'_>, args: ServeArgs) -> Result<(), Failure> {
    let options = crate::web::ServeOptions {
        port: args.port,
        judgements: args.judgements,
    };
    let server = crate::web::Server::open(&call.load()?, &options)?;
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

/// The methods on the documents of the input.
fn appendix(call: &Call<'_>, config: &Config) -> Result<Appendix, Failure> {
    let documents = EvaluatedDocuments {
        paths: config.input.paths.clone(),
        base: &config.base,
        one_in: 1,
    };
    let evaluation = lab::evaluate_documents(documents, config, &call.reporter())?;
    let tables = evaluation.tables.iter().map(|table| AppendixTable {
        title: table.title.clone(),
        columns: table.columns.clone(),
        rows: table
            .rows
            .iter()
            .map(|row| row.iter().map(ToString::to_string).collect())
            .collect(),
    });
    Ok(Appendix {
        tables: tables.collect(),
        pictures: evaluation.pictures().collect(),
        title: evaluation.title,
        text: evaluation.setting,
    })
}

/// Writes the publication as one file.
pub(super) fn report(call: &mut Call<'_>, args: &ReportArgs) -> Result<(), Failure> {
    let config = call.load()?;
    let appendix = args.evaluate.then(|| appendix(call, &config)).transpose()?;
    let report = crate::web::report(&config, appendix.as_ref())?;
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
