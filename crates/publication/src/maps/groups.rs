//! Members, classes and passages → documents by cluster and by representative, passages by source.

use crate::PHASE;
use crate::memory;
use engine::{Engine, Error, PhaseName};
use format::{
    FileKind, GroupRecord, IndexFile, MemberRecord, QuoteRecord, RecordReader, RecordWriter, Sealed,
};
use model::{Class, Record, WordRecord};
use sort::Stream;

/// Writes the documents of each cluster of two or more.
pub(super) fn cluster_documents(
    engine: &Engine<'_>,
    writer: RecordWriter<GroupRecord>,
) -> Result<Sealed, Error> {
    let members =
        engine.reader::<MemberRecord>(PhaseName::Cluster, "members", FileKind::Members)?;
    let record = |member: MemberRecord| {
        let (group, doc) = (member.cluster, member.doc);
        Some(GroupRecord { group, doc })
    };
    grouped(engine, IndexFile::ClusterDocuments, members, record, writer)
}

/// Writes the documents that another one stands for.
pub(super) fn class_documents(
    engine: &Engine<'_>,
    writer: RecordWriter<GroupRecord>,
) -> Result<Sealed, Error> {
    let classes = engine.reader::<Class>(PhaseName::Distinct, "classes", FileKind::Classes)?;
    let record = |class: Class| {
        let (group, doc) = (class.representative(), class.doc);
        (group != doc).then_some(GroupRecord { group, doc })
    };
    grouped(engine, IndexFile::ClassDocuments, classes, record, writer)
}

/// Writes what documents quote, by the place where it stands first.
pub(super) fn quotes(
    engine: &Engine<'_>,
    mut writer: RecordWriter<QuoteRecord>,
) -> Result<Sealed, Error> {
    let mut quotes =
        engine.reader::<QuoteRecord>(PhaseName::Passages, "quotes", FileKind::Quotes)?;
    while let Some(quote) = quotes.next()? {
        writer.push(&quote)?;
    }
    writer.finish().map_err(Error::from)
}

/// Sorts what `record` makes of the records.
fn grouped<R: Record, G: Record + WordRecord>(
    engine: &Engine<'_>,
    file: IndexFile,
    records: RecordReader<R>,
    record: impl Fn(R) -> Option<G>,
    mut writer: RecordWriter<G>,
) -> Result<Sealed, Error> {
    let memory = engine.budget.take(memory::GROUPS);
    let scratch = engine.scratch(PHASE)?;
    let sorter = scratch.by_document(file.name(), memory.bytes());
    let mut sorted = records
        .filter_map(record)
        .sort_by(sorter, |record| record)?;
    while let Some(record) = sorted.next()? {
        writer.push(&record)?;
    }
    writer.finish().map_err(Error::from)
}
