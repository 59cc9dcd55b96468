//! What makes an entry of `paths` a glob, and how a bad one is told.

use decode::error::InputError;

/// Whether a character has a meaning in globs.
pub(super) fn is_special(c: char) -> bool {
    matches!(c, '*' | '?' | '[' | '{' | '\\')
}

pub(super) fn bad(pattern: &str, reason: &str) -> InputError {
    InputError::BadPattern {
        pattern: pattern.to_owned(),
        reason: reason.to_owned(),
    }
}
