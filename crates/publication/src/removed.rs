//! `removed.parquet`: every document that goes when duplicates are removed, beside the one that is
//! kept instead.
//!
//! *Input.* The files of phase `cluster` and of those before. *Output.* The table, and the removals
//! as records for `membership.parquet`. *Algorithm.* Module `removals` pairs and counts. *Memory.*
//! Half the budget, for sorts. *Disk.* 32 bytes a removed document, until the table is written.

use super::PHASE;
use crate::host_pairs::HostPairs;
use crate::memory;
use crate::publish::Publication;
use crate::removals::candidate::{Members, from_clusters};
use crate::removals::evidence;
use crate::removals::removal::{NOT_COUNTED, REMOVALS, RemovalFile, RemovalRecord, without};
use crate::removals::table;
use crate::removals::task::RemovalTask;
use clustering::ReferenceOrder;
use engine::{Engine, Error};
use format::{PublicIds, Sealed};
use output::{LeastAlike, REMOVED, RemovedCounts, RemovedRow};

/// Steps of the phase, whose sorts are of so many bytes.
pub(crate) fn task<'a>(
    engine: &'a Engine<'a>,
    share_bytes: usize,
) -> Result<RemovalTask<'a>, Error> {
    Ok(RemovalTask {
        engine,
        scratch: engine.scratch(PHASE)?,
        share_bytes,
    })
}

/// Finds the documents that go, with the evidence.
pub fn find(engine: &Engine<'_>) -> Result<RemovalFile, Error> {
    let memory = engine.budget.take(memory::REMOVALS);
    let task = task(engine, memory.part_bytes())?;
    let candidates = from_clusters(&task, Members::NotKept, |_| true)?;
    task.scratch
        .store(REMOVALS, evidence::removals(&task, candidates)?)
}

/// Writes the table and that of pairs of hosts. Also counts what goes. Documents of references do
/// not go, also where another one is kept for their cluster.
pub fn tables(
    engine: &Engine<'_>,
    publication: &Publication,
    mut removals: RemovalFile,
) -> Result<([Sealed; 2], RemovedCounts), Error> {
    let memory = engine.budget.take(memory::REMOVALS);
    let task = task(engine, memory.part_bytes())?;
    let segments = engine.segments()?;
    if engine.inputs.listing.has_references() {
        let mut references = ReferenceOrder::new(&engine.inputs, &segments);
        removals = without(&task.scratch, &removals, |doc| references.is_reference(doc))?;
    }
    let table = publication.table("removed.parquet", REMOVED.schema(), removals.records())?;
    let (mut counts, ids) = (RemovedCounts::default(), engine.public_ids());
    let mut host_pairs = HostPairs::new(&task);
    let equal = |removal: &RemovalRecord| Ok(removal.is_equal().then_some(false));
    let mut revisited = segments.revisited();
    let sealed = table::write(&task, &removals, table, equal, |removal, row| {
        // A revisit has no body that could be saved.
        let bytes = match revisited.has(removal.doc)? {
            true => 0,
            false => row.bytes.unsigned_abs(),
        };
        count(&mut counts, row, bytes);
        compare(&mut counts, removal, &ids);
        host_pairs.add(removal, row)
    })?;
    drop(removals);
    let (host_pairs, hosts) = host_pairs.publish(engine, publication)?;
    counts.hosts = hosts;
    Ok(([sealed, host_pairs], counts))
}

/// Counts a document that goes, by its relation to the kept one.
fn count(counts: &mut RemovedCounts, row: &RemovedRow<'_>, bytes: u64) {
    let Some(kept) = row.kept else { return };
    let of_class = match kept.class {
        "identical" => &mut counts.identical,
        "lexical" => &mut counts.lexical,
        _ => &mut counts.near,
    };
    of_class.documents += 1;
    of_class.bytes = of_class.bytes.saturating_add(bytes);
    counts.bytes_saved = counts.bytes_saved.saturating_add(bytes);
    counts.same_url += u64::from(row.url.is_some() && row.url == kept.url);
}

/// Notes the removal if its documents are less alike than all before; the first of equals stays.
/// Counts it if no link joins the two.
fn compare(counts: &mut RemovedCounts, removal: &RemovalRecord, ids: &PublicIds) {
    counts.through_others += u64::from(removal.links == NOT_COUNTED);
    let (Some(kept), Some(resemblance)) = (removal.kept_document(), removal.resemblance()) else {
        return;
    };
    let least = counts.least_alike.map_or(1.0, |least| least.resemblance);
    if resemblance < least {
        counts.least_alike = Some(LeastAlike {
            doc_id: ids.get(removal.doc),
            kept_doc_id: ids.get(kept),
            resemblance,
        });
    }
}
