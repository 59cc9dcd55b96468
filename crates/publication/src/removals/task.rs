//! The sorts and scratch files of the steps that decide which documents go.

use engine::{Engine, Error, PhaseName, cells::SpillableCells};
use exact::Workplace;
use format::{ScratchFile, ScratchWriter};
use model::{Record, WordRecord};
use sort::{Prefixes, Stream, WordSorter};
use std::path::PathBuf;

/// The engine, and the directory in which the sorts of a call work.
pub struct RemovalTask<'a> {
    /// The run whose documents are decided on.
    pub engine: &'a Engine<'a>,
    /// Where sorts spill and scratch files lie.
    pub dir: PathBuf,
    /// Memory of one sort; at most three exist at a time.
    pub share_bytes: usize,
}

impl<'a> RemovalTask<'a> {
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
        let dir = self.dir.clone();
        WordSorter::new(self.engine.sort_spec(dir, name, memory_bytes))
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

    /// Starts a scratch file.
    pub fn scratch<R: Record>(&self, name: &str) -> Result<ScratchWriter<R>, Error> {
        let path = self.dir.join(format!("{name}.run-file"));
        ScratchWriter::create(&self.engine.disk, path).map_err(Error::from)
    }

    /// Writes a stream to a scratch file.
    pub fn store<S: Stream<Record: Record>>(
        &self,
        name: &str,
        mut stream: S,
    ) -> Result<ScratchFile<S::Record>, Error>
    where
        Error: From<S::Error>,
    {
        let mut writer = self.scratch(name)?;
        while let Some(record) = stream.next()? {
            writer.push(&record)?;
        }
        Ok(writer.finish()?)
    }
}
