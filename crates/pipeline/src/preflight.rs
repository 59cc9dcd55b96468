//! Is there room for what a phase is going to write? Asked before it writes.
//!
//! Estimates from the counts of the phases before it. They may be off by half without refusing a run that would fit;
//! what cannot be estimated (pairs, which grow with the squares of the groups) is met while writing, with the same error.

use crate::engine::Engine;
use crate::{Error, PhaseName};
use format::{FormatError, Manifest};

/// Refuses to begin a phase for which not even half of the estimate is free, on disk or within `work.disk`.
pub(crate) fn check(engine: &Engine<'_>, phase: PhaseName) -> Result<(), Error> {
    let needed = estimate_bytes(phase, &engine.manifest(), engine.budget.total_bytes() as u64) / 2;
    let path = engine.config.work.dir.clone();
    let refuse = |source| Err(Error::Work { phase: Some(phase), source });
    if let Ok(free) = format::free_bytes(&path)
        && free < needed
    {
        return refuse(FormatError::NoSpace { path, needed, free });
    }
    let used = engine.disk.used_bytes();
    match engine.config.work.disk_bytes {
        Some(limit) if limit.saturating_sub(used) < needed => refuse(FormatError::DiskLimit { path, limit, used }),
        _ => Ok(()),
    }
}

/// Bytes a phase has on disk at one time besides what is there already.
fn estimate_bytes(phase: PhaseName, manifest: &Manifest, memory_bytes: u64) -> u64 {
    let count = |phase: PhaseName, name: &str| {
        manifest.phases.get(phase.name()).and_then(|record| record.counts.get(name)).copied().unwrap_or(0)
    };
    let documents = count(PhaseName::Sketch, "documents");
    // What does not fit the memory is on disk twice: as runs and as the output.
    let sorted = |bytes: u64| if bytes > memory_bytes { 2 * bytes } else { bytes };
    match phase {
        PhaseName::Sketch | PhaseName::Pairs => 0,
        PhaseName::Distinct => sorted(documents * 20),
        PhaseName::Sort => {
            let representatives = count(PhaseName::Distinct, "representatives");
            let postings = count(PhaseName::Sketch, "sampled") * representatives / documents.max(1);
            sorted(postings * 12)
        }
        PhaseName::Cluster => count(PhaseName::Distinct, "represented") * 9,
        PhaseName::Index => documents * 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sort_that_spills_is_on_disk_twice() {
        let mut manifest = Manifest::default();
        let mut set = |phase: PhaseName, name: &str, n: u64| {
            manifest.phases.entry(phase.name().to_owned()).or_default().counts.insert(name.to_owned(), n);
        };
        set(PhaseName::Sketch, "documents", 100);
        set(PhaseName::Sketch, "sampled", 10_000);
        set(PhaseName::Distinct, "representatives", 50);
        assert_eq!(estimate_bytes(PhaseName::Sort, &manifest, 1 << 20), 60_000);
        assert_eq!(estimate_bytes(PhaseName::Sort, &manifest, 1 << 10), 120_000);
    }
}
