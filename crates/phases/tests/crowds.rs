//! Crowds of long documents, whose sketches take several rows, and of documents that are too long.

use format::{FileKind, LinkRecord};
use model::{Sampling, Threshold};
use runtime::PhaseName;
use testbed::{clustered, read};
use testkit::{OracleCase, OracleDocument};

/// Documents with so many shingles that all share, and one of their own.
fn crowd(documents: u64, shared: u64) -> OracleCase {
    framed(shared, &vec![1; documents as usize])
}

/// Documents that share a frame of so many shingles; each has as many of its own as listed.
fn framed(frame: u64, own: &[u64]) -> OracleCase {
    let mut case = OracleCase::from_seed(3);
    case.params.sampling = Sampling::Modulus { modulus: 1 };
    case.params.common_limit = 1;
    case.params.crowds = Some(Threshold::hundredths(50));
    case.params.resemblance = Threshold::hundredths(50);
    case.params.containment = None;
    let document = |(number, own): (u64, u64)| OracleDocument {
        identity: u128::from(number),
        lexical: number,
        words: frame + own,
        bytes: 10,
        date: None,
        level: 0,
        fingerprints: (1..=frame)
            .chain((1..=own).map(|one| 1_000_000 * (number + 1) + one))
            .collect(),
        counted: Vec::new(),
    };
    case.documents = (0..).zip(own.iter().copied()).map(document).collect();
    case
}

/// The pairs of crowds and the number of documents in crowds.
fn pairs(case: &OracleCase, memory_bytes: usize) -> (Vec<LinkRecord>, u64) {
    clustered(case, 0, memory_bytes, |engine| {
        let phase = PhaseName::Pairs;
        let counts = engine.manifest().phases[phase.name()].counts.clone();
        let pairs = read(engine, phase, "crowds", FileKind::Links);
        assert_eq!(counts["crowd_pairs"], pairs.len() as u64);
        (pairs, counts["crowd_documents"])
    })
}

#[test]
fn a_sketch_of_several_rows_is_compared_whole() {
    for memory_bytes in [600, 8_000_000] {
        let (pairs, documents) = pairs(&crowd(4, 9000), memory_bytes);
        assert_eq!(documents, 4);
        // Nearly every band of all four has the same key: each document meets the first.
        let with_first = pairs.iter().filter(|pair| pair.a == 0).count();
        assert_eq!(with_first, 3);
        for pair in pairs {
            assert_eq!((pair.shared, pair.size_a, pair.size_b), (9000, 9001, 9001));
            assert_eq!((pair.modulus, pair.reached), (1, 0));
        }
    }
}

#[test]
fn a_sketch_that_is_too_long_is_in_no_crowd() {
    let limit = 1 << 15;
    assert_eq!(pairs(&crowd(2, limit - 1), 8_000_000).0.len(), 1);
    assert_eq!(pairs(&crowd(2, limit), 8_000_000), (Vec::new(), 2));
}

#[test]
fn every_page_of_a_frame_meets_the_smallest_one() {
    for smallest in [0, 17, 39] {
        let mut own = [80; 40];
        own[smallest] = 10;
        let (pairs, _) = pairs(&framed(100, &own), 8_000_000);
        // A frame of 100 in a union of 190; of two other pages it is 100 of 260.
        let with_smallest = |pair: &LinkRecord| [pair.a, pair.b].contains(&(smallest as u32));
        assert!(pairs.iter().all(with_smallest));
        assert_eq!(pairs.len(), 39, "smallest is {smallest}");
    }
}
