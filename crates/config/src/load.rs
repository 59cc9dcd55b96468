//! From a file or a text to the configuration.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use model::Keep;
use toml::de::DeTable;

use super::keys::FILE;
use super::problem::{ConfigErrors, Problem, Problems, position};
use super::read;
use super::values::TextInFile;
use super::{Config, InputFrom, SNAPSHOTS_FILE, overrides, validate};

/// Larger files are no configuration.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// The text of the configuration file, without a byte order mark.
pub fn read_text(path: &Path) -> Result<String, ConfigErrors> {
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

/// Reads and checks a configuration file. Relative paths in it are relative to the directory of
/// `path` as written; links are not followed.
pub fn load(path: &Path) -> Result<Config, ConfigErrors> {
    load_from(path, InputFrom::Paths)
}

/// Like [`load`], for callers that add snapshots or look at them: `paths` need not be there. A list
/// of snapshots beside the configuration is its input, whatever `from` says.
pub fn load_from(path: &Path, from: InputFrom) -> Result<Config, ConfigErrors> {
    load_with(path, from, &[])
}

/// Like [`load_from`], with values of `--set`, each `KEY=VALUE`, in place of those of the file.
///
/// # Errors
/// As for [`load`]; problems of a value of `--set` name its key instead of a place in the file.
pub fn load_with(path: &Path, from: InputFrom, set: &[String]) -> Result<Config, ConfigErrors> {
    let text = read_text(path)?;
    let list = path.with_file_name(SNAPSHOTS_FILE);
    let from = if list.symlink_metadata().is_ok() {
        InputFrom::Snapshots
    } else {
        from
    };
    read_config(&text, path, from, set)
}

/// Checks a configuration that is at hand as text; `path` is where it would lie.
pub fn parse(text: &str, path: &Path) -> Result<Config, ConfigErrors> {
    parse_with(text, path, &[])
}

/// Like [`parse`], with values of `--set`.
pub fn parse_with(text: &str, path: &Path, set: &[String]) -> Result<Config, ConfigErrors> {
    read_config(text, path, InputFrom::Paths, set)
}

/// Reads a value of `keep` in `[cluster]`; `carried` are the carry-fields.
pub fn parse_keep(text: &str, carried: &[String]) -> Result<Keep, ConfigErrors> {
    let mut problems = Problems::new(Path::new("--keep"), text);
    let given = TextInFile::new(text, 0..text.len(), "keep");
    let keep = validate::keep(&given, carried, &mut problems);
    problems.none_or(keep)
}

fn read_config(
    text: &str,
    path: &Path,
    from: InputFrom,
    set: &[String],
) -> Result<Config, ConfigErrors> {
    let mut problems = Problems::new(path, text);
    let mut document = DeTable::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        ConfigErrors::of(Problem {
            file: path.to_owned(),
            position: Some(position(text.as_bytes(), at)),
            message: format!("invalid TOML: {}", error.message().replace('\n', ", ")),
        })
    })?;
    overrides::apply(set, document.get_mut(), &mut problems);
    let at = document.span();
    let values = read::table(&FILE, document.get_ref(), at, &mut problems);
    let config = validate::config(&values, path, from, &mut problems);
    problems.none_or(config)
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
