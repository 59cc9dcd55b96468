//! Where a bench writes its results: tables, raw results, plots.
//!
//! *Input.* Tables, plots, and values that serde can write. *Output.* Tables on the screen and in
//! `table.txt`; `raw.jsonl`, a line for each raw result as soon as it is known; plots as SVG.

use crate::bench::files;
use crate::plot::Plot;
use crate::table::Table;
use anyhow::{Context, Result};
use serde::Serialize;
use serde_json::json;
use std::fs::File;
use std::io::{Write, stdout};
use std::path::{Path, PathBuf};

/// Open results.
pub(crate) struct Report {
    dir: Option<PathBuf>,
    table: Option<File>,
    raw: Option<File>,
}

impl Report {
    /// Writes to the screen, and to `table.txt`, `raw.jsonl` and plots in a directory if one is
    /// named.
    pub(crate) fn new(dir: Option<&Path>) -> Result<Report> {
        dir.map(files::make_dir).transpose()?;
        let create = |name| dir.map(|dir| files::create(&dir.join(name))).transpose();
        Ok(Report {
            dir: dir.map(Path::to_owned),
            table: create("table.txt")?,
            raw: create("raw.jsonl")?,
        })
    }

    /// Writes a line.
    pub(crate) fn line(&mut self, text: &str) -> Result<()> {
        writeln!(stdout().lock(), "{text}").context("failed to write to standard output")?;
        match &mut self.table {
            Some(table) => writeln!(table, "{text}").context("failed to write the table"),
            None => Ok(()),
        }
    }

    /// Writes a table, after an empty line.
    pub(crate) fn table(&mut self, table: &Table) -> Result<()> {
        self.line(format!("\n{table}").trim_end())
    }

    /// Writes a raw result.
    pub(crate) fn raw(&mut self, what: &str, result: impl Serialize) -> Result<()> {
        match &mut self.raw {
            Some(raw) => writeln!(raw, "{}", json!({ "what": what, "result": result }))
                .context("failed to write a raw result"),
            None => Ok(()),
        }
    }

    /// Writes a plot; nowhere if there is no directory.
    pub(crate) fn plot(&self, plot: &Plot) -> Result<()> {
        match &self.dir {
            Some(dir) => files::write(&dir.join(plot.file).with_extension("svg"), plot.svg()),
            None => Ok(()),
        }
    }
}
