//! The pairs that have to be judged after an earlier run: those with a document that is new in the
//! postings, and those with an older document whose pairs may have changed
//! (`ChangedGroups::affected`).
//!
//! *Input.* The pair counts of this run, its changes, the affected documents, the whole counts of
//! the run before. *Output.* The counts of these pairs, and how many others there are. *Algorithm.*
//! A pair is new if its count changed, or if it has a whole count that it had not. If no older
//! document is affected, these are all. Else all counts are gone through. *Memory.* A bit a
//! document. *Limits.* Where many documents are affected, nearly all pairs would be written again;
//! then there is no file, and all pairs are judged.

use super::outputs::{NewPairs, PHASE, PairsOutput};
use engine::{
    Engine, Error,
    merge_levels::{self, EarlierLevels, KnownPairs, NEW_PAIRS, PairCounts, pairs_of_now},
};
use format::{FileKind, Sealed};
use model::PairCount;
use sort::Lookup;

/// One document in so many may be affected.
const AFFECTED_ONE_IN: u64 = 2;

/// Writes the pairs; `None` if all are to be judged.
pub(super) fn write(
    engine: &Engine<'_>,
    earlier: &EarlierLevels,
    output: &PairsOutput,
    mut whole_before: KnownPairs<PairCount>,
) -> Result<Option<NewPairs>, Error> {
    let Some((affected, changes)) = output.affected.as_ref().zip(output.changes.as_ref()) else {
        return Ok(None);
    };
    let snapshots = earlier.levels.snapshots.iter();
    let older = snapshots.map(|snapshot| snapshot.documents).sum::<u32>();
    if affected.records > u64::from(older) / AFFECTED_ONE_IN {
        return Ok(None);
    }
    let is_affected = match affected.records {
        0 => None,
        _ => match merge_levels::affected_of(engine, affected)? {
            Some(affected) => Some(affected),
            None => return Ok(None),
        },
    };
    let files = match is_affected {
        None => std::slice::from_ref(changes),
        Some(_) => &output.files,
    };
    let now = engine.taken();
    let counts = PairCounts::of_levels(engine, files, &now)?;
    let whole = output.whole.as_ref();
    let opened = whole.map(|whole| merge_levels::open_whole(engine, whole));
    let mut counts = counts.with_whole(opened.transpose()?)?;
    let cursor = |sealed: &Sealed| pairs_of_now(engine, PHASE, FileKind::Pairs, sealed);
    let mut changed: KnownPairs<PairCount> = cursor(&changes.sealed)?;
    let mut whole: KnownPairs<PairCount> = whole.map_or_else(|| Lookup::over(None), cursor)?;
    let mut is_new = |pair: &PairCount| {
        let place = [pair.a, pair.b];
        let affected = is_affected.as_ref();
        let is_again = affected.is_some_and(|all| all.has(pair.a) || all.has(pair.b));
        Ok::<bool, Error>(
            is_again
                || changed.of(place)?.is_some()
                || (whole.of(place)?.is_some() && whole_before.of(place)?.is_none()),
        )
    };
    let mut writer = engine.writer::<PairCount>(PHASE, NEW_PAIRS, FileKind::Pairs)?;
    let mut others = 0;
    while let Some(slice) = counts.next_slice()? {
        for pair in slice {
            if is_new(pair)? {
                writer.push(pair)?;
            } else {
                others += 1;
            }
        }
    }
    Ok(Some(NewPairs {
        first_document: older,
        file: writer.finish()?,
        others: is_affected.is_some().then_some(others),
    }))
}
