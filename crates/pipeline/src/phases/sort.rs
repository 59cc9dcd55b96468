//! Sketches of the representatives → postings sorted by shingle and document.

use crate::engine::Engine;
use crate::segments::SegmentFile;
use crate::{Error, PhaseName};
use format::{FileKind, PhaseRecord};
use model::{Class, Posting};
use sort::Keep;

const PHASE: PhaseName = PhaseName::Sort;

pub(crate) fn run(engine: &Engine<'_>) -> Result<PhaseRecord, Error> {
    let work = Error::work(PHASE);
    let segments = engine.segments()?;
    let task = engine.reporter.task(PHASE, "documents", u64::from(segments.documents()));
    let memory = engine.budget.reserve_share(7, 8);
    let mut sorter = engine.sorter::<Posting, _>(PHASE, "postings", memory.bytes(), Keep);
    let mut classes = engine.reader::<Class>(PhaseName::Distinct, "classes", FileKind::Classes)?;
    let mut class = classes.next()?;
    let mut sketches = segments.rows(SegmentFile::Sketches);
    while let Some((doc, row)) = sketches.next_sketch()? {
        while class.is_some_and(|class| class.doc < doc) {
            class = classes.next()?;
        }
        task.reach(u64::from(doc));
        if class.is_some_and(|class| class.doc == doc && class.representative() != doc) {
            continue;
        }
        for shingle in row.iter() {
            sorter.push(Posting { shingle, doc }).map_err(work)?;
        }
    }
    let postings = sorter.pushed();
    let mut sorted = sorter.finish().map_err(work)?;
    let mut writer = engine.writer::<Posting>(PHASE, "postings", FileKind::Postings)?;
    while let Some(posting) = sorted.next().map_err(work)? {
        writer.push(&posting).map_err(work)?;
    }
    Ok(super::record([writer.finish().map_err(work)?], [("postings", postings)]))
}
