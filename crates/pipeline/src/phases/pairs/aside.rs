//! Groups put aside until it is known which documents may be in a pair that matters.
//!
//! *Input.* The lists of documents of all groups; then what documents need. *Output.* The lists in their
//! [`parts`](super::parts), without the documents that they name too seldom ([`Named`]): most of the long lists, those
//! of shingles that many documents share by chance or from a frame, are gone then. *Memory.* The counts, and a block a
//! thread. *Disk.* A file a thread, of 4 bytes a posting of a shingle in two documents or more.

use super::PHASE;
use super::list_file::ListFile;
use super::parts::Parts;
use crate::Error;
use crate::engine::Engine;
use pairs::{Lists, Named, Needs, Reaching, put_list};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Words that a thread holds back.
const HELD_WORDS: usize = if cfg!(test) { 16 } else { 16 << 10 };

/// Words that are sifted together.
const BATCH_WORDS: usize = 256;

/// All groups.
pub(super) struct Aside {
    named: Named,
    files: Vec<ListFile>,
    /// The next file that has no writer.
    next: AtomicUsize,
}

impl Aside {
    /// For the lists that so many threads find.
    pub(super) fn new(engine: &Engine<'_>, documents: u32, threads: usize) -> Aside {
        let file = |thread| ListFile::new(engine, &format!("groups.run-aside-{thread:02}"), format::BLOCK_BYTES);
        Aside {
            named: Named::new(documents, threads),
            files: (0..threads).map(file).collect(),
            next: AtomicUsize::new(0),
        }
    }

    /// A thread's way into the files.
    pub(super) fn writer(&self) -> Writer<'_> {
        let own = self.next.fetch_add(1, Ordering::Relaxed) % self.files.len();
        Writer { file: &self.files[own], named: &self.named, held: Vec::with_capacity(HELD_WORDS) }
    }

    /// Ends the writing; who is named as often as it needs may be in a pair that matters.
    pub(super) fn seal(self, needs: &Needs) -> Result<Sifted, Error> {
        self.files.iter().try_for_each(ListFile::seal)?;
        Ok(Sifted { reaching: self.named.reaching(needs), files: self.files, next: AtomicUsize::new(0) })
    }
}

/// A thread's way into the files.
pub(super) struct Writer<'a> {
    file: &'a ListFile,
    named: &'a Named,
    held: Vec<u32>,
}

impl Writer<'_> {
    /// Puts a list aside.
    #[inline]
    pub(super) fn put(&mut self, docs: &[u32]) -> Result<(), Error> {
        put_list(&mut self.held, docs);
        if self.held.len() >= HELD_WORDS { self.send() } else { Ok(()) }
    }

    #[cold]
    fn send(&mut self) -> Result<(), Error> {
        self.named.add(&self.held);
        self.file.write(&self.held)?;
        self.held.clear();
        // One long list must not keep its memory.
        self.held.shrink_to(2 * HELD_WORDS);
        Ok(())
    }

    /// Sends what is held back.
    pub(super) fn finish(mut self) -> Result<(), Error> {
        self.send()
    }
}

/// All groups, and the documents that stay in them.
pub(super) struct Sifted {
    reaching: Reaching,
    files: Vec<ListFile>,
    next: AtomicUsize,
}

impl Sifted {
    /// Sends what is left of the groups to their parts, file after file until none is left, of one thread.
    pub(super) fn part(&self, parts: &Parts) -> Result<(), Error> {
        let mut outbox = parts.outbox();
        let (mut batch, mut room) = (Vec::new(), Vec::new());
        let mut sift = |batch: &mut Vec<u32>| {
            self.reaching.ask(&batch[..batch.len().min(BATCH_WORDS)]);
            Lists(batch).try_for_each(|docs| outbox.put(self.reaching.of(docs, &mut room)))?;
            batch.clear();
            Ok(())
        };
        while let Some(file) = self.files.get(self.next.fetch_add(1, Ordering::Relaxed)) {
            file.each_list(|docs| {
                put_list(&mut batch, docs);
                if batch.len() >= BATCH_WORDS { sift(&mut batch).map(|()| true) } else { Ok(true) }
            })?;
            sift(&mut batch)?;
            file.remove().map_err(Error::work(PHASE))?;
        }
        outbox.finish()
    }
}
