//! Is there room for what a phase is going to write? Asked before it writes. And memory for one
//! document, at all?
//!
//! The forecast of the disk is off by half at times. So a phase is refused only if it certainly
//! does not fit. One that does not fit for all that meets the same error while it writes.

use config::Config;
use engine::Engine;
use estimate::PhaseForecast;
use format::FormatError;
use phases::sketch::memory_minimum_bytes;
use runtime::Error;

/// Refuses to begin a phase for which there is certainly too little room, on disk or within
/// `work.disk`.
pub(crate) fn check(engine: &Engine<'_>, forecast: &PhaseForecast) -> Result<(), Error> {
    let needed = forecast.certain_disk_bytes;
    let path = engine.config.work.dir.clone();
    let refuse = |source| {
        Err(Error::Work {
            phase: Some(forecast.phase),
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
        "to sketch a document of max-document = {} bytes",
        config.input.max_document_bytes
    );
    Err(Error::MemoryMinimum {
        given_bytes,
        needed_bytes,
        why,
    })
}
