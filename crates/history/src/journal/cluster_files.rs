//! The clusters of one publication, read for a comparison.

use engine::Engine;
use format::{ClusterRecord, Disk, FileKind, MemberRecord, PublicIds, RecordReader, Sealed};
use runtime::{Error, PhaseName};
use std::path::PathBuf;

/// The clusters of a publication, in files of records.
pub(super) struct ClusterFiles {
    pub(super) disk: Disk,
    pub(super) members: (PathBuf, Sealed),
    pub(super) clusters: (PathBuf, Sealed),
    pub(super) ids: PublicIds,
}

impl ClusterFiles {
    /// The clusters of this run.
    pub(super) fn of_run(engine: &Engine<'_>) -> Result<ClusterFiles, Error> {
        let dir = engine.dir(PhaseName::Cluster);
        let file = |name| Ok::<_, Error>((dir.clone(), engine.sealed(PhaseName::Cluster, name)?));
        let (members, clusters) = (file("members")?, file("clusters")?);
        Ok(ClusterFiles {
            disk: engine.disk.clone(),
            members,
            clusters,
            ids: engine.public_ids(),
        })
    }

    pub(super) fn members(&self) -> Result<RecordReader<MemberRecord>, Error> {
        let (dir, sealed) = &self.members;
        RecordReader::open_sealed(&self.disk, dir, sealed, FileKind::Members).map_err(Error::from)
    }

    pub(super) fn sizes(&self) -> Result<ClusterSizes<'_>, Error> {
        let (dir, sealed) = &self.clusters;
        let reader = RecordReader::open_sealed(&self.disk, dir, sealed, FileKind::Clusters);
        ClusterSizes::open(reader?, &self.ids)
    }
}

/// The number of documents of clusters, looked up in ascending order.
pub(super) struct ClusterSizes<'a> {
    reader: RecordReader<ClusterRecord>,
    next: Option<ClusterRecord>,
    pub(super) ids: &'a PublicIds,
}

impl<'a> ClusterSizes<'a> {
    pub(super) fn open(
        mut reader: RecordReader<ClusterRecord>,
        ids: &'a PublicIds,
    ) -> Result<ClusterSizes<'a>, Error> {
        let next = reader.next()?;
        Ok(ClusterSizes { reader, next, ids })
    }

    /// The documents of a cluster; 0 if there is no such cluster.
    pub(super) fn of(&mut self, cluster: u32) -> Result<u32, Error> {
        while self.next.is_some_and(|next| next.cluster < cluster) {
            self.next = self.reader.next()?;
        }
        Ok(self
            .next
            .filter(|next| next.cluster == cluster)
            .map_or(0, |next| next.documents))
    }

    /// ⟨number, documents⟩ of the cluster with a public id, if there is one.
    pub(super) fn of_id(&mut self, id: i64) -> Result<Option<(u32, u32)>, Error> {
        let Some(cluster) = self.ids.find(id) else {
            return Ok(None);
        };
        Ok(Some((cluster, self.of(cluster)?)).filter(|(_, documents)| *documents > 0))
    }
}
