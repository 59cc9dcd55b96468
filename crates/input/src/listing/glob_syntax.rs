//! The characters that make an entry of `paths` a glob, and the error of a bad one.

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
