//! SIGTERM and SIGHUP in the midst of a call that has to tidy up.
//!
//! Python leaves them to the system, which ends the process at once. During such a call they end the
//! call as Ctrl-C does, and then the process as they would have. A handler of the caller stays. *Limits.*
//! Python answers signals in its main thread only.

use pyo3::exceptions::PySystemExit;
use pyo3::prelude::*;
use pyo3::types::{PyCFunction, PyDict, PyTuple};
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

/// Calls `f`; a signal that came in the meantime ends the process afterwards.
pub(crate) fn tidily<T>(py: Python<'_>, f: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    let signal = py.import("signal")?;
    let default = signal.getattr("SIG_DFL")?;
    let came = Arc::new(AtomicI32::new(0));
    let noted = Arc::clone(&came);
    let ended = move |arguments: &Bound<'_, PyTuple>, _: Option<&Bound<'_, PyDict>>| {
        let number: i32 = arguments.get_item(0)?.extract()?;
        noted.store(number, Ordering::Relaxed);
        Err::<(), PyErr>(PySystemExit::new_err(128 + number))
    };
    let handler = PyCFunction::new_closure(py, None, None, ended)?;
    let mut answered = Vec::new();
    for name in ["SIGTERM", "SIGHUP"] {
        let number = signal.getattr(name)?;
        let now = signal.call_method1("getsignal", (&number,))?;
        // In another thread than the main one it is refused.
        if now.is(&default) && signal.call_method1("signal", (&number, &handler)).is_ok() {
            answered.push(number);
        }
    }
    let result = f();
    let pending = py.check_signals();
    for number in answered {
        signal.call_method1("signal", (number, &default))?;
    }
    let came = came.load(Ordering::Relaxed);
    if came != 0 {
        let os = py.import("os")?;
        os.call_method1("kill", (os.call_method0("getpid")?, came))?;
    }
    pending.and(result)
}
