//! `removed.parquet`: every removed document, the one kept in its favour, and the evidence.
//!
//! *Input.* Removals; document rows for ids and URLs. *Output.* The table, in document order.
//! *Algorithm.* The document rows are read twice: for the kept documents ([`KeptTexts`]), then for
//! the removed ones. *Memory.* Two sorts of a share.

use super::kept_texts::KeptTexts;
use super::removal::{NOT_COUNTED, RemovalFile, RemovalRecord};
use super::task::RemovalTask;
use crate::publish::end_table;
use engine::{Error, segments::SegmentFile};
use format::{AtomicFile, DocumentRow, PublicIds, Sealed};
use model::{Equality, Estimate};
use output::{KeptInFavour, ParquetTable, RemovedRow};

/// Fills the table. `digits` says whether the words of a removed document differ from those of the
/// kept one in numbers only; `take` gets each removal with its row.
pub fn write(
    task: &RemovalTask<'_>,
    removals: &RemovalFile,
    mut table: ParquetTable<AtomicFile>,
    mut digits: impl FnMut(&RemovalRecord) -> Result<Option<bool>, Error>,
    mut take: impl FnMut(&RemovalRecord, &RemovedRow<'_>) -> Result<(), Error>,
) -> Result<Sealed, Error> {
    let engine = task.engine;
    let mut kept_texts = KeptTexts::of_all(task, removals, task.share_bytes)?;
    let ids = engine.public_ids();
    let mut rows = engine.segments()?.rows(SegmentFile::Documents);
    let mut reader = removals.read()?;
    while let Some(removal) = reader.next()? {
        let doc = removal.doc;
        let Some(row) = rows.document(doc)? else {
            return Err(Error::Usage(format!(
                "failed to describe removed document {doc}: it has no row; run again"
            )));
        };
        let removed = RemovedRow {
            differs_only_in_digits: digits(&removal)?,
            ..removed_row(&removal, &row, kept_texts.of(&removal)?, &ids)
        };
        table.write(&removed)?;
        take(&removal, &removed)?;
    }
    end_table(table)
}

fn removed_row<'a>(
    removal: &RemovalRecord,
    row: &DocumentRow<'a>,
    [kept_id, kept_url]: [Option<&'a str>; 2],
    ids: &PublicIds,
) -> RemovedRow<'a> {
    let links = removal.links;
    let overlap = removal.overlap();
    let figures = |estimate: Option<Estimate>| match removal.is_equal() {
        true => Some([1.0; 3]),
        false => estimate
            .filter(|estimate| estimate.ratio.denominator > 0)
            .map(|estimate| estimate.with_ends()),
    };
    let kept = removal.kept_document().map(|kept| KeptInFavour {
        doc_id: ids.get(kept),
        id: kept_id,
        url: kept_url,
        class: Equality::name_of_relation(removal.relation),
        estimates: [
            figures(Some(overlap.resemblance())),
            figures(overlap.containment_a_in_b()),
            figures(overlap.containment_b_in_a()),
        ],
        links: (links != NOT_COUNTED).then(|| i32::try_from(links).unwrap_or(i32::MAX)),
    });
    RemovedRow {
        doc_id: ids.get(removal.doc),
        id: row.id,
        url: row.url,
        bytes: i64::try_from(row.bytes).unwrap_or(i64::MAX),
        kept,
        differs_only_in_digits: None,
    }
}
