//! `removed.parquet`: every removed document, the one kept in its favour, and the evidence.
//!
//! *Input.* Removals; document rows for ids and URLs. *Output.* The table, in document order.
//! *Algorithm.* A sort of the removals by their kept document is merged with the document rows. Ids
//! and URLs found so are sorted back into the order of the removed documents, whose own rows a
//! second pass reads. *Memory.* Two sorts of a share.

use crate::removal::{NOT_COUNTED, RemovalFile, RemovalRecord, is_equal, kept, overlap};
use crate::task::Task;
use crate::texts::{SortedTexts, TextSorter};
use engine::segments::{PublicIds, SegmentFile, SegmentRows};
use format::{AtomicFile, DocumentRow, Sealed};
use model::{Equality, Estimate, Words};
use output::{KeptInFavour, ParquetTable, REMOVED, RemovedRow};
use runtime::table_error::table_error;
use runtime::{Error, PhaseName, parameters};

/// Writes the table. `take` gets each removed document with its class.
///
/// # Errors
/// When something cannot be read or written.
pub fn write(
    task: &Task<'_>,
    removals: &RemovalFile,
    phase: PhaseName,
    file: AtomicFile,
    mut take: impl FnMut(&'static str, u32, &DocumentRow<'_>) -> Result<(), Error>,
) -> Result<Sealed, Error> {
    let (engine, failed) = (task.engine, table_error(phase));
    let metadata = [(
        "pipeline.parameters".to_owned(),
        parameters::semantic(engine.config),
    )];
    let table = ParquetTable::new(REMOVED.schema(), &metadata, file).map_err(failed)?;
    let mut table = table.expecting(removals.removed);
    let mut kept_texts = kept_texts(task, removals)?;
    let ids = engine.public_ids();
    let mut rows = DocumentRows::open(task)?;
    let mut reader = removals.read(task)?;
    while let Some(removal) = reader.next()? {
        let doc = removal.0[0];
        let Some(row) = rows.of(doc)? else {
            return Err(Error::Usage(format!(
                "failed to describe removed document {doc}: it has no row; run again"
            )));
        };
        let class = class_name(&removal);
        let kept_texts = kept_texts.of(doc)?;
        let removed = removed_row(&removal, class, &row, kept_texts, &ids);
        table.write(&removed).map_err(failed)?;
        take(class, doc, &row)?;
    }
    let rows = table.rows();
    let sealed = table.finish().map_err(failed)?.commit(rows)?;
    Ok(sealed)
}

/// Document rows looked up in ascending order of documents.
struct DocumentRows(SegmentRows);

impl DocumentRows {
    fn open(task: &Task<'_>) -> Result<DocumentRows, Error> {
        let rows = task.engine.segments()?.rows(SegmentFile::Documents);
        Ok(DocumentRows(rows))
    }

    /// The row of a document, which is asked for once.
    fn of(&mut self, doc: u32) -> Result<Option<DocumentRow<'_>>, Error> {
        self.0.document(doc)
    }
}

/// Id and URL of the kept document, for each removed one.
fn kept_texts(task: &Task<'_>, removals: &RemovalFile) -> Result<SortedTexts<2>, Error> {
    let share = task.share_bytes;
    let mut by_kept = task.by_document::<Words<2>>("by-kept", share)?;
    let mut reader = removals.read(task)?;
    while let Some(removal) = reader.next()? {
        if let Some(kept) = kept(&removal) {
            by_kept.push(Words([kept, removal.0[0]]))?;
        }
    }
    let mut by_kept = by_kept.finish()?;
    let mut texts = TextSorter::new(task, "kept-texts", share)?;
    let mut rows = DocumentRows::open(task)?;
    let mut next = by_kept.next()?;
    let mut removed = Vec::new();
    while let Some(Words([kept, _])) = next {
        let row = rows.of(kept)?;
        let found = row.map_or([None; 2], |row| [row.id, row.url]);
        // A cluster may be large: its documents are handed on a block at a time.
        while let Some(Words([_, doc])) = next.filter(|next| next.0[0] == kept) {
            removed.push(doc);
            next = by_kept.next()?;
            if removed.len() == BLOCK_DOCUMENTS {
                texts.push(removed.drain(..), found)?;
            }
        }
        texts.push(removed.drain(..), found)?;
    }
    texts.finish()
}

/// Documents handed on together.
const BLOCK_DOCUMENTS: usize = 1024;

/// The strongest class that both documents are in, or `similar`.
fn class_name(removal: &RemovalRecord) -> &'static str {
    Equality::ALL
        .get(removal.0[2] as usize)
        .map_or("similar", |class| class.name())
}

fn removed_row<'a>(
    removal: &RemovalRecord,
    class: &'static str,
    row: &DocumentRow<'a>,
    [kept_id, kept_url]: [Option<&'a str>; 2],
    ids: &PublicIds,
) -> RemovedRow<'a> {
    let links = removal.0[7];
    let overlap = overlap(removal);
    let figures = |estimate: Estimate| match is_equal(removal) {
        true => Some([1.0; 3]),
        false => (estimate.ratio.denominator > 0).then(|| {
            [
                estimate.ratio.to_f64(),
                estimate.interval.low,
                estimate.interval.high,
            ]
        }),
    };
    let kept = kept(removal).map(|kept| KeptInFavour {
        doc_id: ids.get(kept),
        id: kept_id,
        url: kept_url,
        class,
        estimates: [
            figures(overlap.resemblance()),
            figures(overlap.containment_a_in_b()),
            figures(overlap.containment_b_in_a()),
        ],
        links: (links != NOT_COUNTED).then(|| i32::try_from(links).unwrap_or(i32::MAX)),
    });
    RemovedRow {
        doc_id: ids.get(removal.0[0]),
        id: row.id,
        url: row.url,
        bytes: i64::try_from(row.bytes).unwrap_or(i64::MAX),
        kept,
    }
}
