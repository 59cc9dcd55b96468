//! The inputs of a command line: files, directories, globs, lists, and the list on standard input.
//!
//! *Input.* Arguments. *Output.* Absolute paths, as a configuration has them. A missing file is
//! told before anything is written.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use pipeline::{config, entry_end, objects};
use rustix::fs::{MemfdFlags, memfd_create};
use rustix::stdio::dup2_stdin;

use crate::exit::Failure;

/// The names of the inputs on standard input, beside the configuration.
pub(super) const LIST_NAME: &str = "inputs.txt";

/// Where standard input is, and can be read again.
const STANDARD_INPUT: &str = "/dev/stdin";

/// The inputs of a command line.
#[derive(Default)]
pub(super) struct NamedInputs {
    /// Relative to nothing, so that they mean the same from everywhere.
    pub(super) paths: Vec<String>,
    /// The paths to read while `list` is not written.
    pub(super) readable: Vec<String>,
    /// The files that standard input lists, for a file beside the configuration.
    pub(super) list: Option<Vec<u8>>,
}

impl NamedInputs {
    /// `dir` is where the configuration will lie.
    pub(super) fn of(inputs: &[OsString], dir: &Path) -> Result<NamedInputs, Failure> {
        let mut named = NamedInputs::default();
        for input in inputs {
            let path = match list_of(input) {
                _ if input == "-" => {
                    if named.list.is_none() {
                        named.list = Some(standard_input()?);
                    }
                    named.readable.push(format!("@{STANDARD_INPUT}"));
                    let list = absolute(&dir.join(LIST_NAME))?;
                    named.paths.push(format!("@{}", shown(&list)?));
                    continue;
                }
                Some(list) => format!("@{}", shown(&found(Path::new(list))?)?),
                None => shown(&found(Path::new(input))?)?,
            };
            named.readable.push(path.clone());
            named.paths.push(path);
        }
        Ok(named)
    }
}

/// The path of a reference, as the configuration has paths: of a file, a directory or a glob, or a
/// list of them.
pub(super) fn reference(name: &str) -> Result<String, Failure> {
    match name.strip_prefix('@') {
        Some(list) => Ok(format!("@{}", shown(&found(Path::new(list))?)?)),
        None => shown(&found(Path::new(name))?),
    }
}

/// The absolute path of a file, a directory or a glob. A missing one, and a directory without a
/// file, is told before anything is written.
fn found(input: &Path) -> Result<PathBuf, Failure> {
    let text = input.to_string_lossy();
    if is_object(&text) {
        return Ok(input.to_owned());
    }
    if text.contains("://") {
        return Err(Failure::Usage(format!(
            "{text}: only local files are read; copy them to this machine first"
        )));
    }
    let is_glob = text.contains(['*', '?', '[', '{']);
    match fs::metadata(input) {
        Err(error) if !is_glob && error.kind() == io::ErrorKind::NotFound => {
            let missing = io::Error::new(error.kind(), missing(input));
            Err(Failure::file("find", input)(missing))
        }
        Err(error) if !is_glob => Err(Failure::file("find", input)(error)),
        Ok(metadata) if metadata.is_dir() && !holds_a_file(input) => {
            let nothing = io::Error::new(io::ErrorKind::NotFound, "the directory holds no file");
            Err(Failure::file("find a file in", input)(nothing))
        }
        _ => absolute(input),
    }
}

/// That a file is not there, with the one beside it that may be meant.
fn missing(input: &Path) -> String {
    let (here, directory) = (Path::new("."), input.parent());
    let directory = directory.filter(|path| !path.as_os_str().is_empty());
    let entries = fs::read_dir(directory.unwrap_or(here))
        .into_iter()
        .flatten();
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut names: Vec<String> = names.collect();
    names.sort_unstable();
    let known: Vec<&str> = names.iter().map(String::as_str).collect();
    let name = input.file_name().unwrap_or_default().to_string_lossy();
    let near = config::nearest(&name, &known).map(|near| input.with_file_name(near));
    near.map_or("it is not there".to_owned(), |path| {
        format!("it is not there; did you mean {}?", path.display())
    })
}

/// Whether anything but directories lies below a directory. What cannot be listed may hold
/// something.
fn holds_a_file(directory: &Path) -> bool {
    let mut below = vec![directory.to_owned()];
    while let Some(directory) = below.pop() {
        let Ok(entries) = fs::read_dir(&directory) else {
            return true;
        };
        for entry in entries {
            match entry.and_then(|entry| Ok((entry.file_type()?, entry.path()))) {
                Ok((kind, path)) if kind.is_dir() => below.push(path),
                _ => return true,
            }
        }
    }
    false
}

/// Whether an input is the URL of an object that this build reads.
fn is_object(input: &str) -> bool {
    objects::store().is_some() && objects::is_url(input)
}

/// The file of `@FILE`.
fn list_of(input: &OsStr) -> Option<&str> {
    input.to_str()?.strip_prefix('@')
}

/// The list of inputs on standard input, with absolute paths. From then on standard input has this
/// list, for who opens it.
fn standard_input() -> Result<Vec<u8>, Failure> {
    let mut given = Vec::new();
    let mut standard_input = io::stdin().lock();
    standard_input
        .read_to_end(&mut given)
        .map_err(Failure::file("read", "standard input"))?;
    let end = entry_end(&given);
    let mut list = Vec::new();
    for entry in given.split(|byte| *byte == end) {
        if entry.trim_ascii().is_empty() {
            continue;
        }
        let path = Path::new(OsStr::from_bytes(entry));
        let path = match is_object(&path.to_string_lossy()) {
            true => path.to_owned(),
            false => absolute(path)?,
        };
        list.extend_from_slice(path.as_os_str().as_bytes());
        list.push(end);
    }
    if list.is_empty() {
        let nothing = "standard input lists no file; write one path a line".to_owned();
        return Err(Failure::Engine(pipeline::Error::NotFound(nothing)));
    }
    let kept = memfd_create("inputs", MemfdFlags::CLOEXEC)
        .map_err(io::Error::from)
        .and_then(|file| {
            let mut file = fs::File::from(file);
            file.write_all(&list)?;
            Ok(dup2_stdin(&file)?)
        });
    kept.map_err(Failure::file("keep", "standard input"))?;
    Ok(list)
}

pub(super) fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    std::path::absolute(path).map_err(Failure::file("find", path))
}

/// The path as a text of a configuration.
pub(super) fn shown(path: &Path) -> Result<String, Failure> {
    let text = path.to_str().map(str::to_owned);
    text.ok_or_else(|| {
        let path = path.display();
        Failure::Usage(format!(
            "{path}: this name is no UTF-8; name it in a list of paths, or rename it"
        ))
    })
}
