//! Pair counts and sketch sizes → links: of all pairs, or of those that an earlier run has not
//! judged ([`incremental`]). [`Decisions`] replace the judged links of some pairs.
//!
//! *Input.* Pairs in order, sketch sizes. *Output.* Links in order, to a [`LinkSink`]. *Algorithm.*
//! The sizes of `b` are looked up at random, those of `a` come in order. Where links are joined in
//! memory, the sizes of all documents lie beside the cells of the union-find, and one wait brings
//! both. Else, when they fit their share of the budget, one pass does with them alone. Otherwise
//! the pairs are partitioned by blocks of `b`, each block's sizes are held in turn, and the links
//! are sorted back into the order of pairs. *Memory.* Four bytes a document and level. *Disk.* The
//! pairs, where they are partitioned, and their links.

use crate::decisions::Decisions;
use crate::incremental::{self, EarlierLinks, judged_links};
use crate::judge::{LinkJudge, SizeBlock, SizesBesideCells, SizesInBlock};
use crate::link_joiner::LinkJoiner;
use crate::link_policy::{PHASE, loosest};
use crate::link_sink::LinkSink;
use crate::partition::{LinkRule, PairRule};
use engine::{Engine, Error, PhaseName, Scratch, figures::LinkFigures, merge_levels::PairCounts};
use format::{FileKind, LinkRecord, RecordWriter, ScratchFile, ScratchWriter, Sealed};
use model::PairCount;
use model::{Cells, LinkPolicy, VecCells};
use sort::WordSorter;
use std::ops::Range;

/// Puts the sizes of documents, at all levels there are, beside the cells from 0 on.
fn load(engine: &Engine<'_>, docs: &Range<u32>, cells: &mut VecCells) -> Result<(), Error> {
    let mut put = |doc: u32, sizes: &[u32]| {
        if let Some(at) = doc.checked_sub(docs.start) {
            for (word, size) in cells.words_mut(at).iter_mut().zip(sizes) {
                *word = *size;
            }
        }
        Ok(())
    };
    let mut sizes = engine.sketch_sizes()?;
    match engine.config.sketch.sampling.levels() {
        1 => sizes.each_finest_until(docs.end, |doc, size| put(doc, &[size])),
        levels => sizes.each_until(docs.end, |doc, sizes| put(doc, &sizes.sizes[..levels])),
    }
}

/// The sizes of a block of documents.
fn load_block(engine: &Engine<'_>, docs: Range<u32>) -> Result<SizeBlock, Error> {
    let levels = engine.config.sketch.sampling.levels();
    let mut cells = VecCells::with_words(docs.len(), levels);
    load(engine, &docs, &mut cells)?;
    let first = docs.start;
    Ok(SizeBlock { first, cells })
}

/// Judges the pairs that no run has judged yet; gives the file of all links and the counts. All
/// links go to `linker`, too.
pub(super) fn links(
    engine: &Engine<'_>,
    policy: &LinkPolicy,
    linker: Option<&mut LinkJoiner<VecCells>>,
) -> Result<(Sealed, LinkFigures), Error> {
    let new_writer = |name| engine.writer::<LinkRecord>(PHASE, name, FileKind::Links);
    let (mut writer, mut judged) = (new_writer("links")?, new_writer("judged-links")?);
    let sink = LinkSink::new(&mut writer)
        .of_policy(*policy)
        .joined_by(linker)
        .decided_by(Decisions::open(engine, policy)?, Some(&mut judged));
    let rule = LinkRule::new(loosest(engine), engine.config.floor());
    let counts = match EarlierLinks::open(engine)? {
        None => judge(engine, PHASE, &rule, engine.pair_counts()?, sink)?,
        Some(EarlierLinks {
            links,
            affected,
            new_pairs,
            other_pairs,
        }) => {
            let sink = sink.among(links, Some(affected))?;
            let counts = judge(engine, PHASE, &rule, new_pairs, sink)?;
            LinkFigures {
                pairs: other_pairs + counts.pairs,
                ..counts
            }
        }
    };
    let links = writer.finish()?;
    incremental::keep(engine, &judged.finish()?, counts.pairs);
    Ok((links, counts))
}

/// Writes the links of a policy, in order of the pairs.
pub(super) fn write_links(
    engine: &Engine<'_>,
    policy: &LinkPolicy,
    writer: &mut RecordWriter<LinkRecord>,
) -> Result<(), Error> {
    let sink = LinkSink::new(writer)
        .of_policy(*policy)
        .decided_by(Decisions::open(engine, policy)?, None);
    if let Some(judged) = judged_links(engine, policy)? {
        return sink.among(judged, None)?.finish().map(drop);
    }
    let rule = LinkRule::new(*policy, engine.config.floor());
    judge(engine, PHASE, &rule, engine.pair_counts()?, sink).map(drop)
}

/// Writes the pairs that a rule chooses by their estimates, in order. The scratch files are in the
/// directory of `phase`.
///
/// # Errors
/// When the counts cannot be read or the pairs cannot be written.
pub fn write_chosen(
    engine: &Engine<'_>,
    phase: PhaseName,
    rule: &impl PairRule,
    pairs: PairCounts,
    writer: &mut RecordWriter<LinkRecord>,
) -> Result<(), Error> {
    judge(engine, phase, rule, pairs, LinkSink::new(writer)).map(drop)
}

/// Writes the links of a policy among pairs, in order; and those of all pairs that phase `settle`
/// compared, by their exact counts.
///
/// # Errors
/// When the counts cannot be read or the links cannot be written.
pub fn write_links_among(
    engine: &Engine<'_>,
    policy: &LinkPolicy,
    pairs: PairCounts,
    writer: &mut RecordWriter<LinkRecord>,
) -> Result<(), Error> {
    let decisions = Decisions::open(engine, policy)?.map(Decisions::or_estimates);
    let sink = LinkSink::new(writer).decided_by(decisions, None);
    let rule = LinkRule::new(*policy, None);
    judge(engine, PHASE, &rule, pairs, sink).map(drop)
}

/// Judges pairs and hands on the links, in order of the pairs: the pairs whose sketches were
/// compared, if there are such, else those that were counted.
fn judge<R: PairRule>(
    engine: &Engine<'_>,
    phase: PhaseName,
    rule: &R,
    mut pairs: PairCounts,
    mut sink: LinkSink<'_>,
) -> Result<LinkFigures, Error> {
    let scratch = engine.scratch(phase)?;
    let documents = scratch.documents;
    let compared = engine.compared_pairs()?;
    let records = compared
        .as_ref()
        .map_or(pairs.records(), |compared| compared.stream().records());
    let task = engine.reporter.task(phase, "pairs", records);
    let sampling = engine.config.sketch.sampling;
    let mut judge = LinkJudge {
        sampling,
        rule,
        floor: engine.config.floor(),
        counted: 0,
        task,
    };
    if let Some(compared) = compared {
        judge.pass_compared(compared, |links| sink.put(links))?;
        return finish(sink, &judge);
    }
    if let Some(linker) = sink.linker_mut() {
        load(engine, &(0..documents), linker.cells_mut())?;
        judge.pass(&mut pairs, None, &mut SizesBesideCells { sink: &mut sink })?;
        return finish(sink, &judge);
    }
    let memory = engine.budget.reserve_share(3, 4);
    let row_bytes = VecCells::bytes(1, sampling.levels());
    let block_docs = u32::try_from(memory.bytes() / 2 / row_bytes)
        .unwrap_or(u32::MAX)
        .max(1);
    if documents <= block_docs {
        let block = load_block(engine, 0..documents)?;
        judge.pass(
            &mut pairs,
            None,
            &mut SizesInBlock {
                block: &block,
                emit: |links: &[LinkRecord]| sink.put(links),
            },
        )?;
    } else {
        let mut sorter = scratch.by_document("links", memory.bytes() / 4);
        judge_by_partition(
            engine,
            &mut judge,
            &scratch,
            PartitionedPairs { pairs, block_docs },
            &mut sorter,
        )?;
        let mut sorted = sorter.finish()?;
        while let Some(link) = sorted.next()? {
            sink.put(&[link])?;
        }
    }
    finish(sink, &judge)
}

/// The counts of all links, and that of the judged pairs.
fn finish<R>(sink: LinkSink<'_>, judge: &LinkJudge<'_, R>) -> Result<LinkFigures, Error> {
    let counts = sink.finish()?;
    Ok(LinkFigures {
        pairs: judge.counted,
        ..counts
    })
}

struct PartitionedPairs {
    pairs: PairCounts,
    block_docs: u32,
}

/// Pairs by blocks of `b`: written apart first, then judged block by block.
fn judge_by_partition<R: PairRule>(
    engine: &Engine<'_>,
    judge: &mut LinkJudge<'_, R>,
    scratch: &Scratch,
    pairs: PartitionedPairs,
    links: &mut WordSorter<LinkRecord>,
) -> Result<(), Error> {
    let PartitionedPairs {
        mut pairs,
        block_docs,
    } = pairs;
    let documents = scratch.documents;
    let count = documents.div_ceil(block_docs);
    let mut writers = Vec::new();
    for partition in 0..count {
        writers.push(scratch.file(&format!("pairs.run-part-{partition:05}"))?);
    }
    while let Some(slice) = pairs.next_slice()? {
        for pair in slice {
            writers[(pair.b / block_docs) as usize].push(pair)?;
        }
    }
    let parts = writers.into_iter().map(ScratchWriter::finish);
    let parts: Vec<ScratchFile<PairCount>> = parts.collect::<Result<_, _>>()?;
    for (partition, part) in (0..count).zip(parts) {
        let start = partition * block_docs;
        let block = load_block(
            engine,
            start..start.saturating_add(block_docs).min(documents),
        )?;
        let mut pairs = PairCounts::of_file(part.read()?);
        // The first block has the sizes of `a`, too.
        let sizes_of_a = if start == 0 {
            None
        } else {
            Some(engine.sizes()?)
        };
        let mut apart = SizesInBlock {
            block: &block,
            emit: |found: &[LinkRecord]| {
                let mut found = found.iter();
                found
                    .try_for_each(|link| links.push(*link))
                    .map_err(Error::from)
            },
        };
        judge.pass(&mut pairs, sizes_of_a, &mut apart)?;
    }
    Ok(())
}
