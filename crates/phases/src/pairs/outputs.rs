//! The files of the phase `pairs`, and how sorted records get into them.

use engine::Engine;
use format::{CommonRecord, FileKind, LostRecord, MergeLevel, Sealed};
use model::{Record, Sampling};
use runtime::{Error, PhaseName};
use sort::{Combine, Sorter};
use std::collections::BTreeMap;

/// The phase, for errors, progress and its directory.
pub(super) const PHASE: PhaseName = PhaseName::Pairs;

/// First part of the names of files of pair counts.
pub(super) const STEM: &str = "pairs";
/// The file of common shingles.
pub(super) const COMMON: &str = "common";
/// The file of the losses of sketches to common shingles.
pub(super) const LOST: &str = "lost";
/// The file of the pairs of crowds.
pub(super) const CROWDS: &str = "crowds";

/// The names of the files of common keys and of what sketches lose to them. Where sketches are
/// compared whole, nothing is lost, and the files are for this phase only.
pub(super) fn file_names(engine: &Engine<'_>) -> [&'static str; 2] {
    if engine.config.sketch.sampling.has_fixed_size() {
        ["common-keys", "lost-keys"]
    } else {
        [COMMON, LOST]
    }
}

/// The files and figures of a run of the phase.
pub(super) struct PairsOutput {
    /// Files of pair counts.
    pub(super) files: Vec<MergeLevel>,
    pub(super) common: Sealed,
    pub(super) lost: Sealed,
    /// `None` if every sketch keeps the same sample.
    pub(super) frequencies: Option<Sealed>,
    /// `None` if they are not known.
    pub(super) new_pairs: Option<NewPairs>,
    /// Older documents that lost other shingles than before; `None` if this is not known.
    pub(super) affected: Option<Sealed>,
    /// The pairs of crowds; `None` if they are not looked for.
    pub(super) crowds: Option<Sealed>,
    /// The files of sketches that were compared, if they were.
    pub(super) compared: Vec<Sealed>,
    /// The figures of the run by name.
    pub(super) counts: BTreeMap<String, u64>,
}

/// The file of the pairs that no run has judged as they are now.
pub(super) struct NewPairs {
    /// The lowest document of this step.
    pub(super) first_document: u32,
    pub(super) file: Sealed,
    /// How many of the pairs there were before.
    pub(super) again: u64,
}

/// A common shingle.
pub(super) fn common_record(shingle: u64, documents: u64, example: u32) -> CommonRecord {
    CommonRecord {
        shingle,
        documents: u32::try_from(documents).unwrap_or(u32::MAX),
        example,
    }
}

/// A shingle that the sketch of a document loses.
pub(super) fn lost_record(sampling: Sampling, doc: u32, shingle: u64) -> LostRecord {
    LostRecord {
        doc,
        level: sampling.coarsest_level_of(shingle) as u8,
        count: 1,
    }
}

/// Ends a sort and writes its records to a file of the phase.
pub(super) fn write_sorted<R: Record, C: Combine<R>>(
    engine: &Engine<'_>,
    sorter: Sorter<R, C>,
    name: &str,
    kind: FileKind,
) -> Result<Sealed, Error> {
    let work = Error::work(PHASE);
    let mut sorted = sorter.finish().map_err(work)?;
    let mut writer = engine.writer::<R>(PHASE, name, kind)?;
    while let Some(records) = sorted.next_slice().map_err(work)? {
        writer.push_all(records).map_err(work)?;
    }
    writer.finish().map_err(work)
}
