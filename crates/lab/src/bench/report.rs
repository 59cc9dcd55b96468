//! Where a bench writes its results: tables, raw results, plots.
//!
//! *Input.* Rows of cells, and values that serde can write. *Output.* Tables on the screen and in
//! `table.txt`, a row as soon as it is known; `raw.jsonl`, a line for each raw result.

use crate::files;
use anyhow::{Context, Result};
use serde::Serialize;
use serde_json::json;
use std::fs::File;
use std::io::{Write, stdout};
use std::path::{Path, PathBuf};

/// Width of the first column of every table.
const FIRST: usize = 38;

/// Least width of the other columns.
const OTHERS: usize = 9;

/// A value in a table. A float shows about four digits.
pub(crate) trait Cell {
    /// The value as text.
    fn text(&self) -> String;
}

impl Cell for f64 {
    fn text(&self) -> String {
        match self.abs() {
            size if size >= 1000.0 => format!("{self:.0}"),
            size if size >= 100.0 => format!("{self:.1}"),
            size if size >= 10.0 => format!("{self:.2}"),
            _ => format!("{self:.3}"),
        }
    }
}

impl Cell for u64 {
    fn text(&self) -> String {
        self.to_string()
    }
}

impl Cell for &str {
    fn text(&self) -> String {
        (*self).to_owned()
    }
}

impl Cell for String {
    fn text(&self) -> String {
        self.clone()
    }
}

impl<T: Cell> Cell for Option<T> {
    fn text(&self) -> String {
        self.as_ref().map_or_else(|| "-".to_owned(), T::text)
    }
}

/// Open results.
pub(crate) struct Report {
    dir: Option<PathBuf>,
    table: Option<File>,
    raw: Option<File>,
    widths: Vec<usize>,
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
            widths: Vec::new(),
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

    /// Begins a table; the names of its columns are parted by ` | `.
    pub(crate) fn columns(&mut self, names: &str) -> Result<()> {
        let width = |name: &str| name.chars().count().max(OTHERS) + 2;
        self.widths = names.split(" | ").skip(1).map(width).collect();
        let names: Vec<&str> = names.split(" | ").collect();
        let cells: Vec<&dyn Cell> = names.iter().map(|name| name as &dyn Cell).collect();
        self.row(&cells)
    }

    /// Writes a row of the table that was begun last.
    pub(crate) fn row(&mut self, cells: &[&dyn Cell]) -> Result<()> {
        let (first, others) = cells.split_first().context("failed to find a cell")?;
        let mut line = format!("{:<FIRST$}", first.text());
        for (cell, width) in others.iter().zip(&self.widths) {
            line += &format!("{:>width$}", cell.text());
        }
        self.line(line.trim_end())
    }

    /// Writes a raw result.
    pub(crate) fn raw(&mut self, what: &str, result: impl Serialize) -> Result<()> {
        match &mut self.raw {
            Some(raw) => writeln!(raw, "{}", json!({ "what": what, "result": result }))
                .context("failed to write a raw result"),
            None => Ok(()),
        }
    }

    /// Where the plot of a name goes; nowhere if there is no directory.
    pub(crate) fn plot_path(&self, name: &str) -> Option<PathBuf> {
        let dir = self.dir.as_ref()?;
        Some(dir.join(name).with_extension("svg"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_below_their_heads() {
        let dir = tempfile::tempdir().unwrap();
        let mut report = Report::new(Some(dir.path())).unwrap();
        report
            .columns("stage | CPU-s | a long head | none")
            .unwrap();
        report.row(&[&"sort", &1.25, &7_u64, &None::<f64>]).unwrap();
        report.raw("row", 7).unwrap();
        let read = |name: &str| std::fs::read_to_string(dir.path().join(name)).unwrap();
        let first = " ".repeat(FIRST - 5);
        let expected = [
            format!("stage{first}      CPU-s  a long head       none\n"),
            format!("sort {first}      1.250            7          -\n"),
        ];
        assert_eq!(read("table.txt"), expected.concat());
        assert_eq!(read("raw.jsonl"), "{\"what\":\"row\",\"result\":7}\n");
    }
}
