//! Properties that hold of every answer, over random corpora.

use std::collections::{BTreeMap, BTreeSet};

use model::{KeyRule, Ratio, Sampling};
use proptest::prelude::*;

use super::{OracleDocument, OracleKeep, OracleLinkage, OracleOutcome, OracleParams, run};
use crate::corpus::{CorpusShape, OracleCase, threshold};
use crate::random::Random;

fn cases() -> impl Strategy<Value = OracleCase> {
    any::<u64>().prop_map(OracleCase::from_seed)
}

fn clusters(outcome: &OracleOutcome) -> BTreeMap<u32, BTreeSet<u32>> {
    let mut clusters: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    for (doc, row) in (0..).zip(&outcome.rows) {
        clusters.entry(row.cluster).or_default().insert(doc);
    }
    clusters
}

/// Whether two documents are in one class, as far as rows tell: by their own equality.
fn one_class(a: &OracleDocument, b: &OracleDocument, params: &OracleParams) -> bool {
    let lexical = a.words > 0 && (a.lexical, a.words) == (b.lexical, b.words);
    let shingle = a.words > 0 && b.words > 0 && a.fingerprints.len() >= params.shingle_class_min;
    a.identity == b.identity
        || lexical
        || (shingle && (a.level, &a.fingerprints) == (b.level, &b.fingerprints))
}

/// Every cluster of `fine` within one of `coarse`.
fn refines(fine: &OracleOutcome, coarse: &OracleOutcome) -> bool {
    let same = |cluster: &BTreeSet<u32>| {
        cluster
            .iter()
            .map(|&doc| coarse.rows[doc as usize].cluster)
            .collect::<BTreeSet<_>>()
            .len()
            == 1
    };
    clusters(fine).values().all(same)
}

proptest! {
    #[test]
    fn clusters_are_named_by_their_lowest_and_keep_some(case in cases()) {
        let outcome = run(&case.documents, &case.params);
        let clusters = clusters(&outcome);
        let mut listed = outcome.clusters.iter();
        for (&id, members) in &clusters {
            prop_assert_eq!(members.first(), Some(&id));
            let stays = |doc: u32| outcome.rows[doc as usize].kept == doc;
            let kept: Vec<u32> = members.iter().copied().filter(|&doc| stays(doc)).collect();
            prop_assert!(members.iter().all(|&doc| kept.contains(&outcome.rows[doc as usize].kept)));
            prop_assert!(kept.len() == 1 || case.params.linkage != OracleLinkage::Components);
            if members.len() > 1 {
                let row = listed.next();
                prop_assert_eq!(row.map(|c| (c.cluster, c.documents as usize, c.keeps as usize)), Some((id, members.len(), kept.len())));
                prop_assert!(row.is_some_and(|c| kept.contains(&c.kept)));
                prop_assert_eq!(row.map(|c| c.distinct > 1), row.map(|c| c.kind == 3 && c.weakest.is_some()));
            }
        }
        prop_assert_eq!(listed.next(), None);
    }

    #[test]
    fn classes_share_a_cluster_and_rows_name_them(case in cases()) {
        let outcome = run(&case.documents, &case.params);
        for (a, row) in outcome.rows.iter().enumerate() {
            let equals: Vec<usize> =
                (0..case.documents.len()).filter(|&b| one_class(&case.documents[a], &case.documents[b], &case.params)).collect();
            prop_assert!(equals.iter().all(|&b| outcome.rows[b].cluster == row.cluster));
            prop_assert_eq!(row.same_as.is_some(), equals.len() > 1);
            prop_assert_eq!(row.same_as.is_some(), row.same_kind.is_some());
            prop_assert!(row.same_as.is_none_or(|same| equals.contains(&(same as usize)) && same as usize <= a));
            // links are between representatives, the lowest of each class
            let linked = outcome.links.iter().any(|link| link.other(a as u32).is_some());
            prop_assert!(!linked || equals.first() == Some(&a));
        }
    }

    #[test]
    fn stars_remove_nothing_without_a_link_to_what_is_kept(case in cases(), leader: bool) {
        let linkage = if leader { OracleLinkage::Leader } else { OracleLinkage::Star };
        let params = OracleParams { linkage, ..case.params };
        let outcome = run(&case.documents, &params);
        for (doc, row) in (0..).zip(&outcome.rows) {
            let [document, keeper] = [doc, row.kept].map(|d: u32| &case.documents[d as usize]);
            if one_class(document, keeper, &params) {
                continue;
            }
            let class_of = |end: u32, of| one_class(&case.documents[end as usize], of, &params);
            let found = outcome.links.iter().find(|link| link.joins(&params)
                && ((class_of(link.a, document) && class_of(link.b, keeper)) || (class_of(link.b, document) && class_of(link.a, keeper))));
            prop_assert!(found.is_some(), "{doc} was removed without a link");
            let smaller = found.and_then(super::OracleLink::contained_one_way);
            prop_assert!(smaller.is_none_or(|end| !class_of(end, keeper)), "{doc} was removed for a part of it");
        }
    }

    #[test]
    fn no_two_that_could_take_each_other_are_kept(case in cases()) {
        for linkage in [OracleLinkage::Star, OracleLinkage::Leader] {
            let params = OracleParams { linkage, ..case.params };
            let outcome = run(&case.documents, &params);
            let joining = || outcome.links.iter().filter(|link| link.joins(&params));
            let parts: BTreeSet<u32> = joining().filter_map(super::OracleLink::contained_one_way).collect();
            // representatives, which are the lowest of their classes
            let is_kept = |class: u32| (0..).zip(outcome.rows.iter().zip(&case.documents))
                .any(|(doc, (row, document))| row.kept == doc && one_class(document, &case.documents[class as usize], &params));
            for link in joining() {
                // only a part must not take the whole, and only where the whole is a part, too
                let is_excused = link.contained_one_way().is_some() && parts.contains(&link.a) && parts.contains(&link.b);
                prop_assert!(is_excused || !is_kept(link.a) || !is_kept(link.b), "{} and {}", link.a, link.b);
            }
        }
    }

    #[test]
    fn no_cluster_keeps_a_part_while_a_whole_is_in_it(case in cases()) {
        let outcome = run(&case.documents, &OracleParams { linkage: OracleLinkage::Components, ..case.params });
        for cluster in &outcome.clusters {
            let class_of = |end: u32, doc: u32| one_class(&case.documents[end as usize], &case.documents[doc as usize], &case.params);
            let inside = |end: u32| outcome.rows[end as usize].cluster == cluster.cluster;
            let parts: BTreeSet<u32> = outcome.links.iter().filter(|l| inside(l.a) && inside(l.b))
                .filter_map(super::OracleLink::contained_one_way).collect();
            let kept_is_part = parts.iter().any(|&part| class_of(part, cluster.kept));
            prop_assert!(!kept_is_part || parts.len() == cluster.distinct as usize);
        }
    }

    #[test]
    fn linkage_decides_what_goes_and_not_what_belongs_together(case in cases()) {
        let [components, star, leader] = [OracleLinkage::Components, OracleLinkage::Star, OracleLinkage::Leader]
            .map(|linkage| run(&case.documents, &OracleParams { linkage, ..case.params }));
        let unkept = |outcome: &OracleOutcome| {
            let mut outcome = outcome.clone();
            outcome.rows.iter_mut().for_each(|row| row.kept = 0);
            outcome.clusters.iter_mut().for_each(|cluster| (cluster.kept, cluster.keeps) = (0, 0));
            outcome
        };
        prop_assert_eq!(unkept(&star), unkept(&components));
        prop_assert_eq!(unkept(&leader), unkept(&components));
        // both keep the same documents
        let kept = |outcome: &OracleOutcome| (0..).zip(&outcome.rows).filter(|(doc, row)| row.kept == *doc).map(|(doc, _)| doc).collect::<Vec<u32>>();
        prop_assert_eq!(kept(&star), kept(&leader));
    }

    #[test]
    fn lower_thresholds_never_lose_a_link(case in cases(), levels in proptest::array::uniform4(0u32..1001), shared in proptest::array::uniform2(0u32..6)) {
        let strict = OracleParams {
            linkage: OracleLinkage::Components, min_shared: shared[0].max(shared[1]), resemblance: threshold(levels[0].max(levels[1])),
            containment: Some(threshold(levels[2].max(levels[3]))), ..case.params
        };
        let loose = OracleParams {
            min_shared: shared[0].min(shared[1]), resemblance: threshold(levels[0].min(levels[1])),
            containment: Some(threshold(levels[2].min(levels[3]))), ..strict
        };
        let none = OracleParams { containment: None, ..strict };
        let [none, strict, loose] = [none, strict, loose].map(|params| run(&case.documents, &params));
        let pairs = |outcome: &OracleOutcome| outcome.links.iter().map(|link| (link.a, link.b)).collect::<BTreeSet<_>>();
        prop_assert!(pairs(&none).is_subset(&pairs(&strict)) && pairs(&strict).is_subset(&pairs(&loose)));
        prop_assert!(refines(&none, &strict) && refines(&strict, &loose));
    }

    #[test]
    fn higher_common_limits_leave_fewer_common(case in cases(), limits in proptest::array::uniform2(0u64..40)) {
        let [low, high] = [limits[0].min(limits[1]), limits[0].max(limits[1])]
            .map(|common_limit| run(&case.documents, &OracleParams { common_limit, ..case.params }));
        prop_assert!(high.common.iter().all(|entry| low.common.contains(entry)));
    }

    #[test]
    fn components_do_not_depend_on_the_order_of_input(case in cases(), seed: u64) {
        // The proposals of common shingles do depend on it.
        let params = OracleParams { linkage: OracleLinkage::Components, drops_common: true, ..case.params };
        let mut random = Random::new(seed);
        let mut order: Vec<usize> = (0..case.documents.len()).collect();
        for last in (1..order.len()).rev() {
            order.swap(last, random.index(last + 1));
        }
        let shuffled: Vec<OracleDocument> = order.iter().map(|&doc| case.documents[doc].clone()).collect();
        let [straight, shuffled] = [&case.documents, &shuffled].map(|documents| run(documents, &params));
        let there: BTreeSet<BTreeSet<usize>> = clusters(&straight).into_values()
            .map(|members| members.into_iter().map(|doc| doc as usize).collect()).collect();
        let back: BTreeSet<BTreeSet<usize>> = clusters(&shuffled).into_values()
            .map(|members| members.into_iter().map(|doc| order[doc as usize]).collect()).collect();
        prop_assert_eq!(there, back);
        prop_assert_eq!(straight.links.len(), shuffled.links.len());
    }

    /// Where everything is kept, the estimate is the resemblance of the two sets.
    #[test]
    fn estimates_are_exact_where_all_is_kept(seed: u64) {
        let shape = CorpusShape {
            documents: 20, universe: 300, set_max: 60, derived_per_mille: 600, template_per_mille: 300,
            fingerprint_bits: 64, sampling: Sampling::Modulus { modulus: 1 },
        };
        let documents = shape.documents(seed);
        let params = OracleParams {
            sampling: shape.sampling, keys: KeyRule::Elements, common_limit: u64::MAX, drops_common: false, shingle_class_min: 16, resemblance: threshold(0), containment: None,
            containment_joins: false, min_shared: 1, linkage: OracleLinkage::Components, keep: OracleKeep::First,
        };
        for link in run(&documents, &params).links {
            let [a, b] = [link.a, link.b].map(|doc| documents[doc as usize].fingerprints.iter().collect::<BTreeSet<_>>());
            let exact = Ratio::new(a.intersection(&b).count() as u64, a.union(&b).count() as u64);
            prop_assert_eq!(link.overlap().resemblance().ratio, exact);
        }
    }
}
