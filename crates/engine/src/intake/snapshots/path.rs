//! Paths of the command line, as `snapshots.toml` stores them: relative to the configuration if
//! they lie below it, else absolute.

use crate::Error;
use config::{Config, taken_in};
use input::objects;
use std::path::{Path, PathBuf};

/// Turns a path relative to the current directory into its stored form. It is a file, directory,
/// glob or `@list`.
pub(super) fn stored(config: &Config, given: &Path) -> Result<String, Error> {
    let refuse = |why: &str| {
        Err(Error::Usage(format!(
            "failed to add {}: {why}",
            given.display()
        )))
    };
    let Some(text) = given.to_str() else {
        return refuse("the path is not UTF-8; name a directory above it");
    };
    let (mark, text) = text
        .strip_prefix('@')
        .map_or(("", text), |list| ("@", list));
    if text.is_empty() {
        return refuse("it is empty");
    }
    if objects::store().is_some() && objects::is_url(text) {
        return Ok(format!("{mark}{text}"));
    }
    let absolute =
        |path: &Path| std::path::absolute(path).map_err(Error::io("look at the current directory"));
    let (whole, base) = (absolute(Path::new(text))?, absolute(&config.base)?);
    // The current directory is known without links, the configuration may be named with them.
    let real_base = std::fs::canonicalize(&config.base).unwrap_or_else(|_| base.clone());
    let below = whole
        .strip_prefix(&base)
        .or(whole.strip_prefix(&real_base))
        .map(PathBuf::from)
        .unwrap_or(whole);
    let Some(below) = below.to_str() else {
        return refuse("the path is not UTF-8");
    };
    let below = match below {
        "" => ".".to_owned(),
        below if mark.is_empty() && below.starts_with('@') => format!("./{below}"),
        below => below.to_owned(),
    };
    let slash = if text.ends_with('/') && !below.ends_with('/') {
        "/"
    } else {
        ""
    };
    let stored = format!("{mark}{below}{slash}");
    match taken_in(&stored, config) {
        Some(problem) => refuse(&problem),
        None => Ok(stored),
    }
}
