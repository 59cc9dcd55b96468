//! Phase `index`: everything → the publication, with tables, rejected records, report, query index.

use crate::report::{Published, report};
use engine::{
    Engine, Error,
    runtime::{cost::Meter, parameters},
};
use format::{PhaseFigures, PhaseRecord};
use output::json_file;
use publication::figures::IndexFigures;
use publication::history::{changes, journal};
use publication::passages::{self, PublishedPassages};
use publication::publish::{NamedPublication, Publication};
use publication::{PHASE, clusters, documents, maps, membership, removed, tables, thresholds};

/// Makes a publication of what the phases before found. It is shown after its record is durable.
/// `why` goes into its `run.json`.
pub(crate) fn run(
    engine: &Engine<'_>,
    why: &str,
) -> Result<(PhaseRecord, NamedPublication), Error> {
    let meter = Meter::start(&engine.disk);
    let task = engine.reporter.task(PHASE, "tables", 9);
    let output = &engine.config.work.output;
    let publication = Publication::begin(
        &engine.disk,
        output,
        parameters::semantic(engine.config),
        || {
            let line = format!(
                "index: waiting for a run that publishes to {}",
                output.display()
            );
            engine.reporter.line(&line);
        },
    )?;
    let mut outputs = documents::publish(engine, &publication)?;
    let removals = removed::find(engine)?;
    let membership = membership::membership(engine, &publication, &removals)?;
    task.add(1);
    let ([removed, host_pairs], counts) = removed::tables(engine, &publication, removals)?;
    task.add(1);
    let (clusters, largest) = clusters::clusters(engine, &publication)?;
    task.add(1);
    let pairs = tables::pairs(engine, &publication)?;
    task.add(1);
    let common = tables::common(engine, &publication)?;
    task.add(1);
    let thresholds = thresholds::thresholds(engine, counts.bytes_saved)?;
    task.add(1);
    let changes = changes::changes(engine, &publication)?;
    let (kept_changes, changes) = changes
        .map(|changes| {
            let tables = changes.tables.into_iter();
            outputs.extend(tables.map(|sealed| (sealed.name.clone(), sealed)));
            (changes.kept, changes.report)
        })
        .unzip();
    task.add(1);
    let passages = passages::passages(engine, &publication)?;
    let passages = passages.map(|PublishedPassages { table, counts }| {
        outputs.insert(table.name.clone(), table);
        counts
    });
    let journal = journal::journal(engine, &publication)?;
    task.add(1);
    let urls = maps::urls(engine, &publication)?;
    let published = Published {
        repeated_ids: urls.repeated_ids,
        below_min_words: urls.below_min_words,
        removed: counts,
        largest,
        thresholds,
        changes,
        passages,
    };
    let report = report(&engine.manifest(), published);
    let sealed_report = publication.write("report.json", &json_file("report.json", &report)?)?;
    outputs.extend(maps::build(
        engine,
        &publication,
        urls,
        &sealed_report,
        Some(&journal),
    )?);
    task.add(1);
    let run = engine.run_record(Some((&meter, why)));
    let times = [run.started.clone(), run.ended.clone()];
    let run = publication.write("run.json", &json_file("run.json", &run)?)?;
    for sealed in [
        membership,
        removed,
        host_pairs,
        clusters,
        pairs,
        common,
        journal,
        sealed_report,
        run,
    ] {
        outputs.insert(sealed.name.clone(), sealed);
    }
    let publication = publication.into_named()?;
    let figures = IndexFigures {
        report,
        generation: publication.number(),
        run: times,
        intervals: changes::intervals(&engine.inputs),
    };
    match kept_changes {
        Some(kept) => engine.keep_levels(PHASE, kept),
        None => drop(engine.manifest().levels.remove(PHASE.name())),
    }
    let record = PhaseRecord {
        outputs,
        figures: PhaseFigures::of(&figures),
        ..PhaseRecord::default()
    };
    Ok((record, publication))
}
