//! `pipeline dedup --passages`: copies of the input without the passages that stay elsewhere.
//!
//! *Input.* A finished run that looked for passages, and the files it read, which must be
//! unchanged. *Output.* A directory of copies with a table of all that was cut, or the ids or the
//! number of the documents that go. *Algorithm.* Phase `passages` has found the parts of each
//! document of which another place stays ([`CutRecord`](format::CutRecord)). [`documents`] decides
//! what becomes of each document, and [`copies`](super::copies) copies file by file. No cluster
//! counts. *Memory.* 32 bytes a file, and the parts of a document. *Limits.* JSONL, Parquet and
//! texts. Where a part goes, the words before and behind it stand side by side: a run of words that
//! is repeated may come to be there.

mod documents;
mod outcome;
mod table;

use super::copies::{CopyChange, CopyJob};
use super::decision::Decision;
use super::files::Files;
use super::places::print_id;
use super::prepare::{self, DedupInput};
use super::request::{CutRequest, DedupRequest, Deliver};
use super::target::PASSAGES;
use super::{names, note_ids, sources};
use crate::memory;
use config::Config;
use documents::{CutDocuments, CutPlan, Fate};
use engine::{Engine, Error, Reporter, runtime::threads::thread_pool, work_dir::scratch_dir};
use format::Access;
use std::io::Write;

pub use outcome::{CutCounts, CutOutcome};

/// Writes copies of the input without the passages that stay elsewhere, or says what would go; ids
/// are written to `ids`.
pub fn cut_passages(
    config: &Config,
    request: &CutRequest,
    reporter: &Reporter,
    ids: &mut dyn Write,
) -> Result<CutOutcome, Error> {
    let delivered = DedupRequest {
        deliver: request.deliver.clone(),
        ..DedupRequest::default()
    };
    if request.deliver.annotates() {
        let text =
            "failed to cut passages: rows are cut or marked, not both; leave out one of them";
        return Err(Error::Usage(text.to_owned()));
    }
    let CutRequest { rest, marker, .. } = request;
    let decision = Decision::Passages {
        options: format!("passages {rest} {marker:?}\n"),
    };
    let (input, listing) = prepare::prepare(config, &delivered, &decision, reporter)?;
    let pool = thread_pool(config.work.threads)?;
    let engine = input.engine(listing, reporter);
    let result = pool.install(|| deliver(&engine, request, &delivered, &input));
    let result = result.and_then(|outcome| {
        if let &Deliver::Ids { as_json, .. } = &request.deliver {
            print(&engine, request, &input, as_json, ids)?;
        }
        Ok(outcome)
    });
    result.map_err(|error| input.reading.told(error))
}

fn deliver(
    engine: &Engine<'_>,
    request: &CutRequest,
    delivered: &DedupRequest,
    input: &DedupInput,
) -> Result<CutOutcome, Error> {
    let dir = scratch_dir(&engine.config.work.dir);
    engine.disk.create_dir(&dir, Access::Private)?;
    let _listed = engine::intake::listing::reserve(&engine.budget, &engine.inputs.listing)?;
    let files = Files::read(engine, input.roles.clone())?;
    sources::check(engine, delivered, &files)?;
    let mut outcome = CutOutcome::new(engine, request);
    let names = names::names(&engine.inputs, false, |at| files.is_copied(at));
    let target = input.target(&request.deliver, PASSAGES)?;
    if let Some(target) = &target
        && let Some(counts) = target.finished(engine, &names)?
    {
        outcome.counts = counts;
        outcome.was_finished = true;
        return Ok(outcome);
    }
    let plan = CutPlan::make(engine, &files, request, &[])?;
    outcome.counts = plan.counts.clone();
    if outcome.counts.uncut > 0 {
        engine.reporter.line(&format!(
            "note: documents with passages that stay as they are, because their texts have markup: \
             {}",
            outcome.counts.uncut
        ));
    }
    let Some(target) = target else {
        return Ok(outcome);
    };
    let job = CopyJob {
        engine,
        documents: &|file| files.of(file).len() as u64,
        names: &names,
        change: CopyChange::Removals(&plan.places),
        target: &target,
    };
    job.run()?;
    let whole = target.copied_whole(|file| plan.changes(file));
    if !whole.is_empty() {
        drop(plan);
        outcome.counts = CutPlan::make(engine, &files, request, &whole)?.counts;
    }
    outcome.counts.copies = target.counts();
    let documents = CutDocuments::open(engine, &files, request.rest, &whole)?;
    let _memory = engine.budget.take(memory::TABLE);
    let table = table::write(engine, documents, target.table()?)?;
    let summary = CutOutcome {
        output: None,
        ..outcome.clone()
    };
    target.finish(&summary, table)?;
    Ok(outcome)
}

/// Prints the ids of the documents that go.
fn print(
    engine: &Engine<'_>,
    request: &CutRequest,
    input: &DedupInput,
    as_json: bool,
    out: &mut dyn Write,
) -> Result<(), Error> {
    if as_json {
        note_ids(engine);
    }
    let files = Files::read(engine, input.roles.clone())?;
    let ids = engine.public_ids();
    let mut documents = CutDocuments::open(engine, &files, request.rest, &[])?;
    while let Some(document) = documents.next()? {
        if matches!(document.fate, Fate::Equal | Fate::Rest) {
            print_id(&ids, document.doc, &document.row, as_json, out)?;
        }
    }
    Ok(())
}
