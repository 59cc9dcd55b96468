//! SIGINT, SIGTERM and SIGHUP stop a run at a safe point; a second one stops it at once.
//!
//! Only the program itself installs handlers. A library in the process of another program must not:
//! there the caller sets the flag of its run.

use crate::runtime::error::Error;
use crate::runtime::first_signal;
use model::Unpoisoned;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

pub use crate::runtime::first_signal::{has_come, received};

/// Set by the first signal, from the moment when the handlers are installed.
static STOP: Mutex<Option<Arc<AtomicBool>>> = Mutex::new(None);

/// Installs the handlers, unless they are; the first signal sets the flag.
///
/// # Errors
/// When the system refuses a handler.
pub fn install() -> Result<Arc<AtomicBool>, Error> {
    let mut installed = STOP.lock().unpoisoned();
    if let Some(stop) = &*installed {
        return Ok(Arc::clone(stop));
    }
    let stop = Arc::new(AtomicBool::new(false));
    let first = first_signal::number();
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
        signal_hook::flag::register_usize(signal, Arc::clone(&first), signal as usize)
            .map_err(failed())?;
    }
    *installed = Some(Arc::clone(&stop));
    Ok(stop)
}

/// From now on, a write beyond the limit on the size of files is an error and does not end the
/// process.
///
/// # Errors
/// When the system refuses the handler.
pub fn outlive_file_limit() -> Result<(), Error> {
    let handler = signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
    let installed = handler.map(|_| ());
    installed.map_err(Error::io("install a signal handler"))
}

/// The flag that the first signal sets; without handlers, one that nothing sets.
pub fn stop_flag() -> Arc<AtomicBool> {
    let installed = STOP.lock().unpoisoned();
    installed.as_ref().map(Arc::clone).unwrap_or_default()
}

/// Bit n − 1 is set if signal n was ignored when the program started.
fn ignored_signals() -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    line.and_then(|line| u64::from_str_radix(line.trim(), 16).ok())
        .unwrap_or(0)
}
