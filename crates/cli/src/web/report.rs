//! `pipeline report`: the publication as one file that can be mailed and printed.

use crate::web::page::{Medium, file, table_with};
use crate::web::pages::compare::{compared, differences, headline};
use crate::web::pages::overview::{clusters_table, overview};
use crate::web::pages::passages::first_passages;
use crate::web::pages::sites::sites;
use crate::web::pages::threshold::threshold;
use crate::web::pages::time::time;
use crate::web::pages::{cluster, overview as overview_page};
use crate::web::site::Site;
use crate::web::top_clusters::ClusterOrder;
use lab::Evaluation;
use maud::{Markup, PreEscaped, html};
use output::{counted, thousands};
use pipeline::Error;
use pipeline::config::Config;
use pipeline::query::by_cluster;

/// The sections after the overview.
const SECTIONS: [&str; 4] = ["Clusters", "Threshold", "Sites", "Time"];

/// The section that a run with passages has.
const PASSAGES: &str = "Passages";

/// Clusters that are shown with their members.
const SHOWN: usize = 50;

/// Members of each.
const MEMBERS: usize = 20;

/// Differences between the kept document and another one.
const DIFFERENCES: usize = 10;

/// Bytes of all of them; the other parts are short. A reader of mail takes a file of 5 MB.
const BYTES: usize = 4 << 20;

/// The report as HTML, with `evaluation` at its end. Pages that can no longer be read from the
/// input are shown without their differences.
pub(crate) fn report(config: &Config, evaluation: Option<&Evaluation>) -> Result<String, Error> {
    let site = Site::open(config)?;
    let largest = site.clusters.by(ClusterOrder::Documents);
    let largest = &largest[..largest.len().min(SHOWN)];
    let (mut shown, mut bytes) = (Vec::new(), 0);
    for cluster in largest {
        let one = one_cluster(&site, cluster.cluster_id)?.into_string();
        bytes += one.len();
        if bytes > BYTES {
            break;
        }
        shown.push(PreEscaped(one));
    }
    let largest = &largest[..shown.len()];
    let section = |name: &str| html! { h1 id=(name.to_lowercase()) { (name) } };
    let further = site.passages.as_ref().map(|_| PASSAGES);
    let sections = SECTIONS.into_iter().chain(further);
    let content = html! {
        nav aria-label="Sections" {
            @for name in sections { a href={ "#" (name.to_lowercase()) } { (name) } }
        }
        (overview(&site, Medium::File))
        (section("Clusters"))
        p { "The largest " (shown.len()) " of " (counted(site.clusters.count, "cluster")) "." }
        (clusters_table(&site, Medium::File, "Clusters", largest))
        @for one in &shown { (one) }
        (section("Threshold"))
        (threshold(&site, Medium::File))
        (section("Sites"))
        (sites(&site))
        (section("Time"))
        (time(&site, Medium::File))
        @if let Some(lists) = &site.passages { (section(PASSAGES)) (first_passages(&site, lists)?) }
        @if let Some(evaluation) = evaluation { (added(evaluation)) }
    };
    Ok(file("Near-duplicates", &content).into_string())
}

/// What the methods of `pipeline evaluate` find.
fn added(evaluation: &Evaluation) -> Markup {
    html! {
        h1 { (evaluation.title) }
        p { (evaluation.setting) }
        @for picture in evaluation.pictures() { (PreEscaped(picture)) }
        @for one in &evaluation.tables {
            h2 { (one.title) }
            @let heads = html! { @for name in &one.columns { th scope="col" { (name) } } };
            @let rows = html! { @for row in &one.rows { tr { @for cell in row { td { (cell.to_string()) } } } } };
            (table_with(&one.title, &heads, &rows))
        }
    }
}

/// A cluster with its first members, and what differs between two of them.
fn one_cluster(site: &Site, cluster_id: i64) -> Result<Markup, Error> {
    let answer = by_cluster(&site.index(), cluster_id, MEMBERS)?;
    let view = &answer.cluster;
    let other = answer
        .members
        .iter()
        .find(|member| member.class == "similar" && !member.keep);
    let explanation = other.and_then(|other| {
        let explanation = compared(site, other.kept_doc_id, other.doc_id, DIFFERENCES).ok()?;
        Some((other.doc_id, explanation))
    });
    Ok(html! {
        h2 id={ "cluster-" (cluster_id) } {
            "Cluster " (cluster_id) ": " (counted(view.documents, "document"))
            @if let Some(by) = view.kind { ", alike by " (overview_page::kind(by)) }
        }
        @if let Some(explained) = cluster::explained(site, view)? { (cluster::tree(&explained)) }
        (cluster::members(Medium::File, view, &answer.members))
        @let more = view.documents.saturating_sub(answer.members.len() as u64);
        @if more > 0 { p { "… and " (thousands(more)) " more." } }
        @if let Some((doc_id, explanation)) = &explanation {
            p { strong { "The kept document and document " (doc_id) ": " } (headline(explanation)) }
            (differences(&explanation.difference))
        }
    })
}
