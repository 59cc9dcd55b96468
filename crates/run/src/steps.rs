//! `pipeline run`: along the straight line, doing what is missing or out of date.

use crate::metrics::Witness;
use crate::plan::{Judge, is_table};
use crate::preflight;
use config::Config;
use engine::Engine;
use engine::work_dir;
use estimate::{CostForecast, ForecastBasis, PhaseForecast, outdated_phases};
use format::{Access, Disk, DiskOptions, Faults, Manifest};
use intake::inputs::{self, Inputs};
use intake::listing;
use intake::manifest::{input_file, is_touched};
use intake::snapshots::Intake;
use output::{Report, RunRecord, RunTotals};
use publication::publish;
use runtime::cost::{self, Meter};
use runtime::lock::{self, Lock};
use runtime::log::{Level, LogLine};
use runtime::phase::{PhasePlan, Verdict};
use runtime::progress::Reporter;
use runtime::{Error, PhaseName, parameters, signals};
use serde::Serialize;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// What of the line is to be run.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunOptions {
    /// Not before this phase; those before must be up to date.
    pub from: Option<PhaseName>,
    /// Not after this phase.
    pub until: Option<PhaseName>,
    /// Only this phase.
    pub only: Option<PhaseName>,
    /// Also what is up to date.
    pub force: bool,
    /// Only say what would run.
    pub dry_run: bool,
    /// Any rejected record is a failure.
    pub strict: bool,
}

/// What a run did.
#[derive(Clone, Debug, Serialize)]
pub struct RunOutcome {
    /// Each phase and why it ran or did not.
    pub phases: Vec<PhasePlan>,
    /// What those that have to run were going to cost; none if nothing had to run.
    pub forecast: Option<CostForecast>,
    /// The counts, once all phases are done.
    pub report: Option<Report>,
    /// The cost.
    pub run: RunRecord,
    /// Where the results are.
    pub output: PathBuf,
    /// Nothing was done.
    pub dry_run: bool,
}

impl fmt::Display for RunOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.dry_run {
            crate::status::write_plans(f, &self.phases)?;
            return crate::status::write_forecast(f, self.forecast.as_ref());
        }
        match &self.report {
            Some(report) => {
                write!(f, "{}", output::summary(report, &self.run))?;
                write!(f, "\nresults: {}\n", self.output.display())
            }
            None => {
                for plan in &self.phases {
                    match &plan.verdict {
                        Verdict::UpToDate => writeln!(f, "{:<9} up to date", plan.phase.name())?,
                        Verdict::Run(why) => writeln!(f, "{:<9} done ({why})", plan.phase.name())?,
                    }
                }
                Ok(())
            }
        }
    }
}

/// Runs what has to run, and leaves figures of it where `work.metrics` says.
///
/// # Errors
/// Every way a run can end before its end; see [`Error::exit_code`].
pub fn run(
    config: &Config,
    options: &RunOptions,
    reporter: &Reporter,
) -> Result<RunOutcome, Error> {
    let mut witness = Witness::start();
    let result = attempt(config, options, reporter, &mut witness);
    if let Some(path) = config.work.metrics.as_ref().filter(|_| !options.dry_run) {
        witness.tell(path, &config.file, &result);
    }
    result
}

fn attempt(
    config: &Config,
    options: &RunOptions,
    reporter: &Reporter,
    witness: &mut Witness,
) -> Result<RunOutcome, Error> {
    preflight::check_memory(config)?;
    let range = Range::of(options)?;
    publish::check_ours(&config.work.output)?;
    let stop = signals::install()?;
    let work = &config.work.dir;
    let outside = |e| Error::from_format(None, e);
    lock::check_ours(work)?;
    let is_held = !options.dry_run && work.join("lock").is_file();
    let held = if is_held {
        Some(lock::take(work)?)
    } else {
        None
    };
    let known = load(work)?;
    let mut intake = Intake::scan(config, &known)?;
    let mut inputs = Inputs::of(&mut intake, config)?;
    let notes = intake.notes.iter().cloned().chain(inputs.notes());
    notes.for_each(|note| reporter.line(&format!("note: {note}")));
    witness.input(&inputs.listing);
    if options.dry_run {
        return dry_run(config, (&inputs, &known), (range, options.force));
    }
    let (lock, manifest) = match held {
        Some(lock) => (lock, known),
        None => {
            // Only now: where there is no input, nothing is made.
            Disk::default()
                .create_dir(work, Access::Private)
                .map_err(outside)?;
            (lock::take(work)?, load(work)?)
        }
    };
    if !intake.is_current(config)? {
        intake = Intake::scan(config, &manifest)?;
        inputs = Inputs::of(&mut intake, config)?;
    }
    intake.persist(config)?;
    let started = (cost::now_rfc3339(), Instant::now(), cost::cpu_ms());
    let used_bytes = work_dir::directory_bytes(work);
    let (faults, io) = (Faults::from_environment(), format::IoMode::default());
    let disk = Disk::new(DiskOptions {
        faults,
        io,
        stop,
        limit_bytes: config.work.disk_bytes,
        used_bytes,
    });
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(config.work.threads)
        .build();
    let pool = pool.map_err(|e| {
        Error::Usage(format!(
            "failed to start {} threads: {e}",
            config.work.threads
        ))
    })?;
    let basis = ForecastBasis {
        config,
        inputs: &inputs,
        manifest: &manifest,
        force: options.force,
    };
    let (forecasts, outdated) = (basis.phases(), outdated_phases(&basis));
    let forecast = CostForecast::of(&forecasts, |phase| {
        outdated.contains(&phase) && range.contains(phase)
    });
    if forecast.is_some() || listing::is_touched(&inputs.listing, &manifest) {
        lock.announce();
    }
    if let Some(forecast) = &forecast {
        tell_forecast(forecast, reporter);
    }
    let engine = Engine {
        inputs,
        started,
        ..Engine::over(config, disk, manifest, reporter)
    };
    let _listed = listing::reserve(&engine.budget, &engine.inputs.listing)?;
    let _held = intake.reserve(&engine.budget)?;
    work_dir::clear_leftovers(&engine)?;
    let intake = Mutex::new(intake);
    let phases = pool.install(|| {
        Run {
            engine: &engine,
            intake: &intake,
            forecasts: &forecasts,
            range,
            options,
            lock: &lock,
        }
        .phases()
    });
    let run = engine.run_record(None);
    witness.cost = Some(run.clone());
    let phases = phases?;
    count_operations(&engine.disk)?;
    let report = report(&engine.manifest());
    let output = config.work.output.clone();
    Ok(RunOutcome {
        phases,
        forecast,
        report,
        run,
        output,
        dry_run: false,
    })
}

/// One line before the first phase begins.
fn tell_forecast(forecast: &CostForecast, reporter: &Reporter) {
    let figures = serde_json::to_value(forecast).unwrap_or_default();
    let text = format!("forecast: {}", forecast.total);
    reporter.tell(&LogLine::new(Level::Info, text).with("forecast", figures));
}

/// The manifest of a work directory, or that of one where nothing was done yet.
fn load(work: &Path) -> Result<Manifest, Error> {
    let manifest = Manifest::load(&Disk::default(), work).map_err(Error::manifest)?;
    Ok(manifest.unwrap_or(Manifest {
        version: format::FORMAT_VERSION,
        ..Manifest::default()
    }))
}

/// The counts of a run of which all phases are done.
fn report(manifest: &Manifest) -> Option<Report> {
    let index = manifest.phases.get(PhaseName::Index.name())?;
    Some(crate::report::report(manifest, &index.counts))
}

/// Tells tests how many file operations there were.
fn count_operations(disk: &Disk) -> Result<(), Error> {
    let Ok(path) = std::env::var("PIPELINE_FAULT_COUNT") else {
        return Ok(());
    };
    let counts = disk.operations().map(|n| n.to_string()).join(" ");
    std::fs::write(&path, counts).map_err(Error::io(format!("write {path}")))
}

/// Says what would run, why, and what it would cost.
fn dry_run(
    config: &Config,
    (inputs, manifest): (&Inputs, &Manifest),
    (range, force): (Range, bool),
) -> Result<RunOutcome, Error> {
    let plans = Judge {
        config,
        disk: &Disk::default(),
        inputs,
    }
    .all(manifest)?;
    let mut phases: Vec<PhasePlan> = plans
        .into_iter()
        .filter(|plan| range.contains(plan.phase))
        .collect();
    if force {
        phases
            .iter_mut()
            .for_each(|plan| plan.verdict = Verdict::Run("forced".to_owned()));
    }
    let forecast = ForecastBasis {
        config,
        inputs,
        manifest,
        force,
    }
    .planned(&phases);
    let output = config.work.output.clone();
    Ok(RunOutcome {
        phases,
        forecast,
        report: None,
        run: empty_record(),
        output,
        dry_run: true,
    })
}

/// The part of the line that is to be looked at.
#[derive(Clone, Copy, Debug)]
struct Range {
    from: PhaseName,
    until: PhaseName,
}

impl Range {
    fn of(options: &RunOptions) -> Result<Range, Error> {
        if options.only.is_some() && (options.from.is_some() || options.until.is_some()) {
            return Err(Error::Usage(
                "failed to start: --only goes without --from and --until".to_owned(),
            ));
        }
        let from = options.only.or(options.from).unwrap_or(PhaseName::Sketch);
        let until = options.only.or(options.until).unwrap_or(PhaseName::Index);
        if from > until {
            return Err(Error::Usage(format!(
                "failed to start: --from {from} comes after --until {until}"
            )));
        }
        Ok(Range { from, until })
    }

    fn contains(&self, phase: PhaseName) -> bool {
        self.from <= phase && phase <= self.until
    }
}

struct Run<'a> {
    engine: &'a Engine<'a>,
    intake: &'a Mutex<Intake>,
    /// The cost of each phase, in their order.
    forecasts: &'a [PhaseForecast; 6],
    range: Range,
    options: &'a RunOptions,
    lock: &'a Lock,
}

impl Run<'_> {
    fn phases(&self) -> Result<Vec<PhasePlan>, Error> {
        let engine = self.engine;
        let mut plans = Vec::new();
        for phase in PhaseName::ALL {
            if phase > self.range.until {
                break;
            }
            let judge = Judge {
                config: engine.config,
                disk: &engine.disk,
                inputs: &engine.inputs,
            };
            let forced = self.options.force && self.range.contains(phase);
            let verdict = if forced {
                Verdict::Run("forced".to_owned())
            } else {
                judge.phase(phase, &engine.manifest())?
            };
            match &verdict {
                Verdict::UpToDate => {
                    engine.log_skipped(phase);
                    self.refresh_inputs(phase)?;
                }
                Verdict::Run(why) if self.range.contains(phase) => self.one(phase, why, forced)?,
                Verdict::Run(why) => {
                    let from = self.range.from;
                    return Err(Error::Usage(format!(
                        "failed to start from {from}: {phase} has to run ({why})"
                    )));
                }
            }
            if phase == PhaseName::Sketch {
                self.note_snapshots()?;
                self.check_rejected()?;
            }
            plans.push(PhasePlan { phase, verdict });
        }
        Ok(plans)
    }

    /// Puts down what was found in each snapshot: from then on a file of it must stay as it is.
    fn note_snapshots(&self) -> Result<(), Error> {
        let mut intake = self.intake.lock().unwrap_or_else(PoisonError::into_inner);
        intake.record_all(&self.engine.manifest())?;
        intake.persist_released(self.engine.config)
    }

    /// Input files that were touched but hold the same bytes are not looked into again next time.
    fn refresh_inputs(&self, phase: PhaseName) -> Result<(), Error> {
        if phase != PhaseName::Sketch {
            return Ok(());
        }
        let mut changed = false;
        let inputs = &self.engine.inputs;
        let may_change = |at: usize| {
            inputs
                .snapshots
                .iter()
                .any(|one| one.may_change() && one.has(at))
        };
        let mut manifest = self.engine.manifest();
        let files = manifest
            .inputs
            .iter_mut()
            .zip(&inputs.listing.files)
            .enumerate();
        // Those of a named snapshot stay as they were read: who reads them again sees that they
        // were touched.
        for (_, (known, file)) in files.filter(|(at, _)| may_change(*at)) {
            let digest = std::mem::take(&mut known.digest);
            let now = format::InputFile {
                digest,
                ..input_file(file)
            };
            changed |= is_touched(known, &now);
            *known = now;
        }
        changed |= listing::remember(&inputs.listing, &mut manifest);
        drop(manifest);
        if changed {
            self.engine.store_manifest()
        } else {
            Ok(())
        }
    }

    fn one(&self, phase: PhaseName, why: &str, forced: bool) -> Result<(), Error> {
        let engine = self.engine;
        let within = Error::work(phase);
        self.lock.announce();
        engine.reporter.line(&format!("{phase}: {why}"));
        tracing::info!(phase = phase.name(), why, "phase begins");
        let forecast = &self.forecasts[phase as usize];
        preflight::check(engine, forecast)?;
        let meter = Meter::start(&engine.disk);
        let parameters = parameters::of(phase, engine.config);
        {
            let mut manifest = engine.manifest();
            manifest.tool = listing::tool();
            manifest.phases.remove(phase.name());
            if phase == PhaseName::Sketch {
                let kept = if forced { "" } else { &parameters };
                inputs::record_inputs(&mut manifest, &engine.inputs, kept);
                listing::remember(&engine.inputs.listing, &mut manifest);
            }
            if forced {
                manifest.parts.remove(phase.name());
                manifest.levels.remove(phase.name());
            } else if let Some(parts) = manifest.parts.get_mut(phase.name()) {
                parts.retain(|_, part| part.parameters == parameters);
            }
        }
        engine.store_manifest()?;
        engine
            .disk
            .create_dir(&engine.dir(phase), Access::Private)
            .map_err(within)?;
        let mut record = crate::line::run(phase, engine).inspect_err(|error| {
            tracing::info!(phase = phase.name(), %error, "phase ends early");
        })?;
        engine.disk.sync_dir(&engine.dir(phase)).map_err(within)?;
        // What a query index takes over from other phases are their records, and a journal has
        // those of other runs.
        let is_own = |name: &str| is_table(name) && name != history::journal::FILE;
        let tables = record
            .outputs
            .iter()
            .filter(|(name, _)| phase != PhaseName::Index || is_own(name));
        let records = tables.map(|(_, sealed)| sealed.records).max().unwrap_or(0);
        record.cost = meter.stop(&engine.disk, records);
        record.cost.extend(forecast.scale(engine.config));
        record.parameters = parameters;
        engine.log_done(phase, why, &record.cost);
        {
            let mut manifest = engine.manifest();
            manifest.parts.remove(phase.name());
            manifest.phases.insert(phase.name().to_owned(), record);
            let inputs = parameters::inputs_of(phase, &manifest);
            if let Some(record) = manifest.phases.get_mut(phase.name()) {
                record.inputs = inputs;
            }
        }
        engine.store_manifest()?;
        work_dir::clear_phase(engine, phase)
    }

    /// Fails when nothing is usable or too much is not.
    fn check_rejected(&self) -> Result<(), Error> {
        let manifest = self.engine.manifest();
        let Some(record) = manifest.phases.get(PhaseName::Sketch.name()) else {
            return Ok(());
        };
        let sum = |prefix: &str| {
            record
                .counts
                .iter()
                .filter(|(name, _)| name.starts_with(prefix))
                .map(|(_, n)| n)
                .sum()
        };
        let (rejected, skipped): (u64, u64) = (sum("rejected."), sum("skipped."));
        let documents = record.counts.get("documents").copied().unwrap_or(0);
        let last = self
            .engine
            .inputs
            .snapshots
            .last()
            .map_or(0, |snapshot| snapshot.number);
        let see = self
            .engine
            .dir(PhaseName::Sketch)
            .join(phases::tables::rejected_work(last));
        if documents == 0 {
            return Err(Error::NoDocuments {
                rejected,
                skipped,
                see,
            });
        }
        let records = documents + rejected;
        let share = self.engine.config.input.max_rejected;
        let allowed = if self.options.strict && rejected > 0 {
            "--strict allows".to_owned()
        } else if rejected as f64 > share * records as f64 {
            format!("input.max-rejected = {:.6} % allows", share * 100.0)
        } else {
            return Ok(());
        };
        Err(Error::TooManyRejected {
            rejected,
            records,
            allowed,
            see,
        })
    }
}

fn empty_record() -> RunRecord {
    let now = cost::now_rfc3339();
    let totals = RunTotals::default();
    RunRecord {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        started: now.clone(),
        ended: now,
        phases: Vec::new(),
        totals,
    }
}
