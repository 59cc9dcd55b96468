//! The scratch directory of a step, with what its files, cells and sorts are made of.
//!
//! *Input.* The engine, once. *Output.* Scratch files, cells and sorts under names of the step. An
//! algorithm that gets a [`ScratchDir`] knows neither the configuration nor the manifest. *Memory.*
//! Cells reserve theirs; a sort is told how many bytes it may take.

use crate::cells::SpillableCells;
use crate::{Engine, Error, PhaseName};
use format::{Disk, FormatError, ScratchFile, ScratchWriter};
use model::{Record, WordRecord};
use sort::{MemoryBudget, Prefixes, SortSpec, Stream, WordSorter};
use std::path::PathBuf;

/// Where a step spills, and with what.
#[derive(Clone)]
pub struct ScratchDir {
    /// The directory.
    pub dir: PathBuf,
    /// The memory of the run.
    pub budget: MemoryBudget,
    /// Documents of the run.
    pub documents: u32,
    disk: Disk,
    fan_in_max: usize,
}

impl Engine<'_> {
    /// The scratch directory of a phase after `sketch`.
    pub fn scratch(&self, phase: PhaseName) -> Result<ScratchDir, Error> {
        self.scratch_in(self.dir(phase))
    }

    /// A scratch directory of its own.
    pub fn scratch_in(&self, dir: PathBuf) -> Result<ScratchDir, Error> {
        Ok(ScratchDir {
            dir,
            budget: self.budget.clone(),
            documents: self.segments()?.documents(),
            disk: self.disk.clone(),
            fan_in_max: self.fan_in_max,
        })
    }
}

impl ScratchDir {
    /// A cell for each document, all 0, in memory or in a file `NAME.run-cells`.
    pub fn cells(&self, name: &str) -> Result<SpillableCells, FormatError> {
        self.cells_of(name, self.documents)
    }

    /// So many cells.
    pub fn cells_of(&self, name: &str, count: u32) -> Result<SpillableCells, FormatError> {
        let path = self.dir.join(format!("{name}.run-cells"));
        SpillableCells::create(&self.disk, &path, count as usize, &self.budget)
    }

    /// A sort of small records, which one thread pushes.
    pub fn sorter<R: WordRecord>(&self, name: &str, memory_bytes: usize) -> WordSorter<R> {
        WordSorter::new(self.sort_spec(name, memory_bytes))
    }

    /// A sort of any records.
    pub fn sort_spec(&self, name: &str, memory_bytes: usize) -> SortSpec {
        let (disk, dir) = (self.disk.clone(), self.dir.clone());
        SortSpec {
            fan_in_max: self.fan_in_max,
            threads: rayon::current_num_threads(),
            ..SortSpec::new(disk, dir, name.to_owned(), memory_bytes)
        }
    }

    /// A sort of small records that begin with a document.
    pub fn by_document<R: WordRecord>(&self, name: &str, memory_bytes: usize) -> WordSorter<R> {
        let sorter = self.sorter(name, memory_bytes);
        sorter.expecting(Prefixes::documents(self.documents))
    }

    /// Starts a file.
    pub fn file<R: Record>(&self, name: &str) -> Result<ScratchWriter<R>, FormatError> {
        ScratchWriter::create(&self.disk, self.dir.join(name))
    }

    /// Writes a stream to a file.
    pub fn store<S: Stream<Record: Record>>(
        &self,
        name: &str,
        mut stream: S,
    ) -> Result<ScratchFile<S::Record>, Error>
    where
        Error: From<S::Error>,
    {
        let mut writer = self.file(name)?;
        while let Some(record) = stream.next()? {
            writer.push(&record)?;
        }
        Ok(writer.finish()?)
    }
}
