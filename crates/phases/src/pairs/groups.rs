//! Step one: the groups of a shard → lists of documents, parted on disk or put aside.

use super::PHASE;
use super::anew::{Lists, Shared};
use super::parts::PartitionWriter;
use crate::words::SumLost;
use engine::{Engine, Output};
use format::{CommonRecord, FileKind, LostRecord, RecordReader, Sealed};
use model::{Posting, Sampling, Shingle};
use pairs::{List, FrequencyCounter, GroupSink, PostingSource, Shard};
use runtime::{Error, PhaseName};
use sort::{Feeder, Keep};
use std::ops::Range;

/// The sorted postings as one thread reads them; reports progress while they go by.
pub(super) struct Source {
    postings: Output<Posting>,
    task: runtime::progress::Task,
    /// What of the shard was not reported yet.
    unreported: Range<u64>,
}

impl Source {
    pub(super) fn open(
        engine: &Engine<'_>,
        (phase, sealed): (PhaseName, &Sealed),
        task: &runtime::progress::Task,
    ) -> Result<Source, Error> {
        let reader =
            RecordReader::open_sealed(&engine.disk, &engine.dir(phase), sealed, FileKind::Postings);
        let postings = Output::of(reader.map_err(Error::work(phase))?, phase);
        Ok(Source {
            postings,
            task: task.clone(),
            unreported: 0..0,
        })
    }

    /// The source for a shard.
    pub(super) fn of(&mut self, shard: Shard) -> &mut Source {
        self.unreported = shard.start..shard.end;
        self
    }
}

impl PostingSource for Source {
    type Error = Error;
    fn next_slice(&mut self) -> Result<Option<&[Posting]>, Error> {
        let before = self.postings.reader.position();
        let next = self.postings.next_slice()?;
        let position =
            (before + next.map_or(0, |slice| slice.len() as u64)).min(self.unreported.end);
        self.task
            .add(position.saturating_sub(self.unreported.start));
        self.unreported.start = self.unreported.start.max(position);
        Ok(next)
    }
    fn seek(&mut self, position: u64) -> Result<(), Error> {
        self.postings.seek(position)
    }
}

/// Where the lists of one thread go.
enum Way<'a> {
    Parted(PartitionWriter<'a>),
    DeferredGroups(PartitionWriter<'a>, FrequencyCounter<'a>),
}

/// What one thread makes of groups.
pub(super) struct Worker<'a> {
    sampling: Sampling,
    lists: Way<'a>,
    lost: Feeder<'a, LostRecord, SumLost>,
    common: Feeder<'a, CommonRecord, Keep>,
}

impl<'a> Worker<'a> {
    pub(super) fn new(shared: &'a Shared<'a>) -> Worker<'a> {
        Worker {
            sampling: shared.engine.config.sketch.sampling,
            lists: match &shared.lists {
                Lists::Parted(parts) => Way::Parted(parts.outbox()),
                Lists::DeferredGroups(aside) => Way::DeferredGroups(aside.outbox(), aside.counting()),
            },
            lost: shared.lost.feeder(),
            common: shared.common.feeder(),
        }
    }

    /// Hands on all that is held.
    pub(super) fn finish(self) -> Result<(), Error> {
        match self.lists {
            Way::Parted(outbox) => outbox.finish()?,
            Way::DeferredGroups(outbox, namings) => {
                namings.finish();
                outbox.finish()?;
            }
        }
        let failed = Error::work(PHASE);
        self.lost.finish().map_err(failed)?;
        self.common.finish().map_err(failed)
    }
}

impl GroupSink for Worker<'_> {
    type Error = Error;
    #[inline]
    fn list(&mut self, docs: &[u32]) -> Result<(), Error> {
        match &mut self.lists {
            Way::Parted(outbox) => outbox.put(List::of(docs, 1)),
            Way::DeferredGroups(outbox, namings) => {
                namings.add(docs);
                outbox.put_whole(List::of(docs, 1))
            }
        }
    }
    fn common(&mut self, shingle: Shingle, documents: u64, example: u32) -> Result<(), Error> {
        let documents = u32::try_from(documents).unwrap_or(u32::MAX);
        self.common
            .push(CommonRecord {
                shingle,
                documents,
                example,
            })
            .map_err(Error::work(PHASE))
    }
    fn lost(&mut self, doc: u32, shingle: Shingle) -> Result<(), Error> {
        let level = self.sampling.coarsest_level_of(shingle) as u8;
        self.lost
            .push(LostRecord {
                doc,
                level,
                count: 1,
            })
            .map_err(Error::work(PHASE))
    }
}
