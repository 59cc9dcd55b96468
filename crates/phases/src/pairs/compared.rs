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
//!    Where keys are the elements of sketches, their count says of most pairs that they cannot
//!    reach the floor (`ElementBound`).
//!
//! No shingle is common: a sketch is compared whole, so `common` and `lost` are empty files, and
//! the keys that made no pair are in files of their own. A run that follows another one takes over
//! its pairs and compares those with a new document, if no key of an older document became common
//! or ceased to be, and no document was dropped; else all pairs. *Memory.* The free budget: four
//! bytes a document, four more for the bound if they are at most an eighth of it, half of the rest
//! for sketches, and a quarter for each of two sorts. *Disk.* As far as memory does not hold them,
//! 8 bytes for each element of a sketch.

use super::crowds::{self, EarlierCrowds, Following};
use super::outputs::{COMMON, LOST, PHASE, PairsOutput};
use super::pair_writer::PairWriter;
use config::Crowds;
use engine::merge_levels::{self, PairCounts};
use engine::segments::{SegmentFile, Segments};
use engine::{COMPARED, Engine, Output, RepresentedLookup};
use format::{CommonRecord, FileKind, LostRecord, RecordReader, Sealed};
use model::{KeyRule, PairCount, Ratio, Record, Threshold, Words};
use runtime::{Error, progress::Task};
use sets::{CommonShingles, SetFeeder, Workplace};
use sort::{Distinct, Reservation, Sorted};
use std::sync::atomic::{AtomicU16, Ordering};

/// Writes the compared pairs. Takes the free memory.
pub(super) fn write(
    engine: &Engine<'_>,
    output: &PairsOutput,
    earlier: Option<EarlierCrowds>,
) -> Result<Sealed, Error> {
    let documents = engine.segments()?.documents();
    let (place, common) = (Workplace::of(engine, PHASE), CommonShingles::none());
    // Pairs of older documents may have changed, unless there is a file of new ones.
    let earlier = earlier.filter(|_| output.new_pairs.is_some());
    let following = Following::of(engine, &output.lost, earlier)?;
    let bound = ElementBound::of(engine, documents, &output.lost)?;
    let feeder = SetFeeder::new(&place, documents, &common)?;
    store(engine, &feeder, bound.as_ref())?;
    let memory = engine.budget.reserve_share(1, 1);
    let neighbours = if engine.config.pairs.crowds == Crowds::Drop || output.lost.records == 0 {
        None
    } else {
        let (lost, share) = (&output.lost, memory.bytes() / 2);
        Some(crowds::neighbours(engine, lost, &feeder, share, following.as_ref())?.0)
    };
    let mut candidates = Candidates {
        counted: match &following {
            None => {
                let now = merge_levels::taken(&engine.manifest());
                PairCounts::of_levels(engine, &output.files, &now)?
            }
            Some(_) => new_pairs(engine, output)?,
        },
        batch: Vec::new(),
        taken: 0,
        least: engine.config.sketch.sort_keys.least(),
        bound,
        neighbours,
        next: [None; 2],
    };
    candidates.next = [candidates.next_counted()?, candidates.next_neighbours()?];
    let mut sets = feeder.finish()?;
    let earlier = following.map(|following| following.pairs);
    let mut writer = PairWriter::new(engine, COMPARED, engine.config.floor(), earlier)?;
    let sampling = engine.config.sketch.sampling;
    sets.compare_pairs(
        || candidates.next(),
        |[a, b]| sampling.compare_fixed(a.content, b.content),
        // A sketch of a fixed size is in one part.
        |one, _| one,
        |pair, overlap| match overlap.flatten() {
            Some(overlap) => writer.push(pair, overlap),
            None => Ok(()),
        },
    )?;
    sets.remove()?;
    writer.finish()
}

/// The counts of the pairs with a document of this step.
fn new_pairs(engine: &Engine<'_>, output: &PairsOutput) -> Result<PairCounts, Error> {
    let Some(new_pairs) = &output.new_pairs else {
        return PairCounts::of_levels(engine, &[], &[]);
    };
    let (dir, kind) = (engine.dir(PHASE), FileKind::Pairs);
    let reader = RecordReader::open_sealed(&engine.disk, &dir, &new_pairs.file, kind);
    let reader = reader.map_err(Error::work(PHASE))?;
    Ok(PairCounts::of_file(Output::of(reader, PHASE)))
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
    let work = Error::work(PHASE);
    let mut sets = feeder.thread().map_err(work)?;
    let mut represented = RepresentedLookup::open(engine)?;
    let mut sketch: Vec<u64> = Vec::new();
    for segment in left {
        let mut rows = segments.rows_of(segment, SegmentFile::Sketches);
        // A sketch of a fixed size has one row.
        while let Some((doc, row)) = rows.next_sketch()? {
            represented.go_to(doc)?;
            if !represented.here {
                sketch.clear();
                sketch.extend(row.iter());
                sets.push(doc, 0, &sketch).map_err(work)?;
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
    /// Those that are common.
    common: Vec<u16>,
    _memory: Reservation,
}

impl ElementBound {
    /// `None` if counts are not of elements, there is no floor, or memory does not suffice.
    fn of(
        engine: &Engine<'_>,
        documents: u32,
        lost: &Sealed,
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
        let mut common = vec![0; documents];
        let dir = engine.dir(PHASE);
        let lost = RecordReader::open_sealed(&engine.disk, &dir, lost, FileKind::Lost);
        let mut lost = Output::of(lost.map_err(Error::work(PHASE))?, PHASE);
        while let Some(LostRecord { doc, count, .. }) = lost.next()? {
            common[doc as usize] += u16::try_from(count).unwrap_or(u16::MAX);
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

/// The pairs to be compared, in order, each once.
struct Candidates {
    counted: PairCounts,
    /// The counts read last, and how many of them were taken.
    batch: Vec<PairCount>,
    taken: usize,
    /// The fewest keys that a pair shares.
    least: u32,
    bound: Option<ElementBound>,
    neighbours: Option<Sorted<Words<2>, Distinct>>,
    next: [Option<[u32; 2]>; 2],
}

impl Candidates {
    /// The next pair that shares enough keys.
    fn next_counted(&mut self) -> Result<Option<[u32; 2]>, Error> {
        loop {
            let is_candidate = |pair: &PairCount| {
                let can_reach = |bound: &ElementBound| bound.can_reach(pair);
                pair.shared >= self.least && self.bound.as_ref().is_none_or(can_reach)
            };
            let rest = &self.batch[self.taken..];
            if let Some(at) = rest.iter().position(is_candidate) {
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
