//! Groups put aside until it is known which documents may be in a pair that matters.
//!
//! *Input.* The lists of documents of all groups; then what documents need. *Output.* The lists in
//! their [`parts`](super::parts), equal ones once, those that begin with the same document as rows
//! where that pays ([`ListCompactor`]), all without the documents that they name too seldom ([`DocumentFrequencies`]):
//! most of the long lists, those of shingles that many documents share by chance or from a frame,
//! are gone then. *Memory.* The counts; buffers of the parts; then four sixteenths of what there is
//! for the lists of a part, which are put together. *Disk.* 4 bytes a posting of a shingle in two
//! documents or more, and 4 bytes a shingle.

use super::list_file::ListFile;
use super::parts::{PartitionWriter, ListPartitions};
use super::{PHASE, side_by_side};
use engine::Engine;
use pairs::{ListCompactor, List, Lists, DocumentFrequencies, FrequencyCounter, MinShared, CandidateDocuments, put_list};
use runtime::Error;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Words that are sifted together.
const BATCH_WORDS: usize = 256;

/// All groups.
pub(super) struct DeferredGroups {
    named: DocumentFrequencies,
    parts: ListPartitions,
}

impl DeferredGroups {
    /// Of so many documents.
    pub(super) fn new(engine: &Engine<'_>, memory_bytes: usize, documents: u32) -> DeferredGroups {
        DeferredGroups {
            named: DocumentFrequencies::new(documents),
            parts: ListPartitions::within(engine, "groups", memory_bytes, documents),
        }
    }

    /// A thread's way in for lists, which go where their first documents are.
    pub(super) fn outbox(&self) -> PartitionWriter<'_> {
        self.parts.outbox()
    }

    /// A thread's way in for the documents that they name.
    pub(super) fn counting(&self) -> FrequencyCounter<'_> {
        self.named.counting()
    }

    /// Sends what is left of the groups to their parts; who is named as often as it min_shared may be in
    /// a pair that matters.
    pub(super) fn sift(
        self,
        min_shared: &MinShared,
        to: &ListPartitions,
        (memory_bytes, threads): (usize, usize),
    ) -> Result<(), Error> {
        self.parts.seal()?;
        let reaching = self.named.reaching(min_shared);
        let (parts, next) = (&self.parts, AtomicUsize::new(0));
        side_by_side(threads, || {
            let held = ListCompactor::new(memory_bytes / threads);
            let (outbox, room, sifted) = (to.outbox(), Vec::new(), Vec::new());
            let mut sifter = Sifter {
                reaching: &reaching,
                held,
                outbox,
                room,
                sifted,
            };
            loop {
                let part = next.fetch_add(1, Ordering::Relaxed);
                if part >= parts.count() {
                    return sifter.outbox.finish();
                }
                sifter.part(parts.range(part), parts.file(part))?;
            }
        })?;
        Ok(())
    }
}

/// What one thread makes of groups.
struct Sifter<'a> {
    reaching: &'a CandidateDocuments,
    /// What is left of the lists of a part.
    held: ListCompactor,
    outbox: PartitionWriter<'a>,
    room: Vec<u32>,
    /// The words of a batch without the documents that left.
    sifted: Vec<u32>,
}

impl Sifter<'_> {
    /// Part after part.
    fn part(&mut self, range: Range<u32>, file: &ListFile) -> Result<(), Error> {
        self.held.begin(range, file.words());
        let mut batch = Vec::new();
        file.each_list(|list| {
            put_list(&mut batch, list);
            if batch.len() >= BATCH_WORDS {
                self.batch(&mut batch).map(|()| true)
            } else {
                Ok(true)
            }
        })?;
        self.batch(&mut batch)?;
        self.send()?;
        file.remove().map_err(Error::work(PHASE))
    }

    /// Takes lists in, without the documents that leave them.
    fn batch(&mut self, batch: &mut Vec<u32>) -> Result<(), Error> {
        self.reaching.ask(&batch[..batch.len().min(BATCH_WORDS)]);
        let mut sifted = std::mem::take(&mut self.sifted);
        sifted.clear();
        for List { docs, count, .. } in Lists(batch) {
            let left = self.reaching.of(docs, &mut self.room);
            if left.len() > 1 {
                put_list(&mut sifted, List::of(left, count));
            }
        }
        batch.clear();
        let mut left = self.held.add_all(&sifted);
        while !left.0.is_empty() {
            self.send()?;
            let before = left.0.len();
            left = self.held.add_all(left.0);
            // One for which there is never room.
            if left.0.len() == before
                && let Some(list) = left.next()
            {
                self.outbox.put(list)?;
            }
        }
        self.sifted = sifted;
        Ok(())
    }

    /// Sends all that is held.
    fn send(&mut self) -> Result<(), Error> {
        let Sifter { held, outbox, .. } = self;
        held.send(|list| outbox.put(list))
    }
}
