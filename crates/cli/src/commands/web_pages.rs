//! `pipeline serve` and `pipeline report`.

use std::fs;
use std::io::Write;

use serde_json::json;

use super::configuration::load;
use super::loudness::Loudness;
use crate::args::{ConfigArgs, ReportArgs, ServeArgs};
use crate::exit::Failure;
use crate::messages;
use crate::stdout::Results;

/// Answers a browser until it is interrupted.
pub(super) fn serve(
    config: &ConfigArgs,
    args: &ServeArgs,
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
    Ok(server.run()?)
}

/// Writes the publication as one file.
pub(super) fn report(
    config: &ConfigArgs,
    args: &ReportArgs,
    loudness: Loudness,
    results: &mut Results,
) -> Result<(), Failure> {
    let config = load(config)?;
    let report = web::report(&config)?;
    let Some(path) = &args.output else {
        return results
            .write_all(report.as_bytes())
            .map_err(Failure::Stdout);
    };
    let mut partial = path.clone().into_os_string();
    partial.push(".partial");
    let bytes = report.len();
    let written = fs::write(&partial, report).and_then(|()| fs::rename(&partial, path));
    written.map_err(Failure::file("write", path))?;
    if loudness == Loudness::Normal {
        messages::say(&format!("wrote {}", path.display()));
    }
    match args.json {
        true => results.json(&json!({ "file": path.to_string_lossy(), "bytes": bytes })),
        false => Ok(()),
    }
}
