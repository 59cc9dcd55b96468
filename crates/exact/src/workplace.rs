//! The scratch files of a step.

use engine::{Engine, PhaseName};
use format::{FileKind, FormatError, RecordReader, RecordSpec, RecordWriter};
use model::Record;
use std::path::PathBuf;

/// A run, and where a step of it has its scratch files.
#[derive(Clone)]
pub struct Workplace<'a> {
    /// The run.
    pub engine: &'a Engine<'a>,
    /// The directory of the scratch files.
    pub dir: PathBuf,
    /// The phase, for errors and progress.
    pub phase: PhaseName,
}

impl<'a> Workplace<'a> {
    /// The directory of a phase.
    pub fn of(engine: &'a Engine<'a>, phase: PhaseName) -> Workplace<'a> {
        Workplace {
            engine,
            dir: engine.dir(phase),
            phase,
        }
    }

    /// Starts a scratch file with blocks of so many bytes.
    pub fn write<R: Record>(
        &self,
        name: &str,
        block_bytes: usize,
    ) -> Result<RecordWriter<R>, FormatError> {
        let spec = RecordSpec::scratch(self.dir.join(name), block_bytes);
        RecordWriter::create(&self.engine.disk, spec)
    }

    /// Opens a scratch file.
    pub fn read<R: Record>(&self, name: &str) -> Result<RecordReader<R>, FormatError> {
        RecordReader::open(&self.engine.disk, &self.dir.join(name), FileKind::Run)
    }

    /// Removes a scratch file if it is there.
    pub fn remove(&self, name: &str) -> Result<(), FormatError> {
        self.engine.disk.remove(&self.dir.join(name))
    }
}
