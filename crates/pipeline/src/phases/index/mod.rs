//! Everything → the publication: tables, rejected records, report, query index.

mod documents;
mod maps;
mod membership;
mod report;
mod tables;

use crate::cost::Meter;
use crate::engine::Engine;
use crate::publish::Publication;
use crate::{Error, PhaseName};
use format::{AtomicFile, PhaseRecord, Sealed};
use model::{DocId, SnapshotNumber};
use std::collections::BTreeMap;

pub(crate) use documents::{document_tables, table_error};
#[cfg(test)]
pub(crate) use maps::build as build_maps;
pub(crate) use report::report;

const PHASE: PhaseName = PhaseName::Index;

/// Before there are several snapshots there is one: number 0, named `default`.
const SNAPSHOT: SnapshotNumber = SnapshotNumber(0);

/// Its name.
const SNAPSHOT_NAME: &str = "default";

/// File names of the tables in a publication and in the sketch phase's directory.
pub(crate) const DOCUMENTS: &str = "documents/default.parquet";
pub(crate) const DOCUMENTS_WORK: &str = "documents.parquet";
pub(crate) const REJECTED: &str = "rejected.jsonl";

/// The public id of a document.
pub(crate) fn public(doc: u32) -> i64 {
    SNAPSHOT.public(DocId(doc)).0
}

/// What goes into the metadata of every table: parameters that decide its content, no times, no paths.
fn metadata(engine: &Engine<'_>) -> Vec<(String, String)> {
    vec![("pipeline.parameters".to_owned(), crate::parameters::semantic(engine.config))]
}

pub(crate) fn run(engine: &Engine<'_>) -> Result<PhaseRecord, Error> {
    let meter = Meter::start(&engine.disk);
    let task = engine.reporter.task(PHASE, "tables", 5);
    let publication = Publication::begin(&engine.disk, &engine.config.work.output)?;
    let mut outputs: BTreeMap<String, Sealed> = BTreeMap::new();
    let work = engine.dir(PhaseName::Sketch);
    for (from, to) in [(DOCUMENTS_WORK, DOCUMENTS), (REJECTED, REJECTED)] {
        let sealed = engine.sealed(PhaseName::Sketch, from)?;
        AtomicFile::verify(&engine.disk, &work.join(from), &sealed).map_err(Error::work(PhaseName::Sketch))?;
        publication.link(&work.join(from), to)?;
        outputs.insert(to.to_owned(), sealed);
    }
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
    let report = report(&engine.manifest(), &counts);
    let mut bytes = Vec::new();
    report.write_json(&mut bytes)?;
    let report = publication.write("report.json", &bytes)?;
    outputs.extend(maps::build(engine, &publication, &report)?);
    task.add(1);
    let mut bytes = Vec::new();
    engine.run_record(Some(&meter)).write_json(&mut bytes)?;
    publication.write("run.json", &bytes)?;
    for sealed in [membership, clusters, pairs, common, report] {
        outputs.insert(sealed.name.clone(), sealed);
    }
    counts.insert("generation".to_owned(), publication.finish()?);
    Ok(PhaseRecord { outputs, counts, ..PhaseRecord::default() })
}
