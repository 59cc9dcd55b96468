//! `membership.parquet`: one row a document, joined from four streams in document order.
//!
//! *Memory.* Four bytes a document for the sizes of clusters, on disk if they do not fit.

use super::{PHASE, metadata};
use crate::publish::Publication;
use crate::removed::Removed;
use cluster::Cells;
use engine::Engine;
use engine::cells::SpillableCells;
use format::{ClusterRecord, FileKind, MemberRecord, Sealed};
use model::Class;
use output::{MEMBERSHIP, MembershipRow, ParquetTable};
use runtime::{Error, PhaseName};

/// Writes the table.
pub fn membership(
    engine: &Engine<'_>,
    publication: &Publication,
    removed: &Removed<'_>,
) -> Result<Sealed, Error> {
    let table = ParquetTable::new(
        MEMBERSHIP.schema(),
        &metadata(engine),
        publication.file("membership.parquet")?,
    );
    let mut table = table?.expecting(u64::from(engine.segments()?.documents()));
    let mut classes = engine.reader::<Class>(PhaseName::Distinct, "classes", FileKind::Classes)?;
    let mut members =
        engine.reader::<MemberRecord>(PhaseName::Cluster, "members", FileKind::Members)?;
    let (mut class, mut member) = (classes.next()?, members.next()?);
    let mut resemblances = removed.resemblances()?;
    let mut cluster_sizes = cluster_sizes(engine)?;
    let ids = engine.public_ids();
    for doc in 0..engine.segments()?.documents() {
        let same = class
            .filter(|class| class.doc == doc)
            .and_then(|class| class.same_as());
        if class.is_some_and(|class| class.doc == doc) {
            class = classes.next()?;
        }
        let own = member.filter(|member| member.doc == doc);
        if own.is_some() {
            member = members.next()?;
        }
        let cluster = own.map_or(doc, |member| member.cluster);
        let kept = own.map_or(doc, |member| member.kept);
        let row = MembershipRow {
            doc_id: ids.get(doc),
            same_as: same.map(|(_, lowest)| ids.get(lowest)),
            same_kind: same.map(|(kind, _)| kind.name()),
            cluster_id: ids.get(cluster),
            cluster_documents: match own {
                Some(_) => i64::from(cluster_sizes.get(cluster)?),
                None => 1,
            },
            keep: kept == doc,
            kept_doc_id: ids.get(kept),
            resemblance: resemblances.of(doc)?,
        };
        table.write(&row)?;
    }
    let rows = table.rows();
    Ok(table.finish()?.commit(rows)?)
}

/// The number of documents of each cluster, by the lowest document in it.
fn cluster_sizes(engine: &Engine<'_>) -> Result<SpillableCells, Error> {
    let path = engine.dir(PHASE).join("cluster-sizes.run-cells");
    let documents = engine.segments()?.documents() as usize;
    let mut cells = SpillableCells::create(&engine.disk, &path, documents, &engine.budget)?;
    let mut clusters =
        engine.reader::<ClusterRecord>(PhaseName::Cluster, "clusters", FileKind::Clusters)?;
    while let Some(cluster) = clusters.next()? {
        cells.set(cluster.cluster, cluster.documents)?;
    }
    Ok(cells)
}
