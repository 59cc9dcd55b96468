//! The previous publication: whether its clusters can be compared with those of this run, and its
//! journal continued.
//!
//! It can if its index is of this version and its files are as they were written, which is read
//! once more from beginning to end; if its journal, where it has one, is as its index says and has
//! the columns of now; and if ids mean the same documents ([`numbering`]).

use super::comparison::ClusterFiles;
use super::numbering;
use crate::history::reuse_error::ReuseError;
use crate::publish::{Publication, generation_name};
use engine::Engine;
use format::{AtomicFile, FileReader, FormatError, IndexFile, IndexManifest, PublicIds, Sealed};
use output::{CLUSTER_CHANGES, ColumnSelection, TableReader};
use std::path::Path;

/// Name of the journal in a publication.
pub const FILE: &str = "cluster_changes.parquet";

/// The clusters of the previous publication, whose files are sound.
pub(super) struct PreviousClusters {
    pub(super) number: u64,
    pub(super) clusters: ClusterFiles,
    /// Its journal; none where a program made it that had none.
    pub(super) journal: Option<TableReader>,
}

impl PreviousClusters {
    /// Opens what is published now; none if nothing was yet.
    pub(super) fn open(
        engine: &Engine<'_>,
        publication: &Publication,
    ) -> Result<Option<PreviousClusters>, ReuseError> {
        let output = engine.config.work.output.display();
        let Some(shown) = publication.shown() else {
            return match publication.number() {
                1 => Ok(None),
                _ => Err(ReuseError::Unusable(format!(
                    "{output} shows no publication"
                ))),
            };
        };
        match PreviousClusters::read(engine, publication, shown.number, &shown.dir) {
            Ok(previous) => Ok(Some(previous)),
            Err(ReuseError::Unusable(why)) => Err(ReuseError::Unusable(format!(
                "{} cannot be continued: {why}",
                generation_name(shown.number)
            ))),
            Err(fatal) => Err(fatal),
        }
    }

    fn read(
        engine: &Engine<'_>,
        publication: &Publication,
        number: u64,
        dir: &Path,
    ) -> Result<PreviousClusters, ReuseError> {
        let (disk, index) = (&engine.disk, dir.join("index"));
        let manifest = IndexManifest::load(disk, &index)?;
        let sound = |file: IndexFile| -> Result<Sealed, FormatError> {
            let sealed = manifest.file(&index, file.name())?;
            FileReader::open_sealed(disk, &index, sealed, file.kind())?.verify_rest()?;
            Ok(sealed.clone())
        };
        let (members, clusters) = (sound(IndexFile::Members)?, sound(IndexFile::Clusters)?);
        let segments = sound(IndexFile::Segments)?;
        let journal = manifest
            .journal
            .as_ref()
            .map(|sealed| journal_of(engine, dir, sealed))
            .transpose()?;
        numbering::same(engine, publication, dir, &manifest, &segments)?;
        let ids = PublicIds::new(manifest.snapshots.clone());
        let files = ClusterFiles {
            disk: disk.clone(),
            members: (index.clone(), members),
            clusters: (index, clusters),
            ids,
        };
        Ok(PreviousClusters {
            number,
            clusters: files,
            journal,
        })
    }
}

fn journal_of(engine: &Engine<'_>, dir: &Path, sealed: &Sealed) -> Result<TableReader, ReuseError> {
    let path = dir.join(FILE);
    AtomicFile::verify(&engine.disk, &path, sealed)?;
    let reader = TableReader::open(&path, ColumnSelection::All)?;
    if *reader.schema() != CLUSTER_CHANGES.schema() {
        return Err(ReuseError::Unusable(format!(
            "{} has other columns",
            path.display()
        )));
    }
    Ok(reader)
}

/// The journal of a publication, as the index beside it says it was written.
///
/// # Errors
/// When the index or the journal is missing or damaged.
pub fn sound_journal(
    disk: &format::Disk,
    publication: &Path,
) -> Result<Option<std::path::PathBuf>, FormatError> {
    let index = publication.join("index");
    let manifest = IndexManifest::load(disk, &index)?;
    let Some(sealed) = &manifest.journal else {
        return Ok(None);
    };
    let path = publication.join(FILE);
    AtomicFile::verify(disk, &path, sealed)?;
    Ok(Some(path))
}
