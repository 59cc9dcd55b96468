//! The run of 1996 again, at any part of its size.
//!
//! *Input.* The `pipeline` binary and [`Options`]. *Output.* The paper's table of times beside
//! ours, counts, bytes, peaks; raw results as JSON lines; plots. *Algorithm.* Generated sketches
//! ([`crate::altavista::sketches`]) go through `distinct`, `sort`, `pairs` and `cluster`, each a
//! process of its own ([`phases`]); generated pages go through `sketch`, container by container
//! ([`sketching`]); the time for 150 GB is **composed** of both, and called so ([`tables`]).
//! [`curve`] repeats both at growing size and memory. Of several rounds the one of the least CPU
//! time counts, in each phase. *Disk.* About 8 GB of sketches and 30 GB of temporary files at full
//! size, and the pages of one container at a time. *Limits.* Times of short runs say little.

pub mod curve;
pub mod phases;
pub mod sketching;
pub mod tables;

use crate::altavista::pages::{Container, Pages};
use crate::altavista::{ALTAVISTA, Model, sketches};
use crate::child;
use crate::files;
use crate::report::Report;
use anyhow::{Context, Result, ensure};
use clap::ValueEnum;
use std::path::PathBuf;

/// What to run.
#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    /// The program to measure; the one beside this program if none is named.
    #[arg(long, value_name = "FILE")]
    pub pipeline: Option<PathBuf>,
    /// Where table, raw results and plots go.
    #[arg(long, value_name = "DIR", default_value = "altavista-results")]
    pub results: PathBuf,
    /// Part of the 30 million documents.
    #[arg(long, default_value_t = 0.001)]
    pub scale: f64,
    /// The same for adaptive sketches; a tenth of the scale if not given.
    #[arg(long, value_name = "SCALE")]
    pub adaptive_scale: Option<f64>,
    /// `work.memory` of the runs.
    #[arg(long, value_name = "SIZE", default_value = "1GiB")]
    pub memory: String,
    /// `work.threads` of the runs.
    #[arg(long, default_value_t = 1)]
    pub threads: usize,
    /// Bytes of pages in each container; the scale times 3 GB if not given, at least 20 MB.
    #[arg(long = "pages", value_name = "SIZE", value_parser = pipeline::config::parse_size)]
    pub page_bytes: Option<u64>,
    /// How often each figure is taken; the best counts.
    #[arg(long, default_value_t = 1)]
    pub rounds: u32,
    /// Containers that are sketched.
    #[arg(long, value_delimiter = ',', default_value = "warc,warc.gz,jsonl,tree")]
    pub containers: Vec<Container>,
    /// The seed of everything.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// A directory to work in, by default one below the current directory; everything made in it
    /// is removed again.
    #[arg(default_value_os_t = PathBuf::from(format!("bench-{}", std::process::id())))]
    pub dir: PathBuf,
}

impl Options {
    /// Makes the directory, finds the program and checks the rest.
    ///
    /// # Errors
    /// When one of them is not as it must be.
    pub fn prepared(mut self) -> Result<Options> {
        ensure!(
            self.scale > 0.0 && self.scale <= 100.0,
            "the scale must be above 0 and at most 100, not {}",
            self.scale
        );
        files::make_dir(&self.dir)?;
        self.pipeline = Some(child::pipeline(self.pipeline.as_deref())?);
        Ok(self)
    }

    /// Removes the directory if nothing else is in it.
    pub fn done(&self) {
        _ = std::fs::remove_dir(&self.dir);
    }

    fn page_bytes(&self) -> u64 {
        let of_scale = (3e9 * self.scale) as u64;
        self.page_bytes.unwrap_or(of_scale.max(20_000_000))
    }

    /// Documents at a part of the full size.
    pub fn documents(scale: f64) -> u64 {
        ((ALTAVISTA.documents as f64 * scale).round() as u64).max(1)
    }

    /// The configuration of a run on sketches.
    pub fn spec(&self, name: &str, method: &str) -> sketches::Spec {
        sketches::Spec {
            dir: self.dir.join(name),
            method: method.to_owned(),
            memory: self.memory.clone(),
            threads: self.threads,
        }
    }
}

/// The command `altavista`.
#[derive(Clone, Debug, clap::Args)]
pub struct Command {
    #[command(flatten)]
    options: Options,
    /// All 30 million documents: `--scale 1`.
    #[arg(long)]
    full: bool,
    /// Print scaling curves instead of the table.
    #[arg(long)]
    curve: bool,
    /// Only write pages into DIR; `sketches` for a container: a work directory.
    #[arg(long, num_args = 2, value_names = ["CONTAINER", "DOCUMENTS"])]
    write: Option<Vec<String>>,
}

/// Runs the command.
///
/// # Errors
/// When something cannot be written or run.
pub fn altavista(mut command: Command) -> Result<()> {
    if command.full {
        command.options.scale = 1.0;
    }
    if let Some([what, documents]) = command.write.as_deref() {
        let documents = documents.parse().context("failed to read a number")?;
        return write(&command.options, what, documents);
    }
    let options = command.options.prepared()?;
    let mut report = Report::in_dir(&options.results)?;
    if command.curve {
        curve::curve(&options, &mut report)?;
    } else {
        run(&options, &mut report)?;
    }
    options.done();
    Ok(())
}

/// Writes pages, or sketches for someone who wants to look into a phase.
fn write(options: &Options, what: &str, documents: u64) -> Result<()> {
    files::make_dir(&options.dir)?;
    let written = if what == "sketches" {
        let spec = sketches::Spec {
            dir: options.dir.clone(),
            ..options.spec("", sketches::MODULUS_25)
        };
        let written = spec.write(&Model::of_sketches(options.seed, documents))?;
        serde_json::to_string(&written)
    } else {
        let container = Container::from_str(what, false).map_err(anyhow::Error::msg)?;
        let model = Model::of_pages(options.seed, documents);
        let written = Pages::new(&model).write(container, documents, &options.dir)?;
        serde_json::to_string(&written)
    };
    println!("{}", written?);
    Ok(())
}

/// Runs everything once and prints the tables.
fn run(options: &Options, report: &mut Report) -> Result<()> {
    report.line(&format!(
        "AltaVista-shaped run: scale {} ({} documents), memory {}, threads {}, rounds {}, seed {}",
        options.scale,
        Options::documents(options.scale),
        options.memory,
        options.threads,
        options.rounds,
        options.seed
    ))?;
    let mut phases = |name, method, scale| {
        let model = Model::of_sketches(options.seed, Options::documents(scale));
        phases::measure(options, &options.spec(name, method), &model, report)
    };
    let adaptive_scale = options.adaptive_scale.unwrap_or(options.scale / 10.0);
    let results = tables::Results {
        modulus: phases("modulus", sketches::MODULUS_25, options.scale)?,
        adaptive: phases("adaptive", sketches::ADAPTIVE, adaptive_scale)?,
        pages: sketching::measure(options, report)?,
    };
    tables::print(options, &results, report)
}
