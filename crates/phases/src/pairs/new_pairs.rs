//! The pairs that have to be judged after an earlier run: those with a new document, and those with
//! one of whose shingles others are common than before.
//!
//! *Input.* The pair counts of the earlier run, the changes of this one, the affected documents.
//! *Output.* The counts of these pairs, and how many of them there were before. *Algorithm.* The
//! changes have all pairs with a new document. If no older document is affected, they are the file.
//! Else the earlier counts with an affected document are put among them. *Memory.* A bit a
//! document. *Limits.* Where many documents are affected, nearly all pairs would be written again;
//! then there is no file, and all pairs are judged.

use super::outputs::{NewPairs, PHASE};
use engine::Engine;
use engine::merge_levels::{self, EarlierLevels, NEW_PAIRS, PairCounts};
use format::{FileKind, MergeLevel, RecordReader, Sealed};
use model::PairCount;
use runtime::Error;
use std::sync::Arc;

/// One document in so many may be affected.
const AFFECTED_ONE_IN: u64 = 2;

/// Writes the pairs; `None` if all are to be judged.
pub(super) fn write(
    engine: &Engine<'_>,
    earlier: &EarlierLevels,
    changes: &MergeLevel,
    affected: &Sealed,
) -> Result<Option<NewPairs>, Error> {
    let snapshots = earlier.levels.snapshots.iter();
    let older = snapshots.map(|snapshot| snapshot.documents).sum::<u32>();
    if affected.records == 0 {
        return Ok(Some(NewPairs {
            first_document: older,
            file: changes.sealed.clone(),
            again: 0,
        }));
    }
    if affected.records > u64::from(older) / AFFECTED_ONE_IN
        || engine.config.sketch.sampling.has_fixed_size()
    {
        return Ok(None);
    }
    let Some(affected) = merge_levels::affected_of(engine, affected)? else {
        return Ok(None);
    };
    let (files, now) = (
        &earlier.levels.files,
        merge_levels::taken(&engine.manifest()),
    );
    let mut before = PairCounts::of_levels_with(engine, files.clone(), &now, Arc::new(affected))?;
    let work = Error::work(PHASE);
    let (dir, kind) = (engine.dir(PHASE), FileKind::Pairs);
    let changes = RecordReader::<PairCount>::open_sealed(&engine.disk, &dir, &changes.sealed, kind);
    let mut changes = changes.map_err(work)?;
    let mut next_change = changes.next().map_err(work)?;
    let mut writer = engine.writer::<PairCount>(PHASE, NEW_PAIRS, FileKind::Pairs)?;
    let mut again = 0;
    while let Some(slice) = before.next_slice()? {
        again += slice.len() as u64;
        for &count in slice {
            let place = (count.a, count.b);
            while let Some(change) = next_change.filter(|next| (next.a, next.b) < place) {
                writer.push(&change).map_err(work)?;
                next_change = changes.next().map_err(work)?;
            }
            let mut shared = count.shared;
            if let Some(change) = next_change.filter(|next| (next.a, next.b) == place) {
                shared = shared.wrapping_add(change.shared);
                next_change = changes.next().map_err(work)?;
            }
            if shared != 0 {
                let count = PairCount { shared, ..count };
                writer.push(&count).map_err(work)?;
            }
        }
    }
    while let Some(change) = next_change {
        writer.push(&change).map_err(work)?;
        next_change = changes.next().map_err(work)?;
    }
    Ok(Some(NewPairs {
        first_document: older,
        file: writer.finish().map_err(work)?,
        again,
    }))
}
