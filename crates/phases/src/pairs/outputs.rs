//! The files of the phase `pairs`, and how sorted records get into them.

use engine::{COMMON_OF_DOCUMENTS, Engine, Error, PhaseName, figures::PairsFigures};
use format::{CommonOfDocument, CommonRecord, FileKind, MergeLevel, RecordReader, Sealed};
use model::Record;
use sort::{Combine, Sorter};

/// The phase, for errors, progress and its directory.
pub(super) const PHASE: PhaseName = PhaseName::Pairs;

/// First part of the names of files of pair counts.
pub(super) const STEM: &str = "pairs";
/// The file of common shingles.
pub(super) const COMMON: &str = "common";

/// The names of the files of common shingles and of those of each sketch. Where keys are no
/// shingles, the files are for this phase only.
pub(super) fn file_names(engine: &Engine<'_>) -> [&'static str; 2] {
    if engine.config.sketch.sampling.has_fixed_size() {
        ["common-keys", "common-keys-of-documents"]
    } else {
        [COMMON, COMMON_OF_DOCUMENTS]
    }
}

/// The common shingles.
pub(super) struct CommonShingles {
    pub(super) list: Sealed,
    /// The common shingles of each sketch.
    pub(super) of_documents: Sealed,
}

/// The files and figures of a run of the phase.
pub(super) struct PairsOutput {
    /// Files of pair counts.
    pub(super) files: Vec<MergeLevel>,
    pub(super) common: CommonShingles,
    /// The whole counts of pairs; `None` if those of the files are whole.
    pub(super) whole: Option<Sealed>,
    /// The signed counts that this run added to those of the run that it follows.
    pub(super) changes: Option<MergeLevel>,
    /// `None` if they are not known.
    pub(super) new_pairs: Option<NewPairs>,
    /// Older documents whose pairs may have changed; `None` if they are not known.
    pub(super) affected: Option<Sealed>,
    /// The files of sketches that were compared, if they were.
    pub(super) compared: Vec<Sealed>,
    pub(super) figures: PairsFigures,
}

/// The file of the pairs that no run has judged as they are now.
pub(super) struct NewPairs {
    /// The lowest document of this step.
    pub(super) first_document: u32,
    pub(super) file: Sealed,
    /// How many pairs there are besides; `None` if they are all that there were before.
    pub(super) others: Option<u64>,
}

/// A common shingle.
pub(super) fn common_record(shingle: u64, documents: u64, example: u32) -> CommonRecord {
    CommonRecord {
        shingle,
        documents: u32::try_from(documents).unwrap_or(u32::MAX),
        example,
    }
}

/// Opens the file of the common shingles of each sketch.
pub(super) fn open_common_of(
    engine: &Engine<'_>,
    sealed: &Sealed,
) -> Result<RecordReader<CommonOfDocument>, Error> {
    engine.open(PHASE, sealed, FileKind::CommonOfDocuments)
}

/// Ends a sort and writes its records to a file of the phase.
pub(super) fn write_sorted<R: Record, C: Combine<R>>(
    engine: &Engine<'_>,
    sorter: Sorter<R, C>,
    name: &str,
    kind: FileKind,
) -> Result<Sealed, Error> {
    let mut sorted = sorter.finish()?;
    let mut writer = engine.writer::<R>(PHASE, name, kind)?;
    while let Some(records) = sorted.next_slice()? {
        writer.push_all(records)?;
    }
    writer.finish().map_err(Error::from)
}
