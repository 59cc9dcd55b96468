//! The run of 1996 again, at any part of its size.
//!
//! *Input.* The `pipeline` binary and [`Options`]. *Output.* The paper's table of times beside
//! ours, counts, bytes, peaks; raw results as JSON lines; plots. *Algorithm.* Generated sketches
//! ([`crate::altavista::sketches`]) go through `distinct`, `sort`, `pairs` and `cluster`, each a
//! process of its own ([`phases`]); generated pages go through `sketch`, container by container
//! ([`sketching`]); what 150 GB would take is **composed** of both, and called so. [`curve`]
//! repeats both at growing size and memory. Of several rounds the one of the least CPU time counts,
//! in each phase. *Disk.* About 8 GB of sketches and 30 GB of temporary files at full size, and the
//! pages of one container at a time. *Limits.* Times of short runs say little.

pub mod curve;
pub mod log;
pub mod phases;
pub mod sketching;
pub mod table;

use crate::altavista::pages::Container;
use crate::altavista::{ALTAVISTA, Model, sketches};
use anyhow::{Context, Result};
use log::Log;
use std::path::PathBuf;

/// What to run.
#[derive(Clone, Debug)]
pub struct Options {
    /// The program.
    pub pipeline: PathBuf,
    /// A directory to work in; everything made in it is removed again.
    pub dir: PathBuf,
    /// Where results go.
    pub results: PathBuf,
    /// Part of the 30 M documents.
    pub scale: f64,
    /// The same of the run with adaptive sketches.
    pub adaptive_scale: f64,
    /// `work.memory`.
    pub memory: String,
    /// `work.threads`.
    pub threads: usize,
    /// Bytes of pages in each container.
    pub page_bytes: u64,
    /// How often each figure is taken.
    pub rounds: u32,
    /// Which containers are sketched.
    pub containers: Vec<Container>,
    /// The seed of everything.
    pub seed: u64,
}

impl Options {
    /// Documents at a part of the full size.
    pub fn documents(scale: f64) -> u64 {
        ((ALTAVISTA.documents as f64 * scale).round() as u64).max(1)
    }

    /// The configuration of a run on sketches.
    fn spec(&self, name: &str, method: &str) -> sketches::Spec {
        let (memory, threads) = (self.memory.clone(), self.threads);
        sketches::Spec {
            dir: self.dir.join(name),
            method: method.to_owned(),
            memory,
            threads,
        }
    }
}

/// Runs everything once and prints the tables.
///
/// # Errors
/// When something cannot be written or run.
pub fn run(options: &Options, log: &mut Log) -> Result<()> {
    log.line(&format!(
        "AltaVista-shaped run: scale {} ({} documents), memory {}, threads {}, rounds {}, seed {}",
        options.scale,
        Options::documents(options.scale),
        options.memory,
        options.threads,
        options.rounds,
        options.seed
    ))?;
    let model = Model::of_sketches(options.seed, Options::documents(options.scale));
    let modulus = phases::measure(
        options,
        &options.spec("modulus", sketches::MODULUS_25),
        &model,
        log,
    )?;
    let model = Model::of_sketches(options.seed, Options::documents(options.adaptive_scale));
    let adaptive = phases::measure(
        options,
        &options.spec("adaptive", sketches::ADAPTIVE),
        &model,
        log,
    )?;
    let pages = sketching::measure(options, log)?;
    table::print(
        options,
        &table::Results {
            modulus,
            adaptive,
            pages,
        },
        log,
    )
}

/// Removes a directory, if it is there.
pub(crate) fn remove(path: &std::path::Path) -> Result<()> {
    if path.exists() {
        std::fs::remove_dir_all(path)
            .with_context(|| format!("failed to remove {}", path.display()))?;
    }
    Ok(())
}
