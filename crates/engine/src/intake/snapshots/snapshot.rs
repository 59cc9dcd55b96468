//! A snapshot: what its list of files says, what a run found in it, and what it may not be.

use super::name::{self, NUMBER_MAX};
use input::{Format, RejectedFile};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A snapshot as `snapshots.toml` and its list of files describe it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Snapshot {
    /// From 1, in the order of the list; never used again.
    pub(crate) number: u32,
    /// Never used again.
    pub(crate) name: String,
    /// Microseconds since 1970.
    pub(crate) date: Option<i64>,
    /// The paths that were added; relative ones start at the configuration.
    pub(crate) paths: Vec<String>,
    /// Its list of files on disk; `None` if there is none, or it has other files.
    pub(crate) list: Option<FileListEntry>,
    /// The directories where names of files begin; relative ones start at the configuration.
    pub(crate) roots: Vec<String>,
    /// In input order. A dropped snapshot has files only while revisits need their bodies.
    pub(crate) files: Vec<SnapshotFile>,
    /// The files that were listed and cannot be read, in the order of the listing.
    pub(crate) rejected: Vec<RejectedFile>,
    /// How many documents a run found in it; `None` if no run has read it.
    pub(crate) documents: Option<u64>,
    /// Numbers of the earlier snapshots that hold the bodies of its revisits, ascending; known
    /// once a run has read it.
    pub(crate) revisit_sources: Vec<u32>,
    /// Its documents are no longer part of the corpus.
    pub(crate) dropped: bool,
}

/// The entry of a list of files in `snapshots.toml`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FileListEntry {
    /// Name of the list.
    pub(super) name: String,
    /// Lines of files.
    pub(super) files: u64,
    /// Lines of files that cannot be read.
    pub(super) unreadable: u64,
    /// The size of all files.
    pub(super) bytes: u64,
}

/// A file of a snapshot, as it was when the snapshot was added. One line of a list of files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct SnapshotFile {
    /// As tables show it.
    pub(crate) name: String,
    /// The bytes of its name if they are not UTF-8; in hex on disk.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        serialize_with = "to_hex",
        deserialize_with = "from_hex"
    )]
    pub(crate) name_bytes: Option<Vec<u8>>,
    /// The place of its root in [`Snapshot::roots`].
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) root: u32,
    /// Its format.
    #[serde(serialize_with = "format_name", deserialize_with = "format_named")]
    pub(crate) format: Format,
    /// Its size.
    pub(crate) bytes: u64,
    /// Digest of its bytes, 16 hex digits; empty until a run has read it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) digest: String,
}

impl Snapshot {
    /// Takes its documents out of the corpus and forgets its files. Number and name stay taken.
    pub(super) fn drop_now(&mut self) {
        self.dropped = true;
        self.forget_files();
    }

    /// Forgets its files.
    pub(super) fn forget_files(&mut self) {
        self.revisit_sources = Vec::new();
        self.list = None;
        self.roots = Vec::new();
        self.files = Vec::new();
        self.rejected = Vec::new();
    }

    /// The files that might have pages and cannot be read.
    pub(super) fn unreadable(&self) -> impl Iterator<Item = &RejectedFile> {
        let rejected = self.rejected.iter();
        rejected.filter(|file| file.reason != input::NOT_A_PAGE)
    }

    /// Whether it is dropped, but keeps its files because revisits of later snapshots need them.
    pub(super) fn is_retained_for_revisits(&self) -> bool {
        self.dropped && !self.files.is_empty()
    }

    /// The size of its files.
    pub(super) fn bytes(&self) -> u64 {
        let sizes = self.files.iter().map(|file| file.bytes);
        sizes.fold(0, u64::saturating_add)
    }

    /// Checks the values that ids of documents depend on; its files may not be read yet. `before`
    /// is the number of the snapshot in front of it. An error is the first problem, for a person.
    pub(super) fn check(&self, before: u32) -> Result<(), String> {
        let number = self.number;
        if number > NUMBER_MAX {
            return Err(format!("the number {number} is above {NUMBER_MAX}"));
        }
        if number != before + 1 {
            return Err(format!(
                "snapshot {number} follows {before}; numbers follow one another without a gap"
            ));
        }
        if let Some(problem) = name::problem(&self.name) {
            return Err(format!("name {:?}: {problem}", self.name));
        }
        let sources = &self.revisit_sources;
        if !sources.is_sorted_by(|a, b| a < b) || !sources.iter().all(|n| (1..number).contains(n)) {
            return Err(format!(
                "revisit sources: expected ascending numbers of earlier snapshots, got {sources:?}"
            ));
        }
        if self.dropped && self.list.is_none() && !self.roots.is_empty() {
            return Err("a snapshot that was dropped has roots, but no files".to_owned());
        }
        Ok(())
    }

    /// Adds a file behind those it has.
    pub(super) fn push_file(&mut self, file: SnapshotFile) -> Result<(), String> {
        if file.name.is_empty() {
            return Err("name: expected the name of a file".to_owned());
        }
        let is_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        if !file.digest.bytes().all(is_hex) || ![0, 16].contains(&file.digest.len()) {
            return Err("digest: expected 16 hex digits".to_owned());
        }
        if file.root as usize >= self.roots.len() {
            let (name, root, roots) = (&file.name, file.root, self.roots.len());
            return Err(format!("{name:?} has root {root}, and there are {roots}"));
        }
        let same_name = |other: &&SnapshotFile| other.raw_name() == file.raw_name();
        let mut same_name = self.files.iter().rev().take_while(same_name);
        if same_name.any(|other| other.root == file.root) {
            return Err(format!("the file {:?} occurs twice", file.name));
        }
        let last = self.files.last();
        if last.is_some_and(|last| last.raw_name() > file.raw_name()) {
            return Err("files are not in the order of their names".to_owned());
        }
        self.files.push(file);
        Ok(())
    }
}

impl SnapshotFile {
    /// The bytes of its name in the file system.
    pub(super) fn raw_name(&self) -> &[u8] {
        self.name_bytes.as_deref().unwrap_or(self.name.as_bytes())
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes the field by reference"
)]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes the field by reference"
)]
fn format_name<S: Serializer>(format: &Format, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(format.name())
}

fn format_named<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Format, D::Error> {
    let name = String::deserialize(deserializer)?;
    Format::named(&name).ok_or_else(|| de::Error::custom(format!("unknown format {name:?}")))
}

fn to_hex<S: Serializer>(bytes: &Option<Vec<u8>>, serializer: S) -> Result<S::Ok, S::Error> {
    let bytes = bytes.as_deref().unwrap_or_default();
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    serializer.serialize_str(&hex)
}

fn from_hex<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<u8>>, D::Error> {
    let text = String::deserialize(deserializer)?;
    let digit = |byte: &u8| char::from(*byte).to_digit(16);
    let pair = |pair: &[u8]| match pair {
        [high, low] => u8::try_from(digit(high)? * 16 + digit(low)?).ok(),
        _ => None,
    };
    let bytes: Option<Vec<u8>> = text.as_bytes().chunks(2).map(pair).collect();
    let wrong = || de::Error::custom("name-bytes: expected pairs of hex digits");
    bytes.map(Some).ok_or_else(wrong)
}
