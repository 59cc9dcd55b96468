//! The publication before: whether its clusters can be compared with those of now, and its journal
//! gone on with.
//!
//! It can if its index is of this version and its files are as they were written, which is read
//! once more from beginning to end; if its journal, where it has one, is as its index says and has
//! the columns of now; and if ids mean the same documents ([`numbering`]).

use super::job::FILE;
use super::numbering;
use super::side::Side;
use super::trouble::Trouble;
use engine::Engine;
use engine::segments::{PublicIds, Span};
use format::{AtomicFile, FileReader, FormatError, IndexManifest, IndexSnapshot, Sealed};
use output::{CLUSTER_CHANGES, Selection, TableReader};
use publication::publish::{Publication, generation_name};
use query::IndexFile;
use runtime::Error;
use std::path::Path;

/// The publication before, sound.
pub(super) struct Before {
    pub(super) number: u64,
    pub(super) side: Side,
    /// Its journal; none where a program made it that had none.
    pub(super) journal: Option<TableReader>,
}

impl Before {
    /// Opens what is published now; none if nothing was yet, and why not if it is no use.
    ///
    /// # Errors
    /// When the system fails, or the run was interrupted. What is wrong with the publication before
    /// is no reason not to make the next.
    pub(super) fn open(
        engine: &Engine<'_>,
        publication: &Publication,
    ) -> Result<Result<Option<Before>, String>, Error> {
        let output = engine.config.work.output.display();
        let Some(before) = publication.before() else {
            let is_first = publication.number() == 1;
            return Ok(if is_first {
                Ok(None)
            } else {
                Err(format!("{output} shows no publication"))
            });
        };
        match Before::read(engine, publication, (before.number, &before.dir)) {
            Ok(before) => Ok(Ok(Some(before))),
            Err(Trouble::Ends(error)) => Err(error),
            Err(Trouble::Anew(why)) => Ok(Err(format!(
                "{} cannot be gone on with: {why}",
                generation_name(before.number)
            ))),
        }
    }

    fn read(
        engine: &Engine<'_>,
        publication: &Publication,
        (number, dir): (u64, &Path),
    ) -> Result<Before, Trouble> {
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
        numbering::same(engine, (publication, dir), (&manifest, &segments))?;
        let ids = PublicIds::of_spans(manifest.snapshots.iter().map(span).collect());
        let (members, clusters) = ((index.clone(), members), (index, clusters));
        Ok(Before {
            number,
            side: Side {
                disk: disk.clone(),
                members,
                clusters,
                ids,
            },
            journal,
        })
    }
}

fn journal_of(engine: &Engine<'_>, dir: &Path, sealed: &Sealed) -> Result<TableReader, Trouble> {
    let path = dir.join(FILE);
    AtomicFile::verify(&engine.disk, &path, sealed)?;
    let reader = TableReader::open(&path, Selection::All)?;
    if *reader.schema() != CLUSTER_CHANGES.schema() {
        return Err(Trouble::Anew(format!(
            "{} has other columns",
            path.display()
        )));
    }
    Ok(reader)
}

fn span(snapshot: &IndexSnapshot) -> Span {
    let IndexSnapshot {
        number,
        name,
        first,
        documents,
        first_file,
    } = snapshot.clone();
    Span {
        number,
        name,
        first,
        documents,
        first_file,
    }
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
