//! Lists of documents, parted on disk by their lower documents.
//!
//! A part is a range of documents and a scratch file of 32-bit words, ⟨length, documents⟩ list after list. A list goes to
//! every part that one of its documents, but the last, belongs to: from its first document there on. *Memory.* Half of its share for the
//! blocks of the writers, half for what threads hold back for each part.

use super::PHASE;
use crate::Error;
use crate::engine::Engine;
use format::{Disk, Durability, FileKind, FormatError, RecordReader, RecordSpec, RecordWriter};
use pairs::{Lists, put_list};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Parts at most: with so many, the lists of a part of the largest inputs fit the caches that a processor's cores share.
const PARTS_MAX: usize = 256;

/// A part is worth a file from so many bytes of buffers and so many documents on. Tests have tiny budgets and are to come this way
/// too.
const PART_BYTES_MIN: usize = if cfg!(test) { 64 } else { 192 << 10 };
const PART_DOCS_MIN: u32 = if cfg!(test) { 4 } else { 1 << 12 };

/// A word of a list.
type Word = u32;

/// All parts.
pub(super) struct Parts {
    disk: Disk,
    documents: u32,
    /// A document's part is its number shifted by this.
    shift: u32,
    parts: Vec<Part>,
    block_bytes: usize,
    outbox_words: usize,
}

struct Part {
    path: PathBuf,
    /// Made when the first list comes.
    writer: Mutex<Option<RecordWriter<Word>>>,
    words: AtomicU64,
}

impl Parts {
    /// As many parts as `memory_bytes` allow.
    pub(super) fn within(engine: &Engine<'_>, memory_bytes: usize, documents: u32) -> Parts {
        let wanted = (memory_bytes / PART_BYTES_MIN).min(PARTS_MAX).min(engine.fan_in_max);
        let wanted = wanted.min((documents / PART_DOCS_MIN) as usize).max(1);
        // The width of a range is a power of two.
        let shift = documents.div_ceil(wanted as u32).max(1).next_power_of_two().ilog2();
        let count = (u64::from(documents.saturating_sub(1)) >> shift) as usize + 1;
        let each = memory_bytes / count / 2;
        let part = |part: usize| Part {
            path: engine.dir(PHASE).join(format!("lists.run-part-{part:02}")),
            writer: Mutex::new(None),
            words: AtomicU64::new(0),
        };
        Parts {
            disk: engine.disk.clone(),
            documents,
            shift,
            parts: (0..count).map(part).collect(),
            block_bytes: each.clamp(64, format::BLOCK_BYTES),
            outbox_words: each / size_of::<Word>() / rayon::current_num_threads(),
        }
    }

    /// One thread's way into the parts.
    pub(super) fn outbox(&self) -> Outbox<'_> {
        Outbox { parts: self, held: vec![Vec::new(); self.parts.len()] }
    }

    /// How many.
    pub(super) fn count(&self) -> usize {
        self.parts.len()
    }

    /// Documents of all parts.
    pub(super) fn documents(&self) -> u32 {
        self.documents
    }

    /// The documents of a part.
    pub(super) fn range(&self, part: usize) -> Range<u32> {
        let start = |part: usize| u32::try_from((part as u64) << self.shift).unwrap_or(u32::MAX).min(self.documents);
        start(part)..start(part + 1)
    }

    /// The words of a part's lists.
    pub(super) fn words(&self, part: usize) -> u64 {
        self.parts[part].words.load(Ordering::Relaxed)
    }

    fn write(&self, part: usize, words: &[u32]) -> Result<(), Error> {
        let failed = Error::work(PHASE);
        let part = &self.parts[part];
        let mut writer = part.writer.lock().unwrap_or_else(PoisonError::into_inner);
        if writer.is_none() {
            let spec = RecordSpec {
                path: part.path.clone(),
                kind: FileKind::Run,
                fingerprint: [0; 16],
                block_bytes: self.block_bytes,
                durability: Durability::Scratch,
            };
            *writer = Some(RecordWriter::create(&self.disk, spec).map_err(failed)?);
        }
        let Some(writer) = writer.as_mut() else { return Ok(()) };
        part.words.fetch_add(words.len() as u64, Ordering::Relaxed);
        writer.push_all(words).map_err(failed)
    }

    /// Ends the writing of all parts.
    pub(super) fn seal(&self) -> Result<(), Error> {
        for part in &self.parts {
            let writer = part.writer.lock().unwrap_or_else(PoisonError::into_inner).take();
            writer.map(RecordWriter::finish).transpose().map_err(Error::work(PHASE))?;
        }
        Ok(())
    }

    /// Reads the lists of a part until one is not taken; says whether all were.
    pub(super) fn each_list(&self, part: usize, mut take: impl FnMut(&[u32]) -> bool) -> Result<bool, FormatError> {
        let mut reader = RecordReader::<Word>::open(&self.disk, &self.parts[part].path, FileKind::Run)?;
        // A list that ends in a later block.
        let mut begun: Vec<Word> = Vec::new();
        while let Some(mut block) = reader.next_slice()? {
            if let Some(&length) = begun.first() {
                let (now, later) = block.split_at((1 + length as usize - begun.len()).min(block.len()));
                begun.extend_from_slice(now);
                block = later;
                if begun.len() <= length as usize {
                    continue;
                }
                if !take(&begun[1..]) {
                    return Ok(false);
                }
                begun = Vec::new();
            }
            let mut lists = Lists(block);
            if !lists.by_ref().all(&mut take) {
                return Ok(false);
            }
            begun.extend_from_slice(lists.0);
        }
        Ok(true)
    }

    /// Removes a part that is done with.
    pub(super) fn remove(&self, part: usize) -> Result<(), FormatError> {
        self.disk.remove(&self.parts[part].path)
    }
}

impl Drop for Parts {
    fn drop(&mut self) {
        for part in &self.parts {
            part.writer.lock().unwrap_or_else(PoisonError::into_inner).take();
            let _ = self.disk.remove(&part.path);
        }
    }
}

/// Lists one thread holds back for each part.
pub(super) struct Outbox<'a> {
    parts: &'a Parts,
    held: Vec<Vec<u32>>,
}

impl Outbox<'_> {
    /// Sends a list to the parts of its documents.
    #[inline]
    pub(super) fn put(&mut self, docs: &[u32]) -> Result<(), Error> {
        let mut at = 0;
        while at + 1 < docs.len() {
            let part = docs[at] >> self.parts.shift;
            let held = &mut self.held[part as usize];
            put_list(held, &docs[at..]);
            if held.len() >= self.parts.outbox_words {
                self.send(part as usize)?;
            }
            while at < docs.len() && docs[at] >> self.parts.shift == part {
                at += 1;
            }
        }
        Ok(())
    }

    #[cold]
    fn send(&mut self, part: usize) -> Result<(), Error> {
        let held = &mut self.held[part];
        self.parts.write(part, held)?;
        held.clear();
        // One long list must not keep its memory.
        held.shrink_to(2 * self.parts.outbox_words);
        Ok(())
    }

    /// Sends what is held back.
    pub(super) fn finish(mut self) -> Result<(), Error> {
        for part in (0..self.held.len()).filter(|&part| !self.held[part].is_empty()).collect::<Vec<_>>() {
            self.send(part)?;
        }
        Ok(())
    }
}
