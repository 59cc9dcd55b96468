//! Reasons why the work of an earlier run is not continued.
//!
//! Files that are damaged, missing or another program's are no reason not to make the next
//! publication: all is found anew. An error of the system ends the run: the files may be sound, and
//! what only they have would be lost.

use crate::PHASE;
use engine::Error;
use format::{FormatError, is_transient};
use output::OutputError;

/// Why the earlier files are not used.
pub(crate) enum ReuseError {
    /// They cannot be used, for this reason.
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
