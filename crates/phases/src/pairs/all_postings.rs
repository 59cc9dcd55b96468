//! Gives all postings as one file with the present document numbers: the only file there is, or a
//! scratch file that several are merged to.

use super::outputs::PHASE;
use engine::{
    Engine, Error, PhaseName,
    merge_levels::{self, MergedLevels},
};
use format::{BLOCK_BYTES, FileKind, MergeLevels, RecordSpec, RecordWriter, Sealed};
use model::Posting;

/// The file of all postings, and the phase in whose directory it is.
pub(super) struct AllPostings {
    pub(super) phase: PhaseName,
    pub(super) sealed: Sealed,
}

impl AllPostings {
    /// The postings of a finished sort.
    pub(super) fn of(engine: &Engine<'_>, sorted: &MergeLevels) -> Result<AllPostings, Error> {
        let now = engine.taken();
        if let [level] = &sorted.files[..]
            && merge_levels::renumbering(level, &now).is_identity()
        {
            return Ok(AllPostings {
                phase: PhaseName::Sort,
                sealed: level.sealed.clone(),
            });
        }
        let mut merged = MergedLevels::<Posting>::open(
            engine,
            PhaseName::Sort,
            FileKind::Postings,
            &sorted.files,
            &now,
        )?;
        let path = engine.dir(PHASE).join("postings.run-whole");
        let spec = RecordSpec {
            kind: FileKind::Postings,
            ..RecordSpec::scratch(path, BLOCK_BYTES)
        };
        let mut writer = RecordWriter::create(&engine.disk, spec)?;
        while let Some((posting, _)) = merged.next()? {
            writer.push(&posting)?;
        }
        Ok(AllPostings {
            phase: PHASE,
            sealed: writer.finish()?,
        })
    }

    /// Removes the scratch file, if there is one.
    pub(super) fn remove(&self, engine: &Engine<'_>) -> Result<(), Error> {
        if self.phase != PHASE {
            return Ok(());
        }
        engine
            .disk
            .remove(&engine.dir(PHASE).join(&self.sealed.name))
            .map_err(Error::from)
    }
}
