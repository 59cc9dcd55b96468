//! The list of files of one snapshot: a file of JSON lines in `snapshots.d`.
//!
//! *Format.* One object a line: first the files in input order, then the files that cannot be
//! read. `snapshots.toml` says how many there are of each. The name of the list ends in the
//! checksum of its bytes, so a changed list has another name, and a `snapshots.toml` never names
//! bytes that it was not written for. *Memory.* One line, beside the snapshot that is filled.
//! *Limits.* A line has at most 1 MiB.

use super::name::{self, NUMBER_MAX};
use super::snapshot::{FileListEntry, Snapshot, SnapshotFile};
use input::RejectedFile;
use serde::de::DeserializeOwned;
use std::hash::Hasher;
use std::io::{self, BufRead, Read, Write};
use twox_hash::XxHash3_64;

/// Longer lines are refused.
pub(super) const LINE_BYTES_MAX: u64 = 1 << 20;

const CHECKSUM_DIGITS: usize = 16;
const SUFFIX: &str = ".jsonl";

/// A problem of a text, and its place.
#[derive(Debug)]
pub(super) enum ReadError {
    /// The bytes are wrong here: line and column, both from 1, and the problem.
    Wrong(usize, usize, String),
    /// The system refused to read.
    Io(io::Error),
}

/// Writes the list of a snapshot.
pub(super) fn write(snapshot: &Snapshot, to: &mut impl Write) -> io::Result<()> {
    for file in &snapshot.files {
        serde_json::to_writer(&mut *to, file)?;
        to.write_all(b"\n")?;
    }
    for file in &snapshot.rejected {
        serde_json::to_writer(&mut *to, file)?;
        to.write_all(b"\n")?;
    }
    Ok(())
}

impl FileListEntry {
    /// The list of a snapshot, as its files are now.
    pub(super) fn of(snapshot: &Snapshot) -> io::Result<FileListEntry> {
        let mut checksum = Checksum(XxHash3_64::new());
        write(snapshot, &mut checksum)?;
        let checksum = checksum.0.finish();
        Ok(FileListEntry {
            name: format!("{}{checksum:016x}{SUFFIX}", prefix(snapshot)),
            files: snapshot.files.len() as u64,
            unreadable: snapshot.rejected.len() as u64,
            bytes: snapshot.bytes(),
        })
    }
}

/// Whether a snapshot can have a list of this name.
pub(super) fn is_name_of(name: &str, snapshot: &Snapshot) -> bool {
    let checksum = name.strip_prefix(&prefix(snapshot));
    let checksum = checksum.and_then(|rest| rest.strip_suffix(SUFFIX));
    checksum.is_some_and(is_checksum)
}

/// Whether a file of this name in `snapshots.d` is a list, or the rest of one that was never
/// finished. Other files there are the user's.
pub(super) fn is_any_name(name: &str) -> bool {
    let whole = name.strip_suffix(".part").unwrap_or(name);
    let parts = whole
        .strip_suffix(SUFFIX)
        .and_then(|parts| parts.rsplit_once('-'))
        .and_then(|(front, checksum)| Some((front.split_once('-')?, checksum)));
    parts.is_some_and(|((number, snapshot), checksum)| {
        is_number(number) && name::problem(snapshot).is_none() && is_checksum(checksum)
    })
}

/// Whether the text is the number of a snapshot, as this program writes it.
fn is_number(text: &str) -> bool {
    let number = text.parse::<u32>();
    number.is_ok_and(|number| (1..=NUMBER_MAX).contains(&number) && number.to_string() == text)
}

fn is_checksum(text: &str) -> bool {
    let is_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    text.len() == CHECKSUM_DIGITS && text.bytes().all(is_hex)
}

fn prefix(snapshot: &Snapshot) -> String {
    format!("{}-{}-", snapshot.number, snapshot.name)
}

/// Reads a list into a snapshot that has its roots and no files.
pub(super) fn read(
    from: &mut impl BufRead,
    list: &FileListEntry,
    snapshot: &mut Snapshot,
) -> Result<(), ReadError> {
    let expected = list.files.saturating_add(list.unreadable);
    let mut checksum = XxHash3_64::new();
    let mut lines = TextLines::new(from);
    while let Some(line) = lines.next()? {
        checksum.write(line);
        let (number, line) = (lines.number, lines.text()?);
        let count = number as u64;
        let problem = if count <= list.files {
            snapshot.push_file(parse::<SnapshotFile>(line, number)?)
        } else if count <= expected {
            snapshot.rejected.push(parse::<RejectedFile>(line, number)?);
            Ok(())
        } else {
            Err(format!("there are more than {expected} lines"))
        };
        problem.map_err(|message| ReadError::Wrong(number, 1, message))?;
    }
    let (found, bytes) = (lines.number, snapshot.bytes());
    let problem = if (found as u64) < expected {
        format!("there are {found} lines, and {expected} were written: it was cut")
    } else if !list
        .name
        .ends_with(&format!("-{:016x}{SUFFIX}", checksum.finish()))
    {
        "the checksum is not that in the name of the list: it was edited".to_owned()
    } else if bytes != list.bytes {
        format!(
            "its files have {bytes} bytes, and snapshots.toml says {}",
            list.bytes
        )
    } else {
        return Ok(());
    };
    Err(ReadError::Wrong(found.max(1), 1, problem))
}

fn parse<T: DeserializeOwned>(line: &str, number: usize) -> Result<T, ReadError> {
    serde_json::from_str(line).map_err(|error| {
        let message = error.to_string();
        // The line is one of many: its own number 1 would mislead.
        let message = message.split(" at line ").next().unwrap_or_default();
        ReadError::Wrong(number, error.column().max(1), message.to_owned())
    })
}

/// The lines of a text, one at a time.
pub(super) struct TextLines<R> {
    from: R,
    bytes: Vec<u8>,
    /// The number of the last line, from 1.
    pub(super) number: usize,
}

impl<R: BufRead> TextLines<R> {
    pub(super) fn new(from: R) -> TextLines<R> {
        TextLines {
            from,
            bytes: Vec::new(),
            number: 0,
        }
    }

    /// Reads the next line; `None` at the end. The line break is part of it.
    pub(super) fn next(&mut self) -> Result<Option<&[u8]>, ReadError> {
        self.bytes.clear();
        let mut limited = self.from.by_ref().take(LINE_BYTES_MAX);
        let length = limited.read_until(b'\n', &mut self.bytes);
        let length = length.map_err(ReadError::Io)? as u64;
        if length == 0 {
            return Ok(None);
        }
        self.number += 1;
        if length == LINE_BYTES_MAX {
            let message = "the line is longer than 1 MiB".to_owned();
            return Err(ReadError::Wrong(self.number, 1, message));
        }
        Ok(Some(&self.bytes))
    }

    /// The last line as text, with its line break.
    pub(super) fn text(&self) -> Result<&str, ReadError> {
        std::str::from_utf8(&self.bytes).map_err(|error| {
            let column = error.valid_up_to() + 1;
            ReadError::Wrong(self.number, column, "expected UTF-8".to_owned())
        })
    }
}

/// Takes the checksum of what is written to it.
struct Checksum(XxHash3_64);

impl Write for Checksum {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
