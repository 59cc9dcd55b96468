//! Small cases with answers worked out by hand.

mod classes;

use model::{Equality, KeyRule, Overlap, Ratio, Sampling, Threshold};

use super::{OracleDocument, OracleKeep, OracleLink, OracleLinkage, OracleParams, run};

pub(super) const EXACT: Sampling = Sampling::Modulus { modulus: 1 };

/// Resemblance 0.5, two shared, nothing common, components, the first kept; all fingerprints kept.
fn params() -> OracleParams {
    OracleParams {
        sampling: EXACT,
        keys: KeyRule::Elements,
        common_limit: 1000,
        drops_common: false,
        shingle_class_min: 16,
        resemblance: threshold(0.5),
        containment: None,
        containment_joins: false,
        min_shared: 2,
        linkage: OracleLinkage::Components,
        keep: OracleKeep::First,
    }
}

fn threshold(value: f64) -> Threshold {
    Threshold::from_f64(value).expect("a threshold")
}

/// Documents of their own: position `n` has identity and token fingerprint `n`, ten words, no date.
fn documents(sketches: &[Vec<u64>]) -> Vec<OracleDocument> {
    let document = |(n, fingerprints): (usize, &Vec<u64>)| OracleDocument {
        identity: n as u128,
        lexical: n as u64,
        words: 10,
        bytes: 60,
        date: None,
        level: 0,
        fingerprints: fingerprints.clone(),
        all: fingerprints.clone(),
    };
    sketches.iter().enumerate().map(document).collect()
}

fn range(from: u64, to: u64) -> Vec<u64> {
    (from..=to).collect()
}

fn clusters_of(documents: &[OracleDocument], params: &OracleParams) -> Vec<u32> {
    run(documents, params)
        .rows
        .iter()
        .map(|row| row.cluster)
        .collect()
}

fn kept_of(documents: &[OracleDocument], params: &OracleParams) -> Vec<u32> {
    let rows = run(documents, params).rows;
    (0..)
        .zip(rows)
        .filter(|(doc, row)| row.kept == *doc)
        .map(|(doc, _)| doc)
        .collect()
}

/// 0 and 1 share 8 of 12; 1 and 2 share 8 of 12; 0 and 2 share 6 of 14; 3 is a stranger.
fn chain() -> Vec<OracleDocument> {
    documents(&[range(1, 10), range(3, 12), range(5, 14), range(50, 60)])
}

#[test]
fn nothing_gives_nothing() {
    let outcome = run(&[], &params());
    assert!(outcome.rows.is_empty() && outcome.links.is_empty() && outcome.clusters.is_empty());
}

#[test]
fn a_chain_is_one_component() {
    let outcome = run(&chain(), &params());
    let pairs: Vec<(u32, u32, u32)> = outcome
        .links
        .iter()
        .map(|link| (link.a, link.b, link.shared))
        .collect();
    assert_eq!(pairs, [(0, 1, 8), (1, 2, 8)]);
    assert_eq!(
        outcome
            .rows
            .iter()
            .map(|row| row.cluster)
            .collect::<Vec<_>>(),
        [0, 0, 0, 3]
    );
    let [cluster] = outcome.clusters[..] else {
        panic!("one cluster")
    };
    assert_eq!(
        (
            cluster.cluster,
            cluster.documents,
            cluster.distinct,
            cluster.kind,
            cluster.kept
        ),
        (0, 3, 3, 3, 0)
    );
    assert_eq!(cluster.weakest, Some(Ratio::new(8, 12)));
    assert_eq!(kept_of(&chain(), &params()), [0, 3]);
}

#[test]
fn the_weakest_link_is_the_lowest_of_all_in_the_cluster() {
    // at 0.4 the pair 0–2 with 6 of 14 is a link too
    let low = OracleParams {
        resemblance: threshold(0.4),
        ..params()
    };
    assert_eq!(
        run(&chain(), &low).clusters[0].weakest,
        Some(Ratio::new(3, 7))
    );
    // so it is where 1 takes both others, and their link takes nothing
    let mut documents = chain();
    documents[1].words = 99;
    let star = OracleParams {
        linkage: OracleLinkage::Star,
        keep: OracleKeep::Longest,
        ..low
    };
    let outcome = run(&documents, &star);
    assert_eq!(outcome.clusters[0].weakest, Some(Ratio::new(3, 7)));
    assert_eq!(kept_of(&documents, &star), [1, 3]);
}

#[test]
fn a_star_removes_only_what_is_linked_to_the_kept_one() {
    let first = OracleParams {
        linkage: OracleLinkage::Star,
        ..params()
    };
    // 0 takes 1; 2 is linked to 1 only, and 1 is gone
    assert_eq!(clusters_of(&chain(), &first), [0, 0, 0, 3]);
    assert_eq!(kept_of(&chain(), &first), [0, 2, 3]);
    let cluster = run(&chain(), &first).clusters[0];
    assert_eq!((cluster.kept, cluster.keeps), (0, 2));
    // the middle one ranks best and takes both
    let mut documents = chain();
    documents[1].words = 99;
    let longest = OracleParams {
        keep: OracleKeep::Longest,
        ..first
    };
    assert_eq!(kept_of(&documents, &longest), [1, 3]);
    assert_eq!(run(&documents, &longest).clusters[0].keeps, 1);
}

#[test]
fn a_link_needs_both_the_resemblance_and_the_shared_shingles() {
    // 2 of 4 is exactly one half
    let half = documents(&[vec![1, 2, 3], vec![1, 2, 4]]);
    assert_eq!(run(&half, &params()).links.len(), 1);
    assert!(
        run(
            &half,
            &OracleParams {
                min_shared: 3,
                ..params()
            }
        )
        .links
        .is_empty()
    );
    assert!(
        run(
            &half,
            &OracleParams {
                resemblance: threshold(0.51),
                ..params()
            }
        )
        .links
        .is_empty()
    );
    // sharing nothing is never a link, whatever the thresholds
    let strangers = documents(&[vec![1], vec![2], vec![]]);
    let all = OracleParams {
        resemblance: threshold(0.0),
        containment: Some(threshold(0.0)),
        min_shared: 0,
        ..params()
    };
    assert!(run(&strangers, &all).links.is_empty());
}

#[test]
fn containment_is_listed_and_joins_only_when_asked() {
    // 0 lies in 1 as a quarter
    let documents = documents(&[range(1, 10), range(1, 40)]);
    assert!(run(&documents, &params()).links.is_empty());
    let listed = OracleParams {
        containment: Some(threshold(0.9)),
        ..params()
    };
    let outcome = run(&documents, &listed);
    let link = OracleLink {
        a: 0,
        b: 1,
        shared: 10,
        size_a: 10,
        size_b: 40,
        modulus: 1,
        resemblance_reached: false,
        a_in_b: true,
        b_in_a: false,
    };
    assert_eq!(outcome.links, [link]);
    assert_eq!(
        link.overlap(),
        Overlap {
            shared: 10,
            size_a: 10,
            size_b: 40,
            modulus: 1
        }
    );
    assert!(outcome.clusters.is_empty());
    let joining = OracleParams {
        containment_joins: true,
        ..listed
    };
    assert_eq!(
        run(&documents, &joining).clusters[0].weakest,
        Some(Ratio::new(1, 4))
    );
    // the contained one ranks first, but the book must stay
    assert_eq!(kept_of(&documents, &joining), [1]);
    // nor does a star keep both
    let star = OracleParams {
        linkage: OracleLinkage::Star,
        ..joining
    };
    assert_eq!(
        (clusters_of(&documents, &star), kept_of(&documents, &star)),
        (vec![0, 0], vec![1])
    );
}

#[test]
fn a_resembling_pair_contained_one_way_keeps_the_larger() {
    // resemblance 10 of 15; 0 lies wholly in 1, 1 to two thirds in 0
    let documents = documents(&[range(1, 10), range(1, 15)]);
    assert_eq!(kept_of(&documents, &params()), [0]);
    let directed = OracleParams {
        containment: Some(threshold(0.9)),
        ..params()
    };
    assert_eq!(kept_of(&documents, &directed), [1]);
    // both ways is no reason
    let both = OracleParams {
        containment: Some(threshold(0.6)),
        ..params()
    };
    assert_eq!(kept_of(&documents, &both), [0]);
    assert_eq!(
        kept_of(
            &documents,
            &OracleParams {
                linkage: OracleLinkage::Star,
                ..directed
            }
        ),
        [1]
    );
}

#[test]
fn a_link_that_does_not_join_still_protects_the_larger() {
    // 0–1 and 1–2 resemble each other by half; 0 lies in 2 to 9 tenths and 2 in 0 to 9 twentieths
    let sketches = [
        range(1, 10),
        [range(1, 9), range(31, 36)].concat(),
        [range(1, 9), range(31, 41)].concat(),
    ];
    let documents = documents(&sketches);
    let directed = OracleParams {
        containment: Some(threshold(0.9)),
        ..params()
    };
    let outcome = run(&documents, &directed);
    let flags: Vec<_> = outcome
        .links
        .iter()
        .map(|l| (l.a, l.b, l.resemblance_reached, l.a_in_b, l.b_in_a))
        .collect();
    // 9 of 16; 9 of 20; 15 of 20
    assert_eq!(
        flags,
        [
            (0, 1, true, true, false),
            (0, 2, false, true, false),
            (1, 2, true, true, false)
        ]
    );
    assert_eq!(
        outcome
            .rows
            .iter()
            .map(|row| row.cluster)
            .collect::<Vec<_>>(),
        [0, 0, 0]
    );
    assert_eq!(outcome.clusters[0].kept, 2);
    assert_eq!(
        outcome.clusters[0].weakest,
        Some(Ratio::new(9, 16)),
        "the directed pair joins nothing"
    );
}

#[test]
fn dropped_common_shingles_make_no_pair_and_do_not_count() {
    // 1, 2, 3 are in all four; the rest of 0 and 1 is 4 and 5 against 4 and 6
    let sketches = [
        vec![1, 2, 3, 4, 5],
        vec![1, 2, 3, 4, 6],
        vec![1, 2, 3, 7],
        vec![1, 2, 3, 8],
    ];
    let documents = documents(&sketches);
    let limited = OracleParams {
        common_limit: 3,
        drops_common: true,
        min_shared: 1,
        resemblance: threshold(0.3),
        ..params()
    };
    let outcome = run(&documents, &limited);
    assert_eq!(outcome.common, [(1, 4, 0), (2, 4, 0), (3, 4, 0)]);
    let [link] = outcome.links[..] else {
        panic!("one link, got {:?}", outcome.links)
    };
    assert_eq!(
        (link.a, link.b, link.shared, link.size_a, link.size_b),
        (0, 1, 1, 2, 2)
    );
    // in four sketches is not more than four
    assert!(
        run(
            &documents,
            &OracleParams {
                common_limit: 4,
                ..limited
            }
        )
        .common
        .is_empty()
    );
}

#[test]
fn sketches_compare_at_the_coarser_modulus() {
    let sampling = Sampling::Adaptive {
        target: 4,
        coarsest_log2: 5,
    };
    // 0 keeps every fingerprint, 1 the multiples of 4; at 4 the first has 4 and 8, the second 4, 8,
    // 12
    let mut documents = documents(&[vec![1, 4, 7, 8], vec![4, 8, 12]]);
    documents[1].level = 2;
    let outcome = run(
        &documents,
        &OracleParams {
            sampling,
            ..params()
        },
    );
    let [link] = outcome.links[..] else {
        panic!("one link")
    };
    assert_eq!(
        (link.shared, link.size_a, link.size_b, link.modulus),
        (2, 2, 3, 4)
    );
    assert_eq!(link.overlap().resemblance().ratio, Ratio::new(2, 3));
}

#[test]
fn a_common_shingle_counts_in_the_pairs_that_it_proposes() {
    // a frame of 9, and a shingle of their own; the last has no frame
    let frame = |own: u64| -> Vec<u64> { (1..=9).chain([own]).collect() };
    let mut sketches: Vec<Vec<u64>> = (20..32).map(frame).collect();
    sketches.push(range(40, 50));
    let params = OracleParams {
        common_limit: 3,
        ..params()
    };
    let outcome = run(&documents(&sketches), &params);
    assert_eq!(outcome.common.len(), 9);
    // each meets the first eight and the two before it
    let expected = (1..12).map(|doc: usize| doc.min(8) + doc.saturating_sub(8).min(2));
    assert_eq!(outcome.links.len(), expected.sum::<usize>());
    for link in &outcome.links {
        assert_eq!((link.shared, link.size_a, link.size_b), (9, 10, 10));
    }
    let clusters: Vec<u32> = outcome.rows.iter().map(|row| row.cluster).collect();
    assert_eq!(clusters, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 12]);
    let dropped = OracleParams {
        drops_common: true,
        ..params
    };
    assert!(run(&documents(&sketches), &dropped).links.is_empty());
}
