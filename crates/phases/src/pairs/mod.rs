//! Counts the shingles that documents share: sorted postings → sorted pair counts, common shingles.
//!
//! The algorithm is in the module [`crate::expansion`], whose documentation has a diagram of the
//! forms that a group of documents takes on the way. The files here read and write these forms, and
//! share the work out among threads:
//!
//! 1. Read the postings, a shard for each thread at a time; each group becomes a list of documents,
//!    or its shingle is common. With a floor, lists are deferred until it is known which shingles
//!    are common; without one, they are partitioned at once. `from_scratch`, `groups`, `deferred`.
//! 2. With a floor, remove documents below their minimum overlap from the lists, then partition the
//!    lists by their lower documents. `floor`, `deferred`, `list_partitions`, `list_file`.
//! 3. Count the pairs of a range of lower documents in memory, and write them in the order of the
//!    ranges. `range_queue`, `ordered_writer`.
//! 4. Complete the counts of pairs whose sketches both have common shingles, and of few others that
//!    these shingles propose. `whole`, `proposed`, `candidates`, `compare`.
//! 5. Compare sketches of a fixed size; the counts of steps 1 to 3 only say which. `compared`.
//!
//! The output does not depend on partitions, ranges and threads. If an earlier run has counted most
//! pairs, only the groups that changed are expanded: `incremental`, `changed_groups`.

mod all_postings;
mod candidates;
mod changed_groups;
mod compare;
mod compared;
mod deferred;
mod floor;
mod from_scratch;
mod groups;
mod imported;
mod incremental;
mod list_file;
mod list_partitions;
mod new_pairs;
mod ordered_writer;
mod outputs;
mod proposed;
mod range_queue;
mod threads;
mod whole;

pub use from_scratch::{write_all, write_rare};
pub use imported::{ImportedPairs, config_of_job, hand_over, refusals, shards_of_job};

use engine::{
    COMMON_OF_DOCUMENTS, COMPARED, Engine, Error, PhaseName,
    figures::PairsLevels,
    merge_levels::{
        self, AFFECTED, DocumentRecord, EarlierLevels, KnownPairs, NEW_PAIRS, PairCounts, WHOLE,
    },
};
use format::{FileKind, MergeLevels, PhaseFigures, PhaseRecord};
use outputs::{COMMON, PHASE, PairsOutput};

/// Runs the phase: counts the pairs that changed since the last run, or else all pairs, or takes
/// the pair counts of other machines.
///
/// # Errors
/// When files cannot be read or written, or the run is interrupted; when those pair counts do not
/// fit.
pub fn run(engine: &Engine<'_>, imported: Option<&ImportedPairs>) -> Result<PhaseRecord, Error> {
    let sorted = engine.levels(PhaseName::Sort).unwrap_or_default();
    // Pairs that were left out below an earlier floor may be above the present one.
    let has_all = engine.config.counted_floor().is_none();
    let earlier = merge_levels::earlier(engine, PHASE).filter(|earlier| {
        imported.is_none() && has_all && incremental::can_follow(earlier, &sorted)
    });
    let step = earlier
        .as_ref()
        .map_or(1, |earlier| earlier.levels.step + 1);
    let config = engine.config;
    let is_compared = config.sketch.sampling.has_fixed_size();
    // The present files get the same names.
    let compared_before = known(
        engine,
        &earlier,
        &name_of_compared(COMPARED),
        FileKind::Links,
    )?;
    let [whole_before, whole_then] = [
        known(engine, &earlier, WHOLE, FileKind::Pairs),
        known(engine, &earlier, WHOLE, FileKind::Pairs),
    ];
    let changed = match &earlier {
        Some(earlier) => incremental::changed(engine, step, earlier, &sorted)?,
        None => None,
    };
    let (step, mut output) = match changed {
        Some(output) => (step, output),
        None => {
            merge_levels::forget(engine, PHASE)?;
            // Links are judged step by step, too, and steps count anew.
            merge_levels::forget(engine, PhaseName::Cluster)?;
            merge_levels::forget_source(engine, PhaseName::Settle)?;
            (1, from_scratch::from_scratch(engine, 1, &sorted, imported)?)
        }
    };
    if is_compared {
        let compared = compared::write(engine, &output, compared_before)?;
        output.figures.compared_pairs = compared.records;
        output.compared.push(compared);
        output.compared.extend(compared::write_empty_files(engine)?);
    } else if !config.drops_common() && output.common.list.records > 0 {
        let now = engine.taken();
        let counted = PairCounts::of_levels(engine, &output.files, &now)?;
        let writer = engine.writer(PHASE, WHOLE, FileKind::Pairs)?;
        let written = (whole::WrittenPairs::AboveFloor, writer);
        let whole = whole::write(engine, &output.common, counted, whole_before?, written)?;
        output.figures.whole_pairs = whole.records;
        output.whole = Some(whole);
    }
    if let Some(earlier) = earlier.filter(|_| !is_compared) {
        output.new_pairs = new_pairs::write(engine, &earlier, &output, whole_then?)?;
    }
    let mut figures = output.figures;
    let kept = levels_of(engine, &sorted, step, output);
    let outputs = merge_levels::outputs(&kept);
    figures.pairs = kept.files.iter().map(|level| level.sealed.records).sum();
    engine.keep_levels(PHASE, kept);
    Ok(PhaseRecord {
        outputs,
        figures: PhaseFigures::of(&figures),
        ..PhaseRecord::default()
    })
}

/// The results of an earlier run for pairs.
fn known<R: DocumentRecord>(
    engine: &Engine<'_>,
    earlier: &Option<EarlierLevels>,
    name: &str,
    kind: FileKind,
) -> Result<KnownPairs<R>, Error> {
    let levels = earlier.as_ref().map(|earlier| &earlier.levels);
    let file = levels.and_then(|levels| Some((levels, levels.others.get(name)?)));
    merge_levels::known_pairs(engine, PHASE, kind, file)
}

/// The name of a file of compared sketches among the others, which no other file has.
fn name_of_compared(file: &str) -> String {
    format!("compared/{file}")
}

/// The manifest's record of the files, from which the next run goes on.
fn levels_of(
    engine: &Engine<'_>,
    sorted: &MergeLevels,
    step: u64,
    output: PairsOutput,
) -> MergeLevels {
    let PairsOutput {
        files,
        common,
        whole,
        changes: _,
        new_pairs,
        affected,
        compared,
        figures,
    } = output;
    let figures = PairsLevels {
        figures,
        new_pairs_from: new_pairs.as_ref().map(|new_pairs| new_pairs.first_document),
        other_pairs: new_pairs.as_ref().and_then(|new_pairs| new_pairs.others),
    };
    let others = [
        (COMMON, Some(common.list)),
        (COMMON_OF_DOCUMENTS, Some(common.of_documents)),
        (WHOLE, whole),
        (AFFECTED, affected),
        (NEW_PAIRS, new_pairs.map(|new_pairs| new_pairs.file)),
    ];
    MergeLevels {
        parameters: engine.parameters_of(PHASE),
        base: sorted.base.clone(),
        step,
        source_step: sorted.step,
        snapshots: engine.taken(),
        files,
        others: others
            .into_iter()
            .filter_map(|(name, sealed)| Some((name.to_owned(), sealed?)))
            .chain(
                compared
                    .into_iter()
                    .map(|sealed| (name_of_compared(&sealed.name), sealed)),
            )
            .collect(),
        figures: PhaseFigures::of(&figures),
    }
}
