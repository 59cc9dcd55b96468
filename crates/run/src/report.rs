//! The counts of all phases → `report.json`.

use engine::segments::public_ids;
use format::{Manifest, PublicIds};
use history::changes;
use output::{
    ClassCount, ClassCounts, ClusterCounts, ClusterSize, GroupCount, InputCounts, LeastAlike,
    PairCounts, RemovedCount, RemovedCounts, RemovedHost, Report, SketchCounts, ThresholdFigures,
};
use runtime::PhaseName;
use std::collections::BTreeMap;

/// Counts of one phase, 0 where there is none.
struct Counts<'a>(Option<&'a BTreeMap<String, u64>>);

impl Counts<'_> {
    fn get(&self, name: &str) -> u64 {
        self.0
            .and_then(|counts| counts.get(name))
            .copied()
            .unwrap_or(0)
    }

    /// Counts whose name begins so, under the rest of their names.
    fn under(&self, prefix: &str) -> BTreeMap<String, u64> {
        let counts = self.0.into_iter().flatten();
        counts
            .filter_map(|(name, n)| name.strip_prefix(prefix).map(|rest| (rest.to_owned(), *n)))
            .collect()
    }

    fn class(&self, relation: &str) -> ClassCount {
        ClassCount {
            classes: self.get(&format!("{relation}_classes")),
            documents: self.get(&format!("{relation}_documents")),
        }
    }
}

/// The report of a work directory of which all phases are done.
pub(crate) fn of_finished(manifest: &Manifest) -> Option<Report> {
    let index = manifest.phases.get(PhaseName::Index.name())?;
    Some(report(manifest, &index.counts))
}

/// The report of a work directory; `index` are the counts of the index phase, which may not be in
/// the manifest yet.
pub(crate) fn report(manifest: &Manifest, index: &BTreeMap<String, u64>) -> Report {
    let of = |phase: PhaseName| {
        Counts(
            manifest
                .phases
                .get(phase.name())
                .map(|record| &record.counts),
        )
    };
    let (sketch, distinct) = (of(PhaseName::Sketch), of(PhaseName::Distinct));
    let (pairs, cluster, index) = (
        of(PhaseName::Pairs),
        of(PhaseName::Cluster),
        Counts(Some(index)),
    );
    let public_ids = public_ids(manifest);
    let removed = removed(&index, &public_ids);
    Report {
        input: InputCounts {
            documents: sketch.get("documents"),
            bytes: sketch.get("bytes"),
            url_bytes: sketch.get("url_bytes"),
            rejected: sketch.under("rejected."),
            skipped: sketch.under("skipped."),
            flags: sketch.under("flag."),
            repeated_ids: index.get("repeated_ids"),
        },
        sketch: SketchCounts {
            shingles_found: sketch.get("shingles"),
            shingles_sampled: sketch.get("sampled"),
            documents_without_tokens: sketch.get("without_tokens"),
            documents_shorter_than_shingle: sketch.get("short"),
            documents_below_min_words: index.get("below_min_words"),
        },
        classes: ClassCounts {
            identical: distinct.class("identical"),
            lexical: distinct.class("lexical"),
            shingle: distinct.class("shingle"),
            representatives: distinct.get("representatives"),
        },
        pairs: PairCounts {
            postings: pairs.get("postings"),
            common_shingles: pairs.get("common_shingles"),
            pair_increments: pairs.get("increments"),
            floor: floor(manifest),
            distinct_pairs: cluster.get("pairs"),
            settled: of(PhaseName::Settle).get("settled"),
        },
        clusters: ClusterCounts {
            removed_if_deduplicated: removed.documents(),
            ..clusters(&cluster, &index, &public_ids)
        },
        removed,
        thresholds: thresholds(&index),
        changes: index.0.and_then(|counts| changes::report(manifest, counts)),
    }
}

/// What other thresholds would do.
fn thresholds(index: &Counts<'_>) -> Option<ThresholdFigures> {
    let found = index.under("thresholds ").into_keys().next()?;
    serde_json::from_str(&found).ok()
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
fn removed(index: &Counts<'_>, ids: &PublicIds) -> RemovedCounts {
    let of = |class: &str| RemovedCount {
        documents: index.get(&format!("removed.{class}.documents")),
        bytes: index.get(&format!("removed.{class}.bytes")),
    };
    let [identical, lexical, shingle, similar] =
        ["identical", "lexical", "shingle", "similar"].map(of);
    let near = RemovedCount {
        documents: shingle.documents + similar.documents,
        bytes: shingle.bytes.saturating_add(similar.bytes),
    };
    let bytes = [identical.bytes, lexical.bytes, near.bytes];
    let hosts = index.under("removed-host.").into_iter();
    let host = |(name, documents): (String, u64)| {
        let (_, host) = name.split_once(' ')?;
        Some(RemovedHost {
            host: host.to_owned(),
            documents,
        })
    };
    RemovedCounts {
        identical,
        lexical,
        near,
        bytes_saved: bytes.into_iter().fold(0, u64::saturating_add),
        least_alike: least_alike(index, ids),
        through_others: index.get("removed.through-others"),
        same_url: index.get("removed.same-url"),
        hosts: hosts.filter_map(host).collect(),
    }
}

/// The document that is least like the one kept in its favour.
fn least_alike(index: &Counts<'_>, ids: &PublicIds) -> Option<LeastAlike> {
    let resemblance = index.under("least-alike.resemblance ").into_keys().next()?;
    let id = |name| Some(ids.get(u32::try_from(index.get(name)).ok()?));
    Some(LeastAlike {
        doc_id: id("least-alike.document")?,
        kept_doc_id: id("least-alike.kept")?,
        resemblance: resemblance.parse().ok()?,
    })
}

fn clusters(cluster: &Counts<'_>, index: &Counts<'_>, ids: &PublicIds) -> ClusterCounts {
    let (all, documents) = (cluster.get("clusters"), cluster.get("clustered_documents"));
    let identical = GroupCount {
        clusters: cluster.get("identical_clusters"),
        documents: cluster.get("identical_cluster_documents"),
    };
    let largest = (0..10).filter_map(|rank| {
        let documents = index.get(&format!("largest.{rank}.documents"));
        let cluster = u32::try_from(index.get(&format!("largest.{rank}.cluster"))).ok()?;
        let text = |name: &str| {
            let found = index.under(&format!("largest.{rank}.{name} "));
            found.into_keys().next()
        };
        (documents > 0).then(|| ClusterSize {
            cluster_id: ids.get(cluster),
            documents,
            kept_id: text("kept_id"),
            kept_url: text("kept_url"),
            title: text("title"),
        })
    });
    ClusterCounts {
        links: cluster.get("resemblance_links"),
        directed_links: cluster.get("directed_links"),
        published_links: cluster.get("published_links"),
        clusters: all,
        documents,
        identical_only: identical,
        remaining: GroupCount {
            clusters: all.saturating_sub(identical.clusters),
            documents: documents.saturating_sub(identical.documents),
        },
        largest: largest.collect(),
        // Counted from the table of those that go.
        removed_if_deduplicated: 0,
    }
}
