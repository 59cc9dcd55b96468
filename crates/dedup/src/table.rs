//! `removed.parquet`: every removed document, the one kept in its favour, and the evidence.
//!
//! *Input.* Removals; document rows for the URLs. *Output.* The table, in document order.
//! *Algorithm.* The URL of a kept document lies anywhere: so as many removals as fit are taken at a
//! time, and the rows read once for all of them. *Memory.* A quarter of the budget.

use super::candidate::NONE;
use super::removal::{NOT_COUNTED, RemovalFile, RemovalRecord, is_equal, overlap};
use super::target::Target;
use super::task::Task;
use engine::segments::PublicIds;
use format::AtomicFile;
use model::{Equality, Estimate};
use output::{KeptInFavour, ParquetTable, REMOVED, RemovedRow};
use publication::urls::Urls;
use runtime::{Error, parameters};

/// Bytes of a removal and of two documents looked for, without their URLs.
const FATE_BYTES: usize = 96;
/// The fewest removals taken at a time.
const BATCH_MIN: usize = 256;

/// Writes the table.
pub(super) fn write(task: &Task<'_>, removals: &RemovalFile, target: &Target) -> Result<(), Error> {
    let engine = task.engine;
    let file = AtomicFile::create(target.disk(), &target.removed_table())?;
    let metadata = [(
        "pipeline.parameters".to_owned(),
        parameters::semantic(engine.config),
    )];
    let mut table = ParquetTable::new(REMOVED.schema(), &metadata, file)?;
    let memory = engine.budget.reserve_share(1, 4);
    let ids = engine.public_ids();
    let mut most = (memory.bytes() / FATE_BYTES / 2).max(BATCH_MIN);
    let mut reader = removals.read(task)?;
    let mut next = 0;
    while next < removals.removed {
        reader.seek(next)?;
        let mut batch: Vec<RemovalRecord> = Vec::new();
        while batch.len() < most
            && let Some(removal) = reader.next()?
        {
            batch.push(removal);
        }
        let docs = batch
            .iter()
            .flat_map(|removal| [removal.0[0], removal.0[1]])
            .filter(|&doc| doc != NONE)
            .collect();
        let few = batch.len() <= BATCH_MIN;
        let room = memory.bytes().saturating_sub(batch.len() * FATE_BYTES);
        let Some(urls) = Urls::of(
            &engine.segments()?,
            docs,
            if few { usize::MAX } else { room },
        )?
        else {
            most = (batch.len() / 2).max(BATCH_MIN);
            continue;
        };
        next += batch.len() as u64;
        for removal in &batch {
            table.write(&row(removal, &urls, &ids))?;
        }
    }
    let rows = table.rows();
    table.finish()?.commit(rows)?;
    Ok(())
}

fn row<'a>(removal: &RemovalRecord, urls: &'a Urls, ids: &PublicIds) -> RemovedRow<'a> {
    let [doc, kept, relation, .., links] = removal.0;
    let overlap = overlap(removal);
    let figures = |estimate: Estimate| match is_equal(removal) {
        true => [1.0; 3],
        false => [
            estimate.ratio.to_f64(),
            estimate.interval.low,
            estimate.interval.high,
        ],
    };
    let kept = (kept != NONE).then(|| KeptInFavour {
        doc_id: ids.get(kept),
        url: urls.find(kept),
        class: Equality::ALL
            .get(relation as usize)
            .map_or("similar", |class| class.name()),
        estimates: [
            figures(overlap.resemblance()),
            figures(overlap.containment_a_in_b()),
            figures(overlap.containment_b_in_a()),
        ],
        links: (links != NOT_COUNTED).then(|| i32::try_from(links).unwrap_or(i32::MAX)),
    });
    RemovedRow {
        doc_id: ids.get(doc),
        url: urls.find(doc),
        kept,
    }
}
