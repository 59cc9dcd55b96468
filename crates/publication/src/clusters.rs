//! `clusters.parquet`: one row a cluster, with sums over its documents.
//!
//! *Input.* Members and document rows, in document order; clusters. *Output.* The table, in order
//! of clusters. *Algorithm.* The clusters are sorted by their kept document. A pass over members
//! and rows feeds two sorts by cluster: one of the sizes and hosts of documents, one of the names
//! of kept documents. *Memory.* Half the budget, for these sorts. *Disk.* 32 bytes a document of a
//! cluster, and the texts, if they do not fit.

use crate::hosts::HostKeys;
use crate::memory;
use crate::publish::{Publication, end_table};
use crate::removals::task::RemovalTask;
use crate::removals::texts::{SortedTexts, TextSorter};
use crate::removed::task;
use engine::{Engine, Error, PhaseName, segments::SegmentFile};
use format::{ClusterRecord, FileKind, MemberRecord, Sealed};
use model::{Equality, Leading, Ratio, keyed, word_record};
use output::{CLUSTERS, ClusterRow, ClusterSize};
use sort::{Lookup, SortedWords, Stream};
use std::cmp::Reverse;

/// Clusters shown in the report.
const LARGEST: usize = 10;

/// Bytes of the longest id or URL that the report shows.
const SHOWN_BYTES: usize = 4096;

/// A document of a cluster, by cluster and host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct ClusterDocument {
    cluster: u32,
    /// The key of its host; 0 if it has none.
    host: u128,
    /// 1 if the document goes and has a body of its own.
    saves: u8,
    bytes: u64,
}

word_record! { ClusterDocument { cluster, host, saves, bytes } }
keyed! { ClusterDocument: u32 = |document| document.cluster }

/// The document that a cluster keeps, the best of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct KeptDocument {
    doc: u32,
    cluster: u32,
}

word_record! { KeptDocument { doc, cluster } }
keyed! { KeptDocument: u32 = |kept| kept.doc }

/// The documents of all clusters.
struct ClusterDocuments {
    documents: Lookup<SortedWords<ClusterDocument>>,
    /// By cluster: id, URL and title of its kept document, the best of several.
    kept: SortedTexts<3>,
}

/// Sums over the documents of a cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct ClusterRowSums {
    hosts: u64,
    bytes: u64,
    bytes_saved: u64,
}

impl ClusterRowSums {
    /// Adds a document; those of one host come one after the other, after those without a host.
    fn add(&mut self, document: &ClusterDocument, last_host: &mut u128) {
        self.bytes = self.bytes.saturating_add(document.bytes);
        if document.saves == 1 {
            self.bytes_saved = self.bytes_saved.saturating_add(document.bytes);
        }
        if document.host != *last_host {
            self.hosts += 1;
            *last_host = document.host;
        }
    }
}

impl ClusterDocuments {
    fn read(task: &RemovalTask<'_>) -> Result<ClusterDocuments, Error> {
        let engine = task.engine;
        let mut documents = task.by_document::<ClusterDocument>("of-clusters");
        let mut kept = TextSorter::new(task.by_document("kept-of-clusters"));
        let mut kept_documents = kept_documents(task)?;
        let mut rows = engine.segments()?.rows(SegmentFile::Documents);
        let mut hosts = HostKeys::of(engine);
        let mut revisited = engine.segments()?.revisited();
        let mut members =
            engine.reader::<MemberRecord>(PhaseName::Cluster, "members", FileKind::Members)?;
        while let Some(member) = members.next()? {
            let MemberRecord { doc, cluster, .. } = member;
            let Some(row) = rows.document(doc)? else {
                return Err(Error::Usage(format!(
                    "failed to describe document {doc} of a cluster: it has no row; run again"
                )));
            };
            documents.push(ClusterDocument {
                cluster,
                host: hosts.key(row.url),
                saves: u8::from(!member.stays() && !revisited.has(doc)?),
                bytes: row.bytes,
            })?;
            if kept_documents.of(doc)?.is_some() {
                kept.push([cluster], [row.id, row.url, row.title])?;
            }
        }
        Ok(ClusterDocuments {
            documents: Lookup::over(documents.finish()?)?,
            kept: kept.finish()?,
        })
    }

    /// The sums of a cluster; in ascending order.
    fn sums(&mut self, cluster: u32) -> Result<ClusterRowSums, Error> {
        let (mut sums, mut host) = (ClusterRowSums::default(), 0);
        while let Some(document) = self.documents.next_of(cluster)? {
            sums.add(&document, &mut host);
        }
        Ok(sums)
    }
}

/// The kept documents of all clusters, one of each, by the document.
fn kept_documents(task: &RemovalTask<'_>) -> Result<Lookup<SortedWords<KeptDocument>>, Error> {
    let kept = task.by_document::<KeptDocument>("kept-documents");
    let clusters =
        task.engine
            .reader::<ClusterRecord>(PhaseName::Cluster, "clusters", FileKind::Clusters)?;
    let kept = clusters.sort_by(kept, |record| KeptDocument {
        doc: record.kept,
        cluster: record.cluster,
    })?;
    Ok(Lookup::over(kept)?)
}

/// A cluster as the report shows it.
fn cluster_size(row: &ClusterRow<'_>) -> ClusterSize {
    let shown = |text: Option<&str>| {
        let text = text.filter(|text| text.len() <= SHOWN_BYTES);
        text.map(str::to_owned)
    };
    ClusterSize {
        cluster_id: row.cluster_id,
        documents: row.documents.unsigned_abs(),
        kept_id: shown(row.kept_id),
        kept_url: shown(row.kept_url),
        title: shown(row.title),
    }
}

/// Writes the clusters; also gives the largest ones.
pub fn clusters(
    engine: &Engine<'_>,
    publication: &Publication,
) -> Result<(Sealed, Vec<ClusterSize>), Error> {
    let memory = engine.budget.take(memory::CLUSTERS);
    let mut of_clusters = ClusterDocuments::read(&task(engine, memory.part_bytes())?)?;
    let mut reader =
        engine.reader::<ClusterRecord>(PhaseName::Cluster, "clusters", FileKind::Clusters)?;
    let rows = reader.records();
    let mut table = publication.table("clusters.parquet", CLUSTERS.schema(), rows)?;
    let mut largest = Leading::of(LARGEST);
    let ids = engine.public_ids();
    while let Some(record) = reader.next()? {
        let weakest = Ratio::new(
            u64::from(record.weakest_shared),
            u64::from(record.weakest_union),
        );
        let ClusterRowSums {
            hosts,
            bytes,
            bytes_saved,
        } = of_clusters.sums(record.cluster)?;
        let [kept_id, kept_url, title] = of_clusters.kept.of(record.cluster)?;
        let row = ClusterRow {
            cluster_id: ids.get(record.cluster),
            documents: i64::from(record.documents),
            kept: i64::from(record.keeps),
            representatives: i64::from(record.distinct),
            kind: Equality::name_of_relation(record.kind.into()),
            min_resemblance: (record.weakest_union > 0).then(|| weakest.to_f64()),
            hosts,
            bytes,
            bytes_saved,
            kept_doc_id: ids.get(record.kept),
            kept_id,
            kept_url,
            title,
        };
        let key = (Reverse(row.documents), row.cluster_id);
        largest.offer(key, || cluster_size(&row));
        table.write(&row)?;
    }
    Ok((end_table(table)?, largest.sorted()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_count_once_and_documents_without_one_do_not() {
        let mut sums = ClusterRowSums::default();
        let mut last = 0;
        for (host, saves, bytes) in [(0, 1, 5), (3, 0, 1 << 32), (3, 1, 2), (1 << 96 | 3, 1, 1)] {
            let document = ClusterDocument {
                cluster: 7,
                host,
                saves,
                bytes,
            };
            sums.add(&document, &mut last);
        }
        let expected = ClusterRowSums {
            hosts: 2,
            bytes: (1 << 32) + 8,
            bytes_saved: 8,
        };
        assert_eq!(sums, expected);
    }
}
