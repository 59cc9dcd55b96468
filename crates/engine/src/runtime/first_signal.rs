//! The number of the signal that came first.

use signal_hook::consts::SIGTERM;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

static FIRST: OnceLock<Arc<AtomicUsize>> = OnceLock::new();

/// The number of the signal that came, SIGTERM's if none did.
pub fn received() -> u8 {
    let number = FIRST.get().map_or(0, |first| first.load(Ordering::Relaxed));
    u8::try_from(number)
        .ok()
        .filter(|number| *number != 0)
        .unwrap_or(SIGTERM as u8)
}

/// Whether a signal came.
pub fn has_come() -> bool {
    FIRST
        .get()
        .is_some_and(|first| first.load(Ordering::Relaxed) != 0)
}

/// The number for the handlers to write; 0 before the first signal.
pub(crate) fn number() -> Arc<AtomicUsize> {
    Arc::clone(FIRST.get_or_init(Arc::default))
}
