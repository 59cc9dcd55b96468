//! What a snapshot may be called: its name is that of a file in every publication, `documents/NAME.parquet`.

use super::DEFAULT;
use output::is_harmful;

/// With `.parquet.part` a name has to fit the 255 bytes of a file name.
const NAME_BYTES_MAX: usize = 200;

/// What is wrong with a name; `None` if nothing is.
pub(super) fn problem(name: &str) -> Option<&'static str> {
    Some(match name {
        "" => "it is empty",
        DEFAULT => "that is what a corpus without snapshots is called",
        _ if name.starts_with('.') => "it begins with a dot",
        _ if name.starts_with('-') => "it begins with a hyphen",
        _ if name.len() > NAME_BYTES_MAX => "it has more than 200 bytes",
        _ if name.contains('/') => "it has a slash in it; it becomes the name of a file",
        _ if name.chars().any(is_harmful) => "it has control or direction characters in it",
        _ if name.trim() != name => "it begins or ends with a blank",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_names_of_files() {
        for name in ["2026-01-31", "a b", "nightly_7", "日本", "x.parquet", "Default", &"n".repeat(200)] {
            assert_eq!(problem(name), None, "{name}");
        }
        for name in
            ["", "default", ".", "..", ".a", "-a", "a/b", "a\nb", "a\0", "a\u{202e}b", " a", "a ", &"n".repeat(201)]
        {
            assert!(problem(name).is_some(), "{name}");
        }
    }
}
