//! The guard: counts instructions, so that noise cannot hide that something became slower.
//!
//! *Input.* [`kernels::Inputs::samples`], and the sample crawl for one small whole run. *Output.* A
//! table of every kernel and of the whole run, on every form of the hot loops that this processor
//! has, beside the counts recorded in `crates/lab/instructions.toml`; failure if one is more than
//! 5 % over its record. *Algorithm.* Each kernel runs once under valgrind's callgrind, which counts
//! only inside the function [`measured`], so neither start nor preparation count. *Limits.* Where
//! valgrind is missing, or a form was never recorded, it says so and passes. Counts say nothing
//! about caches and waiting: `scripts/lab stages` is for that.
//!
//! This is a driver of its own and not one of the crates for it, because those keep the counts to
//! compare with in the target directory and need a runner installed in the same version; here they
//! are a reviewed file.

use crate::bench::files;
use crate::bench::kernels::{self, Inputs, Kernel, Work};
use crate::bench::report::Report;
use crate::table::{Table, row};
use anyhow::{Context, Result, bail, ensure};
use sketch::Cpu;
use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const HEAD: &str = "\
# Instructions of every kernel and of one small whole run, by form of the hot loops; `any` is code that has but one.
# scripts/instructions compares with these and fails at +5 %; scripts/instructions --record writes them.
";

/// The small whole run.
const WHOLE: &str = "whole-run";

/// A count over its record by this factor fails.
const OVER: f64 = 1.05;

/// A count under its record by this factor should be recorded.
const UNDER: f64 = 0.95;

/// The form that ran where a kernel has only one.
const ANY: &str = "any";

/// The form without instructions that only some processors have.
const PORTABLE: &str = "portable";

/// Form → kernel → instructions.
type Record = BTreeMap<String, BTreeMap<String, u64>>;

/// Options of `instructions`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// Make the counts of today the record.
    #[arg(long)]
    record: bool,
    /// Run one kernel; this program starts itself under valgrind with it.
    #[arg(long, hide = true)]
    kernel: Option<String>,
    /// Kernels to count; all if none is named.
    names: Vec<String>,
}

/// Counts and compares. Tells whether all counts are within their bounds.
pub(crate) fn run(options: &Options) -> Result<bool> {
    if let Some(name) = &options.kernel {
        return run_kernel(name).map(|()| true);
    }
    let mut report = Report::new(None)?;
    let mut version = Command::new("valgrind");
    version.arg("--version").stdout(Stdio::null());
    if !version.status().is_ok_and(|status| status.success()) {
        report.line("instructions: NOT CHECKED, valgrind is not installed")?;
        return Ok(true);
    }
    let dir = tempfile::tempdir().context("failed to make a temporary directory")?;
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("instructions.toml");
    let mut record = read(&path)?;
    let mut over = Vec::new();
    let mut table = Table::new("Instructions", []);
    let kernels = kernels::ALL.map(|kernel| (kernel.name, kernel.has_forms()));
    for (kernel, has_forms) in kernels.into_iter().chain([(WHOLE, true)]) {
        if !options.names.is_empty() && !options.names.iter().any(|name| name == kernel) {
            continue;
        }
        let forms: &[&str] = if has_forms {
            &[PORTABLE, "best"]
        } else {
            &[ANY]
        };
        for form in forms {
            let (form, count) = count(kernel, form, dir.path())?;
            let counts = record.entry(form.clone()).or_default();
            let before = counts.get(kernel).copied();
            let ratio = before.map(|before| count as f64 / before.max(1) as f64);
            let remark = match ratio {
                None => "not recorded",
                Some(ratio) if ratio > OVER => "OVER",
                Some(ratio) if ratio < UNDER => "better: record it",
                Some(_) => "",
            };
            let name = format!("{kernel} ({form})");
            let change = ratio.map(|ratio| format!("{:+.2} %", (ratio - 1.0) * 100.0));
            table.push(row! {
                "kernel": name.as_str(),
                "recorded": before,
                "now": count,
                "change": change,
                "remark": remark,
            });
            if options.record {
                counts.insert(kernel.to_owned(), count);
            } else if remark == "OVER" {
                over.push(name);
            }
        }
    }
    report.table(&table)?;
    if options.record {
        let text = toml::to_string(&record).context("failed to format the record")?;
        files::write(&path, format!("{HEAD}\n{text}"))?;
        report.line(&format!("recorded in {}", path.display()))?;
    } else if !over.is_empty() {
        report.line(&format!(
            "\nmore than 5 % over the record: {}\n\
             If that is meant, record it with scripts/instructions --record and say why in the commit.",
            over.join(", ")
        ))?;
    }
    Ok(over.is_empty())
}

fn read(path: &Path) -> Result<Record> {
    if !path.exists() {
        return Ok(Record::default());
    }
    let text = files::read(path)?;
    toml::from_str(&text).with_context(|| format!("failed to parse {}", path.display()))
}

/// Callgrind counts while this function runs, in whatever it calls.
#[inline(never)]
fn measured(work: &mut Work<'_>) -> Result<u64> {
    black_box(work())
}

/// Runs a kernel in a pool of one thread, so that nothing runs on another; prints the form of the
/// hot loops. Of kernels on pages the second run counts: the first one also makes tables that are
/// made only once.
fn run_kernel(name: &str) -> Result<()> {
    let kernel = Kernel::named(name).with_context(|| format!("no kernel {name}"))?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    println!("{}", Cpu::chosen());
    pool.context("failed to start a thread")?.install(|| {
        let inputs = Inputs::samples()?;
        let mut work = (kernel.prepare)(&inputs, Cpu::chosen())?;
        if kernel.has_forms() {
            black_box(work()?);
        }
        measured(&mut work).map(drop)
    })
}

/// Runs a kernel, or the whole program, under callgrind in one form of the hot loops; gives the
/// name of the form that ran, and the instructions.
fn count(kernel: &str, form: &str, dir: &Path) -> Result<(String, u64)> {
    let counts = dir.join("callgrind.out");
    let this = std::env::current_exe().context("failed to find this program")?;
    let mut command = valgrind("callgrind", form, dir);
    command.arg("--combine-dumps=yes");
    command.arg(format!("--callgrind-out-file={}", counts.display()));
    if kernel == WHOLE {
        prepare_whole(dir)?;
        command.arg(this.with_file_name("pipeline"));
        command
            .args(["run", "-q", "--config"])
            .arg(dir.join("pipeline.toml"));
    } else {
        command.arg("--collect-atstart=no");
        command.arg("--toggle-collect=*lab*instructions*measured*");
        command
            .arg(&this)
            .args(["instructions", "--kernel", kernel]);
    }
    let said = output(&mut command)?;
    let text = files::read(&counts)?;
    let instructions = total(&text).with_context(|| format!("no total in {}", counts.display()))?;
    ensure!(
        instructions > 10_000,
        "{kernel}: {instructions} instructions; was the measured function inlined?"
    );
    let form = match (kernel, form) {
        (_, ANY | PORTABLE) => form.to_owned(),
        // The whole run takes the same form as the kernels do.
        (WHOLE, _) => {
            let mut command = valgrind("none", form, dir);
            output(
                command
                    .arg(&this)
                    .args(["instructions", "--kernel", "union-find"]),
            )?
        }
        _ => said,
    };
    Ok((form, instructions))
}

fn valgrind(tool: &str, form: &str, dir: &Path) -> Command {
    let mut command = Command::new("valgrind");
    command.arg(format!("--tool={tool}")).arg("-q");
    command.current_dir(dir).stdin(Stdio::null());
    command.env_remove("PIPELINE_CPU").env("TMPDIR", dir);
    if form == PORTABLE {
        command.env("PIPELINE_CPU", PORTABLE);
    }
    command
}

/// Runs a command; gives what it printed.
fn output(command: &mut Command) -> Result<String> {
    let ended = command.output().context("failed to start valgrind")?;
    if !ended.status.success() {
        bail!(
            "{command:?} failed: {}",
            String::from_utf8_lossy(&ended.stderr)
        );
    }
    Ok(String::from_utf8_lossy(&ended.stdout).trim().to_owned())
}

/// The first number of `totals:`, or of `summary:` where there are no totals.
fn total(text: &str) -> Option<u64> {
    let after = |key: &str| text.lines().rev().find_map(|line| line.strip_prefix(key));
    let figures = after("totals:").or_else(|| after("summary:"))?;
    figures.split_ascii_whitespace().next()?.parse().ok()
}

/// A fresh work directory on the sample crawl, one thread, a fixed budget.
fn prepare_whole(dir: &Path) -> Result<()> {
    for name in ["work", "out.d"] {
        files::remove_dir(&dir.join(name))?;
    }
    // Not there the first time.
    _ = std::fs::remove_file(dir.join("out"));
    let samples: PathBuf = kernels::samples();
    let text = format!(
        "version = 1\n[input]\npaths = [\"{}/web/*.warc.gz\"]\n[work]\nmemory = \"256MiB\"\n\
         threads = 1\n[sketch]\nseed = \"instructions\"\n",
        samples.display()
    );
    files::write(&dir.join("pipeline.toml"), text)
}
