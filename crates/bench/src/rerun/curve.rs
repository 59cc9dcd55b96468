//! CPU time a document at growing size and equal memory, and at equal size and growing memory.

use super::options::Options;
use super::phases::{PHASES, Phases, measure_memories};
use super::sketching;
use crate::altavista::pages::Container;
use crate::altavista::{Model, sketches};
use crate::child::Usage;
use crate::plot::{self, Series};
use crate::report::{Cell, Report};
use anyhow::Result;

/// Sizes, as multiples of the smallest.
const SIZES: [u32; 5] = [1, 2, 4, 8, 16];

/// Budgets in MiB.
const MEMORIES: [u32; 5] = [64, 128, 256, 512, 1024];

/// Runs all sizes from a sixteenth of the scale to the scale, then all budgets at the scale, then
/// sketching.
///
/// # Errors
/// When something cannot be written or run.
pub fn curve(options: &Options, report: &mut Report) -> Result<()> {
    let at = |scale: f64, memories: &[&str]| {
        let model = Model::of_sketches(options.seed, Options::documents(scale));
        let spec = options.spec("curve", sketches::MODULUS_25);
        measure_memories(options, &spec, &model, memories)
    };
    let mut by_size = Vec::new();
    for size in SIZES {
        by_size.extend(at(
            options.scale * f64::from(size) / 16.0,
            &[&options.memory],
        )?);
    }
    show(("size", "times the smallest size"), SIZES, &by_size, report)?;
    let memories = MEMORIES.map(|mib| format!("{mib}MiB"));
    let by_memory = at(options.scale, &memories.each_ref().map(String::as_str))?;
    show(("memory", "MiB"), MEMORIES, &by_memory, report)?;
    sketching_by_size(options, report)
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
    let columns = PHASES.map(Some).into_iter().chain([None]);
    let mut series: Vec<Series> = columns
        .clone()
        .map(|phase| Series {
            name: phase.unwrap_or("all").to_owned(),
            points: Vec::new(),
        })
        .collect();
    for (point, phases) in points.into_iter().zip(found) {
        let times: Vec<f64> = columns.clone().map(|phase| micros(phases, phase)).collect();
        let peak = phases.costs.values().map(Usage::peak_mib);
        let peak = peak.fold(0.0, f64::max);
        let point_text = point.to_string();
        let mut cells: Vec<&dyn Cell> = vec![&point_text, &phases.written.documents];
        cells.extend(times.iter().map(|time| time as &dyn Cell));
        cells.push(&peak);
        report.row(&cells)?;
        report.raw(&title, phases)?;
        for (line, time) in series.iter_mut().zip(times) {
            line.points.push((f64::from(point), time));
        }
    }
    let all: Vec<f64> = found.iter().map(|phases| micros(phases, None)).collect();
    let dearest = all.iter().copied().fold(0.0, f64::max);
    let cheapest = all.iter().copied().fold(f64::INFINITY, f64::min);
    report.line(&format!(
        "first / last {:.3}; dearest / cheapest {:.3}",
        all.first().unwrap_or(&0.0) / all.last().unwrap_or(&1.0),
        dearest / cheapest
    ))?;
    match report.plot_path(by) {
        Some(path) => plot::lines(&path, &title, [unit, "CPU us a document"], &series),
        None => Ok(()),
    }
}

fn sketching_by_size(options: &Options, report: &mut Report) -> Result<()> {
    report.line("\nSketching of WARC, CPU time a page by size")?;
    report.columns("method | pages | us")?;
    let mut series = vec![Series::default(); 2];
    for size in SIZES {
        let bytes = options.page_bytes() * u64::from(size) / 16;
        let found = sketching::generated(options, Container::Warc, bytes, report)?;
        for (line, sketching) in series.iter_mut().zip(found) {
            let pages = sketching.written.documents;
            let micros = sketching.usage.cpu_s() * 1e6 / pages.max(1) as f64;
            report.row(&[&sketching.name, &pages, &micros])?;
            line.points.push((f64::from(size), micros));
            line.name = sketching.name;
        }
    }
    let (title, unit) = (
        "Sketching, CPU time a page by size",
        "times the smallest size",
    );
    match report.plot_path("sketching") {
        Some(path) => plot::lines(&path, title, [unit, "us"], &series),
        None => Ok(()),
    }
}
