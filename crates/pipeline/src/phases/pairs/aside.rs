//! Groups put aside until it is known which documents may be in a pair that matters.
//!
//! *Input.* The lists of documents of all groups; then what documents need. *Output.* The lists in their
//! [`parts`](super::parts), equal ones once, without the documents that they name too seldom ([`Named`]): most of the long lists,
//! those of shingles that many documents share by chance or from a frame, are gone then. *Memory.* The counts; buffers of
//! the parts; then four sixteenths of what there is for the lists of a part, in which equal ones are found. *Disk.* 4
//! bytes a posting of a shingle in two documents or more, and 4 bytes a shingle.

use super::list_file::ListFile;
use super::parts::{Outbox, Parts};
use super::{PHASE, side_by_side};
use crate::Error;
use crate::engine::Engine;
use pairs::{HeldLists, Lists, Named, Needs, Reaching, put_list};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Words that are sifted together.
const BATCH_WORDS: usize = 256;

/// All groups.
pub(super) struct Aside {
    named: Named,
    parts: Parts,
}

impl Aside {
    /// For the lists that so many threads find.
    pub(super) fn new(engine: &Engine<'_>, memory_bytes: usize, (documents, threads): (u32, usize)) -> Aside {
        let named = Named::new(documents, threads);
        Aside { named, parts: Parts::within(engine, "groups", memory_bytes, documents) }
    }

    /// A thread's way in.
    pub(super) fn writer(&self) -> Outbox<'_> {
        self.parts.counting(&self.named)
    }

    /// Sends what is left of the groups to their parts; who is named as often as it needs may be in a pair that matters.
    pub(super) fn sift(self, needs: &Needs, to: &Parts, (memory_bytes, threads): (usize, usize)) -> Result<(), Error> {
        self.parts.seal()?;
        let reaching = self.named.reaching(needs);
        let (parts, next) = (&self.parts, AtomicUsize::new(0));
        side_by_side(threads, || {
            let held = HeldLists::of_equal(memory_bytes / threads);
            let mut sieve = Sieve { reaching: &reaching, held, outbox: to.outbox(), room: Vec::new() };
            loop {
                let part = next.fetch_add(1, Ordering::Relaxed);
                if part >= parts.count() {
                    return sieve.outbox.finish();
                }
                sieve.part(parts.file(part))?;
            }
        })?;
        Ok(())
    }
}

/// What one thread makes of groups.
struct Sieve<'a> {
    reaching: &'a Reaching,
    /// What is left of the lists of a part.
    held: HeldLists,
    outbox: Outbox<'a>,
    room: Vec<u32>,
}

impl Sieve<'_> {
    /// Part after part.
    fn part(&mut self, file: &ListFile) -> Result<(), Error> {
        self.held.begin(file.words());
        let mut batch = Vec::new();
        file.each_list(|list| {
            put_list(&mut batch, list);
            if batch.len() >= BATCH_WORDS { self.batch(&mut batch).map(|()| true) } else { Ok(true) }
        })?;
        self.batch(&mut batch)?;
        self.send()?;
        file.remove().map_err(Error::work(PHASE))
    }

    /// Takes lists in, without the documents that leave them.
    fn batch(&mut self, batch: &mut Vec<u32>) -> Result<(), Error> {
        self.reaching.ask(&batch[..batch.len().min(BATCH_WORDS)]);
        let mut room = std::mem::take(&mut self.room);
        for (docs, count) in Lists(batch) {
            let left = self.reaching.of(docs, &mut room);
            if left.len() > 1 && !self.held.add((left, count)) {
                self.send()?;
                if !self.held.add((left, count)) {
                    self.outbox.put((left, count))?;
                }
            }
        }
        self.room = room;
        batch.clear();
        Ok(())
    }

    /// Sends all that is held.
    fn send(&mut self) -> Result<(), Error> {
        self.held.counted().try_for_each(|list| self.outbox.put(list))?;
        self.held.clear();
        Ok(())
    }
}
