//! CPU seconds of this thread.

use rustix::time::{ClockId, clock_gettime};

/// CPU seconds of this thread so far.
pub(crate) fn seconds() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// The result of `f`, and the CPU seconds that it takes.
pub(crate) fn timed<T>(f: impl FnOnce() -> T) -> (T, f64) {
    let before = seconds();
    let result = f();
    (result, seconds() - before)
}
