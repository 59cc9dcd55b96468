//! The fate of each named source: `[[input.source]]`, and the snapshots of `--against`.
//!
//! *Input.* Removals and the documents of each file. *Output.* A [`SourceOutcome`] for each source,
//! or an error that names one without a document, or the data; notes.
//! *Memory.* A number for each source.

use super::files::{Files, is_of};
use super::request::DedupRequest;
use engine::{Engine, Error};
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

/// The sources of the configuration, and the snapshots that `--against` names.
fn names<'a>(engine: &'a Engine<'_>, against: &'a [String]) -> Vec<&'a str> {
    let sources = engine.config.input.sources.iter();
    let mut names: Vec<&str> = sources.map(|one| one.source.name.as_str()).collect();
    for name in against {
        if !names.contains(&&**name) {
            names.push(name);
        }
    }
    names
}

/// Fails if a source has no document, or the data beside references: nothing would go, as if that
/// were the answer.
pub(super) fn check(
    engine: &Engine<'_>,
    request: &DedupRequest,
    files: &Files,
) -> Result<(), Error> {
    let config = engine.config;
    for name in names(engine, &request.against) {
        if documents(engine, files, name) == 0 {
            return Err(run::empty_source(config, name, Some(engine))?);
        }
    }
    for name in &request.against {
        run::note_unread(engine, name)?;
    }
    let has_references = !request.against.is_empty() || engine.inputs.listing.has_references();
    if has_references && files.others().next().is_none() {
        let is_data = |at| files.is_copied(at);
        return Err(run::empty_data(config, Some(engine), &is_data)?);
    }
    Ok(())
}

/// Notes the sources of which no document has a word, those of `--against` among them.
pub(super) fn note_words(engine: &Engine<'_>, request: &DedupRequest) -> Result<(), Error> {
    run::note_words(engine, names(engine, &request.against), |name, at| {
        is_of(&engine.inputs, name, at)
    })
}

/// Documents of a source or a snapshot.
fn documents(engine: &Engine<'_>, files: &Files, name: &str) -> u64 {
    let of = (0..files.roles.len()).filter(|&at| is_of(&engine.inputs, name, at));
    of.map(|at| files.of(at).len() as u64).sum()
}

impl SourceOutcome {
    /// Counts what goes of each source.
    pub(super) fn of_all(
        task: &RemovalTask<'_>,
        against: &[String],
        removals: &RemovalFile,
        files: &Files,
    ) -> Result<Vec<SourceOutcome>, Error> {
        let (engine, inputs) = (task.engine, &task.engine.inputs);
        let outcome = |name: &str| SourceOutcome {
            name: name.to_owned(),
            documents: documents(engine, files, name),
            removed: 0,
            is_copied: (0..files.roles.len())
                .any(|at| files.is_copied(at) && is_of(inputs, name, at)),
        };
        let names = names(engine, against).into_iter();
        let mut outcomes: Vec<SourceOutcome> = names.map(outcome).collect();
        let mut reader = removals.read()?;
        while outcomes.iter().any(|one| one.is_copied)
            && let Some(removal) = reader.next()?
        {
            let file = files.file_of(removal.doc);
            for one in &mut outcomes {
                one.removed += u64::from(is_of(inputs, &one.name, file));
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
