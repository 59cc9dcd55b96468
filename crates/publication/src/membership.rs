//! `membership.parquet`: one row a document, joined from six streams in document order.
//!
//! *Memory.* Sorts of half the budget, then four bytes a document for the sizes of clusters, on
//! disk if they do not fit.

use super::{PHASE, metadata};
use crate::publish::Publication;
use crate::removed::Removed;
use cluster::Cells;
use engine::cells::SpillableCells;
use engine::{DocumentSizes, SketchSizes};
use engine::{Engine, Output};
use format::{ClusterRecord, FileKind, LostRecord, MemberRecord, Sealed};
use model::{Class, Words};
use output::{MEMBERSHIP, MembershipRow, ParquetTable};
use runtime::{Error, PhaseName};
use sort::SortedWords;

/// Writes the table; also counts the documents of whose sketch more than half is common.
pub fn membership(
    engine: &Engine<'_>,
    publication: &Publication,
    removed: &Removed<'_>,
) -> Result<(Sealed, u64), Error> {
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
    let mut represented = represented_losses(engine)?;
    let mut next_loss = represented.next()?;
    let mut kept_documents = removed.kept_documents()?;
    let mut cluster_sizes = cluster_sizes(engine)?;
    let mut sketch_sizes = SketchSizes::open(engine)?;
    let mut more_than_half = 0;
    let ids = engine.public_ids();
    while let Some(DocumentSizes {
        doc,
        sizes,
        lost: own_loss,
    }) = sketch_sizes.next()?
    {
        let mut lost = own_loss;
        if let Some(Words([_, loss])) = next_loss.filter(|words| words.0[0] == doc) {
            // Its sketch is that of its representative, which lost this much of it.
            lost = loss;
            next_loss = represented.next()?;
        }
        let (_, left) = sizes.own_size();
        let size = u64::from(left) + u64::from(own_loss);
        more_than_half += u64::from(2 * u64::from(lost) > size);
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
        let (kept, resemblance) = kept_documents.of(doc)?;
        let row = MembershipRow {
            doc_id: ids.get(doc),
            same_as: same.map(|(_, lowest)| ids.get(lowest)),
            same_kind: same.map(|(kind, _)| kind.name()),
            cluster_id: ids.get(cluster),
            cluster_documents: match own {
                Some(_) => i64::from(cluster_sizes.get(cluster)?),
                None => 1,
            },
            keep: own.is_none_or(|member| member.keep != 0),
            kept_doc_id: ids.get(kept),
            resemblance,
            common_shingles: i32::try_from(lost).unwrap_or(i32::MAX),
        };
        table.write(&row)?;
    }
    let rows = table.rows();
    let sealed = table.finish()?.commit(rows)?;
    Ok((sealed, more_than_half))
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

/// ⟨document, common shingles⟩ of the documents that another one represents, in document order.
fn represented_losses(engine: &Engine<'_>) -> Result<SortedWords<Words<2>>, Error> {
    let memory = engine.budget.reserve_share(1, 2);
    let mut by_representative =
        engine.word_sorter::<Words<2>>(PHASE, "represented", memory.bytes() / 2);
    let mut classes = engine.reader::<Class>(PhaseName::Distinct, "classes", FileKind::Classes)?;
    while let Some(class) = classes.next()? {
        if class.representative() != class.doc {
            by_representative.push(Words([class.representative(), class.doc]))?;
        }
    }
    let mut by_representative = by_representative.finish()?;
    let mut losses = Losses::open(engine)?;
    let mut by_document = engine.word_sorter::<Words<2>>(PHASE, "losses", memory.bytes() / 2);
    while let Some(Words([representative, doc])) = by_representative.next()? {
        let lost = losses.of(representative)?;
        if lost > 0 {
            by_document.push(Words([doc, lost]))?;
        }
    }
    by_document.finish().map_err(Error::from)
}

/// Losses looked up in ascending order of documents.
struct Losses {
    reader: Output<LostRecord>,
    next: Option<LostRecord>,
    last: (u32, u32),
}

impl Losses {
    fn open(engine: &Engine<'_>) -> Result<Losses, Error> {
        let mut reader = engine.reader::<LostRecord>(PhaseName::Pairs, "lost", FileKind::Lost)?;
        Ok(Losses {
            next: reader.next()?,
            reader,
            last: (u32::MAX, 0),
        })
    }

    fn of(&mut self, doc: u32) -> Result<u32, Error> {
        if self.last.0 == doc {
            return Ok(self.last.1);
        }
        let mut total = 0_u32;
        while let Some(lost) = self.next.filter(|lost| lost.doc <= doc) {
            if lost.doc == doc {
                total = total.saturating_add(lost.count);
            }
            self.next = self.reader.next()?;
        }
        self.last = (doc, total);
        Ok(total)
    }
}
