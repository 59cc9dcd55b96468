//! Estimates for those who ask before a run: the run itself, its dry form, and `status`.

use super::{Estimate, Estimator, Fresh, Known, Outlook, WHOLE_BYTES};
use crate::plan::{PhasePlan, Verdict};
use config::Config;
use format::Manifest;
use intake::inputs::Inputs;
use runtime::Reporter;
use runtime::log::{Level, LogLine};
use runtime::{Error, PhaseName};

impl Estimator<'_> {
    /// The estimate of a run that begins. There is none when nothing has to run, or when the sample
    /// would be the whole input. Whatever stands in the way of a sample is left for the run to
    /// meet.
    ///
    /// # Errors
    /// When a signal came.
    pub(crate) fn before_run(
        &self,
        manifest: &Manifest,
        phases: &[PhaseName],
        reporter: &Reporter,
    ) -> Result<(Outlook, Option<Estimate>), Error> {
        if phases.is_empty() {
            return Ok((Outlook::default(), None));
        }
        if self.needs_sample(manifest, phases) && self.to_read().bytes() <= WHOLE_BYTES {
            reporter.line("no estimate: the input is so small that a sample would be all of it");
            return Ok((Outlook::default(), None));
        }
        let outlook = match self.look(manifest, phases) {
            Ok(outlook) => outlook,
            Err(error) if (self.is_stopped)() => return Err(error),
            Err(error) => {
                reporter.line(&format!("no estimate: {error}"));
                return Ok((Outlook::default(), None));
            }
        };
        let estimate = self.estimate(manifest, &outlook, phases);
        match &estimate {
            Some(estimate) => {
                let figures = serde_json::to_value(estimate).unwrap_or_default();
                reporter.tell(
                    &LogLine::new(Level::Info, estimate.to_string()).with("estimate", figures),
                );
            }
            None => reporter.line(
                "no estimate: no document was found by a sample, or there is no memory for one",
            ),
        }
        Ok((outlook, estimate))
    }

    /// The phases of which the counts may change, or that are forced.
    pub(crate) fn likely(
        &self,
        manifest: &Manifest,
        wanted: impl Fn(PhaseName) -> bool,
        forced: bool,
    ) -> Vec<PhaseName> {
        let known = Known::of(self.config, (self.listing, self.nothing_new), manifest);
        PhaseName::ALL
            .into_iter()
            .filter(|phase| wanted(*phase) && (forced || !known.has(*phase)))
            .collect()
    }
}

/// The estimate of the phases of a plan that have to run; `None` if there is none or nothing can be
/// said.
///
/// Whatever stands in the way of a sample is left for a run to meet.
///
/// # Errors
/// When a signal came.
pub(crate) fn of_plans(
    (config, inputs): (&Config, &Inputs),
    manifest: &Manifest,
    plans: &[PhasePlan],
    is_stopped: &(dyn Fn() -> bool + Sync),
) -> Result<Option<Estimate>, Error> {
    let runs = |plan: &&PhasePlan| plan.verdict != Verdict::UpToDate;
    let phases: Vec<PhaseName> = plans.iter().filter(runs).map(|plan| plan.phase).collect();
    if phases.is_empty() {
        return Ok(None);
    }
    let fresh = Fresh::of(config, inputs, manifest);
    let nothing_new = super::nothing_new(config, inputs, manifest);
    let estimator = Estimator {
        config,
        listing: &inputs.listing,
        fresh: fresh.as_ref(),
        nothing_new,
        is_stopped,
    };
    match estimator.look(manifest, &phases) {
        Ok(outlook) => Ok(estimator.estimate(manifest, &outlook, &phases)),
        Err(error) if is_stopped() => Err(error),
        Err(error) => {
            tracing::warn!(%error, "no estimate");
            Ok(None)
        }
    }
}
