//! Finds pairs among near-copies whose shingles are common, in linear work.
//!
//! A shingle in more documents than the limit makes no pairs. So near-copies of one page that are
//! more than the limit, a *crowd*, have no pair counts. Here each document that lost shingles is
//! compared with a few others by whole sketches, which include the common shingles.
//!
//! *Input.* The losses of sketches to common shingles; the sketches. *Output.* `crowds`: pairs that
//! reach the floor, by (a, b), each once, with the counts of their whole sketches at the coarser of
//! their levels. *Algorithm.*
//!
//! 1. Store the sketch of each document that lost shingles, and sort the keys of its bands
//!    ([`sketch::BandKeys`]); all threads, segment by segment. `sketches`.
//! 2. The documents of a key are a group. Pair each with the smallest and the previous one of its
//!    group, so that the pairs connect the group. Pair a document that is smaller than all before
//!    it with all of them. `neighbours`.
//! 3. Sort the pairs, and count what the two sketches of each share.
//!
//! A run that follows another one takes over its pairs, and pairs new documents only (`earlier`).
//! It does all of this anew if the set of older documents that lost shingles changed: such a
//! document stands between others of its group, whose pairs change. With 16 bands it took 7 µs of
//! CPU time for each document that lost shingles, and 14 µs where the sketches are on disk (300,000
//! near-copies with sketches of 107 shingles, virtual Intel Xeon).
//!
//! *Memory.* The free budget: four bytes a document, half of the rest for sketches, and a quarter
//! for each of the two sorts; and up to 800 KiB a thread for its sketches. *Disk.* As far as memory
//! does not hold them, for each document that lost shingles: 8 bytes a shingle, 256 bytes of keys
//! a level, and 512 bytes of pairs a level; up to 2.5 KiB of pairs where documents become smaller
//! and smaller. *Limits.* A sketch of more than 32,768 shingles is in no pair.

mod band_entry;
mod earlier;
mod key_filter;
mod neighbours;
mod sketches;

pub(super) use earlier::{EarlierCrowds, EarlierPairs};

use super::outputs::{CROWDS, PHASE};
use super::pair_writer::PairWriter;
use engine::Engine;
use format::Sealed;
use key_filter::KeyFilter;
use model::{Overlap, Posting, Sampling, Words};
use runtime::Error;
use sets::{CommonShingles, SetFeeder, SetOverlap, SetStore, ShingleSet, Workplace};
use sketches::{WantedKeys, feed};
use sort::{Distinct, Keep, Prefixes, Reservation, Sorted};

/// The pairs of crowds.
pub(super) struct CrowdPairs {
    pub(super) file: Sealed,
    /// Documents that lost shingles.
    pub(super) documents: u64,
}

/// Finds the pairs among the documents that `lost` lists. Takes the free memory.
pub(super) fn write(
    engine: &Engine<'_>,
    lost: &Sealed,
    earlier: Option<EarlierCrowds>,
) -> Result<CrowdPairs, Error> {
    let floor = Some(engine.config.pairs.floor);
    if lost.records == 0 {
        return Ok(CrowdPairs {
            file: PairWriter::new(engine, CROWDS, floor, None)?.finish()?,
            documents: 0,
        });
    }
    let following = Following::of(engine, lost, earlier)?;
    let common = CommonShingles::none();
    let place = Workplace::of(engine, PHASE);
    let feeder = SetFeeder::new(&place, engine.segments()?.documents(), &common)?;
    let memory = engine.budget.reserve_share(1, 1);
    let (pairs, documents) = neighbours(
        engine,
        lost,
        &feeder,
        memory.bytes() / 2,
        following.as_ref(),
    )?;
    let earlier = following.map(|following| following.pairs);
    let mut writer = PairWriter::new(engine, CROWDS, floor, earlier)?;
    compare(engine, feeder.finish()?, pairs, documents, &mut writer)?;
    Ok(CrowdPairs {
        file: writer.finish()?,
        documents,
    })
}

/// The pairs of documents that `lost` lists, without those of a run that is followed; and how many
/// documents it lists. Stores their sketches.
pub(super) fn neighbours(
    engine: &Engine<'_>,
    lost: &Sealed,
    sets: &SetFeeder<'_>,
    share: usize,
    following: Option<&Following>,
) -> Result<(Sorted<Words<2>, Distinct>, u64), Error> {
    let documents = engine.segments()?.documents();
    let keys = engine
        .sorter::<Posting, _>(PHASE, "bands", share, Keep)
        .expecting(Prefixes::ALL);
    let to = (sets, &keys);
    let (first, found) = match following {
        None => (0, feed(engine, lost, to, 0..documents, WantedKeys::All)?),
        Some(following) => {
            let (first, filter) = (following.pairs.documents, &following.filter);
            feed(engine, lost, to, first..documents, WantedKeys::New(filter))?;
            feed(engine, lost, to, 0..first, WantedKeys::Among(filter))?;
            (first, following.found)
        }
    };
    let pairs = engine
        .sorter::<Words<2>, _>(PHASE, "neighbours", share, Distinct)
        .expecting(Prefixes::documents(documents));
    let pairs = neighbours::pairs(keys, pairs, first).map_err(Error::work(PHASE))?;
    Ok((pairs, found))
}

/// A run whose pairs are taken over.
pub(super) struct Following {
    pub(super) pairs: EarlierPairs,
    /// Documents that lost shingles.
    found: u64,
    /// For the keys of new documents.
    filter: KeyFilter,
    _memory: Reservation,
}

impl Following {
    /// `None` if all pairs have to be found anew.
    pub(super) fn of(
        engine: &Engine<'_>,
        lost: &Sealed,
        earlier: Option<EarlierCrowds>,
    ) -> Result<Option<Following>, Error> {
        let Some(earlier) = earlier else {
            return Ok(None);
        };
        let new = engine.segments()?.documents() - earlier.documents;
        let bytes = KeyFilter::bytes(new);
        let memory = if bytes <= engine.budget.free_bytes() / 8 {
            engine.budget.reserve("keys of new documents", bytes).ok()
        } else {
            None
        };
        let following = earlier.following(engine, lost)?;
        let both = following.zip(memory);
        Ok(both.map(|((pairs, found), memory)| Following {
            pairs,
            found,
            filter: KeyFilter::new(new),
            _memory: memory,
        }))
    }
}

/// Compares the pairs.
fn compare(
    engine: &Engine<'_>,
    mut sets: SetStore<'_>,
    mut pairs: Sorted<Words<2>, Distinct>,
    documents: u64,
    writer: &mut PairWriter,
) -> Result<(), Error> {
    let work = Error::work(PHASE);
    let sampling = engine.config.sketch.sampling;
    let task = engine
        .reporter
        .task(PHASE, "documents of crowds", documents);
    let mut last = None;
    sets.compare_pairs(
        || Ok(pairs.next().map_err(work)?.map(|Words(pair)| pair)),
        |sketches| whole_overlap(sampling, sketches),
        joined,
        |pair, overlap| {
            task.add(u64::from(last.replace(pair[0]) != Some(pair[0])));
            overlap.map_or(Ok(()), |overlap| writer.push(pair, overlap))
        },
    )?;
    task.finish();
    sets.remove()
}

/// The overlap of two parts of a pair of sketches.
fn joined(one: Overlap, other: Overlap) -> Overlap {
    Overlap {
        shared: one.shared + other.shared,
        size_a: one.size_a + other.size_a,
        size_b: one.size_b + other.size_b,
        modulus: one.modulus,
    }
}

/// What two sketches share at the coarser of their levels, common shingles included.
fn whole_overlap(sampling: Sampling, [a, b]: [ShingleSet<'_>; 2]) -> Overlap {
    let level = a.level.max(b.level);
    let size = |set: ShingleSet<'_>, all: u32| {
        if set.level == level {
            return all;
        }
        let is_kept = |one: &&u64| sampling.coarsest_level_of(**one) >= usize::from(level);
        u32::try_from(set.content.iter().filter(is_kept).count()).unwrap_or(u32::MAX)
    };
    // The coarser sketch has no shingles of finer levels to share.
    let all = SetOverlap::of(a.content, b.content);
    Overlap {
        shared: all.shared,
        size_a: size(a, all.size_a),
        size_b: size(b, all.size_b),
        modulus: sampling.modulus_at(usize::from(level)),
    }
}
