//! The rows of a table of a publication, which an earlier version of the program may have made.

use output::{BatchRow, ColumnSelection, OutputError, TableReader};
use pipeline::Error;
use std::path::Path;

/// Hands on all rows of a table, batch by batch.
pub(crate) fn rows(
    path: &Path,
    columns: &[&str],
    take: &mut dyn FnMut(&BatchRow<'_>),
) -> Result<(), Error> {
    let table = TableReader::open(path, ColumnSelection::Named(columns));
    let mut table = table.map_err(|error| match error {
        OutputError::NoSuchColumn { .. } => of_earlier_version(&error.to_string()),
        error => error.into(),
    })?;
    while let Some(batch) = table.next_batch()? {
        batch.iter().for_each(|row| take(&row));
    }
    Ok(())
}

/// The error of a publication that lacks what this version shows.
pub(crate) fn of_earlier_version(what: &str) -> Error {
    Error::NotFound(format!(
        "{what}; an earlier version of this program made the publication: `pipeline run` makes it \
         anew, or, if it finds nothing new, `pipeline run --from index --force`"
    ))
}
