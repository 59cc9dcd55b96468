//! The floor of the configuration: the resemblance below which pairs are not counted.
//!
//! *Input.* Sketch sizes in document order, and the common shingles of each sketch. *Output.* The
//! minimum overlap of each document ([`MinShared`]). *Memory.* Two bytes for each document, three
//! if sketches have several levels. If that is more than a quarter of the memory, every pair is
//! counted: the result is the same, since the phase `cluster` checks each pair anyway. *Disk.*
//! None.

use super::outputs::open_common_of;
use crate::expansion::{DocumentFrequencies, MinShared, MinSharedBuilder};
use engine::{CommonCounts, Engine, Error, SketchSizes};
use format::Sealed;
use model::Threshold;

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

/// The content of the counts of pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Counts {
    /// All shingles.
    Whole,
    /// Shingles that are not common.
    Rare,
}

impl Floor {
    /// The minimum overlap of each document in counts of this kind; `common_of` lists the common
    /// shingles of each sketch.
    pub(super) fn min_shared(
        self,
        engine: &Engine<'_>,
        common_of: &Sealed,
        counts: Counts,
    ) -> Result<MinShared, Error> {
        let drops = engine.config.drops_common();
        let dropped = drops.then(|| open_common_of(engine, common_of));
        let mut sizes = SketchSizes::without(engine, dropped.transpose()?)?;
        let mut missing = match counts {
            Counts::Rare if !drops => Some(CommonCounts::of(open_common_of(engine, common_of)?)?),
            _ => None,
        };
        let mut missing_of = |doc: u32| match &mut missing {
            Some(missing) => missing.count_of(doc),
            None => Ok(0),
        };
        let levels = engine.config.sketch.sampling.levels();
        let mut builder = MinSharedBuilder::new(self.resemblance, self.documents, levels);
        // With a single level, reading only the finest size of each sketch is faster.
        if levels == 1 {
            sizes.each_finest_until(self.documents, |doc, size| {
                builder.push_finest(size, missing_of(doc)?);
                Ok(())
            })?;
        } else {
            sizes.each_until(self.documents, |doc, sizes| {
                builder.push(sizes, missing_of(doc)?);
                Ok(())
            })?;
        }
        Ok(builder.finish())
    }
}
