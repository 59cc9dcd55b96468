//! The configuration of a verb: named by `--config` or found, changed by `--set`.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use pipeline::Basis;
use pipeline::config::{Config, DEFAULT_TOML, InputFrom, load_with, parse_with};

use super::call::Call;
use crate::args::{CONFIG_NAME, WORK_DEFAULT};
use crate::exit::Failure;

/// Advice for a newcomer where no configuration is found.
const NOTHING_HERE: &str = "found neither pipeline.toml nor pipeline-work/pipeline.toml here or in \
    a directory above; cluster files with `pipeline run FILE|DIR...`, or name a configuration with -c";

impl Call<'_> {
    /// The configuration, with the values of `--set`.
    pub(super) fn load(&self) -> Result<Config, Failure> {
        self.load_from(InputFrom::Paths)
    }

    /// [`Call::load`] where another part of the configuration, `from`, must name the input.
    pub(super) fn load_from(&self, from: InputFrom) -> Result<Config, Failure> {
        let Some(path) = self.config.config.clone().or_else(nearest) else {
            return Err(Failure::Usage(NOTHING_HERE.to_owned()));
        };
        Ok(load_with(&path, from, &self.config.set)?)
    }

    /// The run that is asked about some documents: that of the configuration that is named, else of
    /// the one that is found if a document may be of a run, because it is a number or no file.
    pub(super) fn basis(&self, documents: &[&OsStr]) -> Result<Basis, Failure> {
        let asks_run = |name: &&OsStr| {
            let is_id = name
                .to_str()
                .is_some_and(|name| name.parse::<i64>().is_ok());
            is_id || (*name != "-" && !Path::new(name).exists())
        };
        let found = || documents.iter().any(asks_run).then(nearest).flatten();
        let set = &self.config.set;
        Ok(match self.config.config.clone().or_else(found) {
            Some(run) => Basis::Run(load_with(&run, InputFrom::Paths, set)?, None),
            None => Basis::Parameters(self.load_or_default()?),
        })
    }

    /// The configuration that is named, or the default one, with the values of `--set`.
    pub(super) fn load_or_default(&self) -> Result<Config, Failure> {
        let set = &self.config.set;
        Ok(match &self.config.config {
            Some(path) => load_with(path, InputFrom::Paths, set)?,
            None => parse_with(DEFAULT_TOML, Path::new(CONFIG_NAME), set)?,
        })
    }
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
