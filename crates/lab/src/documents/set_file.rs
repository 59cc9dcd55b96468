//! Sets of shingles on disk, read block by block.
//!
//! *Input.* Sets of fingerprints, one after the other. *Output.* [`Block`]s of them, from any
//! [`Place`]. *Memory.* That of a block is reserved: [`SHINGLE_BYTES`] a shingle, for the set and
//! the lists of the documents that have it, and [`DOCUMENT_BYTES`] a document, for its sketches.
//! *Disk.* 8 bytes a shingle, in the temporary directory, in a file without a name: it is gone
//! however the program ends.

use crate::program::{Scratch, failed};
use engine::Error;
use sort::{MemoryBudget, Reservation};
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

/// Bytes of a shingle in its set and its list, and of the sketches of a document.
const SHINGLE_BYTES: usize = 64;
const DOCUMENT_BYTES: usize = 28 << 10;

/// Sets that are written, and later read.
pub(super) struct SetFile {
    file: BufWriter<File>,
    /// The name that the file had, for messages.
    path: PathBuf,
    sets: usize,
}

/// Where a block begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    set: usize,
    byte: u64,
}

/// Sets that follow each other.
pub(super) struct Block {
    /// The number of its first set.
    pub(super) first: usize,
    pub(super) sets: Vec<Vec<u64>>,
    /// Behind it.
    pub(super) end: Place,
    memory: Vec<Reservation>,
}

impl SetFile {
    pub(super) fn create() -> Result<SetFile, Error> {
        let scratch = Scratch::new()?;
        let path = scratch.path("sets");
        let file = File::options()
            .read(true)
            .write(true)
            .create_new(true)
            .open(&path)
            .map_err(failed("make", &path))?;
        Ok(SetFile {
            file: BufWriter::new(file),
            path,
            sets: 0,
        })
    }

    /// Sets written.
    pub(super) fn len(&self) -> usize {
        self.sets
    }

    pub(super) fn push(&mut self, set: &[u64]) -> Result<(), Error> {
        let numbers = std::iter::once(set.len() as u64).chain(set.iter().copied());
        numbers
            .map(u64::to_le_bytes)
            .try_for_each(|number| self.file.write_all(&number))
            .map_err(failed("write", &self.path))?;
        self.sets += 1;
        Ok(())
    }

    /// Writes the rest of the sets, so that blocks can be read.
    pub(super) fn finish(&mut self) -> Result<(), Error> {
        self.file.flush().map_err(failed("write", &self.path))
    }

    /// The sets from a place on that fit so many bytes, at least one; `None` behind the last.
    ///
    /// # Errors
    /// When the file cannot be read, or one set does not fit the memory.
    pub(super) fn block(
        &mut self,
        from: Place,
        budget: &MemoryBudget,
        bytes: usize,
    ) -> Result<Option<Block>, Error> {
        if from.set == self.sets {
            return Ok(None);
        }
        let unread = || failed("read", &self.path);
        self.file
            .seek(SeekFrom::Start(from.byte))
            .map_err(unread())?;
        let mut reader = BufReader::new(self.file.get_ref());
        let mut block = Block {
            first: from.set,
            sets: Vec::new(),
            end: from,
            memory: Vec::new(),
        };
        let mut taken = 0;
        while block.end.set < self.sets {
            let length = number(&mut reader).map_err(unread())? as usize;
            let needed = DOCUMENT_BYTES + SHINGLE_BYTES * length;
            if !block.sets.is_empty() && taken + needed > bytes {
                break;
            }
            taken += needed;
            let memory = budget.reserve("the shingles of some documents", needed)?;
            block.memory.push(memory);
            let set = (0..length).map(|_| number(&mut reader));
            let set = set.collect::<io::Result<Vec<u64>>>().map_err(unread())?;
            block.sets.push(set);
            block.end.set += 1;
            block.end.byte += 8 * (1 + length as u64);
        }
        Ok(Some(block))
    }
}

fn number(reader: &mut impl Read) -> io::Result<u64> {
    let mut bytes = [0; 8];
    reader.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}
