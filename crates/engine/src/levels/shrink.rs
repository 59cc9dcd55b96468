//! Joining files, so that there are few and what is gone takes no room.

use super::{BySnapshot, Merged, Numbered, level, level_name, live_records};
use crate::engine::Engine;
use format::{FileKind, MergeLevel, TakenSnapshot};
use runtime::{Error, PhaseName};

/// From which file on all of `sizes` are to be joined: the first that those after it have grown to
/// half of.
fn join_from(sizes: &[u64]) -> Option<usize> {
    let mut after: u64 = sizes.iter().sum();
    for (at, size) in sizes.iter().enumerate() {
        after -= size;
        if at + 1 < sizes.len() && *size < 2 * after {
            return Some(at);
        }
    }
    None
}

/// Records joined before they are written.
const BATCH_RECORDS: usize = 1024;

/// Which files are joined, at which step.
pub struct Shrinking<'a> {
    pub engine: &'a Engine<'a>,
    pub phase: PhaseName,
    pub kind: FileKind,
    pub stem: &'a str,
    pub step: u64,
    /// The snapshots of now.
    pub now: &'a [TakenSnapshot],
}

/// Joins the files of a phase that have grown to sizes of their like, and writes those anew of
/// which more than half is gone. `add` joins a record into an equal one and says so; what it leaves
/// empty falls away by `is_empty`.
pub fn shrink<R: Numbered>(
    spec: &Shrinking<'_>,
    mut files: Vec<MergeLevel>,
    add: fn(&mut R, &R) -> bool,
    is_empty: fn(&R) -> bool,
) -> Result<Vec<MergeLevel>, Error> {
    let live = |level: &MergeLevel| live_records(level, spec.now);
    let sizes: Vec<u64> = files.iter().map(live).collect();
    if let Some(from) = join_from(&sizes) {
        let joined = join(spec, &files[from..], add, is_empty)?;
        files.truncate(from);
        files.push(joined);
    }
    for file in &mut files {
        if 2 * live(file) < file.sealed.records {
            *file = join(spec, std::slice::from_ref(file), add, is_empty)?;
        }
    }
    Ok(files)
}

fn join<R: Numbered>(
    spec: &Shrinking<'_>,
    files: &[MergeLevel],
    add: fn(&mut R, &R) -> bool,
    is_empty: fn(&R) -> bool,
) -> Result<MergeLevel, Error> {
    let (engine, failed) = (spec.engine, Error::work(spec.phase));
    let first = files.first().map_or(0, |level| level.steps[0]);
    let last = files.last().map_or(0, |level| level.steps[1]);
    let mut merged = Merged::<R>::open(engine, (spec.phase, spec.kind), files, spec.now)?;
    let mut writer = engine.writer::<R>(
        spec.phase,
        &level_name(spec.stem, spec.step, first),
        spec.kind,
    )?;
    let mut by_snapshot = BySnapshot::of(spec.now);
    let mut batch: Vec<R> = Vec::with_capacity(BATCH_RECORDS);
    let mut next = merged.next()?;
    while next.is_some() {
        batch.clear();
        while batch.len() < BATCH_RECORDS
            && let Some((mut record, _)) = next
        {
            loop {
                next = merged.next()?;
                if !next.is_some_and(|(same, _)| add(&mut record, &same)) {
                    break;
                }
            }
            if !is_empty(&record) {
                batch.push(record);
            }
        }
        by_snapshot.add_all(batch.iter().map(Numbered::lower));
        writer.push_all(&batch).map_err(failed)?;
    }
    Ok(level(
        writer.finish().map_err(failed)?,
        [first, last],
        spec.now,
        &by_snapshot.records,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_joined_when_those_after_them_have_grown_to_half_their_size() {
        assert_eq!(join_from(&[]), None);
        assert_eq!(join_from(&[7]), None);
        assert_eq!(join_from(&[100, 50, 25]), Some(0));
        assert_eq!(join_from(&[100, 41, 10]), Some(0));
        assert_eq!(join_from(&[100, 40, 10]), None);
        assert_eq!(join_from(&[100, 30, 10]), None);
        assert_eq!(join_from(&[100, 20, 20]), Some(1));
    }

    /// In n steps of equal size each record is written about log n times.
    #[test]
    fn what_many_steps_write_grows_little_faster_than_they() {
        let (mut sizes, mut written) = (Vec::new(), 0_u64);
        for step in 1..=1024_u64 {
            sizes.push(1);
            written += 1;
            if let Some(from) = join_from(&sizes) {
                let joined: u64 = sizes[from..].iter().sum();
                written += joined;
                sizes.truncate(from);
                sizes.push(joined);
            }
            assert!(sizes.len() <= 12, "{sizes:?} after {step} steps");
        }
        assert!(written <= 1024 * 11, "{written} records written");
    }
}
