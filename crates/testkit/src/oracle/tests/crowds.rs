//! Pairs whose common shingles count.

use super::*;

/// Six sketches of a frame that is common, with a shingle of their own; the last has no frame.
fn framed() -> Vec<OracleDocument> {
    let frame = |own: u64| -> Vec<u64> { (1..=9).chain([own]).collect() };
    let mut sketches: Vec<Vec<u64>> = (20..26).map(frame).collect();
    sketches.push(range(40, 50));
    documents(&sketches)
}

fn crowded(crowds: Option<Threshold>) -> OracleParams {
    OracleParams {
        common_limit: 3,
        crowds,
        ..params()
    }
}

#[test]
fn a_frame_makes_links_only_with_crowds() {
    let without = run(&framed(), &crowded(None));
    assert_eq!(without.common.len(), 9);
    assert!(without.links.is_empty() && without.crowds.is_empty());
    let with = run(&framed(), &crowded(Some(threshold(0.25))));
    let clusters: Vec<u32> = with.rows.iter().map(|row| row.cluster).collect();
    assert_eq!(clusters, [0, 0, 0, 0, 0, 0, 6]);
    assert!(with.links.len() >= 5 && with.links.len() == with.crowds.len());
    for link in with.links {
        // The frame of 9 in a union of 11.
        assert_eq!((link.shared, link.size_a, link.size_b), (9, 10, 10));
        assert!(link.is_crowd && link.resemblance_reached && !link.a_in_b && !link.b_in_a);
    }
}

#[test]
fn a_floor_and_thresholds_bound_the_pairs_of_crowds() {
    let high = run(&framed(), &crowded(Some(threshold(0.9))));
    assert!(high.crowds.is_empty());
    let strict = OracleParams {
        resemblance: threshold(0.9),
        ..crowded(Some(threshold(0.5)))
    };
    let outcome = run(&framed(), &strict);
    assert!(!outcome.crowds.is_empty() && outcome.links.is_empty());
    let many = OracleParams {
        min_shared: 10,
        ..crowded(Some(threshold(0.5)))
    };
    assert!(run(&framed(), &many).links.is_empty());
}

#[test]
fn a_link_without_common_shingles_stays_one_of_its_own() {
    let mut documents = framed();
    documents[1].fingerprints = (1..=9).chain([20]).chain(60..70).collect();
    documents[0].fingerprints = (1..=9).chain([20]).chain(60..69).collect();
    let outcome = run(&documents, &crowded(Some(threshold(0.25))));
    let link = outcome.links.iter().find(|link| (link.a, link.b) == (0, 1));
    let link = link.expect("a link");
    assert!(!link.is_crowd);
    assert_eq!((link.shared, link.size_a, link.size_b), (10, 10, 11));
    assert!(outcome.crowds.iter().any(|pair| (pair.a, pair.b) == (0, 1)));
}
