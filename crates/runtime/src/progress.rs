//! The progress of a phase on standard error: a bar on a terminal, a line every half minute
//! elsewhere.

use crate::log::{Level, LogForm, LogLine, log_form};
use crate::phase::PhaseName;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const LINE_EVERY: Duration = Duration::from_secs(30);

/// The display of progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Silent,
    Lines,
    Bars,
}

/// Shows the progress of a run.
#[derive(Clone, Copy, Debug)]
pub struct Reporter {
    mode: Mode,
}

impl Reporter {
    /// Bars if standard error is a terminal and no log, lines otherwise.
    pub fn standard() -> Reporter {
        let terminal = log_form() == LogForm::Plain
            && std::io::stderr().is_terminal()
            && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
        Reporter {
            mode: if terminal { Mode::Bars } else { Mode::Lines },
        }
    }

    /// Shows nothing.
    pub fn silent() -> Reporter {
        Reporter { mode: Mode::Silent }
    }

    /// Writes one line to standard error, unless silent.
    pub fn line(&self, text: &str) {
        self.tell(&LogLine::new(Level::Info, text));
    }

    /// Writes one line with fields, unless silent.
    pub fn tell(&self, line: &LogLine) {
        if self.mode != Mode::Silent {
            line.write();
        }
    }

    /// Begins to show a phase that will process `total` of `unit`.
    pub fn task(&self, phase: PhaseName, unit: &'static str, total: u64) -> Task {
        self.task_named(phase.name(), unit, total)
    }

    /// Begins to show a task that is not a phase.
    pub fn task_named(&self, phase: &'static str, unit: &'static str, total: u64) -> Task {
        let state = Arc::new(State {
            done: AtomicU64::new(0),
            total,
            stopped: Mutex::new(false),
            wake: Condvar::new(),
        });
        let ticker = match self.mode {
            Mode::Silent => None,
            Mode::Lines => {
                let state = Arc::clone(&state);
                std::thread::Builder::new()
                    .name("progress".into())
                    .spawn(move || lines(phase, unit, &state))
                    .ok()
            }
            Mode::Bars => {
                let state = Arc::clone(&state);
                std::thread::Builder::new()
                    .name("progress".into())
                    .spawn(move || bar(phase, unit, &state))
                    .ok()
            }
        };
        Task {
            inner: Arc::new(Running {
                state,
                ticker: Mutex::new(ticker),
                finished: AtomicBool::new(false),
            }),
        }
    }
}

struct State {
    done: AtomicU64,
    total: u64,
    stopped: Mutex<bool>,
    wake: Condvar,
}

impl State {
    /// Waits a moment; true once the task has ended.
    fn wait(&self, time: Duration) -> bool {
        let stopped = self.stopped.lock().unwrap_or_else(PoisonError::into_inner);
        let (stopped, _) = self
            .wake
            .wait_timeout_while(stopped, time, |stopped| !*stopped)
            .unwrap_or_else(PoisonError::into_inner);
        *stopped
    }
}

struct Running {
    state: Arc<State>,
    ticker: Mutex<Option<JoinHandle<()>>>,
    finished: AtomicBool,
}

/// A phase that is shown. Clones share one count. Dropping the last one ends its line or bar.
#[derive(Clone)]
pub struct Task {
    inner: Arc<Running>,
}

impl Task {
    /// Counts `n` more as done.
    pub fn add(&self, n: u64) {
        self.inner.state.done.fetch_add(n, Ordering::Relaxed);
    }

    /// Ends the line or bar now.
    pub fn finish(&self) {
        self.inner.finish();
    }
}

impl Running {
    fn finish(&self) {
        if self.finished.swap(true, Ordering::SeqCst) {
            return;
        }
        *self
            .state
            .stopped
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = true;
        self.state.wake.notify_all();
        if let Some(ticker) = self
            .ticker
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
        {
            let _ = ticker.join();
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.finish();
    }
}

fn lines(phase: &str, unit: &str, state: &State) {
    let started = Instant::now();
    while !state.wait(LINE_EVERY) {
        let (done, seconds) = (
            state.done.load(Ordering::Relaxed),
            started.elapsed().as_secs_f64(),
        );
        let rate = done as f64 / seconds.max(0.001);
        let left = if rate > 0.0 {
            state.total.saturating_sub(done) as f64 / rate
        } else {
            0.0
        };
        let percent = 100.0 * done as f64 / state.total.max(1) as f64;
        let total = state.total;
        let text = format!(
            "{phase}: {done} of {total} {unit} ({percent:.0} %), {rate:.0}/s, {left:.0} s left"
        );
        let line = LogLine::new(Level::Info, text)
            .with("phase", phase)
            .with("unit", unit);
        line.with("done", done)
            .with("total", total)
            .with("left_s", left.round())
            .write();
    }
}

fn bar(phase: &'static str, unit: &str, state: &State) {
    let bar =
        ProgressBar::with_draw_target(Some(state.total), ProgressDrawTarget::stderr_with_hz(5));
    let template = if unit == "bytes" {
        "{prefix:>9} [{bar:30}] {bytes}/{total_bytes}, {bytes_per_sec}, {eta} left"
    } else {
        "{prefix:>9} [{bar:30}] {human_pos}/{human_len} {msg}, {per_sec}, {eta} left"
    };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.progress_chars("=> "));
    }
    bar.set_prefix(phase);
    bar.set_message(unit.to_owned());
    while !state.wait(Duration::from_millis(200)) {
        bar.set_position(state.done.load(Ordering::Relaxed));
    }
    bar.finish_and_clear();
}
