//! `removed.parquet`: what went, in favour of what, and what is known of the two.
//!
//! *Input.* Fates; document rows for the URLs. *Output.* The table, in document order. *Algorithm.* The URL of a kept
//! document lies anywhere: so as many fates as fit are taken at a time, and the rows read once for all of them. *Memory.* A
//! quarter of the budget.

use super::Task;
use super::choose::NONE;
use super::decide::Fates;
use super::evidence::{Fate, NOT_COUNTED, is_equal, overlap};
use super::target::Target;
use crate::phases::index::table_error;
use crate::segments::{PublicIds, SegmentFile};
use crate::{Error, PhaseName, parameters};
use format::AtomicFile;
use model::{Equality, Estimate};
use output::{KeptInFavour, ParquetTable, REMOVED, RemovedRow};

/// Bytes of a fate and of two documents looked for, without their URLs.
const FATE_BYTES: usize = 96;
/// The fewest fates taken at a time.
const BATCH_MIN: usize = 256;

/// Writes the table.
pub(super) fn write(task: &Task<'_>, fates: &Fates, target: &Target) -> Result<(), Error> {
    let (engine, failed) = (task.engine, table_error(PhaseName::Cluster));
    let outside = |e| Error::from_format(None, e);
    let file = AtomicFile::create(target.disk(), &target.removed_table()).map_err(outside)?;
    let metadata = [("pipeline.parameters".to_owned(), parameters::semantic(engine.config))];
    let mut table = ParquetTable::new(REMOVED.schema(), &metadata, file).map_err(failed)?;
    let memory = engine.budget.reserve_share(1, 4);
    let ids = engine.public_ids();
    let mut most = (memory.bytes() / FATE_BYTES / 2).max(BATCH_MIN);
    let mut reader = fates.read(task)?;
    let mut next = 0;
    while next < fates.removed {
        reader.seek(next).map_err(outside)?;
        let mut batch: Vec<Fate> = Vec::new();
        while batch.len() < most
            && let Some(fate) = reader.next().map_err(outside)?
        {
            batch.push(fate);
        }
        let Some(urls) = Urls::of(task, &batch, memory.bytes())? else {
            most = (batch.len() / 2).max(BATCH_MIN);
            continue;
        };
        next += batch.len() as u64;
        for fate in &batch {
            table.write(&row(fate, &urls, &ids)).map_err(failed)?;
        }
    }
    let rows = table.rows();
    table.finish().map_err(failed)?.commit(rows).map_err(outside)?;
    Ok(())
}

fn row<'a>(fate: &Fate, urls: &'a Urls, ids: &PublicIds) -> RemovedRow<'a> {
    let [doc, kept, relation, .., links] = fate.0;
    let overlap = overlap(fate);
    let figures = |estimate: Estimate| match is_equal(fate) {
        true => [1.0; 3],
        false => [estimate.ratio.to_f64(), estimate.interval.low, estimate.interval.high],
    };
    let kept = (kept != NONE).then(|| KeptInFavour {
        doc_id: ids.get(kept),
        url: urls.find(kept),
        class: Equality::ALL.get(relation as usize).map_or("similar", |class| class.name()),
        estimates: [
            figures(overlap.resemblance()),
            figures(overlap.containment_a_in_b()),
            figures(overlap.containment_b_in_a()),
        ],
        links: (links != NOT_COUNTED).then(|| i32::try_from(links).unwrap_or(i32::MAX)),
    });
    RemovedRow { doc_id: ids.get(doc), url: urls.find(doc), kept }
}

/// The URLs of some documents.
struct Urls {
    docs: Vec<u32>,
    urls: Vec<Option<Box<str>>>,
}

impl Urls {
    /// Those of both documents of each fate; `None` if they take more than so many bytes and there are few fewer to take.
    fn of(task: &Task<'_>, batch: &[Fate], most_bytes: usize) -> Result<Option<Urls>, Error> {
        let mut docs: Vec<u32> =
            batch.iter().flat_map(|fate| [fate.0[0], fate.0[1]]).filter(|&doc| doc != NONE).collect();
        docs.sort_unstable();
        docs.dedup();
        let mut rows = task.engine.segments()?.rows(SegmentFile::Documents);
        let mut urls: Vec<Option<Box<str>>> = Vec::with_capacity(docs.len());
        let mut bytes = batch.len() * FATE_BYTES;
        while urls.len() < docs.len() {
            let Some((doc, row)) = rows.next_document()? else { break };
            if doc != docs[urls.len()] {
                continue;
            }
            bytes += row.url.map_or(0, str::len);
            if bytes > most_bytes && batch.len() > BATCH_MIN {
                return Ok(None);
            }
            urls.push(row.url.map(Box::from));
        }
        Ok(Some(Urls { docs, urls }))
    }

    fn find(&self, doc: u32) -> Option<&str> {
        let at = self.docs.binary_search(&doc).ok()?;
        self.urls.get(at)?.as_deref()
    }
}
