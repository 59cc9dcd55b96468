//! The floor below which pairs are not counted → what each document needs.
//!
//! *Input.* Sketch sizes in document order, and what each sketch lost to common shingles. *Output.*
//! [`Needs`]. *Memory.* Two bytes a document, three if sketches have several levels; if that is
//! more than a quarter of what there is, every pair is counted: the phase `cluster` looks at each
//! of them anyway, only there are more. *Disk.* None.

use super::PHASE;
use crate::cluster::Ladders;
use engine::{Engine, Output};
use format::{FileKind, LostRecord, RecordReader, Sealed};
use model::Threshold;
use pairs::{Named, Needs, NeedsOf};
use runtime::Error;

/// A floor that there is memory for.
#[derive(Clone, Copy)]
pub(super) struct Floor {
    resemblance: Threshold,
    documents: u32,
    /// What the needs and the counts behind them take.
    pub(super) bytes: usize,
}

/// The floor of a configuration; `None` if there is none, or no memory for it.
pub(super) fn floor(engine: &Engine<'_>, memory_bytes: usize, documents: u32) -> Option<Floor> {
    let resemblance = engine.config.floor()?;
    let needs = Needs::bytes(documents, engine.config.sketch.sampling.levels());
    let bytes = needs + Named::bytes(documents, rayon::current_num_threads());
    (bytes <= memory_bytes / 4).then_some(Floor {
        resemblance,
        documents,
        bytes,
    })
}

impl Floor {
    /// What each document needs.
    pub(super) fn needs(self, engine: &Engine<'_>, lost: &Sealed) -> Result<Needs, Error> {
        let lost = RecordReader::<LostRecord>::open_sealed(
            &engine.disk,
            &engine.dir(PHASE),
            lost,
            FileKind::Lost,
        );
        let mut ladders =
            Ladders::with(engine, Output::of(lost.map_err(Error::work(PHASE))?, PHASE))?;
        let levels = engine.config.sketch.sampling.levels();
        let mut needs = NeedsOf::new(self.resemblance, self.documents, levels);
        if levels == 1 {
            ladders.each_finest_until(self.documents, |_, size| needs.push_finest(size))?;
        } else {
            ladders.each_until(self.documents, |_, ladder| needs.push(ladder))?;
        }
        Ok(needs.finish())
    }
}
