//! The list of clusters.

use super::overview::clusters_table;
use crate::web::page::{Medium, pager};
use crate::web::site::Site;
use crate::web::top_clusters::{ClusterOrder, ORDERS};
use maud::{Markup, html};
use output::{counted, thousands};

/// Clusters on one page.
const ROWS: usize = 50;

/// The request to the list.
#[derive(Clone, Copy, Debug, Default, serde::Deserialize)]
pub(crate) struct ClustersRequest {
    /// The order.
    #[serde(default)]
    pub(crate) sort: ClusterOrder,
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
    let name = request.sort.name();
    let words = |order| match order {
        ClusterOrder::Documents => "largest first",
        ClusterOrder::BytesSaved => "most bytes saved first",
        ClusterOrder::Hosts => "most hosts first",
        ClusterOrder::WeakestLink => "weakest link first",
    };
    html! {
        p {
            (counted(site.clusters.count, "cluster"))
            @if site.clusters.count > listed.len() as u64 { ", of which the first " (thousands(listed.len() as u64)) " are listed" }
            ". A cluster holds documents that are copies of one another; one of them is kept."
        }
        p {
            "Order: "
            @for (at, order) in ORDERS.into_iter().enumerate() {
                @if at > 0 { ", " }
                @if order == request.sort { strong { (words(order)) } } @else { a href={ "/clusters?sort=" (order.name()) } { (words(order)) } }
            }
        }
        (clusters_table(site, Medium::Server, "Clusters", rows))
        (pager(&format!("/clusters?sort={name}&page="), page, pages))
    }
}
