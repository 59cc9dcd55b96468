//! Reads a document of the publication again, from the place in the input where the run found it.
//!
//! *Input.* Its row in the index, and its file as it is now. *Output.* The document, and whether it
//! changed since the run. *Algorithm.* Size and time tell whether the file changed; the fingerprint
//! of the body tells whether the document changed. A WARC `revisit` has no body, so the body of an
//! equal document is read. *Memory.* The document. *Limits.* A document that has moved within its
//! file is not found.

use crate::index::Index;
use config::Config;
use engine::{Error, runtime::messages::restore_or_drop, segments::place_of};
use exact::identity::identity;
use input::{Document, FormatChoice, InputError, PlaceContent, SourceFile};
use model::Class;
use sketch::PlacedText;
use std::io;
use std::sync::Arc;

/// Whether a document changed since the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChangeSinceRun {
    /// Nothing changed.
    Nothing,
    /// Its file has another size or time; the document is the same.
    File,
    /// The document is another one.
    Document,
}

/// The text of a document of the publication with its tokens, or the reason why it is not there any
/// more.
pub(crate) fn text_again(
    index: &Index,
    config: &Config,
    doc: u32,
) -> Result<Result<PlacedText, String>, Error> {
    if let Some(line) = other_sketches(index, config) {
        let why = format!("the publication was made with other parameters (not {line:?})");
        return Ok(Err(why));
    }
    let name = format!("document {}", index.public_id(doc));
    let (params, mut found) = (config.sketch.params(), None);
    let reader = InputReader {
        index,
        config,
        name: &name,
    };
    let read = reader.read(doc, &mut |document, since| {
        let is_same = since != ChangeSinceRun::Document;
        found = is_same.then(|| PlacedText::new(&params, document.content));
    });
    match read {
        Ok(()) => Ok(found.ok_or_else(|| format!("{name} changed since the run; run again"))),
        Err(error @ (Error::NotFound(_) | Error::InputChanged(_) | Error::Input(_))) => {
            Ok(Err(error.to_string()))
        }
        Err(error) => Err(error),
    }
}

/// The first parameter of the sketches of a configuration that the publication does not have.
pub(crate) fn other_sketches(index: &Index, config: &Config) -> Option<String> {
    let made: Vec<&str> = index.parameters().lines().collect();
    let now = config.sketch_parameters();
    let other = now.lines().find(|line| !made.contains(line));
    other.map(str::to_owned)
}

/// Reads documents of a publication again.
pub(crate) struct InputReader<'a> {
    pub(crate) index: &'a Index,
    pub(crate) config: &'a Config,
    /// The name of the document in messages.
    pub(crate) name: &'a str,
}

impl InputReader<'_> {
    /// Hands a document to `f`, once.
    pub(crate) fn read(
        &self,
        doc: u32,
        f: &mut dyn FnMut(&Document<'_>, ChangeSinceRun),
    ) -> Result<(), Error> {
        if self.read_at_place_of(doc, doc, f)? != PlaceContent::Revisit {
            return Ok(());
        }
        let index = self.index;
        let class = index.class(doc)?;
        let (identical, representative) = (class.lowest[0], class.representative());
        let members = index.class_documents(representative)?;
        let others = members.iter().map(|record| record.map(|record| record.doc));
        for other in std::iter::once(Ok(representative)).chain(others) {
            let other = other?;
            if other != doc
                && identical != Class::NONE
                && index.class(other)?.lowest[0] == identical
                && self.read_at_place_of(other, doc, f)? == PlaceContent::Document
            {
                return Ok(());
            }
        }
        Err(self.failed("it is a revisit, and the snapshot with its text was dropped"))
    }

    fn failed(&self, why: &str) -> Error {
        Error::NotFound(format!("failed to read {} again: {why}", self.name))
    }

    fn changed(&self, why: &str) -> Error {
        Error::InputChanged(format!("failed to read {} again: {why}", self.name))
    }

    /// Why the file is not found again: a file that is gone, or is no file any more, changed since
    /// the run.
    fn not_found(&self, doc: u32, error: &InputError) -> Error {
        use io::ErrorKind::{InvalidInput, IsADirectory, NotADirectory, NotFound};
        // Anything but a regular file is invalid input.
        let gone = [NotFound, NotADirectory, IsADirectory, InvalidInput];
        match error {
            InputError::Io { source, .. } if gone.contains(&source.kind()) => {
                let advice = self.advice(doc, "put it back, or run again");
                self.changed(&format!("{error}; {advice}"))
            }
            error => self.failed(&error.to_string()),
        }
    }

    /// Advice about the file of a document, which is no longer what it was: a run does not read
    /// files of a snapshot again.
    fn advice(&self, doc: u32, of_other_files: &str) -> String {
        let snapshot = self.index.snapshot_of(doc).filter(|one| one.number > 0);
        snapshot.map_or_else(
            || of_other_files.to_owned(),
            |snapshot| restore_or_drop(&snapshot.name),
        )
    }

    /// Hands on the document at the place of `doc`, if there is one. It is compared with
    /// `expected`.
    fn read_at_place_of(
        &self,
        doc: u32,
        expected: u32,
        f: &mut dyn FnMut(&Document<'_>, ChangeSinceRun),
    ) -> Result<PlaceContent, Error> {
        let (index, config) = (self.index, self.config);
        let (file, place) = index.document(doc, |row| (row.file, place_of(row)))?;
        let source = index.source(file)?;
        let known = source
            .file(&config.base)
            .ok_or_else(|| self.failed(&format!("{} has an unknown format", source.name)))?;
        let found = input::discover_file(&known.path, FormatChoice::Only(known.format));
        let now = found.map_err(|error| self.not_found(doc, &error))?;
        let path = known.path.display();
        let now = now.map_err(|why| {
            self.changed(&format!(
                "{path} changed since the run: {} {}; {}",
                why.reason,
                why.detail,
                self.advice(doc, "put it back, or run again")
            ))
        })?;
        let file_change = if (now.stat.bytes, now.stat.modified_ns)
            == (known.stat.bytes, known.stat.modified_ns)
        {
            ChangeSinceRun::Nothing
        } else {
            ChangeSinceRun::File
        };
        let identity_of_run = index.mark(expected)?.identity;
        let seed = config.sketch.keys.content_seed();
        let of_source = config.input.source(&source.source);
        let file = SourceFile {
            name: known.name.clone(),
            sources: of_source
                .map(|one| Arc::clone(&one.source))
                .into_iter()
                .collect(),
            ..now
        };
        let options = config.input.read_options();
        let read = input::read_document_at(&file, &place, &options, &mut |document| {
            let is_same = identity(document, seed) == identity_of_run;
            f(
                document,
                if is_same {
                    file_change
                } else {
                    ChangeSinceRun::Document
                },
            );
        });
        match read.map_err(Error::Input)? {
            PlaceContent::Nothing => Err(match file_change {
                ChangeSinceRun::Nothing => self.failed(&format!(
                    "{path} has no document at its place by this configuration; ask with the [input] of the run, or run again"
                )),
                _ => self.changed(&format!(
                    "{path} changed since the run, and no document begins at its place; {}",
                    self.advice(doc, "run again")
                )),
            }),
            found => Ok(found),
        }
    }
}
