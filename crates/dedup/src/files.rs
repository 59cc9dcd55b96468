//! Which documents are of which file, and which files are of the source named by `--against`.
//!
//! *Input.* Document rows; the listing. *Output.* [`Files`]. *Algorithm.* Documents are in the
//! order of files: the first one of each file says it all. A file is of a source if the source's
//! paths list it. *Memory.* 5 bytes a file.

use config::Config;
use engine::Engine;
use engine::segments::SegmentFile;
use input::SourceFile;
use intake::inputs::Inputs;
use runtime::Error;
use std::collections::HashSet;
use std::ops::Range;

/// The documents of each file.
pub(super) struct Files {
    /// First document of each file, and one past the last document.
    pub(super) first: Vec<u32>,
    /// Whether a file is of the source that stays as it is.
    pub(super) is_against: Vec<bool>,
}

impl Files {
    /// Looks through the document rows. A truth value for each file says whether it is of the
    /// source that stays as it is.
    pub(super) fn read(engine: &Engine<'_>, is_against: Vec<bool>) -> Result<Files, Error> {
        let count = is_against.len();
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
        Ok(Files { first, is_against })
    }

    /// All documents.
    pub(super) fn documents(&self) -> u32 {
        self.first.last().copied().unwrap_or(0)
    }

    /// The documents of a file.
    pub(super) fn of(&self, file: usize) -> Range<u32> {
        self.first[file]..self.first[file + 1]
    }

    /// Whether a file is of the source that stays as it is, and is not copied.
    pub(super) fn is_against(&self, file: usize) -> bool {
        self.is_against[file]
    }

    /// Documents of the source that stays as it is.
    pub(super) fn against(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.is_against.len())
            .filter(|&file| self.is_against[file])
            .flat_map(|file| self.of(file))
    }

    /// All other documents.
    pub(super) fn others(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.is_against.len())
            .filter(|&file| !self.is_against[file])
            .flat_map(|file| self.of(file))
    }
}

/// Which of the listed files are of a source, by its paths, or of a snapshot; none without a name.
pub(super) fn of_source(
    config: &Config,
    inputs: &Inputs,
    name: Option<&str>,
) -> Result<Vec<bool>, Error> {
    let listed = &inputs.listing.files;
    let Some(name) = name else {
        return Ok(vec![false; listed.len()]);
    };
    let named: Vec<_> = inputs
        .snapshots
        .iter()
        .filter(|snapshot| !snapshot.may_change() && !snapshot.retained_for_revisits)
        .collect();
    if let Some(snapshot) = named.iter().find(|snapshot| snapshot.name == name) {
        return Ok((0..listed.len())
            .map(|at| snapshot.files.contains(&at))
            .collect());
    }
    if !named.is_empty() {
        let known: Vec<&str> = named
            .iter()
            .map(|snapshot| snapshot.name.as_str())
            .collect();
        return Err(Error::Usage(format!(
            "no snapshot {name:?}; known snapshots: {}",
            known.join(", ")
        )));
    }
    let Some(source) = config
        .input
        .sources
        .iter()
        .find(|source| source.name == name)
    else {
        return Err(Error::Usage(unknown(&config.input.sources, name)));
    };
    let own = input::discover(&config.discovery(source.paths.clone()))?;
    // One file may be listed by two paths: it is the same by its inode.
    let key = |file: &SourceFile| (file.inode, file.bytes, file.modified_ns, file.changed_ns);
    let own: HashSet<_> = own.files.iter().map(key).collect();
    Ok(listed.iter().map(|file| own.contains(&key(file))).collect())
}

fn unknown(sources: &[config::SourceConfig], name: &str) -> String {
    let known: Vec<&str> = sources.iter().map(|source| source.name.as_str()).collect();
    let known = match known.as_slice() {
        [] => "the configuration has none; add [[input.source]] with name and paths".to_owned(),
        known => format!("known sources: {}", known.join(", ")),
    };
    format!("no source {name:?}; {known}")
}
