//! All documents of one file that somebody names.
//!
//! *Input.* The name of a file of any format, plain or compressed; of a FIFO or device; or `-`,
//! standard input. *Output.* Calls of a sink. *Algorithm.* What is no regular file is spooled
//! first; then it is read by what its content shows. *Memory.* As [`input::read_piece`]. *Disk.*
//! What is spooled. *Limits.* A name is no pattern, whatever characters it has.

use super::spool::{self, Spooled};
use config::Config;
use input::{FormatChoice, InputError, LargeRecords, Piece, ReadOptions, Sink, SourceFile};
use runtime::Error;
use std::ffi::OsStr;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// What standard input is called by who asks, and in messages.
const STDIN: (&str, &str) = ("-", "standard input");

/// A file to read.
#[derive(Clone, Copy)]
pub struct NamedFile<'a> {
    /// Its name, or `-`.
    pub name: &'a OsStr,
    /// How it is read.
    pub format: FormatChoice,
    /// Set by a signal: then nothing more is waited for.
    pub stop: &'a AtomicBool,
}

/// A name as messages show it.
pub fn shown(name: &OsStr) -> String {
    if name == STDIN.0 {
        STDIN.1.to_owned()
    } else {
        Path::new(name).display().to_string()
    }
}

/// Whether a name is that of a file, or of standard input.
pub fn is_file(name: &OsStr) -> bool {
    name == STDIN.0 || Path::new(name).exists()
}

/// With what files are read.
pub(super) fn options(config: &Config) -> ReadOptions {
    ReadOptions {
        fields: config.input.fields.clone(),
        max_document_bytes: config.input.max_document_bytes,
        large: LargeRecords::default(),
    }
}

/// Hands all documents of a file to `sink`; an empty one has none.
///
/// # Errors
/// When it is not there, cannot be read, or is of no known format, and those of the sink.
pub fn read_file(config: &Config, named: &NamedFile<'_>, sink: &mut dyn Sink) -> Result<(), Error> {
    let shown = shown(named.name);
    let spooled = named.spooled()?;
    let path = spooled
        .as_ref()
        .map_or(Path::new(named.name), Spooled::path);
    let renamed = |error| Error::Input(renamed(error, path, &shown));
    let file = match input::discover_file(path, named.format).map_err(renamed)? {
        Ok(file) => file,
        Err(rejection) if rejection.reason == "empty-file" => return Ok(()),
        Err(rejection) => {
            return Err(Error::NotFound(format!(
                "failed to read {shown}: {} {}",
                rejection.reason, rejection.detail
            )));
        }
    };
    // A page has the name of its file for a URL.
    let file = if spooled.is_some() {
        SourceFile {
            name: named.name.display().to_string(),
            ..file
        }
    } else {
        file
    };
    let piece = Piece {
        file: 0,
        start: 0,
        end: file.bytes,
    };
    input::read_piece(&file, &piece, Some(0), &options(config), sink).map_err(renamed)?;
    Ok(())
}

impl NamedFile<'_> {
    fn spooled(&self) -> Result<Option<Spooled>, Error> {
        if self.name == STDIN.0 {
            return spool::standard_input(self.stop).map(Some);
        }
        let path = Path::new(self.name);
        match std::fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => Err(Error::Usage(format!(
                "failed to read {}: it is a directory",
                path.display()
            ))),
            Ok(metadata)
                if metadata.file_type().is_fifo() || metadata.file_type().is_char_device() =>
            {
                spool::pipe(path, self.stop).map(Some)
            }
            _ => Ok(None),
        }
    }
}

/// The error with the name that was given instead of that of the nameless file.
fn renamed(error: InputError, path: &Path, shown: &str) -> InputError {
    match error {
        InputError::Io {
            action,
            path: at,
            source,
        } if at == path => InputError::Io {
            action,
            path: PathBuf::from(shown),
            source,
        },
        InputError::Changed { path: at } if at == path => InputError::Changed {
            path: PathBuf::from(shown),
        },
        other => other,
    }
}
