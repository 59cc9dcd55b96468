//! The work directory as a whole: its size, and the removal of files that killed runs left.

use crate::Engine;
use crate::reading::{self, READERS, listed_files};
use crate::{Error, PhaseName};
use std::path::{Path, PathBuf};

/// Removes the files that killed runs left: temporary files, runs of sorts, and outputs that the
/// manifest does not list. Files that this program did not write stay.
pub fn clear_leftovers(engine: &Engine<'_>) -> Result<(), Error> {
    let begun = engine.config.work.dir.join("manifest.json.part");
    engine.disk.remove(&begun)?;
    reading::clear_dead(&engine.disk, &engine.config.work.dir)?;
    PhaseName::ALL
        .into_iter()
        .try_for_each(|phase| clear_phase(engine, phase))
}

/// The directory of the scratch files of `dedup`.
pub fn scratch_dir(work: &Path) -> PathBuf {
    work.join("dedup")
}

/// Removes the files that have a name of this phase but are not in the manifest.
pub fn clear_phase(engine: &Engine<'_>, phase: PhaseName) -> Result<(), Error> {
    let named = listed_files(&engine.manifest(), phase);
    for path in engine.disk.list(&engine.dir(phase))? {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let begun = name.strip_suffix(".part").unwrap_or(&name);
        let ours = named.contains(begun)
            || OURS.contains(&begun)
            || begun.contains(".run-")
            || is_of_part(begun);
        if ours && !named.contains(&name) && engine.disk.size(&path).is_some() {
            engine.disk.remove(&path)?;
        }
    }
    Ok(())
}

/// Whether the name is one of a file of one snapshot or one step.
fn is_of_part(name: &str) -> bool {
    [
        "segment-",
        "documents-",
        "rejected-",
        "postings-",
        "representatives-",
        "pairs-",
        "between-",
    ]
    .iter()
    .any(|prefix| name.starts_with(prefix))
}

/// Names of outputs that cover all snapshots.
const OURS: [&str; 18] = [
    "affected",
    "chosen",
    "classes",
    "clusters",
    "common",
    "common-keys",
    "common-keys-of-documents",
    "common-of-documents",
    "compared",
    "cuts",
    "judged-links",
    "links",
    "members",
    "new-pairs",
    "passages",
    "published-links",
    "settled",
    "whole",
];

/// Bytes of the files in a work directory, without those of readers: they have most of theirs in
/// common with it.
pub fn directory_bytes(dir: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(dir) else {
        return 0;
    };
    let size = |entry: std::fs::DirEntry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() && entry.file_name() == READERS => 0,
        Ok(metadata) if metadata.is_dir() => directory_bytes(&entry.path()),
        Ok(metadata) => metadata.len(),
        Err(_) => 0,
    };
    entries.flatten().map(size).sum()
}
