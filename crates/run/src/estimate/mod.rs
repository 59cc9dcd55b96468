//! Forecasts what the phases of a run will cost: time, memory and disk.
//!
//! *Input.* The configuration, the listed files, the manifest. *Output.* A [`CostForecast`].
//! *Algorithm.* The manifest keeps the cost of the last run of each phase and the bytes of text
//! that the phase went through. The forecast scales these [`LastCosts`] by the bytes of today
//! ([`bytes`]). For a phase without them it multiplies the bytes by [`rates`]. *Memory.*
//! Constant. *Disk.* None: no file is opened. *Limits.* Last costs say little if the
//! configuration, or the kind of documents, has changed since; rates know neither. So a forecast
//! decides nothing but a refusal for want of disk, and that with a wide margin.

mod bytes;
mod last;
mod outdated;
mod rates;
#[cfg(test)]
mod tests;

pub(crate) use outdated::outdated_phases;

use config::Config;
use engine::{
    PhaseName,
    intake::inputs::Inputs,
    runtime::parameters,
    runtime::phase::{PhasePlan, Verdict},
};
use format::{CostScale, Manifest};
use last::LastCosts;
use output::Cost;
use serde::Serialize;
use std::fmt;

/// Where a forecast comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ForecastSource {
    /// The cost of the phase in its last run in this work directory.
    LastCosts,
    /// Rates of a recorded machine.
    Rates,
}

/// The expected cost of a phase.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PhaseForecast {
    /// The phase.
    pub phase: PhaseName,
    /// Where the figures come from.
    pub source: ForecastSource,
    /// Bytes of text that it goes through, guessed from the sizes and formats of the files.
    pub text_bytes: u64,
    /// Its cost.
    #[serde(flatten)]
    pub cost: Cost,
    /// The bytes that it writes and that stay on disk.
    #[serde(skip)]
    kept_bytes: u64,
    /// Bytes of the files that it replaces on disk once it is done.
    #[serde(skip)]
    replaced_bytes: u64,
    /// The disk space that it needs even if the forecast is too high by far.
    #[serde(skip)]
    pub certain_disk_bytes: u64,
}

/// The expected cost of phases that run one after the other.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CostForecast {
    /// The phases in their order.
    pub phases: Vec<PhaseForecast>,
    /// All of them together.
    pub total: Cost,
}

/// The facts from which a forecast is made.
#[derive(Clone, Copy)]
pub(crate) struct ForecastBasis<'a> {
    /// The configuration of the run.
    pub(crate) config: &'a Config,
    /// The files to read.
    pub(crate) inputs: &'a Inputs,
    /// The manifest of the work directory, with the costs of the last run.
    pub(crate) manifest: &'a Manifest,
    /// Whether all phases begin anew.
    pub(crate) force: bool,
}

/// The phases that there are.
pub(crate) const PHASES: usize = PhaseName::ALL.len();

impl ForecastBasis<'_> {
    /// The forecast of each phase, were it to run.
    pub(crate) fn phases(&self) -> [PhaseForecast; PHASES] {
        PhaseName::ALL.map(|phase| self.phase(phase))
    }

    /// The forecast of the phases of a plan that have to run; none if there are none.
    pub(crate) fn planned(&self, plans: &[PhasePlan]) -> Option<CostForecast> {
        CostForecast::of(&self.phases(), |phase| {
            plans
                .iter()
                .any(|plan| plan.phase == phase && plan.verdict != Verdict::UpToDate)
        })
    }

    fn phase(&self, phase: PhaseName) -> PhaseForecast {
        let text_bytes = self.text_bytes(phase);
        let work = &self.config.work;
        let last = LastCosts::of(phase, self.manifest);
        let last = last.filter(|last| last.are_comparable(text_bytes));
        let by_rates = rates::cost(phase, text_bytes, work);
        let (source, (cost, kept_bytes)) = match &last {
            Some(last) => (
                ForecastSource::LastCosts,
                last.scaled(phase, text_bytes, work),
            ),
            None => (ForecastSource::Rates, (by_rates, by_rates.bytes_written)),
        };
        let is_certain = last.is_some() && !merges(phase) && self.has_parameters_of_last_run(phase);
        PhaseForecast {
            phase,
            source,
            text_bytes,
            cost,
            kept_bytes,
            replaced_bytes: self.replaced_bytes(phase, text_bytes),
            certain_disk_bytes: match is_certain {
                true => cost.peak_disk_bytes / 2,
                false => rates::certain_disk_bytes(&by_rates),
            },
        }
    }

    /// Whether the parameters of a phase, and of those before it, are those of its last run.
    fn has_parameters_of_last_run(&self, last: PhaseName) -> bool {
        let mut phases = PhaseName::of(self.config).take_while(|phase| *phase <= last);
        phases.all(|phase| {
            let record = self.manifest.phases.get(phase.name());
            record.is_some_and(|record| record.parameters == parameters::of(phase, self.config))
        })
    }

    /// Bytes of the outputs of the last run, unless the phase goes through a part of the input
    /// only and adds to them.
    fn replaced_bytes(&self, phase: PhaseName, text_bytes: u64) -> u64 {
        match self.manifest.phases.get(phase.name()) {
            Some(record) if text_bytes >= self.all_text_bytes() => last::own_bytes(phase, record),
            _ => 0,
        }
    }
}

/// Whether a phase merges files of earlier runs. Its last run may have written all of them, however
/// little was new, so the bytes that it wrote say nothing certain about the next run.
fn merges(phase: PhaseName) -> bool {
    matches!(phase, PhaseName::Sort | PhaseName::Pairs)
}

impl CostForecast {
    /// The forecast of some of the phases; none if there are none.
    pub(crate) fn of(
        phases: &[PhaseForecast],
        is_wanted: impl Fn(PhaseName) -> bool,
    ) -> Option<CostForecast> {
        let wanted = phases.iter().filter(|forecast| is_wanted(forecast.phase));
        let phases: Vec<PhaseForecast> = wanted.copied().collect();
        let mut total = Cost::default();
        let mut kept_bytes = 0_u64;
        for forecast in &phases {
            total = total.then(forecast.cost, kept_bytes);
            kept_bytes = kept_bytes
                .saturating_add(forecast.kept_bytes)
                .saturating_sub(forecast.replaced_bytes);
        }
        (!phases.is_empty()).then_some(CostForecast { phases, total })
    }

    /// The totals on a line.
    pub(crate) fn line(&self) -> String {
        let mut sources = self.phases.iter().map(|forecast| forecast.source);
        let rough = match sources.any(|source| source == ForecastSource::Rates) {
            true => "; rough until a run is done here",
            false => "",
        };
        format!("forecast: {}{rough}", self.total)
    }
}

impl PhaseForecast {
    /// The figure that the cost of the phase grows with.
    pub(crate) fn scale(&self, config: &Config) -> CostScale {
        CostScale {
            text_bytes: self.text_bytes,
            threads: config.work.threads,
        }
    }
}

impl fmt::Display for CostForecast {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let phases = self
            .phases
            .iter()
            .map(|forecast| (forecast.phase.name(), forecast.cost));
        f.write_str(&output::cost_table(phases.chain([("all", self.total)])))?;
        let by_rates: Vec<&str> = self
            .phases
            .iter()
            .filter(|forecast| forecast.source == ForecastSource::Rates)
            .map(|forecast| forecast.phase.name())
            .collect();
        let last = "from the costs of the last run, scaled by bytes of input";
        let rates = "from rates of a recorded machine";
        match by_rates.len() {
            0 => writeln!(f, "{last}"),
            all if all == self.phases.len() => {
                writeln!(f, "{rates}: rough until a run is done here")
            }
            _ => writeln!(f, "{last}; rough, {rates}: {}", by_rates.join(", ")),
        }
    }
}
