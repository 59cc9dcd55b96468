//! The parts of each document that stay elsewhere.
//!
//! *Input.* [`CutRecord`]s of the documents that stand for those of equal tokens. *Output.* Those
//! of all documents, by document: of equal ones the best has the parts, and the others go whole.
//! *Memory.* A sort of half the free budget. *Disk.* 20 bytes a part.

use crate::classes::LongDocuments;
use crate::job::Passages;
use crate::memory;
use config::PassagesConfig;
use engine::Error;
use format::{CutRecord, ScratchFile};
use model::Unpoisoned;

/// Gives the parts to the documents that have them.
pub(super) fn of_all_documents(
    passages: &Passages<'_>,
    settings: PassagesConfig,
    of_standing: &ScratchFile<CutRecord>,
) -> Result<ScratchFile<CutRecord>, Error> {
    let scratch = &passages.scratch;
    let memory = scratch.budget.take(memory::CUTS);
    let mut sorter = scratch.by_document::<CutRecord>("cuts", memory.bytes());
    let mut order = passages.order.lock().unpoisoned();
    let mut cuts = of_standing.read()?;
    while let Some(mut cut) = cuts.next()? {
        cut.doc = order.best(cut.doc)?;
        sorter.push(cut)?;
    }
    let mut documents = LongDocuments::of_run(passages.engine, settings)?;
    while let Some(document) = documents.next_document()? {
        if order.best(document.standing)? != document.doc {
            sorter.push(CutRecord::whole(document.doc))?;
        }
    }
    scratch.store("cuts.run-list", sorter.finish()?)
}
