//! Lists of documents that did not fit memory: parted on disk by their hash, so that equal ones come together.
//!
//! A part is a scratch file of 32-bit words, ⟨count, length, documents⟩ list after list. Its lists are counted in a table
//! that is emptied whenever it is full: then a list may make its pairs twice, with parts of its count, which add up to the
//! same. *Memory.* Half of its share for the blocks of the writers, half for what threads hold back for each part.

use super::PHASE;
use super::groups::BATCH_LISTS;
use crate::Error;
use crate::engine::Engine;
use format::{Disk, Durability, FileKind, RecordReader, RecordSpec, RecordWriter};
use model::PairCount;
use pairs::{EqualLists, Lists, list_hash, pairs_of, put_list};
use sort::{Feeder, SumShared};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// Parts at most.
const PARTS_MAX: usize = 64;

/// A part is worth a file from so many bytes of buffers on. Tests have tiny budgets and are to come this way too.
const PART_BYTES_MIN: usize = if cfg!(test) { 64 } else { 32 << 10 };

/// A word of a list.
type Word = u32;

/// The files of all parts.
pub(super) struct Parts {
    disk: Disk,
    paths: Vec<PathBuf>,
    /// Writers of the parts, made when the first list comes.
    writers: Vec<Mutex<Option<RecordWriter<Word>>>>,
    block_bytes: usize,
    outbox_words: usize,
}

impl Parts {
    /// As many parts as the share allows; none if it is too small for that to pay.
    pub(super) fn within(engine: &Engine<'_>, share: usize) -> Option<Parts> {
        let count = (share / PART_BYTES_MIN).min(PARTS_MAX).min(engine.fan_in_max);
        if count < 2 {
            return None;
        }
        let each = share / count / 2;
        let path = |part: usize| engine.dir(PHASE).join(format!("lists.run-part-{part:02}"));
        Some(Parts {
            disk: engine.disk.clone(),
            paths: (0..count).map(path).collect(),
            writers: (0..count).map(|_| Mutex::new(None)).collect(),
            block_bytes: each.min(format::BLOCK_BYTES),
            outbox_words: each / size_of::<Word>() / rayon::current_num_threads(),
        })
    }

    /// One thread's way into the parts.
    pub(super) fn outbox(&self) -> Outbox<'_> {
        Outbox { parts: self, held: vec![Vec::new(); self.paths.len()] }
    }

    fn write(&self, part: usize, words: &[u32]) -> Result<(), Error> {
        let failed = Error::work(PHASE);
        let mut writer = self.writers[part].lock().unwrap_or_else(PoisonError::into_inner);
        if writer.is_none() {
            let spec = RecordSpec {
                path: self.paths[part].clone(),
                kind: FileKind::Run,
                fingerprint: [0; 16],
                block_bytes: self.block_bytes,
                durability: Durability::Scratch,
            };
            *writer = Some(RecordWriter::create(&self.disk, spec).map_err(failed)?);
        }
        let Some(writer) = writer.as_mut() else { return Ok(()) };
        writer.push_all(words).map_err(failed)
    }

    /// Ends the writing of all parts.
    pub(super) fn seal(&self) -> Result<(), Error> {
        for writer in &self.writers {
            let writer = writer.lock().unwrap_or_else(PoisonError::into_inner).take();
            writer.map(RecordWriter::finish).transpose().map_err(Error::work(PHASE))?;
        }
        Ok(())
    }

    /// Counts the lists of a part, makes their pairs and removes its file; false if there is no such part.
    pub(super) fn count(
        &self,
        part: usize,
        table: &mut EqualLists,
        pairs: &mut Feeder<'_, PairCount, SumShared>,
    ) -> Result<bool, Error> {
        let failed = Error::work(PHASE);
        let Some(path) = self.paths.get(part) else { return Ok(false) };
        if self.disk.size(path).is_none() {
            return Ok(true);
        }
        let mut reader = RecordReader::<Word>::open(&self.disk, path, FileKind::Run).map_err(failed)?;
        // The end of a list may lie in the next block.
        let mut words: Vec<Word> = Vec::new();
        while let Some(block) = reader.next_slice().map_err(failed)? {
            words.extend_from_slice(block);
            let left = count_lists(&words, table, pairs)?.len();
            words.drain(..words.len() - left);
        }
        make_pairs(table, pairs)?;
        drop(reader);
        self.disk.remove(path).map_err(failed)?;
        Ok(true)
    }
}

/// Counts whole lists; gives the words that are left.
fn count_lists<'w>(
    words: &'w [Word],
    table: &mut EqualLists,
    pairs: &mut Feeder<'_, PairCount, SumShared>,
) -> Result<&'w [u32], Error> {
    let mut lists = Lists(words);
    let mut batch: [(&[u32], u32); BATCH_LISTS] = [(&[], 0); BATCH_LISTS];
    let mut hashes = [0; BATCH_LISTS];
    loop {
        let mut filled = 0;
        for (slot, list) in batch.iter_mut().zip(&mut lists) {
            *slot = list;
            hashes[filled] = list_hash(list.0);
            filled += 1;
        }
        table.bring_near(&hashes[..filled]);
        for (&(docs, count), &hash) in batch.iter().zip(&hashes[..filled]) {
            if !table.add(docs, hash, count) {
                make_pairs(table, pairs)?;
                if !table.add(docs, hash, count) {
                    pairs_of(docs, count, |pair| pairs.push(pair)).map_err(Error::work(PHASE))?;
                }
            }
        }
        if filled < BATCH_LISTS {
            return Ok(lists.0);
        }
    }
}

/// Makes the pairs of all lists of a table and empties it.
pub(super) fn make_pairs(table: &mut EqualLists, pairs: &mut Feeder<'_, PairCount, SumShared>) -> Result<(), Error> {
    for (docs, count) in table.lists() {
        pairs_of(docs, count, |pair| pairs.push(pair)).map_err(Error::work(PHASE))?;
    }
    table.clear();
    Ok(())
}

impl Drop for Parts {
    fn drop(&mut self) {
        for (writer, path) in self.writers.iter().zip(&self.paths) {
            writer.lock().unwrap_or_else(PoisonError::into_inner).take();
            let _ = self.disk.remove(path);
        }
    }
}

/// Lists one thread holds back for each part.
pub(super) struct Outbox<'a> {
    parts: &'a Parts,
    held: Vec<Vec<u32>>,
}

impl Outbox<'_> {
    /// Sends a list to the part of its hash.
    #[inline]
    pub(super) fn put(&mut self, docs: &[u32], hash: u64, count: u32) -> Result<(), Error> {
        // The low bits are the table's.
        let part = ((hash >> 40) as usize * self.held.len()) >> 24;
        let held = &mut self.held[part];
        put_list(held, docs, count);
        if held.len() >= self.parts.outbox_words {
            self.parts.write(part, held)?;
            held.clear();
            // One long list must not keep its memory.
            held.shrink_to(2 * self.parts.outbox_words);
        }
        Ok(())
    }

    /// Sends what is held back.
    pub(super) fn finish(self) -> Result<(), Error> {
        for (part, held) in self.held.iter().enumerate().filter(|(_, held)| !held.is_empty()) {
            self.parts.write(part, held)?;
        }
        Ok(())
    }
}
