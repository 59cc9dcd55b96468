//! Where copies may lie.
//!
//! *Input.* The directory; the configuration and the listed files; the names of the copies.
//! *Output.* An error that names the file or directory in the way.

use super::names::DATA;
use super::target::TargetNames;
use config::Config;
use engine::{Error, intake::inputs::Inputs};
use input::Reach;
use publication::publish;
use std::path::{Path, PathBuf};

/// Refuses a directory that holds input, or whose files would be listed as input, or that lies
/// among the program's own files. `copies` are the names of all copies.
pub(super) fn check(
    config: &Config,
    inputs: &Inputs,
    output: &Path,
    copies: Vec<Option<PathBuf>>,
    target: TargetNames,
) -> Result<(), Error> {
    let output = absolute(output)?;
    let refuse = |what: String| {
        let output = output.display();
        Err(Error::Usage(format!(
            "failed to use {output}: {what}; name another directory"
        )))
    };
    let published = publish::generations_dir(&config.work.output);
    for (dir, what) in [
        (&config.work.dir, "the work directory"),
        (&config.work.output, "the published results"),
        (&published, "the published results"),
    ] {
        let dir = absolute(dir)?;
        if output.starts_with(&dir) || dir.starts_with(&output) {
            return refuse(format!("it lies in {what} or contains it"));
        }
    }
    for file in &inputs.listing.files {
        if absolute(&file.path)?.starts_with(&output) {
            return refuse(format!(
                "it contains the input file {}",
                file.path.display()
            ));
        }
    }
    let reach = Reach::of(&config.discovery(config.input.paths.clone()))?;
    let copies = copies
        .into_iter()
        .flatten()
        .map(|name| Path::new(DATA).join(name));
    for name in target.own_files().chain(copies) {
        if let Some(entry) = reach.lists(&output.join(&name)) {
            return refuse(format!(
                "the copy {} would match {entry:?} in paths",
                name.display()
            ));
        }
    }
    Ok(())
}

/// The path with links resolved, as far as it is there.
fn absolute(path: &Path) -> Result<PathBuf, Error> {
    let whole = std::path::absolute(path).map_err(Error::io(format!("find {}", path.display())))?;
    let mut rest = Vec::new();
    let mut known = whole.as_path();
    loop {
        if let Ok(real) = known.canonicalize() {
            return Ok(rest.iter().rev().fold(real, |path, part| path.join(part)));
        }
        let (Some(parent), Some(name)) = (known.parent(), known.file_name()) else {
            return Ok(whole);
        };
        rest.push(name.to_owned());
        known = parent;
    }
}
