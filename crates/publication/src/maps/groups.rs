//! Members and classes → documents by cluster and by representative.

use super::index_files::IndexFiles;
use crate::PHASE;
use format::IndexFile;
use format::{FileKind, GroupRecord, MemberRecord, Sealed};
use model::Class;
use runtime::{Error, PhaseName};
use sort::Prefixes;

/// Writes the documents of each cluster of two or more.
pub(super) fn cluster_documents(maps: &IndexFiles<'_>) -> Result<Sealed, Error> {
    let mut members =
        maps.engine
            .reader::<MemberRecord>(PhaseName::Cluster, "members", FileKind::Members)?;
    grouped(maps, IndexFile::ClusterDocuments, || {
        Ok(members.next()?.map(|member| GroupRecord {
            group: member.cluster,
            doc: member.doc,
        }))
    })
}

/// Writes the documents that another one stands for.
pub(super) fn class_documents(maps: &IndexFiles<'_>) -> Result<Sealed, Error> {
    let mut classes =
        maps.engine
            .reader::<Class>(PhaseName::Distinct, "classes", FileKind::Classes)?;
    grouped(maps, IndexFile::ClassDocuments, || {
        while let Some(class) = classes.next()? {
            if class.representative() != class.doc {
                return Ok(Some(GroupRecord {
                    group: class.representative(),
                    doc: class.doc,
                }));
            }
        }
        Ok(None)
    })
}

fn grouped(
    maps: &IndexFiles<'_>,
    file: IndexFile,
    mut next: impl FnMut() -> Result<Option<GroupRecord>, Error>,
) -> Result<Sealed, Error> {
    let memory = maps.engine.budget.reserve_share(7, 8);
    let documents = Prefixes::documents(maps.engine.segments()?.documents());
    let sorter = maps
        .engine
        .word_sorter::<GroupRecord>(PHASE, file.name(), memory.bytes());
    let mut sorter = sorter.expecting(documents);
    while let Some(record) = next()? {
        sorter.push(record)?;
    }
    let mut sorted = sorter.finish()?;
    let mut writer = maps.writer::<GroupRecord>(file)?;
    while let Some(record) = sorted.next()? {
        writer.push(&record)?;
    }
    writer.finish().map_err(Error::from)
}
