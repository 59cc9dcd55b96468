//! The run of 1996 again, at any part of its size.
//!
//! *Input.* The `pipeline` binary and [`options::Options`]. *Output.* The paper's table of times
//! beside ours, counts, bytes, peaks; raw results as JSON lines; plots. *Algorithm.* Generated
//! sketches ([`crate::bench::altavista::sketches`]) go through `distinct`, `sort`, `pairs` and `cluster`,
//! each a process of its own ([`phases`]); generated pages go through `sketch`, container by
//! container ([`sketching`]); the time for 150 GB is **composed** of both, and called so
//! ([`tables`]). [`curve`] repeats the phases at growing size and memory. Of several rounds the one
//! of the least CPU time counts, in each phase. *Disk.* About 8 GB of sketches and 30 GB of
//! temporary files at full size, and the pages of one container at a time. *Limits.* Times of short
//! runs say little.

mod curve;
pub(crate) mod options;
pub(crate) mod phases;
pub(crate) mod sketching;
mod tables;

use crate::bench::altavista::{Model, sketches};
use crate::bench::report::Report;
use anyhow::Result;
use options::Options;

/// The command `altavista`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Command {
    #[command(flatten)]
    options: Options,
    /// All 30 million documents: `--scale 1`.
    #[arg(long)]
    full: bool,
    /// Print scaling curves instead of the table.
    #[arg(long)]
    curve: bool,
}

/// Runs the command.
pub(crate) fn altavista(mut command: Command) -> Result<()> {
    if command.full {
        command.options.scale = 1.0;
    }
    let options = command.options.prepared()?;
    let mut report = Report::new(Some(&options.results))?;
    if command.curve {
        curve::curve(&options, &mut report)?;
    } else {
        run(&options, &mut report)?;
    }
    options.done();
    Ok(())
}

/// Runs everything once and prints the tables.
fn run(options: &Options, report: &mut Report) -> Result<()> {
    report.line(&format!(
        "AltaVista-shaped run: scale {} ({} documents), memory {}, threads {}, rounds {}, seed {}",
        options.scale,
        Options::documents(options.scale),
        options.memory,
        options.threads,
        options.rounds,
        options.seed
    ))?;
    let mut phases = |name, method, scale| {
        let model = Model::of_sketches(options.seed, Options::documents(scale));
        phases::measure(options, &options.spec(name, method), &model, report)
    };
    let adaptive_scale = options.adaptive_scale.unwrap_or(options.scale / 10.0);
    let results = tables::Results {
        modulus: phases("modulus", sketches::MODULUS_25, options.scale)?,
        adaptive: phases("adaptive", sketches::ADAPTIVE, adaptive_scale)?,
        pages: sketching::generated(options, report)?,
    };
    tables::print(options, &results, report)
}
