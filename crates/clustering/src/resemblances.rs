//! Pair counts and sketch sizes → links: of all pairs, or of those that an earlier run has not
//! judged ([`incremental`]).
//!
//! *Input.* Pairs in order, sketch sizes. *Output.* Links in order, to a [`LinkSink`]. *Algorithm.*
//! The sizes of `b` are looked up at random, those of `a` come in order. Where links are joined in
//! memory, the sizes of all documents lie beside the cells of the union-find, and one wait brings
//! both. Else, when they fit their share of the budget, one pass does with them alone. Otherwise
//! the pairs are partitioned by blocks of `b`, each block's sizes are held in turn, and the links
//! are sorted back into the order of pairs. *Memory.* Four bytes a document and level. *Disk.* The
//! pairs, where they are partitioned, and their links.

use crate::incremental::{self, EarlierLinks, LinkCounts, LinkSink, NamedCounts};
use crate::judge::{Judge, SizeBlock, SizesBesideCells, SizesInBlock};
use crate::link_joiner::LinkJoiner;
use crate::link_policy::PHASE;
use cluster::{LinkPolicy, VecCells};
use engine::SizeLookup;
use engine::SketchSizes;
use engine::merge_levels::PairCounts;
use engine::{Engine, Output};
use format::{Durability, FileKind, LinkRecord, RecordReader, RecordSpec, RecordWriter, Sealed};
use model::PairCount;
use runtime::Error;
use sort::{Prefixes, WordSorter};
use std::ops::Range;
use std::path::PathBuf;

fn load(engine: &Engine<'_>, docs: Range<u32>) -> Result<SizeBlock, Error> {
    let levels = engine.config.sketch.sampling.levels();
    let mut block = SizeBlock {
        sizes: Vec::with_capacity(docs.len() * levels),
        docs,
        levels,
    };
    let SizeBlock { docs, sizes, .. } = &mut block;
    each_sizes(engine, docs.end, |doc, of_doc| {
        if docs.contains(&doc) {
            sizes.extend_from_slice(of_doc);
        }
    })?;
    Ok(block)
}

/// Puts the sizes of all documents beside their cells.
fn load_beside(engine: &Engine<'_>, cells: &mut VecCells) -> Result<(), Error> {
    each_sizes(engine, engine.segments()?.documents(), |doc, sizes| {
        for (word, size) in cells.words_mut(doc).iter_mut().zip(sizes) {
            *word = *size;
        }
    })
}

/// Hands on the sizes of the documents up to this one, at all levels there are.
fn each_sizes(
    engine: &Engine<'_>,
    end: u32,
    mut take: impl FnMut(u32, &[u32]),
) -> Result<(), Error> {
    let mut sizes = SketchSizes::open(engine)?;
    match engine.config.sketch.sampling.levels() {
        1 => sizes.each_finest_until(end, |doc, size| take(doc, &[size])),
        levels => sizes.each_until(end, |doc, sizes| take(doc, &sizes.sizes[..levels])),
    }
}

/// Judges the pairs that no run has judged yet; gives the file of all links and the counts. All
/// links go to `linker`, too.
pub(super) fn links(
    engine: &Engine<'_>,
    policy: &LinkPolicy,
    linker: Option<&mut LinkJoiner<VecCells>>,
) -> Result<(Sealed, NamedCounts<4>), Error> {
    let mut writer = engine.writer::<LinkRecord>(PHASE, "links", FileKind::Links)?;
    let sink = LinkSink::new(&mut writer).joined_by(linker);
    let counts = match EarlierLinks::open(engine)? {
        None => judge(engine, policy, PairCounts::open(engine)?, sink)?,
        Some(EarlierLinks {
            links,
            new_pairs,
            counts,
        }) => counts.plus(&judge(engine, policy, new_pairs, sink.among(links)?)?),
    };
    let links = writer.finish().map_err(Error::work(PHASE))?;
    incremental::keep(engine, &links, &counts);
    Ok((links, counts.named()))
}

/// Judges all pairs and writes the links, in order of the pairs.
pub(super) fn write_links(
    engine: &Engine<'_>,
    policy: &LinkPolicy,
    writer: &mut RecordWriter<LinkRecord>,
) -> Result<LinkCounts, Error> {
    write_links_of(engine, policy, PairCounts::open(engine)?, writer)
}

/// The same of pairs that are given.
pub(super) fn write_links_of(
    engine: &Engine<'_>,
    policy: &LinkPolicy,
    pairs: PairCounts,
    writer: &mut RecordWriter<LinkRecord>,
) -> Result<LinkCounts, Error> {
    judge(engine, policy, pairs, LinkSink::new(writer))
}

/// Judges pairs and hands on the links, in order of the pairs.
fn judge(
    engine: &Engine<'_>,
    policy: &LinkPolicy,
    mut pairs: PairCounts,
    mut sink: LinkSink<'_>,
) -> Result<LinkCounts, Error> {
    let documents = engine.segments()?.documents();
    let task = engine.reporter.task(PHASE, "pairs", pairs.records());
    let sampling = engine.config.sketch.sampling;
    let floor = engine.config.floor();
    let mut judge = Judge {
        sampling,
        policy,
        floor,
        filter: policy.candidate_filter(floor),
        counts: LinkCounts::default(),
        task,
    };
    if let Some(linker) = &mut sink.linker {
        load_beside(engine, linker.cells_mut())?;
        judge.pass(&mut pairs, None, &mut SizesBesideCells { sink: &mut sink })?;
        sink.finish()?;
        return Ok(judge.counts);
    }
    let memory = engine.budget.reserve_share(3, 4);
    let row_bytes = 4 * sampling.levels();
    let block_docs = u32::try_from(memory.bytes() / 2 / row_bytes)
        .unwrap_or(u32::MAX)
        .max(1);
    if documents <= block_docs {
        let block = load(engine, 0..documents)?;
        judge.pass(
            &mut pairs,
            None,
            &mut SizesInBlock {
                block: &block,
                emit: |links: &[LinkRecord]| sink.put(links),
            },
        )?;
    } else {
        let sorter = engine.word_sorter::<LinkRecord>(PHASE, "links", memory.bytes() / 4);
        let mut sorter = sorter.expecting(Prefixes::documents(documents));
        judge_by_partition(
            engine,
            &mut judge,
            PartitionedPairs {
                pairs,
                block_docs,
                documents,
            },
            &mut sorter,
        )?;
        let mut sorted = sorter.finish().map_err(Error::work(PHASE))?;
        while let Some(link) = sorted.next().map_err(Error::work(PHASE))? {
            sink.put(&[link])?;
        }
    }
    sink.finish()?;
    Ok(judge.counts)
}

struct PartitionedPairs {
    pairs: PairCounts,
    block_docs: u32,
    documents: u32,
}

/// Pairs by blocks of `b`: written apart first, then judged block by block.
fn judge_by_partition(
    engine: &Engine<'_>,
    judge: &mut Judge<'_>,
    pairs: PartitionedPairs,
    links: &mut WordSorter<LinkRecord>,
) -> Result<(), Error> {
    let work = Error::work(PHASE);
    let PartitionedPairs {
        mut pairs,
        block_docs,
        documents,
    } = pairs;
    let path = |partition: u32| -> PathBuf {
        engine
            .dir(PHASE)
            .join(format!("pairs.run-part-{partition:05}"))
    };
    let count = documents.div_ceil(block_docs);
    let mut writers = Vec::new();
    for partition in 0..count {
        let (kind, block_bytes, durability) = (FileKind::Run, 16 << 10, Durability::Scratch);
        let spec = RecordSpec {
            path: path(partition),
            kind,
            fingerprint: [0; 16],
            block_bytes,
            durability,
        };
        writers.push(RecordWriter::<PairCount>::create(&engine.disk, spec).map_err(work)?);
    }
    while let Some(slice) = pairs.next_slice()? {
        for pair in slice {
            writers[(pair.b / block_docs) as usize]
                .push(pair)
                .map_err(work)?;
        }
    }
    for writer in writers {
        writer.finish().map_err(work)?;
    }
    for partition in 0..count {
        let start = partition * block_docs;
        let block = load(
            engine,
            start..start.saturating_add(block_docs).min(documents),
        )?;
        let reader = RecordReader::<PairCount>::open(&engine.disk, &path(partition), FileKind::Run)
            .map_err(work)?;
        let mut pairs = PairCounts::of_file(Output::of(reader, PHASE));
        // The first block has the sizes of `a`, too.
        let sizes_of_a = if start == 0 {
            None
        } else {
            Some(SizeLookup::open(engine)?)
        };
        let mut apart = SizesInBlock {
            block: &block,
            emit: |found: &[LinkRecord]| {
                let mut found = found.iter();
                found.try_for_each(|link| links.push(*link)).map_err(work)
            },
        };
        judge.pass(&mut pairs, sizes_of_a, &mut apart)?;
        engine.disk.remove(&path(partition)).map_err(work)?;
    }
    Ok(())
}
