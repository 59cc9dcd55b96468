//! The figures of all phases → `report.json`.

use engine::figures::{
    ClusterFigures, DistinctFigures, PairsFigures, SettleFigures, SketchFigures,
};
use engine::segments::public_ids;
use format::{Manifest, PublicIds};
use output::{
    ChangeCounts, ClusterCounts, ClusterSize, GroupCount, InputCounts, LeastAlike, PairCounts,
    RemovedCount, RemovedCounts, RemovedHost, Report, SketchCounts, ThresholdFigures,
};
use publication::clusters::LargeCluster;
use publication::figures::IndexFigures;
use publication::removed::RemovedSums;
use runtime::PhaseName;
use serde::de::DeserializeOwned;

/// The report of a work directory of which all phases are done.
pub(crate) fn of_finished(manifest: &Manifest) -> Option<Report> {
    let index = manifest.phases.get(PhaseName::Index.name())?;
    Some(index.figures.read::<IndexFigures>().report)
}

/// What phase `index` found while it wrote the tables.
pub(crate) struct Published<'a> {
    pub(crate) repeated_ids: u64,
    pub(crate) below_min_words: u64,
    pub(crate) removed: &'a RemovedSums,
    pub(crate) largest: &'a [LargeCluster],
    pub(crate) thresholds: ThresholdFigures,
    pub(crate) changes: Option<ChangeCounts>,
}

/// The report of a work directory of which all phases are done but `index`.
pub(crate) fn report(manifest: &Manifest, published: Published<'_>) -> Report {
    let sketch: SketchFigures = figures(manifest, PhaseName::Sketch);
    let distinct: DistinctFigures = figures(manifest, PhaseName::Distinct);
    let pairs: PairsFigures = figures(manifest, PhaseName::Pairs);
    let settle: SettleFigures = figures(manifest, PhaseName::Settle);
    let cluster: ClusterFigures = figures(manifest, PhaseName::Cluster);
    let public_ids = public_ids(manifest);
    let removed = removed(published.removed, &public_ids);
    Report {
        input: InputCounts {
            documents: sketch.documents,
            bytes: sketch.bytes,
            url_bytes: sketch.url_bytes,
            rejected: sketch.rejected,
            skipped: sketch.skipped,
            flags: sketch.flags,
            repeated_ids: published.repeated_ids,
        },
        sketch: SketchCounts {
            shingles_found: sketch.shingles,
            shingles_sampled: sketch.sampled,
            documents_without_tokens: sketch.without_tokens,
            documents_shorter_than_shingle: sketch.short,
            documents_below_min_words: published.below_min_words,
        },
        classes: distinct.classes,
        pairs: PairCounts {
            postings: pairs.postings,
            common_shingles: pairs.common_shingles,
            pair_increments: pairs.increments,
            floor: floor(manifest),
            distinct_pairs: cluster.links.pairs,
            settled: settle.settled,
        },
        clusters: ClusterCounts {
            removed_if_deduplicated: removed.documents(),
            ..clusters(&cluster, published.largest, &public_ids)
        },
        removed,
        thresholds: Some(published.thresholds),
        changes: published.changes,
    }
}

/// The figures of a finished phase.
fn figures<F: DeserializeOwned + Default>(manifest: &Manifest, phase: PhaseName) -> F {
    let record = manifest.phases.get(phase.name());
    record.map_or_else(F::default, |record| record.figures.read())
}

/// The resemblance from which on pairs were counted.
fn floor(manifest: &Manifest) -> f64 {
    let parameters = manifest
        .phases
        .get(PhaseName::Pairs.name())
        .map_or("", |record| &record.parameters);
    parameters
        .lines()
        .find_map(|line| line.strip_prefix("floor = ")?.parse().ok())
        .unwrap_or(0.0)
}

/// The documents that go when duplicates are removed.
fn removed(sums: &RemovedSums, ids: &PublicIds) -> RemovedCounts {
    let of = |class: &str| {
        let sums = sums.classes.get(class);
        sums.map_or_else(RemovedCount::default, |sums| RemovedCount {
            documents: sums.documents,
            bytes: sums.bytes,
        })
    };
    let [identical, lexical, shingle, similar] =
        ["identical", "lexical", "shingle", "similar"].map(of);
    let near = RemovedCount {
        documents: shingle.documents + similar.documents,
        bytes: shingle.bytes.saturating_add(similar.bytes),
    };
    let bytes = [identical.bytes, lexical.bytes, near.bytes];
    let hosts = sums.hosts.iter().map(|host| RemovedHost {
        host: host.host.clone(),
        documents: host.documents,
    });
    RemovedCounts {
        identical,
        lexical,
        near,
        bytes_saved: bytes.into_iter().fold(0, u64::saturating_add),
        least_alike: sums.least_alike.map(|least| LeastAlike {
            doc_id: ids.get(least.document),
            kept_doc_id: ids.get(least.kept),
            resemblance: least.resemblance,
        }),
        through_others: sums.through_others,
        same_url: sums.same_url,
        hosts: hosts.collect(),
    }
}

fn clusters(figures: &ClusterFigures, largest: &[LargeCluster], ids: &PublicIds) -> ClusterCounts {
    let sums = &figures.clusters;
    let identical = GroupCount {
        clusters: sums.identical_clusters,
        documents: sums.identical_documents,
    };
    let largest = largest.iter().map(|large| ClusterSize {
        cluster_id: ids.get(large.cluster),
        documents: large.documents.into(),
        kept_id: large.kept_id.clone(),
        kept_url: large.kept_url.clone(),
        title: large.title.clone(),
    });
    ClusterCounts {
        links: figures.links.resemblance,
        directed_links: figures.links.directed,
        published_links: figures.published_links,
        clusters: sums.clusters,
        documents: sums.documents,
        identical_only: identical,
        remaining: GroupCount {
            clusters: sums.clusters.saturating_sub(identical.clusters),
            documents: sums.documents.saturating_sub(identical.documents),
        },
        largest: largest.collect(),
        // Counted from the table of those that go.
        removed_if_deduplicated: 0,
    }
}
