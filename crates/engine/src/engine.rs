//! [`Engine`]: the state of one run, handed to every phase.
//!
//! *Input.* A checked configuration, the disk, and the manifest of the work directory. *Output.*
//! Sorts, writers and readers whose names, places and checksums follow the rules of the work
//! directory. *Memory.* Everything that grows with the input reserves its bytes from one budget.

use crate::intake::inputs::Inputs;
use crate::runtime::cost;
use crate::runtime::progress::Reporter;
use crate::segments::{Segments, public_ids, spans};
use crate::{Error, PhaseName};
use crate::{FileLookup, open_files};
use config::Config;
use format::{
    Disk, FileKind, Fingerprint, Manifest, PublicIds, RecordReader, RecordSpec, RecordWriter,
    Sealed, SnapshotSpan,
};
use model::{Record, Unpoisoned, WordRecord};
use sort::{Combine, Lookup, MemoryBudget, SortSpec, Sorter, WordSorter};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard};
use std::time::Instant;

/// The state of one run. The threads of a phase share it.
pub struct Engine<'a> {
    /// The checked configuration; it does not change during a run.
    pub config: &'a Config,
    /// All reads and writes go through it: it counts bytes and injects faults in tests.
    pub disk: Disk,
    /// The memory that structures growing with the input must reserve, `work.memory` bytes.
    pub budget: MemoryBudget,
    /// Shows progress and takes messages.
    pub reporter: &'a Reporter,
    /// The input files of this run; empty where nothing is read but the work directory.
    pub inputs: Inputs,
    /// The manifest in memory. [`Engine::store_manifest`] makes it the one on disk.
    manifest: Mutex<Manifest>,
    /// Runs that a merge may hold open at once.
    pub fan_in_max: usize,
    /// The cost of each phase that was run or skipped so far.
    pub(crate) log: Mutex<Vec<output::PhaseRun>>,
    /// When this run began.
    pub start: RunStart,
    /// Directory of the files of `cluster`, if not `work.dir/cluster`. `dedup` clusters once more
    /// with other parameters and keeps those files apart.
    pub cluster_apart: Option<PathBuf>,
    /// The segments of the finished sketch phase, listed at first use: there may be thousands.
    segments: Mutex<Option<Segments>>,
}

/// The start of a run, as the calendar, the clock and the CPU meter tell it.
pub struct RunStart {
    /// Date and time, RFC 3339.
    pub rfc3339: String,
    /// Clock at the start, to measure elapsed time.
    pub clock: Instant,
    /// CPU milliseconds of the process before the run.
    pub cpu_ms: u64,
}

impl RunStart {
    /// The current moment.
    pub fn now() -> RunStart {
        RunStart {
            rfc3339: cost::now_rfc3339(),
            clock: Instant::now(),
            cpu_ms: cost::cpu_ms(),
        }
    }
}

impl<'a> Engine<'a> {
    /// An engine over the files that a manifest lists, without input files.
    pub fn over(
        config: &'a Config,
        disk: Disk,
        manifest: Manifest,
        reporter: &'a Reporter,
    ) -> Engine<'a> {
        let memory = config.work.memory();
        let read_ahead = input::objects::reserve_read_ahead(memory / 8, config.work.threads);
        Engine {
            config,
            disk,
            budget: MemoryBudget::new(memory - read_ahead.min(memory / 4)),
            reporter,
            inputs: Inputs::default(),
            manifest: Mutex::new(manifest),
            fan_in_max: open_files::fan_in_max(),
            log: Mutex::default(),
            start: RunStart::now(),
            cluster_apart: None,
            segments: Mutex::default(),
        }
    }

    /// The same engine, which reads these files.
    pub fn reading(self, inputs: Inputs) -> Engine<'a> {
        Engine { inputs, ..self }
    }

    /// Locks the manifest. Drop the guard before calling another method that needs it.
    pub fn manifest(&self) -> MutexGuard<'_, Manifest> {
        self.manifest.lock().unpoisoned()
    }

    /// Forgets dropped snapshots whose bodies no revisit needs; says whether there were any.
    pub fn forget_released(&mut self, is_read: impl Fn(u32) -> bool) -> Result<bool, Error> {
        let manifest = self.manifest.get_mut().unpoisoned();
        let has_forgotten = self.inputs.forget_released(manifest, is_read);
        if has_forgotten {
            self.forget_segments();
            self.store_manifest()?;
        }
        Ok(has_forgotten)
    }

    /// Replaces the manifest on disk by the one in memory.
    pub fn store_manifest(&self) -> Result<(), Error> {
        let manifest = self.manifest();
        manifest
            .store(&self.disk, &self.config.work.dir)
            .map_err(Error::from)
    }

    /// The directory that holds the files of a phase.
    pub fn dir(&self, phase: PhaseName) -> PathBuf {
        match &self.cluster_apart {
            Some(dir) if phase == PhaseName::Cluster => dir.clone(),
            _ => self.config.work.dir.join(phase.name()),
        }
    }

    /// Digest of the parameters and inputs of a phase, for the headers of its files.
    pub fn fingerprint(&self, phase: PhaseName) -> Fingerprint {
        let manifest = self.manifest();
        let text = crate::runtime::parameters::of(phase, self.config)
            + &crate::runtime::parameters::inputs_of(phase, &manifest);
        crate::runtime::parameters::fingerprint(&text)
    }

    /// The segments of the sketch phase; while that phase runs, those written so far.
    ///
    /// # Errors
    /// When the documents are too many to be numbered in 32 bits.
    pub fn segments(&self) -> Result<Segments, Error> {
        let manifest = self.manifest();
        let read = || Segments::of(&self.disk, &self.config.work.dir, &manifest);
        if !manifest.phases.contains_key(PhaseName::Sketch.name()) {
            return read();
        }
        let mut known = self.segments.lock().unpoisoned();
        match &*known {
            Some(segments) => Ok(segments.clone()),
            None => Ok(known.insert(read()?).clone()),
        }
    }

    /// Discards the list of segments. The sketch phase calls this when it starts to write.
    pub fn forget_segments(&self) {
        *self.segments.lock().unpoisoned() = None;
    }

    /// Where the documents of each snapshot begin.
    pub fn spans(&self) -> Vec<SnapshotSpan> {
        spans(&self.manifest())
    }

    /// The mapping between document numbers of this run and public ids.
    pub fn public_ids(&self) -> PublicIds {
        public_ids(&self.manifest())
    }

    /// A sort of `memory_bytes` that spills into the directory of a phase under `name`.
    pub fn sorter<R: Record, C: Combine<R>>(
        &self,
        phase: PhaseName,
        name: &str,
        memory_bytes: usize,
        combine: C,
    ) -> Sorter<R, C> {
        Sorter::new(self.sort_spec(self.dir(phase), name, memory_bytes), combine)
    }

    /// A sorter for small records, which one thread pushes.
    pub fn word_sorter<R: WordRecord>(
        &self,
        phase: PhaseName,
        name: &str,
        memory_bytes: usize,
    ) -> WordSorter<R> {
        WordSorter::new(self.sort_spec(self.dir(phase), name, memory_bytes))
    }

    /// A sort of `memory_bytes` that spills into a directory under `name`.
    pub fn sort_spec(&self, dir: PathBuf, name: &str, memory_bytes: usize) -> SortSpec {
        SortSpec {
            fan_in_max: self.fan_in_max,
            threads: rayon::current_num_threads(),
            ..SortSpec::new(self.disk.clone(), dir, name.to_owned(), memory_bytes)
        }
    }

    /// Starts a durable output file of a phase.
    pub fn writer<R: Record>(
        &self,
        phase: PhaseName,
        name: &str,
        kind: FileKind,
    ) -> Result<RecordWriter<R>, Error> {
        let spec = RecordSpec::durable(self.dir(phase).join(name), kind, self.fingerprint(phase));
        RecordWriter::create_packed(&self.disk, spec).map_err(Error::from)
    }

    /// Whether a finished phase has an output of this name that is not empty.
    pub fn has_records(&self, phase: PhaseName, name: &str) -> bool {
        let manifest = self.manifest();
        let record = manifest.phases.get(phase.name());
        let sealed = record.and_then(|record| record.outputs.get(name));
        sealed.is_some_and(|sealed| sealed.records > 0)
    }

    /// The manifest's entry of an output of a finished phase.
    ///
    /// # Errors
    /// When the phase has not run.
    pub fn sealed(&self, phase: PhaseName, name: &str) -> Result<Sealed, Error> {
        let manifest = self.manifest();
        let found = manifest
            .phases
            .get(phase.name())
            .and_then(|record| record.outputs.get(name))
            .cloned();
        found.ok_or_else(|| {
            Error::Usage(format!(
                "failed to find {phase}/{name}; run `pipeline run --from {phase}` first"
            ))
        })
    }

    /// Opens an output of a finished phase.
    pub fn reader<R: Record>(
        &self,
        phase: PhaseName,
        name: &str,
        kind: FileKind,
    ) -> Result<RecordReader<R>, Error> {
        self.open(phase, &self.sealed(phase, name)?, kind)
    }

    /// Opens a file of a phase.
    pub fn open<R: Record>(
        &self,
        phase: PhaseName,
        sealed: &Sealed,
        kind: FileKind,
    ) -> Result<RecordReader<R>, Error> {
        let opened = RecordReader::open_sealed(&self.disk, &self.dir(phase), sealed, kind);
        opened.map_err(Error::from)
    }

    /// Opens an output of a finished phase, to be asked for ascending keys.
    pub fn lookup<R: Record>(
        &self,
        phase: PhaseName,
        name: &str,
        kind: FileKind,
    ) -> Result<FileLookup<R>, Error> {
        Ok(Lookup::over(self.reader(phase, name, kind)?)?)
    }
}
