//! The sorts and scratch files of a call.

use engine::Engine;
use engine::cells::SpillableCells;
use engine::work_dir::scratch_dir;
use format::{BLOCK_BYTES, Durability, FileKind, RecordReader, RecordSpec, RecordWriter};
use model::{Record, WordRecord};
use runtime::{Error, PhaseName};
use sets::Workplace;
use sort::{Combine, Prefixes, SortSpec, Sorter, WordSorter};
use std::path::{Path, PathBuf};

/// The engine, and the scratch directory in which the sorts of a call work.
pub(super) struct Task<'a> {
    pub(super) engine: &'a Engine<'a>,
    pub(super) dir: PathBuf,
    /// Memory of one sort; at most three exist at a time.
    pub(super) share_bytes: usize,
}

impl<'a> Task<'a> {
    /// Where documents are compared by all their shingles.
    pub(super) fn workplace(&self) -> Workplace<'a> {
        Workplace {
            engine: self.engine,
            dir: self.dir.clone(),
            phase: PhaseName::Cluster,
        }
    }

    pub(super) fn new(engine: &'a Engine<'a>, share_bytes: usize) -> Task<'a> {
        Task {
            engine,
            dir: scratch_dir(&engine.config.work.dir),
            share_bytes,
        }
    }

    /// A sort of small records, which one thread pushes.
    pub(super) fn sorter<R: WordRecord>(&self, name: &str, memory_bytes: usize) -> WordSorter<R> {
        WordSorter::new(self.spec(name, memory_bytes))
    }

    /// A sort of small records that begin with a document, which one thread pushes.
    pub(super) fn by_document<R: WordRecord>(
        &self,
        name: &str,
        memory_bytes: usize,
    ) -> Result<WordSorter<R>, Error> {
        let documents = self.engine.segments()?.documents();
        let sorter = self.sorter(name, memory_bytes);
        Ok(sorter.expecting(Prefixes::documents(documents)))
    }

    /// A cell for each of so many numbers, all 0.
    pub(super) fn cells(&self, name: &str, count: u32) -> Result<SpillableCells, Error> {
        let Engine { disk, budget, .. } = self.engine;
        let path = self.dir.join(name);
        Ok(SpillableCells::create(disk, &path, count as usize, budget)?)
    }

    pub(super) fn combining<R: Record, C: Combine<R>>(
        &self,
        name: &str,
        memory_bytes: usize,
        combine: C,
    ) -> Sorter<R, C> {
        Sorter::new(self.spec(name, memory_bytes), combine)
    }

    fn spec(&self, name: &str, memory_bytes: usize) -> SortSpec {
        self.engine.sort_spec(self.dir.clone(), name, memory_bytes)
    }

    /// Opens a scratch file of this call.
    pub(super) fn read<R: Record>(&self, path: &Path) -> Result<RecordReader<R>, Error> {
        RecordReader::open(&self.engine.disk, path, FileKind::Run).map_err(Error::from)
    }

    /// Starts a scratch file of this call.
    pub(super) fn write<R: Record>(&self, path: &Path) -> Result<RecordWriter<R>, Error> {
        let spec = RecordSpec {
            path: path.to_owned(),
            kind: FileKind::Run,
            fingerprint: [0; 16],
            block_bytes: BLOCK_BYTES,
            durability: Durability::Scratch,
        };
        RecordWriter::create(&self.engine.disk, spec).map_err(Error::from)
    }
}
