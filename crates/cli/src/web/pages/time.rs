//! The changes from snapshot to snapshot, and from publication to publication.

use crate::web::chart::{BarPart, stacked};
use crate::web::page::{Medium, count_cell, document, head, short, table, table_with};
use crate::web::site::Site;
use maud::{Markup, html};
use output::{ChangeCounts, ChangesBetween, HalfLife, counted};

/// Steps that are listed, the newest ones.
const STEPS: usize = 30;

/// The page without its frame.
pub(crate) fn time(site: &Site, medium: Medium) -> Markup {
    html! {
        @match &site.report.changes {
            None => p { "There is one snapshot. With two or more, this page shows what changed between them." },
            Some(changes) => {
                (steps(changes))
                @if let Some(last) = changes.between.last() { (hosts(last)) }
                (moved(site, medium))
            }
        }
        (events(site))
    }
}

fn parts(step: &ChangesBetween) -> [BarPart; 6] {
    let part = |class, name, count| BarPart { class, name, count };
    let classes = &step.classes;
    [
        part("kept-part", "identical", classes.identical),
        part("lexical", "slightly changed", classes.slightly_changed()),
        part("near", "changed", classes.changed),
        part("new", "new", classes.new),
        part("gone", "gone", classes.gone),
        part("identical", "moved", classes.moved),
    ]
}

/// The half-life with its interval.
fn half_life(half_life: &HalfLife) -> String {
    let number = |value: Option<f64>| value.map_or("∞".to_owned(), |value| format!("{value:.0}"));
    match half_life.value {
        None => "–".to_owned(),
        Some(value) => format!(
            "{value:.0} {} ({} to {})",
            half_life.unit,
            number(half_life.low),
            number(half_life.high)
        ),
    }
}

fn steps(changes: &ChangeCounts) -> Markup {
    let first = changes.between.len().saturating_sub(STEPS);
    let shown = &changes.between[first..];
    let rows = html! {
        @for step in shown {
            @let parts = parts(step);
            tr {
                td { (short(&step.new_snapshot)) }
                td.bar { (stacked(&format!("URLs of {} by what became of them", short(&step.new_snapshot)), &parts)) }
                @for part in &parts { (count_cell(part.count)) }
                td.number { (half_life(&step.half_life)) }
            }
        }
    };
    let heads = html! {
        (head("Snapshot")) (head("URLs"))
        @for part in shown.first().map(parts).iter().flatten() {
            th.number scope="col" { i class=(part.class) {} (part.name) }
        }
        (head("#Half-life"))
    };
    html! {
        p {
            @let all = &changes.half_life;
            @if all.value.is_some() {
                "Half of the content of a page is gone after " strong { (half_life(all)) } " (95 % interval), over all snapshots."
            } @else if all.pages > 0 {
                "Nothing was lost of the content of pages that a snapshot and the next one have."
            } @else {
                "No page with content to compare is in a snapshot and in the next one, so there is no half-life."
            }
        }
        h2 { "From snapshot to snapshot" }
        (table_with("From snapshot to snapshot", &heads, &rows))
    }
}

fn hosts(last: &ChangesBetween) -> Markup {
    let rows = html! {
        @for host in &last.hosts {
            tr {
                td.url { (short(&host.host)) }
                (count_cell(host.urls))
                (count_cell(host.classes.changed))
                (count_cell(host.classes.gone + host.classes.moved))
                (count_cell(host.classes.new))
                td.number { (half_life(&host.half_life)) }
            }
        }
    };
    let heads = "Host|#URLs|#Changed|#Gone or moved|#New|#Half-life";
    html! {
        h2 { "Half-life by host, in the newest snapshot" }
        (table("Half-life by host", heads, &rows))
    }
}

fn moved(site: &Site, medium: Medium) -> Markup {
    let rows = html! {
        @for page in &site.moved.rows {
            tr {
                td { (short(&page.new_snapshot)) }
                td { (document(medium, page.old_doc_id, &page.old_url)) }
                td { (document(medium, page.new_doc_id, &page.new_url)) }
                td.number { (format!("{:.2}", page.resemblance)) }
            }
        }
    };
    let heads = "Snapshot|Lost page|Where its content went|#Resemblance";
    let (shown, all) = (site.moved.rows.len() as u64, site.moved.count);
    html! {
        h2 { "Lost pages, and where they went" }
        @if all == 0 { p { "No page moved." } } @else {
            @if shown < all { p { "The newest " (shown) " of " (counted(all, "page")) "." } }
            (table("Lost pages", heads, &rows))
        }
    }
}

fn events(site: &Site) -> Markup {
    let rows = html! {
        @for (publication, events) in site.events.iter().rev().take(STEPS) {
            tr {
                td.number { (publication) }
                td { (short(&events.snapshot)) }
                @for count in events.counts { (count_cell(count)) }
            }
        }
    };
    let heads = format!(
        "#Publication|Snapshot|#{}",
        crate::web::site::EVENTS.join("|#")
    );
    html! {
        h2 { "Clusters from publication to publication" }
        @if site.events.is_empty() { p { "No cluster was born, grew, merged, split or died since the first publication." } }
        @else { (table("Clusters from publication to publication", &heads, &rows)) }
    }
}
