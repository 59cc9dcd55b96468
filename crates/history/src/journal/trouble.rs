//! Reasons why an earlier journal is not continued.
//!
//! A publication that is damaged, missing or another program's is no reason not to make the next
//! one: the journal begins anew. An error of the system ends the run: the publication may be sound,
//! and its journal would be lost.

use format::{FormatError, fails_for_now};
use output::OutputError;
use publication::PHASE;
use runtime::Error;

/// Why the earlier publication is not used.
pub(super) enum Trouble {
    /// It cannot be used, for this reason: the journal starts from scratch.
    Anew(String),
    /// The run ends with this error.
    Ends(Error),
}

impl From<FormatError> for Trouble {
    fn from(source: FormatError) -> Trouble {
        if source.is_of_the_system() {
            Trouble::Ends(Error::from_format(Some(PHASE), source))
        } else {
            Trouble::Anew(source.to_string())
        }
    }
}

impl From<OutputError> for Trouble {
    fn from(error: OutputError) -> Trouble {
        match error {
            OutputError::Io { ref source, .. } if fails_for_now(source) => {
                Trouble::Ends(Error::Output(error))
            }
            error => Trouble::Anew(error.to_string()),
        }
    }
}
