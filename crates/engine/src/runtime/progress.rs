//! The progress of a run on standard error: a bar and a line for each finished phase on a terminal,
//! a line every half minute elsewhere. Or it is handed to a function of the caller.
//!
//! *Limits.* The time left is that of the whole run: that of the task by its own rate, and that of
//! the later phases by the forecast, scaled by what the phases so far took beside theirs.

use crate::runtime::log::{Level, LogForm, LogLine, log_form};
use crate::runtime::phase::PhaseName;
use callback::Callback;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use model::Unpoisoned;
use output::{humane_bytes, humane_seconds, thousands};
use std::collections::VecDeque;
use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

mod callback;

pub use callback::{Progress, TaskProgress};

const LINE_EVERY: Duration = Duration::from_secs(30);

/// How often a caller's function is called.
const CALL_EVERY: Duration = Duration::from_millis(100);

/// The display of progress.
#[derive(Clone, Debug)]
enum DisplayMode {
    Silent,
    Lines,
    Bars,
    Calls(Callback),
}

/// Shows the progress of a run.
#[derive(Clone, Debug)]
pub struct Reporter {
    mode: DisplayMode,
    schedule: Arc<Mutex<Schedule>>,
}

/// The forecast of a run, beside the time since it began.
#[derive(Clone, Debug, Default)]
struct Schedule {
    /// The phases that have not ended, in their order, with their forecast in seconds.
    phases: VecDeque<(&'static str, f64)>,
    /// The forecast of the phases that have ended, in seconds.
    ended_forecast: f64,
    began: Option<Instant>,
}

impl Schedule {
    /// Takes out the phases up to this one.
    fn end(&mut self, phase: &str) {
        while let Some((name, seconds)) = self.phases.pop_front() {
            self.ended_forecast += seconds;
            if name == phase {
                break;
            }
        }
    }

    /// The seconds until the run ends, when the current task needs so many more.
    fn left(&self, phase: &str, task_left: f64) -> f64 {
        let mut phases = self.phases.iter();
        let current = phases.find(|(name, _)| *name == phase);
        let later: f64 = phases.map(|(_, seconds)| seconds).sum();
        let (Some((_, current)), Some(began)) = (current, self.began) else {
            return task_left;
        };
        let forecast = self.ended_forecast + current;
        let taken = began.elapsed().as_secs_f64() + task_left;
        let scale = if forecast > 0.0 {
            (taken / forecast).clamp(0.1, 10.0)
        } else {
            1.0
        };
        task_left + later * scale
    }
}

impl Reporter {
    /// Bars if standard error is a terminal and no log, lines otherwise.
    pub fn standard() -> Reporter {
        let terminal = log_form() == LogForm::Plain
            && std::io::stderr().is_terminal()
            && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
        Reporter::of(if terminal {
            DisplayMode::Bars
        } else {
            DisplayMode::Lines
        })
    }

    /// Shows nothing.
    pub fn silent() -> Reporter {
        Reporter::of(DisplayMode::Silent)
    }

    /// Hands everything to a function, which several threads may call at once.
    pub fn calling(function: impl Fn(&Progress<'_>) + Send + Sync + 'static) -> Reporter {
        Reporter::of(DisplayMode::Calls(Callback::new(function)))
    }

    fn of(mode: DisplayMode) -> Reporter {
        Reporter {
            mode,
            schedule: Arc::default(),
        }
    }

    /// Begins a run of these phases, each with its forecast in seconds.
    pub fn begin_run(&self, phases: impl IntoIterator<Item = (PhaseName, f64)>) {
        let phases = phases.into_iter();
        *self.schedule() = Schedule {
            phases: phases
                .map(|(phase, seconds)| (phase.name(), seconds))
                .collect(),
            ended_forecast: 0.0,
            began: Some(Instant::now()),
        };
    }

    /// Says why a phase begins. On a terminal its bar says so.
    pub fn begin_phase(&self, phase: PhaseName, why: &str) {
        if matches!(self.mode, DisplayMode::Lines) {
            self.line(&format!("{phase}: {why}"));
        }
    }

    /// Says on a terminal that a phase has ended. Elsewhere the last line of the run names it.
    pub fn end_phase(&self, phase: PhaseName, seconds: f64) {
        self.schedule().end(phase.name());
        if matches!(self.mode, DisplayMode::Bars) {
            self.line(&format!("{:>9} done, {seconds:.2} s", phase.name()));
        }
    }

    fn schedule(&self) -> MutexGuard<'_, Schedule> {
        self.schedule.lock().unpoisoned()
    }

    /// Writes one line to standard error, unless silent.
    pub fn line(&self, text: &str) {
        self.tell(&LogLine::new(Level::Info, text));
    }

    /// Writes one line with fields, unless silent.
    pub fn tell(&self, line: &LogLine) {
        match &self.mode {
            DisplayMode::Silent => {}
            DisplayMode::Lines | DisplayMode::Bars => line.write(),
            DisplayMode::Calls(callback) => callback.call(&Progress::Line(line.text())),
        }
    }

    /// Begins to show a phase that will process `total` of `unit`.
    pub fn task(&self, phase: PhaseName, unit: &'static str, total: u64) -> Task {
        self.task_named(phase.name(), unit, total)
    }

    /// Begins to show a task that is not a phase.
    pub fn task_named(&self, phase: &'static str, unit: &'static str, total: u64) -> Task {
        let state = Arc::new(ProgressState {
            phase,
            unit,
            schedule: Arc::clone(&self.schedule),
            began: Instant::now(),
            done: AtomicU64::new(0),
            resumed: AtomicU64::new(0),
            total,
            stopped: Mutex::new(false),
            wake: Condvar::new(),
        });
        let mode = self.mode.clone();
        let ticker = (!matches!(mode, DisplayMode::Silent)).then(|| {
            let state = Arc::clone(&state);
            let thread = std::thread::Builder::new().name("progress".into());
            let show = move || match mode {
                DisplayMode::Silent => {}
                DisplayMode::Lines => lines(&state),
                DisplayMode::Bars => bar(&state),
                DisplayMode::Calls(callback) => calls(&state, &callback),
            };
            thread.spawn(show).ok()
        });
        Task {
            inner: Arc::new(RunningTask {
                state,
                ticker: Mutex::new(ticker.flatten()),
                finished: AtomicBool::new(false),
            }),
        }
    }
}

struct ProgressState {
    phase: &'static str,
    unit: &'static str,
    schedule: Arc<Mutex<Schedule>>,
    began: Instant,
    done: AtomicU64,
    /// Of `done`, what an earlier run did.
    resumed: AtomicU64,
    total: u64,
    stopped: Mutex<bool>,
    wake: Condvar,
}

impl ProgressState {
    /// The units that were processed in a second, and the seconds until the run ends.
    fn pace(&self, done: u64) -> (f64, f64) {
        let own = done.saturating_sub(self.resumed.load(Ordering::Relaxed));
        let rate = own as f64 / self.began.elapsed().as_secs_f64().max(0.001);
        let left = if rate > 0.0 {
            self.total.saturating_sub(done) as f64 / rate
        } else {
            0.0
        };
        let schedule = self.schedule.lock().unpoisoned();
        (rate, schedule.left(self.phase, left))
    }

    /// Waits a moment; true once the task has ended.
    fn wait(&self, time: Duration) -> bool {
        let stopped = self.stopped.lock().unpoisoned();
        let (stopped, _) = self
            .wake
            .wait_timeout_while(stopped, time, |stopped| !*stopped)
            .unpoisoned();
        *stopped
    }
}

struct RunningTask {
    state: Arc<ProgressState>,
    ticker: Mutex<Option<JoinHandle<()>>>,
    finished: AtomicBool,
}

/// A phase that is shown. Clones share one count. Dropping the last one ends its line or bar.
#[derive(Clone)]
pub struct Task {
    inner: Arc<RunningTask>,
}

impl Task {
    /// Counts `n` more as done.
    pub fn add(&self, n: u64) {
        self.inner.state.done.fetch_add(n, Ordering::Relaxed);
    }

    /// Counts `n` as done by an earlier run.
    pub fn resume(&self, n: u64) {
        self.inner.state.resumed.fetch_add(n, Ordering::Relaxed);
        self.add(n);
    }

    /// The work that an earlier run did, in percent; `None` if nothing is.
    pub fn resumed_percent(&self) -> Option<u64> {
        let state = &self.inner.state;
        let resumed = state.resumed.load(Ordering::Relaxed);
        (resumed > 0).then(|| percent(resumed, state.total))
    }

    /// Ends the line or bar now.
    pub fn finish(&self) {
        self.inner.finish();
    }
}

impl RunningTask {
    fn finish(&self) {
        if self.finished.swap(true, Ordering::SeqCst) {
            return;
        }
        *self.state.stopped.lock().unpoisoned() = true;
        self.state.wake.notify_all();
        if let Some(ticker) = self.ticker.lock().unpoisoned().take() {
            let _ = ticker.join();
        }
    }
}

impl Drop for RunningTask {
    fn drop(&mut self) {
        self.finish();
    }
}

fn percent(part: u64, whole: u64) -> u64 {
    (100.0 * part as f64 / whole.max(1) as f64) as u64
}

fn lines(state: &ProgressState) {
    let ProgressState {
        phase, unit, total, ..
    } = state;
    while !state.wait(LINE_EVERY) {
        let done = state.done.load(Ordering::Relaxed);
        let (rate, left) = state.pace(done);
        let percent = percent(done, *total);
        let text = format!(
            "{phase}: {done} of {total} {unit} ({percent} %), {rate:.0}/s, {left:.0} s left in all"
        );
        let line = LogLine::new(Level::Info, text)
            .with("phase", *phase)
            .with("unit", *unit);
        line.with("done", done)
            .with("total", *total)
            .with("left_s", left.round())
            .write();
    }
}

fn bar(state: &ProgressState) {
    let bar =
        ProgressBar::with_draw_target(Some(state.total), ProgressDrawTarget::stderr_with_hz(5));
    let template = if state.unit == "bytes" {
        "{prefix:>9} [{bar:30}] {bytes}/{total_bytes}, {msg}"
    } else {
        "{prefix:>9} [{bar:30}] {human_pos}/{human_len} {msg}"
    };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.progress_chars("=> "));
    }
    bar.set_prefix(state.phase);
    while !state.wait(Duration::from_millis(200)) {
        let done = state.done.load(Ordering::Relaxed);
        bar.set_message(bar_message(state, done));
        bar.set_position(done);
    }
    bar.finish_and_clear();
}

/// Calls the function at once, every moment, and at the end.
fn calls(state: &ProgressState, callback: &Callback) {
    let mut has_ended = false;
    loop {
        let done = state.done.load(Ordering::Relaxed);
        callback.call(&Progress::Task(TaskProgress {
            task: state.phase,
            unit: state.unit,
            done,
            total: state.total,
            is_over: has_ended,
            left_seconds: state.pace(done).1,
        }));
        if has_ended {
            return;
        }
        has_ended = state.wait(CALL_EVERY);
    }
}

/// The end of a bar: the rate, and the time left for the whole run.
fn bar_message(state: &ProgressState, done: u64) -> String {
    let (rate, left) = state.pace(done);
    let left = match left.ceil() {
        left if left < 60.0 => format!("{left:.0} s"),
        left => humane_seconds(left),
    };
    if state.unit == "bytes" {
        format!("{}/s, {left} left in all", humane_bytes(rate as u64))
    } else {
        let rate = thousands(rate as u64);
        format!("{}, {rate}/s, {left} left in all", state.unit)
    }
}

#[cfg(test)]
mod tests;
