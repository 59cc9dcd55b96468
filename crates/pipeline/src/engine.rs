//! What every phase of a run works with.

use crate::config::Config;
use crate::inputs::Inputs;
use crate::progress::Reporter;
use crate::segments::{PublicIds, Segments, Span, spans};
use crate::{Error, PhaseName, cost, work_dir};
use format::{
    Disk, FileKind, Fingerprint, Manifest, RecordReader, RecordSpec, RecordWriter, Sealed,
};
use model::Record;
use sort::{Combine, MemoryBudget, SortSpec, Sorter};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// A run under way. Shared by the threads of a phase.
pub(crate) struct Engine<'a> {
    pub(crate) config: &'a Config,
    pub(crate) disk: Disk,
    pub(crate) budget: MemoryBudget,
    pub(crate) reporter: &'a Reporter,
    pub(crate) inputs: Inputs,
    pub(crate) manifest: Mutex<Manifest>,
    /// Runs a merge may hold open at once.
    pub(crate) fan_in_max: usize,
    /// Phases done and skipped so far.
    pub(crate) log: Mutex<Vec<output::PhaseRecord>>,
    /// When the run began: in words, by the clock, CPU milliseconds.
    pub(crate) started: (String, Instant, u64),
    /// Where the files of `cluster` are, if not among those of the run: made once, with other
    /// parameters.
    pub(crate) cluster_apart: Option<PathBuf>,
    /// The segments of the finished sketch phase, once somebody asked: there may be thousands.
    pub(crate) segments: Mutex<Option<Segments>>,
}

impl<'a> Engine<'a> {
    /// Over the files that a manifest names, with nothing to read but them.
    pub(crate) fn over(
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

    pub(crate) fn manifest(&self) -> MutexGuard<'_, Manifest> {
        self.manifest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Replaces the manifest on disk by the one in memory.
    pub(crate) fn store_manifest(&self) -> Result<(), Error> {
        let manifest = self.manifest();
        manifest
            .store(&self.disk, &self.config.work.dir)
            .map_err(|e| Error::from_format(None, e))
    }

    /// The directory of a phase's files.
    pub(crate) fn dir(&self, phase: PhaseName) -> PathBuf {
        match &self.cluster_apart {
            Some(dir) if phase == PhaseName::Cluster => dir.clone(),
            _ => self.config.work.dir.join(phase.name()),
        }
    }

    /// What stands for parameters and inputs of a phase in the headers of its files.
    pub(crate) fn fingerprint(&self, phase: PhaseName) -> Fingerprint {
        let manifest = self.manifest();
        let text = crate::parameters::of(phase, self.config)
            + &crate::parameters::inputs_of(phase, &manifest);
        crate::parameters::fingerprint(&text)
    }

    /// The segments of the sketch phase; while it runs, those that there are so far.
    pub(crate) fn segments(&self) -> Result<Segments, Error> {
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
    pub(crate) fn forget_segments(&self) {
        *self.segments.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Where the documents of each snapshot begin.
    pub(crate) fn spans(&self) -> Vec<Span> {
        spans(&self.manifest())
    }

    /// What documents are called outside.
    pub(crate) fn public_ids(&self) -> PublicIds {
        PublicIds::of(&self.manifest())
    }

    /// A sort in a phase's directory with so many bytes.
    pub(crate) fn sorter<R: Record, C: Combine<R>>(
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
    pub(crate) fn writer<R: Record>(
        &self,
        phase: PhaseName,
        name: &str,
        kind: FileKind,
    ) -> Result<RecordWriter<R>, Error> {
        let spec = RecordSpec::durable(self.dir(phase).join(name), kind, self.fingerprint(phase));
        RecordWriter::create_packed(&self.disk, spec).map_err(Error::work(phase))
    }

    /// An output of a finished phase, by its name.
    pub(crate) fn sealed(&self, phase: PhaseName, name: &str) -> Result<Sealed, Error> {
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
    pub(crate) fn reader<R: Record>(
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
pub(crate) struct Output<R> {
    pub(crate) reader: RecordReader<R>,
    phase: PhaseName,
}

impl<R: Record> Output<R> {
    /// Records that a phase wrote.
    pub(crate) fn of(reader: RecordReader<R>, phase: PhaseName) -> Output<R> {
        Output { reader, phase }
    }

    #[inline]
    pub(crate) fn next(&mut self) -> Result<Option<R>, Error> {
        self.reader.next().map_err(Error::work(self.phase))
    }

    pub(crate) fn next_slice(&mut self) -> Result<Option<&[R]>, Error> {
        self.reader.next_slice().map_err(Error::work(self.phase))
    }

    pub(crate) fn seek(&mut self, record: u64) -> Result<(), Error> {
        self.reader.seek(record).map_err(Error::work(self.phase))
    }
}
