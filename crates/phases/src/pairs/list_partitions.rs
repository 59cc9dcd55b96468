//! Lists of documents, partitioned on disk by their lower documents.
//!
//! A partition is a range of documents and a file of lists. A list goes to the partition of each of
//! its documents except the last one, each time from its first document in the partition on. A row
//! list goes to the partition of its first document only. *Why.* A list of k documents is written
//! as at most k words for each partition it touches, instead of k²/2 pairs, and the lists of one
//! partition fit the shared cache when their pairs are counted. *Memory.* Half of the given bytes
//! for the blocks of the files, half for the words that threads collect for each partition.

use super::list_file::ListFile;
use crate::expansion::{List, put_list};
use engine::{Engine, Error};
use std::ops::Range;

/// Most partitions: with so many, the lists of one partition of the largest inputs fit the cache
/// that the cores of a processor share.
const PARTITIONS_MAX: usize = 256;

/// Least bytes of buffers and least documents of a partition. Tests have tiny budgets; lower limits
/// make them use several partitions too.
const PARTITION_BYTES_MIN: usize = if cfg!(test) { 64 } else { 192 << 10 };
const PARTITION_DOCS_MIN: u32 = if cfg!(test) { 4 } else { 1 << 12 };

/// Most words that a thread collects for a partition: those of all partitions should fit the
/// caches.
const PENDING_WORDS_MAX: usize = 8 << 10;

/// The partitions of all lists.
pub(super) struct ListPartitions {
    documents: u32,
    /// The partition of a document is its number shifted right by this.
    shift: u32,
    files: Vec<ListFile>,
    /// A thread writes the words that it has collected for a partition when there are so many.
    pending_words: usize,
}

impl ListPartitions {
    /// As many partitions as `memory_bytes` allow. `name` distinguishes their files.
    pub(super) fn within(
        engine: &Engine<'_>,
        name: &str,
        memory_bytes: usize,
        documents: u32,
    ) -> ListPartitions {
        let wanted = (memory_bytes / PARTITION_BYTES_MIN)
            .min(PARTITIONS_MAX)
            .min(engine.fan_in_max);
        let wanted = wanted.min((documents / PARTITION_DOCS_MIN) as usize).max(1);
        // The width of a range is a power of two.
        let shift = documents
            .div_ceil(wanted as u32)
            .max(1)
            .next_power_of_two()
            .ilog2();
        let count = (u64::from(documents.saturating_sub(1)) >> shift) as usize + 1;
        let each = memory_bytes / count / 2;
        let file = |partition: usize| {
            ListFile::new(engine, &format!("{name}.run-part-{partition:02}"), each)
        };
        ListPartitions {
            documents,
            shift,
            files: (0..count).map(file).collect(),
            pending_words: (each / size_of::<u32>() / rayon::current_num_threads())
                .min(PENDING_WORDS_MAX),
        }
    }

    /// Writes lists for one thread.
    pub(super) fn writer(&self) -> PartitionWriter<'_> {
        PartitionWriter {
            partitions: self,
            pending: vec![Vec::new(); self.files.len()],
        }
    }

    /// How many partitions there are.
    pub(super) fn count(&self) -> usize {
        self.files.len()
    }

    /// How many documents all partitions have together.
    pub(super) fn documents(&self) -> u32 {
        self.documents
    }

    /// The documents of a partition.
    pub(super) fn range(&self, partition: usize) -> Range<u32> {
        let start = |partition: usize| {
            u32::try_from((partition as u64) << self.shift)
                .unwrap_or(u32::MAX)
                .min(self.documents)
        };
        start(partition)..start(partition + 1)
    }

    /// The file of a partition.
    pub(super) fn file(&self, partition: usize) -> &ListFile {
        &self.files[partition]
    }

    /// Completes the files.
    pub(super) fn seal(&self) -> Result<(), Error> {
        self.files.iter().try_for_each(ListFile::seal)
    }
}

/// Writes the lists of one thread; collects them for each partition first.
pub(super) struct PartitionWriter<'a> {
    partitions: &'a ListPartitions,
    /// The words collected for each partition.
    pending: Vec<Vec<u32>>,
}

impl PartitionWriter<'_> {
    /// Writes a list to the partition of its first document only.
    #[inline]
    pub(super) fn put_whole(&mut self, list: List<'_>) -> Result<(), Error> {
        let Some(first) = list.docs.first() else {
            return Ok(());
        };
        self.collect(first >> self.partitions.shift, list)
    }

    #[inline]
    fn collect(&mut self, partition: u32, list: List<'_>) -> Result<(), Error> {
        let pending = &mut self.pending[partition as usize];
        put_list(pending, list);
        if pending.len() >= self.partitions.pending_words {
            self.flush(partition as usize)
        } else {
            Ok(())
        }
    }

    /// Writes a list to the partitions of its documents.
    #[inline]
    pub(super) fn put(&mut self, list: List<'_>) -> Result<(), Error> {
        if list.is_row() {
            return self.put_whole(list);
        }
        let (docs, mut at) = (list.docs, 0);
        while at + 1 < docs.len() {
            let partition = docs[at] >> self.partitions.shift;
            self.collect(
                partition,
                List {
                    docs: &docs[at..],
                    ..list
                },
            )?;
            while at < docs.len() && docs[at] >> self.partitions.shift == partition {
                at += 1;
            }
        }
        Ok(())
    }

    #[cold]
    fn flush(&mut self, partition: usize) -> Result<(), Error> {
        let pending = &mut self.pending[partition];
        self.partitions.file(partition).write(pending)?;
        pending.clear();
        // One long list must not keep its memory.
        pending.shrink_to(2 * self.partitions.pending_words);
        Ok(())
    }

    /// Writes all words that are still collected.
    pub(super) fn finish(mut self) -> Result<(), Error> {
        for partition in 0..self.pending.len() {
            if !self.pending[partition].is_empty() {
                self.flush(partition)?;
            }
        }
        Ok(())
    }
}
