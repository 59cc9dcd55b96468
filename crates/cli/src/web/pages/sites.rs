//! Which hosts hold copies of which.

use crate::web::chart::heat_map;
use crate::web::page::{bytes_cell, count_cell, short, table};
use crate::web::site::{HostPairRow, Site};
use maud::{Markup, html};
use output::thousands;
use std::collections::BTreeMap;

/// Hosts in the heat map.
const HOSTS: usize = 20;

/// Pairs in the list.
const PAIRS: usize = 100;

/// The page without its frame.
pub(crate) fn sites(site: &Site) -> Markup {
    let pairs = &site.host_pairs;
    let hosts = hosts(pairs);
    let names: Vec<String> = hosts.iter().map(|host| short(host)).collect();
    let rows = html! {
        @for pair in pairs.iter().take(PAIRS) {
            tr {
                td.url { (short(&pair.host)) }
                td.url { (short(&pair.kept_host)) }
                (count_cell(pair.documents))
                (count_cell(pair.near))
                (bytes_cell(pair.bytes))
            }
        }
    };
    let heads = "Host of the copies|Host of the kept documents|#Copies|#Near-copies|#Bytes";
    html! {
        @if pairs.is_empty() {
            p { "No document with a host is a copy of another one." }
        } @else {
            p {
                "A row is a host of documents that can go, a column the host of the documents that are kept instead. The darker a square, \
                 the more near-copies."
            }
            (heat_map("Near-copies by the hosts of both documents", &names, &near_copies(pairs, &hosts)))
            ol { @for name in &names { li.url { (name) } } }
            h2 { "Pairs of hosts" }
            @if pairs.len() > PAIRS { p { "The first " (PAIRS) " of " (thousands(pairs.len() as u64)) " pairs." } }
            (table("Pairs of hosts", heads, &rows))
        }
    }
}

/// The hosts with most near-copies, theirs and those of their pages, most first.
fn hosts(pairs: &[HostPairRow]) -> Vec<&str> {
    let mut sums: BTreeMap<&str, u64> = BTreeMap::new();
    for pair in pairs.iter().filter(|pair| pair.near > 0) {
        *sums.entry(&pair.host).or_default() += pair.near;
        if pair.kept_host != pair.host {
            *sums.entry(&pair.kept_host).or_default() += pair.near;
        }
    }
    let mut hosts: Vec<(&str, u64)> = sums.into_iter().collect();
    hosts.sort_by_key(|(_, near)| std::cmp::Reverse(*near));
    hosts.truncate(HOSTS);
    hosts.into_iter().map(|(host, _)| host).collect()
}

/// Near-copies of each two of some hosts.
fn near_copies(pairs: &[HostPairRow], hosts: &[&str]) -> Vec<Vec<u64>> {
    let place = |host: &str| hosts.iter().position(|other| *other == host);
    let mut counts = vec![vec![0; hosts.len()]; hosts.len()];
    for pair in pairs {
        if let Some((row, column)) = place(&pair.host).zip(place(&pair.kept_host)) {
            counts[row][column] += pair.near;
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_map_has_the_hosts_with_most_near_copies() {
        let pair = |host: &str, kept_host: &str, near| HostPairRow {
            host: host.to_owned(),
            kept_host: kept_host.to_owned(),
            documents: near + 1,
            near,
            bytes: 1,
        };
        let pairs = [
            pair("a", "a", 3),
            pair("b", "a", 2),
            pair("c", "b", 4),
            pair("d", "d", 0),
        ];
        let hosts = hosts(&pairs);
        assert_eq!(hosts, ["b", "a", "c"]);
        assert_eq!(
            near_copies(&pairs, &hosts),
            [[0, 2, 0], [0, 3, 0], [4, 0, 0]]
        );
    }
}
