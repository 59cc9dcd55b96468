//! The first page: what the crawl holds and what could go.

use super::passages::counts;
use crate::web::chart::{BarPart, stacked};
use crate::web::page::{Medium, bytes_cell, cluster, count_cell, document, short, table};
use crate::web::safety::clean;
use crate::web::site::Site;
use crate::web::top_clusters::{ClusterOrder, ListedCluster};
use maud::{Markup, html};
use output::{RemovedCount, RemovedCounts, Report, counted, humane_bytes, thousands};
use std::sync::Arc;

/// Clusters that are shown.
const CLUSTERS: usize = 10;

/// Parts of documents or bytes by what becomes of them.
fn parts(all: u64, removed: &RemovedCounts, of: impl Fn(&RemovedCount) -> u64) -> [BarPart; 4] {
    let part = |class, name, count| BarPart { class, name, count };
    let copies = [&removed.identical, &removed.lexical, &removed.near].map(of);
    [
        part(
            "kept-part",
            "kept",
            all - copies.iter().sum::<u64>().min(all),
        ),
        part("identical", "identical copies", copies[0]),
        part("lexical", "copies with the same words", copies[1]),
        part("near", "near-copies", copies[2]),
    ]
}

/// The page without its frame.
pub(crate) fn overview(site: &Site, medium: Medium) -> Markup {
    let report = &site.report;
    let (documents, removed) = (
        report.input.documents,
        report.clusters.removed_if_deduplicated,
    );
    let share = 100.0 * removed as f64 / documents.max(1) as f64;
    let by_documents = parts(documents, &report.removed, |count| count.documents);
    let by_bytes = parts(report.input.bytes, &report.removed, |count| count.bytes);
    let noun = if documents == 1 {
        "document"
    } else {
        "documents"
    };
    html! {
        ul.cards {
            (card(&thousands(documents), &format!("{noun}, {}", humane_bytes(report.input.bytes))))
            (card(&thousands(removed), &format!("can go as copies ({share:.1} %)")))
            (card(&humane_bytes(report.removed.bytes_saved), "can be saved"))
            (card(&thousands(report.clusters.clusters), "clusters of two or more"))
        }
        h2 { "What is there" }
        (stacked("Documents by what becomes of them", &by_documents))
        (stacked("Bytes by what becomes of them", &by_bytes))
        ul.key {
            @for (documents, bytes) in by_documents.iter().zip(&by_bytes) {
                li { i class=(documents.class) {} (documents.name) ": " (counted(documents.count, "document")) ", " (humane_bytes(bytes.count)) }
            }
        }
        p.soft { "The upper bar shows documents, the lower one bytes." }
        @if let Some(note) = report.removed.note_of_captures() { p { "Copies " (note) "." } }
        @if let Some(note) = report.sketch.note_of_short_pages() { p { (note) } }
        @if report.passages.is_some() {
            h2 { "Repeated passages" }
            (counts(report.passages.as_ref()))
            p {
                @if medium == Medium::Server { a href="/passages" { "The most repeated passages" } ", " a href="/passages?documents=true" { "documents of which most stands elsewhere" } }
                @else { a href="#passages" { "The most repeated ones" } }
            }
        }
        h2 { "Largest clusters" }
        @let largest = site.clusters.by(ClusterOrder::Documents);
        (clusters_table(site, medium, "Largest clusters", &largest[..largest.len().min(CLUSTERS)]))
        (hosts(report))
        h2 { "Records that are no documents" }
        (left_out(report))
        (phases(site))
    }
}

fn card(number: &str, what: &str) -> Markup {
    html! { li { strong { (number) } span { (what) } } }
}

/// Hosts with most documents that go.
fn hosts(report: &Report) -> Markup {
    let rows = html! {
        @for host in &report.removed.hosts {
            tr { td.url { (short(&host.host)) } (count_cell(host.documents)) }
        }
    };
    let heads = "Host|#Documents that can go";
    html! {
        @if !report.removed.hosts.is_empty() {
            h2 { "Hosts with most copies" }
            (table("Hosts with most copies", heads, &rows))
        }
    }
}

/// Clusters as rows of a table.
pub(crate) fn clusters_table(
    site: &Site,
    medium: Medium,
    label: &str,
    clusters: &[Arc<ListedCluster>],
) -> Markup {
    let rows = html! {
        @for one in clusters {
            tr {
                td.number { (cluster(medium, one.cluster_id)) }
                td.name {
                    @if let Some(title) = &one.title { div { (short(title)) } }
                    (document(medium, one.kept_doc_id, &site.name_of_kept(one)))
                }
                (count_cell(one.documents.unsigned_abs()))
                (count_cell(one.hosts.unsigned_abs()))
                (bytes_cell(one.bytes_saved.unsigned_abs()))
                td { (kind(&one.kind)) }
                td.number { @if let Some(weakest) = one.min_resemblance { (format!("{weakest:.2}")) } @else { "–" } }
            }
        }
    };
    let heads = "#Cluster|Kept document|#Documents|#Hosts|#Bytes saved|Alike by|#Weakest link";
    html! {
        @if clusters.is_empty() { p { "There are no clusters." } } @else { (table(label, heads, &rows)) }
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
    let content = html! {
        @for (what, (reason, count)) in &rows {
            tr { td { (what) } td { (short(reason)) } (count_cell(**count)) }
        }
    };
    let heads = "Record|Why|#How many";
    html! {
        @if rows.is_empty() { p { "Every record is a document." } }
        @else { (table("Records that are no documents", heads, &content)) }
    }
}

fn phases(site: &Site) -> Markup {
    let Some(run) = &site.run else {
        return html! {};
    };
    let rows = html! {
        @for phase in &run.phases {
            tr {
                td { (clean(&phase.name)) }
                td.number { (format!("{:.2} s", phase.wall_s)) }
                td.number { (format!("{:.2} s", phase.cpu_s)) }
                (bytes_cell(phase.bytes_written))
                (bytes_cell(phase.peak_memory_bytes))
            }
        }
    };
    let heads = "Phase|#Time|#CPU time|#Written|#Peak memory";
    html! {
        h2 { "The run" }
        p { "Ended " (clean(&run.ended)) ", program " (clean(&run.version)) "." }
        (table("Phases", heads, &rows))
    }
}
