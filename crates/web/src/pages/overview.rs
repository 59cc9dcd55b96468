//! The first page: what the crawl holds and what could go.

use crate::chart::{Part, stacked};
use crate::page::{Medium, cluster, document};
use crate::safety::clean;
use crate::site::Site;
use crate::top_clusters::Order;
use maud::{Markup, html};
use output::{ClassCount, Report, thousands};

/// Clusters that are shown.
const CLUSTERS: usize = 10;

/// Documents by what becomes of them.
struct Shares {
    kept: u64,
    identical: u64,
    lexical: u64,
    near: u64,
}

impl Shares {
    fn of(report: &Report) -> Shares {
        let copies = |class: &ClassCount| class.documents.saturating_sub(class.classes);
        let removed = report.clusters.removed_if_deduplicated;
        let identical = copies(&report.classes.identical).min(removed);
        let lexical = copies(&report.classes.lexical).min(removed) - identical;
        Shares {
            kept: report.input.documents - removed,
            identical,
            lexical,
            near: removed - identical - lexical,
        }
    }

    fn parts(&self) -> [Part; 4] {
        let part = |class, name, count| Part { class, name, count };
        [
            part("kept-part", "kept", self.kept),
            part("identical", "identical copies", self.identical),
            part("lexical", "copies with the same words", self.lexical),
            part("near", "near-copies", self.near),
        ]
    }
}

/// The page without its frame.
pub(crate) fn overview(site: &Site, medium: Medium) -> Markup {
    let report = &site.report;
    let (documents, removed) = (
        report.input.documents,
        report.clusters.removed_if_deduplicated,
    );
    let share = 100.0 * removed as f64 / documents.max(1) as f64;
    let parts = Shares::of(report).parts();
    html! {
        ul.cards {
            (card(&thousands(documents), "documents"))
            (card(&thousands(removed), &format!("can go as copies ({share:.1} %)")))
            (card(&thousands(report.clusters.clusters), "clusters of two or more"))
            (card(&thousands(report.clusters.links), "links between different documents"))
        }
        h2 { "What is there" }
        (stacked("Documents by what becomes of them", &parts))
        ul.key {
            @for part in &parts {
                li { i class=(part.class) {} (part.name) ": " (thousands(part.count)) }
            }
        }
        h2 { "Largest clusters" }
        @let largest = site.clusters.by(Order::Documents);
        (clusters_table(site, medium, &largest[..largest.len().min(CLUSTERS)]))
        h2 { "Records that are no documents" }
        (left_out(report))
        (phases(site))
    }
}

fn card(number: &str, what: &str) -> Markup {
    html! { li { strong { (number) } span { (what) } } }
}

/// Clusters as rows of a table.
pub(crate) fn clusters_table(
    site: &Site,
    medium: Medium,
    clusters: &[crate::top_clusters::Cluster],
) -> Markup {
    html! {
        @if clusters.is_empty() { p { "There are no clusters." } } @else {
            div.wide tabindex="0" role="region" aria-label="Clusters" {
                table {
                    thead { tr {
                        th.number scope="col" { "Cluster" }
                        th.number scope="col" { "Documents" }
                        th scope="col" { "Alike by" }
                        th.number scope="col" { "Weakest link" }
                        th scope="col" { "Kept document" }
                    } }
                    tbody {
                        @for one in clusters {
                            tr {
                                td.number { (cluster(medium, one.cluster_id)) }
                                td.number { (thousands(one.documents.unsigned_abs())) }
                                td { (kind(&one.kind)) }
                                td.number { @if let Some(weakest) = one.min_resemblance { (format!("{weakest:.2}")) } @else { "–" } }
                                td { (document(medium, one.kept_doc_id, &site.name_of(one.kept_doc_id))) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The kind of a cluster in words.
pub(crate) fn kind(kind: &str) -> &str {
    match kind {
        "identical" => "same content",
        "lexical" => "same words",
        "shingle" => "same shingles",
        "similar" => "resemblance",
        other => other,
    }
}

fn left_out(report: &Report) -> Markup {
    let rows = report.input.rejected.iter().map(|row| ("rejected", row));
    let skipped = report.input.skipped.iter().map(|row| ("skipped", row));
    let rows: Vec<_> = rows.chain(skipped).collect();
    html! {
        @if rows.is_empty() { p { "Every record is a document." } } @else {
            div.wide tabindex="0" role="region" aria-label="Records that are no documents" {
                table {
                    thead { tr { th scope="col" { "Record" } th scope="col" { "Why" } th.number scope="col" { "How many" } } }
                    tbody {
                        @for (what, (reason, count)) in rows {
                            tr { td { (what) } td { (clean(reason)) } td.number { (thousands(*count)) } }
                        }
                    }
                }
            }
        }
    }
}

fn phases(site: &Site) -> Markup {
    html! {
        @if let Some(run) = &site.run {
            h2 { "The run" }
            p { "Ended " (clean(&run.ended)) ", program " (clean(&run.version)) "." }
            div.wide tabindex="0" role="region" aria-label="Phases" {
                table {
                    thead { tr {
                        th scope="col" { "Phase" }
                        th.number scope="col" { "Time" }
                        th.number scope="col" { "CPU time" }
                        th.number scope="col" { "Written" }
                        th.number scope="col" { "Peak memory" }
                    } }
                    tbody {
                        @for phase in &run.phases {
                            tr {
                                td { (clean(&phase.name)) }
                                td.number { (format!("{:.2} s", phase.wall_s)) }
                                td.number { (format!("{:.2} s", phase.cpu_s)) }
                                td.number { (output::humane_bytes(phase.bytes_written)) }
                                td.number { (output::humane_bytes(phase.peak_memory_bytes)) }
                            }
                        }
                    }
                }
            }
        }
    }
}
