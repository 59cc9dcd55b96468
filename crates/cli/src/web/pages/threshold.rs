//! The effect of other thresholds, and where the resemblances have their valley.

use crate::web::chart::{AxisMark, curves, histogram};
use crate::web::page::{Medium, bytes_cell, count_cell, document, table};
use crate::web::site::Site;
use maud::{Markup, html};
use output::{ComparedPair, FiguresAtThreshold, ThresholdFigures};

/// The page without its frame.
pub(crate) fn threshold(site: &Site, medium: Medium) -> Markup {
    let Some(figures) = &site.report.thresholds else {
        return html! { p { "An older program made this publication. Run the pipeline again to see other thresholds." } };
    };
    let valley = figures.valley();
    html! {
        p {
            "Two documents are linked when their resemblance reaches the threshold, now " strong { (two(figures.configured)) } ". "
            @match valley {
                Some(valley) => {
                    "The valley of the resemblances is at " strong { (two(valley)) }
                    ": there a small change of the threshold moves fewest documents."
                }
                None => { "The resemblances have no clear valley, so look at the pairs near the threshold." }
            }
        }
        (histogram_of(figures, valley))
        h2 { "What other thresholds would do" }
        (curves_of(site, figures))
        @for (name, pairs) in [("Pairs just above the threshold", &figures.above), ("Pairs just below the threshold", &figures.below)] {
            h2 { (name) }
            (pairs_table(site, medium, name, pairs))
        }
    }
}

fn two(resemblance: f64) -> String {
    format!("{resemblance:.2}")
}

fn marks(figures: &ThresholdFigures, valley: Option<f64>) -> Vec<AxisMark> {
    let mark = |class, at, name: &str| AxisMark {
        class,
        at,
        name: format!("{name}: {}", two(at)),
    };
    let configured = mark("configured", figures.configured, "threshold");
    let valley = valley.map(|at| mark("valley", at, "valley"));
    [configured].into_iter().chain(valley).collect()
}

fn histogram_of(figures: &ThresholdFigures, valley: Option<f64>) -> Markup {
    let lowest = figures.at.first().map_or(0.0, |row| row.resemblance);
    html! {
        h2 { "Documents by their highest resemblance to another one" }
        (histogram("Documents by their highest resemblance to another one", &figures.highest, &marks(figures, valley)))
        ul.key {
            li { i.configured {} "threshold " (two(figures.configured)) }
            @if let Some(valley) = valley { li { i.valley {} "valley " (two(valley)) } }
        }
        p.soft {
            "Of documents that are equal in their words, one counts. Pairs below " (two(lowest)) " are not shown."
        }
    }
}

fn curves_of(site: &Site, figures: &ThresholdFigures) -> Markup {
    let line = |of: fn(&FiguresAtThreshold) -> u64| {
        let points = figures.at.iter().map(|row| (row.resemblance, of(row)));
        points.collect::<Vec<_>>()
    };
    let lines = [
        ("removed", line(|row| row.removed)),
        ("bytes", line(|row| row.bytes)),
        ("largest", line(|row| row.largest)),
    ];
    let documents = site.report.input.documents.max(1);
    let rows = html! {
        @for row in &figures.at {
            tr {
                td.number { (two(row.resemblance)) @if row.resemblance == figures.configured { " *" } }
                (count_cell(row.links))
                (count_cell(row.clusters))
                (count_cell(row.removed))
                td.number { (format!("{:.1} %", 100.0 * row.removed as f64 / documents as f64)) }
                (bytes_cell(row.bytes))
                (count_cell(row.largest))
            }
        }
    };
    let heads =
        "#Threshold|#Links|#Clusters|#Removed documents|#Share|#Removed bytes|#Largest cluster";
    html! {
        (curves("Removed documents, removed bytes and the largest cluster by threshold", &lines, &marks(figures, None)))
        ul.key {
            li { i.removed {} "removed documents" }
            li { i.bytes {} "removed bytes" }
            li { i.largest {} "documents of the largest cluster" }
        }
        p.soft { "Each line is drawn up to its own highest value; the table has the numbers. * is the threshold of the run." }
        (table("What other thresholds would do", heads, &rows))
    }
}

fn pairs_table(site: &Site, medium: Medium, name: &str, pairs: &[ComparedPair]) -> Markup {
    let rows = html! {
        @for pair in pairs {
            tr {
                td.number { (format!("{:.4}", pair.resemblance)) }
                td {
                    @for (at, doc_id) in [pair.a, pair.b].into_iter().enumerate() {
                        @if at > 0 { br; }
                        (document(medium, doc_id, &site.name_of(doc_id)))
                    }
                }
                @if medium == Medium::Server {
                    td { a href={ "/compare/" (pair.a) "/" (pair.b) } { "compare" span.hidden { " documents " (pair.a) " and " (pair.b) } } }
                }
            }
        }
    };
    let heads = match medium {
        Medium::Server => "#Resemblance|Documents|Differences",
        Medium::File => "#Resemblance|Documents",
    };
    html! {
        @if pairs.is_empty() { p { "There are none." } } @else { (table(name, heads, &rows)) }
    }
}
