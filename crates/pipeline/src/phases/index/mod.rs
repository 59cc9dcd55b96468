//! Everything → the publication: tables, rejected records, report, query index.

mod changes;
mod documents;
mod journal;
mod maps;
mod membership;
mod report;
mod tables;

use crate::cost::Meter;
use crate::engine::Engine;
use crate::publish::Publication;
use crate::{Error, PhaseName, levels};
use format::PhaseRecord;
use std::collections::BTreeMap;

#[cfg(test)]
pub(crate) use changes::tests::agrees as changes_agree;
pub(crate) use changes::{intervals, intervals_of};
pub(crate) use documents::{document_tables, rejected_work, table_error};
#[cfg(test)]
pub(crate) use journal::tests::agrees as journal_agrees;
pub(crate) use journal::{FILE as JOURNAL, sound_journal};
#[cfg(test)]
pub(crate) use maps::build as build_maps;
pub(crate) use report::report;

const PHASE: PhaseName = PhaseName::Index;

/// The rejected records of all snapshots.
const REJECTED: &str = "rejected.jsonl";

/// The document table of a snapshot, by its name.
pub(crate) fn documents_table(snapshot: &str) -> String {
    format!("documents/{snapshot}.parquet")
}

/// What goes into the metadata of every table: parameters that decide its content, no times, no
/// paths.
fn metadata(engine: &Engine<'_>) -> Vec<(String, String)> {
    vec![(
        "pipeline.parameters".to_owned(),
        crate::parameters::semantic(engine.config),
    )]
}

pub(crate) fn run(engine: &Engine<'_>) -> Result<PhaseRecord, Error> {
    let meter = Meter::start(&engine.disk);
    let task = engine.reporter.task(PHASE, "tables", 7);
    let publication = Publication::begin(&engine.disk, &engine.config.work.output)?;
    let mut outputs = documents::publish(engine, &publication)?;
    let (membership, lost_more_than_half) = membership::membership(engine, &publication)?;
    task.add(1);
    let (clusters, largest) = tables::clusters(engine, &publication)?;
    task.add(1);
    let pairs = tables::pairs(engine, &publication)?;
    task.add(1);
    let common = tables::common(engine, &publication)?;
    task.add(1);
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    counts.insert("lost_more_than_half".to_owned(), lost_more_than_half);
    for (rank, (documents, cluster)) in largest.iter().enumerate() {
        counts.insert(format!("largest.{rank}.cluster"), u64::from(*cluster));
        counts.insert(format!("largest.{rank}.documents"), u64::from(*documents));
    }
    let changes = changes::changes(engine, &publication)?.map(|changes| {
        counts.extend(changes.counts);
        outputs.extend(
            changes
                .tables
                .into_iter()
                .map(|sealed| (sealed.name.clone(), sealed)),
        );
        changes.kept
    });
    task.add(1);
    let journal = journal::journal(engine, &publication)?;
    task.add(1);
    let report = report(&engine.manifest(), &counts);
    let mut bytes = Vec::new();
    report.write_json(&mut bytes)?;
    let report = publication.write("report.json", &bytes)?;
    outputs.extend(maps::build(engine, &publication, &report, Some(&journal))?);
    task.add(1);
    let mut bytes = Vec::new();
    engine.run_record(Some(&meter)).write_json(&mut bytes)?;
    publication.write("run.json", &bytes)?;
    for sealed in [membership, clusters, pairs, common, journal, report] {
        outputs.insert(sealed.name.clone(), sealed);
    }
    counts.insert("generation".to_owned(), publication.finish()?);
    match changes {
        Some(kept) => levels::keep(engine, PHASE, kept),
        None => drop(engine.manifest().levels.remove(PHASE.name())),
    }
    Ok(PhaseRecord {
        outputs,
        counts,
        ..PhaseRecord::default()
    })
}
