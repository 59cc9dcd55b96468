//! One cluster: its members beside the kept ones, and the links that hold it together.

use super::overview::kind;
use crate::web::chart::{GraphLink, graph, interval};
use crate::web::dendrogram::{Link, dendrogram};
use crate::web::page::{Medium, cluster as link_to_cluster, document, short, table};
use crate::web::safety::clean;
use crate::web::site::Site;
use maud::{Markup, html};
use output::{counted, thousands};
use pipeline::query::{self, ClusterView, MemberView, by_cluster};
use pipeline::{ClusterExplanation, Error, config_options};
use std::borrow::Cow;
use std::ffi::OsStr;

/// Members that are listed.
const MEMBERS: usize = 200;

/// Larger clusters have no graph: nobody could read it.
const GRAPH_MEMBERS: u64 = 60;

/// Links that a graph or a list shows.
const LINKS: usize = 2_000;

/// The page without its frame.
pub(crate) fn cluster(site: &Site, cluster_id: i64) -> Result<Markup, Error> {
    let answer = by_cluster(&site.index(), cluster_id, MEMBERS)?;
    let view = &answer.cluster;
    let explained = explained(site, view)?;
    Ok(html! {
        (facts(site, view))
        @if let Some(explained) = &explained { (links(&answer.members, explained)) (tree(explained)) }
        h2 { "Documents" }
        (members(Medium::Server, view, &answer.members))
        @if (1..view.documents).contains(&(answer.members.len() as u64)) {
            p { "The first " (answer.members.len()) " of " (thousands(view.documents)) " documents are listed." }
        }
    })
}

/// The fate of a cluster that is gone.
pub(crate) fn gone(site: &Site, cluster_id: i64) -> Result<Markup, Error> {
    let Some(gone) = query::gone(&site.index(), cluster_id, MEMBERS)? else {
        return cluster(site, cluster_id);
    };
    let more = |all: u64, shown: usize| {
        let left = all.saturating_sub(shown as u64);
        html! { @if left > 0 { li { "… and " (thousands(left)) " more" } } }
    };
    Ok(html! {
        p {
            "Gone since publication " (gone.publication) " (" (short(&gone.snapshot)) "). It had "
            (thousands(gone.documents.unsigned_abs())) " documents:"
        }
        ul {
            @for event in &gone.events {
                li {
                    (event.event) ": " (thousands(event.documents.unsigned_abs())) " of them went to "
                    @match event.new_cluster_id.filter(|_| event.event != "shrunk") {
                        Some(id) => {
                            (link_to_cluster(Medium::Server, id)) ", which then had "
                            (thousands(event.documents_after.unsigned_abs())) " documents"
                        }
                        None => "no cluster",
                    }
                }
            }
            (more(gone.events_total, gone.events.len()))
        }
        h2 { "What came of it" }
        @if gone.now.is_empty() { p { "No present cluster." } } @else {
            ul {
                @for now in &gone.now {
                    li { (link_to_cluster(Medium::Server, now.cluster_id)) ", " (thousands(now.documents)) " documents" }
                }
                (more(gone.now_total, gone.now.len()))
            }
        }
    })
}

/// The links of a cluster that is small enough to be drawn.
pub(crate) fn explained(
    site: &Site,
    view: &ClusterView,
) -> Result<Option<ClusterExplanation>, Error> {
    if view.kind != Some("similar") || view.documents > GRAPH_MEMBERS {
        return Ok(None);
    }
    let name = view.cluster_id.to_string();
    pipeline::explain_cluster(&site.config, Some(&site.index()), OsStr::new(&name), LINKS).map(Some)
}

/// At which threshold the cluster falls apart, as a tree.
pub(crate) fn tree(explained: &ClusterExplanation) -> Markup {
    let links = explained.weakest.iter();
    let links: Vec<Link> = links
        .map(|link| (link.resemblance, [link.a, link.b]))
        .collect();
    html! {
        h3 { "Where it falls apart" }
        p { "Documents and the resemblance at which links join them, and at a higher threshold do not. (All clusters: " code { "pipeline tune --tree" (clean(config_options())) } ".)" }
        (dendrogram(&links))
    }
}

fn facts(site: &Site, view: &ClusterView) -> Markup {
    html! {
        dl.facts {
            dt { "Documents" } dd { (thousands(view.documents)) }
            dt { "Different ones" } dd { (thousands(view.distinct)) }
            @if let Some(by) = view.kind { dt { "Alike by" } dd { (kind(by)) } }
            @if let Some(weakest) = view.min_resemblance { dt { "Weakest link" } dd { (format!("{weakest:.4}")) } }
            dt { "Kept" } dd { (document(Medium::Server, view.kept_doc_id, &site.name_of(view.kept_doc_id)))
                @if view.kept > 1 { ", and " (counted(view.kept - 1, "other")) }
            }
        }
    }
}

/// Members of a cluster as rows, each beside the one kept in its favour.
pub(crate) fn members(medium: Medium, view: &ClusterView, members: &[MemberView]) -> Markup {
    let rows = html! {
        @for member in members {
            tr {
                td {
                    @if member.keep { span.mark { "kept" } " " }
                    @let name = member.url.as_deref().or(member.id.as_deref());
                    @let other = || Cow::Owned(format!("document {}", member.doc_id));
                    (document(medium, member.doc_id, &name.map_or_else(other, Cow::Borrowed)))
                }
                td { @if member.keep { "–" } @else { (kind(member.class)) @if !member.linked { " (by a chain)" } } }
                td data-value=(member.resemblance) {
                    (interval(member.resemblance, member.low, member.high)) " "
                    (format!("{:.3}", member.resemblance))
                    @if member.high > member.low { span.soft { (format!(" {:.3} to {:.3}", member.low, member.high)) } }
                }
                @if medium == Medium::Server {
                    td { @if !member.keep { a href={ "/compare/" (member.kept_doc_id) "/" (member.doc_id) } { "compare" span.hidden { " document " (member.doc_id) " with the kept one" } } } }
                }
            }
        }
    };
    let mut heads = "Document|Relation to the kept one|Resemblance, 95 % interval".to_owned();
    if medium == Medium::Server {
        heads += "|Differences";
    }
    table(
        &format!("Documents of cluster {}", view.cluster_id),
        &heads,
        &rows,
    )
}

/// The links as a graph and as figures.
fn links(members: &[MemberView], explained: &ClusterExplanation) -> Markup {
    let mut ids: Vec<i64> = explained
        .weakest
        .iter()
        .flat_map(|link| [link.a, link.b])
        .collect();
    ids.sort_unstable();
    ids.dedup();
    let at = |id: i64| ids.binary_search(&id).unwrap_or(0);
    let drawn: Vec<GraphLink> = explained
        .weakest
        .iter()
        .map(|link| GraphLink {
            ends: (at(link.a), at(link.b)),
            resemblance: link.resemblance,
            is_bridge: explained.bridges.contains(link),
        })
        .collect();
    let names: Vec<String> = ids.iter().map(i64::to_string).collect();
    let kept = members.iter().filter(|member| member.keep);
    let kept = kept.filter_map(|member| ids.binary_search(&member.doc_id).ok());
    let kept: Vec<usize> = kept.collect();
    html! {
        h2 { "Links" }
        p {
            (counted(explained.links as u64, "link"))
            @if explained.bridges_in_all > 0 { "; bridges, drawn dashed: " (explained.bridges_in_all) ". Without one of these the cluster splits. " }
            @else { ". No link is a bridge: without any one of them, the cluster stays whole. " }
            "With " code { "linkage = \"star\"" } ", " (counted(explained.star_keeps as u64, "document")) " would stay and " (explained.star_removes) " would go."
        }
        (graph(&names, &kept, &drawn))
    }
}
