//! Step one: the groups of a shard → lists of documents, counted while they fit, else parted on disk.

use super::parts::{Outbox, Parts, make_pairs};
use super::{PHASE, Shared};
use crate::engine::{Engine, Output};
use crate::phases::words::SumLost;
use crate::{Error, PhaseName};
use format::{CommonRecord, FileKind, LostRecord};
use model::{PairCount, Posting, Sampling, Shingle};
use pairs::{EqualLists, Lists, PairSink, PostingSource, list_hash, pairs_of, put_list};
use sort::{Feeder, Keep, SumShared};

/// The sorted postings as one thread reads them; reports progress while they go by.
pub(super) struct Source {
    postings: Output<Posting>,
    task: crate::progress::Task,
    reported: u64,
}

impl Source {
    pub(super) fn open(engine: &Engine<'_>, task: &crate::progress::Task) -> Result<Source, Error> {
        let postings = engine.reader(PhaseName::Sort, "postings", FileKind::Postings)?;
        Ok(Source { postings, task: task.clone(), reported: 0 })
    }

    /// The source at the beginning of a shard.
    pub(super) fn at(&mut self, start: u64) -> Result<&mut Source, Error> {
        if start != self.postings.reader.position() {
            self.postings.seek(start)?;
        }
        self.reported = start;
        Ok(self)
    }
}

impl PostingSource for Source {
    type Error = Error;
    #[inline]
    fn next(&mut self) -> Result<Option<Posting>, Error> {
        let next = self.postings.next();
        let position = self.postings.reader.position();
        if position & 0xFFFF == 0 {
            self.task.add(position.saturating_sub(self.reported));
            self.reported = self.reported.max(position);
        }
        next
    }
    fn position(&self) -> u64 {
        self.postings.reader.position()
    }
    fn seek(&mut self, position: u64) -> Result<(), Error> {
        self.postings.seek(position)
    }
}

/// Lists looked up in the table together.
pub(super) const BATCH_LISTS: usize = 32;

/// What one thread makes of groups.
pub(super) struct Worker<'a> {
    sampling: Sampling,
    table: EqualLists,
    /// Lists that wait to be looked up together, and their hashes.
    waiting: Vec<u32>,
    hashes: Vec<u64>,
    parts: Option<&'a Parts>,
    /// Lists on their way to the parts, once the table was full.
    outbox: Option<Outbox<'a>>,
    pairs: Feeder<'a, PairCount, SumShared>,
    lost: Feeder<'a, LostRecord, SumLost>,
    common: Feeder<'a, CommonRecord, Keep>,
}

impl<'a> Worker<'a> {
    pub(super) fn new(shared: &'a Shared<'a>) -> Worker<'a> {
        Worker {
            sampling: shared.engine.config.sketch.sampling,
            table: EqualLists::new(shared.table_bytes),
            waiting: Vec::new(),
            hashes: Vec::with_capacity(BATCH_LISTS),
            parts: shared.parts.as_ref(),
            outbox: None,
            pairs: shared.pairs.feeder(),
            lost: shared.lost.feeder(),
            common: shared.common.feeder(),
        }
    }

    /// Counts the lists that wait.
    fn count_waiting(&mut self) -> Result<(), Error> {
        let (mut waiting, mut hashes) = (std::mem::take(&mut self.waiting), std::mem::take(&mut self.hashes));
        self.table.bring_near(&hashes);
        for ((docs, _), &hash) in Lists(&waiting).zip(&hashes) {
            self.count(docs, hash)?;
        }
        waiting.clear();
        hashes.clear();
        (self.waiting, self.hashes) = (waiting, hashes);
        Ok(())
    }

    fn count(&mut self, docs: &[u32], hash: u64) -> Result<(), Error> {
        if let Some(outbox) = &mut self.outbox {
            return outbox.put(docs, hash, 1);
        }
        if self.table.add(docs, hash, 1) {
            return Ok(());
        }
        self.make_room()?;
        if let Some(outbox) = &mut self.outbox {
            return outbox.put(docs, hash, 1);
        }
        if self.table.add(docs, hash, 1) {
            return Ok(());
        }
        pairs_of(docs, 1, |pair| self.pairs.push(pair)).map_err(Error::work(PHASE))
    }

    /// Empties the full table: from here on lists go to the parts; without parts the table starts anew.
    #[cold]
    fn make_room(&mut self) -> Result<(), Error> {
        if let Some(parts) = self.parts {
            let mut outbox = parts.outbox();
            for (docs, count) in self.table.lists() {
                outbox.put(docs, list_hash(docs), count)?;
            }
            self.outbox = Some(outbox);
            self.table = EqualLists::new(0);
            return Ok(());
        }
        self.make_pairs()
    }

    fn make_pairs(&mut self) -> Result<(), Error> {
        make_pairs(&mut self.table, &mut self.pairs)
    }

    /// Hands on all that is held.
    pub(super) fn finish(mut self) -> Result<(), Error> {
        self.count_waiting()?;
        match self.outbox.take() {
            Some(outbox) => outbox.finish()?,
            None => self.make_pairs()?,
        }
        let failed = Error::work(PHASE);
        self.pairs.finish().map_err(failed)?;
        self.lost.finish().map_err(failed)?;
        self.common.finish().map_err(failed)
    }
}

impl PairSink for Worker<'_> {
    type Error = Error;
    #[inline]
    fn list(&mut self, docs: &[u32]) -> Result<(), Error> {
        let hash = list_hash(docs);
        if let Some(outbox) = &mut self.outbox {
            return outbox.put(docs, hash, 1);
        }
        put_list(&mut self.waiting, docs, 1);
        self.hashes.push(hash);
        // A long list is counted at once: it must not wait in memory.
        if self.hashes.len() == BATCH_LISTS || docs.len() > BATCH_LISTS { self.count_waiting() } else { Ok(()) }
    }
    #[inline]
    fn pair(&mut self, pair: PairCount) -> Result<(), Error> {
        self.pairs.push(pair).map_err(Error::work(PHASE))
    }
    fn common(&mut self, shingle: Shingle, documents: u64, example: u32) -> Result<(), Error> {
        let documents = u32::try_from(documents).unwrap_or(u32::MAX);
        self.common.push(CommonRecord { shingle, documents, example }).map_err(Error::work(PHASE))
    }
    fn lost(&mut self, doc: u32, shingle: Shingle) -> Result<(), Error> {
        let level = self.sampling.coarsest_level_of(shingle) as u8;
        self.lost.push(LostRecord { doc, level, count: 1 }).map_err(Error::work(PHASE))
    }
}
