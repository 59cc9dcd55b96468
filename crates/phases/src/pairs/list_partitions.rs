//! Lists of documents, parted on disk by their lower documents.
//!
//! A part is a range of documents and a file of lists. A list goes to every part that one of its
//! documents, but the last, belongs to: from its first document there on. A row goes to the part of
//! its first document. *Memory.* Half of its share for the blocks of the writers, half for what
//! threads hold back for each part.

use super::list_file::ListFile;
use engine::Engine;
use pairs::{List, put_list};
use runtime::Error;
use std::ops::Range;

/// ListPartitions at most: with so many, the lists of a part of the largest inputs fit the caches that a
/// processor's cores share.
const PARTS_MAX: usize = 256;

/// A part is worth a file from so many bytes of buffers and so many documents on. Tests have tiny
/// budgets and are to come this way too.
const PART_BYTES_MIN: usize = if cfg!(test) { 64 } else { 192 << 10 };
const PART_DOCS_MIN: u32 = if cfg!(test) { 4 } else { 1 << 12 };

/// Words that a thread holds back for a part at most: those of all parts should fit the caches.
const OUTBOX_WORDS_MAX: usize = 8 << 10;

/// All parts.
pub(super) struct ListPartitions {
    documents: u32,
    /// A document's part is its number shifted by this.
    shift: u32,
    parts: Vec<ListFile>,
    outbox_words: usize,
}

impl ListPartitions {
    /// As many parts as `memory_bytes` allow.
    pub(super) fn within(
        engine: &Engine<'_>,
        name: &str,
        memory_bytes: usize,
        documents: u32,
    ) -> ListPartitions {
        let wanted = (memory_bytes / PART_BYTES_MIN)
            .min(PARTS_MAX)
            .min(engine.fan_in_max);
        let wanted = wanted.min((documents / PART_DOCS_MIN) as usize).max(1);
        // The width of a range is a power of two.
        let shift = documents
            .div_ceil(wanted as u32)
            .max(1)
            .next_power_of_two()
            .ilog2();
        let count = (u64::from(documents.saturating_sub(1)) >> shift) as usize + 1;
        let each = memory_bytes / count / 2;
        let part = |part: usize| ListFile::new(engine, &format!("{name}.run-part-{part:02}"), each);
        ListPartitions {
            documents,
            shift,
            parts: (0..count).map(part).collect(),
            outbox_words: (each / size_of::<u32>() / rayon::current_num_threads())
                .min(OUTBOX_WORDS_MAX),
        }
    }

    /// One thread's way into the parts.
    pub(super) fn outbox(&self) -> PartitionWriter<'_> {
        PartitionWriter {
            parts: self,
            held: vec![Vec::new(); self.parts.len()],
        }
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
        let start = |part: usize| {
            u32::try_from((part as u64) << self.shift)
                .unwrap_or(u32::MAX)
                .min(self.documents)
        };
        start(part)..start(part + 1)
    }

    /// The lists of a part.
    pub(super) fn file(&self, part: usize) -> &ListFile {
        &self.parts[part]
    }

    /// Ends the writing of all parts.
    pub(super) fn seal(&self) -> Result<(), Error> {
        self.parts.iter().try_for_each(ListFile::seal)
    }
}

/// Lists one thread holds back for each part.
pub(super) struct PartitionWriter<'a> {
    parts: &'a ListPartitions,
    held: Vec<Vec<u32>>,
}

impl PartitionWriter<'_> {
    /// Sends a list to the part of its first document.
    #[inline]
    pub(super) fn put_whole(&mut self, list: List<'_>) -> Result<(), Error> {
        let Some(first) = list.docs.first() else {
            return Ok(());
        };
        self.hold(first >> self.parts.shift, list)
    }

    #[inline]
    fn hold(&mut self, part: u32, list: List<'_>) -> Result<(), Error> {
        let held = &mut self.held[part as usize];
        put_list(held, list);
        if held.len() >= self.parts.outbox_words {
            self.send(part as usize)
        } else {
            Ok(())
        }
    }

    /// Sends a list to the parts of its documents.
    #[inline]
    pub(super) fn put(&mut self, list: List<'_>) -> Result<(), Error> {
        if list.is_row() {
            return self.put_whole(list);
        }
        let (docs, mut at) = (list.docs, 0);
        while at + 1 < docs.len() {
            let part = docs[at] >> self.parts.shift;
            self.hold(
                part,
                List {
                    docs: &docs[at..],
                    ..list
                },
            )?;
            while at < docs.len() && docs[at] >> self.parts.shift == part {
                at += 1;
            }
        }
        Ok(())
    }

    #[cold]
    fn send(&mut self, part: usize) -> Result<(), Error> {
        let held = &mut self.held[part];
        self.parts.file(part).write(held)?;
        held.clear();
        // One long list must not keep its memory.
        held.shrink_to(2 * self.parts.outbox_words);
        Ok(())
    }

    /// Sends what is held back.
    pub(super) fn finish(mut self) -> Result<(), Error> {
        for part in (0..self.held.len())
            .filter(|&part| !self.held[part].is_empty())
            .collect::<Vec<_>>()
        {
            self.send(part)?;
        }
        Ok(())
    }
}
