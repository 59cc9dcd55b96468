//! The disk pipeline against the brute-force oracle, over random corpora and budgets so small that
//! every spill, every pass of a merge, every parted block and every cell on disk is used.

use crate::phases;
use crate::tune::{self, SampledLink, TunedThreshold};
use cluster::{Keep, Linkage};
use config::{Config, DEFAULT_TOML};
use engine::Engine;
use engine::segments::SegmentFile;
use format::{
    ClusterRecord, CommonRecord, Disk, DocumentRow, FileKind, LadderRow, LinkRecord, LostRecord,
    Manifest, Mark, MemberRecord, RecordReader, RecordSpec, RecordWriter, RowWriter, Sealed,
    SketchRow, SnapshotRecord,
};
use model::{Class, Record, Threshold};
use runtime::PhaseName;
use runtime::Reporter;
use sort::MemoryBudget;
use std::collections::BTreeMap;
use std::path::Path;
use testkit::{OracleCase, OracleDocument, OracleKeep, OracleParams};

pub(crate) fn config(params: &OracleParams, work: &Path) -> Config {
    let mut config = config::parse(DEFAULT_TOML, &work.join("pipeline.toml")).unwrap();
    config.work.dir = work.to_path_buf();
    config.sketch.sampling = params.sampling;
    config.sketch.shingle_class_min = params.shingle_class_min as u32;
    config.pairs.common_shingle_limit = u32::try_from(params.common_limit).unwrap_or(u32::MAX);
    config.cluster.resemblance = params.resemblance;
    config.cluster.containment = params.containment;
    config.cluster.containment_joins = params.containment_joins;
    config.cluster.min_shared = params.min_shared;
    config.cluster.linkage = if params.star {
        Linkage::Star
    } else {
        Linkage::Components
    };
    config.cluster.keep = match params.keep {
        OracleKeep::First => Keep::First,
        OracleKeep::Longest => Keep::Longest,
        OracleKeep::Newest => Keep::Newest,
        OracleKeep::Oldest => Keep::Oldest,
    };
    config
}

/// Writes what the sketch phase would, in segments of different lengths.
fn write_segments(engine: &Engine<'_>, documents: &[OracleDocument], seed: u64) {
    let snapshot = write_snapshot(engine, 0, documents, seed);
    sketched(engine, vec![snapshot]);
}

/// Makes snapshots those of a finished sketch phase.
pub(crate) fn sketched(engine: &Engine<'_>, snapshots: Vec<SnapshotRecord>) {
    let outputs = snapshots
        .iter()
        .flat_map(|snapshot| snapshot.sketched.outputs.clone())
        .collect();
    let record = format::PhaseRecord {
        outputs,
        ..format::PhaseRecord::default()
    };
    engine.manifest().snapshots = snapshots;
    engine
        .manifest()
        .phases
        .insert(PhaseName::Sketch.name().to_owned(), record);
}

/// Writes what the sketch phase would of one snapshot.
pub(crate) fn write_snapshot(
    engine: &Engine<'_>,
    number: u32,
    documents: &[OracleDocument],
    seed: u64,
) -> SnapshotRecord {
    let dir = engine.dir(PhaseName::Sketch);
    std::fs::create_dir_all(&dir).unwrap();
    let sampling = engine.config.sketch.sampling;
    let mut outputs: BTreeMap<String, Sealed> = BTreeMap::new();
    let length = 1 + (seed % 40) as usize;
    for (index, chunk) in documents.chunks(length).enumerate() {
        let path = |file: SegmentFile| {
            dir.join(format!(
                "{}.{}",
                format::segment_name(number, index as u32),
                file.extension()
            ))
        };
        let rows = |file: SegmentFile| {
            RowWriter::create(&engine.disk, path(file), file.kind(), [0; 16]).unwrap()
        };
        let (mut rows_of, mut ladders, mut sketches) = (
            rows(SegmentFile::Documents),
            rows(SegmentFile::Ladders),
            rows(SegmentFile::Sketches),
        );
        let spec = RecordSpec::durable(path(SegmentFile::Marks), FileKind::Marks, [0; 16]);
        let mut marks = RecordWriter::create(&engine.disk, spec).unwrap();
        for (doc, document) in chunk.iter().enumerate() {
            let modulus = sampling.modulus_at(document.level);
            let mut key = modulus.to_le_bytes().to_vec();
            document
                .fingerprints
                .iter()
                .for_each(|print| key.extend_from_slice(&print.to_le_bytes()));
            marks
                .push(&Mark {
                    identity: document.identity,
                    lexical: document.lexical,
                    sketch: twox_hash::XxHash3_128::oneshot(&key),
                    words: document.words,
                    sketch_size: document.fingerprints.len() as u32,
                    level: document.level as u8,
                    bytes: 0,
                })
                .unwrap();
            ladders
                .push(&LadderRow(
                    sampling.ladder(document.level, &document.fingerprints),
                ))
                .unwrap();
            for piece in SketchRow::pieces(doc as u32, &document.fingerprints) {
                sketches.push(&piece).unwrap();
            }
            let (words, bytes) = (document.words, document.bytes);
            let url = crate::query::tests::url_of((index * length + doc) as u32, seed);
            let (url, date) = (url.as_deref(), document.date);
            rows_of
                .push(&DocumentRow {
                    date,
                    url,
                    words,
                    bytes,
                    modulus,
                    ..DocumentRow::default()
                })
                .unwrap();
        }
        let rejected = rows(SegmentFile::Rejected);
        for sealed in [
            rows_of.finish().unwrap(),
            marks.finish().unwrap(),
            ladders.finish().unwrap(),
            sketches.finish().unwrap(),
            rejected.finish().unwrap(),
        ] {
            outputs.insert(sealed.name.clone(), sealed);
        }
    }
    SnapshotRecord {
        number,
        name: format!("s{number}"),
        documents: documents.len() as u32,
        segments: documents.len().div_ceil(length) as u32,
        sketched: format::PhaseRecord {
            outputs,
            inputs: format!("{number} {seed}"),
            ..Default::default()
        },
        ..SnapshotRecord::default()
    }
}

pub(crate) fn read<R: Record>(
    engine: &Engine<'_>,
    phase: PhaseName,
    name: &str,
    kind: FileKind,
) -> Vec<R> {
    let sealed = engine.sealed(phase, name).unwrap();
    let mut reader: RecordReader<R> =
        RecordReader::open_sealed(&engine.disk, &engine.dir(phase), &sealed, kind).unwrap();
    let mut all = Vec::new();
    while let Some(record) = reader.next().unwrap() {
        all.push(record);
    }
    all
}

/// Everything the phases decided about a document: same_as, same_kind, cluster, keep.
type Row = (Option<u32>, Option<model::Equality>, u32, bool);

struct Found {
    rows: Vec<Row>,
    lost: Vec<u32>,
    links: Vec<LinkRecord>,
    common: Vec<CommonRecord>,
    clusters: Vec<ClusterRecord>,
    tuned: Vec<TunedThreshold>,
    distinct_pairs: u64,
}

pub(crate) const SHARED_MEMORY: &str = "/dev/shm";

/// Containers often have a small one.
pub(crate) fn is_roomy(dir: &Path) -> bool {
    format::free_bytes(dir).is_ok_and(|free| free > 1 << 28)
}

fn disk_pipeline(case: &OracleCase, seed: u64, memory_bytes: usize) -> Found {
    // Thousands of small durable files: a file system in memory, where there is one, syncs them for
    // nothing.
    let shared_memory = Path::new(SHARED_MEMORY);
    let dir = if is_roomy(shared_memory) {
        tempfile::tempdir_in(shared_memory)
    } else {
        tempfile::tempdir()
    }
    .unwrap();
    let mut config = config(&case.params, dir.path());
    config.pairs.floor = floor(seed);
    let reporter = Reporter::silent();
    let engine = Engine {
        budget: MemoryBudget::new(memory_bytes),
        fan_in_max: 2 + (seed % 5) as usize,
        ..Engine::over(&config, Disk::default(), Manifest::default(), &reporter)
    };
    write_segments(&engine, &case.documents, seed);
    for phase in [
        PhaseName::Distinct,
        PhaseName::Sort,
        PhaseName::Pairs,
        PhaseName::Cluster,
    ] {
        std::fs::create_dir_all(engine.dir(phase)).unwrap();
        let record = phases::run(phase, &engine).unwrap();
        let files: Vec<String> = std::fs::read_dir(engine.dir(phase))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        assert_eq!(
            files.len(),
            record.outputs.len(),
            "{phase} left something behind: {files:?}"
        );
        engine
            .manifest()
            .phases
            .insert(phase.name().to_owned(), record);
    }
    let tuned = tune::tuning(&engine, &[], 3).unwrap();
    for band in &tuned.between {
        assert_eq!(
            band.sample.len() as u64,
            band.links.min(3),
            "the sample of {band:?}"
        );
        let within = |link: &SampledLink| {
            band.from <= link.resemblance
                && (link.resemblance < band.to || band.to == 1.0 && link.resemblance == 1.0)
        };
        assert!(band.sample.iter().all(within), "the sample of {band:?}");
    }
    let left = std::fs::read_dir(engine.dir(PhaseName::Cluster))
        .unwrap()
        .count();
    assert_eq!(left, 3, "tune left something behind");
    // Seven has no factor in common with what else depends on the seed.
    if seed % 7 < 3 {
        crate::like::tests::agrees(&engine, case, seed);
    }
    if seed.is_multiple_of(7) {
        crate::query::tests::agrees(&engine, case, seed);
    }
    if seed % 7 >= 3 {
        crate::dedup::tests::agrees(&engine, case, seed);
    }
    assert_eq!(
        engine.budget.free_bytes(),
        memory_bytes,
        "a reservation was not given back"
    );
    let n = case.documents.len();
    let mut rows: Vec<Row> = (0..n as u32).map(|doc| (None, None, doc, true)).collect();
    let mut representative: Vec<u32> = (0..n as u32).collect();
    for class in read::<Class>(&engine, PhaseName::Distinct, "classes", FileKind::Classes) {
        let row = &mut rows[class.doc as usize];
        (row.1, row.0) = class.same_as().unzip();
        representative[class.doc as usize] = class.representative();
    }
    for member in read::<MemberRecord>(&engine, PhaseName::Cluster, "members", FileKind::Members) {
        let row = &mut rows[member.doc as usize];
        (row.2, row.3) = (member.cluster, member.keep == 1);
    }
    let mut lost = vec![0; n];
    for record in read::<LostRecord>(&engine, PhaseName::Pairs, "lost", FileKind::Lost) {
        lost[record.doc as usize] += record.count;
    }
    Found {
        rows,
        lost: representative
            .iter()
            .map(|&doc| lost[doc as usize])
            .collect(),
        links: read(&engine, PhaseName::Cluster, "links", FileKind::Links),
        common: read(&engine, PhaseName::Pairs, "common", FileKind::Common),
        clusters: read(&engine, PhaseName::Cluster, "clusters", FileKind::Clusters),
        tuned: tuned.thresholds,
        distinct_pairs: engine.manifest().phases[PhaseName::Cluster.name()].counts["pairs"],
    }
}

/// The floor of a case, where its links leave room for one.
fn floor(seed: u64) -> Threshold {
    Threshold::hundredths([25, 0, 60, 5][(seed / 3 % 4) as usize])
}

fn check(seed: u64, memory_bytes: usize) {
    let case = OracleCase::from_seed(seed);
    let found = disk_pipeline(&case, seed, memory_bytes);
    let oracle = testkit::run(&case.documents, &case.params);
    let context = format!("seed {seed}, {memory_bytes} bytes, {:?}", case.params);
    let common: Vec<_> = found
        .common
        .iter()
        .map(|c| (c.shingle, c.documents, c.example))
        .collect();
    assert_eq!(common, oracle.common, "common shingles; {context}");
    let links: Vec<_> = found
        .links
        .iter()
        .map(|l| {
            let reached = phases::cluster::reached(l);
            (
                l.a,
                l.b,
                l.shared,
                l.size_a,
                l.size_b,
                l.modulus,
                reached.resemblance,
                reached.a_in_b,
                reached.b_in_a,
            )
        })
        .collect();
    let expected: Vec<_> = oracle
        .links
        .iter()
        .map(|l| {
            (
                l.a,
                l.b,
                l.shared,
                l.size_a,
                l.size_b,
                l.modulus,
                l.resemblance_reached,
                l.a_in_b,
                l.b_in_a,
            )
        })
        .collect();
    assert_eq!(links, expected, "links; {context}");
    let rows: Vec<Row> = oracle
        .rows
        .iter()
        .map(|r| (r.same_as, r.same_kind, r.cluster, r.keep))
        .collect();
    assert_eq!(found.rows, rows, "rows; {context}");
    let lost: Vec<u32> = oracle.rows.iter().map(|r| r.common_shingles).collect();
    assert_eq!(found.lost, lost, "losses; {context}");
    let clusters: Vec<_> = found
        .clusters
        .iter()
        .map(|c| {
            let weakest =
                model::Ratio::new(u64::from(c.weakest_shared), u64::from(c.weakest_union));
            let weakest = (c.weakest_union > 0).then_some(weakest);
            (
                c.cluster,
                u64::from(c.documents),
                u64::from(c.distinct),
                c.kind,
                weakest,
                c.kept,
            )
        })
        .collect();
    let expected: Vec<_> = oracle
        .clusters
        .iter()
        .map(|c| {
            (
                c.cluster,
                c.documents as u64,
                c.distinct as u64,
                c.kind,
                c.weakest,
                c.kept,
            )
        })
        .collect();
    assert_eq!(clusters, expected, "clusters; {context}");
    let (asked, links) = (floor(seed), case.params.resemblance);
    let lower = if links.to_f64() < asked.to_f64() {
        links
    } else {
        asked
    };
    let resemblance = if case.params.containment.is_some() {
        Threshold::hundredths(0)
    } else {
        lower
    };
    let params = OracleParams {
        resemblance,
        min_shared: 1,
        containment: None,
        ..case.params
    };
    assert_eq!(
        found.distinct_pairs,
        testkit::run(&case.documents, &params).links.len() as u64,
        "pairs; {context}"
    );
    check_tuned(seed, &case, &found.tuned);
}

/// What `tune` says of a threshold is what a run with it finds: of the configured one, and of
/// another in turn.
fn check_tuned(seed: u64, case: &OracleCase, tuned: &[TunedThreshold]) {
    let configured = tuned
        .iter()
        .position(|row| row.configured)
        .expect("the configured threshold is shown");
    for at in [configured, (seed / 5) as usize % tuned.len()] {
        let resemblance = Threshold::from_f64(tuned[at].resemblance).unwrap();
        let oracle = testkit::run(
            &case.documents,
            &OracleParams {
                resemblance,
                ..case.params
            },
        );
        let documents: Vec<u64> = oracle
            .clusters
            .iter()
            .map(|cluster| u64::from(cluster.documents))
            .collect();
        let expected = TunedThreshold {
            links: oracle
                .links
                .iter()
                .filter(|link| link.resemblance_reached)
                .count() as u64,
            clusters: documents.len() as u64,
            documents: documents.iter().sum(),
            removed: oracle.rows.iter().filter(|row| !row.keep).count() as u64,
            largest: documents.iter().copied().max().unwrap_or(0),
            ..tuned[at]
        };
        assert_eq!(tuned[at], expected, "tune; seed {seed}, {:?}", case.params);
    }
}

#[test]
fn a_few_kib_of_memory_change_nothing() {
    // PIPELINE_ORACLE_CASES runs a longer sweep; on a real disk, where every file is synced, a
    // shorter one is usual.
    let usual = if is_roomy(Path::new(SHARED_MEMORY)) {
        4000
    } else {
        500
    };
    let cases = std::env::var("PIPELINE_ORACLE_CASES")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(usual);
    let next = std::sync::atomic::AtomicU64::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    if seed >= cases {
                        break;
                    }
                    // From barely anything to more than enough.
                    check(
                        seed,
                        [600, 2_000, 9_000, 60_000, 4_000_000][(seed % 5) as usize],
                    );
                }
            });
        }
    });
}
