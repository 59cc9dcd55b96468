//! The run of 1996 again, at any part of its size.
//!
//! *Input.* The `pipeline` binary and [`Options`]. *Output.* The paper's table of times
//! beside ours, counts, bytes, peaks; raw results as JSON lines; plots. *Algorithm.* Generated
//! sketches ([`altavista::sketches`](crate::bench::altavista::sketches)) go through `distinct`,
//! `sort`, `pairs` and `cluster`, generated pages through `sketch`, container by container
//! ([`measured`]); the time for 150 GB is **composed** of both, and called so ([`tables`]).
//! [`curve`] repeats the phases at growing size and equal memory, and at equal size and growing
//! memory. *Disk.* About 8 GB of sketches and 30 GB of temporary files at full size, and the pages
//! of one container at a time. *Limits.* Times of short runs say little.

use super::measured::{self, PHASES, Phases, by_memory};
use super::{Options, tables};
use crate::bench::altavista::{Model, sketches};
use crate::bench::child::Usage;
use crate::bench::report::Report;
use crate::plot::{Axis, Line, Plot};
use crate::table::{Table, row};
use anyhow::Result;

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
        curve(&options, &mut report)?;
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
        measured::phases(options, (name, method), &model, report)
    };
    let adaptive_scale = options.adaptive_scale.unwrap_or(options.scale / 10.0);
    let modulus = phases("modulus", sketches::MODULUS_25, options.scale)?;
    let adaptive = phases("adaptive", sketches::ADAPTIVE, adaptive_scale)?;
    let pages = measured::generated(options, report)?;
    tables::print(options, [&modulus, &adaptive], &pages, report)
}

/// Sizes, as multiples of the smallest.
const SIZES: [u32; 5] = [1, 2, 4, 8, 16];

/// Budgets in MiB.
const MEMORIES: [u32; 5] = [64, 128, 256, 512, 1024];

/// Runs all sizes from a sixteenth of the scale to the scale, then all budgets at the scale.
fn curve(options: &Options, report: &mut Report) -> Result<()> {
    let at = |scale: f64, memories: &[String]| {
        let model = Model::of_sketches(options.seed, Options::documents(scale));
        by_memory(options, ("curve", sketches::MODULUS_25), &model, memories)
    };
    let mut by_size = Vec::new();
    for size in SIZES {
        let scale = options.scale * f64::from(size) / 16.0;
        by_size.extend(at(scale, std::slice::from_ref(&options.memory))?);
    }
    show(("size", "times the smallest size"), SIZES, &by_size, report)?;
    let by_memory = at(options.scale, &MEMORIES.map(|mib| format!("{mib}MiB")))?;
    show(("memory", "MiB"), MEMORIES, &by_memory, report)
}

fn micros(phases: &Phases, phase: Option<&str>) -> f64 {
    phases.cpu_s(phase) * 1e6 / phases.written.documents.max(1) as f64
}

/// A table and a plot of CPU microseconds a document, by size or by memory.
fn show(
    (by, unit): (&'static str, &'static str),
    points: [u32; 5],
    found: &[Phases],
    report: &mut Report,
) -> Result<()> {
    let title = format!("CPU time a document by {by}");
    let mut table = Table::new(format!("{title}, us"), []);
    for (point, phases) in points.iter().zip(found) {
        let peaks = phases.costs.values().map(Usage::peak_mib);
        let mut row = row! { unit: *point, "documents": phases.written.documents };
        row.extend(PHASES.map(|phase| (phase, micros(phases, Some(phase)).into())));
        row.extend(row! { "all": micros(phases, None), "peak MiB": peaks.fold(0.0, f64::max) });
        table.push(row);
        report.raw(&title, phases)?;
    }
    report.table(&table)?;
    let times: Vec<f64> = found.iter().map(|phases| micros(phases, None)).collect();
    let cheapest = times.iter().copied().fold(f64::INFINITY, f64::min);
    let dearest = times.iter().copied().fold(0.0, f64::max);
    report.line(&format!(
        "first / last {:.3}; dearest / cheapest {:.3}",
        times[0] / times[times.len() - 1],
        dearest / cheapest
    ))?;
    let axes = [unit, "CPU us a document"].map(Axis::Logarithmic);
    let lines = PHASES.into_iter().chain(["all"]);
    let lines = lines.map(|phase| Line::new(phase, table.points([unit, phase])));
    report.plot(&Plot::new(by, title, axes, lines))
}
