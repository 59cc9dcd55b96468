//! The documents of a segment, on their way from the readers to the results.
//!
//! *Input.* Documents of a reader. *Output.* [`Passed`] documents, held until it is the turn of
//! their segment, or handed on at once. *Memory.* [`HELD_BYTES`] for each thread.

use super::finder::Finder;
use super::found::{Counts, Passed};
use super::results::Results;
use engine::Error;
use format::Disk;
use input::{Document, InputError, Rejection, Sink, SinkError};
use std::fmt;

/// Bytes of results that a thread holds until its turn comes.
const HELD_BYTES: usize = 2 << 20;

/// Receives the documents of a segment.
pub(super) trait TakePassed {
    fn take(&mut self, passed: Passed) -> Result<(), SinkError>;
    fn counts(&mut self) -> &mut Counts;
}

/// Holds the results of a segment.
#[derive(Default)]
pub(super) struct Batch {
    passed: Vec<Passed>,
    counts: Counts,
    bytes: usize,
}

impl Batch {
    /// Hands on all that is held.
    pub(super) fn hand_on(self, results: &mut Results) -> Result<(), Error> {
        results.counts.add(self.counts);
        self.passed
            .into_iter()
            .try_for_each(|passed| results.take(passed))
    }
}

impl TakePassed for Batch {
    fn take(&mut self, passed: Passed) -> Result<(), SinkError> {
        if let (Some(Passed::Clean { file, documents }), Passed::Clean { file: of, .. }) =
            (self.passed.last_mut(), &passed)
            && file == of
        {
            *documents += 1;
            return Ok(());
        }
        self.bytes += match &passed {
            Passed::Clean { .. } => size_of::<Passed>(),
            Passed::Document(document) => document.bytes(),
        };
        self.passed.push(passed);
        match self.bytes > HELD_BYTES {
            true => Err(Box::new(Full)),
            false => Ok(()),
        }
    }

    fn counts(&mut self) -> &mut Counts {
        &mut self.counts
    }
}

/// Hands results on as they come.
pub(super) struct Direct<'a>(pub(super) &'a mut Results);

impl TakePassed for Direct<'_> {
    fn take(&mut self, passed: Passed) -> Result<(), SinkError> {
        Ok(self.0.take(passed)?)
    }

    fn counts(&mut self) -> &mut Counts {
        &mut self.0.counts
    }
}

/// Searches the documents of a file.
pub(super) struct FoundSink<'a, 'f> {
    pub(super) finder: &'a mut Finder<'f>,
    pub(super) disk: &'a Disk,
    pub(super) file: u32,
    pub(super) name: &'a str,
    /// Whether the file is of the references: then it is only counted.
    pub(super) is_reference: bool,
    pub(super) take: &'a mut dyn TakePassed,
}

impl Sink for FoundSink<'_, '_> {
    fn document(&mut self, document: &Document<'_>) -> Result<(), SinkError> {
        let passed = match self.is_reference {
            true => Passed::Clean {
                file: self.file,
                documents: 1,
            },
            false => self.finder.document(self.disk, self.file, document)?,
        };
        self.take.take(passed)
    }

    fn rejected(&mut self, rejection: Rejection) -> Result<(), SinkError> {
        if !self.is_reference {
            self.take.counts().reject(self.name, &rejection);
        }
        Ok(())
    }

    fn skipped(&mut self, _: &str) {
        self.take.counts().skipped += u64::from(!self.is_reference);
    }
}

/// Why a segment was not read to its end.
#[derive(Debug)]
pub(super) enum ReadError {
    /// It has more results than are held.
    Full,
    Failed(Error),
}

impl From<Error> for ReadError {
    fn from(error: Error) -> ReadError {
        ReadError::Failed(error)
    }
}

impl From<ReadError> for Error {
    fn from(error: ReadError) -> Error {
        match error {
            ReadError::Failed(error) => error,
            ReadError::Full => Error::thread_died("decontaminate"),
        }
    }
}

impl From<InputError> for ReadError {
    fn from(error: InputError) -> ReadError {
        match error {
            InputError::Sink(stop) if stop.is::<Full>() => ReadError::Full,
            error => ReadError::Failed(Error::from(error)),
        }
    }
}

/// Stops a reader whose results are too many to be held.
#[derive(Debug)]
struct Full;

impl fmt::Display for Full {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the results are too many to be held")
    }
}

impl std::error::Error for Full {}
