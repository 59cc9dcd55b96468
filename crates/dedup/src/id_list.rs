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
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use twox_hash::XxHash3_128;

/// The first bytes of a Parquet file.
const PARQUET: &[u8] = b"PAR1";

/// How an entry names a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NamedDocument<'a> {
    /// A line of a plain list: an id, or a doc_id if it is a number.
    Line(&'a str),
    /// By these; at least one is there.
    Columns {
        doc_id: Option<i64>,
        id: Option<&'a str>,
    },
}

/// Receives the entries.
type TakeDocument<'a> = dyn FnMut(NamedDocument<'_>) -> Result<(), Error> + 'a;

/// Hands on all entries of a list.
pub(super) fn read(path: &Path, take: &mut TakeDocument<'_>) -> Result<(), Error> {
    let mut file = BufReader::new(open(path)?);
    let begin = file.fill_buf().map_err(|error| unreadable(path, &error))?;
    if begin.starts_with(PARQUET) {
        return rows(path, take);
    }
    let bom = usize::from(begin.starts_with(b"\xef\xbb\xbf")) * 3;
    file.consume(bom);
    let mut lines = ListLines {
        path,
        file,
        number: 0,
        line: String::new(),
    };
    let mut head = None;
    while lines.next()? {
        let line = lines.line.trim();
        if line.starts_with('{') {
            let object: Map<String, Value> =
                serde_json::from_str(line).map_err(|error| lines.refused(&error.to_string()))?;
            let doc_id = object.get("doc_id").and_then(number_of);
            let id = object.get("id").and_then(text_of);
            lines.hand_on(doc_id, id.as_deref(), take)?;
            continue;
        }
        if lines.number == 1 {
            let fields = lines.fields()?;
            let at = |name: &str| fields.iter().position(|field| field == name);
            let places = [at("doc_id"), at("id")];
            if places != [None; 2] {
                head = Some(places);
                continue;
            }
        }
        match head {
            None => take(NamedDocument::Line(lines.line.trim()))?,
            Some(places) => {
                let fields = lines.fields()?;
                let [doc_id, id] = places.map(|at| {
                    let field = at.and_then(|at| fields.get(at));
                    field.filter(|field| !field.is_empty())
                });
                let number = doc_id.map(|field| field.trim().parse());
                let number = number.transpose();
                let number = number.map_err(|_| lines.refused("its doc_id is no number"))?;
                lines.hand_on(number, id.map(String::as_str), take)?;
            }
        }
    }
    Ok(())
}

/// A digest of all bytes of a list.
pub(super) fn digest(path: &Path) -> Result<u128, Error> {
    let (mut file, mut hasher) = (open(path)?, XxHash3_128::new());
    let mut block = vec![0; 64 << 10];
    loop {
        match file.read(&mut block) {
            Ok(0) => return Ok(hasher.finish_128()),
            Ok(bytes) => hasher.write(&block[..bytes]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(unreadable(path, &error)),
        }
    }
}

fn open(path: &Path) -> Result<File, Error> {
    let opened = input::open_regular(path).map_err(|error| unreadable(path, &error))?;
    Ok(opened.0)
}

fn unreadable(path: &Path, error: &io::Error) -> Error {
    let path = path.display();
    Error::Usage(format!("failed to read the list {path}: {error}"))
}

/// The lines of a list.
struct ListLines<'a> {
    path: &'a Path,
    file: BufReader<File>,
    /// Lines that are not blank, so far.
    number: u64,
    line: String,
}

impl ListLines<'_> {
    /// Goes to the next line that is not blank.
    fn next(&mut self) -> Result<bool, Error> {
        loop {
            self.line.clear();
            let read = self.file.read_line(&mut self.line);
            if read.map_err(|error| unreadable(self.path, &error))? == 0 {
                return Ok(false);
            }
            if !self.line.trim().is_empty() {
                self.number += 1;
                return Ok(true);
            }
        }
    }

    /// The fields of the line, as CSV has them; a quoted one may go on in the next lines.
    fn fields(&mut self) -> Result<Vec<String>, Error> {
        let (mut fields, mut field) = (Vec::new(), String::new());
        let mut is_quoted = false;
        loop {
            let line = self.line.trim_end_matches(['\n', '\r']);
            let mut rest = line.chars().peekable();
            while let Some(c) = rest.next() {
                match c {
                    '"' if is_quoted && rest.next_if_eq(&'"').is_some() => field.push('"'),
                    '"' => is_quoted = !is_quoted,
                    ',' if !is_quoted => fields.push(std::mem::take(&mut field)),
                    c => field.push(c),
                }
            }
            if !is_quoted {
                fields.push(field);
                return Ok(fields);
            }
            field.push('\n');
            self.line.clear();
            let read = self.file.read_line(&mut self.line);
            if read.map_err(|error| unreadable(self.path, &error))? == 0 {
                return Err(self.refused("a quotation mark is never closed"));
            }
        }
    }

    fn hand_on(
        &self,
        doc_id: Option<i64>,
        id: Option<&str>,
        take: &mut TakeDocument<'_>,
    ) -> Result<(), Error> {
        match (doc_id, id) {
            (None, None) => Err(self.refused("it has neither doc_id nor id")),
            (doc_id, id) => take(NamedDocument::Columns { doc_id, id }),
        }
    }

    fn refused(&self, why: &str) -> Error {
        let (path, number) = (self.path.display(), self.number);
        Error::Usage(format!(
            "failed to read the list {path}: entry {number}: {why}; an entry is an id, or has \
             doc_id or id"
        ))
    }
}

fn number_of(value: &Value) -> Option<i64> {
    let text = || value.as_str().and_then(|text| text.trim().parse().ok());
    value.as_i64().or_else(text)
}

fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Hands on the rows of a Parquet file.
fn rows(path: &Path, take: &mut TakeDocument<'_>) -> Result<(), Error> {
    let refused = |why: String| {
        let path = path.display();
        Error::Usage(format!("failed to read the list {path}: {why}"))
    };
    let failed = |error: OutputError| refused(error.to_string());
    let mut opened = None;
    for columns in [&["doc_id", "id"][..], &["doc_id"], &["id"]] {
        match TableReader::open_foreign(path, ColumnSelection::Named(columns)) {
            Err(OutputError::NoSuchColumn { .. }) => {}
            Err(error) => return Err(failed(error)),
            Ok(reader) => {
                opened = Some((columns, reader));
                break;
            }
        }
    }
    let Some((columns, mut reader)) = opened else {
        return Err(refused("it has neither a column doc_id nor id".to_owned()));
    };
    let place = |name| columns.iter().position(|column| *column == name);
    let [doc_id_at, id_at] = [place("doc_id"), place("id")];
    while let Some(batch) = reader.next_batch().map_err(failed)? {
        for row in batch.iter() {
            let cell = |at: Option<usize>| at.map_or(Cell::Null, |at| row.cell(at));
            let doc_id = match cell(doc_id_at) {
                Cell::Int32(number) => Some(i64::from(number)),
                Cell::Int64(number) => Some(number),
                Cell::Utf8(text) => text.parse().ok(),
                _ => None,
            };
            let id = match cell(id_at) {
                Cell::Utf8(text) => Some(text.to_owned()),
                Cell::Int32(number) => Some(number.to_string()),
                Cell::Int64(number) => Some(number.to_string()),
                _ => None,
            };
            if doc_id.is_none() && id.is_none() {
                return Err(refused("a row has neither doc_id nor id".to_owned()));
            }
            let id = id.as_deref();
            take(NamedDocument::Columns { doc_id, id })?;
        }
    }
    Ok(())
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
