//! Pages through the phase `sketch`, container by container.

use super::options::Options;
use super::phases::{manifest, one};
use crate::altavista::pages::{Container, Pages, Written};
use crate::altavista::{Model, sketches};
use crate::child::{self, Usage};
use crate::files;
use crate::real_pages::RealPages;
use crate::report::Report;
use anyhow::{Context, Result};
use serde::Serialize;
use std::path::Path;

/// Bytes of a generated page.
const PAGE_BYTES: u64 = 5000;

/// The methods that are measured, and their configuration.
const METHODS: [(&str, &str); 2] = [
    ("modulus 25", sketches::MODULUS_25),
    ("adaptive", sketches::ADAPTIVE),
];

/// A container sketched by one method.
#[derive(Clone, Debug, Serialize)]
pub struct Sketching {
    /// The container, the method, and of real pages their name.
    pub name: String,
    /// The pages.
    pub written: Written,
    /// What it took, with starting and with the sample that its cost is expected from.
    pub usage: Usage,
    /// CPU seconds of the phase alone, as the run says.
    pub phase_s: f64,
    /// Shingles kept.
    pub sampled: u64,
}

impl Sketching {
    /// Megabytes of pages for each CPU second.
    pub fn rate(&self) -> f64 {
        self.written.bytes as f64 / 1e6 / self.usage.cpu_s().max(1e-9)
    }
}

/// Sketches generated pages in each container by each method.
///
/// # Errors
/// When pages cannot be written or the phase fails.
pub fn measure(options: &Options, report: &mut Report) -> Result<Vec<Sketching>> {
    let of = |container| generated(options, container, options.page_bytes(), report);
    let found: Result<Vec<_>> = options.containers.iter().copied().map(of).collect();
    Ok(found?.concat())
}

/// Sketches so many bytes of generated pages in one container.
pub(super) fn generated(
    options: &Options,
    container: Container,
    bytes: u64,
    report: &mut Report,
) -> Result<Vec<Sketching>> {
    let documents = (bytes / PAGE_BYTES).max(1);
    let model = Model::of_pages(options.seed, documents);
    let write = |dir: &Path| Pages::new(&model).write(container, documents, dir);
    by_methods(options, (container, ""), write, report)
}

/// Sketches real pages, repeated, in each container by each method.
///
/// # Errors
/// When pages cannot be written or the phase fails.
pub fn real(options: &Options, pages: &RealPages, report: &mut Report) -> Result<Vec<Sketching>> {
    let mut found = Vec::new();
    for &container in &options.containers {
        let write = |dir: &Path| pages.write(container, options.page_bytes(), dir);
        let set = format!(": {}", pages.name);
        found.extend(by_methods(options, (container, &set), write, report)?);
    }
    Ok(found)
}

/// Writes pages, sketches them by all methods in turn, removes them. Each run has a directory of
/// its own, and nothing is removed before the last: a file system may search long for room where
/// much was removed just now.
fn by_methods(
    options: &Options,
    (container, set): (Container, &str),
    write: impl FnOnce(&Path) -> Result<Written>,
    report: &mut Report,
) -> Result<Vec<Sketching>> {
    let pipeline = child::pipeline(options.pipeline.as_deref())?;
    let dir = options.dir.join("pages");
    files::remove_dir(&dir)?;
    let pages = dir.join("pages");
    files::make_dir(&pages)?;
    let written = write(&pages)?;
    let mut found: Vec<Sketching> = Vec::new();
    for round in 0..options.rounds.max(1) {
        for (at, (method, text)) in METHODS.iter().enumerate() {
            let run = dir.join(format!("{round}-{at}"));
            configure(options, &run, text)?;
            let usage = one(&pipeline, &run, "sketch")?;
            let (phase_s, sampled) = phase(&run)?;
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
    for sketching in &found {
        report.raw("sketching", sketching)?;
    }
    files::remove_dir(&dir)?;
    Ok(found)
}

fn configure(options: &Options, dir: &Path, method: &str) -> Result<()> {
    let text = format!(
        "version = 1\n[input]\npaths = [\"../pages\"]\n[work]\nmemory = \"{}\"\nthreads = {}\n\
         [sketch]\nseed = \"altavista\"\nmethod = {method}\n",
        options.memory, options.threads
    );
    files::make_dir(dir)?;
    files::write(&dir.join("pipeline.toml"), text)
}

/// CPU seconds of the phase, and the shingles in its sketches.
fn phase(dir: &Path) -> Result<(f64, u64)> {
    let manifest = manifest(dir)?;
    let record = manifest.phases.get("sketch");
    let figures = record.and_then(|record| {
        let cpu_ms = *record.cost.get("cpu_ms")?;
        Some((cpu_ms as f64 / 1e3, *record.counts.get("sampled")?))
    });
    figures.context("failed to find what the phase took")
}
