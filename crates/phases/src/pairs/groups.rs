//! Step 1: the groups of a shard of postings become lists of documents, partitioned or deferred.

use super::deferred::DeferredGroups;
use super::list_partitions::{ListPartitions, PartitionWriter};
use super::outputs::common_record;
use crate::expansion::{
    ExpandParams, Expansion, FrequencyCounter, GroupSink, List, PostingShard, PostingSource,
};
use engine::{Engine, Error, PhaseName, runtime::progress::Task};
use format::{CommonOfDocument, CommonRecord, FileKind, RecordReader, Sealed};
use model::{Posting, Shingle};
use sort::{Feeder, KeepAll, Sorter};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// The store for the lists of all groups.
pub(super) enum GroupLists {
    /// Not kept: their pairs were counted elsewhere.
    Imported,
    /// Without a floor: ready to be counted.
    Partitioned(ListPartitions),
    /// With a floor: deferred until minimum overlaps are known.
    Deferred(DeferredGroups),
}

/// The shards of all postings, which threads take one after the other.
pub(super) struct Shards {
    postings: u64,
    shard_postings: u64,
    next: AtomicU64,
}

impl Shards {
    /// Divides `postings` postings into `shards` shards.
    pub(super) fn of(postings: u64, shards: u64) -> Shards {
        Shards {
            postings,
            shard_postings: postings.div_ceil(shards).max(1),
            next: AtomicU64::new(0),
        }
    }

    /// The next shard; `None` after the last.
    fn take(&self) -> Option<PostingShard> {
        let start = self.next.fetch_add(1, Ordering::Relaxed) * self.shard_postings;
        (start < self.postings).then(|| PostingShard {
            start,
            end: (start + self.shard_postings).min(self.postings),
        })
    }
}

/// The input and the outputs of step 1, which all threads share.
pub(super) struct GroupExpansion<'a> {
    pub(super) engine: &'a Engine<'a>,
    /// The phase that wrote the file of postings.
    pub(super) phase: PhaseName,
    pub(super) postings: &'a Sealed,
    pub(super) shards: Shards,
    pub(super) params: ExpandParams,
    pub(super) task: Task,
    pub(super) common_of: Sorter<CommonOfDocument, KeepAll>,
    pub(super) common: Sorter<CommonRecord, KeepAll>,
    pub(super) lists: GroupLists,
}

impl GroupExpansion<'_> {
    /// The work of one thread: expands shards until none is left.
    pub(super) fn expand_shards(&self) -> Result<Expansion, Error> {
        let mut writer = GroupWriter::new(self);
        let mut postings = PostingReader::open(self)?;
        let mut seen = Expansion::default();
        while let Some(shard) = self.shards.take() {
            let postings = postings.for_shard(shard);
            seen += crate::expansion::expand(postings, shard, self.params, &mut writer)?;
        }
        writer.finish()?;
        Ok(seen)
    }
}

/// Reads sorted postings for one thread and reports progress.
struct PostingReader {
    postings: RecordReader<Posting>,
    task: Task,
    /// The postings of the shard that were not reported yet.
    unreported: Range<u64>,
}

impl PostingReader {
    fn open(expansion: &GroupExpansion<'_>) -> Result<PostingReader, Error> {
        let &GroupExpansion {
            engine,
            phase,
            postings,
            ..
        } = expansion;
        Ok(PostingReader {
            postings: engine.open(phase, postings, FileKind::Postings)?,
            task: expansion.task.clone(),
            unreported: 0..0,
        })
    }

    fn for_shard(&mut self, shard: PostingShard) -> &mut PostingReader {
        self.unreported = shard.start..shard.end;
        self
    }
}

impl PostingSource for PostingReader {
    type Error = Error;
    fn next_slice(&mut self) -> Result<Option<&[Posting]>, Error> {
        let before = self.postings.position();
        let next = self.postings.next_slice()?;
        let position =
            (before + next.map_or(0, |slice| slice.len() as u64)).min(self.unreported.end);
        self.task
            .add(position.saturating_sub(self.unreported.start));
        self.unreported.start = self.unreported.start.max(position);
        Ok(next)
    }
    fn seek(&mut self, position: u64) -> Result<(), Error> {
        Ok(self.postings.seek(position)?)
    }
}

/// Writes lists for one thread.
enum ListWriter<'a> {
    None,
    Partitioned(PartitionWriter<'a>),
    Deferred(PartitionWriter<'a>, FrequencyCounter<'a>),
}

/// Writes the lists and the common shingles of one thread.
struct GroupWriter<'a> {
    lists: ListWriter<'a>,
    common_of: Feeder<'a, CommonOfDocument, KeepAll>,
    common: Feeder<'a, CommonRecord, KeepAll>,
}

impl<'a> GroupWriter<'a> {
    fn new(expansion: &'a GroupExpansion<'a>) -> GroupWriter<'a> {
        GroupWriter {
            lists: match &expansion.lists {
                GroupLists::Imported => ListWriter::None,
                GroupLists::Partitioned(partitions) => ListWriter::Partitioned(partitions.writer()),
                GroupLists::Deferred(deferred) => {
                    ListWriter::Deferred(deferred.writer(), deferred.counter())
                }
            },
            common_of: expansion.common_of.feeder(),
            common: expansion.common.feeder(),
        }
    }

    /// Passes on everything that is still in memory.
    fn finish(self) -> Result<(), Error> {
        match self.lists {
            ListWriter::None => {}
            ListWriter::Partitioned(writer) => writer.finish()?,
            ListWriter::Deferred(writer, counter) => {
                counter.finish();
                writer.finish()?;
            }
        }
        self.common_of.finish()?;
        self.common.finish().map_err(Error::from)
    }
}

impl GroupSink for GroupWriter<'_> {
    type Error = Error;
    #[inline]
    fn list(&mut self, docs: &[u32]) -> Result<(), Error> {
        match &mut self.lists {
            ListWriter::None => Ok(()),
            ListWriter::Partitioned(writer) => writer.put(List::of(docs, 1)),
            ListWriter::Deferred(writer, counter) => {
                counter.add(docs);
                writer.put_whole(List::of(docs, 1))
            }
        }
    }
    fn common(&mut self, shingle: Shingle, documents: u64, example: u32) -> Result<(), Error> {
        self.common
            .push(common_record(shingle, documents, example))
            .map_err(Error::from)
    }
    fn common_of(&mut self, doc: u32, shingle: Shingle) -> Result<(), Error> {
        self.common_of
            .push(CommonOfDocument { doc, shingle })
            .map_err(Error::from)
    }
}
