//! What a run did, for people and for programs.

use estimate::CostForecast;
use output::{Report, RunRecord};
use runtime::phase::{PhasePlan, Verdict};
use serde::Serialize;
use std::fmt;
use std::path::PathBuf;

/// What a run did.
#[derive(Clone, Debug, Serialize)]
pub struct RunOutcome {
    /// Each phase and why it ran or did not.
    pub phases: Vec<PhasePlan>,
    /// Predicted cost of the phases that had to run; `None` if none had to.
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
