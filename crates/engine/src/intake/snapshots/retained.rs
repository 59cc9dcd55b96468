//! Dropped snapshots whose files must be kept because revisit records in later snapshots refer to
//! them.
//!
//! The bodies themselves are in the work directory, but a run from scratch has to read them again.
//! So the files of such a snapshot stay in its list until no snapshot that is not dropped needs
//! them, directly or through others. *Algorithm.* Each snapshot has the numbers of its revisit
//! sources. A snapshot that no run has read may need all before it.

use super::snapshot::Snapshot;
use super::store::SnapshotList;
use input::Format;
use std::collections::BTreeSet;

/// Drops the snapshot at a place of the list. Its files stay if others need them.
pub(super) fn drop(list: &mut SnapshotList, at: usize) {
    list.change()[at].dropped = true;
    release(list);
}

/// Forgets the files of the dropped snapshot at a place of the list, even if a snapshot that no run
/// has read might need them.
pub(super) fn forget(list: &mut SnapshotList, at: usize) {
    list.change()[at].forget_files();
}

/// Names of the snapshots whose revisits have bodies in this one.
pub(super) fn dependents(list: &SnapshotList, number: u32) -> Vec<String> {
    let snapshots = list.snapshots.iter();
    let dependents = snapshots.filter(|snapshot| snapshot.revisit_sources.contains(&number));
    dependents.map(|snapshot| snapshot.name.clone()).collect()
}

/// Forgets the files of dropped snapshots that nothing needs.
pub(super) fn release(list: &mut SnapshotList) {
    let mut needed: BTreeSet<u32> = BTreeSet::new();
    let mut all_before = false;
    let mut released = Vec::new();
    for (at, snapshot) in list.snapshots.iter().enumerate().rev() {
        let is_needed = !snapshot.dropped
            || all_before && has_records(snapshot)
            || needed.contains(&snapshot.number);
        if is_needed && (!snapshot.dropped || snapshot.is_retained_for_revisits()) {
            // The revisits of a snapshot that no run has read may have bodies in any before it.
            all_before |= snapshot.documents.is_none() && has_records(snapshot);
            needed.extend(&snapshot.revisit_sources);
        } else if snapshot.is_retained_for_revisits() {
            released.push(at);
        }
    }
    for at in released {
        list.change()[at].forget_files();
    }
}

/// Whether it has files whose records may refer to others, or be referred to.
fn has_records(snapshot: &Snapshot) -> bool {
    let mut files = snapshot.files.iter();
    files.any(|file| matches!(file.format, Format::Warc | Format::Arc | Format::Wacz))
}

#[cfg(test)]
mod tests {
    use super::super::snapshot::SnapshotFile;
    use super::*;

    /// Snapshots from 1 with these revisit sources; `None` if no run has read it.
    fn list(sources: &[Option<&[u32]>]) -> SnapshotList {
        let file = || SnapshotFile {
            name: "x.warc".to_owned(),
            name_bytes: None,
            root: 0,
            format: Format::Warc,
            bytes: 1,
            digest: String::new(),
        };
        let snapshot = |(at, sources): (usize, &Option<&[u32]>)| Snapshot {
            number: at as u32 + 1,
            name: format!("night-{at}"),
            roots: vec![String::new()],
            files: vec![file()],
            documents: sources.map(|_| 1),
            revisit_sources: sources.unwrap_or_default().to_vec(),
            ..Snapshot::default()
        };
        let mut list = SnapshotList::default();
        list.change()
            .extend(sources.iter().enumerate().map(snapshot));
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
    fn files_stay_as_long_as_a_live_snapshot_needs_them() {
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
    fn a_snapshot_that_no_run_has_read_may_need_all_before_it() {
        let mut list = list(&[Some(&[]), None, Some(&[])]);
        drop(&mut list, 0);
        assert_eq!(with_files(&list), [1, 2, 3]);
        list.change()[1].documents = Some(1);
        release(&mut list);
        assert_eq!(with_files(&list), [2, 3]);
    }
}
