//! Phase `index`: everything → the publication, with tables, rejected records, report, query index.

use crate::report::report;
use engine::Engine;
use engine::merge_levels;
use format::PhaseRecord;
use history::{changes, journal};
use publication::clusters::LargeCluster;
use publication::hosts::RemovedHost;
use publication::publish::{NamedPublication, Publication};
use publication::removed::{Removed, RemovedClass, RemovedSums};
use publication::{PHASE, clusters, documents, maps, membership, origin, tables, thresholds};
use runtime::Error;
use runtime::cost::Meter;
use std::collections::BTreeMap;

/// Makes a publication of what the phases before found. It is shown after its record is durable.
/// `why` goes into its `run.json`.
pub(crate) fn run(
    engine: &Engine<'_>,
    why: &str,
) -> Result<(PhaseRecord, NamedPublication), Error> {
    let meter = Meter::start(&engine.disk);
    let task = engine.reporter.task(PHASE, "tables", 9);
    let output = &engine.config.work.output;
    let publication = Publication::begin(&engine.disk, output, || {
        let line = format!(
            "index: waiting for a run that publishes to {}",
            output.display()
        );
        engine.reporter.line(&line);
    })?;
    let mut outputs = documents::publish(engine, &publication)?;
    let removed = Removed::find(engine)?;
    let membership = membership::membership(engine, &publication, &removed)?;
    task.add(1);
    let ([removed, host_pairs], removed_sums) = removed.publish(&publication)?;
    task.add(1);
    let (clusters, largest) = clusters::clusters(engine, &publication)?;
    task.add(1);
    let pairs = tables::pairs(engine, &publication)?;
    task.add(1);
    let common = tables::common(engine, &publication)?;
    task.add(1);
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    counts.extend(largest_counts(&largest));
    counts.extend(removed_counts(&removed_sums));
    // A text in a name, as with the largest clusters: see `largest_counts`.
    let removed_bytes = removed_sums.classes.values().map(|class| class.bytes).sum();
    let thresholds = thresholds::thresholds(engine, removed_bytes)?;
    let thresholds = serde_json::to_string(&thresholds).unwrap_or_default();
    counts.insert(format!("thresholds {thresholds}"), 1);
    task.add(1);
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
    let urls = maps::urls(engine, &publication)?;
    counts.insert("repeated_ids".to_owned(), urls.repeated_ids);
    counts.insert("below_min_words".to_owned(), urls.below_min_words);
    let report = report(&engine.manifest(), &counts);
    let mut bytes = Vec::new();
    report.write_json(&mut bytes)?;
    let report = publication.write("report.json", &bytes)?;
    outputs.extend(maps::build(
        engine,
        &publication,
        urls,
        &report,
        Some(&journal),
    )?);
    task.add(1);
    let mut bytes = Vec::new();
    let run = engine.run_record(Some((&meter, why)));
    run.write_json(&mut bytes)?;
    counts.insert(origin::run_name(&run), 1);
    let run = publication.write("run.json", &bytes)?;
    for sealed in [
        membership, removed, host_pairs, clusters, pairs, common, journal, report, run,
    ] {
        outputs.insert(sealed.name.clone(), sealed);
    }
    let publication = publication.into_named()?;
    counts.insert("generation".to_owned(), publication.number());
    match changes {
        Some(kept) => merge_levels::keep(engine, PHASE, kept),
        None => drop(engine.manifest().levels.remove(PHASE.name())),
    }
    let record = PhaseRecord {
        outputs,
        counts,
        ..PhaseRecord::default()
    };
    Ok((record, publication))
}

/// The largest clusters as counts. Texts are in names, as the manifest has no other place for them.
fn largest_counts(largest: &[LargeCluster]) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for (rank, cluster) in largest.iter().enumerate() {
        counts.insert(format!("largest.{rank}.cluster"), cluster.cluster.into());
        counts.insert(
            format!("largest.{rank}.documents"),
            cluster.documents.into(),
        );
        let texts = [
            ("kept_id", &cluster.kept_id),
            ("kept_url", &cluster.kept_url),
            ("title", &cluster.title),
        ];
        for (name, text) in texts {
            let text = text.as_ref();
            counts.extend(text.map(|text| (format!("largest.{rank}.{name} {text}"), 1)));
        }
    }
    counts
}

/// The documents that go as counts, by class and by host.
fn removed_counts(removed: &RemovedSums) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for (class, RemovedClass { documents, bytes }) in &removed.classes {
        counts.insert(format!("removed.{class}.documents"), *documents);
        counts.insert(format!("removed.{class}.bytes"), *bytes);
    }
    counts.insert("removed.through-others".to_owned(), removed.through_others);
    counts.insert("removed.same-url".to_owned(), removed.same_url);
    if let Some(least) = removed.least_alike {
        let resemblance = format!("least-alike.resemblance {:?}", least.resemblance);
        counts.extend([
            ("least-alike.document".to_owned(), least.document.into()),
            ("least-alike.kept".to_owned(), least.kept.into()),
            (resemblance, 1),
        ]);
    }
    for (rank, RemovedHost { host, documents }) in removed.hosts.iter().enumerate() {
        counts.insert(format!("removed-host.{rank:02} {host}"), *documents);
    }
    counts
}
