//! The clusters that lead a list: found in one pass over the table of clusters.

use crate::web::table;
use model::Leading;
use output::BatchRow;
use pipeline::Error;
use std::cmp::Reverse;
use std::path::Path;
use std::sync::Arc;

/// Clusters kept for each order.
pub(crate) const KEPT: usize = 5_000;

/// Bytes of a longer name of a kept document are not held: the query index has it.
const NAME_BYTES: usize = 1_000;

/// A row of the table of clusters.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ListedCluster {
    pub(crate) cluster_id: i64,
    pub(crate) documents: i64,
    pub(crate) kind: String,
    pub(crate) min_resemblance: Option<f64>,
    pub(crate) kept_doc_id: i64,
    /// The URL of the kept document, or its id in the input; held here so that a list of clusters
    /// needs no read from the disk.
    pub(crate) kept_name: Option<Box<str>>,
    pub(crate) hosts: i64,
    pub(crate) bytes_saved: i64,
    pub(crate) title: Option<Box<str>>,
}

impl ListedCluster {
    /// The cluster of a row of [`COLUMNS`].
    fn of(row: &BatchRow<'_>) -> ListedCluster {
        let number = |at| row.int64(at).unwrap_or(0);
        let kept_name = row.text(8).or_else(|| row.text(9));
        ListedCluster {
            cluster_id: number(0),
            documents: number(1),
            kind: row.text(2).unwrap_or_default().to_owned(),
            min_resemblance: row.double(3),
            kept_doc_id: number(4),
            kept_name: kept_name
                .filter(|name| name.len() <= NAME_BYTES)
                .map(Box::from),
            hosts: number(5),
            bytes_saved: number(6),
            title: row.text(TITLE).map(Box::from),
        }
    }
}

/// Whether a title contains a text, which is in lower case.
fn has(title: Option<&str>, text: &str) -> bool {
    title.is_some_and(|title| title.to_lowercase().contains(text))
}

/// The place of a cluster in a list.
type ClusterKey = (Reverse<i64>, u64, i64);

/// The orders in which clusters are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ClusterOrder {
    /// The largest first.
    #[default]
    Documents,
    /// Clusters whose copies take most bytes first.
    BytesSaved,
    /// Clusters on most hosts first.
    Hosts,
    /// Clusters with the weakest link first.
    WeakestLink,
}

/// All orders.
pub(crate) const ORDERS: [ClusterOrder; 4] = [
    ClusterOrder::Documents,
    ClusterOrder::BytesSaved,
    ClusterOrder::Hosts,
    ClusterOrder::WeakestLink,
];

impl ClusterOrder {
    /// The place of a cluster: the first has the lowest.
    fn key(self, cluster: &ListedCluster) -> ClusterKey {
        let largest = match self {
            ClusterOrder::Documents => cluster.documents,
            ClusterOrder::BytesSaved => cluster.bytes_saved,
            ClusterOrder::Hosts => cluster.hosts,
            ClusterOrder::WeakestLink => {
                let weakest = cluster.min_resemblance.unwrap_or(1.0);
                return (Reverse(0), weakest.to_bits(), cluster.cluster_id);
            }
        };
        (Reverse(largest), 0, cluster.cluster_id)
    }

    /// Its name in an address, as serde reads it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            ClusterOrder::Documents => "documents",
            ClusterOrder::BytesSaved => "bytes-saved",
            ClusterOrder::Hosts => "hosts",
            ClusterOrder::WeakestLink => "weakest-link",
        }
    }
}

/// The first clusters by each order.
#[derive(Debug, Default)]
pub(crate) struct TopClusters {
    /// Clusters in all.
    pub(crate) count: u64,
    /// In the order of [`ORDERS`].
    lists: [Vec<Arc<ListedCluster>>; ORDERS.len()],
}

type LeadingClusters = Leading<ClusterKey, Arc<ListedCluster>>;

const COLUMNS: [&str; 10] = [
    "cluster_id",
    "documents",
    "kind",
    "min_resemblance",
    "kept_doc_id",
    "hosts",
    "bytes_saved",
    "title",
    "kept_url",
    "kept_id",
];

/// The place of the title among them.
const TITLE: usize = 7;

impl TopClusters {
    /// Reads the table once.
    pub(crate) fn read(path: &Path) -> Result<TopClusters, Error> {
        let (mut count, mut leading) = (0, ORDERS.map(|_| Leading::of(KEPT)));
        each_cluster(path, |row| {
            count += 1;
            add(&mut leading, ListedCluster::of(row));
        })?;
        let lists = leading.map(Leading::sorted);
        Ok(TopClusters { count, lists })
    }

    /// The clusters by this order, the first of all.
    pub(crate) fn by(&self, order: ClusterOrder) -> &[Arc<ListedCluster>] {
        &self.lists[order as usize]
    }

    /// The listed clusters whose title contains this text, whatever its case; the largest first.
    pub(crate) fn titled(&self, text: &str, limit: usize) -> Vec<Arc<ListedCluster>> {
        let text = text.to_lowercase();
        let listed = self.lists.iter().flatten();
        let mut found: Vec<Arc<ListedCluster>> = listed
            .filter(|one| has(one.title.as_deref(), &text))
            .cloned()
            .collect();
        found.sort_unstable_by_key(|cluster| ClusterOrder::Documents.key(cluster));
        found.dedup_by_key(|cluster| cluster.cluster_id);
        found.truncate(limit);
        found
    }

    /// Whether there are clusters that no list has.
    pub(crate) fn is_cut(&self) -> bool {
        self.count > KEPT as u64
    }
}

/// Adds a cluster to the list of each order.
fn add(leading: &mut [LeadingClusters; ORDERS.len()], cluster: ListedCluster) {
    let cluster = Arc::new(cluster);
    for (list, order) in leading.iter_mut().zip(ORDERS) {
        list.offer(order.key(&cluster), || Arc::clone(&cluster));
    }
}

/// As [`TopClusters::titled`], of all clusters of the table: it is read once more.
pub(crate) fn titled_in_table(
    path: &Path,
    text: &str,
    limit: usize,
) -> Result<Vec<Arc<ListedCluster>>, Error> {
    let text = text.to_lowercase();
    let mut found: LeadingClusters = Leading::of(limit);
    each_cluster(path, |row| {
        if has(row.text(TITLE), &text) {
            let cluster = ListedCluster::of(row);
            found.offer(ClusterOrder::Documents.key(&cluster), || Arc::new(cluster));
        }
    })?;
    Ok(found.sorted())
}

/// Hands on all rows of the table of clusters, batch by batch.
fn each_cluster(path: &Path, mut take: impl FnMut(&BatchRow<'_>)) -> Result<(), Error> {
    table::rows(path, &COLUMNS, &mut take)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_many_are_kept_in_order() {
        let mut leading = ORDERS.map(|_| Leading::of(KEPT));
        for id in 0..30_000 {
            let cluster = ListedCluster {
                cluster_id: id,
                documents: 2 + id * 7_919 % 30_011,
                kind: "similar".to_owned(),
                min_resemblance: (id % 3 > 0).then(|| 0.5 + (id % 1000) as f64 / 2000.0),
                kept_doc_id: id,
                kept_name: None,
                hosts: id % 7,
                bytes_saved: id * 31 % 30_011,
                title: Some(format!("Page {id}").into()),
            };
            add(&mut leading, cluster);
        }
        let (count, lists) = (30_000, leading.map(Leading::sorted));
        let top = TopClusters { count, lists };
        let largest = top.by(ClusterOrder::Documents);
        assert_eq!(largest.len(), KEPT);
        assert!(
            largest
                .windows(2)
                .all(|pair| pair[0].documents >= pair[1].documents)
        );
        assert_eq!(largest[0].documents, 30_012);
        let weakest = top.by(ClusterOrder::WeakestLink);
        assert_eq!(weakest[0].min_resemblance, Some(0.5));
        assert!(
            weakest
                .windows(2)
                .all(|pair| pair[0].min_resemblance <= pair[1].min_resemblance)
        );
        let most_hosts = top.by(ClusterOrder::Hosts);
        assert_eq!(
            (most_hosts[0].cluster_id, most_hosts[1].cluster_id),
            (6, 13)
        );
        let most_saved = top.by(ClusterOrder::BytesSaved);
        assert!(
            most_saved
                .windows(2)
                .all(|pair| pair[0].bytes_saved >= pair[1].bytes_saved)
        );
        let smallest = largest.last().map(|cluster| cluster.documents);
        let sizes = (0..30_000).map(|id| 2 + id * 7_919 % 30_011);
        let larger = sizes.filter(|size| Some(*size) > smallest).count();
        assert_eq!(larger, KEPT - 1, "none is missing");
        let titled = top.titled("pAGE 13", 2);
        assert_eq!(titled.len(), 2);
        assert!(titled[0].documents >= titled[1].documents);
    }
}
