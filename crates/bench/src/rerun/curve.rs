//! CPU time a document at growing size and equal memory, and at equal size and growing memory.

use super::phases::{Made, PHASES, Phases, run};
use super::sketching::measure_container;
use super::{Log, Options, remove};
use crate::altavista::pages::Container;
use crate::altavista::{Model, sketches};
use crate::child;
use crate::svg::{self, Labels, Series};
use anyhow::Result;

/// Sizes, as multiples of the smallest.
const SIZES: [u32; 5] = [1, 2, 4, 8, 16];

/// Budgets in MiB.
const MEMORIES: [u32; 5] = [64, 128, 256, 512, 1024];

/// Runs all sizes from a sixteenth of the scale to the scale, then all budgets at the scale.
///
/// # Errors
/// When something cannot be written or run.
pub fn curve(options: &Options, log: &mut Log) -> Result<()> {
    let mut by_size = Vec::new();
    log.line(&format!(
        "\nCPU us a document by size, memory {}",
        options.memory
    ))?;
    head(log, "documents")?;
    for size in SIZES {
        let documents = Options::documents(options.scale * f64::from(size) / 16.0);
        let spec = options.spec("curve", sketches::MODULUS_25);
        let phases = at(
            options,
            &spec,
            documents,
            std::slice::from_ref(&options.memory),
        )?
        .remove(0);
        log.raw("curve by size", &phases)?;
        row(log, &documents.to_string(), &phases)?;
        by_size.push((f64::from(size), phases));
    }
    log.plot(
        "size",
        &plot(
            "CPU time a document by size",
            "times the smallest size",
            &by_size,
        ),
    )?;
    worst(log, &by_size)?;

    log.line(&format!(
        "\nCPU us a document by memory, {} documents",
        Options::documents(options.scale)
    ))?;
    head(log, "MiB")?;
    let memories = MEMORIES.map(|mib| format!("{mib}MiB"));
    let spec = options.spec("curve", sketches::MODULUS_25);
    let found = at(options, &spec, Options::documents(options.scale), &memories)?;
    let by_memory: Vec<(f64, Phases)> = MEMORIES.map(f64::from).into_iter().zip(found).collect();
    for (mib, phases) in &by_memory {
        log.raw("curve by memory", phases)?;
        row(log, &mib.to_string(), phases)?;
    }
    log.plot(
        "memory",
        &plot("CPU time a document by memory", "MiB", &by_memory),
    )?;
    worst(log, &by_memory)?;
    sketching(options, log)
}

/// Sketches of so many documents, run with each budget; of several rounds all budgets take turns.
fn at(
    options: &Options,
    spec: &sketches::Spec,
    documents: u64,
    memories: &[String],
) -> Result<Vec<Phases>> {
    remove(&spec.dir)?;
    let model = Model::of_sketches(options.seed, documents);
    let before = child::process_cpu_s();
    let written = spec.write(&model)?;
    let made = Made {
        model: &model,
        written,
        generation_s: child::process_cpu_s() - before,
    };
    let once = Options {
        rounds: 1,
        ..options.clone()
    };
    let mut best: Vec<Phases> = Vec::new();
    for _ in 0..options.rounds.max(1) {
        for (at, memory) in memories.iter().enumerate() {
            let found = run(
                &once,
                &sketches::Spec {
                    memory: memory.clone(),
                    ..spec.clone()
                },
                made,
            )?;
            let Some(known) = best.get_mut(at) else {
                best.push(found);
                continue;
            };
            for (known, found) in known.costs.iter_mut().zip(found.costs) {
                if found.usage.cpu_s() < known.usage.cpu_s() {
                    *known = found;
                }
            }
        }
    }
    remove(&spec.dir)?;
    Ok(best)
}

fn sketching(options: &Options, log: &mut Log) -> Result<()> {
    log.line("\nSketching of WARC, CPU us a page by size")?;
    let mut series: Vec<Series> = Vec::new();
    for size in SIZES {
        let bytes = options.page_bytes * u64::from(size) / 16;
        for sketching in measure_container(options, Container::Warc, bytes, log)? {
            let documents = sketching.written.documents.max(1) as f64;
            let micros = sketching.cost.usage.cpu_s() * 1e6 / documents;
            log.line(&format!(
                "{:<12}{documents:>12.0}{micros:>12.3}",
                sketching.method
            ))?;
            let name = sketching.method.to_owned();
            match series.iter_mut().find(|series| series.name == name) {
                Some(series) => series.points.push((f64::from(size), micros)),
                None => series.push(Series {
                    name,
                    points: vec![(f64::from(size), micros)],
                }),
            }
        }
    }
    let labels = Labels {
        title: "Sketching, CPU time a page by size",
        x: "times the smallest size",
        y: "us",
    };
    log.plot("sketching", &svg::lines(labels, &series))
}

fn micros(phases: &Phases, phase: Option<&str>) -> f64 {
    phases.cpu_s(phase) * 1e6 / phases.written.documents.max(1) as f64
}

fn head(log: &mut Log, first: &str) -> Result<()> {
    log.line(&format!(
        "{first:>12}{:>10}{:>10}{:>10}{:>10}{:>10}{:>12}",
        "distinct", "sort", "pairs", "cluster", "all", "peak MiB"
    ))
}

fn row(log: &mut Log, first: &str, phases: &Phases) -> Result<()> {
    let mut line = format!("{first:>12}");
    for phase in PHASES.map(Some).into_iter().chain([None]) {
        line += &format!("{:>10.3}", micros(phases, phase));
    }
    let peak = phases
        .costs
        .iter()
        .map(|cost| cost.usage.peak_bytes)
        .max()
        .unwrap_or(0);
    log.line(&format!("{line}{:>12.1}", peak as f64 / f64::from(1 << 20)))
}

/// The dearest point beside the one at the largest size or budget, and beside the cheapest.
fn worst(log: &mut Log, points: &[(f64, Phases)]) -> Result<()> {
    let all = || points.iter().map(|(_, phases)| micros(phases, None));
    let (low, high) = all().fold((f64::INFINITY, 0.0_f64), |(low, high), at| {
        (low.min(at), high.max(at))
    });
    let (first, last) = (
        all().next().unwrap_or(0.0),
        all().next_back().unwrap_or(0.0),
    );
    log.line(&format!(
        "first / last {:.3}; dearest / cheapest {:.3}",
        first / last,
        high / low
    ))
}

fn plot(title: &str, x: &str, points: &[(f64, Phases)]) -> String {
    let of = |phase: Option<&str>| {
        points
            .iter()
            .map(|(at, phases)| (*at, micros(phases, phase)))
            .collect()
    };
    let named = |phase: &str| Series {
        name: phase.to_owned(),
        points: of(Some(phase)),
    };
    let mut series: Vec<Series> = PHASES.into_iter().map(named).collect();
    series.push(Series {
        name: "all".to_owned(),
        points: of(None),
    });
    svg::lines(
        Labels {
            title,
            x,
            y: "CPU us a document",
        },
        &series,
    )
}
