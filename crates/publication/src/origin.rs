//! Which work directory a publication is of.
//!
//! Two configurations may name one `output`. Then each run replaces what the other one published.
//! And two outputs may be of one work directory, whose record is of the last run only.
//! *Algorithm.* `run.json` names the work directory and the configuration. Where it names another
//! work directory than that of a configuration, the manifest of that one decides: it has the
//! checksum of the first page of the index. So a directory that was moved is still known. Where it
//! names the same one, the record of phase `index` decides: it names the run as `run.json` does.
//! *Limits.* Nothing is known of a publication of an earlier build, nor of a copy of one whose work
//! directory is not there, unless the configuration published one of its own.

use crate::figures::IndexFigures;
use crate::publish::{MARKER, generations_dir};
use config::Config;
use engine::{Error, PhaseName};
use format::{AtomicFile, Disk, INDEX_MANIFEST, Manifest, PhaseRecord, Sealed};
use output::RunRecord;
use std::path::{Path, PathBuf};

/// The work directory and the configuration of a publication, where they are not those of the
/// configuration that leads to it.
#[derive(Clone, Debug)]
pub struct OtherOrigin {
    /// Its work directory, as `run.json` names it.
    pub work: String,
    configuration: Option<String>,
    /// Whether the configuration that leads to it has a finished run, whose publication this one
    /// replaced.
    pub is_replaced: bool,
}

impl OtherOrigin {
    /// The error of a call that needs the publication of a configuration.
    pub fn refusal(&self, action: &str, config: &Config) -> Error {
        let configuration = self.configuration.as_deref();
        let by = configuration.map_or(String::new(), |file| format!(" by {file}"));
        Error::Usage(format!(
            "failed to {action}: {} shows the publication of the work directory {}, made{by}, not \
             that of {}; give one of the two another output in [work], then `pipeline run`",
            config.work.output.display(),
            self.work,
            config.work.dir.display()
        ))
    }
}

/// The publication that the record of phase `index` is of: the first page of its index.
pub fn first_page(record: &PhaseRecord) -> Option<Sealed> {
    let name = Path::new("index").join(INDEX_MANIFEST);
    record.outputs.get(name.to_str()?).cloned()
}

/// The first page as the work directory of a configuration has it; `None` without a finished run.
pub fn recorded_page(config: &Config) -> Option<Sealed> {
    // A work directory that cannot be read, or of another version, is another one.
    let manifest = Manifest::load(&Disk::default(), &config.work.dir).ok()??;
    first_page(manifest.phases.get(PhaseName::Index.name())?)
}

/// `run.json` of a publication; `None` if it is missing or cannot be used.
pub fn run_record(dir: &Path) -> Option<RunRecord> {
    let text = Disk::default().read_text(&dir.join("run.json"));
    serde_json::from_str(&text.ok()??).ok()
}

/// Whether the publication in a directory is of another run than the record of phase `index`: the
/// last run of the work directory published elsewhere. One damaged byte of `run.json` does not
/// change both of its times.
pub fn is_of_another_run(dir: &Path, record: &PhaseRecord) -> bool {
    let [started, ended] = record.figures.read::<IndexFigures>().run;
    run_record(dir).is_some_and(|run| run.started != started && run.ended != ended)
}

/// The origin of the publication in a directory, if it is another one than the work directory of
/// this configuration. `page` gives the first page that this one recorded.
pub fn other_origin(
    config: &Config,
    dir: &Path,
    page: impl FnOnce() -> Option<Sealed>,
) -> Option<OtherOrigin> {
    let disk = Disk::default();
    let record = run_record(dir)?;
    let work = record.work?;
    let theirs = beside(dir, config).join(&work).canonicalize().ok();
    if theirs.is_some() && theirs == config.work.dir.canonicalize().ok() {
        return None;
    }
    let page = page();
    let is_own = |page: &Sealed| AtomicFile::verify(&disk, &dir.join(&page.name), page).is_ok();
    if page.as_ref().is_some_and(is_own) || page.is_none() && theirs.is_none() {
        return None;
    }
    Some(OtherOrigin {
        work,
        configuration: record.configuration,
        is_replaced: page.is_some(),
    })
}

/// The directory of the link that shows a publication, also where the publication is named itself.
fn beside(dir: &Path, config: &Config) -> PathBuf {
    let real = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
    let generations = real.parent().filter(|dir| dir.join(MARKER).is_file());
    let of_link = generations.and_then(Path::parent);
    let of_output = || config.work.output.parent().unwrap_or(Path::new(""));
    of_link.unwrap_or_else(of_output).to_owned()
}

/// Where the publication of a finished run lies, and the origin of the one that is shown, if that
/// is another one.
pub struct Whereabouts {
    /// `None` if the publication was replaced and is removed.
    pub own: Option<PathBuf>,
    /// Of the one that is shown.
    pub other: Option<OtherOrigin>,
}

impl Whereabouts {
    /// Looks for the publication that the record of phase `index` is of.
    pub fn of(config: &Config, record: &PhaseRecord) -> Whereabouts {
        let output = &config.work.output;
        let origin = |dir: &Path| other_origin(config, dir, || first_page(record));
        let is_own = |dir: &Path| origin(dir).is_none() && !is_of_another_run(dir, record);
        let number = record.figures.read::<IndexFigures>().generation;
        let name = crate::publish::generation_name(number);
        let shown = std::fs::read_link(output).ok();
        let is_shown = shown.is_some_and(|target| target.file_name() == Some(name.as_ref()));
        let dir = generations_dir(output).join(name);
        let own = if is_own(output) && (is_shown || !dir.is_dir()) {
            Some(output.clone())
        } else {
            Some(dir).filter(|dir| dir.is_dir() && is_own(dir))
        };
        let other = origin(output);
        Whereabouts { own, other }
    }

    /// The error of verifying where another publication is shown.
    pub fn refusal(&self, config: &Config) -> Option<Error> {
        let earlier = || {
            Error::Usage(format!(
                "failed to verify: {} shows an earlier publication: its run.json is of another run \
                 than the last one of {}; run `pipeline run`",
                config.work.output.display(),
                config.work.dir.display()
            ))
        };
        let other = self
            .other
            .as_ref()
            .map(|other| other.refusal("verify", config));
        other.or_else(|| self.own.is_none().then(earlier))
    }
}
