//! `pipeline run` in five steps: check, scan, accept, forecast, execute.
//!
//! Their order is what a user relies on. Nothing is made before the input is found, so a mistyped
//! path leaves no directory behind. The lock is taken before the list of snapshots is written. The
//! lock names this process only when there is something to do, so a night without news writes
//! nothing.

use crate::damage;
use crate::dry_run::dry_run;
use crate::estimate::{CostForecast, ForecastBasis, PHASES, PhaseForecast, outdated_phases};
use crate::hooks::RunHooks;
use crate::line::RunLine;
use crate::metrics::RunMetrics;
use crate::options::{PhaseRange, RunOptions, refuse_missing, refuse_snapshots};
use crate::outcome::RunOutcome;
use crate::{kept_figures, preflight, rejected, report, sources};
use config::Config;
use engine::{
    Engine, Error, PhaseName, Reporter, RunStart,
    intake::inputs::Inputs,
    intake::listing,
    intake::snapshots::Intake,
    intake::summary::InputSummary,
    runtime::lock::{self, Lock},
    runtime::log::{Level, LogLine},
    runtime::phase::Verdict,
    runtime::threads::thread_pool,
    work_dir,
};
use format::{Access, Disk, DiskOptions, Faults, IoMode, Manifest};
use publication::publish;
use std::path::Path;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

/// [`run_with`] the hooks of a program.
///
/// # Errors
/// As for [`run_with`].
pub fn run(
    config: &Config,
    options: &RunOptions,
    reporter: &Reporter,
) -> Result<RunOutcome, Error> {
    run_with(config, options, &RunHooks::of(reporter))
}

/// Runs what has to run, and leaves figures of it where `work.metrics` says. It installs no signal
/// handler.
///
/// # Errors
/// Every way a run can end before its end; see [`Error::exit_code`].
pub fn run_with(
    config: &Config,
    options: &RunOptions,
    hooks: &RunHooks,
) -> Result<RunOutcome, Error> {
    let mut metrics = RunMetrics::start();
    let result = attempt(config, options, hooks, &mut metrics);
    if let Some(path) = config.work.metrics.as_ref().filter(|_| !options.dry_run) {
        metrics.write_file(path, &config.file, &result);
    }
    result
}

fn attempt(
    config: &Config,
    options: &RunOptions,
    hooks: &RunHooks,
    metrics: &mut RunMetrics,
) -> Result<RunOutcome, Error> {
    let reporter = &hooks.reporter;
    let options = &options.with_shards_of_job(config)?;
    let range = check(config, options)?;
    let mut found = scan(config, options, reporter).inspect_err(|error| {
        if !options.adopt.is_empty() && matches!(error, Error::Input(_)) {
            reporter.line(
                "note: --adopt needs the input at the same paths as where it was sketched: \
                 phase settle, explain and dedup read documents of it again",
            );
        }
    })?;
    if range.contains(PhaseName::Index) {
        publish::check_ours(&config.work.output)?;
    }
    metrics.input(&found.inputs.listing);
    rejected::check_listing(&found.inputs.listing)?;
    sources::check_listing(config, &found.inputs.listing)?;
    if options.dry_run {
        return dry_run(config, &found.inputs, &found.manifest, range, options.force);
    }
    if let Some(on_input) = &options.on_input.0 {
        on_input()?;
    }
    let lock = accept(config, &mut found, reporter)?;
    metrics.input(&found.inputs.listing);
    let start = RunStart::now();
    let disk = open_disk(config, Arc::clone(&hooks.stop));
    let pool = thread_pool(config.work.threads)?;
    let forecasts = forecast(config, options, range, &found, &lock, reporter);
    let intake = found.intake;
    let mut engine = Engine::over(config, disk, found.manifest, reporter).reading(found.inputs);
    engine.start = start;
    let executed = execute(&mut engine, intake, |engine, intake| {
        let mut line = RunLine {
            engine,
            intake,
            forecasts: &forecasts.phases,
            range,
            options,
            lock: &lock,
        };
        pool.install(|| line.phases())
    });
    let run = engine.run_record(None);
    metrics.cost = Some(run.clone());
    let phases = executed?;
    if phases.iter().any(|plan| plan.verdict != Verdict::UpToDate) {
        damage::forget_mended(config, &engine.disk)?;
    }
    // The counts are those of one run only if every phase is up to date.
    let is_whole = phases.len() == PhaseName::of(config).count();
    let report = report::of_finished(&engine.manifest()).filter(|_| is_whole);
    let rejected = rejected::examples(&config.work.output, report.as_ref());
    Ok(RunOutcome {
        phases,
        forecast: forecasts.outdated,
        report,
        rejected,
        run,
        output: config.work.output.clone(),
        dry_run: false,
    })
}

/// Step 1: everything that can be refused without looking at the input.
fn check(config: &Config, options: &RunOptions) -> Result<PhaseRange, Error> {
    preflight::check_memory(config)?;
    let range = PhaseRange::of(options)?;
    if !options.adopt.is_empty() {
        refuse_snapshots(config)?;
    }
    if options.job.is_none() {
        refuse_missing(&options.adopt)?;
    }
    lock::check_ours(&config.work.dir)?;
    lock::check_private(&config.work)?;
    lock::check_all_private(&config.work, &options.adopt)?;
    Ok(range)
}

/// The input as it is now, beside the manifest that the last run left.
struct FoundInput {
    /// `None` if no run has worked here yet, or nothing is to be written.
    lock: Option<Lock>,
    manifest: Manifest,
    intake: Intake,
    inputs: Inputs,
    /// The notes about the input, all told.
    notes: Vec<String>,
}

/// Step 2: lists the input. Writes nothing.
fn scan(config: &Config, options: &RunOptions, reporter: &Reporter) -> Result<FoundInput, Error> {
    let work = &config.work.dir;
    let is_known = !options.dry_run && work.join("lock").is_file();
    let lock = is_known.then(|| lock::take(work)).transpose()?;
    let manifest = load(work)?;
    // Every shard lists the whole input. One that cannot be read is refused later, by its name.
    let shard = options.adopt.first();
    let shard = shard.and_then(|dir| Manifest::load(&Disk::default(), dir).ok()?);
    let mut intake = Intake::scan_beside(config, &manifest, shard.as_ref())?;
    drop(shard);
    tracing::info!(opened = intake.unknown_files, "input listed");
    let inputs = intake.take_inputs(config)?;
    if options.tell_input {
        let summary = InputSummary::of(&inputs.listing, config);
        reporter.line(&format!("input: {summary}"));
        if let Some(note) = summary.note() {
            reporter.line(&format!("note: {note}"));
        }
    }
    let notes = tell_notes(&intake, &inputs, &[], reporter);
    Ok(FoundInput {
        lock,
        manifest,
        intake,
        inputs,
        notes,
    })
}

/// Tells the notes of a scan but those that are `told` already. Returns all of them.
fn tell_notes(
    intake: &Intake,
    inputs: &Inputs,
    told: &[String],
    reporter: &Reporter,
) -> Vec<String> {
    let notes: Vec<String> = intake.notes.iter().cloned().chain(inputs.notes()).collect();
    let new = notes.iter().filter(|note| !told.contains(note));
    new.for_each(|note| reporter.line(&format!("note: {note}")));
    notes
}

/// Step 3: takes the lock, and makes the list of snapshots durable. Only now is the work directory
/// made: where there is no input, nothing is.
fn accept(config: &Config, found: &mut FoundInput, reporter: &Reporter) -> Result<Lock, Error> {
    let work = &config.work.dir;
    let lock = match found.lock.take() {
        Some(lock) => lock,
        None => {
            Disk::default().create_dir(work, Access::Private)?;
            let lock = lock::take(work)?;
            found.manifest = load(work)?;
            lock
        }
    };
    if !found.intake.is_current(config)? {
        found.intake = Intake::scan(config, &found.manifest)?;
        found.inputs = found.intake.take_inputs(config)?;
        tell_notes(&found.intake, &found.inputs, &found.notes, reporter);
    }
    found.intake.persist(config)?;
    Ok(lock)
}

/// The disk of a run: it counts bytes against `work.disk` and stops when the caller says so.
pub fn open_disk(config: &Config, stop: Arc<AtomicBool>) -> Disk {
    Disk::new(DiskOptions {
        faults: Faults::from_environment(),
        io: IoMode::default(),
        stop,
        limit_bytes: config.work.disk_bytes,
        used_bytes: work_dir::directory_bytes(&config.work.dir),
    })
}

/// The expected cost of the phases.
struct Forecasts {
    /// Each phase, whether it runs or not.
    phases: [PhaseForecast; PHASES],
    /// The phases that run; `None` if none does.
    outdated: Option<CostForecast>,
}

/// Step 4: predicts the cost of the phases. If there is something to do, tells the prediction, and
/// names this process in the lock.
fn forecast(
    config: &Config,
    options: &RunOptions,
    range: PhaseRange,
    found: &FoundInput,
    lock: &Lock,
    reporter: &Reporter,
) -> Forecasts {
    let basis = ForecastBasis {
        config,
        inputs: &found.inputs,
        manifest: &found.manifest,
        force: options.force,
    };
    let (phases, out_of_date) = (basis.phases(), outdated_phases(&basis));
    let is_adopted = |phase| phase == PhaseName::Sketch && !options.adopt.is_empty();
    let runs = |phase: PhaseName| {
        out_of_date.contains(&phase) && range.contains(phase) && !is_adopted(phase)
    };
    let outdated = CostForecast::of(&phases, runs);
    if outdated.is_some() || listing::is_touched(&found.inputs.listing, &found.manifest) {
        lock.announce();
    }
    if let Some(forecast) = &outdated {
        let seconds = |phase: &PhaseForecast| (phase.phase, phase.cost.wall_s);
        reporter.begin_run(forecast.phases.iter().map(seconds));
        let figures = serde_json::to_value(forecast).unwrap_or_default();
        let line = LogLine::new(Level::Info, forecast.line());
        reporter.tell(&line.with("forecast", figures));
    }
    Forecasts { phases, outdated }
}

/// Step 5: runs the phases, within the memory that the lists of files leave.
pub(crate) fn execute<'a, T>(
    engine: &mut Engine<'a>,
    intake: Intake,
    phases: impl FnOnce(&mut Engine<'a>, &Mutex<Intake>) -> Result<T, Error>,
) -> Result<T, Error> {
    let _files = listing::reserve(&engine.budget, &engine.inputs.listing)?;
    let _snapshots = intake.reserve(&engine.budget)?;
    work_dir::clear_leftovers(engine)?;
    phases(engine, &Mutex::new(intake))
}

/// The manifest of a work directory, or that of one where nothing was done yet.
pub(crate) fn load(work: &Path) -> Result<Manifest, Error> {
    let manifest = Manifest::load(&Disk::default(), work).map_err(Error::manifest)?;
    if let Some(manifest) = &manifest {
        kept_figures::check(work, manifest).map_err(Error::manifest)?;
    }
    Ok(manifest.unwrap_or(Manifest {
        version: format::FORMAT_VERSION,
        ..Manifest::default()
    }))
}
