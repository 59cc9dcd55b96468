//! The search field: a doc_id or a URL leads to a document.

use super::overview::clusters_table;
use crate::page::{Answer, Medium, View, document, page};
use crate::site::Site;
use maud::html;
use pipeline::Error;
use pipeline::query::by_url;

/// What is looked for.
#[derive(Clone, Debug, Default, serde::Deserialize)]
pub(crate) struct SearchRequest {
    #[serde(default)]
    pub(crate) q: String,
}

/// URLs that are proposed.
const NEAR: usize = 20;

/// Leads to the document, or proposes URLs like the one that was asked for.
pub(crate) fn search(site: &Site, request: &SearchRequest) -> Result<Answer, Error> {
    let asked = request.q.trim();
    let id = asked.parse::<i64>().ok();
    if let Some(id) = id.filter(|&id| site.index.doc_of(id).is_some()) {
        return Ok(Answer::Redirect(format!("/document/{id}")));
    }
    match by_url(&site.index, asked, 0) {
        Ok(found) => Ok(Answer::Redirect(format!(
            "/document/{}",
            found.document.doc_id
        ))),
        Err(Error::NotFound(_)) => {
            let near = site.index.near_urls(asked, NEAR).unwrap_or_default();
            let near = near
                .into_iter()
                .map(|(doc, url)| (site.index.public_id(doc), url));
            let near: Vec<(i64, String)> = near.collect();
            let titled = site.clusters.titled(asked, NEAR);
            let content = html! {
                p { "There is no document with this URL or id." }
                @if !titled.is_empty() {
                    h2 { "Clusters with such a title" }
                    (clusters_table(site, Medium::Server, "Clusters", &titled))
                }
                @if !near.is_empty() {
                    h2 { "URLs like it" }
                    ul { @for (doc_id, url) in &near { li { (document(Medium::Server, *doc_id, url)) } } }
                }
            };
            let command = format!("pipeline query url {asked}");
            Ok(Answer::Page(page(
                View::Other,
                "Not found",
                &command,
                &content,
            )))
        }
        Err(error) => Err(error),
    }
}
