//! Reasons why an earlier journal is not continued.

use format::FormatError;
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
        match source {
            FormatError::Interrupted => ReuseError::Fatal(Error::from_format(Some(PHASE), source)),
            source => ReuseError::Unusable(source.to_string()),
        }
    }
}

impl From<OutputError> for ReuseError {
    fn from(source: OutputError) -> ReuseError {
        ReuseError::Unusable(source.to_string())
    }
}
