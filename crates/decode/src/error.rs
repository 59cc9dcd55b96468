//! Errors that stop a reader. Damage inside a file does not: see [`crate::document::Rejection`].

use std::io;
use std::path::PathBuf;

/// Why the input could not be listed or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// An operation of the operating system failed.
    #[error("failed to {action} {}: {source}", path.display())]
    Io {
        /// The action that failed: `open`, `read`, `list`, ….
        action: &'static str,
        /// On which file.
        path: PathBuf,
        /// The system's answer.
        #[source]
        source: io::Error,
    },
    /// A pattern of `paths` matches nothing.
    #[error(
        "failed to find a file that matches input path {pattern:?}; check how it is written, and exclude in [input]"
    )]
    NothingMatches {
        /// The pattern as written.
        pattern: String,
    },
    /// A pattern of `paths` is not a valid glob.
    #[error("failed to use the path or glob {pattern:?}: {reason}")]
    BadPattern {
        /// The pattern as written.
        pattern: String,
        /// Why.
        reason: String,
    },
    /// A path named without glob characters does not exist.
    #[error("failed to find {}, which is input path {pattern:?}; check paths in [input]", path.display())]
    Missing {
        /// The pattern as written.
        pattern: String,
        /// Where it was looked for.
        path: PathBuf,
    },
    /// A pattern of `paths` is a URL.
    #[error(
        "failed to read {pattern:?}: it is a URL, and this build never uses the network; take one with the feature s3, or copy the files to this machine, and name the copies in paths in [input]"
    )]
    NotLocal {
        /// The pattern as written.
        pattern: String,
    },
    /// A line of an `@list` cannot be used.
    #[error("failed to use line {line} of {}, {entry:?}: {reason}", list.display())]
    ListEntry {
        /// The list.
        list: PathBuf,
        /// Line number, from 1.
        line: u64,
        /// The line.
        entry: String,
        /// Why, and how to mend it.
        reason: String,
    },
    /// The file changed between listing and the end of reading.
    #[error("failed to read {}: it was changed while it was being read; run again when it is complete", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// The file is not there any more.
    #[error("failed to read {}: it was removed after it was listed; run again", path.display())]
    Gone {
        /// The file.
        path: PathBuf,
    },
    /// Records were to be left out of a copy of a file that has an index of them.
    #[error("failed to copy {} without some of its records: a WACZ file is not rewritten; unpack it and name its WARC files", path.display())]
    NotCopied {
        /// The file.
        path: PathBuf,
    },
    /// The receiver stopped.
    #[error(transparent)]
    Sink(#[from] crate::document::SinkError),
}

impl InputError {
    /// The system's answer, if a file could not be opened for a reason that [lies in the
    /// file](crate::open::lies_in_the_file).
    pub fn unopened_file(&self) -> Option<&io::Error> {
        match self {
            InputError::Io {
                action: "open",
                source,
                ..
            } if crate::open::lies_in_the_file(source) => Some(source),
            _ => None,
        }
    }

    /// Whether reading was given up because the program is to end.
    pub fn is_stopped(&self) -> bool {
        let InputError::Io { source, .. } = self else {
            return false;
        };
        source
            .get_ref()
            .is_some_and(|inner| inner.is::<crate::objects::ObjectStopped>())
    }

    /// The file is not the one that was listed.
    pub fn changed(path: impl Into<PathBuf>) -> InputError {
        InputError::Changed { path: path.into() }
    }

    /// For `map_err` on an operation of the operating system.
    pub fn io(
        action: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(io::Error) -> InputError {
        let path = path.into();
        move |source| InputError::Io {
            action,
            path,
            source,
        }
    }
}
