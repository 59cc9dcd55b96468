//! Pages through the phase `sketch`, container by container.

use super::options::Options;
use super::phases::{manifest, one};
use crate::bench::altavista::Model;
use crate::bench::altavista::pages::{Container, PageTotals, Pages};
use crate::bench::altavista::sketches::{ADAPTIVE, MODULUS_25, Spec};
use crate::bench::child::{self, Usage};
use crate::bench::files;
use crate::bench::real_pages::RealPages;
use crate::bench::report::Report;
use anyhow::{Context, Result};
use engine::figures::SketchFigures;
use serde::Serialize;
use std::path::Path;

/// Bytes of a generated page.
const PAGE_BYTES: u64 = 5000;

/// The methods that are measured, and their configuration.
const METHODS: [(&str, &str); 2] = [("modulus 25", MODULUS_25), ("adaptive", ADAPTIVE)];

/// A container sketched by one method.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Sketching {
    /// The container, the method, and of real pages their name.
    pub(crate) name: String,
    /// The pages.
    pub(crate) written: PageTotals,
    /// What it took, with starting and with the sample that its cost is expected from.
    pub(crate) usage: Usage,
    /// CPU seconds of the phase alone, as the run says.
    pub(crate) phase_s: f64,
    /// Shingles kept.
    pub(crate) sampled: u64,
}

impl Sketching {
    /// Megabytes of pages for each CPU second.
    pub(crate) fn rate(&self) -> f64 {
        self.written.bytes as f64 / 1e6 / self.usage.cpu_s().max(1e-9)
    }
}

/// Writes pages in a container into a directory.
type Write<'a> = &'a dyn Fn(Container, &Path) -> Result<PageTotals>;

/// Sketches generated pages in each container by each method.
pub(crate) fn generated(options: &Options, report: &mut Report) -> Result<Vec<Sketching>> {
    let documents = (options.page_bytes() / PAGE_BYTES).max(1);
    let model = Model::of_pages(options.seed, documents);
    let pages = Pages::new(&model);
    let write = |container, dir: &Path| pages.write(container, documents, dir);
    by_methods(options, "", &write, report)
}

/// Sketches real pages, repeated, in each container by each method.
pub(crate) fn real(
    options: &Options,
    pages: &RealPages,
    report: &mut Report,
) -> Result<Vec<Sketching>> {
    let write = |container, dir: &Path| pages.write(container, options.page_bytes(), dir);
    by_methods(options, &format!(": {}", pages.name), &write, report)
}

/// Writes pages container by container, sketches them by all methods in turn, removes them. Each
/// run has a directory of its own, and nothing is removed before the last: a file system may search
/// long for room where much was removed just now.
fn by_methods(
    options: &Options,
    set: &str,
    write: Write<'_>,
    report: &mut Report,
) -> Result<Vec<Sketching>> {
    let pipeline = child::pipeline(options.pipeline.as_deref())?;
    let dir = options.dir.join("pages");
    let mut all = Vec::new();
    for &container in &options.containers {
        files::remove_dir(&dir)?;
        files::make_dir(&dir.join("pages"))?;
        let written = write(container, &dir.join("pages"))?;
        let mut found: Vec<Sketching> = Vec::new();
        for round in 0..options.rounds.max(1) {
            for (at, (method, text)) in METHODS.iter().enumerate() {
                let spec = Spec {
                    input: "../pages",
                    ..options.spec(&format!("pages/{round}-{at}"), text)
                };
                spec.write_configuration()?;
                let usage = one(&pipeline, &spec.dir, "sketch")?;
                let (phase_s, sampled) = phase(&spec.dir)?;
                let sketching = Sketching {
                    name: format!("{}, {method}{set}", container.name()),
                    written,
                    usage,
                    phase_s,
                    sampled,
                };
                match found.get_mut(at) {
                    Some(best) if phase_s < best.phase_s => *best = sketching,
                    Some(_) => {}
                    None => found.push(sketching),
                }
            }
        }
        for sketching in found {
            report.raw("sketching", &sketching)?;
            all.push(sketching);
        }
    }
    files::remove_dir(&dir)?;
    Ok(all)
}

/// CPU seconds of the phase, and the shingles in its sketches.
fn phase(dir: &Path) -> Result<(f64, u64)> {
    let manifest = manifest(dir)?;
    let record = manifest.phases.get("sketch");
    let figures = record.map(|record| {
        let sampled = record.figures.read::<SketchFigures>().sampled;
        (record.cost.cpu_ms as f64 / 1e3, sampled)
    });
    figures.context("failed to find what the phase took")
}
