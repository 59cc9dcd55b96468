//! `pipeline export`: a published table in another format.

use crate::Error;
use crate::config::Config;
use output::ExportFormat;
use std::io::Write;

/// Tables that can be exported, with their files in a publication.
const TABLES: [(&str, &str); 5] = [
    ("documents", crate::phases::index::DOCUMENTS),
    ("membership", "membership.parquet"),
    ("clusters", "clusters.parquet"),
    ("pairs", "pairs.parquet"),
    ("common", "common_shingles.parquet"),
];

/// The names `export` takes.
pub fn table_names() -> impl Iterator<Item = &'static str> {
    TABLES.iter().map(|(name, _)| *name)
}

/// Writes a published table; gives the number of rows.
///
/// # Errors
/// When there is no such table or no publication, or the table cannot be read or written.
pub fn export(config: &Config, table: &str, format: ExportFormat, out: &mut dyn Write) -> Result<u64, Error> {
    let file = TABLES.iter().find(|(name, _)| *name == table).map(|(_, file)| file);
    let file = file.ok_or_else(|| {
        let known: Vec<&str> = table_names().collect();
        Error::Usage(format!("no table {table:?}; known tables: {}", known.join(", ")))
    })?;
    let path = config.work.output.join(file);
    if !path.exists() {
        return Err(Error::NotFound(format!("failed to find {}; run `pipeline run` first", path.display())));
    }
    Ok(output::export(&path, format, out)?)
}
