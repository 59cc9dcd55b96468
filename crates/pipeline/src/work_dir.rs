//! The work directory as a whole: what killed runs left in it, how large it is, how many files it may hold open.

use crate::engine::Engine;
use crate::{Error, PhaseName};
use std::collections::BTreeSet;
use std::path::Path;

/// Removes what killed runs left: temporary files, runs of sorts, parts that no manifest names. Foreign files stay.
pub(crate) fn clear_leftovers(engine: &Engine<'_>) -> Result<(), Error> {
    let outside = |e| Error::from_format(None, e);
    for path in engine.disk.list(&engine.config.work.dir).map_err(outside)? {
        if path.extension().is_some_and(|extension| extension == "part") {
            engine.disk.remove(&path).map_err(outside)?;
        }
    }
    for phase in PhaseName::ALL {
        clear_phase(engine, phase)?;
    }
    Ok(())
}

/// Removes what is of a phase by its name but not in the manifest.
pub(crate) fn clear_phase(engine: &Engine<'_>, phase: PhaseName) -> Result<(), Error> {
    let named: BTreeSet<String> = {
        let manifest = engine.manifest();
        let parts = manifest.parts.get(phase.name()).into_iter().flat_map(|parts| parts.values());
        let records = manifest.phases.get(phase.name()).into_iter().chain(parts);
        records.flat_map(|record| record.outputs.values()).map(|sealed| sealed.name.clone()).collect()
    };
    let failed = Error::work(phase);
    for path in engine.disk.list(&engine.dir(phase)).map_err(failed)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let ours = name.ends_with(".part") || name.contains(".run-") || name.starts_with("segment-");
        if ours && !named.contains(&name) {
            engine.disk.remove(&path).map_err(failed)?;
        }
    }
    Ok(())
}

/// Files a merge may hold open: what the system allows, less what the program needs otherwise.
pub(crate) fn fan_in_max() -> usize {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile).current.unwrap_or(1024);
    usize::try_from(limit).unwrap_or(1024).saturating_sub(32).clamp(2, 512)
}

/// Bytes of the files in a work directory.
pub(crate) fn directory_bytes(dir: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(dir) else { return 0 };
    let size = |entry: std::fs::DirEntry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => directory_bytes(&entry.path()),
        Ok(metadata) => metadata.len(),
        Err(_) => 0,
    };
    entries.flatten().map(size).sum()
}
