//! The disk pipeline against the brute-force oracle, over random corpora and budgets so small that
//! every spill, every pass of a merge, every parted block and every cell on disk is used.

use engine::Engine;
use format::{ClusterRecord, CommonRecord, FileKind, LinkRecord, LostRecord, MemberRecord};
use model::{Class, Threshold};
use runtime::PhaseName;
use std::sync::atomic::{AtomicU64, Ordering};
use testbed::{cases, clustered, floor, read};
use testkit::{OracleCase, OracleParams};

/// Everything the phases decided about a document: same_as, same_kind, cluster, keep.
type Row = (Option<u32>, Option<model::Equality>, u32, bool);

struct RunResult {
    rows: Vec<Row>,
    lost: Vec<u32>,
    links: Vec<LinkRecord>,
    common: Vec<CommonRecord>,
    crowds: Vec<LinkRecord>,
    clusters: Vec<ClusterRecord>,
    distinct_pairs: u64,
}

fn disk_pipeline(case: &OracleCase, seed: u64, memory_bytes: usize) -> RunResult {
    clustered(case, seed, memory_bytes, |engine| found(engine, case))
}

fn found(engine: &Engine<'_>, case: &OracleCase) -> RunResult {
    let n = case.documents.len();
    let mut rows: Vec<Row> = (0..n as u32).map(|doc| (None, None, doc, true)).collect();
    let mut representative: Vec<u32> = (0..n as u32).collect();
    for class in read::<Class>(engine, PhaseName::Distinct, "classes", FileKind::Classes) {
        let row = &mut rows[class.doc as usize];
        (row.1, row.0) = class.same_as().unzip();
        representative[class.doc as usize] = class.representative();
    }
    for member in read::<MemberRecord>(engine, PhaseName::Cluster, "members", FileKind::Members) {
        let row = &mut rows[member.doc as usize];
        (row.2, row.3) = (member.cluster, member.keep == 1);
    }
    let mut lost = vec![0; n];
    for record in read::<LostRecord>(engine, PhaseName::Pairs, "lost", FileKind::Lost) {
        lost[record.doc as usize] += record.count;
    }
    RunResult {
        rows,
        lost: representative
            .iter()
            .map(|&doc| lost[doc as usize])
            .collect(),
        links: read(engine, PhaseName::Cluster, "links", FileKind::Links),
        common: read(engine, PhaseName::Pairs, "common", FileKind::Common),
        crowds: if case.params.crowds.is_some() {
            read(engine, PhaseName::Pairs, "crowds", FileKind::Links)
        } else {
            assert!(engine.sealed(PhaseName::Pairs, "crowds").is_err());
            Vec::new()
        },
        clusters: read(engine, PhaseName::Cluster, "clusters", FileKind::Clusters),
        distinct_pairs: engine.manifest().phases[PhaseName::Cluster.name()].counts["pairs"],
    }
}

/// Pairs of crowds, and links that only common shingles make.
#[derive(Default)]
struct CrowdTotals {
    pairs: AtomicU64,
    links: AtomicU64,
}

fn check(seed: u64, memory_bytes: usize, totals: &CrowdTotals) {
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
    let crowd_pairs: Vec<_> = oracle
        .crowds
        .iter()
        .map(|pair| LinkRecord {
            a: pair.a,
            b: pair.b,
            shared: pair.overlap.shared,
            size_a: pair.overlap.size_a,
            size_b: pair.overlap.size_b,
            modulus: pair.overlap.modulus,
            reached: 0,
        })
        .collect();
    assert_eq!(found.crowds, crowd_pairs, "pairs of crowds; {context}");
    let count = |total: &AtomicU64, n: usize| total.fetch_add(n as u64, Ordering::Relaxed);
    count(&totals.pairs, crowd_pairs.len());
    count(
        &totals.links,
        oracle.links.iter().filter(|link| link.is_crowd).count(),
    );
    let links: Vec<_> = found
        .links
        .iter()
        .map(|l| {
            let reached = clustering::reached(l);
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
                l.reached & LinkRecord::CROWD != 0,
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
                l.is_crowd,
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
    let (asked, links) = (floor(&case.params, seed), case.params.resemblance);
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
        crowds: None,
        ..case.params
    };
    assert_eq!(
        found.distinct_pairs,
        testkit::run(&case.documents, &params).links.len() as u64,
        "pairs; {context}"
    );
}

#[test]
fn a_few_kib_of_memory_change_nothing() {
    let totals = CrowdTotals::default();
    cases(1000, |seed, memory_bytes| {
        check(seed, memory_bytes, &totals);
    });
    let [pairs, links] = [totals.pairs, totals.links].map(AtomicU64::into_inner);
    println!("pairs of crowds, links of crowds: {pairs}, {links}");
    assert!(
        pairs > 1000 && links > 100,
        "too few crowds: {pairs} pairs, {links} links"
    );
}
