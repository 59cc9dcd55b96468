//! Generated pages through the phase `sketch`, container by container.

use super::phases::{Cost, one};
use super::{Log, Options, remove};
use crate::altavista::pages::{Container, Pages, Written};
use crate::altavista::{Model, sketches};
use anyhow::{Context, Result};
use serde::Serialize;
use std::path::Path;

/// Bytes of a page.
const PAGE_BYTES: u64 = 5000;

/// A container sketched by one method.
#[derive(Clone, Debug, Serialize)]
pub struct Sketching {
    /// How the pages were stored.
    pub container: &'static str,
    /// How the sketches were sampled.
    pub method: &'static str,
    /// The pages.
    pub written: Written,
    /// What it took.
    pub cost: Cost,
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
pub const METHODS: [(&str, &str); 2] = [("modulus 25", sketches::MODULUS_25), ("adaptive", sketches::ADAPTIVE)];

/// Sketches pages of each container by each method.
///
/// # Errors
/// When pages cannot be written or the phase fails.
pub fn measure(options: &Options, log: &mut Log) -> Result<Vec<Sketching>> {
    let mut found = Vec::new();
    for &container in &options.containers {
        found.extend(measure_container(options, container, options.page_bytes, log)?);
    }
    Ok(found)
}

/// Writes pages, sketches them by both methods in turn, removes them.
pub(super) fn measure_container(
    options: &Options,
    container: Container,
    bytes: u64,
    log: &mut Log,
) -> Result<Vec<Sketching>> {
    let dir = options.dir.join("pages");
    remove(&dir)?;
    let pages = dir.join("pages");
    std::fs::create_dir_all(&pages).with_context(|| format!("failed to make {}", pages.display()))?;
    let documents = (bytes / PAGE_BYTES).max(1);
    let model = Model::of_pages(options.seed, documents);
    let written = Pages::new(&model).write(container, documents, &pages)?;
    let mut found: Vec<Sketching> = Vec::new();
    for round in 0..options.rounds.max(1) {
        for (at, (name, method)) in METHODS.iter().enumerate() {
            configure(options, &dir, method)?;
            let cost = one(&options.pipeline, &dir, "sketch")?;
            match found.get_mut(at) {
                Some(best) if round > 0 && cost.usage.cpu_s() < best.cost.usage.cpu_s() => best.cost = cost,
                Some(_) => {}
                None => {
                    let sampled = sampled(&dir)?;
                    found.push(Sketching { container: container.name(), method: name, written, cost, sampled });
                }
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
        "version = 1\n[input]\npaths = [\"pages\"]\n[work]\nmemory = \"{}\"\nthreads = {}\n[sketch]\nseed = \"altavista\"\n\
         method = {method}\n",
        options.memory, options.threads
    );
    std::fs::write(dir.join("pipeline.toml"), text).context("failed to write the configuration")
}

/// Shingles in the sketches that are there.
fn sampled(dir: &Path) -> Result<u64> {
    let manifest = format::Manifest::load(&format::Disk::default(), &dir.join("work"))?;
    let record = manifest.as_ref().and_then(|manifest| manifest.phases.get("sketch"));
    record.and_then(|record| record.counts.get("sampled")).copied().context("failed to find the count of shingles")
}
