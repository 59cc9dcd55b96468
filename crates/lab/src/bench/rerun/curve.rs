//! CPU time a document at growing size and equal memory, and at equal size and growing memory.

use super::options::Options;
use super::phases::{PHASES, Phases, measure_memories};
use crate::bench::altavista::{Model, sketches};
use crate::bench::child::Usage;
use crate::bench::report::Report;
use crate::plot::{Axis, Line, Plot};
use crate::table::{Table, row};
use anyhow::Result;

/// Sizes, as multiples of the smallest.
const SIZES: [u32; 5] = [1, 2, 4, 8, 16];

/// Budgets in MiB.
const MEMORIES: [u32; 5] = [64, 128, 256, 512, 1024];

/// Runs all sizes from a sixteenth of the scale to the scale, then all budgets at the scale.
pub(crate) fn curve(options: &Options, report: &mut Report) -> Result<()> {
    let at = |scale: f64, memories: &[String]| {
        let model = Model::of_sketches(options.seed, Options::documents(scale));
        let spec = options.spec("curve", sketches::MODULUS_25);
        measure_memories(options, &spec, &model, memories)
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
    let axes = [unit, "CPU us a document"].map(Axis::logarithmic);
    let lines = PHASES.into_iter().chain(["all"]);
    let lines = lines.map(|phase| Line::new(phase, table.points([unit, phase])));
    report.plot(&Plot::new(by, title, axes, lines))
}
