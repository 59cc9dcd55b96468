//! Compares the sets of pairs, but for pairs that an earlier run compared.
//!
//! *Input.* Pairs in order, each with the shingles that are counted already; the sets of documents.
//! *Output.* A record for each pair, in order. *Memory.* That of the sets. *Disk.* 12 bytes a pair,
//! and the records that are taken over.

use super::outputs::PHASE;
use engine::{
    Error,
    merge_levels::{DocumentRecord, KnownPairs},
};
use exact::{SetStore, ShingleSet, Workplace};
use format::{BLOCK_BYTES, RecordWriter, Sealed};
use model::{Keyed, PairCount};
use sort::Lookup;

/// The scratch files of the pairs to be compared, and of what is known of others.
const UNKNOWN: &str = "unknown.run-0";
const KNOWN: &str = "known.run-0";

/// How the sets of a pair become a record: they are compared part by part, and what two parts say
/// is joined.
pub(super) struct SetRule<C, J, R> {
    pub(super) compare: C,
    pub(super) join: J,
    /// `None` if the pair is left out.
    pub(super) record: R,
}

/// Writes the records of the pairs that `candidates` gives.
pub(super) fn compare<T: Clone + Send, R: DocumentRecord + Keyed<[u32; 2]>>(
    place: &Workplace<'_>,
    mut sets: SetStore<'_>,
    mut candidates: impl FnMut() -> Result<Option<PairCount>, Error>,
    mut known: KnownPairs<R>,
    rule: SetRule<
        impl Fn([ShingleSet<'_>; 2]) -> T + Sync,
        impl Fn(T, T) -> T + Sync,
        impl Fn(PairCount, T) -> Option<R>,
    >,
    mut writer: RecordWriter<R>,
) -> Result<Sealed, Error> {
    let mut unknown = place.write::<PairCount>(UNKNOWN, BLOCK_BYTES)?;
    let mut taken_over = place.write::<R>(KNOWN, BLOCK_BYTES)?;
    while let Some(pair) = candidates()? {
        match known.of([pair.a, pair.b])? {
            Some(record) => taken_over.push(&record)?,
            None => unknown.push(&pair)?,
        }
    }
    let count = unknown.finish()?.records;
    taken_over.finish()?;
    let mut taken_over = Lookup::over(place.read::<R>(KNOWN)?)?;
    let task = place.engine.reporter.task(PHASE, "pairs to compare", count);
    let mut asked = place.read::<PairCount>(UNKNOWN)?;
    let mut counted = place.read::<PairCount>(UNKNOWN)?;
    sets.compare_pairs(
        || Ok(asked.next()?.map(|pair| [pair.a, pair.b])),
        rule.compare,
        rule.join,
        |pair, compared| {
            task.add(1);
            while let Some(record) = taken_over.next_if(|record| record.key() < pair)? {
                writer.push(&record)?;
            }
            let counts = counted.next()?;
            let both = counts.zip(compared);
            match both.and_then(|(counts, compared)| (rule.record)(counts, compared)) {
                Some(record) => writer.push(&record).map_err(Error::from),
                None => Ok(()),
            }
        },
    )?;
    while let Some(record) = taken_over.next()? {
        writer.push(&record)?;
    }
    task.finish();
    sets.remove()?;
    for file in [UNKNOWN, KNOWN] {
        place.remove(file)?;
    }
    writer.finish().map_err(Error::from)
}
