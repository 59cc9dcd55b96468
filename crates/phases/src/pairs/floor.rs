//! The floor below which pairs are not counted → what each document min_shared.
//!
//! *Input.* Sketch sizes in document order, and what each sketch lost to common shingles. *Output.*
//! [`MinShared`]. *Memory.* Two bytes a document, three if sketches have several levels; if that is
//! more than a quarter of what there is, every pair is counted: the phase `cluster` looks at each
//! of them anyway, only there are more. *Disk.* None.

use super::PHASE;
use crate::cluster::Ladders;
use engine::{Engine, Output};
use format::{FileKind, LostRecord, RecordReader, Sealed};
use model::Threshold;
use pairs::{DocumentFrequencies, MinShared, MinSharedBuilder};
use runtime::Error;

/// A floor that there is memory for.
#[derive(Clone, Copy)]
pub(super) struct Floor {
    resemblance: Threshold,
    documents: u32,
    /// What the min_shared and the counts behind them take.
    pub(super) bytes: usize,
}

/// The floor of a configuration; `None` if there is none, or no memory for it.
pub(super) fn floor(engine: &Engine<'_>, memory_bytes: usize, documents: u32) -> Option<Floor> {
    let resemblance = engine.config.floor()?;
    let min_shared = MinShared::bytes(documents, engine.config.sketch.sampling.levels());
    let bytes = min_shared + DocumentFrequencies::bytes(documents, rayon::current_num_threads());
    (bytes <= memory_bytes / 4).then_some(Floor {
        resemblance,
        documents,
        bytes,
    })
}

impl Floor {
    /// What each document min_shared.
    pub(super) fn min_shared(self, engine: &Engine<'_>, lost: &Sealed) -> Result<MinShared, Error> {
        let lost = RecordReader::<LostRecord>::open_sealed(
            &engine.disk,
            &engine.dir(PHASE),
            lost,
            FileKind::Lost,
        );
        let mut ladders =
            Ladders::with(engine, Output::of(lost.map_err(Error::work(PHASE))?, PHASE))?;
        let levels = engine.config.sketch.sampling.levels();
        let mut min_shared = MinSharedBuilder::new(self.resemblance, self.documents, levels);
        if levels == 1 {
            ladders.each_finest_until(self.documents, |_, size| min_shared.push_finest(size))?;
        } else {
            ladders.each_until(self.documents, |_, ladder| min_shared.push(ladder))?;
        }
        Ok(min_shared.finish())
    }
}
