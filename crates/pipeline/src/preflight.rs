//! Is there room for what a phase is going to write? Asked before it writes.
//!
//! By the estimate, with the counts of the phases that are done by now. It may be off by half without refusing a run that
//! would fit; what is more than that is met while writing, with the same error.

use crate::engine::Engine;
use crate::estimate::Estimator;
use crate::{Error, PhaseName};
use format::FormatError;

/// Refuses to begin a phase for which not even half of the estimate is free, on disk or within `work.disk`.
pub(crate) fn check(engine: &Engine<'_>, phase: PhaseName) -> Result<(), Error> {
    let (config, listing, fresh) = (engine.config, &engine.inputs.listing, engine.fresh.as_ref());
    let estimator = Estimator { config, listing, fresh, is_stopped: &|| false };
    let costs = estimator.costs(&engine.manifest(), &engine.outlook, &[phase]);
    let needed = costs[phase as usize].estimate.peak_disk_bytes / 2;
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
