//! Is there room for what a phase is going to write? Asked before it writes. And memory for one
//! document, at all?
//!
//! Disk by the estimate, with the counts of the phases that are done by now. It may be off by half
//! without refusing a run that would fit; what is more than that is met while writing, with the
//! same error.

use crate::engine::Engine;
use crate::estimate::{self, Estimator};
use crate::phases::sketch::memory_minimum_bytes;
use config::Config;
use format::FormatError;
use runtime::{Error, PhaseName};

/// Refuses to begin a phase for which not even half of the estimate is free, on disk or within
/// `work.disk`.
pub(crate) fn check(engine: &Engine<'_>, phase: PhaseName) -> Result<(), Error> {
    let (config, listing, fresh) = (engine.config, &engine.inputs.listing, engine.fresh.as_ref());
    let nothing_new = estimate::nothing_new(config, &engine.inputs, &engine.manifest());
    let estimator = Estimator {
        config,
        listing,
        fresh,
        nothing_new,
        is_stopped: &|| false,
    };
    let costs = estimator.costs(&engine.manifest(), &engine.outlook, &[phase]);
    let needed = costs[phase as usize].estimate.peak_disk_bytes / 2;
    let path = engine.config.work.dir.clone();
    let refuse = |source| {
        Err(Error::Work {
            phase: Some(phase),
            source,
        })
    };
    if let Ok(free) = format::free_bytes(&path)
        && free < needed
    {
        return refuse(FormatError::NoSpace { path, needed, free });
    }
    let used = engine.disk.used_bytes();
    match engine.config.work.disk_bytes {
        Some(limit) if limit.saturating_sub(used) < needed => {
            refuse(FormatError::DiskLimit { path, limit, used })
        }
        _ => Ok(()),
    }
}

/// Refuses a `work.memory` below that.
pub(crate) fn check_memory(config: &Config) -> Result<(), Error> {
    let (given_bytes, needed_bytes) = (config.work.memory_bytes, memory_minimum_bytes(config));
    if given_bytes >= needed_bytes {
        return Ok(());
    }
    let why = format!(
        "input.max-document = {} bytes, and how it is sketched",
        config.input.max_document_bytes
    );
    Err(Error::MemoryMinimum {
        given_bytes,
        needed_bytes,
        why,
    })
}
