//! Snapshots that are dropped, and whose files are needed still.
//!
//! Revisits of later snapshots have their bodies there. What was made of those is kept in the work
//! directory, but a run from scratch has to find them again: so the files of such a snapshot stay
//! in the list until nothing that is not dropped needs them, by whatever way. *Algorithm.* Of every
//! snapshot the list has the numbers of those that it took something from; a snapshot that no run
//! has read may need all before it.

use super::{Intake, Snapshot, SnapshotList};
use crate::inputs;
use config::Config;
use format::Manifest;
use input::Format;
use runtime::Error;
use std::collections::BTreeSet;

impl Snapshot {
    /// Whether it is dropped and its files are in the list nevertheless.
    pub(super) fn lends(&self) -> bool {
        self.dropped && !self.files.is_empty()
    }

    /// Whether it has files with records that may refer to others, or that others may refer to.
    fn has_records(&self) -> bool {
        self.files.iter().any(|file| file.format == Format::Warc)
    }
}

impl Intake {
    /// Puts down what was found in each snapshot.
    ///
    /// # Errors
    /// As [`Intake::note`].
    pub fn note_all(&mut self, manifest: &Manifest) -> Result<(), Error> {
        let files = inputs::files_of(manifest);
        for snapshot in &manifest.snapshots {
            let files = files.get(&snapshot.number).copied().unwrap_or_default();
            self.note(snapshot.number, files, u64::from(snapshot.documents))?;
            self.note_took(snapshot.number, &snapshot.took);
        }
        Ok(())
    }

    /// Puts down which snapshots the revisits of one found bodies in.
    fn note_took(&mut self, number: u32, took: &BTreeSet<u32>) {
        let Some(list) = &mut self.list else { return };
        let Some(at) = list
            .snapshots
            .iter()
            .position(|snapshot| snapshot.number == number)
        else {
            return;
        };
        if !list.snapshots[at].took.iter().eq(took) {
            list.change()[at].took = took.iter().copied().collect();
        }
    }

    /// Forgets the files of dropped snapshots that nothing needs, then does as [`Intake::settle`].
    ///
    /// # Errors
    /// As [`Intake::settle`].
    pub fn settle_released(&mut self, config: &Config) -> Result<(), Error> {
        if let Some(list) = &mut self.list {
            release(list);
        }
        self.settle(config)
    }
}

/// Drops a snapshot, by its place. What others need of it stays.
pub(super) fn drop(list: &mut SnapshotList, at: usize) {
    list.change()[at].dropped = true;
    release(list);
}

/// Forgets the files of a dropped snapshot, by its place, whether or not what is still to be read
/// might need them.
pub(super) fn forget(list: &mut SnapshotList, at: usize) {
    list.change()[at].release();
}

/// Names of the snapshots with files that took something from this one.
pub(super) fn takers(list: &SnapshotList, number: u32) -> Vec<String> {
    let takers = list
        .snapshots
        .iter()
        .filter(|snapshot| snapshot.took.contains(&number));
    takers.map(|snapshot| snapshot.name.clone()).collect()
}

/// Forgets the files of dropped snapshots that nothing needs.
pub(super) fn release(list: &mut SnapshotList) {
    let mut needed: BTreeSet<u32> = BTreeSet::new();
    let mut all_before = false;
    let mut released = Vec::new();
    for (at, snapshot) in list.snapshots.iter().enumerate().rev() {
        let is_needed = !snapshot.dropped
            || all_before && snapshot.has_records()
            || needed.contains(&snapshot.number);
        if is_needed && (!snapshot.dropped || snapshot.lends()) {
            // A snapshot that was not read yet may take something from any before it.
            all_before |= snapshot.documents.is_none() && snapshot.has_records();
            needed.extend(&snapshot.took);
        } else if snapshot.lends() {
            released.push(at);
        }
    }
    for at in released {
        list.change()[at].release();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshots::SnapshotFile;

    /// Snapshots from 1, by what they took; `None`: not read yet.
    fn list(took: &[Option<&[u32]>]) -> SnapshotList {
        let file = || SnapshotFile {
            name: "x.warc".to_owned(),
            raw: None,
            root: 0,
            format: Format::Warc,
            bytes: 1,
            digest: String::new(),
        };
        let snapshot = |(at, took): (usize, &Option<&[u32]>)| Snapshot {
            number: at as u32 + 1,
            name: format!("night-{at}"),
            roots: vec![String::new()],
            files: vec![file()],
            documents: took.map(|_| 1),
            took: took.unwrap_or_default().to_vec(),
            ..Snapshot::default()
        };
        let mut list = SnapshotList::default();
        list.change().extend(took.iter().enumerate().map(snapshot));
        list
    }

    fn with_files(list: &SnapshotList) -> Vec<u32> {
        let has_files = list
            .snapshots
            .iter()
            .filter(|snapshot| !snapshot.files.is_empty());
        has_files.map(|snapshot| snapshot.number).collect()
    }

    #[test]
    fn files_stay_as_long_as_something_that_is_not_dropped_needs_them() {
        let mut list = list(&[Some(&[]), Some(&[1]), Some(&[2]), Some(&[])]);
        drop(&mut list, 0);
        assert_eq!(with_files(&list), [1, 2, 3, 4]);
        drop(&mut list, 1);
        assert_eq!(with_files(&list), [1, 2, 3, 4], "3 needs 2, and 2 needs 1");
        drop(&mut list, 3);
        assert_eq!(with_files(&list), [1, 2, 3]);
        drop(&mut list, 2);
        assert!(with_files(&list).is_empty());
    }

    #[test]
    fn what_no_run_has_read_may_need_all_before_it() {
        let mut list = list(&[Some(&[]), None, Some(&[])]);
        drop(&mut list, 0);
        assert_eq!(with_files(&list), [1, 2, 3]);
        list.change()[1].documents = Some(1);
        release(&mut list);
        assert_eq!(with_files(&list), [2, 3]);
    }
}
