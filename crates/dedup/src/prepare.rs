//! Checks that there is a finished run of this configuration and this input.
//!
//! *Input.* Configuration, request, manifest, listing. *Output.* [`DedupInput`]. *Algorithm.* Every
//! phase that decides has to be up to date, as `run` judges it: sizes, times and inodes of the
//! input first, digests where those differ. Every file is opened once. So a file that cannot be
//! read or has changed is reported before anything is written.

use super::decision::Decision;
use super::files::FileRole;
use super::least_alike::own_index;
use super::request::{DedupRequest, Deliver};
use super::target::{CopyTarget, TargetNames};
use super::{files, id_list, names, output_place};
use ask::Index;
use config::Config;
use engine::{
    Engine, Error, PhaseName, Reading,
    intake::inputs::Inputs,
    intake::manifest::files_of,
    runtime::messages::restore_or_drop,
    runtime::phase::Verdict,
    runtime::progress::Reporter,
    runtime::{lock, parameters, signals},
};
use format::{Disk, DiskOptions, Faults, Fingerprint, IoMode, Manifest};
use model::Threshold;
use run::PhaseJudge;
use std::sync::Arc;

/// The checked input of a call.
pub(super) struct DedupInput {
    /// With the values of this call.
    config: Config,
    manifest: Manifest,
    /// For the work directory.
    pub(super) disk: Disk,
    /// For the copies, which `work.disk` does not limit.
    pub(super) copies: Disk,
    /// The lines of `[cluster]` that differ from the run.
    pub(super) differs: Vec<String>,
    /// The action for each listed file.
    pub(super) roles: Vec<FileRole>,
    /// Of the run and the request. Copies are resumed only if it is the same.
    pub(super) fingerprint: Fingerprint,
    pub(super) reading: Reading,
    /// Of the publication of the run, if its documents are shown and it can be used.
    pub(super) index: Option<Arc<Index>>,
    /// Two calls do not write to one directory of copies at a time.
    _lock: Option<lock::Lock>,
}

/// Checks everything that can be checked before something is written.
pub(super) fn prepare(
    config: &Config,
    request: &DedupRequest,
    decision: &Decision,
    reporter: &Reporter,
) -> Result<(DedupInput, Inputs), Error> {
    let mut effective = with_request(config, request)?;
    let stop = signals::stop_flag();
    let work = &config.work.dir;
    let no_run = || {
        Error::NotFound(format!(
            "failed to find a run in {}; run `{}` first",
            work.display(),
            request.run_command()
        ))
    };
    if !work.is_dir() {
        return Err(no_run());
    }
    let inputs = Inputs::scan(config, &Manifest::default())?;
    run::check_sources(config, &inputs.listing)?;
    lock::check_private(&config.work)?;
    let writes = request.deliver.directory().is_some();
    let lock = writes.then(|| lock::acquire(work)).transpose()?;
    let work_disk = run::open_disk(config, Arc::clone(&stop));
    let copies = Disk::new(DiskOptions {
        faults: Faults::from_environment(),
        io: IoMode::default(),
        stop,
        limit_bytes: None,
        used_bytes: 0,
    });
    // Held from the start, as the files are: a run that comes in between publishes another one.
    let shows_documents = request.deliver == Deliver::Counts;
    let index = shows_documents.then(|| ask::query::open(config).ok());
    let reading = Reading::open(config, &work_disk)?.ok_or_else(no_run)?;
    let manifest = reading.manifest();
    let of_run = Config {
        passages: decision.passages(config, &manifest)?,
        ..reading.config().clone()
    };
    let judge = PhaseJudge {
        config: &of_run,
        disk: &work_disk,
        inputs: &inputs,
    };
    let checked = check_up_to_date(&judge, decision, request, &manifest, reporter);
    checked
        .and_then(|()| check_snapshots(&judge, &manifest))
        .and_then(|()| check_readable(&inputs))
        .map_err(|error| match &lock {
            // Then this process is the one that is at work.
            Some(_) => error,
            None => lock::or_at_work(work, error),
        })
        .map_err(|error| reading.told(error))?;
    let roles = files::roles(config, &inputs, &request.against)?;
    decision.check_formats(&inputs.listing, &roles)?;
    if let Some(output) = request.deliver.directory() {
        let annotates = request.deliver.annotates();
        let copies = names::names(&inputs, annotates, |at| roles[at] == FileRole::Data);
        output_place::check(config, &inputs, output, copies, decision.target())?;
    }
    effective.work.dir.clone_from(&of_run.work.dir);
    effective.passages = of_run.passages;
    let input = DedupInput {
        differs: differences(config, &effective),
        fingerprint: fingerprint(&effective, request, decision, &manifest, &roles)?,
        config: effective,
        manifest,
        disk: work_disk,
        copies,
        roles,
        index: index
            .flatten()
            .and_then(|index| own_index(index, &reading.manifest())),
        reading,
        _lock: lock,
    };
    Ok((input, inputs))
}

/// Checks that every phase that the call needs is up to date.
fn check_up_to_date(
    judge: &PhaseJudge<'_>,
    decision: &Decision,
    request: &DedupRequest,
    manifest: &Manifest,
    reporter: &Reporter,
) -> Result<(), Error> {
    for phase in decision.phases(request) {
        if let Verdict::Run(why) = judge.phase(phase, manifest)? {
            if phase > PhaseName::Sketch {
                check_documents(judge, manifest, reporter)?;
            }
            let text = format!(
                "failed to start: phase {phase} is out of date ({why}); run `{}` first",
                decision.run_command(request, judge.config)
            );
            return Err(judge.refusal(phase, manifest, &why, text));
        }
    }
    Ok(())
}

/// Checks that every file can be read.
fn check_readable(inputs: &Inputs) -> Result<(), Error> {
    for (at, file) in inputs.listing.files.iter().enumerate() {
        if !inputs.is_retained_for_revisits(at) {
            input::check_readable(file)?;
        }
    }
    Ok(())
}

/// Whether the run ended because a source has no document: the next one would, too.
fn check_documents(
    judge: &PhaseJudge<'_>,
    manifest: &Manifest,
    reporter: &Reporter,
) -> Result<(), Error> {
    let (disk, inputs) = (judge.disk.clone(), judge.inputs.clone());
    let engine = Engine::over(judge.config, disk, manifest.clone(), reporter);
    run::check_documents(&engine.reading(inputs))
}

impl DedupInput {
    /// The engine that reads the run's files.
    pub(super) fn engine<'a>(&'a self, inputs: Inputs, reporter: &'a Reporter) -> Engine<'a> {
        let (disk, manifest) = (self.disk.clone(), self.manifest.clone());
        Engine::over(&self.config, disk, manifest, reporter).reading(inputs)
    }

    /// The directory of the copies, if there are to be any.
    pub(super) fn target(
        &self,
        deliver: &Deliver,
        names: TargetNames,
    ) -> Result<Option<CopyTarget>, Error> {
        let open = |output| CopyTarget::open(&self.copies, self.fingerprint, output, names);
        deliver.directory().map(open).transpose()
    }
}

/// Checks that the options of a call go together.
pub(super) fn check_request(config: &Config, request: &DedupRequest) -> Result<(), Error> {
    let DedupRequest {
        lossless,
        against,
        drop_all,
        ..
    } = request;
    let excluded = |other: &str| format!("--drop-all and {other} exclude each other; choose one");
    let decides = [
        (*drop_all, "--drop-all"),
        (
            !(against.is_empty() && request.references.is_empty()),
            "--against",
        ),
        (lossless.is_some(), "--lossless"),
        (request.linkage.is_some(), "--linkage"),
        (request.keep.is_some(), "--keep"),
    ];
    let beside = decides.iter().find(|(is_given, _)| *is_given);
    let fault = if let Some((_, other)) = beside.filter(|_| request.remove.is_some()) {
        format!("--remove decides all, and goes without {other}; leave out one of them")
    } else if lossless.is_some() && config.sketch.sampling.has_fixed_size() {
        "--lossless looks for containment, of which the method in [sketch] makes no estimate; use \
         the method modulus or adaptive-modulus"
            .to_owned()
    } else if *drop_all && !(against.is_empty() && request.references.is_empty()) {
        excluded("--against")
    } else if *drop_all && lossless.is_some() {
        excluded("--lossless")
    } else if lossless.is_some_and(|share| Threshold::from_f64(share).is_err()) {
        "--lossless takes a number from 0 to 1 with at most 18 decimals".to_owned()
    } else {
        return Ok(());
    };
    Err(Error::Usage(fault))
}

/// The configuration with the values of this call.
fn with_request(config: &Config, request: &DedupRequest) -> Result<Config, Error> {
    let mut config = config.clone();
    if let Some(linkage) = request.linkage {
        config.cluster.linkage = linkage;
    }
    if let Some(keep) = &request.keep {
        config.cluster.keep = config::parse_keep(keep, &config.input.fields.carry)?;
    }
    Ok(config)
}

fn differences(run: &Config, now: &Config) -> Vec<String> {
    let (before, after) = (run.cluster_parameters(), now.cluster_parameters());
    let lines = before
        .lines()
        .zip(after.lines())
        .filter(|(before, after)| before != after);
    lines
        .map(|(before, after)| format!("{after} (run: {before})"))
        .collect()
}

fn fingerprint(
    config: &Config,
    request: &DedupRequest,
    decision: &Decision,
    manifest: &Manifest,
    roles: &[FileRole],
) -> Result<Fingerprint, Error> {
    let mut text = parameters::semantic(config);
    for file in manifest.inputs.iter() {
        text += &format!(
            "{} {} {} {}\n",
            file.name, file.format, file.stat.bytes, file.digest
        );
    }
    let DedupRequest {
        lossless,
        against,
        drop_all,
        ..
    } = request;
    text += &format!("copies {lossless:?} {against:?} {drop_all}\n");
    if let Some(list) = &request.remove {
        text += &format!("remove {:032x}\n", id_list::digest(list)?);
    }
    if let Decision::Passages { options } = decision {
        text += options;
    }
    if request.deliver.annotates() {
        text += "annotated\n";
    }
    let aside = roles.iter().enumerate();
    for (at, role) in aside.filter(|(_, role)| **role != FileRole::Data) {
        text += &format!("file {at} {role:?}\n");
    }
    Ok(parameters::fingerprint(&text))
}

/// Snapshots are read again: their files must be what they were, which a run does not ask of what
/// it has read.
fn check_snapshots(judge: &PhaseJudge<'_>, manifest: &Manifest) -> Result<(), Error> {
    let known = files_of(manifest);
    for snapshot in judge
        .inputs
        .snapshots
        .iter()
        .filter(|snapshot| !snapshot.may_change() && !snapshot.retained_for_revisits)
    {
        snapshot.check()?;
        let before = known.get(&snapshot.number).copied().unwrap_or_default();
        if let Some(what) =
            judge.content_difference(before, snapshot.files(&judge.inputs.listing))?
        {
            let name = &snapshot.name;
            let advice = restore_or_drop(name);
            return Err(Error::InputChanged(format!(
                "failed to start: {what} since snapshot {name} was read; {advice}"
            )));
        }
    }
    Ok(())
}
