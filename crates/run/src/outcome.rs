//! The outcome of a run, for people and for programs.

use crate::estimate::CostForecast;
use engine::runtime::phase::{PhasePlan, Verdict};
use output::{RejectedExample, Report, RunRecord, counted, thousands};
use serde::Serialize;
use std::fmt;
use std::path::PathBuf;

/// The outcome of a run.
#[derive(Clone, Debug, Serialize)]
pub struct RunOutcome {
    /// Each phase and why it ran or did not.
    pub phases: Vec<PhasePlan>,
    /// Predicted cost of the phases that had to run; `None` if none had to.
    pub forecast: Option<CostForecast>,
    /// The counts, once all phases are done.
    pub report: Option<Report>,
    /// The commonest reasons for which records were rejected.
    pub rejected: Vec<RejectedExample>,
    /// The cost.
    pub run: RunRecord,
    /// Where the results are.
    pub output: PathBuf,
    /// Nothing was done.
    pub dry_run: bool,
}

impl RunOutcome {
    /// Whether a phase ran.
    pub fn did_anything(&self) -> bool {
        let mut phases = self.phases.iter();
        phases.any(|plan| plan.verdict != Verdict::UpToDate)
    }

    /// All counts and costs, for who asks for more; `None` if phases are missing.
    pub fn details(&self) -> Option<String> {
        let report = self.report.as_ref()?;
        Some(output::details(report, &self.run))
    }
}

impl fmt::Display for RunOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.dry_run {
            crate::status::write_plans(f, &self.phases)?;
            return crate::status::write_forecast(f, self.forecast.as_ref());
        }
        let output = self.output.display();
        match &self.report {
            Some(report) if !self.did_anything() => {
                let (documents, copies) = (
                    counted(report.input.documents, "document"),
                    thousands(report.clusters.removed_if_deduplicated),
                );
                let are = if copies == "1" {
                    "is a copy"
                } else {
                    "are copies"
                };
                writeln!(
                    f,
                    "nothing new: {documents}, of which {copies} {are}; results: {output}"
                )
            }
            Some(report) => {
                write!(f, "{}", output::summary(report, &self.rejected))?;
                writeln!(f, "\nResults: {output}")
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
