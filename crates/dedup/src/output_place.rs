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

/// Refuses a directory among the program's own files.
pub(super) fn check_apart(config: &Config, output: &Path) -> Result<(), Error> {
    let output = absolute(output)?;
    let published = publish::generations_dir(&config.work.output);
    let own = [
        (Some(&config.work.dir), "the work directory"),
        (config.work.beside.as_ref(), "the work directory"),
        (Some(&config.work.output), "the published results"),
        (Some(&published), "the published results"),
    ];
    for (dir, what) in own {
        let Some(dir) = dir else { continue };
        let dir = absolute(dir)?;
        if output.starts_with(&dir) || dir.starts_with(&output) {
            return Err(refused(
                &output,
                &format!("it lies in {what} or contains it"),
            ));
        }
    }
    Ok(())
}

fn refused(output: &Path, what: &str) -> Error {
    let output = output.display();
    Error::Usage(format!(
        "failed to use {output}: {what}; name another directory"
    ))
}

/// Refuses also a directory that holds input, or whose files would be listed as input. `copies` are
/// the names of all copies.
pub(super) fn check(
    config: &Config,
    inputs: &Inputs,
    output: &Path,
    copies: Vec<Option<PathBuf>>,
    target: TargetNames,
) -> Result<(), Error> {
    check_apart(config, output)?;
    let output = absolute(output)?;
    for file in &inputs.listing.files {
        if absolute(&file.path)?.starts_with(&output) {
            let file = file.path.display();
            return Err(refused(
                &output,
                &format!("it contains the input file {file}"),
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
            let name = name.display();
            let why = format!("the copy {name} would match {entry:?} in paths");
            return Err(refused(&output, &why));
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
