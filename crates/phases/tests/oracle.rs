//! The disk pipeline against the brute-force oracle, over random corpora and budgets so small that
//! every spill, every pass of a merge, every parted block and every cell on disk is used.

use clustering::reached;
use engine::{COMMON_OF_DOCUMENTS, Engine, PhaseName, figures::ClusterFigures};
use format::{ClusterRecord, CommonOfDocument, CommonRecord, FileKind, LinkRecord, MemberRecord};
use model::{Class, Ratio, Threshold};
use model::{DensityLimits, PublishedLinks};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use testbed::{cases, clustered, floor, published_links, read};
use testkit::{OracleCase, OracleComparedPair, OracleParams};

/// Everything the phases decided about a document: same_as, same_kind, cluster, kept document.
type Row = (Option<u32>, Option<model::Equality>, u32, u32);

struct RunResult {
    rows: Vec<Row>,
    representatives: Vec<u32>,
    common_of: Vec<CommonOfDocument>,
    links: Vec<LinkRecord>,
    published: Vec<LinkRecord>,
    common: Vec<CommonRecord>,
    compared: Vec<LinkRecord>,
    clusters: Vec<ClusterRecord>,
    distinct_pairs: u64,
}

fn disk_pipeline(case: &OracleCase, seed: u64, memory_bytes: usize) -> RunResult {
    clustered(case, seed, memory_bytes, |engine| found(engine, case))
}

fn found(engine: &Engine<'_>, case: &OracleCase) -> RunResult {
    let n = case.documents.len();
    let mut rows: Vec<Row> = (0..n as u32).map(|doc| (None, None, doc, doc)).collect();
    let mut representative: Vec<u32> = (0..n as u32).collect();
    for class in read::<Class>(engine, PhaseName::Distinct, "classes", FileKind::Classes) {
        let row = &mut rows[class.doc as usize];
        (row.1, row.0) = class.same_as().unzip();
        representative[class.doc as usize] = class.representative();
    }
    for member in read::<MemberRecord>(engine, PhaseName::Cluster, "members", FileKind::Members) {
        let row = &mut rows[member.doc as usize];
        (row.2, row.3) = (member.cluster, member.kept);
    }
    RunResult {
        rows,
        common_of: read(
            engine,
            PhaseName::Pairs,
            COMMON_OF_DOCUMENTS,
            FileKind::CommonOfDocuments,
        ),
        representatives: representative,
        links: read(engine, PhaseName::Cluster, "links", FileKind::Links),
        published: published(engine),
        common: read(engine, PhaseName::Pairs, "common", FileKind::Common),
        compared: match case.params.sampling.has_fixed_size() {
            true => read(engine, PhaseName::Pairs, "compared", FileKind::Links),
            false => Vec::new(),
        },
        clusters: read(engine, PhaseName::Cluster, "clusters", FileKind::Clusters),
        distinct_pairs: cluster_figures(engine).links.pairs,
    }
}

/// The links that are published.
fn published(engine: &Engine<'_>) -> Vec<LinkRecord> {
    let mut links = clustering::published_links(engine).expect("links");
    let mut all = Vec::new();
    while let Some(link) = links.next().expect("a link") {
        all.push(link);
    }
    let reaching = all.iter().filter(|link| reached(link).resemblance).count() as u64;
    assert_eq!(cluster_figures(engine).published_links, reaching);
    all
}

fn cluster_figures(engine: &Engine<'_>) -> ClusterFigures {
    engine.manifest().phases[PhaseName::Cluster.name()]
        .figures
        .read()
}

/// Compared pairs, and links of documents that share common shingles.
#[derive(Default)]
struct Totals {
    compared: AtomicU64,
    common: AtomicU64,
}

/// The resemblance below which a case counts no pairs.
fn lowest(params: &OracleParams, seed: u64) -> Threshold {
    let (asked, links) = (floor(seed), params.resemblance);
    let lower = if links.to_f64() < asked.to_f64() {
        links
    } else {
        asked
    };
    if params.containment.is_some() {
        Threshold::hundredths(0)
    } else {
        lower
    }
}

fn check(case: &OracleCase, seed: u64, memory_bytes: usize, totals: &Totals) {
    let found = disk_pipeline(case, seed, memory_bytes);
    let has_fixed_size = case.params.sampling.has_fixed_size();
    let lowest = lowest(&case.params, seed);
    let oracle = testkit::run(&case.documents, &case.params);
    let context = format!("seed {seed}, {memory_bytes} bytes, {:?}", case.params);
    let common: Vec<_> = found
        .common
        .iter()
        .map(|c| (c.shingle, c.documents, c.example))
        .collect();
    assert_eq!(common, oracle.common, "common shingles; {context}");
    let is_written = |pair: &&OracleComparedPair| {
        !has_fixed_size || lowest.reached_by(pair.overlap.resemblance().ratio)
    };
    let compared: Vec<_> = oracle
        .compared
        .iter()
        .filter(is_written)
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
    assert_eq!(found.compared, compared, "compared pairs; {context}");
    let common_of = common_of(case, &found, &oracle.common);
    assert_eq!(found.common_of, common_of, "common of documents; {context}");
    let count = |total: &AtomicU64, n: usize| total.fetch_add(n as u64, Ordering::Relaxed);
    count(&totals.compared, compared.len());
    let has_common = |doc: u32| common_of.iter().any(|common| common.doc == doc);
    let of_common = oracle.links.iter();
    let of_common = of_common.filter(|link| has_common(link.a) && has_common(link.b));
    count(&totals.common, of_common.count());
    let links: Vec<_> = found
        .links
        .iter()
        .map(|l| {
            let reached = reached(l);
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
    let selected = match published_links(seed) {
        PublishedLinks::Strongest(limits) => selected(&found, &case.params, limits),
        PublishedLinks::All => found.links.clone(),
    };
    assert_eq!(found.published, selected, "published links; {context}");
    let rows: Vec<Row> = oracle
        .rows
        .iter()
        .map(|r| (r.same_as, r.same_kind, r.cluster, r.kept))
        .collect();
    assert_eq!(found.rows, rows, "rows; {context}");
    let clusters: Vec<_> = found
        .clusters
        .iter()
        .map(|c| {
            let weakest = Ratio::new(u64::from(c.weakest_shared), u64::from(c.weakest_union));
            let weakest = (c.weakest_union > 0).then_some(weakest);
            (
                c.cluster,
                u64::from(c.documents),
                u64::from(c.distinct),
                c.kind,
                weakest,
                [c.kept, c.keeps],
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
                [c.kept, c.keeps],
            )
        })
        .collect();
    assert_eq!(clusters, expected, "clusters; {context}");
    let params = OracleParams {
        resemblance: lowest,
        min_shared: 1,
        containment: None,
        ..case.params
    };
    assert_eq!(
        found.distinct_pairs,
        testkit::run(&case.documents, &params).links.len() as u64,
        "pairs; {context}"
    );
}

/// The common shingles of the sketch of each representative.
fn common_of(
    case: &OracleCase,
    found: &RunResult,
    common: &[(u64, u32, u32)],
) -> Vec<CommonOfDocument> {
    let is_common = |one: &u64| common.binary_search_by_key(one, |entry| entry.0).is_ok();
    let documents = (0..).zip(&case.documents).zip(&found.representatives);
    let own = documents.filter(|((doc, _), representative)| doc == *representative);
    own.flat_map(|((doc, document), _)| {
        let common = document.fingerprints.iter().copied().filter(is_common);
        common.map(move |shingle| CommonOfDocument { doc, shingle })
    })
    .collect()
}

#[test]
fn a_few_kib_of_memory_change_nothing() {
    let totals = Totals::default();
    cases(1000, |seed, memory_bytes| {
        check(&OracleCase::from_seed(seed), seed, memory_bytes, &totals);
    });
    let links = totals.common.into_inner();
    assert!(links > 1000, "too few links of common shingles: {links}");
}

#[test]
fn sketches_of_a_fixed_size_are_compared_whole() {
    let totals = Totals::default();
    cases(1000, |seed, memory_bytes| {
        check(
            &OracleCase::of_fixed_size(seed),
            seed,
            memory_bytes,
            &totals,
        );
    });
    let pairs = totals.compared.into_inner();
    assert!(pairs > 10_000, "too few pairs: {pairs}");
}

/// The links that are to be published, by their definition.
fn selected(found: &RunResult, params: &OracleParams, limits: DensityLimits) -> Vec<LinkRecord> {
    let joins = |link: &LinkRecord| reached(link).resemblance || params.containment_joins;
    let cluster_of = |doc: u32| found.rows[doc as usize].2;
    let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
    for link in found.links.iter().filter(|link| joins(link)) {
        *counts.entry(cluster_of(link.a)).or_default() += 1;
    }
    let is_dense = |cluster: &&ClusterRecord| {
        let links = counts.get(&cluster.cluster).copied().unwrap_or(0);
        limits.is_dense(links, cluster.distinct)
    };
    let dense = found.clusters.iter().filter(is_dense);
    let dense: BTreeSet<u32> = dense.map(|cluster| cluster.cluster).collect();
    let of_dense = |link: &&LinkRecord| joins(link) && dense.contains(&cluster_of(link.a));
    let mut groups: BTreeMap<u32, Vec<LinkRecord>> = BTreeMap::new();
    for link in found.links.iter().filter(of_dense) {
        groups.entry(cluster_of(link.a)).or_default().push(*link);
    }
    // the representative of the document kept in favour of another
    let kept = |doc: u32| found.representatives[found.rows[doc as usize].3 as usize];
    let mut chosen: BTreeSet<(u32, u32)> = BTreeSet::new();
    for links in groups.values_mut() {
        links.sort_by_key(|link| {
            let union = link.size_a + link.size_b - link.shared;
            let ratio = Ratio::new(u64::from(link.shared), u64::from(union));
            (Reverse(ratio), link.a, link.b)
        });
        let second: Vec<LinkRecord> = forest(links).1;
        let spanning = [forest(links).0, forest(&second).0].concat();
        chosen.extend(spanning.iter().map(|link| (link.a, link.b)));
        chosen.extend(links.last().map(|link| (link.a, link.b)));
        let mut met: BTreeMap<u32, u32> = BTreeMap::new();
        for link in links {
            for doc in [link.a, link.b] {
                let met = met.entry(doc).or_default();
                *met += 1;
                if *met <= limits.strongest {
                    chosen.insert((link.a, link.b));
                }
            }
            if kept(link.a) == link.b || kept(link.b) == link.a {
                chosen.insert((link.a, link.b));
            }
        }
    }
    let is_published = |link: &&LinkRecord| !of_dense(link) || chosen.contains(&(link.a, link.b));
    found.links.iter().filter(is_published).copied().collect()
}

/// The links of a spanning forest, the first ones first, and the others.
fn forest(links: &[LinkRecord]) -> (Vec<LinkRecord>, Vec<LinkRecord>) {
    let mut trees: BTreeMap<u32, u32> = BTreeMap::new();
    links.iter().partition(|link| {
        let [a, b] = [link.a, link.b].map(|doc| trees.get(&doc).copied().unwrap_or(doc));
        for doc in [link.a, link.b] {
            trees.entry(doc).or_insert(doc);
        }
        trees
            .values_mut()
            .filter(|tree| **tree == b)
            .for_each(|tree| *tree = a);
        a != b
    })
}
