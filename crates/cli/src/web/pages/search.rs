//! The search field: a doc_id, an id or a URL leads to a document, words of a title to clusters.

use super::overview::clusters_table;
use crate::web::page::{Medium, PageAnswer, View, document, page};
use crate::web::site::Site;
use crate::web::top_clusters::{KEPT, titled_in_table};
use maud::{Markup, html};
use output::{shell_word, thousands};
use pipeline::Error;
use pipeline::query::find;

/// The names that are looked for.
#[derive(Clone, Debug, Default, serde::Deserialize)]
pub(crate) struct SearchRequest {
    #[serde(default)]
    pub(crate) q: String,
    /// The titles of all clusters, which takes a pass over their table.
    #[serde(default)]
    pub(crate) all: bool,
}

/// URLs that are proposed.
const NEAR: usize = 20;

/// Leads to the document, or proposes URLs like the one that was asked for.
pub(crate) fn search(site: &Site, request: &SearchRequest) -> Result<PageAnswer, Error> {
    let (asked, index) = (request.q.trim(), site.index());
    if let Some(doc) = find(&index, asked)? {
        let address = format!("/document/{}", index.public_id(doc));
        return Ok(PageAnswer::Redirect(address));
    }
    let near = index.near_urls(asked, NEAR).unwrap_or_default();
    let titled = if request.all {
        titled_in_table(&site.clusters_table(), asked, NEAR)?
    } else {
        site.clusters.titled(asked, NEAR)
    };
    let content = html! {
        p { "There is no document with this URL or id." }
        @if !titled.is_empty() {
            h2 { "Clusters with such a title" }
            (clusters_table(site, Medium::Server, "Clusters", &titled))
        }
        @if request.all && titled.is_empty() { p { "No cluster has such a title." } }
        @if site.clusters.is_cut() && !request.all { (all_titles(site, asked)) }
        @if !near.is_empty() {
            h2 { "URLs like it" }
            ul { @for (doc, url) in &near { li { (document(Medium::Server, index.public_id(*doc), url)) } } }
        }
    };
    let command = format!("pipeline query url {}", shell_word(asked));
    let page = page(View::Other, "Not found", &command, &content);
    Ok(PageAnswer::Page(page))
}

/// Says which titles were searched, and offers the others.
fn all_titles(site: &Site, asked: &str) -> Markup {
    html! {
        form.all action="/search" {
            p {
                "Titles were looked for among the first " (thousands(KEPT as u64)) " clusters of each order. "
                input type="hidden" name="q" value=(asked);
                input type="hidden" name="all" value="true";
                button { "Search the titles of all " (thousands(site.clusters.count)) " clusters" }
                " This reads a table: some seconds for millions of clusters."
            }
        }
    }
}
