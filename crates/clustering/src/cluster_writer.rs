//! Writes the file of clusters and counts them.

use crate::partition::Cluster;
use engine::{Error, figures::ClusterSums};
use format::{ClusterRecord, RecordWriter, Sealed};

/// Writes clusters and counts them.
pub(super) struct ClusterWriter {
    writer: RecordWriter<ClusterRecord>,
    sums: ClusterSums,
}

impl ClusterWriter {
    pub(super) fn new(writer: RecordWriter<ClusterRecord>) -> ClusterWriter {
        ClusterWriter {
            writer,
            sums: ClusterSums::default(),
        }
    }

    /// The next cluster, in order.
    pub(super) fn push(&mut self, cluster: &Cluster) -> Result<(), Error> {
        let [weakest_shared, weakest_union] = cluster
            .weakest
            .map_or([0; 2], |link| [link.shared, link.union]);
        let documents = u64::from(cluster.documents);
        let identical = u64::from(cluster.kind == 0);
        self.sums.clusters += 1;
        self.sums.documents += documents;
        self.sums.identical_clusters += identical;
        self.sums.identical_documents += identical * documents;
        self.sums.representatives += u64::from(cluster.distinct);
        self.sums.removed += documents - u64::from(cluster.keeps);
        let Cluster {
            cluster,
            documents,
            distinct,
            kind,
            kept,
            keeps,
            ..
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
        self.writer.push(&record).map_err(Error::from)
    }

    pub(super) fn finish(self) -> Result<(Sealed, ClusterSums), Error> {
        let sealed = self.writer.finish()?;
        Ok((sealed, self.sums))
    }
}
