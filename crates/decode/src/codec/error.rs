//! Why decoding stopped.

use crate::document::Refusal;
use crate::error::InputError;

/// Why decoding stopped.
#[derive(Debug)]
pub enum DecodeError {
    /// The file cannot be read.
    Input(InputError),
    /// The bytes are not what they should be. [`super::Decompressor::recover`] goes on.
    Damaged {
        /// `bad-gzip`, `bad-zstd`, `bad-dictionary`, `truncated`, `expands-too-far`, or `damaged`
        /// where no entry begins at all.
        reason: &'static str,
        /// The exact problem, for a person.
        detail: String,
    },
}

impl DecodeError {
    /// The damage: a stable word, and a detail for a person. An error of the file stays one.
    pub fn damage(self) -> Result<Refusal, InputError> {
        match self {
            DecodeError::Input(error) => Err(error),
            DecodeError::Damaged { reason, detail } => Ok((reason, detail)),
        }
    }
}

impl From<InputError> for DecodeError {
    fn from(error: InputError) -> Self {
        DecodeError::Input(error)
    }
}

/// A damaged entry.
pub(super) fn damaged(reason: &'static str, detail: impl Into<String>) -> DecodeError {
    DecodeError::Damaged {
        reason,
        detail: detail.into(),
    }
}
