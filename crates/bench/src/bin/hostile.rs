//! Hostile loads at the smallest budget: `hostile [--scale PER_MILLE] [--raw FILE] [--pipeline
//! FILE] [LOAD…]`.
//!
//! Works in a temporary directory below the current one. Without `--pipeline` the program beside
//! this one is taken. Exits 1 when a load broke its budget or was not linear. See
//! [`bench::hostile`].

use anyhow::{Context, Result, bail};
use bench::hostile::files::write_named;
use bench::hostile::{Bench, bench};
use std::fs::File;
use std::io::{Write, stdout};
use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> Result<ExitCode> {
    let beside = std::env::current_exe()
        .context("failed to find this program")?
        .with_file_name("pipeline");
    let (mut scale_per_mille, mut raw, mut pipeline, mut names) = (1000, None, beside, Vec::new());
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || {
            arguments
                .next()
                .with_context(|| format!("{argument} wants a value"))
        };
        match argument.as_str() {
            "--scale" => scale_per_mille = value()?.parse().context("failed to read the scale")?,
            "--raw" => raw = Some(PathBuf::from(value()?)),
            // How this program calls itself.
            "--write" => {
                let (dir, name, size) = (PathBuf::from(value()?), value()?, value()?);
                let bytes = write_named(
                    &dir,
                    &name,
                    size.parse().context("failed to read the size")?,
                )?;
                writeln!(stdout(), "{bytes}").context("failed to say the size")?;
                return Ok(ExitCode::SUCCESS);
            }
            "--pipeline" => pipeline = PathBuf::from(value()?),
            option if option.starts_with('-') => bail!("failed to understand {option}"),
            _ => names.push(argument),
        }
    }
    let pipeline = pipeline
        .canonicalize()
        .with_context(|| format!("failed to find {}", pipeline.display()))?;
    let dir = PathBuf::from(format!("hostile-{}", std::process::id()));
    std::fs::create_dir(&dir).with_context(|| format!("failed to make {}", dir.display()))?;
    let mut raw: Box<dyn Write> = match raw {
        Some(path) => Box::new(
            File::create(&path).with_context(|| format!("failed to make {}", path.display()))?,
        ),
        None => Box::new(std::io::sink()),
    };
    let held = bench(
        &Bench {
            pipeline,
            dir: dir.clone(),
            scale_per_mille,
        },
        &names,
        &mut stdout(),
        &mut raw,
    );
    std::fs::remove_dir_all(&dir).with_context(|| format!("failed to remove {}", dir.display()))?;
    Ok(if held? {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
