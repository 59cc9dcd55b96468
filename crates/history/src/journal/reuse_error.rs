//! Reasons why an earlier journal is not continued.
//!
//! A publication that is damaged, missing or another program's is no reason not to make the next
//! one: the journal starts again. An error of the system ends the run: the publication may be
//! sound, and its journal would be lost.

use format::{FormatError, is_transient};
use output::OutputError;
use publication::PHASE;
use runtime::Error;

/// Why the earlier publication is not used.
pub(super) enum ReuseError {
    /// It cannot be used, for this reason: the journal starts from scratch.
    Unusable(String),
    /// The run ends with this error.
    Fatal(Error),
}

impl From<FormatError> for ReuseError {
    fn from(source: FormatError) -> ReuseError {
        if source.is_system_failure() {
            ReuseError::Fatal(Error::from_format(Some(PHASE), source))
        } else {
            ReuseError::Unusable(source.to_string())
        }
    }
}

impl From<OutputError> for ReuseError {
    fn from(error: OutputError) -> ReuseError {
        match error {
            OutputError::Io { ref source, .. } if is_transient(source) => {
                ReuseError::Fatal(Error::Output(error))
            }
            error => ReuseError::Unusable(error.to_string()),
        }
    }
}
