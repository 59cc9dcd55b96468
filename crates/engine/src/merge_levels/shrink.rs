//! Merging files of several steps, so that few files remain and dropped records take no space.

use super::{DocumentRecord, MergedLevels, SnapshotCounter, level, level_name, live_records};
use crate::Engine;
use crate::{Error, PhaseName};
use format::{FileKind, MergeLevel, TakenSnapshot};

/// The first file that is to be merged with all later ones: the later ones together have more than
/// half its size.
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

/// Records merged before they are written.
const BATCH_RECORDS: usize = 1024;

/// The files to merge and the step that merges them.
pub struct LevelMerge<'a> {
    /// The run.
    pub engine: &'a Engine<'a>,
    /// The phase that owns the files.
    pub phase: PhaseName,
    /// The kind of the files.
    pub kind: FileKind,
    /// Beginning of their names.
    pub stem: &'a str,
    /// The current step; it is part of the name of a merged file.
    pub step: u64,
    /// The current snapshots.
    pub now: &'a [TakenSnapshot],
}

/// Merges files of similar size, and rewrites each file that has more dropped than live records.
///
/// `add` adds a record to an equal one and returns true, or returns false if they differ. Records
/// for which `is_empty` holds afterwards are left out.
pub fn shrink<R: DocumentRecord>(
    spec: &LevelMerge<'_>,
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

fn join<R: DocumentRecord>(
    spec: &LevelMerge<'_>,
    files: &[MergeLevel],
    add: fn(&mut R, &R) -> bool,
    is_empty: fn(&R) -> bool,
) -> Result<MergeLevel, Error> {
    let engine = spec.engine;
    let first = files.first().map_or(0, |level| level.steps[0]);
    let last = files.last().map_or(0, |level| level.steps[1]);
    let mut merged = MergedLevels::<R>::open(engine, spec.phase, spec.kind, files, spec.now)?;
    let mut writer = engine.writer::<R>(
        spec.phase,
        &level_name(spec.stem, spec.step, first),
        spec.kind,
    )?;
    let mut by_snapshot = SnapshotCounter::of(spec.now);
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
        by_snapshot.add_all(batch.iter().map(DocumentRecord::lower));
        writer.push_all(&batch)?;
    }
    Ok(level(
        writer.finish()?,
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
