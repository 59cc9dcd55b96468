//! Reasons why an earlier journal is not continued.

use format::FormatError;
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
        match source {
            FormatError::Interrupted => Trouble::Ends(Error::from_format(Some(PHASE), source)),
            source => Trouble::Anew(source.to_string()),
        }
    }
}

impl From<OutputError> for Trouble {
    fn from(source: OutputError) -> Trouble {
        Trouble::Anew(source.to_string())
    }
}
