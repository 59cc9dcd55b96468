//! The configuration of a verb: named by `--config`, changed by `--set`.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use pipeline::config::{Config, DEFAULT_TOML, InputFrom, load_with, parse_with};

use crate::args::{CONFIG_DEFAULT, ConfigArgs, SetArgs};
use crate::exit::Failure;

/// The configuration of `--config`, with the values of `--set`.
pub(super) fn load(args: &ConfigArgs) -> Result<Config, Failure> {
    load_from(args, InputFrom::Paths)
}

/// The same; `from` is the part of it that must name the input.
pub(super) fn load_from(args: &ConfigArgs, from: InputFrom) -> Result<Config, Failure> {
    Ok(load_with(&args.config, from, &args.set.values)?)
}

/// The configuration for a question about two documents: `named`, else the one in this directory if
/// one of them may be a document of a run, because it is a number or no file.
pub(super) fn config_for(
    named: Option<PathBuf>,
    set: SetArgs,
    documents: [&OsStr; 2],
) -> Result<Option<Config>, Failure> {
    let here = Path::new(CONFIG_DEFAULT);
    let asks_run = |name: &&OsStr| {
        let is_id = name
            .to_str()
            .is_some_and(|name| name.parse::<i64>().is_ok());
        is_id || (*name != "-" && !Path::new(name).exists())
    };
    let asks_here = documents.iter().any(asks_run) && here.exists();
    match named.or_else(|| asks_here.then(|| here.to_path_buf())) {
        Some(config) => load(&ConfigArgs { config, set }).map(Some),
        None if set.values.is_empty() => Ok(None),
        None => {
            let message = "--set needs a configuration; name one with --config";
            Err(Failure::Usage(message.to_owned()))
        }
    }
}

/// The configuration of this file, or the default one, with the values of `--set`.
pub(super) fn config_or_default(path: Option<&Path>, set: &SetArgs) -> Result<Config, Failure> {
    Ok(match path {
        Some(path) => load_with(path, InputFrom::Paths, &set.values)?,
        None => parse_with(DEFAULT_TOML, Path::new(CONFIG_DEFAULT), &set.values)?,
    })
}
