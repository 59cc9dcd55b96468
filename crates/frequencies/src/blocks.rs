//! Blocks of shingles that are in the same counted documents.
//!
//! A frame is copied as a whole, so its shingles are in the same documents. The frequency of the
//! one that most sketches keep is known best, and holds for all of them: exactly, if it is a
//! multiple of the coarsest modulus.

use crate::counted_postings::CountedPosting;
use crate::posting_counts::PostingCounts;
use engine::Engine;
use format::{FrequencyRecord, MergeLevels};
use model::{COUNTED_MIN, Frequency, Sampling, word_record};
use runtime::{Error, PhaseName};
use sort::{SortedWords, WordSorter};
use twox_hash::XxHash3_64;

const PHASE: PhaseName = PhaseName::Pairs;

/// A shingle of at least [`COUNTED_MIN`] counted documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct BlockShingle {
    /// The fingerprint of its counted documents.
    block: u64,
    /// Levels that are coarser than the coarsest one of the shingle, so that fewer sketches keep it
    /// the higher this is.
    coarser_levels: u8,
    shingle: u64,
    /// Counted documents that contain it.
    counted: u32,
    /// Those of them whose sketches do not keep it.
    beyond: u32,
    /// The lowest of them.
    example: u32,
}

word_record! { BlockShingle { block, coarser_levels, shingle, counted, beyond, example } }

/// A frequency, sorted by its shingle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SortedFrequency {
    pub(crate) shingle: u64,
    beyond: u32,
    total: u32,
    example: u32,
}

word_record! { SortedFrequency { shingle, beyond, total, example } }

impl SortedFrequency {
    /// The record on disk.
    pub(crate) fn record(&self) -> FrequencyRecord {
        let SortedFrequency {
            shingle,
            beyond,
            total,
            example,
        } = *self;
        FrequencyRecord {
            shingle,
            beyond,
            total,
            example,
        }
    }
}

/// How many levels are coarser than the coarsest one of a shingle.
pub fn coarser_levels(sampling: Sampling, shingle: u64) -> u8 {
    (sampling.levels() - 1 - sampling.coarsest_level_of(shingle)) as u8
}

/// Whether the frequency of a shingle of so many counted documents is that of the best one of its
/// block: those of both have so many `coarser_levels`.
pub fn is_known_by_block(counted: u64, coarser_levels: [u64; 2], limit: u64) -> bool {
    let [own, best] = coarser_levels;
    Frequency::is_uncertain(counted, limit) && own > best
}

/// The part that a document has in the fingerprint of a block; they are added, in any order.
pub fn part_of_block(doc: u32) -> u64 {
    XxHash3_64::oneshot(&doc.to_le_bytes())
}

/// The shingles of enough counted documents, sorted by block.
pub(crate) fn by_block(
    engine: &Engine<'_>,
    mut postings: SortedWords<CountedPosting>,
    share: usize,
) -> Result<SortedWords<BlockShingle>, Error> {
    let sampling = engine.config.sketch.sampling;
    let mut blocks = engine.word_sorter::<BlockShingle>(PHASE, "blocks", share);
    let mut next = postings.next()?;
    while let Some(CountedPosting { shingle, doc, .. }) = next {
        let mut of_shingle = BlockShingle {
            block: 0,
            coarser_levels: coarser_levels(sampling, shingle),
            shingle,
            counted: 0,
            beyond: 0,
            example: doc,
        };
        while let Some(posting) = next.filter(|posting| posting.shingle == shingle) {
            let part = part_of_block(posting.doc);
            of_shingle.block = of_shingle.block.wrapping_add(part);
            of_shingle.counted += 1;
            of_shingle.beyond += u32::from(posting.is_beyond);
            next = postings.next()?;
        }
        if u64::from(of_shingle.counted) >= COUNTED_MIN {
            blocks.push(of_shingle)?;
        }
    }
    blocks.finish().map_err(Error::from)
}

/// A shingle whose frequency is that of the shingle of its block that most sketches keep. Sorted by
/// the latter, so that its postings are counted in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct BlockLookup {
    best: u64,
    /// Counted documents whose sketches do not keep the best one.
    beyond: u32,
    shingle: u64,
    example: u32,
}

word_record! { BlockLookup { best, beyond, shingle, example } }

/// The frequencies of these shingles beyond their sketches, being sorted by shingle.
pub(crate) fn frequencies(
    engine: &Engine<'_>,
    sorted: &MergeLevels,
    mut blocks: SortedWords<BlockShingle>,
    share: usize,
) -> Result<WordSorter<SortedFrequency>, Error> {
    let limit = u64::from(engine.config.pairs.common_shingle_limit);
    let mut frequencies = engine.word_sorter::<SortedFrequency>(PHASE, "frequencies", share);
    let mut lookups = engine.word_sorter::<BlockLookup>(PHASE, "lookups", share);
    let mut best: Option<BlockShingle> = None;
    while let Some(one) = blocks.next()? {
        let best = match best {
            Some(best) if best.block == one.block => best,
            _ => *best.insert(one),
        };
        let levels = [one.coarser_levels, best.coarser_levels].map(u64::from);
        if is_known_by_block(u64::from(one.counted), levels, limit) {
            let lookup = BlockLookup {
                best: best.shingle,
                beyond: best.beyond,
                shingle: one.shingle,
                example: one.example,
            };
            lookups.push(lookup)?;
        } else {
            let frequency = Frequency::of_counted(u64::from(one.beyond));
            push(&mut frequencies, one.shingle, one.example, frequency)?;
        }
    }
    drop(blocks);
    let mut lookups = lookups.finish()?;
    let mut postings = PostingCounts::open(engine, sorted)?;
    let mut known: Option<(u64, Frequency)> = None;
    while let Some(lookup) = lookups.next()? {
        let frequency = match known {
            Some((shingle, frequency)) if shingle == lookup.best => frequency,
            _ => {
                let counted = Frequency::of_counted(u64::from(lookup.beyond));
                Frequency::of_block(counted.documents(postings.of(lookup.best)?))
            }
        };
        known = Some((lookup.best, frequency));
        push(&mut frequencies, lookup.shingle, lookup.example, frequency)?;
    }
    Ok(frequencies)
}

/// Adds the frequency of a shingle, if its sketches do not say all.
fn push(
    frequencies: &mut WordSorter<SortedFrequency>,
    shingle: u64,
    example: u32,
    frequency: Frequency,
) -> Result<(), Error> {
    if frequency == Frequency::default() {
        return Ok(());
    }
    let [beyond, total] = [frequency.beyond, frequency.total]
        .map(|documents| u32::try_from(documents).unwrap_or(u32::MAX));
    let record = SortedFrequency {
        shingle,
        beyond,
        total,
        example,
    };
    frequencies.push(record).map_err(Error::work(PHASE))
}
