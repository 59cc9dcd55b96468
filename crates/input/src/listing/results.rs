//! Directories that hold results or work files of this program, of whatever configuration.
//!
//! *Input.* The entries of a directory. *Output.* Whether a run made them. *Algorithm.* A directory
//! of publications has a marker, and a work directory a manifest beside a lock; both are opened
//! only where the names are there. Copies that `dedup` makes are input like any other, without what
//! lies beside them: the evidence.

use std::fs::{DirEntry, File};
use std::io::Read as _;
use std::path::Path;

/// The file by which a directory of publications is known, and its content.
const PUBLICATIONS: (&str, &str) = (".pipeline", "publications of pipeline\n");
/// The files by which a work directory is known, and how the first begins.
const MANIFEST: (&str, &str) = ("manifest.json", "{\"manifest\":{\"version\":");
const LOCK: &str = "lock";
/// The file by which a directory of copies is known, and the directory in it that holds them.
const COPIES: (&str, &str) = (".pipeline-dedup", "data");

/// Whether a run made what lies in this directory.
pub(super) fn are_of_a_run(directory: &Path, entries: &[DirEntry]) -> bool {
    let has = |name: &str| entries.iter().any(|entry| entry.file_name() == name);
    let begins = |(name, start): (&str, &str)| begins_with(&directory.join(name), start);
    has(PUBLICATIONS.0) && begins(PUBLICATIONS) || has(LOCK) && has(MANIFEST.0) && begins(MANIFEST)
}

/// Whether an entry lies beside the copies that `dedup` made, if these are in this directory.
pub(super) fn lies_beside_copies(entries: &[DirEntry]) -> impl Fn(&DirEntry) -> bool + use<> {
    let has = |name: &str| entries.iter().any(|entry| entry.file_name() == name);
    let has_copies = has(COPIES.0) && has(COPIES.1);
    move |entry| has_copies && entry.file_name() != COPIES.1
}

fn begins_with(path: &Path, start: &str) -> bool {
    let mut bytes = vec![0; start.len()];
    // A FIFO of this name would keep the listing waiting.
    let is_file = path.symlink_metadata().is_ok_and(|found| found.is_file());
    is_file
        && File::open(path)
            .and_then(|mut file| file.read_exact(&mut bytes))
            .is_ok_and(|()| bytes == start.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn results_are_known_by_content_and_not_by_names() {
        for (files, expected) in [
            (&[(".pipeline", "publications of pipeline\n")][..], true),
            (&[(".pipeline", "stages:\n  - build\n  - test\n")], false),
            (&[("manifest.json", MANIFEST.1), ("lock", "")], true),
            (&[("manifest.json", MANIFEST.1)], false),
            (
                &[("manifest.json", "{\"name\":\"site\"}"), ("lock", "")],
                false,
            ),
            (&[("a.html", "<p>words"), ("lock", "")], false),
            (&[], false),
        ] {
            let dir = tempfile::tempdir().unwrap();
            for (name, text) in files {
                fs::write(dir.path().join(name), text).unwrap();
            }
            let entries: Vec<DirEntry> = fs::read_dir(dir.path())
                .unwrap()
                .map(Result::unwrap)
                .collect();
            assert_eq!(are_of_a_run(dir.path(), &entries), expected, "{files:?}");
        }
    }
}
