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
//!    ([`pairs::BandKeys`]); all threads, segment by segment. `sketches`.
//! 2. The documents of a key are a group. Pair each with the smallest and the previous one of its
//!    group, so that the pairs connect the group. `neighbours`.
//! 3. Sort the pairs, and count what the two sketches of each share.
//!
//! A run that follows another one takes over its pairs, and pairs new documents only. It does all
//! of this anew if an older document lost its first shingles, or has lost none any more: the
//! document is then between others of a group (`earlier`). With 16 bands it took 7 µs of CPU time
//! for each document that lost shingles, and 14 µs where the sketches are on disk (300,000
//! near-copies with sketches of 107 shingles, virtual Intel Xeon).
//!
//! *Memory.* The free budget: four bytes a document, half of the rest for sketches, and a quarter
//! for each of the two sorts; and up to 800 KiB a thread for its sketches. *Disk.* As far as memory
//! does not hold them, for each document that lost shingles: 8 bytes a shingle, 256 bytes of keys
//! and up to 512 bytes of pairs. *Limits.* A sketch of more than 32,768 shingles is in no pair.

mod band_entry;
mod earlier;
mod key_filter;
mod neighbours;
mod sketches;

pub(super) use earlier::EarlierCrowds;

use super::outputs::{CROWDS, PHASE};
use config::Crowds;
use earlier::EarlierPairs;
use engine::Engine;
use format::{FileKind, LinkRecord, RecordWriter, Sealed};
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
    let work = Error::work(PHASE);
    let mut writer = engine.writer::<LinkRecord>(PHASE, CROWDS, FileKind::Links)?;
    let mut found = 0;
    if lost.records > 0 {
        let documents = engine.segments()?.documents();
        let common = CommonShingles::none();
        let place = Workplace::of(engine, PHASE);
        let earlier = match earlier {
            Some(earlier) => Following::of(engine, lost, earlier, documents)?,
            None => None,
        };
        let sets = SetFeeder::new(&place, documents, &common)?;
        let memory = engine.budget.reserve_share(1, 1);
        let share = memory.bytes() / 2;
        let keys = engine
            .sorter::<Posting, _>(PHASE, "bands", share, Keep)
            .expecting(Prefixes::ALL);
        let to = (&sets, &keys);
        let mut first = 0;
        match &earlier {
            None => found = feed(engine, lost, to, 0..documents, WantedKeys::All)?,
            Some(following) => {
                (first, found) = (following.pairs.documents, following.found);
                let filter = &following.filter;
                feed(engine, lost, to, first..documents, WantedKeys::New(filter))?;
                feed(engine, lost, to, 0..first, WantedKeys::Among(filter))?;
            }
        }
        let pairs = engine
            .sorter::<Words<2>, _>(PHASE, "neighbours", share, Distinct)
            .expecting(Prefixes::documents(documents));
        let pairs = neighbours::pairs(keys, pairs, first).map_err(work)?;
        let earlier = earlier.map(|earlier| earlier.pairs);
        compare(engine, sets.finish()?, pairs, (found, earlier), &mut writer)?;
    }
    let file = writer.finish().map_err(work)?;
    Ok(CrowdPairs {
        file,
        documents: found,
    })
}

/// The pairs of documents that `lost` lists, if there are any and crowds are looked for, without
/// those of an earlier run. Stores their sketches, too.
pub(super) fn neighbours(
    engine: &Engine<'_>,
    lost: &Sealed,
    sets: &SetFeeder<'_>,
    share: usize,
) -> Result<Option<Sorted<Words<2>, Distinct>>, Error> {
    if engine.config.pairs.crowds == Crowds::Drop || lost.records == 0 {
        return Ok(None);
    }
    let documents = engine.segments()?.documents();
    let keys = engine
        .sorter::<Posting, _>(PHASE, "bands", share, Keep)
        .expecting(Prefixes::ALL);
    feed(engine, lost, (sets, &keys), 0..documents, WantedKeys::All)?;
    let pairs = engine
        .sorter::<Words<2>, _>(PHASE, "neighbours", share, Distinct)
        .expecting(Prefixes::documents(documents));
    neighbours::pairs(keys, pairs, 0)
        .map(Some)
        .map_err(Error::work(PHASE))
}

/// A run whose pairs are taken over.
struct Following {
    pairs: EarlierPairs,
    /// Documents that lost shingles.
    found: u64,
    /// For the keys of new documents.
    filter: KeyFilter,
    _memory: Reservation,
}

impl Following {
    /// `None` if all pairs have to be found anew.
    fn of(
        engine: &Engine<'_>,
        lost: &Sealed,
        earlier: EarlierCrowds,
        documents: u32,
    ) -> Result<Option<Following>, Error> {
        let new = documents - earlier.documents;
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

/// Writes the pairs that reach the floor, among those of the earlier run.
fn compare(
    engine: &Engine<'_>,
    mut sets: SetStore<'_>,
    mut pairs: Sorted<Words<2>, Distinct>,
    (documents, mut earlier): (u64, Option<EarlierPairs>),
    writer: &mut RecordWriter<LinkRecord>,
) -> Result<(), Error> {
    let work = Error::work(PHASE);
    let sampling = engine.config.sketch.sampling;
    let floor = engine.config.pairs.floor;
    let task = engine
        .reporter
        .task(PHASE, "documents of crowds", documents);
    let mut last = None;
    sets.compare_pairs(
        || Ok(pairs.next().map_err(work)?.map(|Words(pair)| pair)),
        |sketches| whole_overlap(sampling, sketches),
        joined,
        |[a, b], overlap| {
            task.add(u64::from(last.replace(a) != Some(a)));
            let reaches = |overlap: &Overlap| {
                overlap.shared > 0 && floor.reached_by(overlap.shared_of_union())
            };
            let Some(overlap) = overlap.filter(reaches) else {
                return Ok(());
            };
            if let Some(earlier) = &mut earlier {
                let write = |pair: &LinkRecord| writer.push(pair).map_err(work);
                earlier.each_below(Some([a, b]), write)?;
            }
            let pair = LinkRecord {
                a,
                b,
                shared: overlap.shared,
                size_a: overlap.size_a,
                size_b: overlap.size_b,
                modulus: overlap.modulus,
                reached: 0,
            };
            writer.push(&pair).map_err(work)
        },
    )?;
    if let Some(earlier) = &mut earlier {
        earlier.each_below(None, |pair| writer.push(pair).map_err(work))?;
    }
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
