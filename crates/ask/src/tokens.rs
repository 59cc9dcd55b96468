//! `pipeline tokens`: the canonical tokens of every document of a file, one document a line.

use crate::asked_document::{AskedFile, display_name, read_file};
use config::{Config, DEFAULT_TOML};
use input::{Document, Rejection, Sink, SinkError};
use runtime::Error;
use sketch::SketchParams;
use std::ffi::OsStr;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// Reads documents of one file, `-` for standard input, and writes their tokens, separated by
/// blanks.
///
/// # Errors
/// When the file cannot be read, holds no document, or `out` fails.
pub fn tokens(config: &Config, file: &OsStr, out: &mut dyn Write) -> Result<(), Error> {
    let params = config.sketch.params();
    let mut sink = TokenSink {
        params: &params,
        out,
        line: String::new(),
        documents: 0,
        rejected: None,
    };
    let asked = AskedFile {
        name: file,
        format: config.input.format,
        stop: &AtomicBool::new(false),
    };
    read_file(config, &asked, &mut sink)?;
    if sink.documents == 0 {
        let why = sink.rejected.unwrap_or_else(|| "it has none".to_owned());
        return Err(Error::NotFound(format!(
            "failed to find a document in {}: {why}",
            display_name(file)
        )));
    }
    Ok(())
}

/// The configuration that verbs without one use: the default one.
pub fn default_config() -> Result<Config, Error> {
    Ok(config::parse(DEFAULT_TOML, Path::new("pipeline.toml"))?)
}

struct TokenSink<'a> {
    params: &'a SketchParams,
    out: &'a mut dyn Write,
    line: String,
    documents: u64,
    rejected: Option<String>,
}

impl Sink for TokenSink<'_> {
    fn document(&mut self, document: &Document<'_>) -> Result<(), SinkError> {
        self.line.clear();
        let line = &mut self.line;
        sketch::for_each_token(self.params.rules(), document.content, &mut |token| {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(token);
        });
        self.line.push('\n');
        self.documents += 1;
        self.out.write_all(self.line.as_bytes())?;
        Ok(())
    }
    fn rejected(&mut self, rejection: Rejection) -> Result<(), SinkError> {
        self.rejected
            .get_or_insert_with(|| format!("{} {}", rejection.reason, rejection.detail));
        Ok(())
    }
    fn skipped(&mut self, _: &str) {}
}
