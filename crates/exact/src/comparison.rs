//! Pairs of documents → counts of all their shingles.

use crate::memory;
use crate::{SetOverlap, ShingleSet, Workplace};
use crate::{Texts, WantedSorter};
use engine::Error;
use format::{BLOCK_BYTES, RecordWriter};
use model::Words;
use std::collections::BTreeSet;

/// The scratch file of the pairs.
const PAIRS: &str = "compared.run-0";

/// Pairs from which on sets are folded.
const FOLDING_PAIRS: u64 = 10_000;

/// Pairs of which both sets are looked at before sets are folded.
const SAMPLED_PAIRS: u64 = 512;

/// Collects pairs that are to be compared.
pub struct PairComparison<'a> {
    place: Workplace<'a>,
    pairs: RecordWriter<Words<2>>,
    wanted: WantedSorter,
}

impl<'a> PairComparison<'a> {
    /// Begins; takes a quarter of the free memory until all pairs came.
    pub fn begin(place: &Workplace<'a>) -> Result<PairComparison<'a>, Error> {
        let scratch = place.engine.scratch_in(place.dir.clone())?;
        Ok(PairComparison {
            place: place.clone(),
            pairs: place.write(PAIRS, BLOCK_BYTES)?,
            wanted: WantedSorter::begin(&scratch, memory::WANTED_SETS),
        })
    }

    /// Adds a pair whose sets are made from the texts of two documents of the same tokens: the pair
    /// itself, or others.
    pub fn push_read_from(&mut self, pair: [u32; 2], texts: [u32; 2]) -> Result<(), Error> {
        for (doc, text) in pair.into_iter().zip(texts) {
            self.wanted.push(doc, text)?;
        }
        self.pairs.push(&Words(pair)).map_err(Error::from)
    }

    /// Reads the texts and compares. Hands each pair on in the order in which they came, without
    /// counts if one of its documents could not be read.
    pub fn finish(
        self,
        texts: &dyn Texts,
        mut take: impl FnMut([u32; 2], Option<SetOverlap>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let PairComparison {
            place,
            pairs,
            wanted,
        } = self;
        let count = pairs.finish()?.records;
        if count > 0 {
            let mut sets = texts.read(wanted.finish()?, &place)?.finish()?;
            if count >= FOLDING_PAIRS {
                sets = sets.fold(&sample_of(&place, count)?)?;
            }
            let task = place.engine.reporter.task(place.phase, "pairs", count);
            let mut pairs = place.read::<Words<2>>(PAIRS)?;
            sets.compare_pairs(
                || Ok(pairs.next()?.map(|Words(pair)| pair)),
                |[a, b]: [ShingleSet<'_>; 2]| SetOverlap::of(a, b),
                SetOverlap::plus,
                |pair, overlap| {
                    task.add(1);
                    take(pair, overlap)
                },
            )?;
            task.finish();
            sets.remove()?;
        }
        place.remove(PAIRS).map_err(Error::from)
    }
}

/// Some documents, of pairs that lie evenly among all.
fn sample_of(place: &Workplace<'_>, count: u64) -> Result<Vec<u32>, Error> {
    let mut pairs = place.read::<Words<2>>(PAIRS)?;
    let mut sample = BTreeSet::new();
    for at in 0..SAMPLED_PAIRS {
        pairs.seek(at * count / SAMPLED_PAIRS)?;
        let pair = pairs.next()?;
        sample.extend(pair.into_iter().flat_map(|Words(pair)| pair));
    }
    Ok(sample.into_iter().collect())
}
