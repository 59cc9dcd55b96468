//! Members and classes → documents by cluster and by representative.

use super::index_files::IndexFiles;
use crate::PHASE;
use engine::{Error, PhaseName};
use format::{FileKind, GroupRecord, IndexFile, MemberRecord, RecordReader, Sealed};
use model::{Class, Record};
use sort::{Prefixes, Stream};

/// Writes the documents of each cluster of two or more.
pub(super) fn cluster_documents(maps: &IndexFiles<'_>) -> Result<Sealed, Error> {
    let members =
        maps.engine
            .reader::<MemberRecord>(PhaseName::Cluster, "members", FileKind::Members)?;
    grouped(maps, IndexFile::ClusterDocuments, members, |member| {
        Some((member.cluster, member.doc))
    })
}

/// Writes the documents that another one stands for.
pub(super) fn class_documents(maps: &IndexFiles<'_>) -> Result<Sealed, Error> {
    let classes = maps
        .engine
        .reader::<Class>(PhaseName::Distinct, "classes", FileKind::Classes)?;
    grouped(maps, IndexFile::ClassDocuments, classes, |class| {
        let representative = class.representative();
        (representative != class.doc).then_some((representative, class.doc))
    })
}

/// Sorts the documents by the group that `group_of` gives with them.
fn grouped<R: Record>(
    maps: &IndexFiles<'_>,
    file: IndexFile,
    records: RecordReader<R>,
    group_of: impl Fn(R) -> Option<(u32, u32)>,
) -> Result<Sealed, Error> {
    let memory = maps.engine.budget.reserve_share(7, 8);
    let documents = Prefixes::documents(maps.engine.segments()?.documents());
    let sorter = maps
        .engine
        .word_sorter::<GroupRecord>(PHASE, file.name(), memory.bytes());
    let mut sorted =
        records
            .filter_map(group_of)
            .sort_by(sorter.expecting(documents), |(group, doc)| GroupRecord {
                group,
                doc,
            })?;
    let mut writer = maps.writer::<GroupRecord>(file)?;
    while let Some(record) = sorted.next()? {
        writer.push(&record)?;
    }
    writer.finish().map_err(Error::from)
}
