//! Whole configurations: the default one, what is accepted, what is refused and with which words.

mod accepted;
mod canonical;
mod default;
mod hostile;
mod keys;
mod overrides;
mod places;
mod refused_cluster;
mod refused_file;
mod refused_sketch;
mod refused_work;
mod snapshots;
mod sources;

use std::path::Path;

use super::{Config, parse};

/// Checks a configuration that would lie in a directory where nothing is.
fn check(text: &str) -> Result<Config, String> {
    parse(text, Path::new("/nowhere/pipeline.toml")).map_err(|errors| errors.to_string())
}

/// A complete configuration with these lines added.
fn with(lines: &str) -> String {
    format!("version = 1\ninput.paths = [\"in\"]\n{lines}\n")
}

/// The configuration of [`with`], which has to be right.
fn accepted(lines: &str) -> Config {
    check(&with(lines)).unwrap_or_else(|errors| panic!("{lines}\n{errors}"))
}

/// The messages about a text, without the path before each message.
fn told(text: &str) -> Vec<String> {
    let Err(errors) = check(text) else {
        return vec!["accepted".to_owned()];
    };
    errors
        .lines()
        .map(|line| line.replacen("/nowhere/pipeline.toml:", "", 1))
        .collect()
}
