//! `pipeline status`: what is done, what would run next, and why. Changes nothing.

use crate::estimate::{CostForecast, ForecastBasis};
use crate::judge::{PhaseJudge, is_table};
use crate::sources;
use config::Config;
use engine::{
    Error, PhaseName,
    intake::snapshots::Intake,
    runtime::phase::{PhasePlan, Verdict},
};
use format::{Disk, Manifest};
use output::RunRecord;
use publication::origin::run_record;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

/// The state of a work directory.
#[derive(Clone, Debug, Serialize)]
pub struct Status {
    /// The work directory.
    pub work: PathBuf,
    /// Where results are published.
    pub output: PathBuf,
    /// The publication the link points to, if there is one.
    pub published: Option<PathBuf>,
    /// Notes about the snapshots that a run would take in, drop or pass over.
    pub notes: Vec<String>,
    /// Files of the input as they are now.
    pub input_files: usize,
    /// Their bytes.
    pub input_bytes: u64,
    /// Each phase.
    pub phases: Vec<PhasePlan>,
    /// The expected cost of the phases that would run; none if there are none.
    pub forecast: Option<CostForecast>,
    /// Cost of the run that made the publication; none if there is none.
    pub last_run: Option<RunRecord>,
    /// Bytes each finished phase keeps on disk.
    pub phase_bytes: BTreeMap<String, u64>,
}

/// Looks at a work directory.
///
/// # Errors
/// When the input cannot be listed, or no file of a source can be read; when the manifest or an
/// output is damaged.
pub fn status(config: &Config) -> Result<Status, Error> {
    let disk = Disk::default();
    let manifest = Manifest::load(&disk, &config.work.dir)
        .map_err(Error::manifest)?
        .unwrap_or_default();
    let mut intake = Intake::scan(config, &manifest)?;
    let inputs = intake.take_inputs(config)?;
    let listing = &inputs.listing;
    sources::check_listing(config, listing)?;
    let phases = PhaseJudge {
        config,
        disk: &disk,
        inputs: &inputs,
    }
    .all(&manifest)?;
    let forecast = ForecastBasis {
        config,
        inputs: &inputs,
        manifest: &manifest,
        force: false,
    }
    .planned(&phases);
    // Files of the index that other phases made are second names and take no room.
    let is_own = |sealed: &&format::Sealed| {
        is_table(&sealed.name) || PhaseName::maker_of(&sealed.name) == PhaseName::Index
    };
    let bytes = |record: &format::PhaseRecord| {
        record
            .outputs
            .values()
            .filter(is_own)
            .map(|sealed| sealed.bytes)
            .sum()
    };
    let output = &config.work.output;
    let published = std::fs::read_link(output)
        .ok()
        .map(|target| output.with_file_name(target));
    Ok(Status {
        work: config.work.dir.clone(),
        output: output.clone(),
        published,
        notes: intake.notes.iter().cloned().chain(inputs.notes()).collect(),
        input_files: listing.files.len(),
        input_bytes: listing.bytes(),
        phases,
        forecast,
        last_run: run_record(output),
        phase_bytes: manifest
            .phases
            .iter()
            .map(|(name, record)| (name.clone(), bytes(record)))
            .collect(),
    })
}

/// One line a phase.
pub(crate) fn write_plans(f: &mut fmt::Formatter<'_>, plans: &[PhasePlan]) -> fmt::Result {
    for PhasePlan { phase, verdict } in plans {
        match verdict {
            Verdict::UpToDate => writeln!(f, "{:<9} up to date", phase.name())?,
            Verdict::Run(why) => writeln!(f, "{:<9} runs: {why}", phase.name())?,
        }
    }
    Ok(())
}

/// A table, apart from what is around it.
pub(crate) fn write_forecast(
    f: &mut fmt::Formatter<'_>,
    forecast: Option<&CostForecast>,
) -> fmt::Result {
    forecast.map_or(Ok(()), |forecast| write!(f, "\n{forecast}\n"))
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "input     {}, {}",
            output::counted(self.input_files as u64, "file"),
            output::counted(self.input_bytes, "byte")
        )?;
        self.notes
            .iter()
            .try_for_each(|note| writeln!(f, "          {note}"))?;
        write_plans(f, &self.phases)?;
        write_forecast(f, self.forecast.as_ref())?;
        if let Some(run) = &self.last_run {
            write!(
                f,
                "\nlast run, ended {}\n{}\n",
                run.ended,
                output::costs(run)
            )?;
        }
        let kept: u64 = self.phase_bytes.values().sum();
        writeln!(
            f,
            "work      {} ({} in finished phases)",
            self.work.display(),
            output::counted(kept, "byte")
        )?;
        match &self.published {
            Some(published) => writeln!(
                f,
                "output    {} -> {}",
                self.output.display(),
                published.display()
            ),
            None => writeln!(
                f,
                "output    {} (nothing published yet)",
                self.output.display()
            ),
        }
    }
}
