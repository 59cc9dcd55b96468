//! Which documents are of which file, and what a call does with the files: data, references, or the
//! sources named by `--against`.
//!
//! *Input.* Document rows; the listing. *Output.* [`Files`]. *Algorithm.* Documents are in the
//! order of files: the first one of each file says it all. Where some files are of sources and
//! others of none, the sources are references: nothing of them goes, and they are not copied.
//! *Memory.* 5 bytes a file.

use config::Config;
use engine::{
    Engine, Error,
    intake::inputs::{Inputs, LiveSnapshot},
    segments::SegmentFile,
};
use std::ops::Range;

/// The action of a call on a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileRole {
    /// Its documents may go, and it is copied.
    Data,
    /// Its documents stay, and others go in favour of them: it is of a source of `--against`. It
    /// is not copied.
    Against,
    /// Its documents stay, and it is not copied: it is of a reference, or of a dropped snapshot.
    Aside,
}

/// The documents of each file.
pub(super) struct Files {
    /// First document of each file, and one past the last document.
    pub(super) first: Vec<u32>,
    pub(super) roles: Vec<FileRole>,
}

impl Files {
    /// Looks through the document rows.
    pub(super) fn read(engine: &Engine<'_>, roles: Vec<FileRole>) -> Result<Files, Error> {
        let count = roles.len();
        let mut first = Vec::with_capacity(count + 1);
        let mut rows = engine.segments()?.rows(SegmentFile::Documents);
        let mut documents = 0;
        while let Some((doc, row)) = rows.next_document()? {
            while first.len() <= row.file as usize {
                first.push(doc);
            }
            documents = doc + 1;
        }
        first.resize(count + 1, documents);
        Ok(Files { first, roles })
    }

    pub(super) fn documents(&self) -> u32 {
        self.first.last().copied().unwrap_or(0)
    }

    /// The documents of a file.
    pub(super) fn of(&self, file: usize) -> Range<u32> {
        self.first[file]..self.first[file + 1]
    }

    /// Whether a file is copied.
    pub(super) fn is_copied(&self, file: usize) -> bool {
        self.roles[file] == FileRole::Data
    }

    /// Whether a document may go.
    pub(super) fn may_go(&self, doc: u32) -> bool {
        self.is_copied(self.file_of(doc))
    }

    /// The file of a document.
    pub(super) fn file_of(&self, doc: u32) -> usize {
        let after = self.first.partition_point(|first| *first <= doc);
        after.saturating_sub(1)
    }

    /// Whether a document is of a source named by `--against`.
    pub(super) fn is_against(&self, doc: u32) -> bool {
        self.roles[self.file_of(doc)] == FileRole::Against
    }

    /// Documents of the sources named by `--against`.
    pub(super) fn against(&self) -> impl Iterator<Item = u32> + '_ {
        self.of_role(FileRole::Against)
    }

    /// Documents that may go.
    pub(super) fn others(&self) -> impl Iterator<Item = u32> + '_ {
        self.of_role(FileRole::Data)
    }

    fn of_role(&self, role: FileRole) -> impl Iterator<Item = u32> + '_ {
        (0..self.roles.len())
            .filter(move |&file| self.roles[file] == role)
            .flat_map(|file| self.of(file))
    }
}

/// The snapshots that `--against` may name.
fn snapshots(inputs: &Inputs) -> impl Iterator<Item = &LiveSnapshot> {
    let all = inputs.snapshots.iter();
    all.filter(|one| !one.may_change() && !one.retained_for_revisits)
}

/// Whether a listed file is of the source or the snapshot of this name.
pub(super) fn is_of(inputs: &Inputs, name: &str, file: usize) -> bool {
    let mut snapshots = snapshots(inputs);
    let listed = inputs.listing.files.get(file);
    listed.is_some_and(|listed| listed.is_of(name))
        || snapshots.any(|one| one.name == name && one.has(file))
}

/// The action for each listed file, if others go in favour of the sources or snapshots `against`.
pub(super) fn roles(
    config: &Config,
    inputs: &Inputs,
    against: &[String],
) -> Result<Vec<FileRole>, Error> {
    let snapshots: Vec<&str> = snapshots(inputs).map(|one| &*one.name).collect();
    for name in against {
        if !snapshots.is_empty() && !snapshots.contains(&&**name) {
            let known = snapshots.join(", ");
            return Err(Error::Usage(format!(
                "no snapshot {name:?}; known snapshots: {known}"
            )));
        }
        if snapshots.is_empty() && config.input.source(name).is_none() {
            return Err(Error::Usage(unknown(&config.input.sources, name)));
        }
    }
    let listed = &inputs.listing.files;
    let has_references = inputs.listing.has_references();
    let role = |at: usize| match against.iter().any(|name| is_of(inputs, name, at)) {
        true => FileRole::Against,
        // Files of dropped snapshots are not copied.
        false if inputs.is_retained_for_revisits(at) => FileRole::Aside,
        false if has_references && !listed[at].sources.is_empty() => FileRole::Aside,
        false => FileRole::Data,
    };
    Ok((0..listed.len()).map(role).collect())
}

fn unknown(sources: &[config::SourceConfig], name: &str) -> String {
    let known = sources.iter().map(|one| one.source.name.as_str());
    let known: Vec<&str> = known.collect();
    let known = match known.as_slice() {
        [] => "the configuration has none; add [[input.source]] with name and paths".to_owned(),
        known => format!("known sources: {}", known.join(", ")),
    };
    format!("no source {name:?}; {known}")
}
