//! Completes the counts of pairs whose sketches both have common shingles.
//!
//! A common shingle makes no pairs, but it counts in what two documents share. *Input.* The counts
//! of the shingles that are not common; the common shingles of each sketch. *Output.* `whole`: for
//! each pair that is counted or proposed, and of which both sides have common shingles, all that
//! their sketches share. *Algorithm.*
//!
//! 1. Merge the counted pairs with those that common shingles propose (`proposed`).
//! 2. Compare the common shingles of both, and add what they share (`compare`).
//!
//! The overlap of two documents never changes, so a run that follows another one takes over its
//! counts. *Memory.* The free budget: four bytes a document and half of the rest for the common
//! shingles, a quarter for the proposals; where pairs below a floor are left out, two bytes a
//! document. *Disk.* As far as memory does not hold them, 8 bytes for each common shingle of a
//! sketch.

use super::candidates::CandidatePairs;
use super::compare::{SetRule, compare};
use super::floor::{self, Counts};
use super::outputs::{CommonShingles, PHASE};
use super::proposed::{CommonOfDocuments, ProposedPairs};
use crate::expansion::MinShared;
use crate::memory;
use engine::{
    DocumentSet, Engine, Error,
    merge_levels::{KnownPairs, PairCounts},
};
use exact::{SetFeeder, SetOverlap, ShingleSet, Workplace};
use format::{RecordWriter, Sealed};
use model::PairCount;

/// Which pairs are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WrittenPairs {
    /// All.
    All,
    /// The pairs that may reach the floor of the configuration.
    AboveFloor,
}

/// Writes whole counts to `writer`. Takes the free memory.
pub(super) fn write(
    engine: &Engine<'_>,
    common: &CommonShingles,
    counted: PairCounts,
    known: KnownPairs<PairCount>,
    (written, writer): (WrittenPairs, RecordWriter<PairCount>),
) -> Result<Sealed, Error> {
    let documents = engine.segments()?.documents();
    let place = Workplace::of(engine, PHASE);
    let floor = match written {
        WrittenPairs::All => None,
        WrittenPairs::AboveFloor => floor::floor(engine, engine.budget.free_bytes(), documents),
    };
    let floor_memory = match floor {
        Some(floor) => Some(engine.budget.reserve("minimum overlaps", floor.bytes)?),
        None => None,
    };
    let min_shared = floor.map_or(Ok(MinShared::none()), |floor| {
        floor.min_shared(engine, &common.of_documents, Counts::Whole)
    })?;
    let has_common = DocumentSet::new(&engine.budget, documents);
    let feeder = SetFeeder::new(&place, documents)?;
    let has_common = store(engine, common, &feeder, has_common)?;
    let sets = feeder.finish()?;
    let memory = engine.budget.take(memory::PROPOSED);
    // The comparison leaves out documents without common shingles, too.
    let is_candidate = |pair: &PairCount| match &has_common {
        Some(has_common) => has_common.has(pair.a) && has_common.has(pair.b),
        None => true,
    };
    let proposed = ProposedPairs::find(engine, common, memory.bytes())?;
    let mut candidates = CandidatePairs::of(counted, is_candidate, proposed)?;
    let rule = SetRule {
        compare: |[a, b]: [ShingleSet<'_>; 2]| SetOverlap::of(a, b).shared,
        join: |one: u32, other: u32| one.saturating_add(other),
        record: |counted: PairCount, common| {
            let shared = counted.shared.saturating_add(common);
            let pair = PairCount { shared, ..counted };
            (shared > 0 && min_shared.keeps(&pair)).then_some(pair)
        },
    };
    let sealed = compare(&place, sets, || candidates.next(), known, rule, writer);
    drop((memory, floor_memory));
    sealed
}

/// Stores the common shingles of each sketch, and marks the documents that have some.
fn store(
    engine: &Engine<'_>,
    common: &CommonShingles,
    feeder: &SetFeeder<'_>,
    mut has_common: Option<DocumentSet>,
) -> Result<Option<DocumentSet>, Error> {
    let mut documents = CommonOfDocuments::open(engine, common)?;
    let mut sets = feeder.thread();
    while let Some((doc, shingles)) = documents.next_document()? {
        sets.push(doc, 0, shingles)?;
        if let Some(has_common) = &mut has_common {
            has_common.add(doc);
        }
    }
    Ok(has_common)
}
