use super::*;
use crate::oracle;
use std::collections::BTreeMap;

const CASES: u64 = 400;

const GOLDEN: [u64; 3] = [
    11_454_331_333_515_281_728,
    13_563_888_683_193_829_741,
    15_064_328_239_144_601_778,
];

/// A number for everything in a corpus.
fn digest(documents: &[OracleDocument]) -> u64 {
    documents.iter().fold(0, |digest, d| {
        let date = d.date.map_or(1, |date| mix(date as u64));
        let numbers = [
            d.identity as u64,
            (d.identity >> 64) as u64,
            d.lexical,
            d.words,
            d.bytes,
            date,
            d.level as u64,
        ];
        numbers
            .iter()
            .chain(&d.fingerprints)
            .fold(digest, |digest, &n| mix(digest ^ n).wrapping_add(1))
    })
}

#[test]
fn a_seed_gives_the_same_corpus_everywhere() {
    let digests: Vec<u64> = [1, 2, 3]
        .map(|seed| digest(&OracleCase::from_seed(seed).documents))
        .to_vec();
    assert_eq!(
        digests, GOLDEN,
        "expected the recorded corpora; a change of the generator changes them all"
    );
}

#[test]
fn sketches_obey_the_rule_and_classes_are_nested() {
    for seed in 0..CASES {
        let OracleCase { documents, params } = OracleCase::from_seed(seed);
        for one in &documents {
            let modulus = modulus(params.sampling, one.level);
            assert!(one.fingerprints.is_sorted_by(|a, b| a < b));
            assert!(one.fingerprints.iter().all(|f| f.is_multiple_of(modulus)));
            assert!(one.words > 0 || one.fingerprints.is_empty());
            if let Sampling::Adaptive {
                target,
                coarsest_log2,
            } = params.sampling
            {
                assert!(
                    one.fingerprints.len() <= target as usize
                        || one.level == usize::from(coarsest_log2)
                );
                assert!(one.level < params.sampling.levels());
            }
            for other in &documents {
                let same_sketch =
                    (one.level, &one.fingerprints) == (other.level, &other.fingerprints);
                let lexical = (one.lexical, one.words) == (other.lexical, other.words);
                assert!(
                    one.identity != other.identity || (lexical && one.bytes == other.bytes),
                    "seed {seed}"
                );
                assert!(!lexical || same_sketch, "seed {seed}");
            }
        }
    }
}

/// A generator that never makes some situation tests nothing there.
#[test]
fn every_situation_occurs() {
    let mut seen = BTreeMap::new();
    for seed in 0..CASES {
        let OracleCase { documents, params } = OracleCase::from_seed(seed);
        let outcome = oracle::run(&documents, &params);
        let mut note = |what: &'static str, times: usize| *seen.entry(what).or_insert(0) += times;
        note("no documents", usize::from(documents.is_empty()));
        note("common shingles", outcome.common.len());
        note(
            "no tokens",
            documents.iter().filter(|d| d.words == 0).count(),
        );
        note(
            "empty sketch with tokens",
            documents
                .iter()
                .filter(|d| d.words > 0 && d.fingerprints.is_empty())
                .count(),
        );
        note(
            "fingerprint 0",
            documents
                .iter()
                .filter(|d| d.fingerprints.first() == Some(&0))
                .count(),
        );
        note(
            "fingerprint max",
            documents
                .iter()
                .filter(|d| d.fingerprints.last() == Some(&u64::MAX))
                .count(),
        );
        note(
            "same sketch, other modulus",
            outcome
                .links
                .iter()
                .filter(|l| {
                    let [a, b] = [l.a, l.b].map(|doc| &documents[doc as usize]);
                    a.fingerprints == b.fingerprints && a.level != b.level
                })
                .count(),
        );
        note(
            "levels differ",
            outcome
                .links
                .iter()
                .filter(|l| documents[l.a as usize].level != documents[l.b as usize].level)
                .count(),
        );
        note(
            "one-way",
            outcome
                .links
                .iter()
                .filter(|l| l.contained_one_way().is_some())
                .count(),
        );
        note(
            "one-way and joining",
            outcome
                .links
                .iter()
                .filter(|l| l.contained_one_way().is_some() && l.joins(&params))
                .count(),
        );
        note(
            "directed, not joining",
            outcome.links.iter().filter(|l| !l.joins(&params)).count(),
        );
        for (kind, name) in ["identical", "lexical", "shingle", "similar"]
            .into_iter()
            .enumerate()
        {
            note(
                name,
                outcome
                    .clusters
                    .iter()
                    .filter(|c| usize::from(c.kind) == kind)
                    .count(),
            );
        }
        note(
            "three representatives",
            outcome.clusters.iter().filter(|c| c.distinct >= 3).count(),
        );
        note(
            "kept is not the lowest",
            outcome
                .clusters
                .iter()
                .filter(|c| c.kept != c.cluster)
                .count(),
        );
    }
    assert!(seen.values().all(|&times| times >= 5), "{seen:#?}");
}
