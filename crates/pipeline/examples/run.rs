//! Runs a configuration and prints how many documents and clusters there are:
//! `cargo run -p pipeline --example run -- pipeline.toml`

use pipeline::{Reporter, RunOptions, config};
use std::error::Error;
use std::path::Path;

/// Documents and clusters of a configuration, after all phases are done.
pub(crate) fn counts(path: &Path) -> Result<(u64, u64), Box<dyn Error>> {
    let config = config::load(path)?;
    let outcome = pipeline::run(&config, &RunOptions::default(), &Reporter::silent())?;
    let report = outcome.report.ok_or("not all phases are done")?;
    Ok((report.input.documents, report.clusters.clusters))
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("expected pipeline.toml")?;
    let (documents, clusters) = counts(Path::new(&path))?;
    println!("{documents} documents, {clusters} clusters");
    Ok(())
}
