//! Questions and other thresholds against the brute-force oracle, over random corpora and budgets
//! of a few KiB.

use crate::tune::{self, SampledLink, TunedThreshold};
use clustering::Join;
use engine::{Engine, PhaseName};
use model::{Ratio, Threshold};
use std::collections::BTreeMap;
use testbed::{assert_nothing_left, cases, clustered};
use testkit::{OracleCase, OracleLinkage, OracleParams};

#[test]
fn the_oracle_gives_the_same_answers() {
    cases(1000, |seed, memory_bytes| {
        let case = OracleCase::from_seed(seed);
        clustered(&case, seed, memory_bytes, |engine| {
            let tuned = tuned(engine);
            check_tuned(seed, &case, &tuned);
            if seed.is_multiple_of(4) {
                check_tree(seed, &case, engine, &tuned);
            }
            // Nothing else here repeats every seven seeds, so these meet cases of all kinds.
            if seed % 7 < 3 {
                crate::like::tests::agrees(engine, &case, seed);
            }
            if seed.is_multiple_of(7) {
                crate::query::tests::agrees(engine, &case, seed);
            }
        });
    });
}

/// The table of thresholds, after its samples are checked.
fn tuned(engine: &Engine<'_>) -> Vec<TunedThreshold> {
    let tuned = tune::tuning(engine, &[], 3).unwrap();
    for band in &tuned.between {
        assert_eq!(
            band.sample.len() as u64,
            band.links.min(3),
            "the sample of {band:?}"
        );
        let within = |link: &SampledLink| {
            band.from <= link.resemblance
                && (link.resemblance < band.to || band.to == 1.0 && link.resemblance == 1.0)
        };
        assert!(band.sample.iter().all(within), "the sample of {band:?}");
    }
    let record = engine.manifest().phases[PhaseName::Cluster.name()].clone();
    assert_nothing_left(engine, PhaseName::Cluster, &record);
    tuned.thresholds
}

/// The figures of `tune` for a threshold are those of a run with it: of the configured one, and of
/// another in turn.
fn check_tuned(seed: u64, case: &OracleCase, tuned: &[TunedThreshold]) {
    let configured = tuned
        .iter()
        .position(|row| row.configured)
        .expect("the configured threshold is shown");
    for at in [configured, (seed / 5) as usize % tuned.len()] {
        let resemblance = Threshold::from_f64(tuned[at].resemblance).unwrap();
        let oracle = testkit::run(
            &case.documents,
            &OracleParams {
                resemblance,
                ..case.params
            },
        );
        let documents: Vec<u64> = oracle
            .clusters
            .iter()
            .map(|cluster| u64::from(cluster.documents))
            .collect();
        let expected = TunedThreshold {
            links: oracle
                .links
                .iter()
                .filter(|link| link.resemblance_reached)
                .count() as u64,
            clusters: documents.len() as u64,
            documents: documents.iter().sum(),
            removed: (0..)
                .zip(&oracle.rows)
                .filter(|(doc, row)| row.kept != *doc)
                .count() as u64,
            largest: documents.iter().copied().max().unwrap_or(0),
            ..tuned[at]
        };
        assert_eq!(tuned[at], expected, "tune; seed {seed}, {:?}", case.params);
    }
}

/// A cut through the tree gives the components of a run with this threshold.
fn check_tree(seed: u64, case: &OracleCase, engine: &Engine<'_>, tuned: &[TunedThreshold]) {
    let lowest = engine.config.floor().unwrap_or(Threshold::hundredths(0));
    let mut joins = Vec::new();
    clustering::joins(engine, lowest, &mut |join| {
        joins.push(*join);
        Ok(())
    })
    .unwrap();
    let record = engine.manifest().phases[PhaseName::Cluster.name()].clone();
    assert_nothing_left(engine, PhaseName::Cluster, &record);
    let ratio = |join: &Join| Ratio::new(u64::from(join.shared), u64::from(join.union));
    assert!(joins.is_sorted_by(|one, next| ratio(one) >= ratio(next)));
    let resemblance = Threshold::from_f64(tuned[seed as usize % tuned.len()].resemblance).unwrap();
    let params = OracleParams {
        resemblance,
        containment: None,
        linkage: OracleLinkage::Components,
        ..case.params
    };
    let oracle = testkit::run(&case.documents, &params);
    let cut = joins
        .iter()
        .take_while(|join| resemblance.reached_by(ratio(join)));
    let mut documents = BTreeMap::new();
    let mut count = 0;
    for join in cut {
        let [one, other] = [join.cluster, join.other].map(|doc| oracle.rows[doc as usize].cluster);
        assert_eq!(one, other, "tree; seed {seed}, {params:?}");
        documents.insert(one, join.documents);
        count += 1;
    }
    let clusters = oracle
        .clusters
        .iter()
        .filter(|cluster| cluster.distinct > 1);
    let expected: BTreeMap<u32, u64> = clusters
        .clone()
        .map(|cluster| (cluster.cluster, u64::from(cluster.documents)))
        .collect();
    assert_eq!(documents, expected, "tree; seed {seed}, {params:?}");
    let joined: u32 = clusters.map(|cluster| cluster.distinct - 1).sum();
    assert_eq!(count, joined, "tree; seed {seed}, {params:?}");
}
