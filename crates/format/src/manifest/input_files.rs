//! The input files of a manifest, in a file of their own.
//!
//! There may be millions of them, and the manifest is replaced whenever a phase begins or ends. So
//! they are written only when they change: the name of the file is the digest of its bytes.

use super::json::{BUFFER_BYTES, Digest, of_disk};
use crate::{AtomicFile, Disk, FormatError};
use serde::{Deserialize, Serialize};
use std::io::{self, BufWriter, Write};
use std::path::Path;
use twox_hash::XxHash3_128;

/// First part of the names of these files.
const STEM: &str = "inputs-";
const EXTENSION: &str = ".json";

/// A file of the user, as it was when it was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InputFile {
    /// Path relative to its root.
    pub name: String,
    /// The format it was read as.
    pub format: String,
    /// Size in bytes.
    pub bytes: u64,
    /// Modification time in nanoseconds since 1970, as text (JSON numbers are too short for it).
    pub modified_ns: String,
    /// Time of the last change of content, rights or names (ctime), in the same way.
    pub changed_ns: String,
    /// Inode number.
    pub inode: u64,
    /// Digest of its bytes, in hex; empty until it was read to the end.
    pub digest: String,
}

/// A file of the user that was opened and has no format this program reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RefusedInput {
    /// Path relative to its root.
    pub name: String,
    /// Size in bytes.
    pub bytes: u64,
    /// As in [`InputFile`].
    pub modified_ns: String,
    /// As in [`InputFile`].
    pub changed_ns: String,
    /// Inode number.
    pub inode: u64,
    /// Why, in a word.
    pub reason: String,
    /// A detail for a person.
    pub detail: String,
}

/// Those that are read, and those that cannot be.
type Files<'a> = (&'a [InputFile], &'a [RefusedInput]);
type Owned = (Vec<InputFile>, Vec<RefusedInput>);

/// Writes the files into the work directory unless they are there; gives the name, none if there is
/// nothing to write.
pub(super) fn store(disk: &Disk, work: &Path, files: Files<'_>) -> Result<String, FormatError> {
    if files.0.is_empty() && files.1.is_empty() {
        return Ok(String::new());
    }
    let mut digest = Digest(XxHash3_128::new());
    write_json(&mut digest, work, files)?;
    let name = format!("{STEM}{:032x}{EXTENSION}", digest.0.finish_128());
    let path = work.join(&name);
    if disk.size(&path).is_none() {
        let mut file = AtomicFile::create(disk, &path)?;
        write_json(&mut file, work, files)?;
        file.commit((files.0.len() + files.1.len()) as u64)?;
        // Before a manifest names it.
        disk.sync_dir(work)?;
    }
    Ok(name)
}

fn write_json(out: &mut impl Write, work: &Path, files: Files<'_>) -> Result<(), FormatError> {
    let mut buffered = BufWriter::with_capacity(BUFFER_BYTES, out);
    let written = serde_json::to_writer(&mut buffered, &files).map_err(io::Error::from);
    written
        .and_then(|()| buffered.flush())
        .map_err(|error| of_disk(error, work))
}

/// Reads the files of this name; `None` if there are none: then the manifest that names them may
/// have been replaced meanwhile.
pub(super) fn load(disk: &Disk, work: &Path, name: &str) -> Result<Option<Owned>, FormatError> {
    if name.is_empty() {
        return Ok(Some(Owned::default()));
    }
    let path = work.join(name);
    let digest = name
        .strip_prefix(STEM)
        .and_then(|rest| rest.strip_suffix(EXTENSION));
    let digest = digest.filter(|digest| digest.bytes().all(|byte| byte.is_ascii_hexdigit()));
    let digest = digest.ok_or_else(|| {
        FormatError::damaged(work, 0, "the name of the list of input files is invalid")
    })?;
    let Some(text) = disk.read_text(&path)? else {
        return Ok(None);
    };
    if format!("{:032x}", XxHash3_128::oneshot(text.as_bytes())) != digest {
        return Err(FormatError::damaged(
            &path,
            0,
            "its digest does not match its content",
        ));
    }
    serde_json::from_str(&text)
        .map(Some)
        .map_err(|e| FormatError::damaged(&path, 0, e.to_string()))
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
