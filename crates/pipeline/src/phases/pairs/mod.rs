//! Sorted postings → sorted pair counts, common shingles, and what each sketch lost to them.

use super::words::SumLost;
use crate::engine::{Engine, Output};
use crate::{Error, PhaseName};
use format::{CommonRecord, FileKind, LostRecord, PhaseRecord, RecordWriter};
use model::{PairCount, Posting, Sampling, Shingle};
use pairs::{ExpandParams, PairSink, PostingSource, expand};
use sort::{Sorter, SumShared};

const PHASE: PhaseName = PhaseName::Pairs;

impl PostingSource for Output<Posting> {
    type Error = Error;
    fn next(&mut self) -> Result<Option<Posting>, Error> {
        Output::next(self)
    }
    fn position(&self) -> u64 {
        self.reader.position()
    }
    fn seek(&mut self, position: u64) -> Result<(), Error> {
        Output::seek(self, position)
    }
}

struct Sink {
    sampling: Sampling,
    pairs: Sorter<PairCount, SumShared>,
    lost: Sorter<LostRecord, SumLost>,
    common: RecordWriter<CommonRecord>,
    task: crate::progress::Task,
}

impl PairSink for Sink {
    type Error = Error;
    #[inline]
    fn pair(&mut self, pair: PairCount) -> Result<(), Error> {
        self.pairs.push(pair).map_err(Error::work(PHASE))
    }
    fn common(&mut self, shingle: Shingle, documents: u64, example: u32) -> Result<(), Error> {
        let documents = u32::try_from(documents).unwrap_or(u32::MAX);
        self.common.push(&CommonRecord { shingle, documents, example }).map_err(Error::work(PHASE))
    }
    fn lost(&mut self, doc: u32, shingle: Shingle) -> Result<(), Error> {
        let level = self.sampling.coarsest_level_of(shingle) as u8;
        self.lost.push(LostRecord { doc, level, count: 1 }).map_err(Error::work(PHASE))
    }
}

/// Reports progress while postings go by.
struct Counting<'a> {
    postings: Output<Posting>,
    task: &'a crate::progress::Task,
}

impl PostingSource for Counting<'_> {
    type Error = Error;
    #[inline]
    fn next(&mut self) -> Result<Option<Posting>, Error> {
        let next = self.postings.next();
        let position = self.postings.reader.position();
        if position & 0xFFFF == 0 {
            self.task.reach(position);
        }
        next
    }
    fn position(&self) -> u64 {
        self.postings.position()
    }
    fn seek(&mut self, position: u64) -> Result<(), Error> {
        PostingSource::seek(&mut self.postings, position)
    }
}

pub(crate) fn run(engine: &Engine<'_>) -> Result<PhaseRecord, Error> {
    let work = Error::work(PHASE);
    let postings = engine.reader::<Posting>(PhaseName::Sort, "postings", FileKind::Postings)?;
    let task = engine.reporter.task(PHASE, "postings", postings.reader.records());
    let memory = engine.budget.reserve_share(1, 1);
    let share = memory.bytes() / 8;
    let mut sink = Sink {
        sampling: engine.config.sketch.sampling,
        pairs: engine.sorter(PHASE, "pairs", 5 * share, SumShared),
        lost: engine.sorter(PHASE, "lost", share, SumLost),
        common: engine.writer(PHASE, "common", FileKind::Common)?,
        task: task.clone(),
    };
    let params = ExpandParams {
        common_limit: u64::from(engine.config.pairs.common_shingle_limit),
        held_max: (share / 4).max(1),
    };
    let seen = expand(&mut Counting { postings, task: &task }, params, &mut sink)?;
    sink.task.finish();
    let common = sink.common.finish().map_err(work)?;
    let mut counts = sink.pairs.finish().map_err(work)?;
    let mut writer = engine.writer::<PairCount>(PHASE, "pairs", FileKind::Pairs)?;
    while let Some(pair) = counts.next().map_err(work)? {
        writer.push(&pair).map_err(work)?;
    }
    let pairs = writer.finish().map_err(work)?;
    let mut counts = sink.lost.finish().map_err(work)?;
    let mut writer = engine.writer::<LostRecord>(PHASE, "lost", FileKind::Lost)?;
    while let Some(lost) = counts.next().map_err(work)? {
        writer.push(&lost).map_err(work)?;
    }
    let lost = writer.finish().map_err(work)?;
    let counts = [
        ("postings", seen.postings),
        ("shingles", seen.shingles),
        ("shingles_in_one_document", seen.single),
        ("common_shingles", seen.common),
        ("common_postings", seen.common_postings),
        ("increments", seen.increments),
        ("groups_not_held", seen.not_held),
        ("pairs", pairs.records),
    ];
    Ok(super::record([common, pairs, lost], counts))
}
