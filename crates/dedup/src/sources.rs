//! The fate of each named source: `[[input.source]]`, and the snapshot of `--against`.
//!
//! *Input.* Removals and the documents of each file. *Output.* A [`SourceOutcome`] for each source,
//! or an error that names one without a document, or the data; notes.
//! *Memory.* A number for each source.

use super::files::{FileRole, Files};
use super::request::DedupRequest;
use engine::{Engine, Error};
use input::SourceFile;
use publication::removals::removal::RemovalFile;
use publication::removals::task::RemovalTask;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The fate of a source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceOutcome {
    /// Its name.
    pub name: String,
    /// Its documents.
    pub documents: u64,
    /// The documents that are removed. None goes of a reference and of the source of `--against`.
    pub removed: u64,
    /// Whether its files are copied.
    pub is_copied: bool,
}

/// Fails if a source has no document, or the data beside references: nothing would go, as if that
/// were the answer.
pub(super) fn check(
    engine: &Engine<'_>,
    request: &DedupRequest,
    files: &Files,
) -> Result<(), Error> {
    let config = engine.config;
    for source in config.input.sources.iter().map(|one| &one.source) {
        if documents(engine, files, |file| file.is_of(&source.name)) == 0 {
            return Err(run::empty_source(config, &source.name, Some(engine))?);
        }
    }
    let against = request.against.as_ref();
    if let Some(name) = against.filter(|_| files.against().next().is_none()) {
        return Err(run::empty_source(config, name, Some(engine))?);
    }
    let has_references = against.is_some() || engine.inputs.listing.has_references();
    if has_references && files.others().next().is_none() {
        let is_data = |at| files.is_copied(at);
        return Err(run::empty_data(config, Some(engine), &is_data)?);
    }
    Ok(())
}

/// Notes the sources of which no document has a word, that of `--against` among them.
pub(super) fn note_words(
    engine: &Engine<'_>,
    request: &DedupRequest,
    files: &Files,
) -> Result<(), Error> {
    let sources = engine.config.input.sources.iter();
    let mut names: Vec<&str> = sources.map(|one| one.source.name.as_str()).collect();
    let against = request.against.as_deref();
    names.extend(against.filter(|name| !names.contains(name)));
    let listed = &engine.inputs.listing.files;
    run::note_words(engine, names, |name, at| {
        let is_of = listed.get(at).is_some_and(|file| file.is_of(name));
        is_of || (against == Some(name) && files.roles[at] == FileRole::Against)
    })
}

/// Documents of the files that are wanted.
fn documents(engine: &Engine<'_>, files: &Files, wanted: impl Fn(&SourceFile) -> bool) -> u64 {
    let listed = engine.inputs.listing.files.iter().enumerate();
    let of = listed.filter(|(_, file)| wanted(file));
    of.map(|(at, _)| files.of(at).len() as u64).sum()
}

impl SourceOutcome {
    /// Counts what goes of each source.
    pub(super) fn of_all(
        task: &RemovalTask<'_>,
        against: Option<&str>,
        removals: &RemovalFile,
        files: &Files,
    ) -> Result<Vec<SourceOutcome>, Error> {
        let engine = task.engine;
        let listed = &engine.inputs.listing.files;
        let sources = engine.config.input.sources.iter().map(|one| &one.source);
        let mut outcomes: Vec<SourceOutcome> = sources
            .map(|source| SourceOutcome {
                name: source.name.clone(),
                documents: documents(engine, files, |file| file.is_of(&source.name)),
                removed: 0,
                is_copied: (0..listed.len())
                    .any(|at| listed[at].is_of(&source.name) && files.is_copied(at)),
            })
            .collect();
        if let Some(name) = against.filter(|_| outcomes.is_empty()) {
            outcomes.push(SourceOutcome {
                name: name.to_owned(),
                documents: files.against().count() as u64,
                removed: 0,
                is_copied: false,
            });
        }
        let mut reader = removals.read()?;
        while outcomes.iter().any(|one| one.is_copied)
            && let Some(removal) = reader.next()?
        {
            let file = listed.get(files.file_of(removal.doc));
            for one in &mut outcomes {
                one.removed += u64::from(file.is_some_and(|file| file.is_of(&one.name)));
            }
        }
        Ok(outcomes)
    }
}

impl fmt::Display for SourceOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fate = match self.is_copied {
            true => format!("removed: {}", self.removed),
            false => "a reference: it stays as it is and is not copied".to_owned(),
        };
        write!(
            f,
            "of them   {:>12}  in {}, {fate}",
            self.documents, self.name
        )
    }
}
