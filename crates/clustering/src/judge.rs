//! Decides which pairs are links, a batch of pairs at a time.
//!
//! *Input.* Pairs in order, sketch sizes. *Output.* Links in order, to a [`LinkSink`]. *Algorithm.*
//! The sizes of `b` are looked up at random, those of `a` come in order. Where links are joined in
//! memory, the sizes of all documents lie beside the cells of the union-find, and one wait brings
//! both. Else, when they fit their share of the budget, one pass does with them alone. Otherwise
//! the pairs are partitioned by blocks of `b`, each block's sizes are held in turn, and the links
//! are sorted back into the order of pairs. *Memory.* Four bytes a document and level. *Disk.* The
//! pairs, where they are partitioned, and their links.
//!
//! A batch first drops the pairs that no size of `b` could make a link. The sizes of the others are
//! requested together, so that their cache misses overlap.

use crate::link_policy::link_record;
use crate::link_sink::LinkSink;
use crate::memory;
use crate::partition::PairRule;
use engine::{
    Engine, Error, FileLookup, PhaseName, ScratchDir, SizeLookup, SketchSizes,
    figures::LinkFigures, merge_levels::PairCounts,
};
use format::{LinkRecord, ScratchFile, ScratchWriter};
use model::{Cells, VecCells};
use model::{CommonLevel, Overlap, PairCount, Sampling, SizesByLevel, Threshold};
use std::ops::Range;

/// Judges pairs and hands on the links, in order of the pairs: the pairs whose sketches were
/// compared, if there are such, else those that were counted. Gives the counts of all links, and
/// that of the judged pairs.
pub(super) fn judge<R: PairRule>(
    engine: &Engine<'_>,
    phase: PhaseName,
    rule: &R,
    mut pairs: PairCounts,
    mut sink: LinkSink<'_>,
) -> Result<LinkFigures, Error> {
    let scratch = engine.scratch(phase)?;
    let compared = engine.compared_pairs()?;
    let records = compared
        .as_ref()
        .map_or(pairs.records(), |compared| compared.stream().records());
    let mut judge = LinkJudge {
        sampling: engine.config.sketch.sampling,
        rule,
        floor: engine.config.floor(),
        counted: 0,
        task: engine.reporter.task(phase, "pairs", records),
    };
    if let Some(compared) = compared {
        judge.pass_compared(compared, |links| sink.put(links))?;
    } else if let Some(linker) = sink.linker_mut() {
        let all = 0..scratch.documents;
        judge.load(engine.sketch_sizes()?, &all, linker.cells_mut())?;
        judge.pass(&mut pairs, None, &mut SizesBesideCells { sink: &mut sink })?;
    } else {
        judge.pass_by_blocks(engine, &scratch, pairs, &mut sink)?;
    }
    let counts = sink.finish()?;
    Ok(LinkFigures {
        pairs: judge.counted,
        ..counts
    })
}

/// The sizes of a block of documents, beside cells of no use.
struct SizeBlock {
    first: u32,
    cells: VecCells,
}

/// Where the sizes of documents are looked up, and where links go.
trait JudgeContext {
    /// Asks for the sizes of these documents, which lie anywhere: they are waited for together.
    fn ask(&self, docs: impl Iterator<Item = u32>);
    fn sizes(&self, doc: u32) -> &[u32];
    fn put(&mut self, links: &[LinkRecord]) -> Result<(), Error>;
}

/// A block and whoever takes the links.
struct SizesInBlock<F> {
    block: SizeBlock,
    emit: F,
}

impl<F: FnMut(&[LinkRecord]) -> Result<(), Error>> JudgeContext for SizesInBlock<F> {
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
struct SizesBesideCells<'s, 'a> {
    sink: &'s mut LinkSink<'a>,
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
struct LinkJudge<'a, R> {
    sampling: Sampling,
    rule: &'a R,
    /// Pairs that reach it are counted, all pairs if there is none.
    floor: Option<Threshold>,
    /// Pairs counted so far.
    counted: u64,
    task: engine::runtime::progress::Task,
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

    /// Puts the sizes of documents, at all levels there are, beside the cells from 0 on.
    fn load(
        &self,
        mut sizes: SketchSizes,
        docs: &Range<u32>,
        cells: &mut VecCells,
    ) -> Result<(), Error> {
        let mut put = |doc: u32, sizes: &[u32]| {
            if let Some(at) = doc.checked_sub(docs.start) {
                for (word, size) in cells.words_mut(at).iter_mut().zip(sizes) {
                    *word = *size;
                }
            }
            Ok(())
        };
        match self.sampling.levels() {
            1 => sizes.each_finest_until(docs.end, |doc, size| put(doc, &[size])),
            levels => sizes.each_until(docs.end, |doc, sizes| put(doc, &sizes.sizes[..levels])),
        }
    }

    fn load_block(&self, sizes: SketchSizes, docs: Range<u32>) -> Result<SizeBlock, Error> {
        let mut cells = VecCells::with_words(docs.len(), self.sampling.levels());
        self.load(sizes, &docs, &mut cells)?;
        let first = docs.start;
        Ok(SizeBlock { first, cells })
    }

    /// Judges pairs by blocks of `b` whose sizes fit the memory: in one pass if there is one block;
    /// else the pairs of each block are written apart, and its links sorted.
    fn pass_by_blocks(
        &mut self,
        engine: &Engine<'_>,
        scratch: &ScratchDir,
        mut pairs: PairCounts,
        sink: &mut LinkSink<'_>,
    ) -> Result<(), Error> {
        let documents = scratch.documents;
        let memory = scratch.budget.take(memory::JUDGED);
        let row_bytes = VecCells::bytes(1, self.sampling.levels());
        let block_docs = u32::try_from(2 * memory.part_bytes() / row_bytes)
            .unwrap_or(u32::MAX)
            .max(1);
        if documents <= block_docs {
            let block = self.load_block(engine.sketch_sizes()?, 0..documents)?;
            let emit = |links: &[LinkRecord]| sink.put(links);
            let mut context = SizesInBlock { block, emit };
            return self.pass(&mut pairs, None, &mut context);
        }
        let mut links = scratch.by_document("links", memory.part_bytes());
        let mut writers = Vec::new();
        for partition in 0..documents.div_ceil(block_docs) {
            writers.push(scratch.file(&format!("pairs.run-part-{partition:05}"))?);
        }
        while let Some(slice) = pairs.next_slice()? {
            for pair in slice {
                writers[(pair.b / block_docs) as usize].push(pair)?;
            }
        }
        let parts = writers.into_iter().map(ScratchWriter::finish);
        let parts: Vec<ScratchFile<PairCount>> = parts.collect::<Result<_, _>>()?;
        for (start, part) in (0..documents).step_by(block_docs as usize).zip(parts) {
            let end = start.saturating_add(block_docs).min(documents);
            let block = self.load_block(engine.sketch_sizes()?, start..end)?;
            let emit = |found: &[LinkRecord]| {
                let mut found = found.iter();
                found
                    .try_for_each(|link| links.push(*link))
                    .map_err(Error::from)
            };
            let mut pairs = PairCounts::of_file(part.read()?);
            // The first block has the sizes of `a`, too.
            let sizes_of_a = match start {
                0 => None,
                _ => Some(engine.sizes()?),
            };
            self.pass(&mut pairs, sizes_of_a, &mut SizesInBlock { block, emit })?;
        }
        let mut sorted = links.finish()?;
        while let Some(link) = sorted.next()? {
            sink.put(&[link])?;
        }
        Ok(())
    }

    /// Judges pairs whose sketches were compared.
    fn pass_compared(
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
    fn pass(
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

/// The pairs of a batch for which the sizes of `b` have to be looked at, which are far away:
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
