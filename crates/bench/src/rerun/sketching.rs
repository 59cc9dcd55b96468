//! Pages through the phase `sketch`, container by container.

use super::phases::{Cost, one};
use super::{Log, Options, remove};
use crate::altavista::pages::{Container, Pages, Written};
use crate::altavista::{Model, sketches};
use crate::real_pages::RealPages;
use anyhow::{Context, Result};
use serde::Serialize;
use std::path::Path;

/// Bytes of a page.
const PAGE_BYTES: u64 = 5000;

/// A container sketched by one method.
#[derive(Clone, Debug, Serialize)]
pub struct Sketching {
    /// Which pages; empty for generated ones.
    pub pages: String,
    /// How the pages were stored.
    pub container: &'static str,
    /// How the sketches were sampled.
    pub method: &'static str,
    /// The pages.
    pub written: Written,
    /// What it took, with starting.
    pub cost: Cost,
    /// CPU seconds of the phase alone, as the run says.
    pub phase_s: f64,
    /// Shingles kept.
    pub sampled: u64,
}

impl Sketching {
    /// Megabytes of pages a CPU second.
    pub fn rate(&self) -> f64 {
        self.written.bytes as f64 / 1e6 / self.cost.usage.cpu_s().max(1e-9)
    }
}

/// The methods that are measured, with a word for each.
pub const METHODS: [(&str, &str); 2] = [
    ("modulus 25", sketches::MODULUS_25),
    ("adaptive", sketches::ADAPTIVE),
];

/// Sketches pages of each container by each method.
///
/// # Errors
/// When pages cannot be written or the phase fails.
pub fn measure(options: &Options, log: &mut Log) -> Result<Vec<Sketching>> {
    let mut found = Vec::new();
    for &container in &options.containers {
        found.extend(measure_container(
            options,
            container,
            options.page_bytes,
            log,
        )?);
    }
    Ok(found)
}

/// Writes generated pages, sketches them by both methods in turn, removes them.
pub(super) fn measure_container(
    options: &Options,
    container: Container,
    bytes: u64,
    log: &mut Log,
) -> Result<Vec<Sketching>> {
    let documents = (bytes / PAGE_BYTES).max(1);
    let model = Model::of_pages(options.seed, documents);
    let write = |dir: &Path| Pages::new(&model).write(container, documents, dir);
    measure_pages(options, ("", container), write, log)
}

/// The same with real pages.
///
/// # Errors
/// When pages cannot be written or the phase fails.
pub fn measure_real(
    options: &Options,
    container: Container,
    pages: &RealPages,
    log: &mut Log,
) -> Result<Vec<Sketching>> {
    let write = |dir: &Path| pages.write(container, options.page_bytes, dir);
    measure_pages(options, (&pages.name, container), write, log)
}

/// Each run has a directory of its own, and nothing is removed before the last: a file system may
/// search long for room where much was removed just now.
fn measure_pages(
    options: &Options,
    (name, container): (&str, Container),
    write: impl FnOnce(&Path) -> Result<Written>,
    log: &mut Log,
) -> Result<Vec<Sketching>> {
    let dir = options.dir.join("pages");
    remove(&dir)?;
    let pages = dir.join("pages");
    std::fs::create_dir_all(&pages)
        .with_context(|| format!("failed to make {}", pages.display()))?;
    let written = write(&pages)?;
    let mut found: Vec<Sketching> = Vec::new();
    for round in 0..options.rounds.max(1) {
        for (at, (method, text)) in METHODS.iter().enumerate() {
            let run = dir.join(format!("{round}-{at}"));
            configure(options, &run, text)?;
            let cost = one(&options.pipeline, &run, "sketch")?;
            let (phase_s, sampled) = phase(&run)?;
            let pages = name.to_owned();
            let container = container.name();
            let sketching = Sketching {
                pages,
                container,
                method,
                written,
                cost,
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
        log.raw("sketching", sketching)?;
    }
    remove(&dir)?;
    Ok(found)
}

fn configure(options: &Options, dir: &Path, method: &str) -> Result<()> {
    let text = format!(
        "version = 1\n[input]\npaths = [\"../pages\"]\n[work]\nmemory = \"{}\"\nthreads = {}\n[sketch]\nseed = \"altavista\"\n\
         method = {method}\n",
        options.memory, options.threads
    );
    std::fs::create_dir_all(dir).with_context(|| format!("failed to make {}", dir.display()))?;
    std::fs::write(dir.join("pipeline.toml"), text).context("failed to write the configuration")
}

/// CPU seconds of the phase, and the shingles in its sketches.
fn phase(dir: &Path) -> Result<(f64, u64)> {
    let manifest = format::Manifest::load(&format::Disk::default(), &dir.join("work"))?;
    let record = manifest
        .as_ref()
        .and_then(|manifest| manifest.phases.get("sketch"))
        .context("failed to find the phase")?;
    let cpu_ms = record
        .cost
        .get("cpu_ms")
        .context("failed to find what the phase took")?;
    let sampled = record
        .counts
        .get("sampled")
        .context("failed to find the count of shingles")?;
    Ok((*cpu_ms as f64 / 1e3, *sampled))
}
