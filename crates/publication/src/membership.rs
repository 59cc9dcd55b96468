//! `membership.parquet`: one row a document, joined from four streams in document order.
//!
//! *Memory.* Four bytes a document for the sizes of clusters, and four for repeated words, on disk
//! if they do not fit.

use super::PHASE;
use crate::passages::RepeatedWords;
use crate::publish::{Publication, end_table};
use crate::removals::removal::RemovalFile;
use engine::{Engine, Error, PhaseName};
use format::{ClusterRecord, FileKind, MemberRecord, Sealed};
use model::Cells;
use model::Class;
use output::{MEMBERSHIP, MembershipRow};
use sort::Lookup;

/// Writes the table.
pub fn membership(
    engine: &Engine<'_>,
    publication: &Publication,
    removals: &RemovalFile,
) -> Result<Sealed, Error> {
    let scratch = engine.scratch(PHASE)?;
    let rows = u64::from(scratch.documents);
    let mut table = publication.table("membership.parquet", MEMBERSHIP.schema(), rows)?;
    let classes = engine.reader::<Class>(PhaseName::Distinct, "classes", FileKind::Classes)?;
    let members =
        engine.reader::<MemberRecord>(PhaseName::Cluster, "members", FileKind::Members)?;
    let (mut classes, mut members) = (Lookup::over(classes)?, Lookup::over(members)?);
    let mut removals = Lookup::over(removals.read()?)?;
    // The number of documents of each cluster, by the lowest document in it.
    let mut cluster_sizes = scratch.cells("cluster-sizes")?;
    let mut clusters =
        engine.reader::<ClusterRecord>(PhaseName::Cluster, "clusters", FileKind::Clusters)?;
    while let Some(cluster) = clusters.next()? {
        cluster_sizes.set(cluster.cluster, cluster.documents)?;
    }
    let mut repeated_words = RepeatedWords::find(engine)?;
    let ids = engine.public_ids();
    for doc in 0..scratch.documents {
        let class = classes.of(doc)?;
        let same = class.and_then(|class| class.same_as());
        let own = members.of(doc)?;
        let cluster = own.map_or(doc, |member| member.cluster);
        let kept = own.map_or(doc, |member| member.kept);
        let removal = removals.of(doc)?;
        table.write(&MembershipRow {
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
            resemblance: removal.map_or(Some(1.0), |removal| removal.resemblance()),
            repeated_words: match &mut repeated_words {
                Some(words) => words.of(doc, class.as_ref())?,
                None => None,
            },
        })?;
    }
    end_table(table)
}
