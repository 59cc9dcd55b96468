//! Which documents are of which file, and what a call does with the files: data, references, or the
//! source named by `--against`.
//!
//! *Input.* Document rows; the listing. *Output.* [`Files`]. *Algorithm.* Documents are in the
//! order of files: the first one of each file says it all. Where some files are of sources and
//! others of none, the sources are references: nothing of them goes, and they are not copied.
//! *Memory.* 5 bytes a file.

use config::Config;
use engine::{Engine, Error, intake::inputs::Inputs, segments::SegmentFile};
use std::ops::Range;

/// The action of a call on a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileRole {
    /// Its documents may go, and it is copied.
    Data,
    /// Its documents stay, and others go in favour of them: it is of the source of `--against`. It
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

    /// Whether a document is of the source named by `--against`.
    pub(super) fn is_against(&self, doc: u32) -> bool {
        self.roles[self.file_of(doc)] == FileRole::Against
    }

    /// Documents of the source named by `--against`.
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

/// The action for each listed file, if others go in favour of the source or snapshot `against`.
pub(super) fn roles(
    config: &Config,
    inputs: &Inputs,
    against: Option<&str>,
) -> Result<Vec<FileRole>, Error> {
    let listed = &inputs.listing.files;
    let named: Vec<_> = inputs
        .snapshots
        .iter()
        .filter(|snapshot| !snapshot.may_change() && !snapshot.retained_for_revisits)
        .collect();
    let mut of_against: Box<dyn Fn(usize) -> bool> = Box::new(|_| false);
    if let Some(name) = against {
        let snapshot = named.iter().find(|snapshot| snapshot.name == name);
        if let Some(snapshot) = snapshot {
            let files = snapshot.files.clone();
            of_against = Box::new(move |at| files.contains(&at));
        } else if !named.is_empty() {
            let names: Vec<&str> = named.iter().map(|one| one.name.as_str()).collect();
            let known = names.join(", ");
            return Err(Error::Usage(format!(
                "no snapshot {name:?}; known snapshots: {known}"
            )));
        } else if config.input.source(name).is_some() {
            of_against = Box::new(move |at| listed[at].is_of(name));
        } else {
            return Err(Error::Usage(unknown(&config.input.sources, name)));
        }
    }
    let has_references = inputs.listing.has_references();
    let role = |at: usize| match of_against(at) {
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
