//! The overlap of two representatives, from their sketches: for pairs that were not counted,
//! because they were below the floor, or because only common shingles could have proposed them.
//!
//! *Input.* Pairs of documents in order, the sketches. *Output.* [`Recount`]s in order,
//! for pairs that share anything. *Algorithm.* The sketch of each document of a pair is stored, and
//! the two of each pair are compared ([`exact::SetStore`]). *Memory.* Three sorts of a third of a
//! share each, and half of the free budget for sketches. *Disk.* The sketches, if they do not fit.

use super::task::RemovalTask;
use engine::{COMMON_OF_DOCUMENTS, Error, PhaseName, segments::SegmentFile};
use exact::{SetFeeder, SetOverlap, ShingleSet};
use format::{CommonOfDocument, FileKind};
use model::{Overlap, Words, keyed, word_record};
use sort::{Lookup, SortedWords};

/// Two representatives, the lower one first.
pub type RepresentativePair = Words<2>;

/// The counts of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Recount {
    /// The higher representative.
    pub higher: u32,
    /// The lower one.
    pub lower: u32,
    /// Of the lower one and the higher one. Sizes and modulus are 0 if they are those of the two
    /// sketches.
    pub overlap: Overlap,
}

word_record! { Recount { higher, lower, overlap } }
keyed! { Recount: [u32; 2] = |recount| [recount.higher, recount.lower] }

/// Nothing was counted.
const UNCOUNTED: Overlap = Overlap {
    shared: 0,
    size_a: 0,
    size_b: 0,
    modulus: 0,
};

/// Counts what pairs share.
pub fn recount(
    task: &RemovalTask<'_>,
    mut pairs: SortedWords<RepresentativePair>,
) -> Result<SortedWords<Recount>, Error> {
    let sorts = task.in_parts(3);
    let mut counts = sorts.sorter::<Recount>("recounted");
    let mut wanted = sorts.by_document::<Words<1>>("wanted");
    let mut by_higher = sorts.by_document::<RepresentativePair>("by-higher");
    let mut last = None;
    while let Some(pair) = pairs.next()? {
        if last.replace(pair) != Some(pair) {
            let Words([lower, higher]) = pair;
            wanted.push(Words([lower]))?;
            wanted.push(Words([higher]))?;
            by_higher.push(Words([higher, lower]))?;
        }
    }
    drop(pairs);
    if last.is_none() {
        return counts.finish().map_err(Error::from);
    }
    let sampling = task.engine.config.sketch.sampling;
    let documents = task.scratch.documents;
    let feeder = SetFeeder::new(&task.workplace(), documents)?;
    store(task, wanted.finish()?, &feeder)?;
    let mut sets = feeder.finish()?;
    let mut by_higher = by_higher.finish()?;
    sets.compare_pairs(
        || {
            let pair = by_higher.next()?;
            Ok(pair.map(|Words([higher, lower])| [lower, higher]))
        },
        |[a, b]: [ShingleSet<'_>; 2]| match sampling.has_fixed_size() {
            true => sampling
                .compare_fixed(a.shingles, b.shingles)
                .unwrap_or(UNCOUNTED),
            false => Overlap {
                shared: SetOverlap::of(a, b).shared,
                ..UNCOUNTED
            },
        },
        // A sketch of a fixed size is in one part.
        |one, other| Overlap {
            shared: one.shared + other.shared,
            ..UNCOUNTED
        },
        |[lower, higher], counted| match counted {
            Some(overlap) if overlap.shared > 0 || overlap.modulus > 0 => {
                Ok(counts.push(Recount {
                    higher,
                    lower,
                    overlap,
                })?)
            }
            _ => Ok(()),
        },
    )?;
    sets.remove()?;
    counts.finish().map_err(Error::from)
}

/// Stores the sketches of documents.
fn store(
    task: &RemovalTask<'_>,
    mut wanted: SortedWords<Words<1>>,
    feeder: &SetFeeder<'_>,
) -> Result<(), Error> {
    let mut sketches = AscendingSketches::open(task)?;
    let (kind, is_lossy) = (
        FileKind::CommonOfDocuments,
        task.engine.config.drops_common(),
    );
    let reader = || {
        let engine = task.engine;
        engine.reader::<CommonOfDocument>(PhaseName::Pairs, COMMON_OF_DOCUMENTS, kind)
    };
    let mut dropped = Lookup::over(is_lossy.then(reader).transpose()?)?;
    let mut sets = feeder.thread();
    let mut last = None;
    while let Some(Words([doc])) = wanted.next()? {
        if last.replace(doc) == Some(doc) {
            continue;
        }
        let sketch = sketches.of(doc)?;
        while let Some(common) = dropped.next_of(doc)? {
            if let Ok(at) = sketch.binary_search(&common.shingle) {
                sketch.remove(at);
            }
        }
        if !sketch.is_empty() {
            sets.push(doc, 0, sketch)?;
        }
    }
    Ok(())
}

/// Sketches of documents asked for in ascending order.
struct AscendingSketches {
    rows: engine::segments::SegmentRows,
    fingerprints: Vec<u64>,
    /// The first fingerprints of the document after it.
    next: Option<(u32, Vec<u64>)>,
}

impl AscendingSketches {
    fn open(task: &RemovalTask<'_>) -> Result<AscendingSketches, Error> {
        let rows = task.engine.segments()?.rows(SegmentFile::Sketches);
        Ok(AscendingSketches {
            rows,
            fingerprints: Vec::new(),
            next: None,
        })
    }

    /// Nothing if it has no sketch.
    fn of(&mut self, wanted: u32) -> Result<&mut Vec<u64>, Error> {
        self.fingerprints.clear();
        if self.next.as_ref().is_none_or(|(doc, _)| *doc < wanted) {
            self.next = None;
            self.rows.skip_segments(wanted);
        }
        if let Some((_, first)) = self.next.take_if(|(doc, _)| *doc == wanted) {
            self.fingerprints = first;
        }
        while self.next.is_none() {
            let Some((doc, row)) = self.rows.next_sketch()? else {
                break;
            };
            if doc == wanted {
                self.fingerprints.extend(row.iter());
            } else if doc > wanted {
                self.next = Some((doc, row.iter().collect()));
            }
        }
        Ok(&mut self.fingerprints)
    }
}
