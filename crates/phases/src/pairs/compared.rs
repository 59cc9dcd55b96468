//! Compares the pairs that share keys, sketch by sketch: the last step for sketches of a fixed
//! size.
//!
//! *Input.* The counts of the keys that pairs share; the sketches. *Output.* `compared`: the pairs
//! that reach the floor, by (a, b), with the counts of their sketches. *Algorithm.*
//!
//! 1. Store the sketches of all representatives, on all threads.
//! 2. A key in more documents than the limit makes no pair. So documents with such keys are paired
//!    as crowds are, if the configuration asks for it.
//! 3. Merge these pairs with those that share enough keys, and compare the two sketches of each.
//!
//! No shingle is common: a sketch is compared whole, so `common` and `lost` are empty files, and
//! the keys that made no pair are in files of their own. After an earlier run, all pairs are
//! compared again. *Memory.* The free budget: four bytes a document, half of the rest for sketches,
//! and a quarter for each of two sorts. *Disk.* As far as memory does not hold them, 8 bytes for
//! each element of a sketch.

use super::crowds;
use super::outputs::{COMMON, LOST, PHASE, PairsOutput};
use super::threads::in_every_thread;
use engine::merge_levels::{self, PairCounts};
use engine::segments::{SegmentFile, Segments};
use engine::{COMPARED, Engine, RepresentedLookup};
use format::{CommonRecord, FileKind, LinkRecord, LostRecord, Sealed};
use model::{Overlap, PairCount, Record, Words};
use runtime::{Error, progress::Task};
use sets::{CommonShingles, SetFeeder, Workplace};
use sort::{Distinct, Sorted};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Writes the compared pairs. Takes the free memory.
pub(super) fn write(engine: &Engine<'_>, output: &PairsOutput) -> Result<Sealed, Error> {
    let work = Error::work(PHASE);
    let documents = engine.segments()?.documents();
    let (place, common) = (Workplace::of(engine, PHASE), CommonShingles::none());
    let feeder = SetFeeder::new(&place, documents, &common)?;
    store(engine, &feeder)?;
    let memory = engine.budget.reserve_share(1, 1);
    let neighbours = crowds::neighbours(engine, &output.lost, &feeder, memory.bytes() / 2)?;
    let mut candidates = Candidates::of(engine, output, neighbours)?;
    let mut sets = feeder.finish()?;
    let mut writer = engine.writer::<LinkRecord>(PHASE, COMPARED, FileKind::Links)?;
    let (sampling, floor) = (engine.config.sketch.sampling, engine.config.floor());
    sets.compare_pairs(
        || candidates.next(),
        |[a, b]| sampling.compare_fixed(a.content, b.content),
        // A sketch of a fixed size is in one part.
        |one, _| one,
        |[a, b], overlap| {
            let Some(Overlap {
                shared,
                size_a,
                size_b,
                modulus,
            }) = overlap.flatten().filter(|overlap| {
                let ratio = overlap.shared_of_union();
                overlap.shared > 0 && floor.is_none_or(|floor| floor.reached_by(ratio))
            })
            else {
                return Ok(());
            };
            let pair = LinkRecord {
                a,
                b,
                shared,
                size_a,
                size_b,
                modulus,
                reached: 0,
            };
            writer.push(&pair).map_err(work)
        },
    )?;
    sets.remove()?;
    writer.finish().map_err(work)
}

/// Writes the files that say that no shingle is common.
pub(super) fn write_empty_files(engine: &Engine<'_>) -> Result<[Sealed; 2], Error> {
    Ok([
        empty::<CommonRecord>(engine, COMMON, FileKind::Common)?,
        empty::<LostRecord>(engine, LOST, FileKind::Lost)?,
    ])
}

fn empty<R: Record>(engine: &Engine<'_>, name: &str, kind: FileKind) -> Result<Sealed, Error> {
    let writer = engine.writer::<R>(PHASE, name, kind)?;
    writer.finish().map_err(Error::work(PHASE))
}

/// Stores the sketches of all representatives, on all threads.
fn store(engine: &Engine<'_>, feeder: &SetFeeder<'_>) -> Result<(), Error> {
    let segments = engine.segments()?;
    let documents = u64::from(segments.documents());
    let task = engine.reporter.task(PHASE, "sketches", documents);
    let next = AtomicUsize::new(0);
    let stored = in_every_thread(rayon::current_num_threads(), || {
        store_segments(engine, feeder, (&segments, &next), &task)
    });
    task.finish();
    stored.map(drop)
}

/// The work of one thread: segment after segment until none is left.
fn store_segments(
    engine: &Engine<'_>,
    feeder: &SetFeeder<'_>,
    (segments, next): (&Segments, &AtomicUsize),
    task: &Task,
) -> Result<(), Error> {
    let work = Error::work(PHASE);
    let mut sets = feeder.thread().map_err(work)?;
    let mut represented = RepresentedLookup::open(engine)?;
    let mut sketch: Vec<u64> = Vec::new();
    loop {
        let segment = next.fetch_add(1, Ordering::Relaxed);
        if segment >= segments.count() {
            return Ok(());
        }
        let mut rows = segments.rows_of(segment, SegmentFile::Sketches);
        // A sketch of a fixed size has one row.
        while let Some((doc, row)) = rows.next_sketch()? {
            represented.go_to(doc)?;
            if !represented.here {
                sketch.clear();
                sketch.extend(row.iter());
                sets.push(doc, 0, &sketch).map_err(work)?;
            }
        }
        task.add(u64::from(segments.documents_of(segment)));
    }
}

/// The pairs to be compared, in order, each once.
struct Candidates {
    counted: PairCounts,
    /// The counts read last, and how many of them were taken.
    batch: Vec<PairCount>,
    taken: usize,
    /// The fewest keys that a pair shares.
    least: u32,
    neighbours: Option<Sorted<Words<2>, Distinct>>,
    next: [Option<[u32; 2]>; 2],
}

impl Candidates {
    fn of(
        engine: &Engine<'_>,
        output: &PairsOutput,
        neighbours: Option<Sorted<Words<2>, Distinct>>,
    ) -> Result<Candidates, Error> {
        let now = merge_levels::taken(&engine.manifest());
        let mut candidates = Candidates {
            counted: PairCounts::of_levels(engine, &output.files, &now)?,
            batch: Vec::new(),
            taken: 0,
            least: engine.config.sketch.sort_keys.least(),
            neighbours,
            next: [None; 2],
        };
        candidates.next = [candidates.next_counted()?, candidates.next_neighbours()?];
        Ok(candidates)
    }

    /// The next pair that shares enough keys.
    fn next_counted(&mut self) -> Result<Option<[u32; 2]>, Error> {
        loop {
            let rest = &self.batch[self.taken..];
            if let Some(at) = rest.iter().position(|pair| pair.shared >= self.least) {
                self.taken += at + 1;
                return Ok(Some([rest[at].a, rest[at].b]));
            }
            let Some(slice) = self.counted.next_slice()? else {
                self.taken = self.batch.len();
                return Ok(None);
            };
            self.batch.clear();
            self.batch.extend_from_slice(slice);
            self.taken = 0;
        }
    }

    fn next_neighbours(&mut self) -> Result<Option<[u32; 2]>, Error> {
        let Some(neighbours) = &mut self.neighbours else {
            return Ok(None);
        };
        let next = neighbours.next().map_err(Error::work(PHASE))?;
        Ok(next.map(|Words(pair)| pair))
    }

    fn next(&mut self) -> Result<Option<[u32; 2]>, Error> {
        let next = self.next.into_iter().flatten().min();
        if next.is_some() {
            let [counted, neighbours] = self.next.map(|one| one == next);
            if counted {
                self.next[0] = self.next_counted()?;
            }
            if neighbours {
                self.next[1] = self.next_neighbours()?;
            }
        }
        Ok(next)
    }
}
