//! Pairs of documents → counts of all their shingles.

use crate::{Texts, WantedDocument};
use format::{BLOCK_BYTES, FormatError, RecordReader, RecordWriter};
use model::Words;
use runtime::{Error, PhaseName};
use sets::{CommonShingles, SetFeeder, SetOverlap, SetReader, SetStore, Workplace};
use sort::{Distinct, Prefixes, Reservation, Sorter};

/// The scratch file of the pairs.
const PAIRS: &str = "compared.run-0";

/// Pairs whose places are looked up together, and shared out among the threads.
const BATCH_PAIRS: usize = 4096;

/// What two documents share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExactCounts {
    /// The two documents.
    pub pair: [u32; 2],
    /// The shingles that are not common.
    pub content: SetOverlap,
    /// The common shingles.
    pub common: SetOverlap,
}

impl ExactCounts {
    /// All shingles, common or not.
    pub fn whole(&self) -> SetOverlap {
        self.content.plus(self.common)
    }
}

/// Collects pairs that are to be compared.
pub struct Comparison<'a> {
    place: Workplace<'a>,
    pairs: RecordWriter<Words<2>>,
    wanted: Sorter<WantedDocument, Distinct>,
    memory: Reservation,
}

impl<'a> Comparison<'a> {
    /// Begins; takes a quarter of the free memory until all pairs came.
    ///
    /// # Errors
    /// When the scratch files cannot be made.
    pub fn begin(place: &Workplace<'a>) -> Result<Comparison<'a>, Error> {
        let engine = place.engine;
        let memory = engine.budget.reserve_share(1, 4);
        let spec = engine.sort_spec(place.dir.clone(), "wanted", memory.bytes());
        let range = Prefixes::documents(engine.segments()?.documents());
        Ok(Comparison {
            place: place.clone(),
            pairs: place
                .write(PAIRS, BLOCK_BYTES)
                .map_err(Error::work(place.phase))?,
            wanted: Sorter::new(spec, Distinct).expecting(range),
            memory,
        })
    }

    /// Adds a pair of documents that are read themselves.
    ///
    /// # Errors
    /// When a scratch file cannot be written.
    pub fn push(&mut self, pair: [u32; 2]) -> Result<(), Error> {
        self.push_read_from(pair, pair)
    }

    /// Adds a pair whose sets are made from the texts of two other documents, which have the same
    /// tokens.
    ///
    /// # Errors
    /// When a scratch file cannot be written.
    pub fn push_read_from(&mut self, pair: [u32; 2], texts: [u32; 2]) -> Result<(), Error> {
        let work = Error::work(self.place.phase);
        for (doc, text) in pair.into_iter().zip(texts) {
            self.wanted.push(Words([text, doc])).map_err(work)?;
        }
        self.pairs.push(&Words(pair)).map_err(work)
    }

    /// Reads the texts and compares. Hands each pair on in the order in which they came, without
    /// counts if one of its documents could not be read or was too large.
    ///
    /// # Errors
    /// When the disk reports an error, or the run is interrupted.
    pub fn finish(
        self,
        texts: &dyn Texts,
        common: &CommonShingles,
        mut take: impl FnMut([u32; 2], Option<ExactCounts>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let Comparison {
            place,
            pairs,
            wanted,
            memory,
        } = self;
        let work = Error::work(place.phase);
        let count = pairs.finish().map_err(work)?.records;
        if count > 0 {
            let documents = place.engine.segments()?.documents();
            let feeder = SetFeeder::new(&place, documents, common)?;
            let wanted = wanted.finish().map_err(work)?;
            texts.read(wanted, &feeder)?;
            drop(memory);
            let mut sets = feeder.finish()?;
            let task = place.engine.reporter.task(place.phase, "pairs", count);
            let mut pairs = place.read::<Words<2>>(PAIRS).map_err(work)?;
            let mut batch = Vec::with_capacity(BATCH_PAIRS);
            while fill(&place, &mut batch, &mut pairs)? {
                task.add(batch.len() as u64);
                for (pair, counts) in batch.iter().zip(compare(&mut sets, &batch, place.phase)?) {
                    take(*pair, counts)?;
                }
            }
            task.finish();
            sets.remove()?;
        }
        place.remove(PAIRS).map_err(work)
    }
}

/// Reads the next pairs.
fn fill(
    place: &Workplace<'_>,
    batch: &mut Vec<[u32; 2]>,
    pairs: &mut RecordReader<Words<2>>,
) -> Result<bool, Error> {
    batch.clear();
    while batch.len() < BATCH_PAIRS
        && let Some(Words(pair)) = pairs.next().map_err(Error::work(place.phase))?
    {
        batch.push(pair);
    }
    Ok(!batch.is_empty())
}

/// A pair, and where its sets begin.
struct LocatedPair {
    pair: [u32; 2],
    cells: [u32; 2],
}

/// Compares a batch on as many threads as may have two sets each.
fn compare(
    sets: &mut SetStore<'_>,
    batch: &[[u32; 2]],
    phase: PhaseName,
) -> Result<Vec<Option<ExactCounts>>, Error> {
    let mut located = Vec::with_capacity(batch.len());
    for &pair in batch {
        let cells = [sets.cell(pair[0])?, sets.cell(pair[1])?];
        located.push(LocatedPair { pair, cells });
    }
    let threads = rayon::current_num_threads().min(sets.readers_max());
    let each = batch.len().div_ceil(threads).max(1);
    let mut counts = vec![None; batch.len()];
    let mut results: Vec<Result<(), Error>> = Vec::new();
    results.resize_with(threads, || Ok(()));
    let sets = &*sets;
    rayon::scope(|scope| {
        let parts = located.chunks(each).zip(counts.chunks_mut(each));
        for ((located, counts), result) in parts.zip(&mut results) {
            scope.spawn(move |_| {
                let compared = sets
                    .reader()
                    .and_then(|mut reader| compare_part(&mut reader, located, counts));
                *result = compared.map_err(Error::work(phase));
            });
        }
    });
    results.into_iter().collect::<Result<(), Error>>()?;
    Ok(counts)
}

fn compare_part(
    reader: &mut SetReader<'_>,
    located: &[LocatedPair],
    counts: &mut [Option<ExactCounts>],
) -> Result<(), FormatError> {
    for (LocatedPair { pair, cells }, counts) in located.iter().zip(counts) {
        if cells.contains(&0) {
            continue;
        }
        let [a, b] = reader.pair(*cells)?;
        *counts = Some(ExactCounts {
            pair: *pair,
            content: SetOverlap::of(a.content, b.content),
            common: SetOverlap::of(a.common, b.common),
        });
    }
    Ok(())
}
