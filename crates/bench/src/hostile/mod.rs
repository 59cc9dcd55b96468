//! Loads made to break the program, at the smallest budget it takes, beside a normal load of equal
//! bytes.
//!
//! *Input.* The `pipeline` binary, a scale. *Output.* A row for each load: CPU seconds at half and
//! at full size and of normal pages of equal bytes in the same container, the kernel's peak memory,
//! whether it ended within budget + 64 MiB; raw results as JSON lines. *Algorithm.* Each load is
//! written ([`loads`]), run as a process of its own ([`crate::child`]), and removed. Time is linear
//! when full size takes about twice half size. *Disk.* One load and the work directory of its run
//! at a time, below the current directory: 15 GB at full size. *Limits.* Linear up to
//! [`LINEAR_MAX`]: noise and fixed costs blur small loads.

pub mod loads;

use crate::child::{self, Usage};
use crate::files;
use crate::report::Report;
use anyhow::{Context, Result, ensure};
use loads::{Hostile, LOADS};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The smallest budget that the default configuration takes.
const BUDGET_BYTES: u64 = 64 << 20;

/// The most memory that a run may take.
const PEAK_MAX_BYTES: u64 = BUDGET_BYTES + (64 << 20);

/// CPU seconds at full size, divided by twice those at half size, up to which a load counts as
/// linear.
pub const LINEAR_MAX: f64 = 1.25;

/// The longest that a load may take.
const LIMIT: Duration = Duration::from_secs(3600);

/// What to run.
#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    /// Part of the full size in thousandths.
    #[arg(long, value_name = "PER_MILLE", default_value_t = 1000)]
    scale: u64,
    /// Where raw results go as JSON lines.
    #[arg(long, value_name = "FILE")]
    raw: Option<PathBuf>,
    /// The program to measure; the one beside this program if none is named.
    #[arg(long, value_name = "FILE")]
    pipeline: Option<PathBuf>,
    /// Write a load and print its bytes; this program starts itself with it.
    #[arg(long, hide = true, num_args = 3, value_names = ["DIR", "NAME", "SIZE"])]
    write: Option<Vec<String>>,
    /// Loads to run; all if none is named.
    loads: Vec<String>,
}

/// One run of one load.
#[derive(Clone, Debug, serde::Serialize)]
struct Measured {
    /// Bytes of the input, uncompressed.
    bytes: u64,
    usage: Usage,
    documents: u64,
    /// The run's own account.
    account: Value,
}

/// A load at half and full size, and normal pages of equal bytes.
#[derive(Clone, Debug, serde::Serialize)]
struct Compared {
    load: &'static str,
    half: Measured,
    full: Measured,
    normal: Measured,
}

impl Compared {
    /// How much more than twice the CPU seconds twice the bytes take.
    fn growth(&self) -> f64 {
        let bytes = self.full.bytes as f64 / self.half.bytes.max(1) as f64;
        self.full.usage.cpu_s() / self.half.usage.cpu_s().max(0.01) / bytes
    }

    fn verdict(&self) -> &'static str {
        match (
            self.full.usage.peak_bytes <= PEAK_MAX_BYTES,
            self.growth() <= LINEAR_MAX,
        ) {
            (true, true) => HOLDS,
            (false, _) => "OVER BUDGET",
            (true, false) => "NOT LINEAR",
        }
    }
}

const HOLDS: &str = "holds";

/// Runs the named loads, or all, and prints the table while it grows. Tells whether all hold.
///
/// # Errors
/// When there is no such load, or results cannot be written.
pub fn run(options: &Options) -> Result<bool> {
    if let Some([dir, name, size]) = options.write.as_deref() {
        let size = size.parse().context("failed to read the size")?;
        println!("{}", loads::write_named(Path::new(dir), name, size)?);
        return Ok(true);
    }
    for name in &options.loads {
        let known = LOADS.map(|load| load.name);
        ensure!(
            known.contains(&name.as_str()),
            "no load {name}; known are: {}",
            known.join(", ")
        );
    }
    let bench = Bench {
        pipeline: child::pipeline(options.pipeline.as_deref())?,
        dir: PathBuf::from(format!("hostile-{}", std::process::id())),
    };
    let mut report = Report::on_screen(options.raw.as_deref())?;
    report.line(&format!(
        "memory = \"64MiB\": peak at most {} MiB; growth: CPU seconds at full size, divided by \
         twice those at half size; ratio: to normal pages of equal bytes",
        PEAK_MAX_BYTES >> 20
    ))?;
    report.columns(
        "load | MB | documents | CPU-s | ns/B | growth | normal | ratio | peak MiB | verdict",
    )?;
    let mut all_hold = true;
    for load in LOADS {
        if options.loads.is_empty() || options.loads.iter().any(|name| name == load.name) {
            all_hold &= bench.row(&load, options.scale, &mut report)?;
        }
    }
    files::remove_dir(&bench.dir)?;
    Ok(all_hold)
}

struct Bench {
    pipeline: PathBuf,
    dir: PathBuf,
}

impl Bench {
    /// Measures a load and prints its row; tells whether it holds.
    fn row(&self, load: &Hostile, scale: u64, report: &mut Report) -> Result<bool> {
        let compared = match self.compare(load, scale) {
            Ok(compared) => compared,
            Err(error) => {
                report.line(&format!("{} FAILED: {error:#}", load.name))?;
                return Ok(false);
            }
        };
        let (full, normal_s) = (&compared.full, compared.normal.usage.cpu_s());
        let cpu_s = full.usage.cpu_s();
        report.row(&[
            &load.name,
            &(full.bytes as f64 / 1e6),
            &full.documents,
            &cpu_s,
            &(cpu_s * 1e9 / full.bytes.max(1) as f64),
            &compared.growth(),
            &normal_s,
            &(cpu_s / normal_s.max(0.01)),
            &full.usage.peak_mib(),
            &format!("  {}{}", compared.verdict(), load.bound),
        ])?;
        report.raw("load", &compared)?;
        Ok(compared.verdict() == HOLDS)
    }

    fn compare(&self, load: &Hostile, scale: u64) -> Result<Compared> {
        let full = self.measure(load.name, load.documents(scale))?;
        Ok(Compared {
            load: load.name,
            half: self.measure(load.name, load.documents(scale / 2))?,
            normal: self.measure(load.container.normal(), full.bytes)?,
            full,
        })
    }

    /// Writes a load and runs the program on it. This program writes it as a process of its own:
    /// the kernel's peak of a program counts from the memory of the one that starts it, so this one
    /// stays small.
    fn measure(&self, name: &str, size: u64) -> Result<Measured> {
        files::remove_dir(&self.dir)?;
        let load = self.dir.join("load");
        files::make_dir(&load)?;
        let text = format!(
            "version = 1\n[input]\npaths = [\"load\"]\n[work]\nmemory = \"{BUDGET_BYTES}B\"\n\
             [sketch]\nseed = \"hostile\"\n"
        );
        files::write(&self.dir.join("pipeline.toml"), text)?;
        let this = std::env::current_exe().context("failed to find this program")?;
        let written = Command::new(this)
            .args(["hostile", "--write"])
            .arg(&load)
            .args([name, &size.to_string()])
            .output()
            .context("failed to write a load")?;
        let complaint = String::from_utf8_lossy(&written.stderr);
        ensure!(
            written.status.success(),
            "failed to write {name}: {complaint}"
        );
        let bytes = String::from_utf8_lossy(&written.stdout).trim().parse();

        let mut command = Command::new(&self.pipeline);
        command.args(["run", "-q"]).current_dir(&self.dir);
        let usage = child::run(&mut command, LIMIT)?;
        Ok(Measured {
            bytes: bytes.context("failed to read the size of the load")?,
            usage,
            documents: self.published("report.json")?["input"]["documents"]
                .as_u64()
                .unwrap_or(0),
            account: self.published("run.json")?,
        })
    }

    fn published(&self, name: &str) -> Result<Value> {
        let text = files::read(&self.dir.join("out").join(name))?;
        serde_json::from_str(&text).with_context(|| format!("failed to parse {name}"))
    }
}
