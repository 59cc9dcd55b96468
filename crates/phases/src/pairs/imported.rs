//! Pair counts that other machines made of the same sketches: taken instead of counted ones.
//!
//! *Input.* The directory of a job with shards, and Parquet files of the columns `a`, `b` and
//! `shared` with a manifest ([`hand_over`]). There a document has its number among the documents of
//! all shards, revisits not among them; a class is counted at any of its documents. *Output.*
//! Sorted pair counts, the bytes that this machine would have written. *Algorithm.* The number of
//! each document is replaced by that of its representative here, and the pairs are sorted; those
//! below the floor are left out. *Memory.* A cell for each document, and the sort. *Limits.* One
//! crawl, not several snapshots; sketches of a fixed size are compared whole, which this machine
//! would have to do ([`refusals`]).

use super::outputs::PHASE;
use crate::expansion::MinShared;
use config::Config;
use engine::{
    Engine, Error, PhaseName, cells::SpillableCells, merge_levels::SnapshotCounter,
    runtime::parameters,
};
use format::{Disk, Manifest, PhaseCost, PhaseFigures, PhaseRecord, RecordWriter, Sealed};
use model::{KeyRule, PairCount, Words};
use output::{Cell, ColumnSelection, TableReader};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Pair counts in a directory that fit the configuration and the shards.
#[derive(Clone, Debug)]
pub struct ImportedPairs {
    dir: PathBuf,
    files: Vec<Sealed>,
    documents: u64,
}

/// The parts of a configuration for which no pairs can be imported, each as a sentence.
pub fn refusals(config: &Config) -> Vec<&'static str> {
    let refused = [
        (
            config.has_snapshots,
            "[snapshots]: one crawl at a time; name its files in paths of [input]",
        ),
        (
            config.sketch.sampling.has_fixed_size() || config.sketch.sort_keys != KeyRule::Elements,
            "method of [sketch]: sketches of a fixed size are compared whole, not counted; take \
             \"modulus\" or \"adaptive-modulus\"",
        ),
    ];
    let refused = refused.into_iter().filter(|(is_refused, _)| *is_refused);
    refused.map(|(_, why)| why).collect()
}

fn refused(dir: &Path, why: &str) -> Error {
    Error::Usage(format!("failed to import {}: {why}", dir.display()))
}

/// The parameters that pair counts depend on.
fn parameters_of(config: &Config) -> String {
    let phases = [
        PhaseName::Sketch,
        PhaseName::Distinct,
        PhaseName::Sort,
        PhaseName::Pairs,
    ];
    phases.map(|phase| parameters::of(phase, config)).concat()
}

/// A digest of the files of shards, in any order of the directories.
fn digest_of(disk: &Disk, shards: &[PathBuf]) -> Result<String, Error> {
    let mut names = BTreeMap::new();
    for dir in shards {
        let manifest = Manifest::load(disk, dir)?.unwrap_or_default();
        let parts = manifest.parts.get(PhaseName::Sketch.name());
        for part in parts.into_iter().flat_map(|parts| parts.values()) {
            let outputs = part.outputs.values();
            names.extend(outputs.map(|sealed| (sealed.name.clone(), sealed.checksum.clone())));
        }
    }
    let mut text = String::new();
    for (name, checksum) in names {
        let _ = writeln!(text, "{name} {checksum}");
    }
    Ok(parameters::hex(parameters::fingerprint(&text)))
}

/// The configuration by which the shards of a job are made in its directory.
pub fn config_of_job(config: &Config, job: &Path) -> Config {
    let mut own = config.clone();
    own.work.dir = job.join("sketch");
    own
}

/// The directories of the shards of a job.
pub fn shards_of_job(config: &Config, job: &Path) -> Result<Vec<PathBuf>, Error> {
    let dir = config_of_job(config, job).work.shards_dir();
    let mut shards = Disk::default().list(&dir)?;
    shards.sort_unstable();
    Ok(shards)
}

/// The directory of the pair counts of a job.
fn pairs_of_job(job: &Path) -> PathBuf {
    job.join(PHASE.name())
}

/// Completes the pair counts of a job: writes the manifest that [`ImportedPairs::load`] reads.
/// `files` are the Parquet files in its directory `pairs`; `documents` is the number of documents
/// of all shards.
pub fn hand_over(
    config: &Config,
    job: &Path,
    files: &[PathBuf],
    documents: u64,
) -> Result<(), Error> {
    let disk = Disk::default();
    let (dir, shards) = (pairs_of_job(job), shards_of_job(config, job)?);
    let mut outputs = BTreeMap::new();
    for name in files {
        let path = dir.join(name);
        let rows = table(&path)?.rows();
        let name = name.to_string_lossy().into_owned();
        let sealed = Sealed {
            name: name.clone(),
            bytes: disk.size(&path).unwrap_or(0),
            records: rows,
            checksum: String::new(),
        };
        outputs.insert(name, sealed);
    }
    let record = PhaseRecord {
        parameters: parameters_of(config),
        inputs: digest_of(&disk, &shards)?,
        outputs,
        figures: PhaseFigures::of(&documents),
        cost: PhaseCost::default(),
    };
    let mut manifest = Manifest {
        version: format::FORMAT_VERSION,
        ..Manifest::default()
    };
    manifest.phases.insert(PHASE.name().to_owned(), record);
    manifest.store(&disk, &dir).map_err(Error::from)
}

/// Opens a file of pair counts, which another program wrote.
fn table(path: &Path) -> Result<TableReader, Error> {
    let columns = ColumnSelection::Named(&["a", "b", "shared"]);
    TableReader::open_foreign(path, columns).map_err(Error::from)
}

impl ImportedPairs {
    /// Reads the manifest of a job, and checks that its pairs are of this configuration and of its
    /// shards.
    ///
    /// # Errors
    /// When they are not, when the directory is not complete, or the configuration cannot have
    /// them.
    pub fn load(config: &Config, job: &Path) -> Result<ImportedPairs, Error> {
        let dir = &pairs_of_job(job);
        if let Some(why) = refusals(config).first() {
            return Err(refused(dir, why));
        }
        let disk = Disk::default();
        let manifest = Manifest::load(&disk, dir)?.unwrap_or_default();
        let Some(record) = manifest.phases.get(PHASE.name()) else {
            let why = "it holds no pair counts, or their job has not finished";
            return Err(refused(dir, why));
        };
        if let Some(what) = parameters::difference(&record.parameters, &parameters_of(config)) {
            let why = format!("it was made with other parameters: {what}; run the job again");
            return Err(refused(dir, &why));
        }
        if record.inputs != digest_of(&disk, &shards_of_job(config, job)?)? {
            let why = "its pairs are of other shards; run the job again";
            return Err(refused(dir, why));
        }
        for sealed in record.outputs.values() {
            if disk.size(&dir.join(&sealed.name)) != Some(sealed.bytes) {
                let why = format!("{} is missing or has other bytes", sealed.name);
                return Err(refused(dir, &why));
            }
        }
        Ok(ImportedPairs {
            dir: dir.to_owned(),
            files: record.outputs.values().cloned().collect(),
            documents: record.figures.read::<u64>(),
        })
    }

    /// The representative of each document of the shards, in the numbers of this run.
    pub(super) fn representatives(&self, engine: &Engine<'_>) -> Result<SpillableCells, Error> {
        let segments = engine.segments()?;
        let mut cells = engine.scratch(PHASE)?.cells("imported")?;
        let (mut revisited, mut classes) = (segments.revisited(), engine.classes()?);
        let mut next = 0;
        for doc in 0..segments.documents() {
            if !revisited.has(doc)? {
                let representative = classes.of(doc)?.representative();
                model::Cells::set(&mut cells, next, representative)?;
                next += 1;
            }
        }
        if u64::from(next) != self.documents {
            let why = format!(
                "its shards have {} documents, and those here {next}; run the job again",
                self.documents
            );
            return Err(refused(&self.dir, &why));
        }
        Ok(cells)
    }

    /// Writes the pairs in order, those that reach the floor. Sorts them in so many bytes.
    pub(super) fn write(
        &self,
        engine: &Engine<'_>,
        mut representatives: SpillableCells,
        min_shared: &MinShared,
        mut writer: RecordWriter<PairCount>,
        memory_bytes: usize,
    ) -> Result<(Sealed, SnapshotCounter), Error> {
        let scratch = engine.scratch(PHASE)?;
        let mut sorter = scratch.by_document::<Words<3>>("imported", memory_bytes);
        let rows = self.files.iter().map(|sealed| sealed.records).sum();
        let task = engine.reporter.task(PHASE, "imported pairs", rows);
        for sealed in &self.files {
            let mut table = table(&self.dir.join(&sealed.name))?;
            while let Some(batch) = table.next_batch()? {
                engine.disk.check_interrupt()?;
                for row in 0..batch.rows() {
                    let cells = [0, 1, 2].map(|column| batch.cell(row, column));
                    let pair = self.pair(cells, &mut representatives)?;
                    sorter.push(pair)?;
                }
                task.add(batch.rows() as u64);
            }
        }
        task.finish();
        let mut sorted = sorter.finish()?;
        let mut by_snapshot = SnapshotCounter::of(&engine.taken());
        let mut last = None;
        while let Some(Words([a, b, shared])) = sorted.next()? {
            if last.replace([a, b]) == Some([a, b]) {
                return Err(self.impossible(&format!("{a} and {b} are a pair twice")));
            }
            let pair = PairCount { a, b, shared };
            if min_shared.keeps(&pair) {
                writer.push(&pair)?;
                by_snapshot.add(a);
            }
        }
        Ok((writer.finish()?, by_snapshot))
    }

    /// A row in the numbers of this run.
    fn pair(
        &self,
        cells: [Cell<'_>; 3],
        representatives: &mut SpillableCells,
    ) -> Result<Words<3>, Error> {
        let number = |cell: &Cell<'_>| match cell {
            Cell::Int64(number) => u32::try_from(*number).ok(),
            _ => None,
        };
        let [Some(a), Some(b), Some(shared)] = [0, 1, 2].map(|at| number(&cells[at])) else {
            return Err(self.impossible(&format!("{cells:?} is no pair count")));
        };
        if u64::from(a.max(b)) >= self.documents || shared == 0 {
            return Err(self.impossible(&format!("{a}, {b}, {shared} is no pair count")));
        }
        let mut here = [0; 2];
        for (here, doc) in here.iter_mut().zip([a, b]) {
            *here = model::Cells::get(representatives, doc)?;
        }
        here.sort_unstable();
        let [low, high] = here;
        if low == high {
            return Err(self.impossible(&format!("{a} and {b} are of one class")));
        }
        Ok(Words([low, high, shared]))
    }

    fn impossible(&self, what: &str) -> Error {
        refused(&self.dir, &format!("{what}; please report it"))
    }
}
