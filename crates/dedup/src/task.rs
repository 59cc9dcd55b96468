//! The sorts and scratch files of a call.

use engine::Engine;
use engine::work_dir::scratch_dir;
use format::{BLOCK_BYTES, Durability, FileKind, RecordReader, RecordSpec, RecordWriter};
use model::Record;
use runtime::Error;
use sort::{Combine, Keep, SortSpec, Sorter};
use std::path::{Path, PathBuf};

/// The engine, and the scratch directory in which the sorts of a call work.
pub(super) struct Task<'a> {
    pub(super) engine: &'a Engine<'a>,
    pub(super) dir: PathBuf,
    /// Memory of one sort; at most three exist at a time.
    pub(super) share_bytes: usize,
}

impl<'a> Task<'a> {
    pub(super) fn new(engine: &'a Engine<'a>, share_bytes: usize) -> Task<'a> {
        Task {
            engine,
            dir: scratch_dir(&engine.config.work.dir),
            share_bytes,
        }
    }

    pub(super) fn sorter<R: Record>(&self, name: &str, memory_bytes: usize) -> Sorter<R, Keep> {
        self.combining(name, memory_bytes, Keep)
    }

    pub(super) fn combining<R: Record, C: Combine<R>>(
        &self,
        name: &str,
        memory_bytes: usize,
        combine: C,
    ) -> Sorter<R, C> {
        let (disk, dir) = (self.engine.disk.clone(), self.dir.clone());
        let spec = SortSpec {
            fan_in_max: self.engine.fan_in_max,
            threads: rayon::current_num_threads(),
            ..SortSpec::new(disk, dir, name.to_owned(), memory_bytes)
        };
        Sorter::new(spec, combine)
    }

    /// Opens a scratch file of this call.
    pub(super) fn read<R: Record>(&self, path: &Path) -> Result<RecordReader<R>, Error> {
        RecordReader::open(&self.engine.disk, path, FileKind::Run).map_err(outside)
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
        RecordWriter::create(&self.engine.disk, spec).map_err(outside)
    }
}

/// The error of a file that belongs to no phase.
pub(super) fn outside(error: format::FormatError) -> Error {
    Error::from_format(None, error)
}
