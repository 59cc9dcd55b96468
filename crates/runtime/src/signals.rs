//! SIGINT, SIGTERM and SIGHUP stop a run at a safe point; a second one stops it at once.

use crate::error::Error;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

static FIRST: OnceLock<Arc<AtomicUsize>> = OnceLock::new();

/// The number of the signal that came, SIGTERM's if none did.
pub fn received() -> u8 {
    let number = FIRST.get().map_or(0, |first| first.load(Ordering::Relaxed));
    u8::try_from(number)
        .ok()
        .filter(|number| *number != 0)
        .unwrap_or(SIGTERM as u8)
}

/// Installs the handlers; the flag is set by the first signal.
pub fn install() -> Result<Arc<AtomicBool>, Error> {
    let stop = Arc::new(AtomicBool::new(false));
    let first = FIRST.get_or_init(Arc::default);
    let failed = || Error::io("install signal handlers");
    let ignored = ignored_signals();
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        // Started with nohup, or in the background of a script: what the caller ignores stays
        // ignored.
        if ignored >> (signal - 1) & 1 == 1 {
            continue;
        }
        let code = 128 + signal;
        signal_hook::flag::register_conditional_shutdown(signal, code, Arc::clone(&stop))
            .map_err(failed())?;
        signal_hook::flag::register(signal, Arc::clone(&stop)).map_err(failed())?;
        signal_hook::flag::register_usize(signal, Arc::clone(first), signal as usize)
            .map_err(failed())?;
    }
    // A file-size limit is then an error of the write and no death.
    signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false))).map_err(failed())?;
    Ok(stop)
}

/// Bit n − 1 is set if signal n was ignored when the program started.
fn ignored_signals() -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    line.and_then(|line| u64::from_str_radix(line.trim(), 16).ok())
        .unwrap_or(0)
}
