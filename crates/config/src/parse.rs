//! The file, its text, its TOML: from a path to the raw types.
//!
//! *Input.* A regular file of at most 1 MiB, UTF-8, with or without a byte order mark. *Output.*
//! [`RawFile`], and the problems met so far. *Limits.* A text that is no TOML has one problem, the
//! first: what comes after it is guesswork.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use toml::de::DeTable;

use super::problem::{ConfigErrors, Problem, Problems, position};
use super::raw::RawFile;
use super::read::read_table;

/// Larger files are no configuration.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// The text of the configuration file, without a byte order mark.
///
/// # Errors
/// The file is missing, not regular, unreadable, too large, or not UTF-8.
pub(super) fn read_text(path: &Path) -> Result<String, ConfigErrors> {
    let refuse = |message: String| ConfigErrors::of_file(path, message);
    let advice = "; write one with `pipeline init`, or name it with --config";
    let metadata = fs::metadata(path).map_err(|error| {
        let advice = if error.kind() == std::io::ErrorKind::NotFound {
            advice
        } else {
            ""
        };
        refuse(format!("failed to open the configuration: {error}{advice}"))
    })?;
    if metadata.is_dir() {
        return Err(refuse(
            "expected a configuration file, got a directory; name the file in it".to_owned(),
        ));
    }
    if !metadata.is_file() {
        return Err(refuse(
            "expected a configuration file, got a pipe or a device; save it as a file".to_owned(),
        ));
    }
    let mut bytes = Vec::new();
    let read =
        File::open(path).and_then(|file| file.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes));
    read.map_err(|error| refuse(format!("failed to read the configuration: {error}")))?;
    if bytes.len() as u64 > FILE_BYTES_MAX {
        return Err(refuse(
            "expected a configuration of at most 1 MiB; is this the right file?".to_owned(),
        ));
    }
    decode(bytes).map_err(|place| {
        let message = "expected UTF-8 text; save the file as UTF-8".to_owned();
        let problem = Problem {
            file: path.to_owned(),
            position: Some(place),
            message,
        };
        ConfigErrors::of(problem)
    })
}

/// The text, or line and column of the first byte that is no UTF-8.
fn decode(mut bytes: Vec<u8>) -> Result<String, (usize, usize)> {
    if bytes.starts_with(b"\xEF\xBB\xBF") {
        bytes.drain(..3);
    }
    String::from_utf8(bytes)
        .map_err(|error| position(error.as_bytes(), error.utf8_error().valid_up_to()))
}

/// The raw types, after telling `problems` of unknown keys and wrong types.
///
/// # Errors
/// The text is not TOML.
pub(super) fn read_raw(
    text: &str,
    path: &Path,
    problems: &mut Problems<'_>,
) -> Result<RawFile, ConfigErrors> {
    let document = DeTable::parse(text).map_err(|error| {
        let message = format!("invalid TOML: {}", error.message().replace('\n', ", "));
        let position = Some(position(
            text.as_bytes(),
            error.span().map_or(0, |span| span.start),
        ));
        ConfigErrors::of(Problem {
            file: path.to_owned(),
            position,
            message,
        })
    })?;
    Ok(read_table("", document.get_ref(), problems))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_order_mark_is_left_out() {
        assert_eq!(
            decode(b"\xEF\xBB\xBFversion = 1".to_vec()),
            Ok("version = 1".to_owned())
        );
        assert_eq!(
            decode(b"version = 1".to_vec()),
            Ok("version = 1".to_owned())
        );
    }

    #[test]
    fn the_first_bad_byte_is_named() {
        assert_eq!(decode(b"a\nb\xFFc".to_vec()), Err((2, 2)));
        assert_eq!(decode(b"\xEF\xBB\xBF\xFF".to_vec()), Err((1, 1)));
        assert_eq!(decode(b"\xFF\xFEa\0".to_vec()), Err((1, 1)));
    }
}
