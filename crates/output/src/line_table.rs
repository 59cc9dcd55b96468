//! Writing a table as lines of text: JSON objects or CSV.
//!
//! JSON lines: one object a row, every column present, in the order of the table. Doubles are
//! numbers in their shortest form that reads back equal (NaN and infinities, which JSON lacks, are
//! null). CSV (RFC 4180): a line of column names, texts always in quotes, numbers never, null as
//! nothing. In both, times are RFC 3339 texts.
//!
//! Memory: one row.

use std::io::Write;

use crate::csv::FormulaGuard;
use crate::{Cell, OutputError, Row, Schema, csv, jsonl};

/// The form of the lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineFormat {
    /// JSON lines.
    Jsonl,
    /// CSV with a line of names.
    Csv(FormulaGuard),
}

impl LineFormat {
    fn write_text(self, text: &str, line: &mut Vec<u8>) {
        match self {
            LineFormat::Jsonl => jsonl::write_string(text, line),
            LineFormat::Csv(guard) => csv::write_string(text, guard, line),
        }
    }

    pub(crate) fn write_cell(self, cell: Cell<'_>, line: &mut Vec<u8>) {
        match (cell, self) {
            (Cell::Utf8(value), _) => self.write_text(value, line),
            (Cell::TimestampMicros(_), _) => {
                line.push(b'"');
                cell.write_plain(line);
                line.push(b'"');
            }
            (Cell::Null, LineFormat::Jsonl) => line.extend_from_slice(b"null"),
            (Cell::Double(value), LineFormat::Jsonl) if !value.is_finite() => {
                line.extend_from_slice(b"null");
            }
            _ => cell.write_plain(line),
        }
    }

    fn end(self) -> &'static [u8] {
        match self {
            LineFormat::Jsonl => b"}\n",
            LineFormat::Csv(_) => b"\n",
        }
    }
}

/// A streaming writer of lines.
pub struct LineTable<W: Write> {
    schema: Schema,
    format: LineFormat,
    /// The bytes before the cell of each column.
    before: Vec<Vec<u8>>,
    out: W,
    line: Vec<u8>,
    rows: u64,
}

impl<W: Write> LineTable<W> {
    /// Writes the line of names, if the format has one. `out` receives one write a row: hand over a
    /// buffered one.
    pub fn new(schema: Schema, format: LineFormat, out: W) -> Result<LineTable<W>, OutputError> {
        let (mut before, mut names) = (Vec::new(), Vec::new());
        for (at, column) in schema.columns().iter().enumerate() {
            let mut text = Vec::new();
            match (format, at) {
                (LineFormat::Jsonl, 0) => text.push(b'{'),
                (LineFormat::Csv(_), 0) => {}
                _ => text.push(b','),
            }
            names.extend_from_slice(&text);
            format.write_text(&column.name, &mut names);
            if format == LineFormat::Jsonl {
                format.write_text(&column.name, &mut text);
                text.push(b':');
            }
            before.push(text);
        }
        names.push(b'\n');
        let mut table = LineTable {
            schema,
            format,
            before,
            out,
            line: names,
            rows: 0,
        };
        if format != LineFormat::Jsonl {
            table.write_line()?;
        }
        Ok(table)
    }

    /// Adds a row.
    pub fn write(&mut self, row: &impl Row) -> Result<(), OutputError> {
        let (before, line) = (&self.before, &mut self.line);
        line.clear();
        self.schema.each_cell(row, |at, cell| {
            line.extend_from_slice(&before[at]);
            self.format.write_cell(cell, line);
        })?;
        line.extend_from_slice(self.format.end());
        self.write_line()?;
        self.rows += 1;
        Ok(())
    }

    fn write_line(&mut self) -> Result<(), OutputError> {
        let written = self.out.write_all(&self.line);
        written.map_err(OutputError::write(self.schema.name()))
    }

    /// Rows written so far, without the line of names.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Flushes the writer and hands it back.
    pub fn finish(mut self) -> Result<W, OutputError> {
        let flushed = self.out.flush();
        flushed.map_err(OutputError::write(self.schema.name()))?;
        Ok(self.out)
    }
}
