//! Reads all documents of a file that the user names.
//!
//! *Input.* The name of a file of any format, plain or compressed; of a FIFO or device; or `-`,
//! standard input. *Output.* Calls of a sink. *Algorithm.* Anything but a regular file is spooled
//! first; then the file is read in the format that its content shows. *Memory.* As
//! [`input::read_piece`]. *Disk.* The spooled file. *Limits.* A name is no pattern, whatever
//! characters it has.

use super::spool::{self, SpooledDocument};
use config::Config;
use engine::Error;
use input::{
    Document, FormatChoice, InputError, NamedSource, Piece, Reach, Rejection, Sink, SinkError,
    SourceFile,
};
use std::ffi::OsStr;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The name by which the user asks for standard input.
const STDIN: &str = "-";

/// A name as messages show it.
pub(crate) fn display_name(name: &OsStr) -> String {
    if name == STDIN {
        "standard input".to_owned()
    } else {
        Path::new(name).display().to_string()
    }
}

/// Whether a name is that of a file, or of standard input.
pub(crate) fn is_file(name: &OsStr) -> bool {
    name == STDIN || Path::new(name).exists()
}

/// Calls `f` with each document of a file, `-` for standard input.
pub(crate) fn each_document(
    config: &Config,
    name: &OsStr,
    format: FormatChoice,
    f: &mut dyn FnMut(&Document<'_>) -> Result<(), SinkError>,
) -> Result<(), Error> {
    let mut sink = EachDocument {
        f,
        documents: 0,
        rejected: None,
    };
    read_file(config, name, format, &mut sink)?;
    if sink.documents == 0 {
        let why = sink.rejected.unwrap_or_else(|| "it has none".to_owned());
        let shown = display_name(name);
        return Err(Error::NotFound(format!(
            "failed to find a document in {shown}: {why}"
        )));
    }
    Ok(())
}

struct EachDocument<'f> {
    f: &'f mut dyn FnMut(&Document<'_>) -> Result<(), SinkError>,
    documents: u64,
    /// Why the first record that is no document was rejected.
    rejected: Option<String>,
}

impl Sink for EachDocument<'_> {
    fn document(&mut self, document: &Document<'_>) -> Result<(), SinkError> {
        self.documents += 1;
        (self.f)(document)
    }
    fn rejected(&mut self, rejection: Rejection) -> Result<(), SinkError> {
        self.rejected
            .get_or_insert_with(|| format!("{} {}", rejection.reason, rejection.detail));
        Ok(())
    }
}

/// Hands all documents of a file to `sink`; an empty one has none.
pub(crate) fn read_file(
    config: &Config,
    name: &OsStr,
    format: FormatChoice,
    sink: &mut dyn Sink,
) -> Result<(), Error> {
    let shown = display_name(name);
    let spooled = spooled(name)?;
    let path = spooled
        .as_ref()
        .map_or(Path::new(name), SpooledDocument::path);
    let renamed = |error| Error::Input(renamed(error, path, &shown));
    let file = match input::discover_file(path, format).map_err(renamed)? {
        Ok(file) => file,
        Err(rejection) if rejection.reason == "empty-file" => return Ok(()),
        Err(rejection) => {
            return Err(Error::NotFound(format!(
                "failed to read {shown}: {} {}",
                rejection.reason, rejection.detail
            )));
        }
    };
    let file = SourceFile {
        sources: sources_of(config, path),
        // A page has the name of its file for a URL.
        name: match spooled.is_some() {
            true => name.display().to_string(),
            false => file.name.clone(),
        },
        ..file
    };
    let piece = Piece::whole(0, file.stat.bytes);
    input::read_piece(&file, &piece, Some(0), &config.input.read_options(), sink)
        .map_err(renamed)?;
    Ok(())
}

/// The sources that list a file: it is read by their keys, as in a run. Those of an `@list` are not
/// known.
fn sources_of(config: &Config, path: &Path) -> Vec<Arc<NamedSource>> {
    let sources = config.input.sources.iter();
    let listing = sources.filter(|one| {
        let reach = Reach::of(&config.discovery(one.paths.clone()));
        let real = path.canonicalize();
        matches!((reach, real), (Ok(reach), Ok(real)) if reach.lists(&real).is_some())
    });
    listing.map(|one| Arc::clone(&one.source)).collect()
}

/// The copy of what can be read only once.
fn spooled(name: &OsStr) -> Result<Option<SpooledDocument>, Error> {
    if name == STDIN {
        return spool::standard_input().map(Some);
    }
    let path = Path::new(name);
    match std::fs::metadata(path).map(|metadata| metadata.file_type()) {
        Ok(kind) if kind.is_dir() => Err(Error::Usage(format!(
            "failed to read {}: it is a directory",
            path.display()
        ))),
        Ok(kind) if kind.is_fifo() || kind.is_char_device() => spool::pipe(path).map(Some),
        _ => Ok(None),
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
