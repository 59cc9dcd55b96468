//! The sets of shingles of many documents, to be compared pair by pair.
//!
//! *Input.* Sets, from several threads, in any order. *Output.* The overlap of two of them.
//! *Algorithm.* [`SetFeeder`] stores the sets in chunks, [`SetStore`] finds the set of a document
//! and compares those of pairs, chunk by chunk, [`SetOverlap`] merges two. Where many pairs are to
//! be compared, the sets are folded first: shingles that many of them hold become bits. *Memory.*
//! Four bytes a document, and the sets if they fit half of the free budget; otherwise two chunks a
//! thread, of 256 KiB at most, whatever the size of a set. *Disk.* Otherwise the sets: 8 bytes a
//! shingle, twice while they are folded.

mod chunk_layout;
mod frequent;
mod overlap;
mod pairwise;
mod set_reader;
mod set_store;

pub use overlap::{SetOverlap, ShingleSet};
pub use set_store::{CHUNK_SHINGLES, SetFeeder, SetStore, ThreadFeeder, UnfinishedSet};

use engine::Engine;
use format::{Durability, FileKind, FormatError, RecordReader, RecordSpec, RecordWriter};
use model::Record;
use runtime::PhaseName;
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
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn write<R: Record>(
        &self,
        name: &str,
        block_bytes: usize,
    ) -> Result<RecordWriter<R>, FormatError> {
        let spec = RecordSpec {
            path: self.dir.join(name),
            kind: FileKind::Run,
            fingerprint: [0; 16],
            block_bytes,
            durability: Durability::Scratch,
        };
        RecordWriter::create(&self.engine.disk, spec)
    }

    /// Opens a scratch file.
    ///
    /// # Errors
    /// When it is missing or damaged.
    pub fn read<R: Record>(&self, name: &str) -> Result<RecordReader<R>, FormatError> {
        RecordReader::open(&self.engine.disk, &self.dir.join(name), FileKind::Run)
    }

    /// Removes a scratch file if it is there.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub fn remove(&self, name: &str) -> Result<(), FormatError> {
        self.engine.disk.remove(&self.dir.join(name))
    }
}
