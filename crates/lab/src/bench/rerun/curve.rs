//! CPU time a document at growing size and equal memory, and at equal size and growing memory.

use super::options::Options;
use super::phases::{PHASES, Phases, measure_memories};
use crate::altavista::{Model, sketches};
use crate::child::Usage;
use crate::plot::{self, Series};
use crate::report::{Cell, Report};
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
    (by, unit): (&str, &str),
    points: [u32; 5],
    found: &[Phases],
    report: &mut Report,
) -> Result<()> {
    let title = format!("CPU time a document by {by}");
    report.line(&format!("\n{title}, us"))?;
    let phases = PHASES.join(" | ");
    report.columns(&format!("{unit} | documents | {phases} | all | peak MiB"))?;
    for (point, phases) in points.iter().zip(found) {
        let times = PHASES.map(|phase| micros(phases, Some(phase)));
        let peaks = phases.costs.values().map(Usage::peak_mib);
        let (all, peak) = (micros(phases, None), peaks.fold(0.0, f64::max));
        let point = point.to_string();
        let mut cells: Vec<&dyn Cell> = vec![&point, &phases.written.documents];
        cells.extend(times.iter().map(|time| time as &dyn Cell));
        cells.extend([&all as &dyn Cell, &peak]);
        report.row(&cells)?;
        report.raw(&title, phases)?;
    }
    let line = |phase| {
        let times = found.iter().map(|phases| micros(phases, phase));
        points.map(f64::from).into_iter().zip(times).collect()
    };
    let all: Series = line(None);
    let times = || all.iter().map(|(_, time)| *time);
    let (dearest, cheapest) = (
        times().fold(0.0, f64::max),
        times().fold(f64::INFINITY, f64::min),
    );
    report.line(&format!(
        "first / last {:.3}; dearest / cheapest {:.3}",
        times().next().unwrap_or(0.0) / times().next_back().unwrap_or(1.0),
        dearest / cheapest
    ))?;
    let phases = PHASES.map(|phase| (phase, line(Some(phase))));
    let lines: Vec<(&str, Series)> = phases.into_iter().chain([("all", all.clone())]).collect();
    match report.plot_path(by) {
        Some(path) => plot::lines(&path, &title, [unit, "CPU us a document"], &lines),
        None => Ok(()),
    }
}
