//! Errors of writing and reading tables.

use std::io;
use std::path::{Path, PathBuf};

use parquet::errors::ParquetError;

/// Why a table could not be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OutputError {
    /// The writer handed over failed, or the export's destination. The kind of `source` tells a
    /// full disk.
    #[error("failed to write table {table}: {source}")]
    Write {
        /// The table, or the report, being written.
        table: String,
        /// The system's answer.
        #[source]
        source: io::Error,
    },
    /// A published file could not be opened or read.
    #[error("failed to {action} {}: {source}", path.display())]
    Io {
        /// The action that failed: `open`, `read`.
        action: &'static str,
        /// On which file.
        path: PathBuf,
        /// The system's answer.
        #[source]
        source: io::Error,
    },
    /// A file of the input cannot be copied without some of its rows.
    #[error("failed to copy {}: {reason}; remove the file from paths in [input], or rewrite it with another tool", path.display())]
    Copy {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// The Parquet encoder refused.
    #[error("failed to encode table {table} as Parquet: {source}")]
    Encode {
        /// The table.
        table: String,
        /// The encoder's answer.
        #[source]
        source: ParquetError,
    },
    /// A file is not a table, or was damaged after it was written.
    #[error("failed to read table {}: {reason}; `pipeline run --from index --force` publishes it again", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The type that was found.
        reason: String,
    },
    /// Files of one table that do not have the same columns.
    #[error("failed to export {} and {} as one table: their columns differ; read the files one by one", path.display(), other.display())]
    Columns {
        /// One of the files.
        path: PathBuf,
        /// Another of them.
        other: PathBuf,
    },
    /// A column that the table does not have.
    #[error("failed to find column {name:?} in table {table}; its columns are {has}")]
    NoSuchColumn {
        /// The table.
        table: String,
        /// The name asked for.
        name: String,
        /// The names there are.
        has: String,
    },
    /// A file that this program did not write, a field that cannot be a column, a row that does not
    /// fit its table, or a table that cannot go on after an earlier error.
    #[error("{0}")]
    Refused(String),
}

impl OutputError {
    /// The error of a file that is damaged.
    pub(crate) fn damaged(path: &Path, reason: impl Into<String>) -> OutputError {
        OutputError::Damaged {
            path: path.to_owned(),
            reason: reason.into(),
        }
    }

    /// The error of a table that cannot go on.
    pub(crate) fn unfinished(table: &str) -> OutputError {
        OutputError::Refused(format!(
            "failed to continue table {table}: an earlier error left it unfinished; delete it and \
             write it again"
        ))
    }

    /// For `map_err` on an operation on a file.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl Fn(io::Error) -> OutputError {
        move |source| OutputError::Io {
            action,
            path: path.to_owned(),
            source,
        }
    }

    /// For `map_err` on a writer's answer.
    pub(crate) fn write(table: &str) -> impl Fn(io::Error) -> OutputError {
        move |source| OutputError::Write {
            table: table.to_owned(),
            source,
        }
    }

    /// For `map_err` on the encoder's answer; errors of the writer below it keep their kind.
    pub(crate) fn encode(table: &str) -> impl Fn(ParquetError) -> OutputError {
        move |source| match source {
            ParquetError::External(inner) => match inner.downcast::<io::Error>() {
                Ok(source) => OutputError::Write {
                    table: table.to_owned(),
                    source: *source,
                },
                Err(inner) => OutputError::Encode {
                    table: table.to_owned(),
                    source: ParquetError::External(inner),
                },
            },
            source => OutputError::Encode {
                table: table.to_owned(),
                source,
            },
        }
    }
}
