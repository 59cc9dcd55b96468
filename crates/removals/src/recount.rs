//! What two representatives share, from their sketches: for pairs that were below the floor, and so
//! were not counted.
//!
//! *Input.* Pairs of documents in order, the sketches, the common shingles. *Output.* ⟨higher,
//! lower, shared⟩ in order, for pairs that share anything. *Algorithm.* Each shingle of either
//! document is written beside the pair, once with the lower ones in turn and once with the higher;
//! sorted by shingle, the common ones are left out, and a pair that stands there twice shares it.
//! Sketches of a fixed size are sorted by pair instead, and compared.
//! *Memory.* Three sorts of a third of a share each, and the largest sketch. *Disk.* 16 bytes for
//! each shingle of each pair, if they do not fit.

use crate::task::Task;
use engine::segments::SegmentFile;
use format::{CommonRecord, FileKind, FormatError};
use model::{Overlap, Words};
use runtime::{Error, PhaseName};
use sort::SortedWords;

/// ⟨lower representative, higher representative⟩.
pub(crate) type Pair = Words<2>;

/// ⟨shingle in two halves, higher representative, lower representative⟩.
type PairShingle = Words<4>;

/// The counts of a pair: ⟨higher representative, lower, shared, size of the lower, of the higher,
/// modulus⟩. Sizes and modulus are 0 if they are those of the two sketches.
pub(crate) type Recount = Words<6>;

/// ⟨higher representative, lower, whether the element is of the higher, element in two halves⟩.
type PairElement = Words<5>;

/// Counts what pairs share.
pub(crate) fn recount(
    task: &Task<'_>,
    pairs: SortedWords<Pair>,
) -> Result<SortedWords<Recount>, Error> {
    let share = task.share_bytes / 3;
    let halves = |one: u64| [(one >> 32) as u32, one as u32];
    if task.engine.config.sketch.sampling.has_fixed_size() {
        let mut elements = task.sorter::<PairElement>("elements", share);
        each_sketch(task, pairs, |[higher, lower], is_higher, one| {
            let [high, low] = halves(one);
            elements.push(Words([higher, lower, u32::from(is_higher), high, low]))
        })?;
        return compared(task, elements.finish()?);
    }
    let mut prints = task.sorter::<PairShingle>("prints", share);
    each_sketch(task, pairs, |[higher, lower], _, one| {
        let [high, low] = halves(one);
        prints.push(Words([high, low, higher, lower]))
    })?;
    shared(task, prints.finish()?)
}

/// Calls `put` with each element of the lower sketches of pairs, then with each of the higher ones.
/// A pair is ⟨higher, lower⟩.
fn each_sketch(
    task: &Task<'_>,
    mut pairs: SortedWords<Pair>,
    mut put: impl FnMut([u32; 2], bool, u64) -> Result<(), FormatError>,
) -> Result<(), Error> {
    let mut by_higher = task.sorter::<Pair>("by-higher", task.share_bytes / 3);
    let mut sketches = Sketches::open(task)?;
    let mut last = None;
    while let Some(pair) = pairs.next()? {
        if last.replace(pair) == Some(pair) {
            continue;
        }
        let Words([lower, higher]) = pair;
        let mut sketch = sketches.of(lower)?.iter();
        sketch.try_for_each(|one| put([higher, lower], false, *one))?;
        by_higher.push(Words([higher, lower]))?;
    }
    drop(pairs);
    let mut by_higher = by_higher.finish()?;
    let mut sketches = Sketches::open(task)?;
    while let Some(Words(pair)) = by_higher.next()? {
        let mut sketch = sketches.of(pair[0])?.iter();
        sketch.try_for_each(|one| put(pair, true, *one))?;
    }
    Ok(())
}

/// Compares the two sketches of each pair, which have a fixed size.
fn compared(
    task: &Task<'_>,
    mut elements: SortedWords<PairElement>,
) -> Result<SortedWords<Recount>, Error> {
    let sampling = task.engine.config.sketch.sampling;
    let mut counts = task.sorter::<Recount>("compared", task.share_bytes / 3);
    let mut sketches = [Vec::new(), Vec::new()];
    let mut next = elements.next()?;
    while let Some(Words([higher, lower, is_higher, high, low])) = next {
        sketches[is_higher as usize].push(u64::from(high) << 32 | u64::from(low));
        next = elements.next()?;
        if next.is_some_and(|Words(next)| next[..2] == [higher, lower]) {
            continue;
        }
        let [a, b] = &sketches;
        if let Some(overlap) = sampling.compare_fixed(a, b) {
            let Overlap {
                shared,
                size_a,
                size_b,
                modulus,
            } = overlap;
            let record = [higher, lower, shared, size_a, size_b, modulus];
            counts.push(Words(record))?;
        }
        sketches.iter_mut().for_each(Vec::clear);
    }
    counts.finish().map_err(Error::from)
}

/// Shingles that stand twice beside a pair, and are not common.
fn shared(
    task: &Task<'_>,
    mut prints: SortedWords<PairShingle>,
) -> Result<SortedWords<Recount>, Error> {
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
    let mut sums = task.sorter::<Recount>("shared", task.share_bytes / 3);
    let mut sum: Option<[u32; 6]> = None;
    while let Some(Words([higher, lower])) = both.next()? {
        match &mut sum {
            Some([a, b, shared, ..]) if (*a, *b) == (higher, lower) => *shared += 1,
            _ => {
                let done = sum.replace([higher, lower, 1, 0, 0, 0]);
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
