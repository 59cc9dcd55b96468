//! The sorts and scratch files of the steps that decide which documents go.

use engine::Engine;
use engine::cells::SpillableCells;
use exact::Workplace;
use format::{BLOCK_BYTES, FileKind, RecordReader, RecordSpec, RecordWriter};
use model::{Record, WordRecord};
use runtime::{Error, PhaseName};
use sort::{Combine, Prefixes, SortSpec, Sorter, WordSorter};
use std::path::{Path, PathBuf};

/// The engine, and the directory in which the sorts of a call work.
pub struct Task<'a> {
    /// The run whose documents are decided on.
    pub engine: &'a Engine<'a>,
    /// Where sorts spill and scratch files lie.
    pub dir: PathBuf,
    /// Memory of one sort; at most three exist at a time.
    pub share_bytes: usize,
}

impl<'a> Task<'a> {
    /// Where documents are compared by all their shingles.
    pub fn workplace(&self) -> Workplace<'a> {
        Workplace {
            engine: self.engine,
            dir: self.dir.clone(),
            phase: PhaseName::Cluster,
        }
    }

    /// A sort of small records, which one thread pushes.
    pub fn sorter<R: WordRecord>(&self, name: &str, memory_bytes: usize) -> WordSorter<R> {
        WordSorter::new(self.spec(name, memory_bytes))
    }

    /// A sort of small records that begin with a document, which one thread pushes.
    pub fn by_document<R: WordRecord>(
        &self,
        name: &str,
        memory_bytes: usize,
    ) -> Result<WordSorter<R>, Error> {
        let documents = self.engine.segments()?.documents();
        let sorter = self.sorter(name, memory_bytes);
        Ok(sorter.expecting(Prefixes::documents(documents)))
    }

    /// A cell for each of so many numbers, all 0.
    pub fn cells(&self, name: &str, count: u32) -> Result<SpillableCells, Error> {
        let Engine { disk, budget, .. } = self.engine;
        let path = self.dir.join(name);
        Ok(SpillableCells::create(disk, &path, count as usize, budget)?)
    }

    /// A sort that combines records.
    pub fn combining<R: Record, C: Combine<R>>(
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
    pub fn read<R: Record>(&self, path: &Path) -> Result<RecordReader<R>, Error> {
        RecordReader::open(&self.engine.disk, path, FileKind::Run).map_err(Error::from)
    }

    /// Starts a scratch file of this call.
    pub fn write<R: Record>(&self, path: &Path) -> Result<RecordWriter<R>, Error> {
        let spec = RecordSpec::scratch(path.to_owned(), BLOCK_BYTES);
        RecordWriter::create(&self.engine.disk, spec).map_err(Error::from)
    }
}
