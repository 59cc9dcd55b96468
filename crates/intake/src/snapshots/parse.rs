//! The list, read back with every check there is.
//!
//! *Input.* Lines of text. *Output.* The snapshots. *Algorithm.* Line by line, so that nothing but
//! the list itself is held: heads, `key = value`, and lines of tables within `files` and
//! `rejected`. A list that was cut, put together from two, or edited in a way that changes what its
//! numbers mean is refused: the highest number stands at its head, numbers follow one another,
//! names occur once, files are in order. *Limits.* A line has at most 1 MiB.

use super::name;
use super::scan::{Entry, Scan, Value, Wrong};
use super::{NUMBER_MAX, Snapshot, SnapshotFile};
use input::{Format, LISTING_REASONS, Rejection};
use std::collections::HashSet;

const HEAD_KEYS: [&str; 2] = ["version", "last-number"];
const SNAPSHOT_KEYS: [&str; 11] = [
    "number",
    "name",
    "date",
    "paths",
    "documents",
    "took",
    "dropped",
    "roots",
    "unreadable",
    "files",
    "rejected",
];
const FILE_KEYS: [&str; 6] = ["name", "name-bytes", "root", "format", "bytes", "digest"];
const REJECTED_KEYS: [&str; 3] = ["name", "reason", "detail"];

/// Reads lines, one after the other.
#[derive(Default)]
pub(super) struct Parser {
    head: Keys,
    last: Option<u32>,
    done: Vec<Snapshot>,
    names: HashSet<String>,
    draft: Option<Draft>,
    /// The list that the lines are in, and the line where it began.
    within: Option<(&'static str, usize)>,
}

/// A snapshot whose keys are being read.
#[derive(Default)]
struct Draft {
    keys: Keys,
    snapshot: Snapshot,
}

impl Parser {
    /// Takes the next line.
    pub(super) fn line(&mut self, number: usize, text: &str) -> Result<(), Wrong> {
        let mut scan = Scan::new(number, text);
        if scan.end().is_ok() {
            return Ok(());
        }
        if let Some((list, _)) = self.within {
            if scan.takes("]") {
                self.within = None;
            } else {
                self.element(list, &mut scan)?;
                scan.takes(",");
            }
        } else if scan.takes("[[snapshot]]") {
            self.close(number)?;
            self.draft = Some(Draft {
                keys: Keys {
                    line: number,
                    ..Keys::default()
                },
                ..Draft::default()
            });
        } else if let Some(draft) = &mut self.draft {
            let entry = scan.entry(&SNAPSHOT_KEYS)?;
            match (entry.key, &entry.value) {
                ("files" | "rejected", Value::Open) => self.within = Some((entry.key, number)),
                ("files" | "rejected", _) | (_, Value::Open) => {
                    return Err(wrong_kind(&entry, "what this program writes here"));
                }
                _ => {}
            }
            draft.keys.add(entry)?;
        } else {
            self.head.add(scan.entry(&HEAD_KEYS)?)?;
        }
        scan.end()
    }

    /// The snapshots, after `lines` lines.
    pub(super) fn finish(mut self, lines: usize) -> Result<Vec<Snapshot>, Wrong> {
        let end = |message: String| {
            Err(Wrong {
                line: lines.max(1),
                column: 1,
                message,
            })
        };
        if let Some((list, line)) = self.within {
            return end(format!(
                "the file ends within the list {list:?} of line {line}: it was cut"
            ));
        }
        self.close(lines.max(1))?;
        let (last, last_number) = (
            self.done.last().map_or(0, |last| last.number),
            self.last.unwrap_or(0),
        );
        if last != last_number {
            return end(format!(
                "the file ends with snapshot {last}, and last-number is {last_number}: it was cut"
            ));
        }
        Ok(self.done)
    }

    /// Ends what was being read: the head, or a snapshot.
    fn close(&mut self, line: usize) -> Result<(), Wrong> {
        if let Some(draft) = self.draft.take() {
            let snapshot = draft.build(self.done.last().map_or(0, |last| last.number))?;
            let Snapshot { number, name, .. } = &snapshot;
            if !self.names.insert(name.clone()) {
                let message = format!("snapshot {number}: the name {name:?} occurs twice");
                return Err(Wrong {
                    line: line.saturating_sub(1).max(1),
                    column: 1,
                    message,
                });
            }
            self.done.push(snapshot);
        } else {
            self.head.line = line;
            let version = self.head.number("version")?;
            if version != 1 {
                return Err(self.head.wrong(format!(
                    "version is {version}, and this program reads version 1"
                )));
            }
            let last = self.head.number("last-number")?;
            self.last = Some(number(&self.head, last)?);
        }
        Ok(())
    }

    fn element(&mut self, list: &str, scan: &mut Scan<'_>) -> Result<(), Wrong> {
        let begin = scan.wrong("");
        let Some(draft) = &mut self.draft else {
            return Err(begin);
        };
        let snapshot = &mut draft.snapshot;
        if list == "rejected" {
            let entries = scan.table(&REJECTED_KEYS)?;
            let mut keys = Keys {
                line: begin.line,
                entries,
            };
            let (name, reason) = (keys.text("name")?, keys.text("reason")?);
            let known = LISTING_REASONS.iter().find(|known| **known == reason);
            let reason = *known.ok_or_else(|| keys.wrong(format!("unknown reason {reason:?}")))?;
            let detail = keys.optional_text("detail")?.unwrap_or_default();
            snapshot.rejected.push((
                name,
                Rejection {
                    offset: 0,
                    url: None,
                    reason,
                    detail,
                },
            ));
            return Ok(());
        }
        let file = file(Keys {
            line: begin.line,
            entries: scan.table(&FILE_KEYS)?,
        })?;
        let same_name = snapshot
            .files
            .iter()
            .rev()
            .take_while(|before| before.name_bytes() == file.name_bytes());
        if same_name.into_iter().any(|before| before.root == file.root) {
            return Err(Wrong {
                message: format!("the file {:?} occurs twice", file.name),
                ..begin
            });
        }
        if snapshot
            .files
            .last()
            .is_some_and(|before| before.name_bytes() > file.name_bytes())
        {
            return Err(Wrong {
                message: "files are not in the order of their names".to_owned(),
                ..begin
            });
        }
        snapshot.files.push(file);
        Ok(())
    }
}

fn file(mut keys: Keys) -> Result<SnapshotFile, Wrong> {
    let (name, word) = (keys.text("name")?, keys.text("format")?);
    let format = Format::named(&word);
    let format = format.ok_or_else(|| keys.wrong(format!("unknown format {word:?}")))?;
    let raw = match keys.optional_text("name-bytes")? {
        Some(hex) => Some(
            unhex(&hex).ok_or_else(|| keys.wrong("name-bytes: expected pairs of hex digits"))?,
        ),
        None => None,
    };
    let root = keys.optional_number("root")?.unwrap_or(0);
    let root = u32::try_from(root).map_err(|_| keys.wrong("root is too large"))?;
    let bytes = keys.number("bytes")?;
    let digest = keys.optional_text("digest")?.unwrap_or_default();
    let is_hex = digest
        .bytes()
        .all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
    let is_whole = is_hex && [0, 16].contains(&digest.len());
    if !is_whole {
        return Err(keys.wrong("digest: expected 16 hex digits"));
    }
    if name.is_empty() {
        return Err(keys.wrong("name: expected the name of a file"));
    }
    Ok(SnapshotFile {
        name,
        raw,
        root,
        format,
        bytes,
        digest,
    })
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16);
    let pairs = text.as_bytes().chunks(2);
    let bytes = pairs.map(|pair| match pair {
        [high, low] => u8::try_from(digit(high)? * 16 + digit(low)?).ok(),
        _ => None,
    });
    bytes.collect()
}

/// A number of a snapshot, or 0.
fn number(keys: &Keys, number: u64) -> Result<u32, Wrong> {
    let fits = u32::try_from(number)
        .ok()
        .filter(|number| *number <= NUMBER_MAX);
    fits.ok_or_else(|| keys.wrong(format!("the number {number} is above {NUMBER_MAX}")))
}

impl Draft {
    /// The whole snapshot, if it may follow one with the number `before`.
    fn build(self, before: u32) -> Result<Snapshot, Wrong> {
        let Draft {
            mut keys,
            mut snapshot,
        } = self;
        let found = keys.number("number")?;
        snapshot.number = number(&keys, found)?;
        if snapshot.number != before + 1 {
            let message = format!(
                "snapshot {found} follows {before}; numbers follow one another without a gap"
            );
            return Err(keys.wrong(message));
        }
        snapshot.name = keys.text("name")?;
        if let Some(problem) = name::problem(&snapshot.name) {
            return Err(keys.wrong(format!("name {:?}: {problem}", snapshot.name)));
        }
        snapshot.date = keys.optional("date", |value| {
            if let Value::Date(date) = value {
                Ok(date)
            } else {
                Err(value)
            }
        })?;
        snapshot.paths = keys.texts("paths")?;
        snapshot.documents = keys.optional_number("documents")?;
        if let Some(took) = keys.optional_text("took")? {
            let wrong = || {
                keys.wrong(format!(
                    "took: expected numbers of snapshots before this one, got {took:?}"
                ))
            };
            let number = |word: &str| {
                word.parse()
                    .ok()
                    .filter(|number| (1..snapshot.number).contains(number))
            };
            snapshot.took = took
                .split(' ')
                .map(number)
                .collect::<Option<Vec<u32>>>()
                .ok_or_else(wrong)?;
            if !snapshot.took.is_sorted_by(|a, b| a < b) {
                return Err(wrong());
            }
        }
        let dropped = keys.optional("dropped", |value| {
            if let Value::Bool(is) = value {
                Ok(is)
            } else {
                Err(value)
            }
        })?;
        snapshot.dropped = dropped.unwrap_or(false);
        if snapshot.dropped && snapshot.files.is_empty() {
            return match keys.entries.first() {
                Some(entry) => {
                    Err(keys.wrong(format!("{} of a snapshot that was dropped", entry.key)))
                }
                None => Ok(snapshot),
            };
        }
        snapshot.roots = keys.texts("roots")?;
        if !keys.entries.iter().any(|entry| entry.key == "files") {
            return Err(keys.missing("files"));
        }
        if let Some(file) = snapshot
            .files
            .iter()
            .find(|file| file.root as usize >= snapshot.roots.len())
        {
            let message = format!(
                "{:?} has root {}, and there are {}",
                file.name,
                file.root,
                snapshot.roots.len()
            );
            return Err(keys.wrong(message));
        }
        // A list may be cut where nothing else would tell.
        let (told, found) = (
            keys.optional_number("unreadable")?.unwrap_or(0),
            snapshot.rejected.len() as u64,
        );
        if told != found {
            return Err(keys.wrong(format!(
                "unreadable is {told}, and {found} are in the list: it was cut or edited"
            )));
        }
        Ok(snapshot)
    }
}

/// Keys that belong together, each once; they are taken out one by one.
#[derive(Default)]
struct Keys {
    line: usize,
    entries: Vec<Entry>,
}

impl Keys {
    fn add(&mut self, entry: Entry) -> Result<(), Wrong> {
        if self.entries.iter().any(|before| before.key == entry.key) {
            let Entry {
                line, column, key, ..
            } = entry;
            return Err(Wrong {
                line,
                column,
                message: format!("{key} occurs twice"),
            });
        }
        self.entries.push(entry);
        Ok(())
    }

    fn wrong(&self, message: impl Into<String>) -> Wrong {
        Wrong {
            line: self.line,
            column: 1,
            message: message.into(),
        }
    }

    fn missing(&self, key: &str) -> Wrong {
        self.wrong(format!("missing key {key:?}"))
    }

    fn optional<T>(
        &mut self,
        key: &str,
        of: impl Fn(Value) -> Result<T, Value>,
    ) -> Result<Option<T>, Wrong> {
        let Some(at) = self.entries.iter().position(|entry| entry.key == key) else {
            return Ok(None);
        };
        let entry = self.entries.remove(at);
        let Entry {
            line,
            column,
            key,
            value,
        } = entry;
        let refused = |value| {
            wrong_kind(
                &Entry {
                    line,
                    column,
                    key,
                    value,
                },
                "another kind of value",
            )
        };
        of(value).map(Some).map_err(refused)
    }

    fn optional_text(&mut self, key: &str) -> Result<Option<String>, Wrong> {
        self.optional(key, |value| {
            if let Value::Text(text) = value {
                Ok(text)
            } else {
                Err(value)
            }
        })
    }

    fn optional_number(&mut self, key: &str) -> Result<Option<u64>, Wrong> {
        self.optional(key, |value| {
            if let Value::Number(number) = value {
                Ok(number)
            } else {
                Err(value)
            }
        })
    }

    fn text(&mut self, key: &str) -> Result<String, Wrong> {
        self.optional_text(key)?.ok_or_else(|| self.missing(key))
    }

    fn number(&mut self, key: &str) -> Result<u64, Wrong> {
        self.optional_number(key)?.ok_or_else(|| self.missing(key))
    }

    fn texts(&mut self, key: &str) -> Result<Vec<String>, Wrong> {
        let texts = self.optional(key, |value| {
            if let Value::Texts(texts) = value {
                Ok(texts)
            } else {
                Err(value)
            }
        })?;
        texts.ok_or_else(|| self.missing(key))
    }
}

fn wrong_kind(entry: &Entry, expected: &str) -> Wrong {
    let Entry {
        line,
        column,
        key,
        value,
    } = entry;
    Wrong {
        line: *line,
        column: *column,
        message: format!("{key}: expected {expected}, got {}", value.kind()),
    }
}
