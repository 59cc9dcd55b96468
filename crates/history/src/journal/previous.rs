//! The previous publication: whether its clusters can be compared with those of this run, and its
//! journal continued.
//!
//! It can if its index is of this version and its files are as they were written, which is read
//! once more from beginning to end; if its journal, where it has one, is as its index says and has
//! the columns of now; and if ids mean the same documents ([`numbering`]).

use super::cluster_files::ClusterFiles;
use super::job::FILE;
use super::numbering;
use super::reuse_error::ReuseError;
use engine::Engine;
use format::IndexFile;
use format::{AtomicFile, FileReader, FormatError, IndexManifest, PublicIds, Sealed};
use output::{CLUSTER_CHANGES, Selection, TableReader};
use publication::publish::{Publication, generation_name};
use runtime::Error;
use std::path::Path;

/// The clusters of the previous publication, whose files are sound.
pub(super) struct PreviousClusters {
    pub(super) number: u64,
    pub(super) clusters: ClusterFiles,
    /// Its journal; none where a program made it that had none.
    pub(super) journal: Option<TableReader>,
}

impl PreviousClusters {
    /// Opens what is published now; none if nothing was yet, and why not if it is no use.
    ///
    /// # Errors
    /// When the system fails, or the run was interrupted. What is wrong with the publication before
    /// is no reason not to make the next.
    pub(super) fn open(
        engine: &Engine<'_>,
        publication: &Publication,
    ) -> Result<Result<Option<PreviousClusters>, String>, Error> {
        let output = engine.config.work.output.display();
        let Some(shown) = publication.shown() else {
            let is_first = publication.number() == 1;
            return Ok(if is_first {
                Ok(None)
            } else {
                Err(format!("{output} shows no publication"))
            });
        };
        match PreviousClusters::read(engine, publication, shown.number, &shown.dir) {
            Ok(previous) => Ok(Ok(Some(previous))),
            Err(ReuseError::Fatal(error)) => Err(error),
            Err(ReuseError::Unusable(why)) => Ok(Err(format!(
                "{} cannot be continued: {why}",
                generation_name(shown.number)
            ))),
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
    let reader = TableReader::open(&path, Selection::All)?;
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
