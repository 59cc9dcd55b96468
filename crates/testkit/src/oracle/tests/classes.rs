//! Classes, and which member of a cluster is kept.

use super::*;

#[test]
fn classes_widen_and_the_lowest_of_the_widest_stands_for_all() {
    let sketch = range(1, 16);
    let mut docs = documents(&[
        sketch.clone(),
        sketch.clone(),
        sketch.clone(),
        sketch.clone(),
        range(1, 15),
    ]);
    // 1, 2, 3 have equal tokens, 2 and 3 equal bytes; 0 shares the sketch alone
    for document in &mut docs[1..=3] {
        document.lexical = 77;
    }
    docs[3].identity = docs[2].identity;
    let strict = OracleParams {
        resemblance: threshold(1.0),
        ..params()
    };
    let outcome = run(&docs, &strict);
    let same: Vec<_> = outcome
        .rows
        .iter()
        .map(|row| (row.same_as, row.same_kind))
        .collect();
    let (identical, lexical, shingle) = (Equality::Identical, Equality::Lexical, Equality::Shingle);
    let expected = [(0, shingle), (1, lexical), (2, identical), (2, identical)]
        .map(|(doc, kind)| (Some(doc), Some(kind)));
    assert_eq!(same[..4], expected);
    assert_eq!(same[4], (None, None));
    let [cluster] = outcome.clusters[..] else {
        panic!("one cluster")
    };
    assert_eq!(
        (
            cluster.cluster,
            cluster.documents,
            cluster.distinct,
            cluster.kind
        ),
        (0, 4, 1, 2)
    );
    assert_eq!(cluster.weakest, None);
    // at one half the fifth joins by a link with the representative alone
    let outcome = run(&docs, &params());
    assert_eq!(
        outcome
            .links
            .iter()
            .map(|link| (link.a, link.b))
            .collect::<Vec<_>>(),
        [(0, 4)]
    );
    assert_eq!(
        (
            outcome.clusters[0].documents,
            outcome.clusters[0].distinct,
            outcome.clusters[0].kind
        ),
        (5, 2, 3)
    );
}

#[test]
fn kinds_name_the_weakest_relation_needed() {
    let mut docs = documents(&[range(1, 5), range(1, 5), range(11, 15), range(11, 15)]);
    docs[1].identity = docs[0].identity;
    docs[1].lexical = docs[0].lexical;
    docs[3].lexical = docs[2].lexical;
    let kinds: Vec<u8> = run(&docs, &params())
        .clusters
        .iter()
        .map(|cluster| cluster.kind)
        .collect();
    assert_eq!(kinds, [0, 1]);
}

#[test]
fn small_sketches_and_other_moduli_make_no_shingle_class() {
    let mut docs = documents(&[range(1, 15), range(1, 15)]);
    assert_eq!(
        run(&docs, &params()).rows[0].same_as,
        None,
        "fifteen are too few"
    );
    let enough = OracleParams {
        shingle_class_min: 15,
        ..params()
    };
    assert_eq!(run(&docs, &enough).rows[1].same_as, Some(0));
    docs[1].level = 1;
    assert_eq!(
        run(&docs, &enough).rows[1].same_as,
        None,
        "the moduli differ"
    );
    // equal token fingerprints of other numbers of tokens are a collision
    docs[1].lexical = docs[0].lexical;
    docs[1].words += 1;
    assert_eq!(run(&docs, &enough).rows[1].same_as, None);
}

#[test]
fn documents_without_tokens_join_only_identical_ones() {
    let mut docs = documents(&[vec![], vec![], vec![]]);
    for document in &mut docs {
        (document.words, document.lexical) = (0, 5);
    }
    docs[2].identity = docs[1].identity;
    let outcome = run(
        &docs,
        &OracleParams {
            shingle_class_min: 0,
            ..params()
        },
    );
    assert_eq!(
        outcome
            .rows
            .iter()
            .map(|row| row.cluster)
            .collect::<Vec<_>>(),
        [0, 1, 1]
    );
    assert_eq!(
        (outcome.rows[0].same_as, outcome.rows[2].same_as),
        (None, Some(1))
    );
    assert_eq!(outcome.clusters[0].kind, 0);
}

#[test]
fn keep_ranks_missing_values_last_and_ties_by_number() {
    let mut docs = documents(&vec![range(1, 10); 4]);
    for (document, (date, words)) in
        docs.iter_mut()
            .zip([(None, 7), (Some(5), 9), (Some(-5), 9), (Some(5), 8)])
    {
        (document.date, document.words) = (date, words);
    }
    for linkage in [OracleLinkage::Components, OracleLinkage::Star] {
        let kept = |keep| {
            kept_of(
                &docs,
                &OracleParams {
                    keep,
                    linkage,
                    ..params()
                },
            )
        };
        assert_eq!(kept(OracleKeep::First), [0]);
        assert_eq!(kept(OracleKeep::Longest), [1]);
        assert_eq!(kept(OracleKeep::Newest), [1]);
        assert_eq!(kept(OracleKeep::Oldest), [2]);
    }
}

#[test]
fn a_class_ranks_as_its_best_member() {
    // the chain; 0 has a twin 4 that is the longest of all, so the class of 0 takes 1 before 1
    // takes anything
    let mut docs = chain();
    docs[1].words = 20;
    docs.push(OracleDocument {
        words: 99,
        identity: 8,
        lexical: 8,
        ..docs[0].clone()
    });
    let params = OracleParams {
        linkage: OracleLinkage::Star,
        keep: OracleKeep::Longest,
        shingle_class_min: 10,
        ..params()
    };
    assert_eq!(clusters_of(&docs, &params), [0, 0, 0, 3, 0]);
    assert_eq!(kept_of(&docs, &params), [2, 3, 4]);
}

/// Containment one way grows with the size, so a circle needs two moduli: 0 is smaller than 1 among
/// all numbers, and larger than it among even ones, where both compare with 2.
#[test]
fn a_circle_of_containments_keeps_the_best() {
    let even = |numbers: &[u64]| numbers.iter().map(|n| 2 * n).collect::<Vec<u64>>();
    let odd = [1, 3, 5, 7, 9, 11];
    // 12; 8 and the 6 odd ones; 10
    let mut sketches = [
        even(&range(1, 12)),
        [even(&[1, 2, 3, 4, 5, 6, 21, 22]), odd.to_vec()].concat(),
        even(&[1, 2, 7, 8, 9, 21, 22, 31, 32, 33]),
    ];
    sketches[1].sort_unstable();
    let mut documents = documents(&sketches);
    documents[2].level = 1;
    let directed = OracleParams {
        sampling: Sampling::Adaptive {
            target: 14,
            coarsest_log2: 5,
        },
        resemblance: threshold(0.9),
        containment: Some(threshold(0.5)),
        containment_joins: true,
        ..params()
    };
    let outcome = run(&documents, &directed);
    // 6 of 12 and 14: 0 lies in 1. 5 of 12 and 10: 2 lies in 0. 4 of 8 and 10: 1 lies in 2.
    let counts: Vec<_> = outcome
        .links
        .iter()
        .map(|l| (l.shared, l.size_a, l.size_b, l.modulus))
        .collect();
    assert_eq!(counts, [(6, 12, 14, 1), (5, 12, 10, 2), (4, 8, 10, 2)]);
    let parts: Vec<_> = outcome
        .links
        .iter()
        .map(OracleLink::contained_one_way)
        .collect();
    assert_eq!(parts, [Some(0), Some(2), Some(1)]);
    assert_eq!(
        outcome
            .clusters
            .iter()
            .map(|cluster| (cluster.documents, cluster.kept))
            .collect::<Vec<_>>(),
        [(3, 0)]
    );
    // as stars: 0 may not take 1, takes 2; 1 stays, too
    let star = OracleParams {
        linkage: OracleLinkage::Star,
        ..directed
    };
    assert_eq!(
        (clusters_of(&documents, &star), kept_of(&documents, &star)),
        (vec![0, 0, 0], vec![0, 1])
    );
}
