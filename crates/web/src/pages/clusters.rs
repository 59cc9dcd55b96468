//! The list of clusters.

use super::overview::clusters_table;
use crate::page::Medium;
use crate::site::Site;
use crate::top_clusters::Order;
use maud::{Markup, html};
use output::thousands;

/// Clusters on one page.
const ROWS: usize = 50;

/// What is asked of the list.
#[derive(Clone, Copy, Debug, Default, serde::Deserialize)]
pub(crate) struct ClustersRequest {
    /// The order.
    #[serde(default)]
    pub(crate) sort: Order,
    /// The page, from 1.
    #[serde(default)]
    pub(crate) page: usize,
}

/// The page without its frame.
pub(crate) fn clusters(site: &Site, request: ClustersRequest) -> Markup {
    let listed = site.clusters.by(request.sort);
    let pages = listed.len().div_ceil(ROWS).max(1);
    let page = request.page.clamp(1, pages);
    let rows = &listed[(page - 1) * ROWS..listed.len().min(page * ROWS)];
    let orders = [
        (Order::Documents, "documents", "largest first"),
        (Order::WeakestLink, "weakest-link", "weakest link first"),
    ];
    let name = orders.iter().find(|order| order.0 == request.sort);
    let name = name.map_or("documents", |order| order.1);
    html! {
        p {
            (thousands(site.clusters.count)) " clusters"
            @if site.clusters.count > listed.len() as u64 { ", of which the first " (thousands(listed.len() as u64)) " are listed" }
            ". A cluster holds documents that are copies of one another; one of them is kept."
        }
        p {
            "Order: "
            @for (at, (order, value, text)) in orders.iter().enumerate() {
                @if at > 0 { ", " }
                @if *order == request.sort { strong { (text) } } @else { a href={ "/clusters?sort=" (value) } { (text) } }
            }
        }
        (clusters_table(site, Medium::Server, rows))
        nav.pager aria-label="Pages" {
            @if page > 1 { a href={ "/clusters?sort=" (name) "&page=" (page - 1) } rel="prev" { "← Page " (page - 1) } }
            span { "Page " (page) " of " (pages) }
            @if page < pages { a href={ "/clusters?sort=" (name) "&page=" (page + 1) } rel="next" { "Page " (page + 1) " →" } }
        }
    }
}
