//! What two representatives share, from their sketches: for pairs that were below the floor, and so
//! were not counted.
//!
//! *Input.* Pairs of documents in order, the sketches, the common shingles. *Output.* ⟨higher,
//! lower, shared⟩ in order, for pairs that share anything. *Algorithm.* Each shingle of either
//! document is written beside the pair, once with the lower ones in turn and once with the higher;
//! sorted by shingle, the common ones are left out, and a pair that stands there twice shares it.
//! *Memory.* Three sorts of a third of a share each, and the largest sketch. *Disk.* 16 bytes for
//! each shingle of each pair, if they do not fit.

use crate::task::Task;
use engine::segments::SegmentFile;
use format::{CommonRecord, FileKind};
use model::Words;
use runtime::{Error, PhaseName};
use sort::{SortedWords, WordSorter};

/// ⟨lower representative, higher representative⟩.
pub(crate) type Pair = Words<2>;

/// ⟨shingle in two halves, higher representative, lower representative⟩.
type PairShingle = Words<4>;

/// Counts what pairs share.
pub(crate) fn recount(
    task: &Task<'_>,
    mut pairs: SortedWords<Pair>,
) -> Result<SortedWords<Words<3>>, Error> {
    let share = task.share_bytes / 3;
    let mut prints = task.sorter::<PairShingle>("prints", share);
    let mut by_higher = task.sorter::<Pair>("by-higher", share);
    let mut sketches = Sketches::open(task)?;
    let mut last = None;
    while let Some(pair) = pairs.next()? {
        if last.replace(pair) == Some(pair) {
            continue;
        }
        let Words([lower, higher]) = pair;
        put(&mut prints, sketches.of(lower)?, [higher, lower])?;
        by_higher.push(Words([higher, lower]))?;
    }
    drop(pairs);
    let mut by_higher = by_higher.finish()?;
    let mut sketches = Sketches::open(task)?;
    while let Some(Words([higher, lower])) = by_higher.next()? {
        put(&mut prints, sketches.of(higher)?, [higher, lower])?;
    }
    drop(by_higher);
    shared(task, prints.finish()?)
}

fn put(
    prints: &mut WordSorter<PairShingle>,
    of: &[u64],
    [higher, lower]: [u32; 2],
) -> Result<(), Error> {
    let print = |print: &u64| Words([(print >> 32) as u32, *print as u32, higher, lower]);
    of.iter()
        .try_for_each(|one| prints.push(print(one)))
        .map_err(Error::from)
}

/// Shingles that stand twice beside a pair, and are not common.
fn shared(
    task: &Task<'_>,
    mut prints: SortedWords<PairShingle>,
) -> Result<SortedWords<Words<3>>, Error> {
    let mut both = task.sorter::<Pair>("both", task.share_bytes / 3);
    let mut common =
        task.engine
            .reader::<CommonRecord>(PhaseName::Pairs, "common", FileKind::Common)?;
    let mut next_common = common.next()?;
    let mut last = None;
    while let Some(print) = prints.next()? {
        let Words([high, low, higher, lower]) = print;
        let shingle = u64::from(high) << 32 | u64::from(low);
        while next_common.is_some_and(|common| common.shingle < shingle) {
            next_common = common.next()?;
        }
        let is_twice = last.replace(print) == Some(print);
        if is_twice && next_common.is_none_or(|common| common.shingle != shingle) {
            both.push(Words([higher, lower]))?;
        }
    }
    drop(prints);
    let mut both = both.finish()?;
    let mut sums = task.sorter::<Words<3>>("shared", task.share_bytes / 3);
    let mut sum: Option<[u32; 3]> = None;
    while let Some(Words([higher, lower])) = both.next()? {
        match &mut sum {
            Some([a, b, shared]) if (*a, *b) == (higher, lower) => *shared += 1,
            _ => {
                let done = sum.replace([higher, lower, 1]);
                done.map_or(Ok(()), |done| sums.push(Words(done)))?;
            }
        }
    }
    sum.map_or(Ok(()), |done| sums.push(Words(done)))?;
    sums.finish().map_err(Error::from)
}

/// Sketches of documents asked for in ascending order.
struct Sketches {
    rows: engine::segments::SegmentRows,
    doc: u32,
    fingerprints: Vec<u64>,
    /// The first fingerprints of the document after it.
    next: Option<(u32, Vec<u64>)>,
}

impl Sketches {
    fn open(task: &Task<'_>) -> Result<Sketches, Error> {
        let rows = task.engine.segments()?.rows(SegmentFile::Sketches);
        Ok(Sketches {
            rows,
            doc: u32::MAX,
            fingerprints: Vec::new(),
            next: None,
        })
    }

    /// Nothing if it has no sketch.
    fn of(&mut self, wanted: u32) -> Result<&[u64], Error> {
        if self.doc == wanted {
            return Ok(&self.fingerprints);
        }
        (self.doc, self.fingerprints) = (wanted, Vec::new());
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
        Ok(&self.fingerprints)
    }
}
