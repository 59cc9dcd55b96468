//! Runs every kernel under callgrind and compares.

use crate::kernels::{self, Form};
use crate::record::{self, Record};
use anyhow::{Context, Result, bail, ensure};
use std::io::{Write, stdout};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

/// The small whole run.
const WHOLE: &str = "whole-run";

/// A count over its record by this much fails.
const OVER: f64 = 1.05;

/// One under its record by this much should be recorded.
const UNDER: f64 = 0.95;

/// What to do with the counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Compare with the record.
    Check,
    /// Make them the record.
    Record,
}

/// One count.
struct Count {
    form: String,
    kernel: &'static str,
    instructions: u64,
}

pub(crate) fn run(mode: Mode, names: &[String]) -> Result<ExitCode> {
    let mut out = stdout();
    if !Command::new("valgrind")
        .arg("--version")
        .stdout(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
    {
        writeln!(out, "instructions: NOT CHECKED, valgrind is not installed")?;
        return Ok(ExitCode::SUCCESS);
    }
    let dir = tempfile::tempdir().context("failed to make a temporary directory")?;
    let path = record::path();
    let mut recorded = Record::read(&path)?;
    let mut failed = Vec::new();
    writeln!(
        out,
        "{:<18}{:<12}{:>15}{:>15}{:>9}",
        "kernel", "form", "recorded", "now", "change"
    )?;
    let chosen = |name: &str| names.is_empty() || names.iter().any(|wanted| wanted == name);
    for (kernel, forms) in kernels::ALL
        .iter()
        .map(|kernel| (kernel.name, kernel.forms))
        .chain([(WHOLE, Form::BOTH)])
    {
        for &form in forms.iter().filter(|_| chosen(kernel)) {
            let count = count(kernel, form, dir.path())?;
            let before = recorded.get(&count.form, kernel);
            writeln!(out, "{}", row(&count, before))?;
            match mode {
                Mode::Record => recorded.set(&count.form, kernel, count.instructions),
                Mode::Check
                    if before
                        .is_some_and(|before| count.instructions as f64 > OVER * before as f64) =>
                {
                    failed.push(format!("{kernel} ({})", count.form));
                }
                Mode::Check => {}
            }
        }
    }
    if mode == Mode::Record {
        recorded.write(&path)?;
        writeln!(out, "recorded in {}", path.display())?;
    }
    if failed.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    writeln!(
        out,
        "\nmore than 5 % over the record: {}",
        failed.join(", ")
    )?;
    writeln!(
        out,
        "If that is meant, record it with scripts/instructions --record and say why in the commit."
    )?;
    Ok(ExitCode::FAILURE)
}

fn row(count: &Count, before: Option<u64>) -> String {
    let Count {
        form,
        kernel,
        instructions,
    } = count;
    let (recorded, change, remark) = match before {
        None => ("-".to_owned(), "-".to_owned(), "  not recorded"),
        Some(before) => {
            let ratio = *instructions as f64 / before.max(1) as f64;
            let remark = match ratio {
                over if over > OVER => "  OVER",
                under if under < UNDER => "  better: record it",
                _ => "",
            };
            (
                before.to_string(),
                format!("{:+.2} %", (ratio - 1.0) * 100.0),
                remark,
            )
        }
    };
    format!("{kernel:<18}{form:<12}{recorded:>15}{instructions:>15}{change:>9}{remark}")
}

/// Runs a kernel, or the whole program, under callgrind in one form of the hot loops.
fn count(kernel: &'static str, form: Form, dir: &Path) -> Result<Count> {
    let counts = dir.join("callgrind.out");
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "-q", "--combine-dumps=yes"]);
    command.arg(format!("--callgrind-out-file={}", counts.display()));
    let this = std::env::current_exe().context("failed to find this program")?;
    match kernel {
        WHOLE => {
            prepare_whole(dir)?;
            command
                .arg(beside(&this)?)
                .args(["run", "-q", "--config"])
                .arg(dir.join("pipeline.toml"));
        }
        _ => {
            command.args([
                "--collect-atstart=no",
                "--toggle-collect=*instructions*kernels*measured*",
            ]);
            command.arg(&this).args(["--kernel", kernel]);
        }
    }
    command
        .current_dir(dir)
        .stdin(Stdio::null())
        .env_remove("PIPELINE_CPU")
        .env("TMPDIR", dir);
    if form == Form::Portable {
        command.env("PIPELINE_CPU", "portable");
    }
    let ended = command.output().context("failed to start valgrind")?;
    ensure!(
        ended.status.success(),
        "{kernel} failed: {}",
        String::from_utf8_lossy(&ended.stderr)
    );
    let text = std::fs::read_to_string(&counts)
        .with_context(|| format!("failed to read {}", counts.display()))?;
    let instructions = total(&text).with_context(|| format!("no total in {}", counts.display()))?;
    ensure!(
        instructions > 10_000,
        "{kernel}: {instructions} instructions; was the measured function inlined?"
    );
    let form = match (kernel, form) {
        (_, Form::Any) => "any".to_owned(),
        (_, Form::Portable) => "portable".to_owned(),
        // The whole run takes the same form as the kernels do.
        (WHOLE, Form::Best) => kernels::best_form(dir)?,
        _ => String::from_utf8_lossy(&ended.stdout).trim().to_owned(),
    };
    Ok(Count {
        form,
        kernel,
        instructions,
    })
}

/// The first number of `totals:`, or of `summary:` where there are no totals.
fn total(text: &str) -> Option<u64> {
    let after = |key: &str| text.lines().rev().find_map(|line| line.strip_prefix(key));
    after("totals:")
        .or_else(|| after("summary:"))?
        .split_ascii_whitespace()
        .next()?
        .parse()
        .ok()
}

/// The program, built into the same directory; Cargo puts benches one below it.
fn beside(this: &Path) -> Result<PathBuf> {
    let dirs = this.ancestors().skip(1).take(2);
    match dirs
        .map(|dir| dir.join("pipeline"))
        .find(|path| path.is_file())
    {
        Some(path) => Ok(path),
        None => bail!(
            "failed to find the program `pipeline` near {}: build it in release mode first",
            this.display()
        ),
    }
}

/// A fresh work directory on the sample crawl, one thread, a fixed budget.
fn prepare_whole(dir: &Path) -> Result<()> {
    for name in ["work", "out.d"] {
        // Not there the first time.
        _ = std::fs::remove_dir_all(dir.join(name));
    }
    _ = std::fs::remove_file(dir.join("out"));
    let samples = kernels::samples();
    let text = format!(
        "version = 1\n[input]\npaths = [\"{}/web/*.warc.gz\"]\n[work]\nmemory = \"256MiB\"\nthreads = 1\n[sketch]\n\
         seed = \"instructions\"\n",
        samples.display()
    );
    std::fs::write(dir.join("pipeline.toml"), text).context("failed to write the configuration")
}
