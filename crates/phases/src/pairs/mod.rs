//! Sorted postings → sorted pair counts, common shingles, and what each sketch lost to them.
//!
//! Two steps, each by all threads ([`anew`]): [`groups`] reads the postings, a shard a thread at a
//! time, and sends each group as a list of documents to the [`parts`] of its lower documents; then
//! [`ranges`] counts the pairs of a range of lower documents in memory, and they go to the file in
//! [`ordered`] turns. Most pairs that cannot reach the floor of the configuration are left out: it
//! says what each document [`min_shared`], and groups wait [`aside`] until it is known whose documents
//! may reach it. The file is the same whatever the parts, ranges and threads. Where an earlier run
//! has counted most of them, only what changed is expanded: [`changes`].

mod anew;
mod aside;
mod changes;
mod groups;
mod list_file;
mod min_shared;
mod ordered;
mod parts;
mod ranges;
mod whole;

pub use anew::write_all;

use engine::Engine;
use engine::levels::{self, FRESH, FRESH_FROM};
use format::{FileKind, Level, Levels, PhaseRecord, Sealed};
use model::Record;
use runtime::{Error, PhaseName};
use sort::{Combine, Sorter};
use std::collections::BTreeMap;

const PHASE: PhaseName = PhaseName::Pairs;

/// First part of the names of files of pair counts.
const STEM: &str = "pairs";
const COMMON: &str = "common";
const LOST: &str = "lost";

pub fn run(engine: &Engine<'_>) -> Result<PhaseRecord, Error> {
    let sorted = engine
        .manifest()
        .levels
        .get(PhaseName::Sort.name())
        .cloned()
        .unwrap_or_default();
    // What was left out below a floor may be above that of now.
    let has_all = engine.config.floor().is_none();
    let before = levels::before(engine, PHASE)
        .filter(|before| has_all && changes::can_follow(before, &sorted));
    let step = before.as_ref().map_or(1, |before| before.levels.step + 1);
    let changed = match &before {
        Some(before) => changes::changed(engine, step, before, &sorted)?,
        None => None,
    };
    let (
        step,
        PairsOutput {
            files,
            common,
            lost,
            fresh,
            counts,
        },
    ) = match changed {
        Some(changed) => (step, changed),
        None => {
            levels::forget(engine, PHASE)?;
            (1, anew::anew(engine, 1, &sorted)?)
        }
    };
    let mut counted = counts.clone();
    if let Some((first, _)) = &fresh {
        counted.insert(FRESH_FROM.to_owned(), u64::from(*first));
    }
    let kept = Levels {
        parameters: levels::parameters_of(engine, PHASE),
        base: sorted.base,
        step,
        source_step: sorted.step,
        snapshots: levels::taken(&engine.manifest()),
        files,
        others: [
            (COMMON, Some(common)),
            (LOST, Some(lost)),
            (FRESH, fresh.map(|(_, sealed)| sealed)),
        ]
        .into_iter()
        .filter_map(|(name, sealed)| Some((name.to_owned(), sealed?)))
        .collect(),
        counts: counted,
    };
    let outputs = levels::outputs(&kept);
    let pairs = kept.files.iter().map(|level| level.sealed.records).sum();
    levels::keep(engine, PHASE, kept);
    let mut record = PhaseRecord {
        outputs,
        counts,
        ..PhaseRecord::default()
    };
    record.counts.insert("pairs".to_owned(), pairs);
    Ok(record)
}

/// What a run makes, whether anew or by changes.
struct PairsOutput {
    files: Vec<Level>,
    common: Sealed,
    lost: Sealed,
    /// The file of this step, if it holds no pair of older documents, and the first of the others.
    fresh: Option<(u32, Sealed)>,
    counts: BTreeMap<String, u64>,
}

/// Ends a sort and writes what it gives.
fn write<R: Record, C: Combine<R>>(
    engine: &Engine<'_>,
    sorter: Sorter<R, C>,
    (name, kind): (&str, FileKind),
) -> Result<Sealed, Error> {
    let work = Error::work(PHASE);
    let mut sorted = sorter.finish().map_err(work)?;
    let mut writer = engine.writer::<R>(PHASE, name, kind)?;
    while let Some(records) = sorted.next_slice().map_err(work)? {
        writer.push_all(records).map_err(work)?;
    }
    writer.finish().map_err(work)
}

/// Runs the same work in every thread; gives what each made, or the first error.
fn side_by_side<T: Send>(
    threads: usize,
    work: impl Fn() -> Result<T, Error> + Sync,
) -> Result<Vec<T>, Error> {
    if threads == 1 {
        return Ok(vec![work()?]);
    }
    rayon::broadcast(|_| work()).into_iter().collect()
}
