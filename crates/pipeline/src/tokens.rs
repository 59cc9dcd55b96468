//! `pipeline tokens`: the canonical tokens of every document of a file, one document a line.

use crate::Error;
use crate::config::{Config, DEFAULT_TOML};
use input::{Discovery, Document, LargeRecords, ReadOptions, Rejection, Sink, SinkError};
use sketch::SketchParams;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Reads documents of one file by its content and writes their tokens, separated by blanks.
///
/// # Errors
/// When the file cannot be read, holds no document, or `out` fails.
pub fn tokens(config: &Config, file: &Path, out: &mut dyn Write) -> Result<(), Error> {
    let params = config.sketch.params();
    let mut sink = TokenSink { params: &params, out, line: String::new(), documents: 0, rejected: Vec::new() };
    read_file(config, file, &mut sink)?;
    if sink.documents == 0 {
        let why = sink.rejected.first().cloned().unwrap_or_else(|| "it holds none".to_owned());
        return Err(Error::NotFound(format!("failed to find a document in {}: {why}", file.display())));
    }
    Ok(())
}

/// The configuration that verbs without one use: the default one.
pub fn default_config() -> Result<Config, Error> {
    Ok(crate::config::parse(DEFAULT_TOML, Path::new("pipeline.toml"))?)
}

/// Hands all records of one file to a sink.
fn read_file(config: &Config, file: &Path, sink: &mut dyn Sink) -> Result<(), Error> {
    let base = std::env::current_dir().map_err(Error::io("find the current directory"))?;
    let paths = vec![escape_glob(file)];
    let listing = input::discover(&Discovery { paths, base, format: config.input.format })?;
    if let Some((name, rejection)) = listing.rejected.first() {
        return Err(Error::NotFound(format!("failed to read {name}: {} {}", rejection.reason, rejection.detail)));
    }
    let options = ReadOptions {
        fields: config.input.fields.clone(),
        max_document_bytes: config.input.max_document_bytes,
        large: LargeRecords::default(),
    };
    for (index, listed) in listing.files.iter().enumerate() {
        let piece = input::Piece { file: index as u32, start: 0, end: listed.bytes };
        input::read_piece(listed, &piece, Some(0), &options, sink)?;
    }
    Ok(())
}

/// A path that means itself, whatever characters it has.
pub(crate) fn escape_glob(file: &Path) -> String {
    let mut escaped = String::new();
    for c in PathBuf::from(file).to_string_lossy().chars() {
        match c {
            '*' | '?' | '[' | ']' | '{' | '}' | '!' => {
                escaped.push('[');
                escaped.push(c);
                escaped.push(']');
            }
            c => escaped.push(c),
        }
    }
    escaped
}

struct TokenSink<'a> {
    params: &'a SketchParams,
    out: &'a mut dyn Write,
    line: String,
    documents: u64,
    rejected: Vec<String>,
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
        self.rejected.push(format!("{} {}", rejection.reason, rejection.detail));
        Ok(())
    }
    fn skipped(&mut self, _: &str) {}
}
