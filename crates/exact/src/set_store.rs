//! The sets of shingles of many documents, to be looked up in any order.
//!
//! *Input.* Sets, from several threads, in any order; a large set in pieces, the highest first.
//! *Output.* The set of a document. *Algorithm.* A set is a list of chunks of up to
//! [`CHUNK_SHINGLES`]. Each chunk begins at a multiple of [`UNIT_WORDS`] and says where the next
//! higher one begins. A cell for each document says where its lowest chunk begins. *Memory.* The
//! cells, and the sets if they fit their share. *Disk.* Otherwise the sets, in small blocks: a
//! lookup reads the blocks of one chunk. The share then holds two chunks of each reader, which
//! bounds the number of readers. *Limits.* 2^32 units of 128 bytes.

use crate::Workplace;
use crate::chunk_layout::{ChunkHeader, HEADER_WORDS, SetWord, UNIT_WORDS};
use crate::frequent::FrequentShingles;
use crate::memory;
use crate::overlap::ShingleSet;
use crate::set_reader::SetReader;
use engine::{Error, cells::SpillableCells};
use format::{FormatError, RecordWriter};
use model::Cells;
use model::Unpoisoned;
use sort::Reservation;
use std::sync::{Mutex, MutexGuard};

/// Shingles of the longest chunk: 256 KiB.
pub const CHUNK_SHINGLES: usize = 1 << 15;

/// Bytes of a block on disk.
const BLOCK_BYTES: usize = 4 << 10;

/// The scratch files: of the sets as they come, and of folded ones.
const FILES: [&str; 2] = ["sets.run-0", "sets.run-1"];

/// The words of all sets.
enum StoredWords {
    Memory(Vec<u64>),
    Disk(Box<RecordWriter<SetWord>>),
}

/// Sets that are being stored.
struct Storing {
    cells: SpillableCells,
    words: StoredWords,
    /// The scratch file, when there is one.
    file: &'static str,
    /// Words so far.
    count: u64,
    /// Words of the largest chunk.
    largest: u64,
    memory: Reservation,
}

impl Storing {
    fn new(cells: SpillableCells, file: &'static str, memory: Reservation) -> Storing {
        Storing {
            cells,
            words: StoredWords::Memory(Vec::new()),
            file,
            count: 0,
            largest: 0,
            memory,
        }
    }

    /// All sets came.
    fn finish<'a>(self, place: Workplace<'a>) -> Result<SetStore<'a>, FormatError> {
        let words = match self.words {
            StoredWords::Memory(words) => Some(words),
            StoredWords::Disk(writer) => {
                writer.finish()?;
                None
            }
        };
        Ok(SetStore {
            place,
            cells: self.cells,
            words,
            file: self.file,
            largest: self.largest,
            memory: self.memory,
            frequent: None,
        })
    }
}

/// Takes sets of shingles from all threads.
pub struct SetFeeder<'a> {
    place: Workplace<'a>,
    chunk_shingles: usize,
    storing: Mutex<Storing>,
}

impl<'a> SetFeeder<'a> {
    /// Reserves the cells of all documents of the run, and half of the free memory for sets.
    pub fn of_run(place: &Workplace<'a>) -> Result<SetFeeder<'a>, Error> {
        SetFeeder::new(place, place.engine.segments()?.documents())
    }

    /// Reserves so many cells, and half of the free memory for sets.
    pub fn new(place: &Workplace<'a>, documents: u32) -> Result<SetFeeder<'a>, Error> {
        let (engine, documents) = (place.engine, documents as usize);
        let path = place.dir.join("sets.run-cells");
        let cells = SpillableCells::create(&engine.disk, &path, documents, &engine.budget)?;
        let memory = engine.budget.take(memory::SETS);
        Ok(SetFeeder {
            place: place.clone(),
            chunk_shingles: CHUNK_SHINGLES,
            storing: Mutex::new(Storing::new(cells, FILES[0], memory)),
        })
    }

    /// A way in for one thread.
    pub fn thread(&self) -> ThreadFeeder<'_> {
        ThreadFeeder(self)
    }

    fn lock(&self) -> MutexGuard<'_, Storing> {
        self.storing.lock().unpoisoned()
    }

    /// All sets came.
    pub fn finish(self) -> Result<SetStore<'a>, Error> {
        let storing = self.storing.into_inner();
        let storing = storing.unpoisoned();
        storing.finish(self.place).map_err(Error::from)
    }
}

/// Takes the sets of one thread.
pub struct ThreadFeeder<'a>(&'a SetFeeder<'a>);

/// A set of which some pieces are stored.
pub struct UnfinishedSet {
    doc: u32,
    level: u8,
    /// The cell of the chunk that was stored last; 0 if there is none.
    cell: u32,
    /// It is not stored: all units are used, or the document has a set already.
    is_left_out: bool,
}

impl ThreadFeeder<'_> {
    /// Stores shingles of a document, sorted and distinct, and their sampling level: 0 for all. Of
    /// two sets of a document the first is kept; they are equal.
    pub fn push(&mut self, doc: u32, level: u8, shingles: &[u64]) -> Result<(), FormatError> {
        let mut set = self.begin(doc, level)?;
        self.push_last_piece(&mut set, shingles)
    }

    /// Begins a set that comes in pieces.
    pub fn begin(&mut self, doc: u32, level: u8) -> Result<UnfinishedSet, FormatError> {
        Ok(UnfinishedSet {
            doc,
            level,
            cell: 0,
            is_left_out: self.0.lock().cells.get(doc)? != 0,
        })
    }

    /// Stores a piece of a set, sorted and distinct, but not its last one. All of it is below the
    /// pieces before.
    pub fn push_piece(
        &mut self,
        set: &mut UnfinishedSet,
        shingles: &[u64],
    ) -> Result<(), FormatError> {
        // The highest chunk first: the lower one says where it is.
        for chunk in shingles.rchunks(self.0.chunk_shingles) {
            self.push_chunk(set, chunk)?;
        }
        Ok(())
    }

    /// Stores the last piece of a set, which may be empty. The set is complete.
    pub fn push_last_piece(
        &mut self,
        set: &mut UnfinishedSet,
        shingles: &[u64],
    ) -> Result<(), FormatError> {
        let (lowest, higher) = shingles.split_at(shingles.len().min(self.0.chunk_shingles));
        self.push_piece(set, higher)?;
        self.push_chunk(set, lowest)?;
        let mut storing = self.0.lock();
        if !set.is_left_out && storing.cells.get(set.doc)? == 0 {
            storing.cells.set(set.doc, set.cell)?;
        }
        Ok(())
    }

    fn push_chunk(&mut self, set: &mut UnfinishedSet, shingles: &[u64]) -> Result<(), FormatError> {
        if !set.is_left_out {
            let chunk = ShingleSet {
                level: set.level,
                frequent: &[],
                shingles,
            };
            let mut storing = self.0.lock();
            match storing.push(&self.0.place, (set.doc, chunk), set.cell)? {
                Some(cell) => set.cell = cell,
                None => set.is_left_out = true,
            }
        }
        Ok(())
    }
}

impl Storing {
    /// Stores a chunk of a document and gives its cell, if there is one left. `next` is the cell of
    /// the chunk above it, or 0.
    pub(crate) fn push(
        &mut self,
        place: &Workplace<'_>,
        (doc, set): (u32, ShingleSet<'_>),
        next: u32,
    ) -> Result<Option<u32>, FormatError> {
        let header = ChunkHeader {
            doc,
            shingles: set.shingles.len(),
            next,
            level: set.level,
            is_folded: !set.frequent.is_empty(),
        };
        let unit = UNIT_WORDS as u64;
        let Ok(cell) = u32::try_from(self.count / unit + 1) else {
            return Ok(None);
        };
        let words = header.chunk_words();
        self.make_room(place, words)?;
        let length = HEADER_WORDS + set.frequent.len() + set.shingles.len();
        let header = header.words();
        let rest = &[0; UNIT_WORDS][..words - length];
        let parts = [&header, set.frequent, set.shingles, rest];
        match &mut self.words {
            StoredWords::Memory(words) => parts.iter().for_each(|part| words.extend(*part)),
            StoredWords::Disk(writer) => {
                for word in parts.into_iter().flatten() {
                    writer.push(&SetWord { word: *word })?;
                }
            }
        }
        self.count += words as u64;
        self.largest = self.largest.max(words as u64);
        Ok(Some(cell))
    }

    /// Moves the sets to disk if `more` words do not fit the memory.
    fn make_room(&mut self, place: &Workplace<'_>, more: usize) -> Result<(), FormatError> {
        let StoredWords::Memory(words) = &mut self.words else {
            return Ok(());
        };
        let fitting = self.memory.bytes() / 8;
        let wanted = words.len().saturating_add(more);
        if wanted > fitting {
            let mut writer = place.write::<SetWord>(self.file, BLOCK_BYTES)?;
            let all = std::mem::take(words);
            all.into_iter()
                .try_for_each(|word| writer.push(&SetWord { word }))?;
            self.words = StoredWords::Disk(Box::new(writer));
        } else if wanted > words.capacity() {
            // While a vector is copied to twice its size, both take three times the old size. From
            // a third of the share on, it gets the whole share at once.
            let grown = (2 * words.capacity()).clamp(wanted, fitting.max(wanted));
            if grown > fitting / 3 {
                words.reserve_exact(fitting - words.len());
            } else {
                words.reserve_exact(grown - words.len());
            }
        }
        Ok(())
    }
}

/// Stored sets.
pub struct SetStore<'a> {
    pub(crate) place: Workplace<'a>,
    cells: SpillableCells,
    /// The words of all sets, if they are in memory.
    words: Option<Vec<u64>>,
    /// The scratch file, if they are not.
    file: &'static str,
    /// Words of the largest chunk.
    largest: u64,
    memory: Reservation,
    /// The frequent shingles that sets were folded with, and the memory for it.
    frequent: Option<(FrequentShingles, Reservation)>,
}

impl SetStore<'_> {
    /// Where the set of a document begins; 0 if it has none.
    pub fn cell(&mut self, doc: u32) -> Result<u32, Error> {
        let cell = self.cells.get(doc);
        cell.map_err(Error::from)
    }

    /// Readers whose chunks fit the memory; at least one.
    pub(crate) fn readers_max(&self) -> usize {
        if self.words.is_some() {
            return usize::MAX;
        }
        let bytes_each = 2 * 8 * self.largest.max(1);
        let fitting = self.memory.bytes() as u64 / bytes_each;
        usize::try_from(fitting).unwrap_or(usize::MAX).max(1)
    }

    /// A reader for one thread; it has two chunks at a time.
    pub(crate) fn reader(&self) -> Result<SetReader<'_>, FormatError> {
        let frequent = self.frequent.as_ref().map(|(frequent, _)| frequent);
        Ok(match &self.words {
            Some(words) => SetReader::new(words, None, frequent),
            None => {
                let file = self.place.read::<SetWord>(self.file)?.for_lookups();
                SetReader::new(&[], Some(file), frequent)
            }
        })
    }

    /// Removes the scratch file.
    pub fn remove(self) -> Result<(), Error> {
        self.place.remove(self.file).map_err(Error::from)
    }
}

mod folding;
#[cfg(test)]
mod tests;
