//! Estimates how many documents contain a shingle, where sketches do not say.
//!
//! *Input.* All fingerprints of counted documents (`model::COUNTED_ONE_IN`), the classes, the
//! postings. *Output.* A sorted file of [`FrequencyRecord`]s. *Algorithm.* Two passes over the
//! counted representatives:
//!
//! 1. A table of bytes counts in how many of them a shingle may be (`count_filter`).
//! 2. The shingles that may be in enough of them are sorted (`counted_postings`), which gives for
//!    each its number of counted documents. That times 64 is the estimate.
//!
//! The estimate is a quarter off where it matters, at the common limit. But shingles of one frame
//! are in the same counted documents, and some of them are multiples of a coarse modulus: most
//! sketches keep those, so their frequencies are known better, and hold for the whole block
//! (`blocks`).
//!
//! *Memory.* The free budget: a quarter for the table, the rest for sorts. *Disk.* The postings of
//! shingles in [`model::COUNTED_MIN`] or more counted documents, while they are sorted.
//!
//! *Limits.* With one level of sampling every sketch keeps the same sample, and there is nothing to
//! estimate.

mod blocks;
mod borderline;
mod changes;
mod count_filter;
mod counted_postings;
mod posting_counts;
mod reader;

pub use blocks::{coarser_levels, is_known_by_block, part_of_block};
pub use borderline::{BorderlineShingle, borderline};
pub use changes::FrequencyChanges;
pub use reader::{FREQUENCIES, FrequencyReader};

use engine::Engine;
use format::{FileKind, FrequencyRecord, MergeLevels, Sealed};
use runtime::{Error, PhaseName};

const PHASE: PhaseName = PhaseName::Pairs;

/// Estimates the frequencies of all shingles of counted documents. `None` if there is nothing to
/// estimate. `sorted` are the files of the phase `sort`.
///
/// # Errors
/// When files cannot be read or written, or the run is interrupted.
pub fn write(engine: &Engine<'_>, sorted: &MergeLevels) -> Result<Option<Sealed>, Error> {
    if engine.config.sketch.sampling.levels() == 1 {
        return Ok(None);
    }
    let memory = engine.budget.reserve_share(1, 1);
    let share = memory.bytes() / 4;
    let postings = counted_postings::sorted(engine, share)?;
    let blocks = blocks::by_block(engine, postings, share)?;
    let frequencies = blocks::frequencies(engine, sorted, blocks, share)?;
    let mut sorted = frequencies.finish()?;
    let mut writer = engine.writer::<FrequencyRecord>(PHASE, FREQUENCIES, FileKind::Frequencies)?;
    while let Some(record) = sorted.next()? {
        writer.push(&record.record())?;
    }
    writer.finish().map(Some).map_err(Error::from)
}
