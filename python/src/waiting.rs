//! Long work without the lock of the interpreter, and Ctrl-C in the midst of it.

use crate::errors::EngineError;
use model::Unpoisoned;
use pipeline::config::Config;
use pipeline::{Error, Progress, Reporter, RunHooks, RunOptions, RunOutcome, TaskProgress};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How long Python waits for Ctrl-C to be noticed.
const PATIENCE: Duration = Duration::from_millis(50);

/// Calls `f` for each row, and looks for signals in between.
pub(crate) fn each_row(
    py: Python<'_>,
    rows: usize,
    mut f: impl FnMut(usize) -> PyResult<()> + Send,
) -> PyResult<()> {
    let mut next = 0;
    while next < rows {
        py.detach(|| {
            let began = Instant::now();
            while next < rows && began.elapsed() < PATIENCE {
                f(next)?;
                next += 1;
            }
            Ok::<(), PyErr>(())
        })?;
        py.check_signals()?;
    }
    Ok(())
}

/// Runs a configuration. Ctrl-C stops it at the next safe point; the next run resumes there.
/// `raised` makes an exception of an error.
pub(crate) fn run(
    py: Python<'_>,
    config: &Config,
    options: RunOptions,
    shown: Shown,
    raised: fn(Python<'_>, &Error) -> PyErr,
) -> PyResult<RunOutcome> {
    let config = config.clone();
    let work = move |hooks: &RunHooks| pipeline::run_with(&config, &options, hooks);
    wait_for(py, shown, raised, work)
}

/// Does long work on a thread of its own. Ctrl-C stops it at the next safe point.
pub(crate) fn wait_for<T: Send + 'static>(
    py: Python<'_>,
    shown: Shown,
    raised: fn(Python<'_>, &Error) -> PyErr,
    work: impl FnOnce(&RunHooks) -> Result<T, Error> + Send + 'static,
) -> PyResult<T> {
    let stop = Arc::new(AtomicBool::new(false));
    // Of a signal, or of the function that progress is reported to.
    let failure: Arc<Mutex<Option<PyErr>>> = Arc::default();
    let reporter = match shown {
        Shown::Nowhere => Reporter::silent(),
        shown => telling(shown, &stop, &failure),
    };
    let hooks = RunHooks {
        reporter,
        stop: Arc::clone(&stop),
    };
    let (sender, mut receiver) = channel();
    let thread = std::thread::Builder::new().name("run".to_owned());
    let thread = thread.spawn(move || {
        // The receiver is there until the thread has ended.
        let _ = sender.send(work(&hooks));
    })?;
    let result = loop {
        let waiting = &mut receiver;
        match py.detach(move || waiting.recv_timeout(PATIENCE)) {
            Ok(result) => break result,
            Err(RecvTimeoutError::Timeout) => {
                if let Err(signal) = py.check_signals() {
                    fail(&failure, signal, &stop);
                }
            }
            Err(RecvTimeoutError::Disconnected) => break Err(Error::thread_died("run")),
        }
    };
    if py.detach(|| thread.join()).is_err() {
        return Err(EngineError::new_err(
            "a thread of the run died; please report it",
        ));
    }
    let failure = failure.lock().unpoisoned().take();
    match (result, failure) {
        (_, Some(failure)) => Err(failure),
        (Ok(outcome), None) => Ok(outcome),
        (Err(Error::Interrupted { .. }), None) => Err(PyKeyboardInterrupt::new_err(())),
        (Err(error), None) => Err(raised(py, &error)),
    }
}

/// Remembers why the run ends, and ends it.
fn fail(failure: &Mutex<Option<PyErr>>, error: PyErr, stop: &AtomicBool) {
    let mut failure = failure.lock().unpoisoned();
    failure.get_or_insert(error);
    stop.store(true, Ordering::Relaxed);
}

/// Where progress is shown.
pub(crate) enum Shown {
    Nowhere,
    /// On `sys.stderr`: a notebook shows it.
    Stderr,
    /// By a function of the caller.
    Function(Py<PyAny>),
}

impl FromPyObject<'_, '_> for Shown {
    type Error = PyErr;

    /// True, False or a function.
    fn extract(progress: Borrowed<'_, '_, PyAny>) -> PyResult<Shown> {
        Ok(if progress.is_callable() {
            Shown::Function(progress.to_owned().unbind())
        } else if progress.is_truthy()? {
            Shown::Stderr
        } else {
            Shown::Nowhere
        })
    }
}

impl Shown {
    fn tell(&self, py: Python<'_>, task: &TaskProgress) -> PyResult<()> {
        match self {
            Shown::Nowhere => Ok(()),
            Shown::Stderr => write_line(py, task),
            Shown::Function(function) => {
                let arguments = (task.task, task.done, task.total, task.unit);
                function.call1(py, arguments).map(drop)
            }
        }
    }
}

/// Tells of the progress; if that raises, the run ends.
fn telling(shown: Shown, stop: &Arc<AtomicBool>, failure: &Arc<Mutex<Option<PyErr>>>) -> Reporter {
    let (stop, failure) = (Arc::clone(stop), Arc::clone(failure));
    Reporter::calling(move |progress| {
        let Progress::Task(task) = progress else {
            return;
        };
        if let Err(error) = Python::attach(|py| shown.tell(py, task)) {
            fail(&failure, error, &stop);
        }
    })
}

/// One line for each task; on a terminal it is written again as the task goes on.
fn write_line(py: Python<'_>, task: &TaskProgress) -> PyResult<()> {
    let stderr = py.import("sys")?.getattr("stderr")?;
    if stderr.is_none() || !(task.is_over || stderr.call_method0("isatty")?.is_truthy()?) {
        return Ok(());
    }
    let percent = task.done.saturating_mul(100) / task.total.max(1);
    let end = if task.is_over { "\n" } else { "\r" };
    let (name, total, unit) = (task.task, task.total, task.unit);
    let line = format!("{name:>9}: {percent:>3} % of {total} {unit}{end}");
    stderr.call_method1("write", (line,))?;
    stderr.call_method0("flush").map(drop)
}
