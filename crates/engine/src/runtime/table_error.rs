//! Errors of the writer of a table, turned into errors with the right exit code.

use crate::runtime::error::Error;
use format::FormatError;
use output::OutputError;

/// Finds a full disk or an interrupt within the error of a table writer.
impl From<OutputError> for Error {
    fn from(error: OutputError) -> Error {
        format_error(&error).map_or(Error::Output(error), Error::from)
    }
}

fn format_error(error: &OutputError) -> Option<FormatError> {
    let mut source = std::error::Error::source(error);
    while let Some(inner) = source {
        let io = inner
            .downcast_ref::<std::io::Error>()
            .and_then(|io| io.get_ref());
        if let Some(format) = io.and_then(|inner| inner.downcast_ref::<FormatError>()) {
            return Some(copy_of(format));
        }
        if let Some(io) = io {
            source = Some(io);
            continue;
        }
        source = inner.source();
    }
    None
}

/// Copies an error from behind a reference, with all that decides the exit code.
fn copy_of(error: &FormatError) -> FormatError {
    match error {
        FormatError::NoSpace { path, needed, free } => FormatError::NoSpace {
            path: path.clone(),
            needed: *needed,
            free: *free,
        },
        FormatError::Refused { path, shortage } => FormatError::Refused {
            path: path.clone(),
            shortage,
        },
        FormatError::DiskLimit { path, limit, used } => FormatError::DiskLimit {
            path: path.clone(),
            limit: *limit,
            used: *used,
        },
        FormatError::Interrupted => FormatError::Interrupted,
        FormatError::Damaged { path, offset, what } => FormatError::Damaged {
            path: path.clone(),
            offset: *offset,
            what: what.clone(),
        },
        FormatError::Io {
            action,
            path,
            source,
        } => {
            let source = source
                .raw_os_error()
                .map_or_else(|| source.kind().into(), std::io::Error::from_raw_os_error);
            FormatError::Io {
                action,
                path: path.clone(),
                source,
            }
        }
        other => FormatError::Io {
            action: "write",
            path: std::path::PathBuf::from("a table"),
            source: std::io::Error::other(other.to_string()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_of_the_disk_is_found_within_the_error_of_a_table() {
        let limit = FormatError::DiskLimit {
            path: "work/index/pairs.parquet".into(),
            limit: 10,
            used: 9,
        };
        let error = Error::from(OutputError::Write {
            table: "pairs".to_owned(),
            source: std::io::Error::other(limit),
        });
        assert_eq!(error.exit_code(), 4);
    }
}
