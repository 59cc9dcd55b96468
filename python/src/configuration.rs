//! The configuration of a call: a file, a dict of sections, or the default.
//!
//! *Input.* `None`, a path, or a mapping such as `{"sketch": {"seed": "secret"}}`. *Output.* A
//! checked [`Config`]. *Algorithm.* Entries of a mapping replace values of the default
//! configuration, as `--set` does; all problems are told at once.

use crate::errors::{kind, refused, value};
use pipeline::config::{self, Config, DEFAULT_TOML, InputFrom};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::{Path, PathBuf};

/// The file beside which relative paths of a mapping begin: the current directory.
const NOWHERE: &str = "pipeline.toml";

/// The configuration that a caller means.
pub(crate) fn configuration(
    py: Python<'_>,
    given: Option<&Bound<'_, PyAny>>,
    from: InputFrom,
) -> PyResult<Config> {
    let found = match given {
        None => config::parse(DEFAULT_TOML, Path::new(NOWHERE)),
        Some(given) => match given.cast::<PyDict>() {
            Ok(sections) => {
                let entries = entries(sections)?;
                let has_snapshots = entries.iter().any(|one| one.starts_with("snapshots."));
                let names_input = has_snapshots || matches!(from, InputFrom::Paths);
                let text = if names_input {
                    without_paths()
                } else {
                    DEFAULT_TOML.to_owned()
                };
                config::parse_with(&text, Path::new(NOWHERE), &entries)
            }
            Err(_) => config::load_from(&path(given)?, from),
        },
    };
    found.map_err(|errors| refused(py, &errors))
}

/// The default configuration but for its `paths`, which name samples. A caller who reads an input
/// has to name it.
fn without_paths() -> String {
    let lines = DEFAULT_TOML.split_inclusive('\n');
    lines.filter(|line| !line.starts_with("paths =")).collect()
}

/// The entries of a mapping of sections, each as KEY=VALUE. `None` stands for a key that is not
/// there.
pub(crate) fn entries(sections: &Bound<'_, PyDict>) -> PyResult<Vec<String>> {
    let mut entries = Vec::new();
    for (section, keys) in sections {
        let section: String = section.extract()?;
        let keys = keys.cast::<PyDict>().map_err(|_| {
            kind(format!(
                "section {section:?} of the configuration is no dict"
            ))
        })?;
        for (key, item) in keys.iter().filter(|(_, item)| !item.is_none()) {
            let key: String = key.extract()?;
            entries.push(format!("{section}.{key}={}", toml_of(&item)?));
        }
    }
    Ok(entries)
}

/// A value of Python as TOML: texts, numbers, booleans, paths, and lists and dicts of them.
fn toml_of(item: &Bound<'_, PyAny>) -> PyResult<String> {
    let py = item.py();
    let options = PyDict::new(py);
    options.set_item("default", py.import("os")?.getattr("fspath")?)?;
    let json = py
        .import("json")?
        .call_method("dumps", (item,), Some(&options))?;
    let json: serde_json::Value =
        serde_json::from_str(&json.extract::<String>()?).map_err(value)?;
    Ok(toml::Value::try_from(json).map_err(value)?.to_string())
}

/// A path, given as text or as an object of `pathlib`.
pub(crate) fn path(given: &Bound<'_, PyAny>) -> PyResult<PathBuf> {
    given
        .extract()
        .map_err(|_| kind("expected a path of a configuration file, or a dict of its sections"))
}
