//! Compares the pairs that share keys, sketch by sketch: the last step for sketches of a fixed
//! size.
//!
//! *Input.* The counts of the keys that pairs share; the sketches. *Output.* `compared`: the pairs
//! that reach the floor, by (a, b), with the counts of their sketches. *Algorithm.*
//!
//! 1. Store the sketches of all representatives, on all threads.
//! 2. A key in more documents than the limit makes few pairs, as a common shingle does
//!    (`proposed`). Merge these with the pairs that share enough keys (`candidates`). Where keys
//!    are the elements of sketches, their count says of most pairs that they cannot reach the floor
//!    (`ElementBound`).
//! 3. Compare the two sketches of each pair.
//!
//! No shingle is common: a sketch is compared whole, so `common` and `common-of-documents` are
//! empty files, and common keys are in files of their own. A run that follows another one takes
//! over its pairs. *Memory.* The free budget: four bytes a document, four more for the bound if
//! they are at most an eighth of it, half of the rest for sketches, and a quarter for proposals.
//! *Disk.* As far as memory does not hold them, 8 bytes for each element of a sketch.

use super::candidates::CandidatePairs;
use super::compare::{SetRule, compare};
use super::outputs::{COMMON, PHASE, PairsOutput, open_common_of};
use super::proposed::ProposedPairs;
use crate::memory;
use config::Common;
use engine::{
    COMMON_OF_DOCUMENTS, COMPARED, CommonCounts, Engine, Error,
    merge_levels::{KnownPairs, PairCounts},
    runtime::progress::Task,
    segments::{SegmentFile, Segments},
};
use exact::{SetFeeder, ShingleSet, Workplace};
use format::{CommonOfDocument, CommonRecord, FileKind, LinkRecord, Sealed};
use model::{KeyRule, PairCount, Ratio, Record, Threshold};
use sort::Reservation;
use std::sync::atomic::{AtomicU16, Ordering};

/// Writes the compared pairs. Takes the free memory.
pub(super) fn write(
    engine: &Engine<'_>,
    output: &PairsOutput,
    known: KnownPairs<LinkRecord>,
) -> Result<Sealed, Error> {
    let documents = engine.segments()?.documents();
    let place = Workplace::of(engine, PHASE);
    let bound = ElementBound::of(engine, documents, &output.common.of_documents)?;
    let feeder = SetFeeder::new(&place, documents)?;
    store(engine, &feeder, bound.as_ref())?;
    let sets = feeder.finish()?;
    let memory = engine.budget.take(memory::PROPOSED);
    let proposed = match engine.config.pairs.common {
        Common::Count => ProposedPairs::find(engine, &output.common, memory.bytes())?,
        Common::Drop => ProposedPairs::none(),
    };
    let now = engine.taken();
    let counted = PairCounts::of_levels(engine, &output.files, &now)?;
    let least = engine.config.sketch.sort_keys.least();
    let is_candidate = |pair: &PairCount| {
        let can_reach = |bound: &ElementBound| bound.can_reach(pair);
        pair.shared >= least && bound.as_ref().is_none_or(can_reach)
    };
    let mut candidates = CandidatePairs::of(counted, is_candidate, proposed)?;
    let (sampling, floor) = (engine.config.sketch.sampling, engine.config.floor());
    let rule = SetRule {
        compare: |[a, b]: [ShingleSet<'_>; 2]| sampling.compare_fixed(a.shingles, b.shingles),
        // A sketch of a fixed size is in one part.
        join: |one, _| one,
        record: |pair: PairCount, overlap: Option<model::Overlap>| {
            let overlap = overlap?;
            let ratio = overlap.shared_of_union();
            let is_high = floor.is_none_or(|floor| floor.reached_by(ratio));
            (overlap.shared > 0 && is_high).then_some(LinkRecord {
                a: pair.a,
                b: pair.b,
                shared: overlap.shared,
                size_a: overlap.size_a,
                size_b: overlap.size_b,
                modulus: overlap.modulus,
                reached: 0,
            })
        },
    };
    let writer = engine.writer(PHASE, COMPARED, FileKind::Links)?;
    compare(&place, sets, || candidates.next(), known, rule, writer)
}

/// Writes the files that say that no shingle is common.
pub(super) fn write_empty_files(engine: &Engine<'_>) -> Result<[Sealed; 2], Error> {
    Ok([
        empty::<CommonRecord>(engine, COMMON, FileKind::Common)?,
        empty::<CommonOfDocument>(engine, COMMON_OF_DOCUMENTS, FileKind::CommonOfDocuments)?,
    ])
}

fn empty<R: Record>(engine: &Engine<'_>, name: &str, kind: FileKind) -> Result<Sealed, Error> {
    let writer = engine.writer::<R>(PHASE, name, kind)?;
    writer.finish().map_err(Error::from)
}

/// Stores the sketches of all representatives, on all threads.
fn store(
    engine: &Engine<'_>,
    feeder: &SetFeeder<'_>,
    bound: Option<&ElementBound>,
) -> Result<(), Error> {
    let segments = engine.segments()?;
    let documents = u64::from(segments.documents());
    let task = engine.reporter.task(PHASE, "sketches", documents);
    let stored = segments
        .in_every_thread(|left| store_segments(engine, (feeder, bound), (&segments, left), &task));
    task.finish();
    stored.map(drop)
}

/// The work of one thread, on the segments that are left for it.
fn store_segments(
    engine: &Engine<'_>,
    (feeder, bound): (&SetFeeder<'_>, Option<&ElementBound>),
    (segments, left): (&Segments, &mut dyn Iterator<Item = usize>),
    task: &Task,
) -> Result<(), Error> {
    let mut sets = feeder.thread();
    let mut classes = engine.classes()?;
    let mut sketch: Vec<u64> = Vec::new();
    for segment in left {
        let mut rows = segments.rows_of(segment, SegmentFile::Sketches);
        // A sketch of a fixed size has one row.
        while let Some((doc, row)) = rows.next_sketch()? {
            if !classes.is_represented(doc)? {
                sketch.clear();
                sketch.extend(row.iter());
                sets.push(doc, 0, &sketch)?;
                if let Some(bound) = bound {
                    bound.sizes[doc as usize].store(sketch.len() as u16, Ordering::Relaxed);
                }
            }
        }
        task.add(u64::from(segments.documents_of(segment)));
    }
    Ok(())
}

/// Which pairs can reach the floor, by the elements that they are counted to share: of the elements
/// of the larger sketch, they share at most so many, and those that are common and in both.
struct ElementBound {
    floor: Threshold,
    /// Elements of the sketch of each document.
    sizes: Vec<AtomicU16>,
    /// How many common shingles each sketch has.
    common: Vec<u16>,
    _memory: Reservation,
}

impl ElementBound {
    /// `None` if counts are not of elements, there is no floor, or memory does not suffice.
    fn of(
        engine: &Engine<'_>,
        documents: u32,
        common_of: &Sealed,
    ) -> Result<Option<ElementBound>, Error> {
        let (documents, keys) = (documents as usize, engine.config.sketch.sort_keys);
        let Some(floor) = engine.config.floor().filter(|_| keys == KeyRule::Elements) else {
            return Ok(None);
        };
        let bytes = 2 * size_of::<u16>() * documents;
        if bytes > engine.budget.free_bytes() / 8 {
            return Ok(None);
        }
        let Ok(memory) = engine.budget.reserve("sizes of sketches", bytes) else {
            return Ok(None);
        };
        let mut counts = CommonCounts::of(open_common_of(engine, common_of)?)?;
        let mut common = vec![0; documents];
        for (doc, common) in (0..).zip(&mut common) {
            *common = u16::try_from(counts.count_of(doc)?).unwrap_or(u16::MAX);
        }
        Ok(Some(ElementBound {
            floor,
            sizes: (0..documents).map(|_| AtomicU16::new(0)).collect(),
            common,
            _memory: memory,
        }))
    }

    fn can_reach(&self, pair: &PairCount) -> bool {
        let [a, b] = [pair.a, pair.b].map(|doc| doc as usize);
        let [size_a, size_b] = [a, b].map(|doc| self.sizes[doc].load(Ordering::Relaxed));
        let shared = pair.shared + u32::from(self.common[a].min(self.common[b]));
        let of = size_a.max(size_b).max(1);
        self.floor
            .reached_by(Ratio::new(u64::from(shared), u64::from(of)))
    }
}
