//! The costs of kernels, phases and the whole run, and their options: the commands `altavista` and
//! `stages`.

pub(crate) mod measured;
pub(crate) mod rerun;
pub(crate) mod stages;
mod tables;

use crate::bench::altavista::pages::Container;
use crate::bench::altavista::{ALTAVISTA, sketches};
use crate::bench::files;
use anyhow::{Result, ensure};
use std::path::PathBuf;

/// Options of `costs`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// Where table, raw results and plots go.
    #[arg(long, value_name = "DIR", default_value = "altavista-results")]
    results: PathBuf,
    /// Part of the 30 million documents.
    #[arg(long, default_value_t = 0.001)]
    scale: f64,
    /// The same for adaptive sketches; a tenth of the scale if not given.
    #[arg(long, value_name = "SCALE")]
    adaptive_scale: Option<f64>,
    /// `work.memory` of the runs.
    #[arg(long, value_name = "SIZE", default_value = "1GiB")]
    memory: String,
    /// `work.threads` of the runs.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Bytes of pages in each container; the scale times 3 GB if not given, at least 20 MB.
    #[arg(long = "pages", value_name = "SIZE", value_parser = config::parse_size)]
    page_bytes: Option<u64>,
    /// How often each figure is taken; the best counts.
    #[arg(long, default_value_t = 1)]
    rounds: u32,
    /// Containers that are sketched.
    #[arg(long, value_delimiter = ',', default_value = "warc,warc.gz,jsonl")]
    containers: Vec<Container>,
    /// The seed of everything.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// A directory to work in, by default one below the current directory; everything made in it
    /// is removed again.
    #[arg(default_value_os_t = PathBuf::from(format!("bench-{}", std::process::id())))]
    dir: PathBuf,
}

impl Options {
    /// Makes the directory and checks the rest.
    fn prepared(self) -> Result<Options> {
        ensure!(
            self.scale > 0.0 && self.scale <= 100.0,
            "the scale must be above 0 and at most 100, not {}",
            self.scale
        );
        files::make_dir(&self.dir)?;
        Ok(self)
    }

    /// Removes the directory if nothing else is in it.
    fn done(&self) {
        _ = std::fs::remove_dir(&self.dir);
    }

    /// Bytes of pages in each container.
    fn page_bytes(&self) -> u64 {
        let of_scale = (3e9 * self.scale) as u64;
        self.page_bytes.unwrap_or(of_scale.max(20_000_000))
    }

    /// Documents at a part of the full size.
    fn documents(scale: f64) -> u64 {
        ((ALTAVISTA.documents as f64 * scale).round() as u64).max(1)
    }

    /// The configuration of a run on sketches.
    fn spec(&self, name: &str, method: &str) -> sketches::Spec {
        sketches::Spec {
            dir: self.dir.join(name),
            input: sketches::PLACEHOLDER_NAME,
            method: method.to_owned(),
            memory: self.memory.clone(),
            threads: self.threads,
        }
    }
}
