//! Random pairs of memberships, within a few KiB, against the definitions; journals of random
//! histories.

use super::comparison::{ClusterFiles, EVENTS, NONE, PublicationComparison};
use super::{FILE, journal};
use crate::maps::build as build_maps;
use crate::membership;
use crate::publish::Publication;
use crate::removed;
use engine::{Engine, PhaseName, Reporter};
use format::{
    ClusterRecord, Disk, FileKind, Manifest, MemberRecord, PublicIds, RecordSpec, RecordWriter,
    Sealed, SnapshotSpan,
};
use model::{DocId, SnapshotNumber};
use output::{Cell, ClusterChangeRow, ColumnSelection, TableReader};
use sort::MemoryBudget;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use testbed::config;
use testkit::{
    ClusterEvent, Membership, OracleCase, Random, cluster_events, cluster_events_add_up,
};

/// Snapshots with some documents each.
type Snapshots = BTreeMap<u32, u32>;

fn documents(snapshots: &Snapshots) -> Vec<i64> {
    let ids = |(&number, &documents): (&u32, &u32)| (0..documents).map(move |doc| id(number, doc));
    snapshots.iter().flat_map(ids).collect()
}

fn id(number: u32, doc: u32) -> i64 {
    SnapshotNumber(number).public(DocId(doc)).0
}

/// Groups of documents as a membership: those of two or more, by the lowest.
fn grouped(groups: &BTreeMap<i64, u64>) -> Membership {
    let mut of_group: BTreeMap<u64, Vec<i64>> = BTreeMap::new();
    for (&doc, &group) in groups {
        of_group.entry(group).or_default().push(doc);
    }
    let real = of_group.values().filter(|docs| docs.len() > 1);
    real.flat_map(|docs| docs.iter().map(|doc| (*doc, docs[0])))
        .collect()
}

/// Two memberships, the second made from the first.
fn draw(random: &mut Random) -> [(Snapshots, Membership); 2] {
    let most = 1 + random.below(12);
    let numbers = 1 + random.below(4) as u32;
    let mut old = Snapshots::new();
    for number in 0..numbers {
        if random.below(4) > 0 {
            old.insert(number, random.below(most) as u32);
        }
    }
    let labels = 1 + random.below(2 * most);
    let groups: BTreeMap<i64, u64> = documents(&old)
        .into_iter()
        .map(|doc| (doc, random.below(labels)))
        .collect();
    let mut new = old.clone();
    for documents in new.values_mut() {
        if random.below(8) == 0 {
            *documents = random.below(most) as u32;
        }
    }
    new.retain(|_, _| random.below(4) > 0);
    for number in numbers..numbers + random.below(3) as u32 {
        new.insert(number, random.below(most) as u32);
    }
    let moved = random.below(600);
    // Whole groups that become one.
    let merged: BTreeMap<u64, u64> = (0..random.below(3))
        .map(|_| (random.below(labels), random.below(labels)))
        .collect();
    let now = documents(&new).into_iter().map(|doc| {
        let group = groups.get(&doc).copied().filter(|_| !random.chance(moved));
        let group = group.unwrap_or_else(|| random.below(labels));
        (doc, merged.get(&group).copied().unwrap_or(group))
    });
    let now = grouped(&now.collect());
    [(old, grouped(&groups)), (new, now)]
}

/// Writes a membership as phase `cluster` does.
fn cluster_files(dir: &Path, (snapshots, membership): &(Snapshots, Membership)) -> ClusterFiles {
    std::fs::create_dir_all(dir).unwrap();
    let (disk, mut first) = (Disk::default(), 0);
    let span = |(&number, &documents): (&u32, &u32)| {
        let span = SnapshotSpan {
            number,
            name: number.to_string(),
            first,
            documents,
            first_file: 0,
        };
        first += documents;
        span
    };
    let ids = PublicIds::new(snapshots.iter().map(span).collect());
    let number = |id: &i64| ids.find(*id).unwrap();
    let spec = |name: &str, kind| RecordSpec::durable(dir.join(name), kind, [0; 16]);
    let mut members = RecordWriter::create(&disk, spec("members", FileKind::Members)).unwrap();
    for (doc, cluster) in membership {
        members
            .push(&MemberRecord {
                doc: number(doc),
                cluster: number(cluster),
                kept: number(cluster),
            })
            .unwrap();
    }
    let mut writer = RecordWriter::create(&disk, spec("clusters", FileKind::Clusters)).unwrap();
    let mut sizes: BTreeMap<i64, u32> = BTreeMap::new();
    membership
        .values()
        .for_each(|cluster| *sizes.entry(*cluster).or_default() += 1);
    for (cluster, documents) in sizes {
        let cluster = number(&cluster);
        let (distinct, kind, kept) = (1, 0, cluster);
        let record = ClusterRecord {
            cluster,
            documents,
            distinct,
            kind,
            weakest_shared: 0,
            weakest_union: 0,
            kept,
            keeps: 1,
        };
        writer.push(&record).unwrap();
    }
    let dir = dir.to_path_buf();
    let (members, clusters) = (
        (dir.clone(), members.finish().unwrap()),
        (dir, writer.finish().unwrap()),
    );
    ClusterFiles {
        disk,
        members,
        clusters,
        ids,
    }
}

/// The rows as the step makes them.
fn found(
    engine: &Engine<'_>,
    [old, new]: [&ClusterFiles; 2],
    share_bytes: usize,
) -> Vec<ClusterEvent> {
    let comparison = PublicationComparison {
        scratch: engine.scratch(PhaseName::Index).unwrap(),
        old,
        new,
        share_bytes,
    };
    let (mut sorted, mut rows) = (comparison.changes().unwrap(), Vec::new());
    while let Some(change) = sorted.next().unwrap() {
        let documents = [
            change.documents_before,
            change.documents_after,
            change.documents,
        ];
        rows.push(ClusterEvent {
            event: EVENTS[change.event as usize].to_owned(),
            old: (change.old != NONE).then(|| old.ids.get(change.old)),
            new: (change.new != NONE).then(|| new.ids.get(change.new)),
            documents: documents.map(i64::from),
        });
    }
    rows
}

#[test]
fn rows_are_those_of_the_definitions_whatever_the_memory() {
    let dir = tempfile::tempdir_in("/dev/shm")
        .or_else(|_| tempfile::tempdir())
        .unwrap();
    let case = OracleCase::from_seed(1);
    let config = config(&case.params, dir.path());
    let reporter = Reporter::silent();
    let mut engine = Engine::over(&config, Disk::default(), Manifest::default(), &reporter);
    engine.budget = MemoryBudget::new(1 << 20);
    let phase = engine.dir(PhaseName::Index);
    std::fs::create_dir_all(&phase).unwrap();
    let mut events: BTreeMap<String, u64> = BTreeMap::new();
    for seed in 0..6000 {
        let mut random = Random::new(seed);
        let both = draw(&mut random);
        engine.fan_in_max = 2 + random.below(4) as usize;
        let sides = [
            cluster_files(&dir.path().join("old"), &both[0]),
            cluster_files(&dir.path().join("new"), &both[1]),
        ];
        let share = [100, 400, 2_000, 100_000][random.below(4) as usize];
        let rows = found(&engine, [&sides[0], &sides[1]], share);
        assert_eq!(
            rows,
            cluster_events(&both[0].1, &both[1].1),
            "seed {seed}: {both:?}"
        );
        cluster_events_add_up(&both[0].1, &both[1].1, &rows);
        rows.iter()
            .for_each(|row| *events.entry(row.event.clone()).or_default() += 1);
        assert_eq!(
            std::fs::read_dir(&phase).unwrap().count(),
            0,
            "something is left behind"
        );
        if both[0].1 == both[1].1 {
            assert!(rows.is_empty());
        }
    }
    assert!(
        events.len() == EVENTS.len() && events.values().all(|n| *n > 500),
        "{events:?}"
    );
}

/// A row as it is published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Published {
    publication: i64,
    previous: i64,
    snapshot: String,
    event: ClusterEvent,
}

/// The journal of a publication.
fn published(dir: &Path) -> Vec<Published> {
    let mut reader = TableReader::open(&dir.join(FILE), ColumnSelection::All).unwrap();
    let mut rows = Vec::new();
    while let Some(batch) = reader.next_batch().unwrap() {
        rows.extend(batch.iter().map(|row| {
            let row = ClusterChangeRow::of(&row);
            let documents = [row.documents_before, row.documents_after, row.documents];
            let (event, old, new) = (row.event.to_owned(), row.old_cluster_id, row.new_cluster_id);
            Published {
                publication: row.publication,
                previous: row.previous,
                snapshot: row.snapshot.to_owned(),
                event: ClusterEvent {
                    event,
                    old,
                    new,
                    documents,
                },
            }
        }));
    }
    rows
}

/// The documents that are in clusters, by the published table.
fn published_membership(dir: &Path) -> Membership {
    let mut reader = TableReader::open(
        &dir.join("membership.parquet"),
        ColumnSelection::Named(&["doc_id", "cluster_id"]),
    )
    .unwrap();
    let mut rows: Vec<(i64, i64)> = Vec::new();
    while let Some(batch) = reader.next_batch().unwrap() {
        for row in batch.iter() {
            let (Cell::Int64(doc), Cell::Int64(cluster)) = (row.cell(0), row.cell(1)) else {
                panic!("no numbers")
            };
            rows.push((doc, cluster));
        }
    }
    let shared: BTreeSet<i64> = rows
        .iter()
        .filter(|(doc, cluster)| doc != cluster)
        .map(|(_, cluster)| *cluster)
        .collect();
    rows.into_iter()
        .filter(|(_, cluster)| shared.contains(cluster))
        .collect()
}

/// Publishes what a journal needs, as phase `index` does, and compares the rows with those that the
/// published tables before and after tell. Gives the events of this publication, and how many older
/// rows went.
pub fn agrees(engine: &Engine<'_>) -> (BTreeMap<String, u64>, u64) {
    std::fs::create_dir_all(engine.dir(PhaseName::Index)).unwrap();
    let output = engine.config.work.dir.join("told");
    // One that never got its name.
    journal(
        engine,
        &Publication::begin(
            &engine.disk,
            &output,
            engine::runtime::parameters::semantic(engine.config),
            || {},
        )
        .unwrap(),
    )
    .unwrap();
    let publication = Publication::begin(
        &engine.disk,
        &output,
        engine::runtime::parameters::semantic(engine.config),
        || {},
    )
    .unwrap();
    let (number, before) = (publication.number(), publication.shown().cloned());
    let removals = removed::find(engine).unwrap();
    membership::membership(engine, &publication, &removals).unwrap();
    let sealed = journal(engine, &publication).unwrap();
    let urls = crate::maps::urls(engine, &publication).unwrap();
    build_maps(
        engine,
        &publication,
        urls,
        &Sealed::default(),
        Some(&sealed),
    )
    .unwrap();
    let publication = publication.into_named().unwrap();
    assert_eq!(publication.number(), number);
    publication.show().unwrap();
    let rows = published(&output);
    assert_eq!(rows.len() as u64, sealed.records);
    let Some(before) = before else {
        assert!(number == 1 && rows.is_empty());
        return Default::default();
    };
    let (old, new) = (
        published_membership(&before.dir),
        published_membership(&output),
    );
    let events = cluster_events(&old, &new);
    cluster_events_add_up(&old, &new, &events);
    let snapshots: Vec<String> = engine.spans().into_iter().map(|span| span.name).collect();
    let known = published(&before.dir);
    let kept: Vec<Published> = known
        .iter()
        .skip_while(|row| !snapshots.contains(&row.snapshot))
        .cloned()
        .collect();
    let went = known.len() - kept.len();
    let row = |event: &ClusterEvent| Published {
        publication: number as i64,
        previous: before.number as i64,
        snapshot: snapshots.last().unwrap().clone(),
        event: event.clone(),
    };
    assert_eq!(
        rows,
        kept.into_iter()
            .chain(events.iter().map(row))
            .collect::<Vec<_>>()
    );
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    events
        .into_iter()
        .for_each(|event| *counts.entry(event.event).or_default() += 1);
    (counts, went as u64)
}
