//! `pipeline tokens`: the canonical tokens of every document of a file, one document a line.

use crate::asked_document::each_document;
use config::{Config, DEFAULT_TOML};
use engine::Error;
use sketch::TextOfPages;
use std::ffi::OsStr;
use std::io::Write;
use std::path::Path;

/// Writes the tokens of each document of one file, `-` for standard input, on a line: separated by
/// blanks, or as a JSON array. With `of_frame` those of the frame of a page, which do not count.
pub fn tokens(
    config: &Config,
    file: &OsStr,
    of_frame: bool,
    as_json: bool,
    out: &mut dyn Write,
) -> Result<(), Error> {
    let mut rules = config.sketch.params().rules();
    if of_frame {
        rules.text_of_pages = TextOfPages::Frame;
    }
    let separator = if as_json { "," } else { " " };
    let mut line = String::new();
    each_document(config, file, config.input.format, &mut |document| {
        line.clear();
        sketch::for_each_token(rules, document.content, &mut |token| {
            if !line.is_empty() {
                line.push_str(separator);
            }
            match as_json {
                true => line.push_str(&serde_json::Value::from(token).to_string()),
                false if token.contains(char::is_control) => line.extend(token.escape_debug()),
                false => line.push_str(token),
            }
        });
        match as_json {
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
