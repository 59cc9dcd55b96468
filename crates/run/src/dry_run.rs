//! `run --dry-run`: what would run, why, and what it would cost. Changes nothing.

use crate::estimate::ForecastBasis;
use crate::judge::PhaseJudge;
use crate::options::PhaseRange;
use crate::outcome::RunOutcome;
use config::Config;
use engine::{
    Error, PhaseName,
    intake::inputs::{self, Inputs},
    runtime::phase::{PhasePlan, Verdict},
    runtime::{cost, parameters},
};
use format::{Disk, Manifest};
use output::{RunRecord, RunTotals};

/// Says what would run, why, and what it would cost.
pub(crate) fn dry_run(
    config: &Config,
    inputs: &Inputs,
    manifest: &Manifest,
    range: PhaseRange,
    force: bool,
) -> Result<RunOutcome, Error> {
    let plans = PhaseJudge {
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
    let sketch = phases.iter().find(|plan| plan.phase == PhaseName::Sketch);
    if sketch.is_some_and(|plan| plan.verdict != Verdict::UpToDate) {
        let parameters = parameters::of(PhaseName::Sketch, config);
        let reused = if force { "" } else { &parameters };
        inputs::check_to_read(&Disk::default(), manifest, inputs, reused)?;
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
        rejected: Vec::new(),
        run: empty_record(),
        output,
        dry_run: true,
    })
}

/// The record of a run that did nothing.
fn empty_record() -> RunRecord {
    let now = cost::now_rfc3339();
    let totals = RunTotals::default();
    RunRecord {
        work: None,
        configuration: None,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        started: now.clone(),
        ended: now,
        phases: Vec::new(),
        totals,
    }
}
