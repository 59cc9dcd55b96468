//! The sets of shingles of many documents, to be looked up in any order.
//!
//! *Input.* Sets, from several threads, in any order. *Output.* The set of a document. *Algorithm.*
//! Sets lie one after the other, each at a multiple of [`UNIT_WORDS`]. A cell for each document
//! says where its set begins. *Memory.* The cells, and the sets if they fit their share. *Disk.*
//! Otherwise the sets, in small blocks: a lookup reads the blocks of one set. The share then holds
//! the two sets of each reader, which bounds the number of readers. *Limits.* 2^32 units
//! of 128 bytes.

use crate::Workplace;
use crate::common::{CommonLookup, CommonShingles};
use crate::overlap::ShingleSet;
use cluster::Cells;
use engine::cells::SpillableCells;
use format::{FormatError, RecordReader, RecordWriter};
use model::record;
use runtime::Error;
use sort::Reservation;
use std::sync::{Mutex, PoisonError};

/// A set begins at a multiple of so many words of eight bytes.
const UNIT_WORDS: u64 = 16;

/// A set begins with the lengths of its two lists and its level.
const HEADER_WORDS: u64 = 2;

/// Bytes of a block on disk.
const BLOCK_BYTES: usize = 4 << 10;

/// The scratch file.
const FILE: &str = "sets.run-0";

/// A word of a set on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct SetWord {
    word: u64,
}

record! { SetWord { word } }

/// The words of all sets.
enum StoredWords {
    Memory(Vec<u64>),
    Disk(Box<RecordWriter<SetWord>>),
}

/// Sets that are being stored.
struct Storing {
    cells: SpillableCells,
    words: StoredWords,
    /// Words so far.
    count: u64,
    /// Words of the largest set.
    largest: u64,
    memory: Reservation,
}

/// Looks at sets while they are stored, on all threads.
pub trait SetObserver: Sync {
    /// Looks at the set of a document, sorted; maybe twice.
    ///
    /// # Errors
    /// When the disk reports an error.
    fn see(&self, doc: u32, shingles: &[u64]) -> Result<(), FormatError>;
}

/// Takes sets of shingles from all threads.
pub struct SetFeeder<'a> {
    place: Workplace<'a>,
    common: &'a CommonShingles,
    observer: Option<&'a dyn SetObserver>,
    storing: Mutex<Storing>,
}

impl<'a> SetFeeder<'a> {
    /// Reserves the cells, and half of the free memory for sets.
    ///
    /// # Errors
    /// When the scratch file of the cells cannot be made.
    pub fn new(
        place: &Workplace<'a>,
        documents: u32,
        common: &'a CommonShingles,
    ) -> Result<SetFeeder<'a>, Error> {
        let (engine, documents) = (place.engine, documents as usize);
        let path = place.dir.join("sets.run-cells");
        let cells = SpillableCells::create(&engine.disk, &path, documents, &engine.budget)
            .map_err(Error::work(place.phase))?;
        let memory = engine.budget.reserve_share(1, 2);
        Ok(SetFeeder {
            place: place.clone(),
            common,
            observer: None,
            storing: Mutex::new(Storing {
                cells,
                words: StoredWords::Memory(Vec::new()),
                count: 0,
                largest: 0,
                memory,
            }),
        })
    }

    /// Shows the sets to an observer.
    #[must_use]
    pub fn observed_by(self, observer: Option<&'a dyn SetObserver>) -> SetFeeder<'a> {
        SetFeeder { observer, ..self }
    }

    /// A way in for one thread.
    ///
    /// # Errors
    /// When the list of common shingles cannot be opened.
    pub fn thread(&self) -> Result<ThreadFeeder<'_>, FormatError> {
        Ok(ThreadFeeder {
            feeder: self,
            common: self.common.lookup(self.place.engine)?,
        })
    }

    /// All sets came.
    ///
    /// # Errors
    /// When the scratch file cannot be written.
    pub fn finish(self) -> Result<SetStore<'a>, Error> {
        let storing = self.storing.into_inner();
        let Storing {
            cells,
            words,
            largest,
            memory,
            ..
        } = storing.unwrap_or_else(PoisonError::into_inner);
        let words = match words {
            StoredWords::Memory(words) => Some(words),
            StoredWords::Disk(writer) => {
                writer.finish().map_err(Error::work(self.place.phase))?;
                None
            }
        };
        Ok(SetStore {
            place: self.place,
            cells,
            words,
            largest,
            memory,
        })
    }
}

/// Takes the sets of one thread.
pub struct ThreadFeeder<'a> {
    feeder: &'a SetFeeder<'a>,
    common: CommonLookup<'a>,
}

impl ThreadFeeder<'_> {
    /// Stores shingles of a document, sorted and distinct, and their sampling level: 0 for all. Of
    /// two sets of a document the first is kept; they are equal.
    ///
    /// # Errors
    /// When the disk reports an error.
    pub fn push(&mut self, doc: u32, level: u8, shingles: &[u64]) -> Result<(), FormatError> {
        if let Some(observer) = self.feeder.observer {
            observer.see(doc, shingles)?;
        }
        let set = self.common.divide(level, shingles)?;
        let mut storing = self
            .feeder
            .storing
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        storing.push(&self.feeder.place, doc, set)
    }
}

impl Storing {
    fn push(
        &mut self,
        place: &Workplace<'_>,
        doc: u32,
        set: ShingleSet<'_>,
    ) -> Result<(), FormatError> {
        if self.cells.get(doc)? != 0 {
            return Ok(());
        }
        let length = HEADER_WORDS + set.content.len() as u64 + set.common.len() as u64;
        let padded = length.next_multiple_of(UNIT_WORDS);
        let Ok(cell) = u32::try_from(self.count / UNIT_WORDS + 1) else {
            return Ok(());
        };
        self.make_room(place, padded)?;
        self.cells.set(doc, cell)?;
        let lengths = (set.content.len() as u64) << 32 | set.common.len() as u64;
        let header = [lengths, u64::from(set.level)];
        let padding = [0; UNIT_WORDS as usize];
        let rest = &padding[..(padded - length) as usize];
        let parts = [&header, set.content, set.common, rest];
        match &mut self.words {
            StoredWords::Memory(words) => parts.iter().for_each(|part| words.extend(*part)),
            StoredWords::Disk(writer) => {
                for word in parts.into_iter().flatten() {
                    writer.push(&SetWord { word: *word })?;
                }
            }
        }
        self.count += padded;
        self.largest = self.largest.max(padded);
        Ok(())
    }

    /// Moves the sets to disk if `more` words do not fit the memory.
    fn make_room(&mut self, place: &Workplace<'_>, more: u64) -> Result<(), FormatError> {
        let StoredWords::Memory(words) = &mut self.words else {
            return Ok(());
        };
        let fitting = self.memory.bytes() / 8;
        let wanted = words.len().saturating_add(more as usize);
        if wanted > fitting {
            let mut writer = place.write::<SetWord>(FILE, BLOCK_BYTES)?;
            let all = std::mem::take(words);
            all.into_iter()
                .try_for_each(|word| writer.push(&SetWord { word }))?;
            self.words = StoredWords::Disk(Box::new(writer));
        } else if wanted > words.capacity() {
            // A vector that doubles would for a moment take three times its size.
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
    /// Words of the largest set.
    largest: u64,
    memory: Reservation,
}

impl SetStore<'_> {
    /// Where the set of a document begins; 0 if it has none.
    ///
    /// # Errors
    /// When a cell cannot be read.
    pub fn cell(&mut self, doc: u32) -> Result<u32, Error> {
        let cell = self.cells.get(doc);
        cell.map_err(Error::work(self.place.phase))
    }

    /// Readers whose sets fit the memory; at least one.
    pub(crate) fn readers_max(&self) -> usize {
        if self.words.is_some() {
            return usize::MAX;
        }
        let bytes_each = 2 * 8 * self.largest.max(1);
        let fitting = self.memory.bytes() as u64 / bytes_each;
        usize::try_from(fitting).unwrap_or(usize::MAX).max(1)
    }

    /// A reader for one thread; it has two sets at a time.
    ///
    /// # Errors
    /// When the scratch file cannot be opened.
    pub fn reader(&self) -> Result<SetReader<'_>, FormatError> {
        let file = match &self.words {
            Some(_) => None,
            None => Some(self.place.read::<SetWord>(FILE)?.for_lookups()),
        };
        Ok(SetReader {
            words: self.words.as_deref().unwrap_or_default(),
            file,
            sets: [const { Vec::new() }; 2],
            starts: [None; 2],
        })
    }

    /// Removes the scratch file.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub fn remove(self) -> Result<(), Error> {
        self.place
            .remove(FILE)
            .map_err(Error::work(self.place.phase))
    }
}

/// Reads sets, for one thread.
pub struct SetReader<'a> {
    words: &'a [u64],
    file: Option<RecordReader<SetWord>>,
    /// The two sets that were read last, with their headers, and where they begin.
    sets: [Vec<u64>; 2],
    starts: [Option<u64>; 2],
}

impl SetReader<'_> {
    /// The two sets that begin at these cells, which are not 0.
    ///
    /// # Errors
    /// When the scratch file is damaged or cannot be read.
    pub fn pair(&mut self, cells: [u32; 2]) -> Result<[ShingleSet<'_>; 2], FormatError> {
        let starts = cells.map(|cell| (u64::from(cell) - 1) * UNIT_WORDS);
        if let Some(file) = &mut self.file {
            // Pairs in order have the same first document many times.
            let known = self.sets.iter_mut().zip(&mut self.starts);
            for ((set, known), start) in known.zip(starts) {
                if *known != Some(start) {
                    *known = None;
                    read_set(file, start, set)?;
                    *known = Some(start);
                }
            }
            let [a, b] = &self.sets;
            return Ok([set_of(a), set_of(b)]);
        }
        Ok(starts.map(|start| set_of(self.words.get(start as usize..).unwrap_or_default())))
    }
}

/// How many shingles of each kind follow a header.
fn lengths(header: u64) -> [usize; 2] {
    [(header >> 32) as usize, header as u32 as usize]
}

/// The set that begins at these words.
fn set_of(words: &[u64]) -> ShingleSet<'_> {
    let Some((&[header, level], words)) = words.split_first_chunk::<2>() else {
        return ShingleSet::default();
    };
    let [content, common] = lengths(header);
    let list = |from: usize, length: usize| words.get(from..from + length).unwrap_or_default();
    ShingleSet {
        level: level as u8,
        content: list(0, content),
        common: list(content, common),
    }
}

/// Reads the words of a set.
fn read_set(
    file: &mut RecordReader<SetWord>,
    start: u64,
    set: &mut Vec<u64>,
) -> Result<(), FormatError> {
    set.clear();
    file.seek(start)?;
    let mut wanted = HEADER_WORDS as usize;
    while set.len() < wanted {
        let Some(words) = file.next_slice()? else {
            break;
        };
        if let (true, Some(header)) = (set.is_empty(), words.first()) {
            wanted += lengths(header.word).iter().sum::<usize>();
            set.reserve_exact(wanted);
        }
        let missing = words.len().min(wanted - set.len());
        set.extend(words[..missing].iter().map(|word| word.word));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
