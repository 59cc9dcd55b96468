//! Pair counts and sketch sizes → links: of all pairs, or of those that an earlier run has not judged ([`fresh`](super::fresh)).
//!
//! The sizes of `b` are looked up at random, those of `a` come in order. When the sizes of all documents fit their
//! share of the budget, one pass does. Otherwise the pairs are parted by blocks of `b`, each block's sizes are held in
//! turn, and the links are sorted back into the order of pairs.

use super::PHASE;
use super::fresh::{self, Counted, Counts, Joined, Judged};
use crate::engine::{Engine, Output};
use crate::levels::PairCounts;
use crate::segments::{Rows, SegmentFile};
use crate::{Error, PhaseName};
use cluster::{LinkPolicy, Sieve};
use format::{Durability, FileKind, LinkRecord, LostRecord, RecordReader, RecordSpec, RecordWriter, Sealed};
use model::{Overlap, PairCount, Sampling, SizeLadder, Threshold};
use sort::{Keep, Prefixes, Sorter};
use std::ops::Range;
use std::path::PathBuf;

/// Sketch sizes in document order, common shingles left out.
pub(crate) struct Ladders {
    rows: Rows,
    lost: Output<LostRecord>,
    next_lost: Option<LostRecord>,
}

impl Ladders {
    pub(crate) fn open(engine: &Engine<'_>) -> Result<Ladders, Error> {
        Ladders::with(engine, engine.reader::<LostRecord>(PhaseName::Pairs, "lost", FileKind::Lost)?)
    }

    /// With what sketches lost to common shingles, in document order.
    pub(crate) fn with(engine: &Engine<'_>, mut lost: Output<LostRecord>) -> Result<Ladders, Error> {
        let next_lost = lost.next()?;
        Ok(Ladders { rows: engine.segments()?.rows(SegmentFile::Ladders), lost, next_lost })
    }

    /// Passes over the segments that end before a document.
    pub(super) fn skip_segments(&mut self, doc: u32) {
        self.rows.skip_segments(doc);
    }

    /// Hands on the sizes of documents, in order, from where it stands to a document and somewhat beyond.
    pub(crate) fn each_until(&mut self, end: u32, mut take: impl FnMut(u32, &SizeLadder)) -> Result<(), Error> {
        let Ladders { rows, lost, next_lost } = self;
        let mut reached = 0;
        while reached < end
            && rows.each_ladder(|doc, mut ladder| {
                take_off(doc, &mut ladder, (lost, next_lost))?;
                take(doc, &ladder);
                reached = doc + 1;
                Ok(())
            })?
        {}
        Ok(())
    }

    /// The next document, its sizes, and how many common shingles its sketch lost.
    pub(crate) fn next(&mut self) -> Result<Option<(u32, SizeLadder, u32)>, Error> {
        let Some((doc, row)) = self.rows.next_ladder()? else { return Ok(None) };
        let mut ladder = row.0;
        let total = take_off(doc, &mut ladder, (&mut self.lost, &mut self.next_lost))?;
        Ok(Some((doc, ladder, total)))
    }
}

/// Takes off the sizes of a sketch what it lost to common shingles; says how many. Losses come in order.
#[inline]
fn take_off(
    doc: u32,
    ladder: &mut SizeLadder,
    (losses, next): (&mut Output<LostRecord>, &mut Option<LostRecord>),
) -> Result<u32, Error> {
    let mut total = 0_u32;
    // Those before it are of documents that were passed over.
    while let Some(lost) = next.filter(|lost| lost.doc <= doc) {
        if lost.doc == doc {
            ladder.remove(usize::from(lost.level), lost.count);
            total = total.saturating_add(lost.count);
        }
        *next = losses.next()?;
    }
    Ok(total)
}

/// The sizes of a block of documents, `levels` numbers each.
struct Block {
    docs: Range<u32>,
    levels: usize,
    sizes: Vec<u32>,
}

impl Block {
    #[inline]
    fn sizes(&self, doc: u32) -> &[u32] {
        let at = (doc - self.docs.start) as usize * self.levels;
        &self.sizes[at..at + self.levels]
    }
}

/// Pairs judged at a time: what is waited for in memory is waited for together.
const BATCH_PAIRS: usize = 256;

fn load(engine: &Engine<'_>, docs: Range<u32>) -> Result<Block, Error> {
    let levels = engine.config.sketch.sampling.levels();
    let mut block = Block { sizes: Vec::with_capacity(docs.len() * levels), docs, levels };
    let mut ladders = Ladders::open(engine)?;
    let Block { docs, sizes, .. } = &mut block;
    ladders.each_until(docs.end, |doc, ladder| {
        if docs.contains(&doc) {
            sizes.extend_from_slice(&ladder.sizes[..levels]);
        }
    })?;
    Ok(block)
}

struct Judge<'a> {
    sampling: Sampling,
    policy: &'a LinkPolicy,
    /// Pairs that reach it are counted, all pairs if there is none.
    floor: Option<Threshold>,
    sieve: Sieve,
    counts: Counts,
    task: crate::progress::Task,
}

impl Judge<'_> {
    /// The link between two documents, if there is one, by their sizes at the first level that both have.
    #[inline]
    fn link(&mut self, pair: &PairCount, a: &[u32], b: &[u32]) -> Option<LinkRecord> {
        let (level, size_a, size_b) = SizeLadder::common_level_of(a, b)?;
        if !self.sieve.passes(pair.shared, size_a, size_b) {
            return None;
        }
        self.judged(pair, level, (size_a, size_b))
    }

    fn judged(&mut self, pair: &PairCount, level: usize, (size_a, size_b): (u32, u32)) -> Option<LinkRecord> {
        let overlap = Overlap { shared: pair.shared, size_a, size_b, modulus: self.sampling.modulus_at(level) };
        let floor = self.floor.is_some_and(|floor| floor.reached_by(overlap.shared_of_union()));
        self.counts.pairs += u64::from(floor);
        let reached = self.policy.judge(&overlap)?;
        self.counts.links += 1;
        self.counts.resemblance += u64::from(reached.resemblance);
        self.counts.directed += u64::from(reached.a_in_b || reached.b_in_a);
        let bits = [
            (reached.resemblance, LinkRecord::RESEMBLANCE),
            (reached.a_in_b, LinkRecord::A_IN_B),
            (reached.b_in_a, LinkRecord::B_IN_A),
        ];
        let reached = bits.into_iter().filter(|(set, _)| *set).fold(0, |all, (_, bit)| all | bit);
        let modulus = overlap.modulus;
        Some(LinkRecord { a: pair.a, b: pair.b, shared: pair.shared, size_a, size_b, modulus, reached })
    }

    /// Judges pairs in order: all of whose `b` are in the block.
    fn pass(
        &mut self,
        engine: &Engine<'_>,
        block: &Block,
        pairs: &mut PairCounts,
        emit: &mut dyn FnMut(LinkRecord) -> Result<(), Error>,
    ) -> Result<(), Error> {
        // With all documents in the block, the sizes of `a` are there too; else they come by, in order.
        let mut in_order = if block.docs.start == 0 { None } else { Some(InOrder::open(engine)?) };
        let mut sifted = Sifted::default();
        while let Some(slice) = pairs.next_slice()? {
            self.task.add(slice.len() as u64);
            self.counts.pairs += if self.floor.is_none() { slice.len() as u64 } else { 0 };
            for batch in slice.chunks(BATCH_PAIRS) {
                match &mut in_order {
                    None => sifted.fill(self.sieve, batch, |a, sizes| {
                        sizes.extend_from_slice(block.sizes(a));
                        Ok(())
                    })?,
                    Some(ladders) => sifted.fill(self.sieve, batch, |a, sizes| {
                        sizes.extend_from_slice(&ladders.of(a)?[..block.levels]);
                        Ok(())
                    })?,
                }
                // The loads must happen though nobody wants their values yet; the processor does not wait for them.
                for (pair, _) in &sifted.pairs {
                    std::hint::black_box(block.sizes(pair.b).first().copied());
                }
                for &(pair, at) in &sifted.pairs {
                    let a = &sifted.sizes[at..at + block.levels];
                    if let Some(link) = self.link(&pair, a, block.sizes(pair.b)) {
                        emit(link)?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Those of a batch of pairs for which the sizes of `b` have to be looked at, which are far away: few.
#[derive(Default)]
struct Sifted {
    /// And where the sizes of `a` begin.
    pairs: Vec<(PairCount, usize)>,
    sizes: Vec<u32>,
}

impl Sifted {
    /// Pairs come in the order of `a`.
    #[inline]
    fn fill(
        &mut self,
        sieve: Sieve,
        batch: &[PairCount],
        mut put_sizes: impl FnMut(u32, &mut Vec<u32>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.pairs.clear();
        self.sizes.clear();
        for row in batch.chunk_by(|one, next| one.a == next.a) {
            let at = self.sizes.len();
            put_sizes(row[0].a, &mut self.sizes)?;
            let least = sieve.least_shared(&self.sizes[at..]);
            self.pairs.extend(row.iter().filter(|pair| pair.shared >= least).map(|pair| (*pair, at)));
        }
        Ok(())
    }
}

/// Sizes looked up in ascending order of documents.
struct InOrder {
    ladders: Ladders,
    current: Option<(u32, SizeLadder)>,
}

impl InOrder {
    fn open(engine: &Engine<'_>) -> Result<InOrder, Error> {
        Ok(InOrder { ladders: Ladders::open(engine)?, current: None })
    }

    fn of(&mut self, wanted: u32) -> Result<&[u32], Error> {
        if self.current.is_none_or(|(doc, _)| doc < wanted) {
            self.ladders.skip_segments(wanted);
        }
        while self.current.is_none_or(|(doc, _)| doc < wanted) {
            let Some((doc, ladder, _)) = self.ladders.next()? else {
                return Err(Error::Usage(format!("failed to judge pairs: document {wanted} has no sketch")));
            };
            self.current = Some((doc, ladder));
        }
        Ok(self.current.as_ref().map_or(&[], |(_, ladder)| &ladder.sizes))
    }
}

/// Judges the pairs that nobody has judged yet; gives the file of links and what was counted.
pub(super) fn links(engine: &Engine<'_>, policy: &LinkPolicy) -> Result<(Sealed, Counted<4>), Error> {
    let mut writer = engine.writer::<LinkRecord>(PHASE, "links", FileKind::Links)?;
    let counts = match Judged::before(engine)? {
        None => write_links(engine, policy, &mut writer)?,
        Some(Judged { mut links, fresh, counts }) => {
            let mut joined = Joined { next: links.next()?, links, writer: &mut writer };
            let new = judge(engine, policy, fresh, &mut |link| joined.put(&link))?;
            joined.put_rest()?;
            counts.plus(&new)
        }
    };
    let links = writer.finish().map_err(Error::work(PHASE))?;
    fresh::keep(engine, &links, &counts);
    Ok((links, counts.named()))
}

/// Judges all pairs and writes the links, in order of the pairs.
pub(super) fn write_links(
    engine: &Engine<'_>,
    policy: &LinkPolicy,
    writer: &mut RecordWriter<LinkRecord>,
) -> Result<Counts, Error> {
    write_links_of(engine, policy, PairCounts::open(engine)?, writer)
}

/// The same of pairs that are given.
pub(super) fn write_links_of(
    engine: &Engine<'_>,
    policy: &LinkPolicy,
    pairs: PairCounts,
    writer: &mut RecordWriter<LinkRecord>,
) -> Result<Counts, Error> {
    judge(engine, policy, pairs, &mut |link| writer.push(&link).map_err(Error::work(PHASE)))
}

/// Judges pairs and hands on the links, in order of the pairs.
fn judge(
    engine: &Engine<'_>,
    policy: &LinkPolicy,
    mut pairs: PairCounts,
    emit: &mut dyn FnMut(LinkRecord) -> Result<(), Error>,
) -> Result<Counts, Error> {
    let documents = engine.segments()?.documents();
    let task = engine.reporter.task(PHASE, "pairs", pairs.records());
    let sampling = engine.config.sketch.sampling;
    let memory = engine.budget.reserve_share(3, 4);
    let row_bytes = 4 * sampling.levels();
    let block_docs = u32::try_from(memory.bytes() / 2 / row_bytes).unwrap_or(u32::MAX).max(1);
    let floor = engine.config.floor();
    let mut judge = Judge { sampling, policy, floor, sieve: policy.sieve(floor), counts: Counts::default(), task };
    if documents <= block_docs {
        let block = load(engine, 0..documents)?;
        judge.pass(engine, &block, &mut pairs, emit)?;
    } else {
        let sorter = engine.sorter::<LinkRecord, _>(PHASE, "links", memory.bytes() / 4, Keep);
        let mut sorter = sorter.expecting(Prefixes::documents(documents));
        parted(engine, &mut judge, Parts { pairs, block_docs, documents }, &mut sorter)?;
        let mut sorted = sorter.finish().map_err(Error::work(PHASE))?;
        while let Some(link) = sorted.next().map_err(Error::work(PHASE))? {
            emit(link)?;
        }
    }
    Ok(judge.counts)
}

struct Parts {
    pairs: PairCounts,
    block_docs: u32,
    documents: u32,
}

/// Pairs by blocks of `b`: written apart first, then judged block by block.
fn parted(
    engine: &Engine<'_>,
    judge: &mut Judge<'_>,
    parts: Parts,
    links: &mut Sorter<LinkRecord, Keep>,
) -> Result<(), Error> {
    let work = Error::work(PHASE);
    let Parts { mut pairs, block_docs, documents } = parts;
    let path = |part: u32| -> PathBuf { engine.dir(PHASE).join(format!("pairs.run-part-{part:05}")) };
    let count = documents.div_ceil(block_docs);
    let mut writers = Vec::new();
    for part in 0..count {
        let (kind, block_bytes, durability) = (FileKind::Run, 16 << 10, Durability::Scratch);
        let spec = RecordSpec { path: path(part), kind, fingerprint: [0; 16], block_bytes, durability };
        writers.push(RecordWriter::<PairCount>::create(&engine.disk, spec).map_err(work)?);
    }
    while let Some(slice) = pairs.next_slice()? {
        for pair in slice {
            writers[(pair.b / block_docs) as usize].push(pair).map_err(work)?;
        }
    }
    for writer in writers {
        writer.finish().map_err(work)?;
    }
    for part in 0..count {
        let start = part * block_docs;
        let block = load(engine, start..start.saturating_add(block_docs).min(documents))?;
        let reader = RecordReader::<PairCount>::open(&engine.disk, &path(part), FileKind::Run).map_err(work)?;
        judge.pass(engine, &block, &mut PairCounts::part(Output::of(reader, PHASE)), &mut |link| {
            links.push(link).map_err(work)
        })?;
        engine.disk.remove(&path(part)).map_err(work)?;
    }
    Ok(())
}
