//! Where results go: the screen, a table, JSON lines, plots.

use anyhow::{Context, Result};
use serde::Serialize;
use serde_json::json;
use std::fs::File;
use std::io::{Write, stdout};
use std::path::{Path, PathBuf};

/// Open results.
pub struct Log {
    dir: PathBuf,
    table: File,
    raw: File,
}

impl Log {
    /// Starts `table.txt` and `raw.jsonl` in a directory.
    ///
    /// # Errors
    /// When they cannot be made.
    pub fn create(dir: &Path) -> Result<Log> {
        std::fs::create_dir_all(dir)
            .with_context(|| format!("failed to make {}", dir.display()))?;
        let make = |name: &str| {
            let path = dir.join(name);
            File::create(&path).with_context(|| format!("failed to make {}", path.display()))
        };
        Ok(Log {
            table: make("table.txt")?,
            raw: make("raw.jsonl")?,
            dir: dir.to_owned(),
        })
    }

    /// A line of the table.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn line(&mut self, text: &str) -> Result<()> {
        writeln!(stdout().lock(), "{text}").context("failed to write to standard output")?;
        writeln!(self.table, "{text}").context("failed to write the table")
    }

    /// A raw result.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn raw(&mut self, what: &str, result: impl Serialize) -> Result<()> {
        writeln!(self.raw, "{}", json!({ "what": what, "result": result }))
            .context("failed to write a raw result")
    }

    /// A plot.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn plot(&mut self, name: &str, svg: &str) -> Result<()> {
        let path = self.dir.join(name).with_extension("svg");
        std::fs::write(&path, svg).with_context(|| format!("failed to write {}", path.display()))
    }
}
