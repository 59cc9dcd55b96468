//! The rows of a table of a publication.

use output::{BatchRow, ColumnSelection, TableReader};
use pipeline::Error;
use std::path::Path;

/// Hands on all rows of a table, batch by batch.
pub(crate) fn rows(
    path: &Path,
    columns: &[&str],
    take: &mut dyn FnMut(&BatchRow<'_>),
) -> Result<(), Error> {
    let mut table = TableReader::open(path, ColumnSelection::Named(columns))?;
    while let Some(batch) = table.next_batch()? {
        batch.iter().for_each(|row| take(&row));
    }
    Ok(())
}
