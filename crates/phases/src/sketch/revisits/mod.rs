//! WARC `revisit` records → documents: each joins the segment it was read in, with the body of the
//! record it refers to.
//!
//! *Input.* The segments of a snapshot as they were read, its revisits aside; those of the
//! snapshots before it. *Output.* The same segments with the revisits among their documents, at
//! their places. A revisit that refers to nothing is among the rejected. *Algorithm.* Sort-merge
//! joins on disk: keys of revisits with keys of documents ([`find`]), which gives the original of
//! each revisit; then ⟨original, revisit⟩ with marks, sizes and sketches ([`original_data`]),
//! sorted back by revisit and merged into the segments ([`join`]). A revisit refers, in this order,
//! by the id of a record, by URL and date, by the digest of the body; of several documents its own
//! snapshot's come first, then the lowest. One that refers to nothing has the body of the newest
//! earlier record of its URL. So the originals stay the same when a snapshot goes that
//! has none of them. A revisit may refer to another one, in chains of any length. *Memory.* Cells
//! for each revisit, in memory or on disk; sorts. *Disk.* The copies, a third time while they are
//! sorted.

mod by_url;
mod find;
mod followers;
mod join;
mod keys;
mod original_data;
mod originals;
mod records;
mod scope;
mod sides;

use super::planned_segment::PHASE;
use crate::memory;
use engine::{
    Engine, Error,
    figures::SketchFigures,
    segments::{SegmentFile, Segments},
};
use format::PhaseFigures;
use join::RevisitQueue;
use scope::SearchScope;
use std::collections::BTreeMap;

/// Makes documents of the revisits of a snapshot, by its place, whose segments are read. Those
/// before it are whole.
pub(super) fn resolve(engine: &Engine<'_>, at: usize) -> Result<(), Error> {
    let number = {
        let mut manifest = engine.manifest();
        let Some(record) = manifest.snapshots.get_mut(at) else {
            return Ok(());
        };
        record.revisit_sources.clear();
        let extension = SegmentFile::Revisits.extension();
        if !record
            .sketched
            .outputs
            .keys()
            .any(|name| name.ends_with(extension))
        {
            return Ok(());
        }
        record.number
    };
    let segments =
        Segments::with_retained(&engine.disk, &engine.config.work.dir, &engine.manifest())?;
    let own = segments.of_snapshot(number);
    let memory = engine.budget.take(memory::REVISITS);
    let scope = SearchScope {
        engine,
        segments,
        own,
        share_bytes: memory.part_bytes(),
    };
    let mut originals = find::find(&scope)?;
    let earlier_snapshots = originals.earlier_snapshots(&scope)?;
    let data = original_data::copy(&scope, &mut originals)?;
    let mut queue = RevisitQueue {
        originals,
        data,
        next: 0,
    };
    let mut outputs = BTreeMap::new();
    let mut figures = SketchFigures::default();
    for segment in scope.own.clone() {
        let joined = join::segment(&scope, segment, &mut queue)?;
        outputs.extend(
            joined
                .sealed
                .into_iter()
                .map(|sealed| (sealed.name.clone(), sealed)),
        );
        figures.add(&joined.figures);
    }
    engine.disk.sync_dir(&engine.dir(PHASE))?;
    let mut manifest = engine.manifest();
    let Some(record) = manifest.snapshots.get_mut(at) else {
        return Ok(());
    };
    record.sketched.outputs = outputs;
    record.revisit_sources = earlier_snapshots;
    let documents = u64::from(record.documents) + figures.documents;
    figures.add(&record.sketched.figures.read());
    record.sketched.figures = PhaseFigures::of(&figures);
    record.documents = u32::try_from(documents).map_err(|_| {
        Error::Usage(format!(
            "failed to number the documents of {}: {documents} are too many",
            record.name
        ))
    })?;
    Ok(())
}
