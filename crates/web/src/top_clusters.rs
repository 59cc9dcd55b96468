//! The clusters that lead a list: found in one pass over the table of clusters.

use output::{Cell, Selection, TableReader};
use pipeline::Error;
use std::cmp::Reverse;
use std::path::Path;

/// Clusters kept for each order.
pub(crate) const KEPT: usize = 5_000;

/// A row of the table of clusters.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Cluster {
    pub(crate) cluster_id: i64,
    pub(crate) documents: i64,
    pub(crate) kind: String,
    pub(crate) min_resemblance: Option<f64>,
    pub(crate) kept_doc_id: i64,
}

/// The orders in which clusters are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Order {
    /// The largest first.
    #[default]
    Documents,
    /// Those with the weakest link first.
    WeakestLink,
}

impl Order {
    /// The place of a cluster: the first has the lowest.
    fn key(self, cluster: &Cluster) -> (Reverse<i64>, u64, i64) {
        match self {
            Order::Documents => (Reverse(cluster.documents), 0, cluster.cluster_id),
            Order::WeakestLink => {
                let weakest = cluster.min_resemblance.unwrap_or(1.0);
                (Reverse(0), weakest.to_bits(), cluster.cluster_id)
            }
        }
    }
}

/// The first clusters by each order.
#[derive(Debug, Default)]
pub(crate) struct TopClusters {
    /// Clusters in all.
    pub(crate) count: u64,
    by_documents: Vec<Cluster>,
    by_weakest_link: Vec<Cluster>,
}

const COLUMNS: [&str; 5] = [
    "cluster_id",
    "documents",
    "kind",
    "min_resemblance",
    "kept_doc_id",
];

impl TopClusters {
    /// Reads the table once.
    pub(crate) fn read(path: &Path) -> Result<TopClusters, Error> {
        let failed = |error: output::OutputError| {
            Error::Usage(format!("failed to read {}: {error}", path.display()))
        };
        let mut table = TableReader::open(path, Selection::Named(&COLUMNS)).map_err(failed)?;
        let mut top = TopClusters {
            count: table.rows(),
            ..TopClusters::default()
        };
        while let Some(batch) = table.next_batch().map_err(failed)? {
            for row in batch.iter() {
                let number = |at| match row.cell(at) {
                    Cell::Int64(number) => number,
                    _ => 0,
                };
                top.add(Cluster {
                    cluster_id: number(0),
                    documents: number(1),
                    kind: match row.cell(2) {
                        Cell::Utf8(kind) => kind.to_owned(),
                        _ => String::new(),
                    },
                    min_resemblance: match row.cell(3) {
                        Cell::Double(resemblance) => Some(resemblance),
                        _ => None,
                    },
                    kept_doc_id: number(4),
                });
            }
        }
        top.cut(1);
        Ok(top)
    }

    /// The clusters by this order, the first of all.
    pub(crate) fn by(&self, order: Order) -> &[Cluster] {
        match order {
            Order::Documents => &self.by_documents,
            Order::WeakestLink => &self.by_weakest_link,
        }
    }

    fn add(&mut self, cluster: Cluster) {
        self.by_documents.push(cluster.clone());
        self.by_weakest_link.push(cluster);
        self.cut(2);
    }

    /// Leaves the first ones, if there are `factor` times as many as are kept.
    fn cut(&mut self, factor: usize) {
        for (order, list) in [
            (Order::Documents, &mut self.by_documents),
            (Order::WeakestLink, &mut self.by_weakest_link),
        ] {
            if list.len() >= factor * KEPT || factor == 1 {
                list.sort_unstable_by_key(|cluster| order.key(cluster));
                list.truncate(KEPT);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_many_are_kept_in_order() {
        let mut top = TopClusters::default();
        for id in 0..30_000 {
            top.add(Cluster {
                cluster_id: id,
                documents: 2 + id * 7_919 % 30_011,
                kind: "similar".to_owned(),
                min_resemblance: (id % 3 > 0).then(|| 0.5 + (id % 1000) as f64 / 2000.0),
                kept_doc_id: id,
            });
        }
        top.cut(1);
        let largest = top.by(Order::Documents);
        assert_eq!(largest.len(), KEPT);
        assert!(
            largest
                .windows(2)
                .all(|pair| pair[0].documents >= pair[1].documents)
        );
        assert_eq!(largest[0].documents, 30_012);
        let weakest = top.by(Order::WeakestLink);
        assert_eq!(weakest[0].min_resemblance, Some(0.5));
        assert!(
            weakest
                .windows(2)
                .all(|pair| pair[0].min_resemblance <= pair[1].min_resemblance)
        );
    }
}
