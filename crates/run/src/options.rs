//! The options of a run: its phases, and how it treats them.

use config::Config;
use engine::{Error, PhaseName};
use phases::pairs::{ImportedPairs, shards_of_job};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// Which phases a run looks at, and how strict it is.
#[derive(Clone, Debug, Default)]
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
    /// Tell the formats, files and bytes of the input.
    pub tell_input: bool,
    /// Directories of [`sketch_shard`](crate::sketch_shard), of which phase `sketch` takes what
    /// other machines have read.
    pub adopt: Vec<PathBuf>,
    /// The directory of a job on many machines: phase `sketch` adopts its shards, and phase `pairs`
    /// takes its pair counts.
    pub job: Option<PathBuf>,
    /// Called once there is input to read, before the run writes anything.
    pub on_input: OnInput,
}

/// A function of the caller, if there is one.
#[derive(Clone, Default)]
pub struct OnInput(pub Option<Arc<CallerFunction>>);

type CallerFunction = dyn Fn() -> Result<(), Error> + Send + Sync;

impl fmt::Debug for OnInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OnInput").field(&self.0.is_some()).finish()
    }
}

impl RunOptions {
    /// These options, with the shards of the job among those to adopt.
    pub(crate) fn with_shards_of_job(&self, config: &Config) -> Result<RunOptions, Error> {
        let mut options = self.clone();
        if let Some(job) = &self.job {
            ImportedPairs::load(config, job)?;
            options.adopt.extend(shards_of_job(config, job)?);
        }
        Ok(options)
    }
}

/// Refuses to divide the input of a configuration with snapshots.
pub(crate) fn refuse_snapshots(config: &Config) -> Result<(), Error> {
    if !config.has_snapshots {
        return Ok(());
    }
    Err(Error::Usage(
        "failed to start: only the files of paths in [input] are divided into shards. With \
         snapshots, a run reads what is new only, and one list numbers it: use `pipeline run`"
            .to_owned(),
    ))
}

/// Refuses a directory to adopt that is not there, also where nothing is to be adopted any more.
pub(crate) fn refuse_missing(adopt: &[PathBuf]) -> Result<(), Error> {
    match adopt.iter().find(|dir| !dir.is_dir()) {
        None => Ok(()),
        Some(dir) => Err(Error::Usage(format!(
            "failed to adopt {}: there is no such directory; name those of `pipeline sketch`",
            dir.display()
        ))),
    }
}

/// The phases that a run looks at, first and last.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PhaseRange {
    pub(crate) from: PhaseName,
    pub(crate) until: PhaseName,
}

impl PhaseRange {
    /// The phases that the options name.
    pub(crate) fn of(options: &RunOptions) -> Result<PhaseRange, Error> {
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
        if !options.adopt.is_empty() && from > PhaseName::Sketch {
            return Err(Error::Usage(format!(
                "failed to start: --adopt is for phase sketch, and the first phase is {from}"
            )));
        }
        Ok(PhaseRange { from, until })
    }

    /// Whether a phase is one of them.
    pub(crate) fn contains(self, phase: PhaseName) -> bool {
        self.from <= phase && phase <= self.until
    }
}
