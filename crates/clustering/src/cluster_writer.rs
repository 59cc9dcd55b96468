//! Writes the file of clusters and counts them.

use crate::incremental::NamedCounts;
use crate::link_policy::PHASE;
use cluster::{Cluster, WeakestLink};
use format::{ClusterRecord, RecordWriter, Sealed};
use runtime::Error;

/// Writes clusters and counts them.
pub(super) struct ClusterWriter {
    writer: RecordWriter<ClusterRecord>,
    /// Clusters, documents in them, clusters of identical documents only, documents in those,
    /// representatives, documents that go.
    counts: [u64; 6],
}

impl ClusterWriter {
    pub(super) fn new(writer: RecordWriter<ClusterRecord>) -> ClusterWriter {
        ClusterWriter {
            writer,
            counts: [0; 6],
        }
    }

    /// The next cluster, in order.
    pub(super) fn push(
        &mut self,
        cluster: &Cluster,
        weakest: Option<WeakestLink>,
    ) -> Result<(), Error> {
        let [weakest_shared, weakest_union] =
            weakest.map_or([0; 2], |link| [link.shared, link.union]);
        let documents = u64::from(cluster.documents);
        let identical = u64::from(cluster.kind == 0);
        let added = [
            1,
            documents,
            identical,
            identical * documents,
            u64::from(cluster.distinct),
            documents - u64::from(cluster.keeps),
        ];
        for (count, n) in self.counts.iter_mut().zip(added) {
            *count += n;
        }
        let Cluster {
            cluster,
            documents,
            distinct,
            kind,
            kept,
            keeps,
        } = *cluster;
        let record = ClusterRecord {
            cluster,
            documents,
            distinct,
            kind,
            weakest_shared,
            weakest_union,
            kept,
            keeps,
        };
        self.writer.push(&record).map_err(Error::work(PHASE))
    }

    pub(super) fn finish(self) -> Result<(Sealed, NamedCounts<6>), Error> {
        let ClusterWriter {
            writer,
            counts:
                [
                    total,
                    documents,
                    identical,
                    identical_documents,
                    distinct,
                    removed,
                ],
        } = self;
        let counts = [
            ("clusters", total),
            ("clustered_documents", documents),
            ("identical_clusters", identical),
            ("identical_cluster_documents", identical_documents),
            ("clustered_representatives", distinct),
            ("removed", removed),
        ];
        Ok((writer.finish().map_err(Error::work(PHASE))?, counts))
    }
}
