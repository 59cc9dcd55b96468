//! `pipeline serve` and `pipeline report`.

use std::fs;
use std::io::Write;
use std::path::Path;

use lab::EvaluatedDocuments;
use pipeline::config::Config;
use serde_json::json;
use web::{Appendix, AppendixTable};

use super::configuration::load;
use super::loudness::Loudness;
use super::whole_file::{WholeFile, end_at_signals, is_written_in_place};
use crate::args::{ConfigArgs, ReportArgs, ServeArgs};
use crate::exit::Failure;
use crate::messages;
use crate::stdout::Results;

/// Answers a browser until it is interrupted.
pub(super) fn serve(
    config: &ConfigArgs,
    args: &ServeArgs,
    loudness: Loudness,
    results: &mut Results,
) -> Result<(), Failure> {
    let config = load(config)?;
    let options = web::ServeOptions {
        port: args.port,
        judgements: args.judgements.clone(),
    };
    let server = web::Server::open(&config, &options)?;
    let address = format!("http://{}/", server.address());
    match args.json {
        true => results.json(&json!({ "url": address }))?,
        false => results.text(&address)?,
    }
    results.flush().map_err(Failure::Stdout)?;
    let tell = |note: &str| {
        if loudness != Loudness::Quiet {
            messages::note(note);
        }
    };
    Ok(server.run(tell)?)
}

/// The methods on the documents of the input.
fn appendix(config: &Config, loudness: Loudness) -> Result<Appendix, Failure> {
    let documents = EvaluatedDocuments {
        paths: config.input.paths.clone(),
        base: &config.base,
        one_in: 1,
    };
    let evaluation = lab::evaluate_documents(documents, config, &loudness.reporter())?;
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
pub(super) fn report(
    config: &ConfigArgs,
    args: &ReportArgs,
    loudness: Loudness,
    results: &mut Results,
) -> Result<(), Failure> {
    let config = load(config)?;
    let appendix = args
        .evaluate
        .then(|| appendix(&config, loudness))
        .transpose()?;
    let report = web::report(&config, appendix.as_ref())?;
    let Some(path) = &args.output else {
        return results
            .write_all(report.as_bytes())
            .map_err(Failure::Stdout);
    };
    let bytes = report.len();
    replace(path, report.as_bytes())?;
    if loudness == Loudness::Normal {
        messages::say(&format!("wrote {}", path.display()));
    }
    match args.json {
        true => results.json(&json!({ "file": path.to_string_lossy(), "bytes": bytes })),
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
