//! The pairs that common shingles propose.
//!
//! *Input.* The common shingles, those of each sketch in document order, the lengths of documents.
//! *Output.* Pairs in order. *Algorithm.* `Hubs`, then `Proposals`, document after
//! document. Two meetings propose a pair, or one of a document that has no other common shingle.
//! *Memory.* The share that the caller gives: half for the groups, half for the sort. If the groups
//! of all common shingles do not fit, they are divided into ranges, and the documents are gone
//! through twice for each. *Disk.* 12 bytes for each meeting of two documents, as far as memory
//! does not hold them.

use super::outputs::{CommonShingles, PHASE, open_common_of};
use crate::combines::AddSigned;
use crate::expansion::{Hubs, Proposals, ShingleRanks};
use engine::{Engine, Error, FileLookup, segments::Marks};
use format::{CommonOfDocument, CommonRecord, FileKind, RecordReader};
use model::PairCount;
use sort::{Lookup, Prefixes, Sorted, Sorter};

/// Meetings that propose a pair, at least.
const MEETINGS_MIN: u32 = 2;

/// Proposed pairs in order.
pub(super) struct ProposedPairs(Option<Sorted<PairCount, AddSigned>>);

impl ProposedPairs {
    /// No pair.
    pub(super) fn none() -> ProposedPairs {
        ProposedPairs(None)
    }

    /// Finds the pairs in so many bytes.
    pub(super) fn find(
        engine: &Engine<'_>,
        common: &CommonShingles,
        share: usize,
    ) -> Result<ProposedPairs, Error> {
        if common.list.records == 0 {
            return Ok(ProposedPairs::none());
        }
        let range = Prefixes::documents(engine.segments()?.documents());
        let sorter = engine.sorter(PHASE, "proposed", share / 2, AddSigned);
        let mut pairs = sorter.expecting(range);
        let each = ShingleRanks::bytes(1) + Hubs::GROUP_BYTES + Proposals::GROUP_BYTES;
        let fitting = (share / 2 / each).max(1);
        let mut list = engine.open(PHASE, &common.list, FileKind::Common)?;
        let left = usize::try_from(common.list.records).unwrap_or(usize::MAX);
        let ranges = left.div_ceil(fitting);
        let task = engine
            .reporter
            .task(PHASE, "common shingles", ranges as u64);
        for _ in 0..ranges {
            let ranks = next_range(&mut list, left.div_ceil(ranges))?;
            propose(engine, common, &ranks, &mut pairs)?;
            task.add(1);
        }
        task.finish();
        Ok(ProposedPairs(Some(pairs.finish()?)))
    }

    /// The next pair; `None` after the last.
    pub(super) fn next(&mut self) -> Result<Option<[u32; 2]>, Error> {
        let Some(pairs) = &mut self.0 else {
            return Ok(None);
        };
        while let Some(pair) = pairs.next()? {
            if pair.shared >= MEETINGS_MIN {
                return Ok(Some([pair.a, pair.b]));
            }
        }
        Ok(None)
    }
}

/// The next common shingles, up to so many.
fn next_range(list: &mut RecordReader<CommonRecord>, most: usize) -> Result<ShingleRanks, Error> {
    let mut shingles = Vec::with_capacity(most);
    while shingles.len() < most
        && let Some(record) = list.next()?
    {
        shingles.push(record.shingle);
    }
    Ok(ShingleRanks::of(shingles))
}

/// Adds the meetings of all documents in the groups of some shingles.
fn propose(
    engine: &Engine<'_>,
    common: &CommonShingles,
    ranks: &ShingleRanks,
    pairs: &mut Sorter<PairCount, AddSigned>,
) -> Result<(), Error> {
    // As many as make a shingle common: they stay the first ones, whatever comes later.
    let among = u64::from(engine.config.pairs.common_shingle_limit) + 1;
    let mut hubs = Hubs::new(ranks.len(), among);
    each_document(engine, common, ranks, |member| {
        hubs.add(member.doc, member.words, member.ranks);
        Ok(())
    })?;
    let mut proposals = Proposals::new(&hubs);
    drop(hubs);
    each_document(engine, common, ranks, |member| {
        let weight = if member.is_in_one { MEETINGS_MIN } else { 1 };
        let meet = |other: u32, count: u32| {
            let [a, b] = [member.doc.min(other), member.doc.max(other)];
            let shared = count.saturating_mul(weight);
            pairs.push(PairCount { a, b, shared })
        };
        let added = proposals.add(member.doc, member.words, member.ranks, meet);
        added.map_err(Error::from)
    })
}

/// A document with common shingles.
struct CommonMember<'a> {
    doc: u32,
    words: u64,
    /// The numbers of those of its common shingles that are gone through.
    ranks: &'a [u32],
    /// Whether it has one common shingle only.
    is_in_one: bool,
}

/// Hands on the documents in the groups of some shingles, in order.
fn each_document(
    engine: &Engine<'_>,
    common: &CommonShingles,
    ranks: &ShingleRanks,
    mut take: impl FnMut(CommonMember<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut documents = CommonOfDocuments::open(engine, common)?;
    let mut marks: Marks = engine.segments()?.marks();
    let mut numbers = Vec::new();
    while let Some((doc, shingles)) = documents.next_document()? {
        numbers.clear();
        numbers.extend(shingles.iter().filter_map(|one| ranks.of_shingle(*one)));
        if numbers.is_empty() {
            continue;
        }
        take(CommonMember {
            doc,
            words: marks.of_document(doc)?.words,
            ranks: &numbers,
            is_in_one: shingles.len() == 1,
        })?;
        if doc.is_multiple_of(1 << 12) {
            let interrupted = engine.disk.check_interrupt();
            interrupted?;
        }
    }
    Ok(())
}

/// The documents with common shingles, in order.
pub(super) struct CommonOfDocuments {
    records: FileLookup<CommonOfDocument>,
    group: Vec<CommonOfDocument>,
    shingles: Vec<u64>,
}

impl CommonOfDocuments {
    pub(super) fn open(
        engine: &Engine<'_>,
        common: &CommonShingles,
    ) -> Result<CommonOfDocuments, Error> {
        Ok(CommonOfDocuments {
            records: Lookup::over(open_common_of(engine, &common.of_documents)?)?,
            group: Vec::new(),
            shingles: Vec::new(),
        })
    }

    /// The next document, and the common shingles of its sketch in order; `None` after the last.
    pub(super) fn next_document(&mut self) -> Result<Option<(u32, &[u64])>, Error> {
        let doc = self.records.next_group(&mut self.group)?;
        self.shingles.clear();
        self.shingles
            .extend(self.group.iter().map(|one| one.shingle));
        Ok(doc.map(|doc| (doc, &self.shingles[..])))
    }
}
