//! How much a verb says on standard error.

use pipeline::Reporter;

use crate::messages;

/// How much is said while it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Loudness {
    /// Progress, notes, and the details of results.
    Verbose,
    /// Progress and notes.
    Normal,
    /// Errors only.
    Quiet,
}

impl Loudness {
    /// The reporter of progress.
    pub(super) fn reporter(self) -> Reporter {
        match self {
            Loudness::Verbose | Loudness::Normal => Reporter::standard(),
            Loudness::Quiet => Reporter::silent(),
        }
    }
}

/// Notes the first parameter in which the publication differs from the configuration, unless only
/// errors are said.
pub(super) fn note_outdated(difference: Option<String>, loudness: Loudness) {
    if let Some(difference) = difference.filter(|_| loudness != Loudness::Quiet) {
        messages::note(&format!(
            "the publication has other settings than the configuration: {difference}"
        ));
    }
}
