//! Settled pairs and the links that follow, over random corpora within a few KiB of memory, against
//! their definitions.

#![expect(
    clippy::unwrap_used,
    reason = "a failure should end the test where it happens"
)]

use clustering::partition::{PairRule, SettleRule};
use config::Config;
use engine::{Engine, Error, PhaseName, figures::SettleFigures, runtime::progress::Reporter};
use exact::{SetFeeder, Texts, WantedDocuments, Workplace};
use format::{CommonRecord, Disk, FileKind, LinkRecord, Manifest, PhaseRecord, SettledRecord};
use model::{Class, Overlap, Sampling, Threshold, Words};
use model::{LinkPolicy, Settle, ThresholdsMet};
use sort::MemoryBudget;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use testbed::{PHASES, cases, read, run_phase, sketched, tempdir, write_snapshot};
use testkit::{CorpusShape, OracleCase, OracleDocument};

/// The texts of a corpus. Those of one in thirteen cannot be read.
struct MadeTexts<'a>(&'a [OracleDocument]);

fn can_be_read(document: &OracleDocument) -> bool {
    document
        .all
        .iter()
        .fold(0, |sum: u64, one| sum.wrapping_add(*one))
        % 13
        != 5
}

impl Texts for MadeTexts<'_> {
    fn read<'a>(
        &self,
        mut wanted: WantedDocuments,
        place: &Workplace<'a>,
    ) -> Result<SetFeeder<'a>, Error> {
        let sets = SetFeeder::of_run(place)?;
        let mut feeder = sets.thread();
        while let Some(Words([text, doc])) = wanted.next_document().unwrap() {
            let document = &self.0[text as usize];
            if can_be_read(document) {
                // Large documents come in pieces, the highest first.
                let piece = [3, 50, usize::MAX][doc as usize % 3];
                let mut set = feeder.begin(doc, 0).unwrap();
                let shingles = &document.all;
                let (lowest, higher) = shingles.split_at(piece.min(shingles.len()));
                for piece in higher.rchunks(piece) {
                    feeder.push_piece(&mut set, piece).unwrap();
                }
                feeder.push_last_piece(&mut set, lowest).unwrap();
            }
        }
        Ok(sets)
    }
}

struct Case {
    documents: Vec<OracleDocument>,
    /// The documents by the number of their snapshot.
    snapshots: Vec<(u32, Vec<OracleDocument>)>,
    config: Config,
    seed: u64,
    memory_bytes: usize,
}

fn case(seed: u64, memory_bytes: usize, dir: &Path) -> Case {
    let pick = |list: &[u64], shift: u32| list[(seed >> shift) as usize % list.len()];
    let shape = CorpusShape {
        documents: pick(&[5, 30, 60], 0) as u32,
        universe: pick(&[60, 300, 2000], 1),
        set_max: pick(&[40, 150, 400], 2),
        derived_per_mille: pick(&[600, 900], 0),
        template_per_mille: pick(&[0, 200, 700], 1),
        fingerprint_bits: 64,
        sampling: Sampling::Adaptive {
            target: pick(&[4, 16, 40], 3) as u32,
            coarsest_log2: pick(&[2, 5], 1) as u8,
        },
    };
    let mut params = OracleCase::from_seed(seed).params;
    params.sampling = shape.sampling;
    let mut config = testbed::config(&params, dir);
    config.pairs.floor = Threshold::hundredths(0);
    config.has_snapshots = true;
    config.pairs.common = config::Common::Count;
    config.cluster.settle = [Settle::Links, Settle::Off][(seed % 5 / 4) as usize];
    let documents = shape.documents(seed);
    // These pairs are counted again in every run: with less, most of the time would be tiny writes.
    let least_bytes = 4 * testbed::least_bytes(&documents);
    Case {
        snapshots: vec![(0, documents.clone())],
        documents,
        config,
        seed,
        memory_bytes: memory_bytes.max(least_bytes),
    }
}

/// Runs the phases with the manifest of an earlier run.
fn run(case: &Case, manifest: Manifest, check: impl FnOnce(&Engine<'_>)) -> Manifest {
    let reporter = Reporter::silent();
    let mut engine = Engine::over(&case.config, Disk::default(), manifest, &reporter);
    engine.budget = MemoryBudget::new(case.memory_bytes);
    let written = case.snapshots.iter();
    let written =
        written.map(|(number, documents)| write_snapshot(&engine, *number, documents, case.seed));
    sketched(&engine, written.collect());
    for phase in PHASES {
        std::fs::create_dir_all(engine.dir(phase)).unwrap();
        let record = match phase {
            PhaseName::Settle => phases::settle::run_over(&engine, &MadeTexts(&case.documents)),
            phase => run_phase(phase, &engine),
        };
        let record: PhaseRecord = record.unwrap();
        let outputs = record.outputs.len();
        engine
            .manifest()
            .phases
            .insert(phase.name().to_owned(), record);
        engine::work_dir::clear_phase(&engine, phase).unwrap();
        let files = std::fs::read_dir(engine.dir(phase)).unwrap().count();
        assert_eq!(files, outputs, "{phase} left something behind");
    }
    check(&engine);
    assert_eq!(engine.budget.free_bytes(), case.memory_bytes);
    engine.manifest().clone()
}

/// The figures that are known of two representatives.
struct PairFacts {
    sketches: Overlap,
    /// All shingles.
    all: Overlap,
    /// Whether the run knows the pair.
    is_known: bool,
}

/// The definitions, straight from the corpus.
struct Oracle<'a> {
    case: &'a Case,
    policy: LinkPolicy,
    rule: SettleRule,
    /// The pairs that are counted or proposed.
    known: BTreeSet<[u32; 2]>,
}

impl<'a> Oracle<'a> {
    fn of(engine: &Engine<'_>, case: &'a Case) -> Oracle<'a> {
        let policy = engine.config.cluster.link_policy();
        let mut known = BTreeSet::new();
        let mut counts = engine.pair_counts().unwrap();
        while let Some(slice) = counts.next_slice().unwrap() {
            known.extend(slice.iter().map(|pair| [pair.a, pair.b]));
        }
        Oracle {
            case,
            policy,
            rule: SettleRule::new(policy),
            known,
        }
    }

    fn facts(&self, [a, b]: [u32; 2]) -> PairFacts {
        let [one, other] = [a, b].map(|doc| &self.case.documents[doc as usize]);
        let sampling = self.case.config.sketch.sampling;
        let modulus = sampling.modulus_at(one.level.max(other.level));
        let overlap = |modulus: u32, of: fn(&OracleDocument) -> &Vec<u64>| {
            let set = |document| -> BTreeSet<u64> {
                let list = of(document).iter().copied();
                list.filter(|one| one.is_multiple_of(u64::from(modulus)))
                    .collect()
            };
            let (x, y) = (set(one), set(other));
            Overlap {
                shared: x.intersection(&y).count() as u32,
                size_a: x.len() as u32,
                size_b: y.len() as u32,
                modulus,
            }
        };
        PairFacts {
            sketches: overlap(modulus, |document| &document.fingerprints),
            all: overlap(1, |document| &document.all),
            is_known: self.known.contains(&[a, b]),
        }
    }

    /// Whether the pair is compared by all its shingles.
    fn is_settled(&self, pair: [u32; 2], facts: &PairFacts) -> bool {
        self.is_chosen(facts) && self.can_be_compared(pair)
    }

    fn can_be_compared(&self, pair: [u32; 2]) -> bool {
        let document = |doc: u32| &self.case.documents[doc as usize];
        pair.into_iter().all(|doc| can_be_read(document(doc)))
    }

    /// Whether the pair is to be compared.
    fn is_chosen(&self, facts: &PairFacts) -> bool {
        let settles = self.case.config.cluster.settle != Settle::Off;
        settles && facts.is_known && self.rule.judge(&facts.sketches).is_some()
    }

    /// The overlap that makes the pair a link, and the bits of its record.
    fn link(&self, pair: [u32; 2], facts: &PairFacts) -> Option<(Overlap, u8)> {
        self.link_by(&self.policy, pair, facts)
    }

    /// Links by another policy; the settled pairs are those of the run.
    fn link_by(
        &self,
        policy: &LinkPolicy,
        pair: [u32; 2],
        facts: &PairFacts,
    ) -> Option<(Overlap, u8)> {
        let met = |met: ThresholdsMet| {
            u8::from(met.resemblance) + 2 * u8::from(met.a_in_b) + 4 * u8::from(met.b_in_a)
        };
        let overlap = match (self.is_chosen(facts), self.can_be_compared(pair)) {
            (true, true) => facts.all,
            (true, false) => return None,
            (false, _) => facts.sketches,
        };
        let judged = policy.judge(&overlap).filter(|_| facts.is_known);
        judged.map(|judged| (overlap, met(judged)))
    }
}

fn check(engine: &Engine<'_>, case: &Case) {
    let oracle = Oracle::of(engine, case);
    let mut representatives: BTreeSet<u32> = (0..case.documents.len() as u32).collect();
    for class in read::<Class>(engine, PhaseName::Distinct, "classes", FileKind::Classes) {
        if class.representative() != class.doc {
            representatives.remove(&class.doc);
        }
    }
    let (mut settled, mut links, mut all_facts) = (Vec::new(), Vec::new(), Vec::new());
    let mut uncompared = 0;
    for &a in &representatives {
        for &b in representatives.range(a + 1..) {
            let facts = oracle.facts([a, b]);
            if oracle.is_chosen(&facts) && !oracle.can_be_compared([a, b]) {
                uncompared ^= model::mix(u64::from(a) << 32 | u64::from(b));
            }
            if oracle.is_settled([a, b], &facts) {
                settled.push(SettledRecord {
                    a,
                    b,
                    shared: facts.all.shared,
                    size_a: facts.all.size_a,
                    size_b: facts.all.size_b,
                });
            }
            if let Some((overlap, reached)) = oracle.link([a, b], &facts) {
                links.push(([a, b], overlap, reached));
            }
            all_facts.push(([a, b], facts));
        }
    }
    let context = format!("seed {}, {} bytes", case.seed, case.memory_bytes);
    let found: Vec<SettledRecord> = read(engine, PhaseName::Settle, "settled", FileKind::Settled);
    assert_eq!(found, settled, "settled; {context}");
    let found: SettleFigures = engine.manifest().phases[PhaseName::Settle.name()]
        .figures
        .read();
    assert_eq!(
        found.uncompared, uncompared,
        "pairs not compared; {context}"
    );
    let found: Vec<LinkRecord> = read(engine, PhaseName::Cluster, "links", FileKind::Links);
    let found: Vec<_> = found
        .iter()
        .map(|link| ([link.a, link.b], link.overlap(), link.reached))
        .collect();
    assert_eq!(found, links, "links; {context}");
    check_sweep(engine, &oracle, &all_facts);
}

/// A sweep counts the links of runs with other thresholds that settle the same pairs.
fn check_sweep(engine: &Engine<'_>, oracle: &Oracle<'_>, facts: &[([u32; 2], PairFacts)]) {
    let configured = oracle.policy.resemblance;
    let mut thresholds = [15, 35, 55, 75].map(Threshold::hundredths).to_vec();
    thresholds.push(configured);
    thresholds.sort_by(|a, b| a.to_f64().total_cmp(&b.to_f64()));
    let found = clustering::sweep(engine, &thresholds, &mut |_, _| {}).unwrap();
    for counts in found {
        let policy = LinkPolicy {
            resemblance: counts.resemblance,
            ..oracle.policy
        };
        let reaches = |overlap: Overlap| policy.resemblance.reached_by(overlap.shared_of_union());
        let links = facts.iter().filter(|(pair, facts)| {
            let link = oracle.link_by(&policy, *pair, facts);
            link.is_some_and(|(overlap, _)| reaches(overlap))
        });
        let context = (counts.resemblance, configured, oracle.case.seed);
        assert_eq!(counts.links, links.count() as u64, "{context:?}");
    }
}

/// The number of settled pairs, and how many of them were taken over.
fn settled(manifest: &Manifest) -> [u64; 2] {
    let figures: SettleFigures = manifest.phases[PhaseName::Settle.name()].figures.read();
    [figures.settled, figures.taken_over]
}

#[test]
fn settled_pairs_and_their_links_follow_from_the_definitions() {
    cases(200, |seed, memory_bytes| {
        let dir = tempdir();
        let mut case = case(seed, memory_bytes, dir.path());
        let first = run(&case, Manifest::default(), |engine| check(engine, &case));
        // A second run takes over all that the first one settled.
        let second = run(&case, first.clone(), |engine| check(engine, &case));
        let [pairs, _] = settled(&first);
        assert_eq!(settled(&second), [pairs; 2], "seed {seed}");
        // Another threshold needs other pairs, and takes over those that it needs, too. Other
        // common shingles propose other pairs.
        case.config.cluster.resemblance = Threshold::hundredths(30 + (seed % 60) as u8);
        if seed.is_multiple_of(2) {
            case.config.pairs.common_shingle_limit = 1 + (seed / 2 % 9) as u32;
        }
        run(&case, second, |engine| check(engine, &case));
    });
}

#[test]
fn pairs_of_earlier_runs_are_taken_over_when_common_shingles_change() {
    let (corrected, compared_again) = (AtomicU64::new(0), AtomicU64::new(0));
    cases(300, |seed, memory_bytes| {
        let dir = tempdir();
        let all = case(seed, memory_bytes << (seed % 2 * 8), dir.path());
        // Most is crawled on the first night. At last the crawl of the second one is dropped.
        let tenth = all.documents.len().div_ceil(10);
        let (first, news) = all.documents.split_at(all.documents.len() - 2 * tenth);
        let (second, third) = news.split_at(tenth);
        let parts = (1..).zip([first, second, third].map(<[OracleDocument]>::to_vec));
        let mut manifest = Manifest::default();
        let mut common_before = Vec::new();
        for numbers in [&[1][..], &[1, 2], &[1, 2, 3], &[1, 3]] {
            let live = parts.clone().filter(|(number, _)| numbers.contains(number));
            let snapshots: Vec<(u32, Vec<OracleDocument>)> = live.collect();
            let tonight = Case {
                documents: snapshots.iter().flat_map(|one| one.1.clone()).collect(),
                snapshots,
                config: all.config.clone(),
                ..all
            };
            let mut common = Vec::new();
            manifest = run(&tonight, manifest, |engine| {
                check(engine, &tonight);
                common = read::<CommonRecord>(engine, PhaseName::Pairs, "common", FileKind::Common);
            });
            let common: Vec<u64> = common.iter().map(|one| one.shingle).collect();
            if numbers.len() > 1 && common != common_before {
                let [_, taken_over] = settled(&manifest);
                let count = if taken_over > 0 {
                    &corrected
                } else {
                    &compared_again
                };
                count.fetch_add(1, Ordering::Relaxed);
            }
            common_before = common;
        }
    });
    let counts = [corrected, compared_again].map(AtomicU64::into_inner);
    println!("changed lists, with pairs that were taken over, and without: {counts:?}");
    assert!(counts[0] > 20, "too seldom: {counts:?}");
}
