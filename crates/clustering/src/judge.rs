//! Decides which pairs are links, a batch of pairs at a time.
//!
//! A batch first drops the pairs that no size of `b` could make a link. The sizes of the others are
//! requested together, so that their cache misses overlap.

use crate::link_policy::link_record;
use crate::link_sink::LinkSink;
use crate::partition::PairRule;
use engine::{Error, FileLookup, SizeLookup, merge_levels::PairCounts};
use format::LinkRecord;
use model::{Cells, VecCells};
use model::{CommonLevel, Overlap, PairCount, Sampling, SizesByLevel, Threshold};

/// The sizes of a block of documents, beside cells of no use.
pub(super) struct SizeBlock {
    pub(super) first: u32,
    pub(super) cells: VecCells,
}

/// Where the sizes of documents are looked up, and where links go.
pub(super) trait JudgeContext {
    /// Asks for the sizes of these documents, which lie anywhere: they are waited for together.
    fn ask(&self, docs: impl Iterator<Item = u32>);
    fn sizes(&self, doc: u32) -> &[u32];
    fn put(&mut self, links: &[LinkRecord]) -> Result<(), Error>;
}

/// A block and whoever takes the links.
pub(super) struct SizesInBlock<'a, F> {
    pub(super) block: &'a SizeBlock,
    pub(super) emit: F,
}

impl<F: FnMut(&[LinkRecord]) -> Result<(), Error>> JudgeContext for SizesInBlock<'_, F> {
    #[inline]
    fn ask(&self, docs: impl Iterator<Item = u32>) {
        // The loads must happen though nobody wants their values yet; the processor does not wait
        // for them.
        let cells = docs.map(|doc| self.block.cells.touch(doc - self.block.first));
        std::hint::black_box(cells.fold(0, u32::wrapping_add));
    }
    #[inline]
    fn sizes(&self, doc: u32) -> &[u32] {
        self.block.cells.words(doc - self.block.first)
    }
    fn put(&mut self, links: &[LinkRecord]) -> Result<(), Error> {
        (self.emit)(links)
    }
}

/// Sizes beside the cells of the union-find that joins the links.
pub(super) struct SizesBesideCells<'s, 'a> {
    pub(super) sink: &'s mut LinkSink<'a>,
}

impl JudgeContext for SizesBesideCells<'_, '_> {
    #[inline]
    fn ask(&self, docs: impl Iterator<Item = u32>) {
        if let Some(linker) = self.sink.linker() {
            linker.ask(docs);
        }
    }
    #[inline]
    fn sizes(&self, doc: u32) -> &[u32] {
        self.sink.linker().map_or(&[], |linker| linker.words(doc))
    }
    fn put(&mut self, links: &[LinkRecord]) -> Result<(), Error> {
        self.sink.put(links)
    }
}

/// Pairs judged at a time: what is waited for in memory is waited for together.
const BATCH_PAIRS: usize = 256;

/// Decides which pairs are links.
pub(super) struct LinkJudge<'a, R> {
    pub(super) sampling: Sampling,
    pub(super) rule: &'a R,
    /// Pairs that reach it are counted, all pairs if there is none.
    pub(super) floor: Option<Threshold>,
    /// Those counted.
    pub(super) counted: u64,
    pub(super) task: engine::runtime::progress::Task,
}

impl<R: PairRule> LinkJudge<'_, R> {
    /// The link between two documents, if there is one, by their sizes at the first level that both
    /// have.
    #[inline]
    fn link(&mut self, pair: &PairCount, a: &[u32], b: &[u32]) -> Option<LinkRecord> {
        let common = SizesByLevel::common_level_of(a, b)?;
        if !self.rule.passes(pair.shared, common.size_a, common.size_b) {
            return None;
        }
        let CommonLevel {
            level,
            size_a,
            size_b,
        } = common;
        let overlap = Overlap {
            shared: pair.shared,
            size_a,
            size_b,
            modulus: self.sampling.modulus_at(level),
        };
        self.judged([pair.a, pair.b], &overlap)
    }

    fn judged(&mut self, pair: [u32; 2], overlap: &Overlap) -> Option<LinkRecord> {
        let floor = self
            .floor
            .is_some_and(|floor| floor.reached_by(overlap.shared_of_union()));
        self.counted += u64::from(floor);
        let reached = self.rule.judge(overlap)?;
        Some(link_record(pair, overlap, reached))
    }

    /// Judges pairs whose sketches were compared.
    pub(super) fn pass_compared(
        &mut self,
        mut pairs: FileLookup<LinkRecord>,
        mut put: impl FnMut(&[LinkRecord]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let records = pairs.stream().records();
        self.task.add(records);
        self.counted = if self.floor.is_none() { records } else { 0 };
        while let Some(pair) = pairs.next()? {
            if let Some(link) = self.judged([pair.a, pair.b], &pair.overlap()) {
                put(&[link])?;
            }
        }
        Ok(())
    }

    /// Judges pairs in order. The sizes of `a` come from `sizes_of_a` if `context` does not have
    /// them.
    pub(super) fn pass(
        &mut self,
        pairs: &mut PairCounts,
        mut sizes_of_a: Option<SizeLookup>,
        context: &mut impl JudgeContext,
    ) -> Result<(), Error> {
        let levels = self.sampling.levels();
        let (mut passing, mut links) = (PassingPairs::default(), Vec::with_capacity(BATCH_PAIRS));
        while let Some(slice) = pairs.next_slice()? {
            self.task.add(slice.len() as u64);
            self.counted += if self.floor.is_none() {
                slice.len() as u64
            } else {
                0
            };
            for batch in slice.chunks(BATCH_PAIRS) {
                match &mut sizes_of_a {
                    None => passing.fill(self.rule, batch, |a, sizes| {
                        sizes.extend_from_slice(context.sizes(a));
                        Ok(())
                    })?,
                    Some(sizes_of_a) => passing.fill(self.rule, batch, |a, sizes| {
                        sizes.extend_from_slice(&sizes_of_a.required(a)?[..levels]);
                        Ok(())
                    })?,
                }
                context.ask(passing.pairs.iter().map(|(pair, _)| pair.b));
                for &(pair, at) in &passing.pairs {
                    links.extend(self.link(
                        &pair,
                        &passing.sizes[at..at + levels],
                        context.sizes(pair.b),
                    ));
                }
                if !links.is_empty() {
                    context.put(&links)?;
                    links.clear();
                }
            }
        }
        Ok(())
    }
}

/// Those of a batch of pairs for which the sizes of `b` have to be looked at, which are far away:
/// few.
#[derive(Default)]
struct PassingPairs {
    /// And where the sizes of `a` begin.
    pairs: Vec<(PairCount, usize)>,
    sizes: Vec<u32>,
}

impl PassingPairs {
    /// Pairs come in the order of `a`.
    #[inline]
    fn fill(
        &mut self,
        rule: &impl PairRule,
        batch: &[PairCount],
        mut put_sizes: impl FnMut(u32, &mut Vec<u32>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.pairs.clear();
        self.sizes.clear();
        for row in batch.chunk_by(|one, next| one.a == next.a) {
            let at = self.sizes.len();
            put_sizes(row[0].a, &mut self.sizes)?;
            let least = rule.least_shared(&self.sizes[at..]);
            self.pairs.extend(
                row.iter()
                    .filter(|pair| pair.shared >= least)
                    .map(|pair| (*pair, at)),
            );
        }
        Ok(())
    }
}
