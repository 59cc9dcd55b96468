//! Step 2, with a floor: groups are deferred until the minimum overlap of each document is known.
//!
//! *Input.* The lists of documents of all groups; then minimum overlaps. *Output.* Lists in their
//! [partitions](super::list_partitions): without the documents that are in too few lists, equal
//! lists once, and row lists where they pay ([`ListPruner`]). *Algorithm.* Lists wait in files by
//! their first document, so that equal lists, and lists with the same first document, come
//! together. *Memory.* The document frequencies and the buffers of the files; then four sixteenths
//! of the budget for the lists of one file for each thread. *Disk.* 4 bytes for each posting of a
//! shingle in two or more documents, and 4 bytes for each such shingle.

use super::list_partitions::{ListPartitions, PartitionWriter};
use super::threads::in_every_thread;
use crate::expansion::{DocumentFrequencies, FrequencyCounter, ListPruner, MinShared};
use engine::{Engine, Error};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The lists of all groups, and the document frequencies.
pub(super) struct DeferredGroups {
    frequencies: DocumentFrequencies,
    /// The lists by their first documents.
    partitions: ListPartitions,
}

impl DeferredGroups {
    /// No groups yet, of `documents` documents.
    pub(super) fn new(engine: &Engine<'_>, memory_bytes: usize, documents: u32) -> DeferredGroups {
        DeferredGroups {
            frequencies: DocumentFrequencies::new(documents),
            partitions: ListPartitions::within(engine, "groups", memory_bytes, documents),
        }
    }

    /// Writes lists for one thread.
    pub(super) fn writer(&self) -> PartitionWriter<'_> {
        self.partitions.writer()
    }

    /// Counts the documents of these lists for one thread.
    pub(super) fn counter(&self) -> FrequencyCounter<'_> {
        self.frequencies.counter()
    }

    /// Prunes the lists and writes them to the partitions `to`, on all threads.
    pub(super) fn prune(
        self,
        min_shared: &MinShared,
        to: &ListPartitions,
        memory_bytes: usize,
        threads: usize,
    ) -> Result<(), Error> {
        self.partitions.seal()?;
        let candidates = self.frequencies.candidates(min_shared);
        let next = AtomicUsize::new(0);
        in_every_thread(threads, || {
            let pruner = ListPruner::new(&candidates, memory_bytes / threads);
            prune_partitions(&self.partitions, &next, pruner, to.writer())
        })?;
        Ok(())
    }
}

/// The work of one thread: prunes partitions until none is left.
fn prune_partitions(
    from: &ListPartitions,
    next: &AtomicUsize,
    mut pruner: ListPruner<'_>,
    mut to: PartitionWriter<'_>,
) -> Result<(), Error> {
    loop {
        let partition = next.fetch_add(1, Ordering::Relaxed);
        if partition >= from.count() {
            return to.finish();
        }
        let file = from.file(partition);
        let mut emit = |list: crate::expansion::List<'_>| to.put(list);
        pruner.begin(from.range(partition), file.words());
        file.each_list(|list| pruner.add(list, &mut emit).map(|()| true))?;
        pruner.finish(&mut emit)?;
        file.remove()?;
    }
}
