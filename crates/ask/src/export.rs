//! `pipeline export`: a published table in another format.

use crate::query::{damaged, mendable};
use config::Config;
use engine::{Error, PhaseName, intake::inputs::Inputs};
use format::{
    AtomicFile, Disk, FormatError, INDEX_MANIFEST, IndexManifest, Manifest, SnapshotSpan,
};
use output::ExportFormat;
pub use publication::HeldPublication;
use publication::documents_table;
use publication::history::journal::FILE as JOURNAL;
use publication::origin::{other_origin, recorded_page};
use std::io::{ErrorKind, Write};
use std::ops::Deref;
use std::path::{Path, PathBuf};

/// Tables that can be exported, with their files in a publication.
const TABLES: [(&str, &str); 12] = [
    ("documents", "documents"),
    ("membership", "membership.parquet"),
    ("removed", "removed.parquet"),
    ("host_pairs", "host_pairs.parquet"),
    ("clusters", "clusters.parquet"),
    ("pairs", "pairs.parquet"),
    ("common", "common_shingles.parquet"),
    ("passages", "passages.parquet"),
    ("changes", "changes.parquet"),
    ("moved", "moved.parquet"),
    ("host_changes", "host_changes.parquet"),
    ("cluster_changes", JOURNAL),
];

/// The reason why a finished run has not published a table, if there may be one.
fn why_absent(table: &str) -> Option<&'static str> {
    match table {
        "changes" | "moved" | "host_changes" => Some(
            ": there are fewer than two snapshots; add another one (`pipeline snapshot add`) and \
             run again",
        ),
        "passages" => Some(
            ": the run did not look for passages; run `pipeline run --passages 50`, or write \
             [passages] into the configuration",
        ),
        _ => None,
    }
}

const RUN_FIRST: &str = "; run `pipeline run` first";

/// The names `export` takes.
pub fn table_names() -> impl Iterator<Item = &'static str> {
    TABLES.iter().map(|(name, _)| *name)
}

/// A result must not take the place of a file that is read. An input that cannot be listed any more
/// is no reason not to write.
///
/// # Errors
/// `path` is a file of the input.
pub fn check_written(config: &Config, path: &Path) -> Result<(), Error> {
    match path.exists() {
        true => Inputs::scan(config, &Manifest::default())
            .map_or(Ok(()), |inputs| inputs.check_written(path)),
        false => Ok(()),
    }
}

/// Writes a published table; gives the number of rows.
pub fn export(
    config: &Config,
    table: &str,
    format: ExportFormat,
    out: &mut (dyn Write + Send),
) -> Result<u64, Error> {
    let paths = intact_files(config, table)?;
    Ok(output::export(&paths, format, out)?)
}

/// The Parquet files of a table, oldest snapshot first. No run removes them as long as this value
/// lives.
#[derive(Debug)]
pub struct TableFiles {
    paths: Vec<PathBuf>,
    publication: HeldPublication,
}

impl Deref for TableFiles {
    type Target = [PathBuf];

    fn deref(&self) -> &[PathBuf] {
        &self.paths
    }
}

/// The Parquet files of a published table, as [`table_files`] gives them, if they are those that
/// the work directory noted.
pub fn intact_files(config: &Config, table: &str) -> Result<TableFiles, Error> {
    let files = table_files(&config.work.output, table);
    let files = files.map_err(|error| mendable(config, error))?;
    let other = other_origin(config, files.publication.dir(), || recorded_page(config));
    if let Some(other) = other.filter(|other| other.is_replaced) {
        return Err(other.refusal("export", config));
    }
    check(config, &files)?;
    Ok(files)
}

/// The names of the tables that a publication has.
pub fn published_tables(link: &Path) -> Result<Vec<String>, Error> {
    let is_there = |name: &&str| why_absent(name).is_none() || table_files(link, name).is_ok();
    table_files(link, "membership")?;
    Ok(table_names().filter(is_there).map(str::to_owned).collect())
}

/// Compares tables with the digests that the work directory has of them: headers of pages and
/// footers of Parquet files have no checksums. A publication of another work directory, or one that
/// a run is about to replace, is taken as it is.
fn check(config: &Config, tables: &TableFiles) -> Result<(), Error> {
    let disk = Disk::default();
    let manifest = match Manifest::load(&disk, &config.work.dir) {
        Err(error @ FormatError::Damaged { .. }) => {
            return Err(damaged(error));
        }
        // A work directory that cannot be read, or of another version, is another one.
        manifest => manifest.ok().flatten(),
    };
    let Some(index) =
        manifest.and_then(|mut manifest| manifest.phases.remove(PhaseName::Index.name()))
    else {
        return Ok(());
    };
    let shown = tables.publication.dir();
    let sealed = |name: &Path| index.outputs.get(name.to_str()?);
    let first_page = Path::new("index").join(INDEX_MANIFEST);
    let is_of_manifest = sealed(&first_page)
        .is_some_and(|page| AtomicFile::verify(&disk, &shown.join(&first_page), page).is_ok());
    for table in tables.iter().filter(|_| is_of_manifest) {
        if let Some(noted) = table.strip_prefix(shown).ok().and_then(sealed) {
            AtomicFile::verify(&disk, table, noted).map_err(damaged)?;
        }
    }
    Ok(())
}

/// The Parquet files of a table of the publication that a link shows.
pub fn table_files(link: &Path, table: &str) -> Result<TableFiles, Error> {
    let file = TABLES
        .iter()
        .find(|(name, _)| *name == table)
        .map(|(_, file)| file);
    let file = file.ok_or_else(|| {
        let known: Vec<&str> = table_names().collect();
        Error::Usage(format!(
            "no table {table:?}; known tables: {}",
            known.join(", ")
        ))
    })?;
    let not_found = |why: &str| {
        let path = link.join(file);
        Error::NotFound(format!("failed to find {}{why}", path.display()))
    };
    let publication = HeldPublication::shown(link).map_err(|error| match error.kind() {
        ErrorKind::NotFound => not_found(RUN_FIRST),
        _ => Error::io(format!("look at {}", link.display()))(error),
    })?;
    let shown = publication.dir();
    let path = shown.join(file);
    let exists = path.try_exists();
    if !exists.map_err(Error::io(format!("look at {}", path.display())))? {
        let why = why_absent(table).filter(|_| shown.join("report.json").exists());
        return Err(not_found(why.unwrap_or(RUN_FIRST)));
    }
    let paths = match table {
        "documents" => documents_of(shown)?,
        _ => vec![path],
    };
    Ok(TableFiles { paths, publication })
}

/// The document tables of a publication, oldest snapshot first. The index that lists them must be
/// that of this publication: it has the checksum of the report.
fn documents_of(publication: &Path) -> Result<Vec<PathBuf>, Error> {
    let disk = Disk::default();
    let index = IndexManifest::load(&disk, &publication.join("index"))?;
    let report = publication.join(&index.report.name);
    AtomicFile::verify(&disk, &report, &index.report).map_err(damaged)?;
    let table = |snapshot: &SnapshotSpan| publication.join(documents_table(&snapshot.name));
    Ok(index.snapshots.iter().map(table).collect())
}
