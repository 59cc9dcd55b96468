//! The figures of all phases → `report.json`.

use engine::{
    PhaseName,
    figures::{ClusterFigures, DistinctFigures, PairsFigures, SettleFigures, SketchFigures},
};
use format::Manifest;
use output::{
    ChangeCounts, ClusterCounts, ClusterSize, GroupCount, InputCounts, PassageCounts,
    RemovedCounts, Report, ReportedPairs, SketchCounts, ThresholdFigures,
};
use publication::figures::IndexFigures;
use serde::de::DeserializeOwned;

/// The report of a work directory of which all phases are done.
pub(crate) fn of_finished(manifest: &Manifest) -> Option<Report> {
    let index = manifest.phases.get(PhaseName::Index.name())?;
    Some(index.figures.read::<IndexFigures>().report)
}

/// The figures that phase `index` found while it wrote the tables.
pub(crate) struct Published {
    pub(crate) repeated_ids: u64,
    pub(crate) below_min_words: u64,
    pub(crate) removed: RemovedCounts,
    pub(crate) largest: Vec<ClusterSize>,
    pub(crate) thresholds: ThresholdFigures,
    pub(crate) changes: Option<ChangeCounts>,
    pub(crate) passages: Option<PassageCounts>,
}

/// The report of a work directory of which all phases are done but `index`.
pub(crate) fn report(manifest: &Manifest, published: Published) -> Report {
    let sketch: SketchFigures = figures(manifest, PhaseName::Sketch);
    let distinct: DistinctFigures = figures(manifest, PhaseName::Distinct);
    let pairs: PairsFigures = figures(manifest, PhaseName::Pairs);
    let settle: SettleFigures = figures(manifest, PhaseName::Settle);
    let cluster: ClusterFigures = figures(manifest, PhaseName::Cluster);
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
        pairs: ReportedPairs {
            postings: pairs.postings,
            common_shingles: pairs.common_shingles,
            pair_increments: pairs.increments,
            floor: floor(manifest),
            distinct_pairs: cluster.links.pairs,
            settled: settle.settled,
        },
        clusters: clusters(&cluster, published.largest, &published.removed),
        removed: published.removed,
        thresholds: Some(published.thresholds),
        changes: published.changes,
        passages: published.passages,
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

/// The clusters. Documents that go are counted from the table of those.
fn clusters(
    figures: &ClusterFigures,
    largest: Vec<ClusterSize>,
    removed: &RemovedCounts,
) -> ClusterCounts {
    let sums = &figures.clusters;
    let identical = GroupCount {
        clusters: sums.identical_clusters,
        documents: sums.identical_documents,
    };
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
        largest,
        removed_if_deduplicated: removed.documents(),
    }
}
