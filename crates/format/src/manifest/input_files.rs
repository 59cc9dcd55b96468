//! The input files of a manifest, in a file of their own.
//!
//! There may be millions of them, and the manifest is replaced whenever a phase begins or ends. So
//! they are written only when they change: the name of the file is the digest of its bytes. Each
//! is an array, without the names of its fields, in two thirds of the bytes of an object.

use crate::{AtomicFile, Disk, FormatError, json_page};
use model::FileStat;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::io::{self, BufWriter, Write};
use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::sync::OnceLock;
use twox_hash::XxHash3_128;

/// Bytes hashed or written at once: the serializer hands over a few bytes at a time.
const BUFFER_BYTES: usize = 16 << 10;

/// First part of the names of these files.
const STEM: &str = "inputs-";
const EXTENSION: &str = ".json";

/// A file of the user, as it was when it was read.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InputFile {
    /// Path relative to its root.
    pub name: String,
    /// The format it was read as; with `of NAME` if a source has keys of its own.
    pub format: String,
    /// Its size, times and inode; devices are not kept.
    #[serde(deserialize_with = "read_stat")]
    pub stat: FileStat,
    /// Digest of its bytes, in hex; empty until it was read to the end.
    pub digest: String,
    /// Whether it is of a source.
    pub is_of_source: bool,
}

/// A file of the user that was opened and has no format this program reads.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RefusedInput {
    /// Path relative to its root.
    pub name: String,
    /// As in [`InputFile`].
    #[serde(deserialize_with = "read_stat")]
    pub stat: FileStat,
    /// Why, in a word.
    pub reason: String,
    /// A detail for a person.
    pub detail: String,
}

/// Size, times and inode: what is written of a [`FileStat`].
type StatNumbers = (u64, i128, i128, u64);

fn stat_numbers(stat: FileStat) -> StatNumbers {
    (stat.bytes, stat.modified_ns, stat.changed_ns, stat.inode)
}

fn read_stat<'de, D: Deserializer<'de>>(deserializer: D) -> Result<FileStat, D::Error> {
    let (bytes, modified_ns, changed_ns, inode) = StatNumbers::deserialize(deserializer)?;
    Ok(FileStat {
        bytes,
        modified_ns,
        changed_ns,
        inode,
        device: 0,
    })
}

impl Serialize for InputFile {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (stat, is_of_source) = (stat_numbers(self.stat), self.is_of_source);
        (&self.name, &self.format, stat, &self.digest, is_of_source).serialize(serializer)
    }
}

impl Serialize for RefusedInput {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let stat = stat_numbers(self.stat);
        (&self.name, stat, &self.reason, &self.detail).serialize(serializer)
    }
}

/// The files of the user, in document order. To take it as mutable forgets the name of its file,
/// which is the digest of its bytes: a phase stores the manifest several times, and there may be
/// millions of files.
#[derive(Clone, Debug, Default)]
pub struct InputFiles {
    read: Vec<InputFile>,
    refused: Vec<RefusedInput>,
    name: OnceLock<String>,
}

impl InputFiles {
    /// The files that were looked into and are not read: they are not looked into again while they
    /// stay as they are.
    pub fn refused(&self) -> &[RefusedInput] {
        &self.refused
    }

    /// Replaces those that are read, if they are others: the same ones keep their file.
    pub fn replace(&mut self, read: Vec<InputFile>) {
        if self.read != read {
            self.read = read;
            self.name.take();
        }
    }

    /// Replaces those that are not read; whether they are others.
    pub fn refuse(&mut self, refused: Vec<RefusedInput>) -> bool {
        let is_new = self.refused != refused;
        if is_new {
            self.refused = refused;
            self.name.take();
        }
        is_new
    }

    /// Writes the files into the work directory unless they are there. Gives their name, none if
    /// there is nothing to write.
    pub(super) fn store(&self, disk: &Disk, work: &Path) -> Result<String, FormatError> {
        let is_there = |name: &String| name.is_empty() || disk.size(&work.join(name)).is_some();
        if let Some(name) = self.name.get().filter(|name| is_there(name)) {
            return Ok(name.clone());
        }
        let mut name = String::new();
        if !self.read.is_empty() || !self.refused.is_empty() {
            // The bytes tell its name, so it gets the name when they are written.
            let new = work.join(format!("{STEM}new{EXTENSION}"));
            let (mut file, mut digest) = (AtomicFile::create(disk, &new)?, XxHash3_128::new());
            let out = Digested(&mut file, &mut digest);
            let mut buffered = BufWriter::with_capacity(BUFFER_BYTES, out);
            let written = serde_json::to_writer(&mut buffered, &(&self.read, &self.refused))
                .map_err(io::Error::from)
                .and_then(|()| buffered.flush());
            drop(buffered);
            // Within an error of a writer is that of the disk: a signal, no space, a limit.
            written.map_err(|error| {
                let other = |source| FormatError::io("write", work, 0, source);
                error.downcast().unwrap_or_else(other)
            })?;
            name = format!("{STEM}{:032x}{EXTENSION}", digest.finish_128());
            file.rename(work.join(&name));
            file.commit((self.read.len() + self.refused.len()) as u64)?;
            // Before a manifest names it.
            disk.sync_dir(work)?;
        }
        // Another name was that of a file in another form, which is in another directory.
        let _ = self.name.set(name.clone());
        Ok(name)
    }
}

/// A file, and the digest of the bytes that are written to it.
struct Digested<'a>(&'a mut AtomicFile, &'a mut XxHash3_128);

impl Write for Digested<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.0.write(bytes)?;
        self.1.write(&bytes[..written]);
        Ok(written)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Deref for InputFiles {
    type Target = Vec<InputFile>;

    fn deref(&self) -> &Vec<InputFile> {
        &self.read
    }
}

impl DerefMut for InputFiles {
    fn deref_mut(&mut self) -> &mut Vec<InputFile> {
        self.name.take();
        &mut self.read
    }
}

impl PartialEq for InputFiles {
    fn eq(&self, other: &InputFiles) -> bool {
        self.read == other.read && self.refused == other.refused
    }
}

impl Eq for InputFiles {}

/// Reads the files of this name; `None` if there are none: then the manifest that names them may
/// have been replaced meanwhile.
pub(super) fn load(
    disk: &Disk,
    work: &Path,
    name: &str,
) -> Result<Option<InputFiles>, FormatError> {
    if name.is_empty() {
        return Ok(Some(InputFiles::default()));
    }
    let path = work.join(name);
    let digest = name
        .strip_prefix(STEM)
        .and_then(|rest| rest.strip_suffix(EXTENSION));
    let digest = digest.filter(|digest| digest.bytes().all(|byte| byte.is_ascii_hexdigit()));
    let invalid = "the name of the list of input files is invalid";
    let digest = digest.ok_or_else(|| FormatError::damaged(work, 0, invalid))?;
    let Some(text) = disk.read_text(&path)? else {
        return Ok(None);
    };
    if json_page::digest(&text, "") != digest {
        let what = "its digest does not match its content";
        return Err(FormatError::damaged(&path, 0, what));
    }
    let (read, refused) =
        serde_json::from_str(&text).map_err(|e| FormatError::damaged(&path, 0, e.to_string()))?;
    Ok(Some(InputFiles {
        read,
        refused,
        name: OnceLock::from(name.to_owned()),
    }))
}

/// Removes the files that no manifest names any more, and leftovers of a killed run.
pub(super) fn clear(disk: &Disk, work: &Path, name: &str) -> Result<(), FormatError> {
    let is_old = |path: &Path| {
        path.file_name()
            .and_then(|other| other.to_str())
            .is_some_and(|other| other.starts_with(STEM) && other != name)
    };
    disk.list(work)?
        .into_iter()
        .filter(|path| is_old(path))
        .try_for_each(|path| disk.remove(&path))
}
