//! For tests only: an engine over generated sketches, for the crates that need finished phases.
//!
//! *Input.* Documents of a random corpus with their fingerprints. *Output.* The files that the
//! phase `sketch` would have written, and those of the phases after it.

#![expect(
    clippy::unwrap_used,
    reason = "support of tests: a failure should end the test where it happens"
)]

use config::{Common, Config, DEFAULT_TOML};
use engine::{Engine, Error, PhaseName, Reporter, merge_levels, segments::SegmentFiles};
use format::{
    Disk, DocumentRow, FileKind, Manifest, Mark, PhaseRecord, RecordReader, Sealed, SnapshotRecord,
};
use model::{DensityLimits, Keep, Linkage, PublishedLinks, Settle};
use model::{Record, Threshold};
use sort::MemoryBudget;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use testkit::{OracleCase, OracleDocument, OracleKeep, OracleLinkage, OracleParams};

/// The configuration of a case.
pub fn config(params: &OracleParams, work: &Path) -> Config {
    let mut config = config::parse(DEFAULT_TOML, &work.join("pipeline.toml")).unwrap();
    config.work.dir = work.to_path_buf();
    config.sketch.sampling = params.sampling;
    config.sketch.sort_keys = params.keys;
    config.sketch.shingle_class_min = params.shingle_class_min as u32;
    config.pairs.common_shingle_limit = u32::try_from(params.common_limit).unwrap_or(u32::MAX);
    config.cluster.resemblance = params.resemblance;
    config.cluster.containment = params.containment;
    config.cluster.containment_joins = params.containment_joins;
    config.cluster.min_shared = params.min_shared;
    // There are no texts that could be read again.
    config.cluster.settle = Settle::Off;
    config.pairs.common = match params.drops_common {
        true => Common::Drop,
        false => Common::Count,
    };
    config.cluster.linkage = match params.linkage {
        OracleLinkage::Components => Linkage::Components,
        OracleLinkage::Star => Linkage::Star,
        OracleLinkage::Leader => Linkage::Leader,
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
pub fn sketched(engine: &Engine<'_>, snapshots: Vec<SnapshotRecord>) {
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
pub fn write_snapshot(
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
        let stem = dir.join(format::segment_name(number, index as u32));
        let mut files = SegmentFiles::create(&engine.disk, &stem, [0; 16]).unwrap();
        for (doc, document) in chunk.iter().enumerate() {
            let modulus = sampling.modulus_at(document.level);
            let mut key = modulus.to_le_bytes().to_vec();
            document
                .fingerprints
                .iter()
                .for_each(|print| key.extend_from_slice(&print.to_le_bytes()));
            let mark = Mark {
                identity: document.identity,
                lexical: document.lexical,
                sketch: twox_hash::XxHash3_128::oneshot(&key),
                words: document.words,
                sketch_size: document.fingerprints.len() as u32,
                level: document.level as u8,
                bytes: 0,
            };
            let sizes = sampling.sizes_by_level(document.level, &document.fingerprints);
            let (words, bytes) = (document.words, document.bytes);
            let url = url_of((index * length + doc) as u32, seed);
            let (url, date) = (url.as_deref(), document.date);
            let row = DocumentRow {
                date,
                url,
                words,
                bytes,
                modulus,
                ..DocumentRow::default()
            };
            files
                .push(&row, &mark, sizes, &document.fingerprints)
                .unwrap();
        }
        for sealed in files.finish().unwrap() {
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

/// All records of an output of a phase.
///
/// # Panics
/// When it cannot be read.
pub fn read<R: Record>(
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

/// A file system in memory, where there is one.
pub const SHARED_MEMORY: &str = "/dev/shm";

/// Whether a directory has room for a test. Containers often have a small file system in memory.
pub fn is_roomy(dir: &Path) -> bool {
    format::free_bytes(dir).is_ok_and(|free| free > 1 << 28)
}

/// A temporary directory, in memory where there is room: tests write thousands of small durable
/// files, and every one is synced.
pub fn tempdir() -> tempfile::TempDir {
    let shared_memory = Path::new(SHARED_MEMORY);
    if is_roomy(shared_memory) {
        tempfile::tempdir_in(shared_memory)
    } else {
        tempfile::tempdir()
    }
    .unwrap()
}

/// The phases between `sketch` and the publication.
pub const PHASES: [PhaseName; 5] = [
    PhaseName::Distinct,
    PhaseName::Sort,
    PhaseName::Pairs,
    PhaseName::Settle,
    PhaseName::Cluster,
];

/// Runs one of [`PHASES`].
pub fn run_phase(phase: PhaseName, engine: &Engine<'_>) -> Result<PhaseRecord, Error> {
    match phase {
        PhaseName::Distinct => phases::distinct::run(engine),
        PhaseName::Sort => phases::sort::run(engine),
        PhaseName::Pairs => phases::pairs::run(engine, None),
        PhaseName::Settle => phases::settle::run(engine),
        PhaseName::Cluster => clustering::run(engine),
        PhaseName::Sketch | PhaseName::Passages | PhaseName::Index => {
            unreachable!("{phase} is not run here")
        }
    }
}

/// Runs the phases up to `cluster` over a random corpus and hands the engine to `check`.
///
/// # Panics
/// When a phase fails, leaves a file behind, or does not give back what it reserved.
pub fn clustered<T>(
    case: &OracleCase,
    seed: u64,
    memory_bytes: usize,
    check: impl FnOnce(&Engine<'_>) -> T,
) -> T {
    let dir = tempdir();
    let mut config = config(&case.params, dir.path());
    config.pairs.floor = floor(seed);
    config.cluster.links = published_links(seed);
    let reporter = Reporter::silent();
    let memory_bytes = memory_bytes.max(least_bytes(&case.documents));
    let mut engine = Engine::over(&config, Disk::default(), Manifest::default(), &reporter);
    engine.budget = MemoryBudget::new(memory_bytes);
    engine.fan_in_max = 2 + (seed % 5) as usize;
    write_segments(&engine, &case.documents, seed);
    for phase in PHASES {
        std::fs::create_dir_all(engine.dir(phase)).unwrap();
        let record = run_phase(phase, &engine).unwrap();
        assert_nothing_left(&engine, phase, &record);
        engine
            .manifest()
            .phases
            .insert(phase.name().to_owned(), record);
    }
    let checked = check(&engine);
    assert_eq!(
        engine.budget.free_bytes(),
        memory_bytes,
        "a reservation was not given back"
    );
    checked
}

/// Checks that the directory of a phase has no files but its outputs, and those for the next run.
///
/// # Panics
/// When it has others.
pub fn assert_nothing_left(engine: &Engine<'_>, phase: PhaseName, record: &PhaseRecord) {
    let files: BTreeSet<String> = std::fs::read_dir(engine.dir(phase))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    let manifest = engine.manifest();
    let kept = manifest.levels.get(phase.name()).into_iter();
    let kept = kept
        .flat_map(merge_levels::files)
        .map(|sealed| &sealed.name);
    let named = record.outputs.keys().chain(kept).cloned().collect();
    assert_eq!(files, named, "{phase} left something behind");
}

/// The least memory that a case gets. With less than a byte a posting, and one for eight pairs of
/// postings, lists are read again for every document: for minutes.
pub fn least_bytes(documents: &[OracleDocument]) -> usize {
    let mut counts: HashMap<u64, usize> = HashMap::new();
    for shingle in documents.iter().flat_map(|one| &one.fingerprints) {
        *counts.entry(*shingle).or_default() += 1;
    }
    let bytes = counts.into_values().map(|count| count * (count + 15) / 16);
    bytes.sum()
}

/// The floor of a case, where its links leave room for one.
pub fn floor(seed: u64) -> Threshold {
    Threshold::hundredths([25, 0, 60, 5][(seed / 3 % 4) as usize])
}

/// Which links a case publishes: its clusters are small, so some limits are low.
pub fn published_links(seed: u64) -> PublishedLinks {
    let strongest = |links_per_representative, strongest| {
        PublishedLinks::Strongest(DensityLimits {
            links_per_representative,
            strongest,
        })
    };
    match seed / 5 % 4 {
        0 => strongest(0, 1),
        1 => strongest(2, 2),
        2 => PublishedLinks::Strongest(DensityLimits::DEFAULT),
        _ => PublishedLinks::All,
    }
}

/// Calls `check` with seeds below `usual`, or PIPELINE_ORACLE_CASES if that is set, and a budget
/// for each: from barely anything to more than enough. On a real disk, where every file is synced,
/// an eighth is usual.
pub fn cases(usual: u64, check: impl Fn(u64, usize) + Sync) {
    let usual = if is_roomy(Path::new(SHARED_MEMORY)) {
        usual
    } else {
        usual / 8
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
                    check(
                        seed,
                        [600, 2_000, 9_000, 60_000, 4_000_000][(seed % 5) as usize],
                    );
                }
            });
        }
    });
}

/// The URL of a document: some have none, some the same, some almost the same.
pub fn url_of(doc: u32, seed: u64) -> Option<String> {
    let pages = 1 + (seed % 23) as u32;
    let scheme = if doc.is_multiple_of(2) {
        "http"
    } else {
        "https"
    };
    let www = if doc.is_multiple_of(3) { "www." } else { "" };
    let end = ["", "/", "#x", "?b=1&a=2", "?a=2&b=1"][(doc / 7 % 5) as usize];
    (doc % 11 != 10).then(|| format!("{scheme}://{www}site{}.test/page{end}", doc % pages))
}
