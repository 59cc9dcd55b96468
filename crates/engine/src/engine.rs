//! What every phase of a run works with.

use crate::segments::{PublicIds, Segments, Span, spans};
use crate::work_dir;
use config::Config;
use format::{
    Disk, FileKind, Fingerprint, Manifest, RecordReader, RecordSpec, RecordWriter, Sealed,
};
use intake::inputs::Inputs;
use model::Record;
use runtime::progress::Reporter;
use runtime::{Error, PhaseName, cost};
use sort::{Combine, MemoryBudget, SortSpec, Sorter};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// A run under way. Shared by the threads of a phase.
pub struct Engine<'a> {
    pub config: &'a Config,
    pub disk: Disk,
    pub budget: MemoryBudget,
    pub reporter: &'a Reporter,
    pub inputs: Inputs,
    pub manifest: Mutex<Manifest>,
    /// Runs a merge may hold open at once.
    pub fan_in_max: usize,
    /// Phases done and skipped so far.
    pub log: Mutex<Vec<output::PhaseRecord>>,
    /// When the run began: in words, by the clock, CPU milliseconds.
    pub started: (String, Instant, u64),
    /// Where the files of `cluster` are, if not among those of the run: made once, with other
    /// parameters.
    pub cluster_apart: Option<PathBuf>,
    /// The segments of the finished sketch phase, once somebody asked: there may be thousands.
    pub segments: Mutex<Option<Segments>>,
}

impl<'a> Engine<'a> {
    /// Over the files that a manifest names, with nothing to read but them.
    pub fn over(
        config: &'a Config,
        disk: Disk,
        manifest: Manifest,
        reporter: &'a Reporter,
    ) -> Engine<'a> {
        Engine {
            config,
            disk,
            budget: MemoryBudget::new(
                usize::try_from(config.work.memory_bytes).unwrap_or(usize::MAX),
            ),
            reporter,
            inputs: Inputs::default(),
            manifest: Mutex::new(manifest),
            fan_in_max: work_dir::fan_in_max(),
            log: Mutex::default(),
            started: (cost::now_rfc3339(), Instant::now(), cost::cpu_ms()),
            cluster_apart: None,
            segments: Mutex::default(),
        }
    }

    pub fn manifest(&self) -> MutexGuard<'_, Manifest> {
        self.manifest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Replaces the manifest on disk by the one in memory.
    pub fn store_manifest(&self) -> Result<(), Error> {
        let manifest = self.manifest();
        manifest
            .store(&self.disk, &self.config.work.dir)
            .map_err(|e| Error::from_format(None, e))
    }

    /// The directory of a phase's files.
    pub fn dir(&self, phase: PhaseName) -> PathBuf {
        match &self.cluster_apart {
            Some(dir) if phase == PhaseName::Cluster => dir.clone(),
            _ => self.config.work.dir.join(phase.name()),
        }
    }

    /// What stands for parameters and inputs of a phase in the headers of its files.
    pub fn fingerprint(&self, phase: PhaseName) -> Fingerprint {
        let manifest = self.manifest();
        let text = runtime::parameters::of(phase, self.config)
            + &runtime::parameters::inputs_of(phase, &manifest);
        runtime::parameters::fingerprint(&text)
    }

    /// The segments of the sketch phase; while it runs, those that there are so far.
    pub fn segments(&self) -> Result<Segments, Error> {
        let manifest = self.manifest();
        let read = || Segments::of(&self.disk, &self.config.work.dir, &manifest);
        if !manifest.phases.contains_key(PhaseName::Sketch.name()) {
            return read();
        }
        let mut known = self.segments.lock().unwrap_or_else(PoisonError::into_inner);
        match &*known {
            Some(segments) => Ok(segments.clone()),
            None => Ok(known.insert(read()?).clone()),
        }
    }

    /// The sketch phase runs: what was known of its segments no longer counts.
    pub fn forget_segments(&self) {
        *self.segments.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Where the documents of each snapshot begin.
    pub fn spans(&self) -> Vec<Span> {
        spans(&self.manifest())
    }

    /// What documents are called outside.
    pub fn public_ids(&self) -> PublicIds {
        PublicIds::of(&self.manifest())
    }

    /// A sort in a phase's directory with so many bytes.
    pub fn sorter<R: Record, C: Combine<R>>(
        &self,
        phase: PhaseName,
        name: &str,
        memory_bytes: usize,
        combine: C,
    ) -> Sorter<R, C> {
        let (disk, dir, name) = (self.disk.clone(), self.dir(phase), name.to_owned());
        let threads = rayon::current_num_threads();
        let spec = SortSpec {
            fan_in_max: self.fan_in_max,
            threads,
            ..SortSpec::new(disk, dir, name, memory_bytes)
        };
        Sorter::new(spec, combine)
    }

    /// A durable output of a phase.
    pub fn writer<R: Record>(
        &self,
        phase: PhaseName,
        name: &str,
        kind: FileKind,
    ) -> Result<RecordWriter<R>, Error> {
        let spec = RecordSpec::durable(self.dir(phase).join(name), kind, self.fingerprint(phase));
        RecordWriter::create_packed(&self.disk, spec).map_err(Error::work(phase))
    }

    /// An output of a finished phase, by its name.
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
    ) -> Result<Output<R>, Error> {
        let sealed = self.sealed(phase, name)?;
        let reader = RecordReader::open_sealed(&self.disk, &self.dir(phase), &sealed, kind);
        Ok(Output::of(reader.map_err(Error::work(phase))?, phase))
    }
}

/// An output of a phase being read; damage names the phase that has to run again.
pub struct Output<R> {
    pub reader: RecordReader<R>,
    phase: PhaseName,
}

impl<R: Record> Output<R> {
    /// Records that a phase wrote.
    pub fn of(reader: RecordReader<R>, phase: PhaseName) -> Output<R> {
        Output { reader, phase }
    }

    #[inline]
    pub fn next(&mut self) -> Result<Option<R>, Error> {
        self.reader.next().map_err(Error::work(self.phase))
    }

    pub fn next_slice(&mut self) -> Result<Option<&[R]>, Error> {
        self.reader.next_slice().map_err(Error::work(self.phase))
    }

    pub fn seek(&mut self, record: u64) -> Result<(), Error> {
        self.reader.seek(record).map_err(Error::work(self.phase))
    }
}
