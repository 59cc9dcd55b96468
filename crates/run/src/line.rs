//! The straight line: the phases one after the other, each of them if it is missing or out of date.
//!
//! *Algorithm.* The record of a phase is taken out of the manifest before the phase runs, and put
//! in when its files are durable. So a killed run leaves a manifest without it, and the next one
//! runs it again. One write of the manifest puts the record of a phase in and takes that of the
//! next one out.

use crate::estimate::{PHASES, PhaseForecast};
use crate::judge::{PhaseJudge, is_table};
use crate::options::{PhaseRange, RunOptions};
use crate::preflight;
use crate::rejected::check_rejected;
use crate::sources;
use engine::{
    Engine, Error, PhaseName,
    intake::inputs,
    intake::listing,
    intake::manifest::input_file,
    intake::snapshots::Intake,
    runtime::cost::Meter,
    runtime::lock::Lock,
    runtime::parameters,
    runtime::phase::{PhasePlan, Verdict},
    work_dir,
};
use format::{Access, PhaseRecord};
use model::Unpoisoned;
use phases::pairs::ImportedPairs;
use phases::sketch::SketchedShards;
use publication::figures::IndexFigures;
use publication::publish::{self, NamedPublication};
use std::sync::Mutex;

/// A run along the line.
pub(crate) struct RunLine<'a, 'e> {
    pub(crate) engine: &'a mut Engine<'e>,
    pub(crate) intake: &'a Mutex<Intake>,
    /// The predicted cost of each phase, in the order of the line.
    pub(crate) forecasts: &'a [PhaseForecast; PHASES],
    pub(crate) range: PhaseRange,
    pub(crate) options: &'a RunOptions,
    pub(crate) lock: &'a Lock,
}

impl RunLine<'_, '_> {
    /// Runs each phase of the range that is missing or out of date.
    pub(crate) fn phases(&mut self) -> Result<Vec<PhasePlan>, Error> {
        let mut finished = None;
        let plans = self.phases_of_range(&mut finished);
        let stored = self.store(&mut finished);
        let plans = plans?;
        stored.map(|()| plans)
    }

    /// Runs the phases of the range. `finished` is a phase whose record is in the manifest, but not
    /// yet on disk.
    fn phases_of_range(
        &mut self,
        finished: &mut Option<PhaseName>,
    ) -> Result<Vec<PhasePlan>, Error> {
        let mut plans = Vec::new();
        self.forget_passages()?;
        for phase in PhaseName::of(self.engine.config) {
            if phase > self.range.until {
                break;
            }
            let engine = &*self.engine;
            let judge = PhaseJudge {
                config: engine.config,
                disk: &engine.disk,
                inputs: &engine.inputs,
            };
            if phase == PhaseName::Index && self.range.contains(phase) {
                self.show_named()?;
            }
            let forced = self.options.force && self.range.contains(phase);
            let verdict = if forced {
                Verdict::Run("forced".to_owned())
            } else {
                judge.phase(phase, &engine.manifest())?
            };
            match &verdict {
                Verdict::UpToDate => {
                    engine.log_skipped(phase);
                    if phase == PhaseName::Sketch {
                        self.refresh_inputs()?;
                    }
                }
                Verdict::Run(why) if self.range.contains(phase) => {
                    self.run_phase(phase, why, forced, finished)?;
                }
                Verdict::Run(why) => {
                    let from = self.range.from;
                    let text = format!(
                        "failed to start from {from}: {phase} must run first ({why}); run \
                         `pipeline run`"
                    );
                    return Err(judge.refusal(phase, &engine.manifest(), why, text));
                }
            }
            if phase == PhaseName::Sketch {
                self.store(finished)?;
                self.note_snapshots()?;
                check_rejected(self.engine, self.options.strict)?;
                sources::check(self.engine)?;
            }
            plans.push(PhasePlan { phase, verdict });
        }
        Ok(plans)
    }

    /// Forgets the passages of an earlier run, if they are not looked for any more.
    fn forget_passages(&self) -> Result<(), Error> {
        let (engine, phase) = (&*self.engine, PhaseName::Passages);
        if engine.config.passages.is_some() {
            return Ok(());
        }
        let forgotten = engine.manifest().phases.remove(phase.name());
        if forgotten.is_none() {
            return Ok(());
        }
        engine.store_manifest()?;
        work_dir::clear_phase(engine, phase)
    }

    /// Ends the work of a run that was killed before it showed what it had published.
    fn show_named(&self) -> Result<(), Error> {
        let engine = &self.engine;
        let manifest = engine.manifest();
        let record = manifest.phases.get(PhaseName::Index.name());
        let Some(record) = record else {
            return Ok(());
        };
        let named = record.figures.read::<IndexFigures>().generation;
        publish::show_named(&engine.disk, &engine.config.work.output, named)
    }

    /// Records the files of each snapshot as they were read. From then on they must not change.
    /// Dropped snapshots whose bodies no revisit needs are forgotten now, so that the next run
    /// finds in the manifest what it lists.
    fn note_snapshots(&mut self) -> Result<(), Error> {
        let engine = &mut *self.engine;
        let mut intake = self.intake.lock().unpoisoned();
        intake.record_all(&engine.manifest())?;
        intake.persist_released(engine.config)?;
        match engine.forget_released(|number| intake.is_read(number))? {
            true => work_dir::clear_phase(engine, PhaseName::Sketch),
            false => Ok(()),
        }
    }

    /// Input files that were touched but hold the same bytes are not looked into again next time.
    fn refresh_inputs(&self) -> Result<(), Error> {
        let mut changed = false;
        let inputs = &self.engine.inputs;
        let mut manifest = self.engine.manifest();
        let files = manifest
            .inputs
            .iter_mut()
            .zip(&inputs.listing.files)
            .enumerate();
        // The times of a named snapshot stay as they were read: who reads them again sees that they
        // were touched.
        for (_, (known, file)) in files.filter(|(at, _)| inputs.may_change(*at)) {
            let digest = std::mem::take(&mut known.digest);
            let now = format::InputFile {
                digest,
                ..input_file(file)
            };
            changed |= known.stat.is_touched(&now.stat) || known.is_of_source != now.is_of_source;
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

    /// Runs one phase and puts its record into the manifest, which is not yet stored.
    fn run_phase(
        &self,
        phase: PhaseName,
        why: &str,
        forced: bool,
        finished: &mut Option<PhaseName>,
    ) -> Result<(), Error> {
        let engine = &*self.engine;
        let parameters = parameters::of(phase, engine.config);
        if phase == PhaseName::Sketch {
            let reused = if forced { "" } else { &parameters };
            let manifest = engine.manifest().clone();
            inputs::check_to_read(&engine.disk, &manifest, &engine.inputs, reused)?;
        }
        self.lock.announce();
        engine.reporter.begin_phase(phase, why);
        tracing::info!(phase = phase.name(), why, "phase begins");
        let forecast = &self.forecasts[phase as usize];
        let shards = self.shards(phase)?;
        if shards.is_none() {
            preflight::check(engine, forecast)?;
        }
        let meter = Meter::start(&engine.disk);
        self.forget(phase, &parameters, forced);
        match finished {
            Some(_) => self.store(finished)?,
            None => engine.store_manifest()?,
        }
        engine
            .disk
            .create_dir(&engine.dir(phase), Access::Private)?;
        let is_adopted = shards.is_some();
        let imported = self.imported(phase)?;
        let dispatched = dispatch(phase, why, engine, shards, imported.as_ref());
        let (mut record, publication) = dispatched.inspect_err(|error| {
            tracing::info!(phase = phase.name(), %error, "phase ends early");
        })?;
        engine::runtime::allocator::give_back();
        engine.disk.sync_dir(&engine.dir(phase))?;
        record.cost = meter.stop(&engine.disk, records_of(phase, &record));
        record.cost.scale = (!is_adopted).then(|| forecast.scale(engine.config));
        record.parameters = parameters;
        engine.log_done(phase, why, &record.cost);
        let seconds = record.cost.wall_ms as f64 / 1000.0;
        engine.reporter.end_phase(phase, seconds);
        self.remember(phase, record);
        let Some(publication) = publication else {
            *finished = Some(phase);
            return Ok(());
        };
        // The manifest names a publication before it is shown.
        engine.store_manifest()?;
        publication.show()?;
        work_dir::clear_phase(engine, phase)
    }

    /// The shards that a phase adopts, if any: checked before anything is forgotten.
    fn shards(&self, phase: PhaseName) -> Result<Option<SketchedShards>, Error> {
        let dirs = &self.options.adopt;
        let adopts = phase == PhaseName::Sketch && !dirs.is_empty();
        adopts
            .then(|| SketchedShards::load(self.engine, dirs))
            .transpose()
    }

    /// The pair counts that a phase takes from the job, if any.
    fn imported(&self, phase: PhaseName) -> Result<Option<ImportedPairs>, Error> {
        let job = self.options.job.as_ref();
        let job = job.filter(|_| phase == PhaseName::Pairs);
        job.map(|job| ImportedPairs::load(self.engine.config, job))
            .transpose()
    }

    /// Stores the manifest after a phase, if any, and removes the files of the phase that it no
    /// longer names.
    fn store(&self, finished: &mut Option<PhaseName>) -> Result<(), Error> {
        let Some(phase) = finished.take() else {
            return Ok(());
        };
        self.engine.store_manifest()?;
        work_dir::clear_phase(self.engine, phase)
    }

    /// Takes a phase out of the manifest. Of its parts those stay that the same parameters made.
    fn forget(&self, phase: PhaseName, parameters: &str, forced: bool) {
        let inputs = &self.engine.inputs;
        let mut manifest = self.engine.manifest();
        manifest.tool = listing::tool();
        manifest.phases.remove(phase.name());
        if phase == PhaseName::Sketch {
            let kept = if forced { "" } else { parameters };
            inputs::record_inputs(&mut manifest, inputs, kept);
            listing::remember(&inputs.listing, &mut manifest);
        }
        if forced {
            manifest.parts.remove(phase.name());
            manifest.levels.remove(phase.name());
        } else if let Some(parts) = manifest.parts.get_mut(phase.name()) {
            parts.retain(|_, part| part.parameters == parameters);
        }
    }

    /// Puts a finished phase into the manifest.
    fn remember(&self, phase: PhaseName, record: PhaseRecord) {
        let mut manifest = self.engine.manifest();
        manifest.parts.remove(phase.name());
        manifest.phases.insert(phase.name().to_owned(), record);
        let inputs = parameters::inputs_of(phase, &manifest);
        if let Some(record) = manifest.phases.get_mut(phase.name()) {
            record.inputs = inputs;
        }
    }
}

/// Runs the phase whose inputs are there. Gives its outputs and counts, and the publication that is
/// to be shown once they are recorded.
fn dispatch(
    phase: PhaseName,
    why: &str,
    engine: &Engine<'_>,
    shards: Option<SketchedShards>,
    imported: Option<&ImportedPairs>,
) -> Result<(PhaseRecord, Option<NamedPublication>), Error> {
    let record = match phase {
        PhaseName::Sketch => {
            engine.forget_segments();
            phases::sketch::run(engine, shards)
        }
        PhaseName::Distinct => phases::distinct::run(engine),
        PhaseName::Sort => phases::sort::run(engine),
        PhaseName::Pairs => phases::pairs::run(engine, imported),
        PhaseName::Settle => phases::settle::run(engine),
        PhaseName::Cluster => clustering::run(engine),
        PhaseName::Passages => passages::run(engine),
        PhaseName::Index => {
            let (record, publication) = crate::index::run(engine, why)?;
            return Ok((record, Some(publication)));
        }
    };
    Ok((record?, None))
}

/// Records of the largest output of a phase. The query index takes over files of other phases, and
/// the journal rows of other runs; neither counts.
fn records_of(phase: PhaseName, record: &PhaseRecord) -> u64 {
    let is_own = |name: &str| is_table(name) && name != publication::history::journal::FILE;
    let outputs = record.outputs.iter();
    let own = outputs.filter(|(name, _)| phase != PhaseName::Index || is_own(name));
    own.map(|(_, sealed)| sealed.records).max().unwrap_or(0)
}
