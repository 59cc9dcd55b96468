//! `pipeline tokens`: the canonical tokens of every document of a file, one document a line.

use crate::asked_document::each_document;
use config::{Config, DEFAULT_TOML};
use engine::Error;
use sketch::TextOfPages;
use std::ffi::OsStr;
use std::io::Write;
use std::path::Path;

/// How the tokens of a document stand on its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenLine {
    /// Separated by blanks.
    Text,
    /// As a JSON array.
    Json,
}

/// Which tokens of a page are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokensOf {
    /// Those that count.
    Document,
    /// Those of the frame, which do not.
    Frame,
}

/// Reads documents of one file, `-` for standard input, and writes the tokens of each on a line.
pub fn tokens(
    config: &Config,
    file: &OsStr,
    form: TokenLine,
    of: TokensOf,
    out: &mut dyn Write,
) -> Result<(), Error> {
    let mut rules = config.sketch.params().rules();
    if of == TokensOf::Frame {
        rules.text_of_pages = TextOfPages::Frame;
    }
    let is_json = form == TokenLine::Json;
    let separator = if is_json { "," } else { " " };
    let mut line = String::new();
    each_document(config, file, &mut |document| {
        line.clear();
        sketch::for_each_token(rules, document.content, &mut |token| {
            if !line.is_empty() {
                line.push_str(separator);
            }
            match is_json {
                true => line.push_str(&serde_json::Value::from(token).to_string()),
                false if token.contains(char::is_control) => line.extend(token.escape_debug()),
                false => line.push_str(token),
            }
        });
        match is_json {
            true => writeln!(out, "[{line}]")?,
            false => writeln!(out, "{line}")?,
        }
        Ok(())
    })
}

/// The configuration that verbs without one use: the default one.
pub fn default_config() -> Result<Config, Error> {
    Ok(config::parse(DEFAULT_TOML, Path::new("pipeline.toml"))?)
}
