//! Histories of snapshots, added and dropped, against runs from scratch: what `sort` and `pairs` go
//! on from must not show.
//!
//! Snapshots are drawn from one corpus, so that they share classes, shingles and common shingles;
//! limits are so low that shingles become common, and cease to be. Kills are runs that end after a
//! phase wrote its files and before the manifest named them.

use engine::{Engine, PhaseName, Reporter, figures::PairsLevels};
use format::{
    ClusterRecord, CommonRecord, Disk, FileKind, LinkRecord, Manifest, MemberRecord, PhaseRecord,
};
use model::{Class, PairCount, Threshold};
use sort::MemoryBudget;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use testbed::{
    PHASES, SHARED_MEMORY, assert_nothing_left, config, is_roomy, read, run_phase, sketched,
    tempdir, write_snapshot,
};
use testkit::{OracleCase, OracleDocument, Random};

/// The results of a run, as later phases and users see them.
#[derive(Debug, PartialEq)]
struct RunResult {
    classes: Vec<Class>,
    common: Vec<CommonRecord>,
    pairs: Vec<PairCount>,
    compared: Vec<LinkRecord>,
    links: Vec<LinkRecord>,
    members: Vec<MemberRecord>,
    clusters: Vec<ClusterRecord>,
    counts: BTreeMap<String, u64>,
    /// URLs by what became of them, and the tables of that.
    changes: (BTreeMap<String, u64>, Vec<u64>),
}

/// The changes of clusters since the publication before, and how many older rows went: nothing that
/// a run from scratch has.
type Journal = (BTreeMap<String, u64>, u64);

/// The state that only a run that follows another one has.
struct NightReport {
    journal: Journal,
    /// Steps from a snapshot to the next whose changes were taken over.
    taken_over: u64,
    /// Steps whose changes were looked for.
    looked_for: u64,
}

/// A number and its documents.
type Snapshot = (u32, Vec<OracleDocument>);

/// The state that a run starts from, and its settings.
struct Night<'a> {
    dir: &'a Path,
    case: &'a OracleCase,
    snapshots: &'a [Snapshot],
    memory_bytes: usize,
    /// A phase after which the run is killed.
    killed_in: Option<PhaseName>,
    /// Whether it publishes, with a journal of its clusters: an index has many files, so not all
    /// do.
    publishes: bool,
}

/// Runs the phases after `sketch`; none if the run was killed. Also gives the manifest that is
/// left.
fn run(
    night: &Night<'_>,
    manifest: Manifest,
    seed: u64,
) -> (Manifest, Option<(RunResult, NightReport)>) {
    let moved = [30, 10, 60, 90][night.case.params.min_shared as usize % 4];
    let config = config::Config {
        has_snapshots: true,
        snapshots: Some(config::SnapshotsConfig {
            path: None,
            keep: None,
            moved: Threshold::hundredths(moved),
        }),
        ..config(&night.case.params, night.dir)
    };
    let reporter = Reporter::silent();
    let mut engine = Engine::over(&config, Disk::default(), manifest, &reporter);
    engine.budget = MemoryBudget::new(night.memory_bytes);
    engine.fan_in_max = 2 + (seed % 5) as usize;
    let written = night.snapshots.iter();
    let written = written
        .map(|(number, documents)| write_snapshot(&engine, *number, documents, u64::from(*number)));
    sketched(&engine, written.collect());
    for phase in PHASES {
        std::fs::create_dir_all(engine.dir(phase)).unwrap();
        let before = engine.manifest().clone();
        let record = run_phase(phase, &engine).unwrap();
        if night.killed_in == Some(phase) {
            return (before, None);
        }
        engine
            .manifest()
            .phases
            .insert(phase.name().to_owned(), record);
        engine::work_dir::clear_phase(&engine, phase).unwrap();
        let record = engine.manifest().phases[phase.name()].clone();
        assert_nothing_left(&engine, phase, &record);
    }
    let made = crate::history::changes::tests::agrees(&engine, night.case, night.snapshots);
    let journal = if night.publishes {
        crate::history::journal::tests::agrees(&engine)
    } else {
        Journal::default()
    };
    assert_eq!(
        engine.budget.free_bytes(),
        night.memory_bytes,
        "a reservation was not given back"
    );
    let mut pairs = Vec::new();
    let mut reader = engine.pair_counts().unwrap();
    while let Some(slice) = reader.next_slice().unwrap() {
        pairs.extend_from_slice(slice);
    }
    let found = RunResult {
        classes: read(&engine, PhaseName::Distinct, "classes", FileKind::Classes),
        common: read(&engine, PhaseName::Pairs, "common", FileKind::Common),
        pairs,
        compared: match night.case.params.sampling.has_fixed_size() {
            true => read(&engine, PhaseName::Pairs, "compared", FileKind::Links),
            false => Vec::new(),
        },
        links: read(&engine, PhaseName::Cluster, "links", FileKind::Links),
        members: read(&engine, PhaseName::Cluster, "members", FileKind::Members),
        clusters: read(&engine, PhaseName::Cluster, "clusters", FileKind::Clusters),
        counts: counts(&engine.manifest().phases),
        changes: (made.classes, made.tables),
    };
    let manifest = engine.manifest().clone();
    let report = NightReport {
        journal,
        taken_over: made.taken_over,
        looked_for: made.steps - made.taken_over,
    };
    (manifest, Some((found, report)))
}

/// The figures that the report takes from the phases.
fn counts(phases: &BTreeMap<String, PhaseRecord>) -> BTreeMap<String, u64> {
    let all = phases.iter().flat_map(|(phase, record)| {
        let numbers = record.figures.numbers().into_iter();
        numbers.map(move |(name, count)| (format!("{phase}.{name}"), count))
    });
    // An upper bound for estimates; the figure of the report is that of `cluster`.
    all.filter(|(name, _)| name != "pairs.pairs").collect()
}

/// How often something happened that the test is about.
#[derive(Default)]
struct HistoryTotals {
    levels: AtomicU64,
    became_common: AtomicU64,
    ceased_common: AtomicU64,
    promoted: AtomicU64,
    killed: AtomicU64,
    /// URLs by what became of them, of all histories.
    changes: std::sync::Mutex<BTreeMap<String, u64>>,
    /// Clusters by what became of them.
    clusters: std::sync::Mutex<BTreeMap<String, u64>>,
    /// Rows of journals that went with their snapshots.
    went: AtomicU64,
    /// Pairs of snapshots whose changes were taken over, and looked for.
    taken_over: AtomicU64,
    looked_for: AtomicU64,
    /// Nights on which only new pairs were judged.
    joined: AtomicU64,
    /// Such nights on which pairs of older documents were judged again, too.
    again: AtomicU64,
    /// Nights of an earlier run on which pairs share common shingles.
    whole: AtomicU64,
}

fn history(seed: u64, mut case: OracleCase, totals: &HistoryTotals) {
    let mut draw = Random::new(seed);
    let dir = tempdir();
    let (mut manifest, mut live, mut number) = (Manifest::default(), Vec::new(), 0);
    let mut last: Option<(Vec<Snapshot>, RunResult)> = None;
    for night in 0..2 + draw.below(6) {
        if draw.below(10) < 8 || live.is_empty() {
            number += 1 + draw.below(2) as u32;
            let documents = draw.below(1 + case.documents.len() as u64 / 2);
            let chosen = (0..documents).filter_map(|_| {
                case.documents
                    .get(draw.below(case.documents.len() as u64) as usize)
            });
            live.push((number, chosen.cloned().collect::<Vec<_>>()));
        }
        if draw.below(10) < 4 && live.len() > 1 {
            let dropped = if draw.below(2) == 0 {
                0
            } else {
                draw.below(live.len() as u64) as usize
            };
            live.remove(dropped);
        }
        if draw.below(12) == 0 {
            case.params.common_limit = 1 + draw.below(8);
        }
        if draw.below(12) == 0 {
            case.params.shingle_class_min = 1 + draw.below(12) as usize;
        }
        let memory_bytes = [600, 2_000, 9_000, 60_000, 4_000_000][draw.below(5) as usize];
        let killed_in = (draw.below(4) == 0).then(|| PHASES[draw.below(4) as usize]);
        let publishes = seed.is_multiple_of(2) && !(seed / 2 + night).is_multiple_of(6);
        let mut tonight = Night {
            dir: dir.path(),
            case: &case,
            snapshots: &live,
            memory_bytes,
            killed_in,
            publishes,
        };
        if killed_in.is_some() {
            totals.killed.fetch_add(1, Ordering::Relaxed);
            (manifest, _) = run(&tonight, manifest, seed + night);
            tonight.killed_in = None;
        }
        let (kept, found) = run(&tonight, manifest, seed + night);
        manifest = kept;
        let scratch = tempdir();
        let anew = Night {
            dir: scratch.path(),
            memory_bytes: 4_000_000,
            publishes: false,
            ..tonight
        };
        let (_, expected) = run(&anew, Manifest::default(), seed);
        let context = || {
            format!(
                "seed {seed}, night {night}, {memory_bytes} bytes, {:?}",
                case.params
            )
        };
        let ((found, report), (expected, _)) = (found.unwrap(), expected.unwrap());
        assert_eq!(found, expected, "{}", context());
        let is_joined =
            killed_in.is_none() && manifest.levels["pairs"].others.contains_key("new-pairs");
        totals.joined.fetch_add(
            u64::from(is_joined && !found.links.is_empty()),
            Ordering::Relaxed,
        );
        let levels: PairsLevels = manifest.levels["pairs"].figures.read();
        let is_again = is_joined && levels.other_pairs.is_some();
        totals
            .again
            .fetch_add(u64::from(is_again), Ordering::Relaxed);
        let whole = levels.figures.whole_pairs;
        totals
            .whole
            .fetch_add(u64::from(night > 0 && whole > 0), Ordering::Relaxed);
        totals.levels.fetch_max(
            manifest.levels["pairs"].files.len() as u64,
            Ordering::Relaxed,
        );
        for (class, n) in &found.changes.0 {
            *totals
                .changes
                .lock()
                .unwrap()
                .entry(class.clone())
                .or_default() += n;
        }
        for (event, n) in &report.journal.0 {
            *totals
                .clusters
                .lock()
                .unwrap()
                .entry(event.clone())
                .or_default() += n;
        }
        totals.went.fetch_add(report.journal.1, Ordering::Relaxed);
        totals
            .taken_over
            .fetch_add(report.taken_over, Ordering::Relaxed);
        totals
            .looked_for
            .fetch_add(report.looked_for, Ordering::Relaxed);
        if let Some((before, was)) = &last {
            let common = |found: &RunResult| {
                found
                    .common
                    .iter()
                    .map(|common| common.shingle)
                    .collect::<Vec<_>>()
            };
            let (then, now) = (common(was), common(&found));
            let one_of =
                |a: &[u64], b: &[u64]| u64::from(a.iter().any(|shingle| !b.contains(shingle)));
            if manifest.levels["pairs"].files.len() > 1 {
                totals
                    .became_common
                    .fetch_add(one_of(&now, &then), Ordering::Relaxed);
                totals
                    .ceased_common
                    .fetch_add(one_of(&then, &now), Ordering::Relaxed);
                let first_is_gone =
                    before.first().map(|one| one.0) != live.first().map(|one| one.0);
                totals
                    .promoted
                    .fetch_add(u64::from(first_is_gone), Ordering::Relaxed);
            }
        }
        last = Some((live.clone(), found));
    }
}

#[test]
fn a_history_with_sketches_of_a_fixed_size_gives_what_a_run_from_scratch_gives() {
    let totals = HistoryTotals::default();
    for seed in 0..80 {
        history(seed, OracleCase::of_fixed_size(seed), &totals);
    }
    assert!(totals.killed.into_inner() > 20);
}

#[test]
fn a_history_of_snapshots_gives_what_a_run_from_scratch_gives() {
    // PIPELINE_HISTORIES runs a longer sweep.
    let usual = if is_roomy(Path::new(SHARED_MEMORY)) {
        600
    } else {
        60
    };
    let histories = std::env::var("PIPELINE_HISTORIES")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(usual);
    let (next, totals) = (AtomicU64::new(0), HistoryTotals::default());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= histories {
                        break;
                    }
                    history(seed, OracleCase::from_seed(seed), &totals);
                }
            });
        }
    });
    let HistoryTotals {
        levels,
        became_common,
        ceased_common,
        promoted,
        killed,
        changes,
        clusters,
        went,
        again,
        ..
    } = totals;
    let kept = [
        totals.taken_over,
        totals.looked_for,
        totals.joined,
        totals.whole,
    ];
    let kept = kept.map(AtomicU64::into_inner);
    println!(
        "pairs of snapshots whose changes were taken over, looked for, nights with new links only, with common shingles: {kept:?}"
    );
    assert!(
        kept.iter().all(|n| *n > histories / 8),
        "too seldom: {kept:?}"
    );
    let [changes, clusters] = [changes, clusters].map(|counts| counts.into_inner().unwrap());
    println!("clusters by what became of them: {clusters:?}, {went:?} rows went");
    assert!(clusters.len() == 7, "too few kinds of events: {clusters:?}");
    println!("URLs by what became of them: {changes:?}");
    assert!(
        changes.len() == 8 && changes.values().all(|n| *n > 1),
        "too few kinds of changes: {changes:?}"
    );
    let figures = [
        levels,
        became_common,
        ceased_common,
        promoted,
        killed,
        went,
        again,
    ];
    let figures = figures.map(AtomicU64::into_inner);
    println!("levels, became common, ceased, dropped first, killed, went, again: {figures:?}");
    assert!(
        figures.iter().all(|figure| *figure > 1),
        "the histories never come to what they are to test: {figures:?}"
    );
}
