//! Loads made to break the program, at the smallest budget it takes, beside a normal load of equal
//! bytes.
//!
//! *Input.* The `pipeline` binary, a directory to work in, a scale. *Output.* A row a load: CPU
//! seconds at half and at full size and of normal pages of equal bytes in the same container, the
//! kernel's peak memory, whether it ended within budget + 64 MiB; raw results as JSON lines.
//! *Algorithm.* Each load is written ([`files`]), run as a process of its own ([`crate::child`]),
//! and removed. Time is linear when full size takes about twice half size. *Disk.* One load and the
//! work directory of its run at a time: 15 GB at full size. *Limits.* Linear up to [`LINEAR_MAX`]:
//! noise and fixed costs blur small loads.

pub mod files;

use crate::child::{self, Usage};
use anyhow::{Context, Result, ensure};
use files::{Container, Hostile};
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The smallest budget that the default configuration takes, and what a run may take over it.
const BUDGET_BYTES: u64 = 64 << 20;
const OVER_BYTES: u64 = 64 << 20;

/// CPU seconds at full size, divided by twice those at half size, up to which a load counts as
/// linear.
pub const LINEAR_MAX: f64 = 1.25;

/// What no load may take; a load that takes longer is named as broken.
const LIMIT: Duration = Duration::from_secs(3600);

/// Where and what to run.
#[derive(Clone, Debug)]
pub struct Bench {
    /// The program.
    pub pipeline: PathBuf,
    /// An empty directory.
    pub dir: PathBuf,
    /// Part of the full size in thousandths.
    pub scale_per_mille: u64,
}

/// One run of one load.
#[derive(Clone, Debug)]
pub struct Measured {
    /// Bytes of the input, uncompressed.
    pub bytes: u64,
    /// What it took.
    pub usage: Usage,
    /// Documents the run counts.
    pub documents: u64,
    /// The run's own account.
    pub account: Value,
}

/// A load at half and full size, and normal pages of equal bytes.
#[derive(Clone, Debug)]
pub struct Compared {
    /// The load.
    pub load: Hostile,
    /// At half size.
    pub half: Measured,
    /// At full size.
    pub full: Measured,
    /// Normal pages.
    pub normal: Measured,
}

impl Compared {
    /// How much more than twice the CPU seconds twice the bytes take.
    pub fn growth(&self) -> f64 {
        let bytes = self.full.bytes as f64 / self.half.bytes.max(1) as f64;
        self.full.usage.cpu_s() / self.half.usage.cpu_s().max(0.01) / bytes
    }

    /// Whether it kept to its memory and was linear.
    pub fn holds(&self) -> bool {
        self.full.usage.peak_bytes <= BUDGET_BYTES + OVER_BYTES && self.growth() <= LINEAR_MAX
    }
}

impl Bench {
    /// Measures one load three times.
    ///
    /// # Errors
    /// When it cannot be written, or the run fails.
    pub fn compare(&self, load: Hostile) -> Result<Compared> {
        let half = self.measure(load, load.documents(self.scale_per_mille / 2))?;
        let full = self.measure(load, load.documents(self.scale_per_mille))?;
        let normal = self.measure_normal(load.container(), full.bytes)?;
        Ok(Compared {
            load,
            half,
            full,
            normal,
        })
    }

    fn measure(&self, load: Hostile, documents: u64) -> Result<Measured> {
        self.write_and_run(&[load.name(), &documents.to_string()])
    }

    fn measure_normal(&self, container: Container, bytes: u64) -> Result<Measured> {
        self.write_and_run(&[container.name(), &bytes.to_string()])
    }

    /// The load is written by this program as a process of its own: the kernel's peak of a program
    /// counts from the memory of the one that starts it, so this one stays small.
    fn write_and_run(&self, what: &[&str; 2]) -> Result<Measured> {
        let load = self.fresh()?;
        let mut command =
            Command::new(std::env::current_exe().context("failed to find this program")?);
        let written = command
            .arg("--write")
            .arg(&load)
            .args(what)
            .output()
            .context("failed to write a load")?;
        let complaint = String::from_utf8_lossy(&written.stderr);
        ensure!(
            written.status.success(),
            "failed to write the load {}: {complaint}",
            what[0]
        );
        let bytes = String::from_utf8_lossy(&written.stdout)
            .trim()
            .parse()
            .context("failed to read its size")?;
        self.run(bytes)
    }

    /// The input's directory, empty, with the configuration beside it and nothing left of earlier
    /// runs.
    fn fresh(&self) -> Result<PathBuf> {
        for name in ["load", "work", "out.d"] {
            remove(&self.dir.join(name))?;
        }
        _ = std::fs::remove_file(self.dir.join("out"));
        let load = self.dir.join("load");
        std::fs::create_dir_all(&load)
            .with_context(|| format!("failed to make {}", load.display()))?;
        let text = format!(
            "version = 1\n[input]\npaths = [\"load\"]\n[work]\nmemory = \"{BUDGET_BYTES}B\"\n[sketch]\nseed = \"hostile\"\n"
        );
        std::fs::write(self.dir.join("pipeline.toml"), text)
            .context("failed to write the configuration")?;
        Ok(load)
    }

    fn run(&self, bytes: u64) -> Result<Measured> {
        let mut command = Command::new(&self.pipeline);
        command.args(["run", "-q"]).current_dir(&self.dir);
        let usage = child::run(&mut command, LIMIT)?.well("pipeline run")?;
        let account = self.published("run.json")?;
        let documents = self.published("report.json")?["input"]["documents"]
            .as_u64()
            .unwrap_or(0);
        self.clear()?;
        Ok(Measured {
            bytes,
            usage,
            documents,
            account,
        })
    }

    fn published(&self, name: &str) -> Result<Value> {
        let bytes = std::fs::read(self.dir.join("out").join(name))
            .with_context(|| format!("failed to read {name}"))?;
        serde_json::from_slice(&bytes).with_context(|| format!("failed to parse {name}"))
    }

    /// Removes what runs leave behind.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub fn clear(&self) -> Result<()> {
        for name in ["load", "work", "out.d"] {
            remove(&self.dir.join(name))?;
        }
        Ok(())
    }
}

fn remove(path: &Path) -> Result<()> {
    if path.exists() {
        std::fs::remove_dir_all(path)
            .with_context(|| format!("failed to remove {}", path.display()))?;
    }
    Ok(())
}

/// Runs the named loads, or all, and prints the table while it grows. Says whether all hold.
///
/// # Errors
/// When a load cannot be run, or `out` or `raw` not be written.
pub fn bench(
    bench: &Bench,
    names: &[String],
    out: &mut dyn Write,
    raw: &mut dyn Write,
) -> Result<bool> {
    let known = |name: &String| Hostile::ALL.iter().any(|load| load.name() == name);
    ensure!(
        names.iter().all(known),
        "no such load; known are: {}",
        Hostile::ALL.map(Hostile::name).join(", ")
    );
    writeln!(
        out,
        "memory = \"64MiB\": peak at most {} MiB; growth: CPU seconds at full size, divided by twice those at half size",
        (BUDGET_BYTES + OVER_BYTES) >> 20
    )?;
    writeln!(
        out,
        "{:<15}{:>10}{:>11}{:>9}{:>9}{:>8}{:>10}{:>8}{:>10}  verdict",
        "load", "MB", "documents", "CPU-s", "ns/B", "growth", "normal", "ratio", "peak MiB"
    )?;
    let mut all = true;
    for load in Hostile::ALL {
        if !names.is_empty() && !names.iter().any(|name| name == load.name()) {
            continue;
        }
        match bench.compare(load) {
            Ok(compared) => {
                all &= compared.holds();
                writeln!(out, "{}", row(&compared))?;
                writeln!(raw, "{}", raw_row(&compared))?;
            }
            Err(error) => {
                all = false;
                writeln!(out, "{:<15} FAILED: {error:#}", load.name())?;
            }
        }
        out.flush()?;
    }
    bench.clear()?;
    Ok(all)
}

fn row(compared: &Compared) -> String {
    let Compared {
        load, full, normal, ..
    } = compared;
    let cpu_s = full.usage.cpu_s();
    let verdict = match (
        full.usage.peak_bytes <= BUDGET_BYTES + OVER_BYTES,
        compared.growth() <= LINEAR_MAX,
    ) {
        (true, true) => "holds",
        (false, _) => "OVER BUDGET",
        (true, false) => "NOT LINEAR",
    };
    format!(
        "{:<15}{:>10.1}{:>11}{:>9.2}{:>9.2}{:>8.2}{:>10.2}{:>8.2}{:>10.1}  {verdict}{}",
        load.name(),
        full.bytes as f64 / 1e6,
        full.documents,
        cpu_s,
        cpu_s * 1e9 / full.bytes.max(1) as f64,
        compared.growth(),
        normal.usage.cpu_s(),
        cpu_s / normal.usage.cpu_s().max(0.01),
        full.usage.peak_bytes as f64 / f64::from(1 << 20),
        load.bound()
            .map(|bound| format!("; {bound}"))
            .unwrap_or_default(),
    )
}

fn raw_row(compared: &Compared) -> Value {
    let one = |measured: &Measured| {
        let Measured {
            bytes,
            usage,
            documents,
            account,
        } = measured;
        json!({ "bytes": bytes, "documents": documents, "usage": usage, "account": account })
    };
    json!({
        "load": compared.load.name(),
        "half": one(&compared.half),
        "full": one(&compared.full),
        "normal": one(&compared.normal),
    })
}
