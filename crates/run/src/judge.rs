//! Judges which phases are up to date, and gives the first reason why one is not.

use crate::damage;
use config::Config;
use engine::{
    Error, PhaseName,
    figures::PassageFigures,
    intake::inputs::{self, Inputs},
    intake::manifest::{
        files_of, has_known_bytes, has_other_references, listed_difference, other_content,
    },
    runtime::parameters,
    runtime::phase::{PhasePlan, Verdict},
};
use format::{Disk, FileReader, FormatError, InputFile, Manifest, PhaseRecord, Sealed};
use input::SourceFile;
use model::FileStat;
use publication::figures::IndexFigures;
use publication::history::changes::intervals;
use publication::origin::{first_page, is_of_another_run, other_origin};
use publication::publish;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Whether a change of the input is that a snapshot was dropped.
fn is_of_dropped(change: &str) -> bool {
    let is_so = change.ends_with(" is gone") || change.ends_with(" is dropped");
    is_so && change.starts_with("snapshot ")
}

/// Judges whether phases are up to date: the configuration and the input of now beside what the
/// manifest has.
pub struct PhaseJudge<'a> {
    /// The configuration of now.
    pub config: &'a Config,
    /// For the files of the work directory.
    pub disk: &'a Disk,
    /// The input of now.
    pub inputs: &'a Inputs,
}

impl PhaseJudge<'_> {
    /// Judges one phase.
    pub fn phase(&self, phase: PhaseName, manifest: &Manifest) -> Result<Verdict, Error> {
        let Some(record) = manifest.phases.get(phase.name()) else {
            let parts = manifest
                .parts
                .get(phase.name())
                .map_or(0, |parts| parts.len());
            let why = if parts > 0 {
                format!("not finished; {parts} parts of it are done")
            } else {
                "not done yet".into()
            };
            return Ok(Verdict::Run(why));
        };
        let now = parameters::of(phase, self.config);
        if record.parameters != now {
            let what = parameters::difference(&record.parameters, &now)
                .unwrap_or_else(|| "parameters differ".into());
            return Ok(Verdict::Run(what));
        }
        // A phase may go on from its files; a publication is replaced as a whole, and judged below.
        if phase != PhaseName::Index {
            damage::refuse(self.config, self.disk, phase)?;
        }
        let keeps_references = matches!(phase, PhaseName::Cluster | PhaseName::Passages);
        if keeps_references && has_other_references(manifest, &self.inputs.listing) {
            return Ok(Verdict::Run("other files are of sources".to_owned()));
        }
        if phase != PhaseName::Sketch && record.inputs != parameters::inputs_of(phase, manifest) {
            let mut before: Vec<&str> = phase.reads().iter().map(|phase| phase.name()).collect();
            if parameters::lists_references(phase, manifest) {
                before.push("the listing of sources");
            }
            return Ok(Verdict::Run(format!(
                "the results of {} changed",
                before.join(", ")
            )));
        }
        if let Some(what) = self.input_change(phase, manifest)? {
            return Ok(Verdict::Run(what));
        }
        let are_same_snapshots = || {
            let sketched = manifest
                .snapshots
                .iter()
                .filter(|snapshot| !snapshot.retained_for_revisits)
                .map(|snapshot| snapshot.number);
            sketched.eq(self
                .inputs
                .snapshots
                .iter()
                .filter(|live| !live.retained_for_revisits)
                .map(|live| live.number))
        };
        if phase == PhaseName::Index
            && are_same_snapshots()
            && record.figures.read::<IndexFigures>().intervals != intervals(self.inputs)
        {
            return Ok(Verdict::Run("the date of a snapshot changed".to_owned()));
        }
        if phase == PhaseName::Index
            && let Some(why) = self.other_publication(record)
        {
            return Ok(Verdict::Run(why));
        }
        for sealed in record.outputs.values() {
            if !self.is_there(phase, sealed)? {
                return Ok(Verdict::Run(format!("{phase}/{} is missing", sealed.name)));
            }
        }
        if phase == PhaseName::Index {
            damage::refuse(self.config, self.disk, phase)?;
        }
        Ok(Verdict::UpToDate)
    }

    /// All phases in order; a phase after one that runs is judged as things stand now.
    pub fn all(&self, manifest: &Manifest) -> Result<Vec<PhasePlan>, Error> {
        let mut plans: Vec<PhasePlan> = Vec::new();
        for phase in PhaseName::of(self.config) {
            let mut verdict = self.phase(phase, manifest)?;
            let runs_before = |plan: &&PhasePlan| {
                plan.verdict != Verdict::UpToDate && phase.reads().contains(&plan.phase)
            };
            if verdict == Verdict::UpToDate
                && let Some(before) = plans.iter().find(runs_before)
            {
                verdict = Verdict::Run(format!(
                    "{} runs before it (skipped if that changes nothing)",
                    before.phase
                ));
            }
            plans.push(PhasePlan { phase, verdict });
        }
        Ok(plans)
    }

    /// How the input differs from what a finished phase read of it; `None` if it does not.
    fn input_change(&self, phase: PhaseName, manifest: &Manifest) -> Result<Option<String>, Error> {
        let record = manifest.phases.get(phase.name());
        match (phase, record) {
            (PhaseName::Sketch, Some(_)) => {
                let is_other = manifest.unreadable != inputs::unreadable(self.inputs);
                let unreadable = "the files that cannot be read are not the same as before";
                let difference = self.input_difference(manifest)?;
                Ok(difference.or_else(|| is_other.then(|| unreadable.to_owned())))
            }
            (PhaseName::Settle, Some(record)) => {
                self.readable_again(&phases::settle::unread_files(record), manifest)
            }
            (PhaseName::Passages, Some(record)) => {
                let figures = record.figures.read::<PassageFigures>();
                self.readable_again(&figures.unread_files, manifest)
            }
            _ => Ok(None),
        }
    }

    /// The error of a call that needs a phase which has to run first, for this reason. `text` says
    /// so.
    pub fn refusal(&self, phase: PhaseName, manifest: &Manifest, why: &str, text: String) -> Error {
        match self.input_change(phase, manifest) {
            Err(error) => error,
            // To drop a snapshot is an act of the user, as another configuration is.
            Ok(Some(change)) if change == why && !is_of_dropped(&change) => {
                Error::InputChanged(text)
            }
            Ok(_) => Error::Usage(text),
        }
    }

    /// Compares the files of now with those that were read; `None` if they are the same. Contents
    /// are read again only where times or inodes differ, and only of what may change.
    fn input_difference(&self, manifest: &Manifest) -> Result<Option<String>, Error> {
        let (before, live) = (files_of(manifest), &self.inputs.snapshots);
        if let Some(gone) = manifest
            .snapshots
            .iter()
            .find(|old| live.iter().all(|live| live.number != old.number))
        {
            return Ok(Some(format!("snapshot {} is gone", gone.name)));
        }
        let was_lent = |number| {
            manifest
                .snapshots
                .iter()
                .any(|old| old.number == number && old.retained_for_revisits)
        };
        if let Some(dropped) = live.iter().find(|one| {
            one.retained_for_revisits && before.contains_key(&one.number) && !was_lent(one.number)
        }) {
            return Ok(Some(format!("snapshot {} is dropped", dropped.name)));
        }
        for snapshot in live {
            let Some(known) = before.get(&snapshot.number) else {
                return Ok(Some(format!("snapshot {} is new", snapshot.name)));
            };
            if !snapshot.may_change() {
                continue;
            }
            let now = snapshot.files(&self.inputs.listing);
            let rejected = &self.inputs.listing.rejected[snapshot.rejected.clone()];
            let difference = listed_difference(known, now, rejected).map_or_else(
                || self.content_difference(known, now),
                |what| Ok(Some(what)),
            );
            if let Some(what) = difference? {
                return Ok(Some(what));
            }
        }
        Ok(None)
    }

    /// Looks into files of the same names and sizes whose times or inodes are others, and tries
    /// those that could not be opened.
    pub fn content_difference(
        &self,
        before: &[InputFile],
        now: &[SourceFile],
    ) -> Result<Option<String>, Error> {
        for (old, new) in before.iter().zip(now) {
            if old.digest.is_empty() && new.can_be_opened()? {
                return Ok(Some(format!("input {} can be read now", old.name)));
            }
        }
        let other = other_content(self.disk, before, now, FileStat::is_touched)?;
        Ok(other.map(|name| format!("input {name} changed")))
    }

    /// Whether one of the files that a phase could not read as they were has its bytes now.
    fn readable_again(
        &self,
        unread: &BTreeSet<u32>,
        manifest: &Manifest,
    ) -> Result<Option<String>, Error> {
        for file in unread {
            let file = *file as usize;
            if let Some(known) = manifest.inputs.get(file)
                && let Some(file) = self.inputs.listing.files.get(file)
                && has_known_bytes(self.disk, known, file)?
            {
                return Ok(Some(format!("input {} can be read now", file.name)));
            }
        }
        Ok(None)
    }

    /// Why the link does not show the publication that this work directory made last; `None` if it
    /// does.
    fn other_publication(&self, record: &PhaseRecord) -> Option<String> {
        let made = publish::generation_name(record.figures.read::<IndexFigures>().generation);
        let shown = std::fs::read_link(&self.config.work.output).ok();
        let output = &self.config.work.output;
        let shown = shown
            .as_ref()
            .and_then(|target| target.file_name())
            .map(|name| name.to_string_lossy().into_owned());
        let Some(shown) = shown else {
            return Some(format!("{} is missing", output.display()));
        };
        let other = other_origin(self.config, output, || first_page(record));
        let of_another_run = || {
            let is_hidden = shown == made && is_of_another_run(output, record);
            is_hidden.then(|| " of another run".to_owned())
        };
        let of = other.as_ref().map(|other| format!(" of {}", other.work));
        let of = of.or_else(of_another_run);
        (shown != made || of.is_some()).then(|| {
            let of = of.unwrap_or_default();
            format!("{} shows {shown}{of}, not {made}", output.display())
        })
    }

    /// Whether an output is there.
    fn is_there(&self, phase: PhaseName, sealed: &Sealed) -> Result<bool, Error> {
        let path = output_path(self.config, phase, sealed);
        let Some(bytes) = self.disk.size(&path) else {
            return Ok(false);
        };
        let damaged = |what: String| {
            let source = FormatError::Damaged {
                path: path.clone(),
                offset: 0,
                what,
            };
            Err(Error::Work {
                phase: Some(phase),
                source,
            })
        };
        if bytes != sealed.bytes {
            return damaged(format!(
                "it has {bytes} bytes, {} were written",
                sealed.bytes
            ));
        }
        if is_plain(phase, sealed) {
            return Ok(true);
        }
        let reader = FileReader::open(self.disk, &path)?;
        let checksum = format!("{:016x}", reader.trailer().checksum);
        if checksum != sealed.checksum {
            return damaged(format!(
                "its checksum is {checksum}, {} was written",
                sealed.checksum
            ));
        }
        Ok(true)
    }
}

/// Whether an output is no file of our formats but JSON or Parquet.
pub(crate) fn is_plain(phase: PhaseName, sealed: &Sealed) -> bool {
    if phase == PhaseName::Index {
        return is_table(&sealed.name) || sealed.name.ends_with(format::INDEX_MANIFEST);
    }
    phase == PhaseName::Sketch && !sealed.name.starts_with("segment-")
}

/// Whether an output of the index phase, by its name, is for users and no part of the query index.
pub(crate) fn is_table(name: &str) -> bool {
    !name.starts_with("index/")
}

/// Where an output lies.
pub(crate) fn output_path(config: &Config, phase: PhaseName, sealed: &Sealed) -> PathBuf {
    match phase {
        PhaseName::Index => config.work.output.join(Path::new(&sealed.name)),
        _ => config.work.dir.join(phase.name()).join(&sealed.name),
    }
}
