//! Hand-made sets whose figures are counted by hand.

use super::*;
use crate::bench::answers::tables::PublishedDocument;
use crate::bench::answers::truth::GroupedCorpus;

/// Five groups. Shingles 0 to 3 are common. Groups 0 and 1 share 4 and 5 beside them, so they
/// resemble each other either way: 6 of 8, and 2 of 4. Groups 2 and 3 share the common ones
/// only: 4 of 6. Group 4 is a part of group 0.
fn sets() -> Vec<Vec<u64>> {
    vec![
        vec![0, 1, 2, 3, 4, 5, 6],
        vec![0, 1, 2, 3, 4, 5, 7],
        vec![0, 1, 2, 3, 8],
        vec![0, 1, 2, 3, 9],
        vec![4, 5],
    ]
}

/// Documents 0 to 5 are of groups 0, 1, 2, 3, 4, 0; document 6 has no shingle.
fn truth() -> Truth {
    let mut sets = sets();
    sets.push(Vec::new());
    let corpus = GroupedCorpus {
        group_of: vec![0, 1, 2, 3, 4, 0, 5],
        first_of: vec![0, 1, 2, 3, 4, 6],
        words: vec![20; 7],
        sets,
    };
    Truth::compared(corpus, 3, thresholds())
}

fn thresholds() -> Thresholds {
    Thresholds {
        resemblance: Threshold::hundredths(50),
        containment: Some(Threshold::hundredths(90)),
        min_shared: 2,
    }
}

fn link(a: u32, b: u32, kind: Kind) -> Link {
    let is_contained = matches!(kind, Kind::Containment | Kind::Both);
    Link {
        a,
        b,
        kind,
        a_in_b: 0.5,
        b_in_a: if is_contained { 1.0 } else { 0.5 },
    }
}

fn tables(links: Vec<Link>, cluster_of: [u32; 7]) -> Tables {
    let documents = [0, 1, 2, 3, 4, 0, 6].into_iter().zip(cluster_of);
    let documents = documents.map(|(representative, cluster)| PublishedDocument {
        words: 20,
        representative,
        cluster,
    });
    Tables {
        documents: documents.collect(),
        links,
        common: HashSet::new(),
    }
}

/// The exact answer without some shingles.
fn without(truth: &Truth, common: std::ops::Range<u64>) -> Limited {
    let mut sets = truth.corpus.sets.clone();
    sets.iter_mut()
        .for_each(|set| set.retain(|shingle| !common.contains(shingle)));
    Limited::compared(sets, thresholds())
}

/// Only shingles 0 to 2 are published as common.
fn scored(links: Vec<Link>, cluster_of: [u32; 7]) -> Score {
    let truth = truth();
    let limited = without(&truth, 0..3);
    of(&truth, &limited, &tables(links, cluster_of), thresholds()).unwrap()
}

#[test]
fn a_link_is_judged_by_the_sets_without_the_list() {
    let links = vec![
        link(0, 1, Kind::Resemblance),
        link(0, 2, Kind::Resemblance), // 1 of 5 by the list
        link(0, 4, Kind::Resemblance), // 2 of 4 by the list
        link(1, 4, Kind::Resemblance), // 2 of 4 by the list
        link(2, 3, Kind::Resemblance), // 1 of 3 by the list
        link(2, 4, Kind::Both),        // nothing in common
    ];
    let score = scored(links, [0; 7]);
    let expected = Links {
        published: 6,
        right: 3,
        far: 3,
    };
    assert_eq!(score.links, expected);
    assert_eq!(score.kinds.into_values().collect::<Vec<_>>(), [5, 0, 1]);
}

#[test]
fn pairs_are_found_by_links_and_by_classes() {
    // By the list, 0 and 1 share 3 of 5; 0 and 4, and 1 and 4, share 2 of 4.
    let found = |links| scored(links, [0; 7]).pairs;
    let of = |found| Found {
        exact: 3,
        found,
        ..Found::default()
    };
    assert_eq!(found(Vec::new()), of(0));
    let contained = link(0, 4, Kind::Containment);
    assert_eq!(found(vec![link(0, 1, Kind::Resemblance), contained]), of(1));
    let truth = truth();
    let mut declared = tables(Vec::new(), [0; 7]);
    declared.documents[4].representative = 0;
    let limited = without(&truth, 0..4);
    let score = super::of(&truth, &limited, &declared, thresholds()).unwrap();
    assert_eq!((score.pairs.exact, score.pairs.found), (3, 1));
    assert_eq!((score.declared.published, score.declared.right), (1, 0));
}

#[test]
fn containment_has_a_direction() {
    let links = vec![
        link(0, 4, Kind::Both),
        link(2, 4, Kind::Containment),
        link(1, 4, Kind::Resemblance),
    ];
    let expected = Found {
        published: 2,
        right: 1,
        exact: 2,
        found: 1,
    };
    assert_eq!(scored(links, [0; 7]).containment, Some(expected));
}

#[test]
fn redundant_members_are_found_where_clusters_hold_them_together() {
    // The exact clusters are groups 0 to 3 by chains over 0 and 2, and group 4.
    let score = scored(Vec::new(), [0, 0, 2, 2, 4, 5, 6]);
    let expected = Clusters {
        members: 5,
        redundant: 3,
        found: 2,
        together: Agreement {
            both: 2,
            run: 2,
            exact: 6,
        },
    };
    assert_eq!(score.groups, expected);
    let expected = Clusters {
        members: 6,
        redundant: 4,
        found: 2,
        together: Agreement {
            both: 2,
            run: 2,
            exact: 10,
        },
    };
    assert_eq!(score.documents, expected);
}

#[test]
fn a_run_on_other_documents_is_refused() {
    let mut tables = tables(Vec::new(), [0; 7]);
    tables.documents[3].words = 19;
    let truth = truth();
    let limited = without(&truth, 0..0);
    let error = of(&truth, &limited, &tables, thresholds()).unwrap_err();
    assert!(error.to_string().contains("other documents"));
}
