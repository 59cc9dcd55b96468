//! Shards that other machines sketched → parts of phase `sketch` here.
//!
//! *Input.* The directories of `pipeline sketch`; the input files as they are here. *Output.* The
//! files of their segments, as hard links, or copies where the file system has none, and their
//! records. *Algorithm.* All shards are checked before anything is written. They must be of one
//! division, without one of them twice or missing, all finished, with the parameters of this run
//! and the files of this input. A file is the same if its name, format and size are, and its
//! digest: its bytes are read and compared only if it has another modification time, an object
//! another ETag, than where it was sketched. *Memory.* The records of all segments, as in the
//! manifest, and a digest for each file.

use super::planned_segment::{PHASE, PlannedSegment};
use super::shard::{Shard, digest_of};
use super::sketch_phase::{SketchPhase, check_file};
use engine::{
    Engine, Error,
    intake::manifest::{listed_difference, other_content},
    runtime::parameters,
};
use format::{FormatError, Manifest, PhaseRecord};
use model::FileStat;
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Shards that fit the input and the parameters of a run.
pub struct SketchedShards {
    dirs: Vec<PathBuf>,
    /// The records of segments by their names, each with the place of its directory.
    parts: BTreeMap<String, (usize, PhaseRecord)>,
    /// The digest of each file of the listing; empty if it could not be opened.
    digests: Vec<String>,
}

/// The shard in a directory, while it is checked.
struct CheckedShard<'a> {
    engine: &'a Engine<'a>,
    dir: &'a Path,
    shard: Shard,
    manifest: Manifest,
}

fn refused(dir: &Path, why: &str) -> Error {
    Error::Usage(format!("failed to adopt {}: {why}", dir.display()))
}

impl SketchedShards {
    /// Reads what the directories hold, and checks it. Writes nothing.
    ///
    /// # Errors
    /// When a shard does not fit, is there twice, is missing, unfinished or damaged. The message
    /// names it, and the command that makes it.
    pub fn load(engine: &Engine<'_>, dirs: &[PathBuf]) -> Result<SketchedShards, Error> {
        let mut all = SketchedShards {
            dirs: dirs.to_owned(),
            parts: BTreeMap::new(),
            digests: vec![String::new(); engine.inputs.listing.files.len()],
        };
        let mut shards: Vec<Shard> = Vec::new();
        for (at, dir) in dirs.iter().enumerate() {
            let checked = CheckedShard::open(engine, dir)?;
            let shard = checked.shard;
            if let Some(&first) = shards.first().filter(|first| !first.is_beside(shard)) {
                let why = format!(
                    "it is shard {shard}, and {} is shard {first}: adopt the shards of one division",
                    dirs[0].display()
                );
                return Err(refused(dir, &why));
            }
            if let Some(same) = shards.iter().position(|known| *known == shard) {
                let same = dirs[same].display();
                let why = format!("it is shard {shard}, as {same} is: leave one of them out");
                return Err(refused(dir, &why));
            }
            shards.push(shard);
            checked.check()?;
            let CheckedShard { mut manifest, .. } = checked;
            for (mine, file) in all
                .digests
                .iter_mut()
                .zip(std::mem::take(&mut *manifest.inputs))
            {
                if !file.digest.is_empty() {
                    *mine = file.digest;
                }
            }
            let parts = manifest.parts.remove(PHASE.name()).unwrap_or_default();
            let parts = parts.into_iter();
            all.parts
                .extend(parts.map(|(name, part)| (name, (at, part))));
        }
        missing(&shards)?;
        Ok(all)
    }

    /// Takes the segments that a run needs and has not.
    pub(super) fn adopt(mut self, phase: &SketchPhase<'_>) -> Result<(), Error> {
        let engine = phase.engine;
        let files = &engine.inputs.listing.files;
        let (mut linked, to) = (Vec::new(), engine.dir(PHASE));
        for (index, segment) in phase.segments.iter().enumerate() {
            if phase.finished_part(index).is_some() {
                continue;
            }
            let Some((at, mut part)) = self.parts.remove(&segment.name) else {
                continue;
            };
            let from = self.dirs[at].join(PHASE.name());
            for sealed in part.outputs.values() {
                engine.disk.check_interrupt()?;
                let path = to.join(&sealed.name);
                engine.disk.remove(&path)?;
                engine.disk.link_or_copy(&from.join(&sealed.name), &path)?;
                check_file(&engine.disk, &to, sealed).map_err(|e| damaged(&self.dirs[at], e))?;
            }
            part.inputs = segment.identity(files);
            linked.push((index, part));
        }
        engine.disk.sync_dir(&to)?;
        let (adopted, shards) = (linked.len(), self.dirs.len());
        let mut manifest = engine.manifest();
        for (index, part) in linked {
            let segment = &phase.segments[index];
            for known in &segment.pieces {
                let file = known.piece.file as usize;
                manifest.inputs[file].digest = std::mem::take(&mut self.digests[file]);
            }
            let parts = manifest.parts.entry(PHASE.name().to_owned()).or_default();
            parts.insert(segment.name.clone(), part);
        }
        drop(manifest);
        engine.store_manifest()?;
        let all = phase.segments.len();
        let line = format!("{PHASE}: adopted {adopted} of {all} segments from {shards} shards");
        engine.reporter.line(&line);
        Ok(())
    }
}

/// An error for each shard of the division that no directory holds.
fn missing(shards: &[Shard]) -> Result<(), Error> {
    let all = shards.first().into_iter().flat_map(|first| first.all());
    let missing: Vec<Shard> = all.filter(|shard| !shards.contains(shard)).collect();
    let Some(first) = missing.first() else {
        return Ok(());
    };
    let names: Vec<String> = missing.iter().take(10).map(Shard::to_string).collect();
    let more = match missing.len() - names.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let names = names.join(", ");
    Err(Error::Usage(format!(
        "failed to adopt shards: of {} shards, these are missing: {names}{more}; add their \
         directories, or make them with `pipeline sketch --shard {first}` and so on",
        shards.len() + missing.len()
    )))
}

/// The error of a file of a shard that is not as it was written.
fn damaged(dir: &Path, source: FormatError) -> Error {
    let source = match source {
        FormatError::Interrupted => return Error::from_format(None, FormatError::Interrupted),
        source => source,
    };
    Error::Shard {
        dir: dir.to_owned(),
        source,
    }
}

/// Whether a directory in this one is a shard.
fn holds_shards(engine: &Engine<'_>, dir: &Path) -> bool {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let manifests = entries.map(|entry| Manifest::load(&engine.disk, &entry.path()));
    let mut found = manifests.filter_map(|manifest| manifest.ok().flatten());
    found.any(|manifest| manifest.shard.is_some())
}

impl CheckedShard<'_> {
    fn open<'a>(engine: &'a Engine<'a>, dir: &'a Path) -> Result<CheckedShard<'a>, Error> {
        let manifest = Manifest::load(&engine.disk, dir).map_err(|e| damaged(dir, e))?;
        let record = manifest
            .as_ref()
            .and_then(|manifest| manifest.shard.as_ref());
        let Some(shard) = record.map(Shard::of_record) else {
            let why = if holds_shards(engine, dir) {
                "it is no shard, but directories in it are: name those, with /* behind the path"
            } else {
                "it holds no shard; `pipeline sketch --shard i/n` makes one"
            };
            return Err(refused(dir, why));
        };
        let manifest = manifest.unwrap_or_default();
        Ok(CheckedShard {
            engine,
            dir,
            shard,
            manifest,
        })
    }

    /// Compares the shard with what this run would make.
    fn check(&self) -> Result<(), Error> {
        let engine = self.engine;
        let record = self.manifest.shard.clone().unwrap_or_default();
        let parameters = parameters::of(PHASE, engine.config);
        if let Some(what) = parameters::difference(&record.parameters, &parameters) {
            return Err(self.again(&format!("it has other parameters: {what}")));
        }
        // Before its files: it may have none yet.
        if record.segments.is_empty() {
            return Err(self.again("it is not finished"));
        }
        let files = &engine.inputs.listing.files;
        if let Some(what) = listed_difference(&self.manifest.inputs, files, &[]) {
            return Err(self.of_other_input(&format!("it was made of another input: {what}")));
        }
        let segments = self.shard.segments(PlannedSegment::all_of(engine, 0));
        let parts = self.manifest.parts.get(PHASE.name());
        let has =
            |segment: &PlannedSegment| parts.is_some_and(|parts| parts.contains_key(&segment.name));
        if record.segments != digest_of(engine, &segments) || !segments.iter().all(has) {
            return Err(self.again("another version of the program divided the input"));
        }
        // Of the same name and size, but perhaps not of the same bytes.
        let is_other = |then: &FileStat, now: &FileStat| then.modified_ns != now.modified_ns;
        let before = &self.manifest.inputs;
        if let Some(name) = other_content(&engine.disk, before, files, is_other)? {
            return Err(self.of_other_input(&format!("input {name} has other bytes here")));
        }
        self.check_files()
    }

    /// Opens each file of the segments: a copy of a shard may be incomplete.
    fn check_files(&self) -> Result<(), Error> {
        let segments = self.dir.join(PHASE.name());
        let parts = self.manifest.parts.get(PHASE.name());
        for part in parts.into_iter().flat_map(BTreeMap::values) {
            for sealed in part.outputs.values() {
                match check_file(&self.engine.disk, &segments, sealed) {
                    Err(FormatError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => {
                        let name = &sealed.name;
                        return Err(self.again(&format!("its file sketch/{name} is missing")));
                    }
                    checked => checked.map_err(|e| damaged(self.dir, e))?,
                }
            }
        }
        Ok(())
    }

    fn again(&self, why: &str) -> Error {
        Error::Usage(self.made_again(why))
    }

    fn of_other_input(&self, why: &str) -> Error {
        Error::InputChanged(self.made_again(why))
    }

    fn made_again(&self, why: &str) -> String {
        let (dir, shard) = (self.dir.display(), self.shard);
        format!(
            "failed to adopt {dir}: {why}; make it again with `pipeline sketch --shard {shard}`"
        )
    }
}
