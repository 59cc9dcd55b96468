//! A list of documents, as this program or another one writes it.
//!
//! *Input.* A file: lines of ids, JSON lines, CSV with a head, or Parquet; its first bytes tell
//! which. *Output.* A [`NamedDocument`] for each entry, in order. *Algorithm.* JSON lines, CSV and
//! Parquet name documents by `doc_id`, by `id`, or by both; a line of a plain list may be either.
//! *Memory.* A line, or a batch of rows. *Limits.* The file is not compressed. Blank lines are no
//! entries.

use engine::Error;
use output::{Cell, ColumnSelection, OutputError, TableReader};
use serde_json::{Map, Value};
use std::fmt::Display;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use twox_hash::XxHash3_128;

/// The first bytes of a Parquet file.
const PARQUET: &[u8] = b"PAR1";

const BYTE_ORDER_MARK: &str = "\u{feff}";

/// The columns that name a document.
const COLUMNS: [&str; 2] = ["doc_id", "id"];

/// How an entry names a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamedDocument<'a> {
    /// A line of a plain list: an id, or a doc_id if it is a number.
    Line(&'a str),
    /// By these; at least one is there.
    Columns {
        /// Its doc_id in the run.
        doc_id: Option<i64>,
        /// Its own id.
        id: Option<&'a str>,
    },
}

/// A list that is read.
struct ListReader<'a> {
    path: &'a Path,
    /// The entry at hand, from 1.
    entry: u64,
    take: &'a mut dyn FnMut(NamedDocument<'_>) -> Result<(), Error>,
}

/// Hands on all entries of a list.
pub fn read(
    path: &Path,
    take: &mut dyn FnMut(NamedDocument<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    let entry = 0;
    let mut list = ListReader { path, entry, take };
    let mut file = BufReader::new(open(path)?);
    let begin = file.fill_buf().map_err(|error| unreadable(path, error))?;
    match begin.starts_with(PARQUET) {
        true => list.rows(),
        false => list.lines(file),
    }
}

/// A digest of all bytes of a list.
pub(super) fn digest(path: &Path) -> Result<u128, Error> {
    let (mut file, mut hasher) = (BufReader::new(open(path)?), XxHash3_128::new());
    loop {
        let block = file.fill_buf().map_err(|error| unreadable(path, error))?;
        if block.is_empty() {
            return Ok(hasher.finish_128());
        }
        hasher.write(block);
        let bytes = block.len();
        file.consume(bytes);
    }
}

fn open(path: &Path) -> Result<File, Error> {
    let opened = input::open_regular(path).map_err(|error| unreadable(path, error))?;
    Ok(opened.0)
}

fn unreadable(path: &Path, why: impl Display) -> Error {
    let path = path.display();
    Error::Usage(format!("failed to read the list {path}: {why}"))
}

impl ListReader<'_> {
    fn refused(&self, why: impl Display) -> Error {
        let (path, entry) = (self.path.display(), self.entry);
        Error::Usage(format!(
            "failed to read the list {path}: entry {entry}: {why}; an entry is an id, or has \
             doc_id or id"
        ))
    }

    /// Hands on an entry with columns.
    fn columns(&mut self, [doc_id, id]: [Option<&str>; 2]) -> Result<(), Error> {
        let doc_id = doc_id.map(|text| text.trim().parse()).transpose();
        let doc_id = doc_id.map_err(|_| self.refused("its doc_id is no number"))?;
        if doc_id.is_none() && id.is_none() {
            return Err(self.refused("it has neither doc_id nor id"));
        }
        (self.take)(NamedDocument::Columns { doc_id, id })
    }

    fn lines(&mut self, mut file: BufReader<File>) -> Result<(), Error> {
        let path = self.path;
        let mut more = |line: &mut String| {
            let read = file.read_line(line);
            read.map_err(|error| unreadable(path, error))
        };
        // Where the fields of a head have the columns.
        let mut head: Option<[Option<usize>; 2]> = None;
        let mut line = String::new();
        while more(&mut line)? > 0 {
            let entry = line.trim().trim_start_matches(BYTE_ORDER_MARK);
            if entry.is_empty() {
                line.clear();
                continue;
            }
            self.entry += 1;
            if entry.starts_with('{') {
                let object: Result<Map<String, Value>, _> = serde_json::from_str(entry);
                let object = object.map_err(|error| self.refused(error))?;
                let fields = COLUMNS.map(|name| object.get(name).and_then(text_of));
                self.columns(fields.each_ref().map(Option::as_deref))?;
            } else if let Some(places) = head {
                // A quoted field may go on in the next lines.
                while line.matches('"').count() % 2 == 1 {
                    if more(&mut line)? == 0 {
                        return Err(self.refused("a quotation mark is never closed"));
                    }
                }
                let fields = fields(line.trim_end_matches(['\n', '\r']));
                let field = |at: usize| fields.get(at).filter(|field| !field.is_empty());
                self.columns(places.map(|at| Some(field(at?)?.as_str())))?;
            } else {
                let fields = match self.entry {
                    1 => fields(entry),
                    _ => Vec::new(),
                };
                let places = COLUMNS.map(|name| fields.iter().position(|field| field == name));
                match places != [None; 2] {
                    true => head = Some(places),
                    false => (self.take)(NamedDocument::Line(entry))?,
                }
            }
            line.clear();
        }
        Ok(())
    }

    /// Hands on the rows of a Parquet file.
    fn rows(&mut self) -> Result<(), Error> {
        let path = self.path;
        let failed = |error: OutputError| unreadable(path, error);
        let mut opened = None;
        for columns in [&COLUMNS[..], &COLUMNS[..1], &COLUMNS[1..]] {
            match TableReader::open_foreign(path, ColumnSelection::Named(columns)) {
                Err(OutputError::NoSuchColumn { .. }) => continue,
                reader => opened = Some((columns, reader.map_err(failed)?)),
            }
            break;
        }
        let Some((columns, mut reader)) = opened else {
            return Err(unreadable(path, "it has neither a column doc_id nor id"));
        };
        let places = COLUMNS.map(|name| columns.iter().position(|column| *column == name));
        while let Some(batch) = reader.next_batch().map_err(failed)? {
            for row in batch.iter() {
                self.entry += 1;
                let texts = places.map(|at| match row.cell(at?) {
                    Cell::Utf8(text) => Some(text.to_owned()),
                    Cell::Int32(number) => Some(number.to_string()),
                    Cell::Int64(number) => Some(number.to_string()),
                    _ => None,
                });
                self.columns(texts.each_ref().map(Option::as_deref))?;
            }
        }
        Ok(())
    }
}

/// The fields of a record of CSV.
fn fields(record: &str) -> Vec<String> {
    let (mut fields, mut field) = (Vec::new(), String::new());
    let (mut rest, mut is_quoted) = (record.chars().peekable(), false);
    while let Some(c) = rest.next() {
        match c {
            '"' if is_quoted && rest.next_if_eq(&'"').is_some() => field.push('"'),
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => fields.push(std::mem::take(&mut field)),
            c => field.push(c),
        }
    }
    fields.push(field);
    fields
}

fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(content: &[u8]) -> Result<Vec<String>, String> {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("list");
        std::fs::write(&path, content).expect("written");
        let mut found = Vec::new();
        let read = read(&path, &mut |named| {
            found.push(format!("{named:?}"));
            Ok(())
        });
        read.map(|()| found).map_err(|error| error.to_string())
    }

    fn columns(doc_id: Option<i64>, id: Option<&str>) -> String {
        format!("{:?}", NamedDocument::Columns { doc_id, id })
    }

    #[test]
    fn lines_objects_and_csv_are_told_apart() {
        let line = |text| format!("{:?}", NamedDocument::Line(text));
        let plain = entries("\u{feff}a b\r\n\n 17 \nx,y".as_bytes());
        assert_eq!(plain, Ok(vec![line("a b"), line("17"), line("x,y")]));
        let objects = entries(b"{\"id\": 7}\n{\"doc_id\": \"4\", \"id\": \"x\", \"n\": [1]}\n");
        let expected = vec![columns(None, Some("7")), columns(Some(4), Some("x"))];
        assert_eq!(objects, Ok(expected));
        let csv = entries(b"url,doc_id,id\n\"a,\"\"b\"\"\nc\",3,\"x,\"\n,,y\n");
        let expected = vec![columns(Some(3), Some("x,")), columns(None, Some("y"))];
        assert_eq!(csv, Ok(expected));
    }

    #[test]
    fn an_entry_that_names_nothing_is_refused() {
        for (content, why) in [
            (
                &b"{\"url\": \"x\"}\n"[..],
                "entry 1: it has neither doc_id nor id",
            ),
            (b"a\n{\"id\": [1]}\n", "entry 2: it has neither"),
            (b"{\"id\": \n", "entry 1: "),
            (b"id,doc_id\nx,\ny,z\n", "entry 3: its doc_id is no number"),
            (b"id\n\"x\n", "never closed"),
            (b"\xff\n", "UTF-8"),
            (b"PAR1", "failed to read"),
        ] {
            let refused = entries(content).expect_err(why);
            assert!(refused.contains(why), "{refused}");
        }
    }
}
