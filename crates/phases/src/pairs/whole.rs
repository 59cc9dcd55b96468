//! All postings as one file in the numbers of now: the only one there is, or what several are
//! merged to for as long as needed.

use super::PHASE;
use engine::Engine;
use engine::merge_levels::{self, Merged};
use format::{Durability, FileKind, MergeLevels, RecordSpec, RecordWriter, Sealed};
use model::Posting;
use runtime::{Error, PhaseName};

/// Where all postings are.
pub(super) struct Whole {
    pub(super) phase: PhaseName,
    pub(super) sealed: Sealed,
}

impl Whole {
    /// The postings of a finished sort.
    pub(super) fn of(engine: &Engine<'_>, sorted: &MergeLevels) -> Result<Whole, Error> {
        let now = merge_levels::taken(&engine.manifest());
        if let [level] = &sorted.files[..]
            && merge_levels::renumbering(level, &now).is_identity()
        {
            return Ok(Whole {
                phase: PhaseName::Sort,
                sealed: level.sealed.clone(),
            });
        }
        let failed = Error::work(PHASE);
        let mut merged = Merged::<Posting>::open(
            engine,
            PhaseName::Sort,
            FileKind::Postings,
            &sorted.files,
            &now,
        )?;
        let path = engine.dir(PHASE).join("postings.run-whole");
        let spec = RecordSpec::durable(path, FileKind::Postings, [0; 16]);
        let spec = RecordSpec {
            durability: Durability::Scratch,
            ..spec
        };
        let mut writer = RecordWriter::create(&engine.disk, spec).map_err(failed)?;
        while let Some((posting, _)) = merged.next()? {
            writer.push(&posting).map_err(failed)?;
        }
        Ok(Whole {
            phase: PHASE,
            sealed: writer.finish().map_err(failed)?,
        })
    }

    /// Takes away what was merged.
    pub(super) fn remove(&self, engine: &Engine<'_>) -> Result<(), Error> {
        if self.phase != PHASE {
            return Ok(());
        }
        engine
            .disk
            .remove(&engine.dir(PHASE).join(&self.sealed.name))
            .map_err(Error::work(PHASE))
    }
}
