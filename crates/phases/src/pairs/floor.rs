//! The floor of the configuration: the resemblance below which pairs are not counted.
//!
//! *Input.* Sketch sizes in document order, and the losses of sketches to common shingles.
//! *Output.* The minimum overlap of each document ([`MinShared`]). *Memory.* Two bytes for each
//! document, three if sketches have several levels. If that is more than a quarter of the memory,
//! every pair is counted: the result is the same, since the phase `cluster` checks each pair
//! anyway. *Disk.* None.

use super::outputs::PHASE;
use engine::SketchSizes;
use engine::{Engine, Output};
use format::{FileKind, LostRecord, RecordReader, Sealed};
use model::Threshold;
use pairs::{DocumentFrequencies, MinShared, MinSharedBuilder};
use runtime::Error;

/// A floor for which there is memory.
#[derive(Clone, Copy)]
pub(super) struct Floor {
    resemblance: Threshold,
    documents: u32,
    /// Bytes of the minimum overlaps and the document frequencies.
    pub(super) bytes: usize,
}

/// The floor of a configuration; `None` if it has none, if there is no memory for it, or if pairs
/// are only found by their counts.
pub(super) fn floor(engine: &Engine<'_>, memory_bytes: usize, documents: u32) -> Option<Floor> {
    let resemblance = engine.config.counted_floor()?;
    let min_shared = MinShared::bytes(documents, engine.config.sketch.sampling.levels());
    let bytes = min_shared + DocumentFrequencies::bytes(documents, rayon::current_num_threads());
    (bytes <= memory_bytes / 4).then_some(Floor {
        resemblance,
        documents,
        bytes,
    })
}

impl Floor {
    /// The minimum overlap of each document.
    pub(super) fn min_shared(self, engine: &Engine<'_>, lost: &Sealed) -> Result<MinShared, Error> {
        let lost = RecordReader::<LostRecord>::open_sealed(
            &engine.disk,
            &engine.dir(PHASE),
            lost,
            FileKind::Lost,
        );
        let mut sizes =
            SketchSizes::with(engine, Output::of(lost.map_err(Error::work(PHASE))?, PHASE))?;
        let levels = engine.config.sketch.sampling.levels();
        let mut builder = MinSharedBuilder::new(self.resemblance, self.documents, levels);
        // With a single level, reading only the finest size of each sketch is faster.
        if levels == 1 {
            sizes.each_finest_until(self.documents, |_, size| builder.push_finest(size))?;
        } else {
            sizes.each_until(self.documents, |_, sizes| builder.push(sizes))?;
        }
        Ok(builder.finish())
    }
}
