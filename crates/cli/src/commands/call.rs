//! A call of a verb: its options, how much it says, and where its result goes.

use std::fmt::Display;

use pipeline::Reporter;

use crate::args::ConfigArgs;
use crate::exit::Failure;
use crate::messages;
use crate::stdout::Results;

/// How much a verb says on standard error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Loudness {
    /// Progress, notes, and the details of results.
    Verbose,
    /// Progress and notes.
    Normal,
    /// Errors only.
    Quiet,
}

/// A call of a verb: the options that all verbs have, and standard output.
pub(super) struct Call<'a> {
    pub(super) config: &'a ConfigArgs,
    pub(super) loudness: Loudness,
    pub(super) results: &'a mut Results,
}

impl Call<'_> {
    /// The reporter of progress.
    pub(super) fn reporter(&self) -> Reporter {
        match self.loudness {
            Loudness::Verbose | Loudness::Normal => Reporter::standard(),
            Loudness::Quiet => Reporter::silent(),
        }
    }

    pub(super) fn is_quiet(&self) -> bool {
        self.loudness == Loudness::Quiet
    }

    /// Prints a result: as JSON if asked for, else as people read it.
    pub(super) fn print<T: Display + serde::Serialize>(
        &mut self,
        result: &T,
        as_json: bool,
    ) -> Result<(), Failure> {
        self.results.print(result, as_json)
    }

    /// Notes the first parameter in which the publication differs from the configuration, unless
    /// only errors are said.
    pub(super) fn note_outdated(&self, difference: Option<String>) {
        if let Some(difference) = difference.filter(|_| !self.is_quiet()) {
            messages::note(&format!(
                "the publication has other settings than the configuration: {difference}"
            ));
        }
    }
}
