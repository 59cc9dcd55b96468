//! The configuration of a verb: named by `--config` or found, changed by `--set`.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use pipeline::config::{Config, DEFAULT_TOML, InputFrom, load_with, parse_with};

use crate::args::{CONFIG_NAME, ConfigArgs, WORK_DEFAULT};
use crate::exit::Failure;

/// What a newcomer can do where no configuration is found.
const NOTHING_HERE: &str = "found neither pipeline.toml nor pipeline-work/pipeline.toml here or in \
    a directory above; cluster files with `pipeline run FILE|DIR...`, or name a configuration with -c";

/// The configuration, with the values of `--set`.
pub(super) fn load(args: &ConfigArgs) -> Result<Config, Failure> {
    load_from(args, InputFrom::Paths)
}

/// The same; `from` is the part of it that must name the input.
pub(super) fn load_from(args: &ConfigArgs, from: InputFrom) -> Result<Config, Failure> {
    let Some(path) = args.config.clone().or_else(nearest) else {
        return Err(Failure::Usage(NOTHING_HERE.to_owned()));
    };
    Ok(load_with(&path, from, &args.set)?)
}

/// The configuration of the run that is asked about some documents: the one that is named, else the
/// one that is found if one of them may be a document of a run, because it is a number or no file.
/// Without a run, the second one has the parameters.
pub(super) fn config_for(
    args: &ConfigArgs,
    documents: &[&OsStr],
) -> Result<[Option<Config>; 2], Failure> {
    let asks_run = |name: &&OsStr| {
        let is_id = name
            .to_str()
            .is_some_and(|name| name.parse::<i64>().is_ok());
        is_id || (*name != "-" && !Path::new(name).exists())
    };
    let found = || documents.iter().any(asks_run).then(nearest).flatten();
    Ok(match args.config.clone().or_else(found) {
        Some(run) => [Some(load_with(&run, InputFrom::Paths, &args.set)?), None],
        None => [None, Some(config_or_default(args)?)],
    })
}

/// The configuration that is named, or the default one, with the values of `--set`.
pub(super) fn config_or_default(args: &ConfigArgs) -> Result<Config, Failure> {
    Ok(match &args.config {
        Some(path) => load_with(path, InputFrom::Paths, &args.set)?,
        None => parse_with(DEFAULT_TOML, Path::new(CONFIG_NAME), &args.set)?,
    })
}

/// The configuration of this directory, or of the nearest one above that has one.
///
/// Above this directory, a file of another user is passed over: a configuration says which files
/// are read and written.
pub(super) fn nearest() -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    let own = rustix::process::geteuid().as_raw();
    let mut up = PathBuf::new();
    for _ in here.ancestors() {
        let names = [
            PathBuf::from(CONFIG_NAME),
            Path::new(WORK_DEFAULT).join(CONFIG_NAME),
        ];
        for path in names.map(|name| up.join(name)) {
            let is_trusted = fs::metadata(&path).is_ok_and(|metadata| {
                up.as_os_str().is_empty() || [own, 0].contains(&metadata.uid())
            });
            if is_trusted {
                return Some(path);
            }
        }
        up.push("..");
    }
    None
}
