//! Other tools beside ours: `peers FILE.jsonl [--copies N] [--threads N] [--limit SECONDS] [--only
//! NAME]… [--raw FILE]`.
//!
//! Works in a directory below the current one and removes it. See [`bench::peers`] for what is
//! measured and [`bench::peers::tools`] for where the tools must be.

use anyhow::{Context, Result, bail};
use bench::peers::{Comparison, tools};
use std::fs::File;
use std::io::{Write, stdout};
use std::path::{Path, PathBuf};
use std::time::Duration;

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let (mut source, mut raw, mut only) = (None, None, Vec::new());
    let (mut copies, mut threads, mut limit_s) = (20, 1, 3600);
    while let Some(argument) = arguments.next() {
        let mut value = || {
            arguments
                .next()
                .with_context(|| format!("{argument} wants a value"))
        };
        match argument.as_str() {
            "--copies" => {
                copies = value()?
                    .parse()
                    .context("failed to read the number of copies")?
            }
            "--threads" => {
                threads = value()?
                    .parse()
                    .context("failed to read the number of threads")?
            }
            "--limit" => limit_s = value()?.parse().context("failed to read the limit")?,
            "--only" => only.push(value()?),
            "--raw" => raw = Some(PathBuf::from(value()?)),
            // How this program calls itself to have the copy measured.
            "--copy-kept" => {
                return tools::copy_kept(
                    Path::new(&value()?),
                    Path::new(&value()?),
                    Path::new(&value()?),
                );
            }
            option if option.starts_with('-') => bail!("failed to understand {option}"),
            _ => source = Some(PathBuf::from(argument)),
        }
    }
    let source = source.context("usage: peers FILE.jsonl")?;
    let dir = PathBuf::from(format!("peers-{}", std::process::id()));
    std::fs::create_dir(&dir).with_context(|| format!("failed to make {}", dir.display()))?;
    let mut raw: Box<dyn Write> = match raw {
        Some(path) => Box::new(
            File::create(&path).with_context(|| format!("failed to make {}", path.display()))?,
        ),
        None => Box::new(std::io::sink()),
    };
    let comparison = Comparison {
        source,
        dir: dir.clone(),
        copies,
        threads,
        only,
        limit: Duration::from_secs(limit_s),
    };
    let ran = comparison.run(&mut stdout(), &mut raw);
    std::fs::remove_dir_all(&dir).with_context(|| format!("failed to remove {}", dir.display()))?;
    ran
}
