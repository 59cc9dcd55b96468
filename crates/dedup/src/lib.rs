//! `pipeline dedup`: copies of the input without the duplicates, with the evidence.
//!
//! *Input.* A finished run, and the files it read, which must be unchanged; or input and
//! references, and [`beside`] makes the run. *Output.* A directory of copies, or the ids or the
//! number of the documents to remove. *Algorithm.* [`publication::removals`], or [`against`], pairs
//! each document to remove with the document kept in its favour; or [`listed`] takes the documents
//! of a list. [`publication::removals`] counts what the two share, [`lossless`] checks it; then
//! [`copies`] copies file by file. Other values of `[cluster]` for one call run the phase `cluster`
//! once more, beside the files of the run. [`cutting`] cuts passages instead. *Memory.*
//! `work.memory`: sorts, and 5 bytes a file. *Disk.* Scratch files in the directory of a
//! [reader](engine::reading); the copies. *Limits.* One thread copies a file.

mod against;
mod beside;
mod cdxj;
mod comparison;
mod copies;
mod copy_counts;
mod cutting;
mod decide;
mod decision;
mod decontaminate;
mod digits;
mod equal_text;
mod files;
mod id_list;
mod journal;
mod kept;
mod kept_documents;
mod least_alike;
mod listed;
mod lossless;
mod memory;
mod names;
mod notes;
mod outcome;
mod output_lock;
mod output_place;
mod places;
mod prepare;
mod request;
mod sources;
mod target;
#[cfg(test)]
mod tests;
mod undecided;

use config::Config;
use decision::Decision;
use engine::{
    Engine, Error, PhaseName, Reporter, runtime::threads::thread_pool, work_dir::scratch_dir,
};
use format::Access;
use outcome::FinishedDedup;
use output::REMOVED;
use prepare::DedupInput;
use publication::figures::IndexFigures;
use publication::publish::begin_table;
use publication::removals::removal::{RemovalFile, RemovalRecord, without};
use publication::removals::table;
use publication::removals::task::RemovalTask;
use std::io::Write;
use std::path::Path;
use target::DEDUP;

pub use copy_counts::CopyCounts;
pub use cutting::{CutCounts, CutOutcome, cut_passages};
pub use decontaminate::{
    DecontaminateOutcome, DecontaminateRequest, DeliverClean, Example, LeftOut, ReferenceOutcome,
    decontaminate,
};
pub use id_list::{NamedDocument, read as read_list};
pub use least_alike::DoubtfulRemoval;
pub use listed::ListOutcome;
pub use outcome::{DedupCounts, DedupOutcome};
pub use request::{CutRequest, DedupRequest, Deliver};
pub use sources::SourceOutcome;

/// Writes copies of the input without the duplicates, or says what would be removed; ids are
/// written to `ids`.
pub fn dedup(
    config: &Config,
    request: &DedupRequest,
    reporter: &Reporter,
    ids: &mut dyn Write,
) -> Result<DedupOutcome, Error> {
    prepare::check_request(config, request)?;
    let beside = request.beside.as_ref();
    let beside = beside.map(|on_input| beside::run(config, request, on_input, reporter));
    let beside = beside.transpose()?;
    let beside = beside.as_ref().map(|(config, request)| (config, request));
    let (config, request) = beside.unwrap_or((config, request));
    let (input, listing) = prepare::prepare(config, request, &Decision::Clusters, reporter)?;
    let pool = thread_pool(config.work.threads)?;
    let mut engine = input.engine(listing, reporter);
    for difference in &input.differs {
        reporter.line(&format!("note: different from the run: {difference}"));
    }
    let delivered = pool.install(|| deliver(&mut engine, request, &input));
    let result = delivered.and_then(|(outcome, removals)| {
        if let (Some(removals), &Deliver::Ids { kept, as_json }) = (&removals, &request.deliver) {
            if as_json {
                note_ids(&engine);
            }
            places::print(&task_of(&engine, 0)?, removals, [kept, as_json], ids)?;
        }
        Ok(outcome)
    });
    result.map_err(|error| input.reading.told(error))
}

/// Says that the ids which are printed do not tell documents apart.
fn note_ids(engine: &Engine<'_>) {
    let manifest = engine.manifest();
    let index = manifest.phases.get(PhaseName::Index.name());
    let figures = index.map(|index| index.figures.read::<IndexFigures>());
    if let Some(note) = figures.and_then(|figures| figures.report.input.note_of_ids()) {
        engine.reporter.line(&format!("note: {note}"));
    }
}

/// Decides which documents to remove, and copies the input without them if copies are wanted. There
/// are no removals if the copies were finished by an earlier call.
fn deliver(
    engine: &mut Engine<'_>,
    request: &DedupRequest,
    input: &DedupInput,
) -> Result<(DedupOutcome, Option<RemovalFile>), Error> {
    let dir = scratch_dir(&engine.config.work.dir);
    engine.disk.create_dir(&dir, Access::Private)?;
    let _listed = engine::intake::listing::reserve(&engine.budget, &engine.inputs.listing)?;
    let files = files::Files::read(engine, input.roles.clone())?;
    sources::check(engine, request, &files)?;
    sources::note_words(engine, request)?;
    let mut outcome = DedupOutcome::new(request, &input.differs, &files);
    if outcome.annotated {
        let listed = engine.inputs.listing.files.iter();
        outcome.pages_left_out = listed.filter(|file| names::is_page(file)).count() as u64;
    }
    let annotates = request.deliver.annotates();
    let names = names::names(&engine.inputs, annotates, |at| files.is_copied(at));
    let target = input.target(&request.deliver, DEDUP)?;
    if let Some(target) = &target
        && let Some(done) = target.finished::<FinishedDedup>(engine, &names)?
    {
        (outcome.counts, outcome.unlike, outcome.sources) =
            (done.counts, done.unlike, done.sources);
        outcome.listed = done.listed;
        outcome.was_finished = true;
        return Ok((outcome, None));
    }
    if !input.differs.is_empty() {
        cluster_anew(engine, &dir)?;
    }
    let memory = engine.budget.take(memory::DECISIONS);
    let task = task_of(engine, memory.part_bytes())?;
    let texts = exact::InputTexts::of_whole_pages(&task.workplace());
    let mut removals = match &request.remove {
        Some(list) => {
            let (removals, listed) = listed::decide(&task, list, &files)?;
            outcome.listed = Some(listed);
            removals
        }
        None => decide::decide(&task, request, &files, &texts)?,
    };
    drop(memory);
    let look = outcome.count(&task, &removals, &files)?;
    if request.lossless.is_none() && request.deliver != Deliver::Counts {
        warn(engine, &look);
    }
    if request.deliver == Deliver::Counts {
        outcome.least_alike = look.shown(engine, input.index.as_ref())?;
    }
    let Some(target) = target else {
        return Ok((outcome, Some(removals)));
    };
    let places = places::write_places(&task, &removals, &files)?;
    let notes = annotates.then(|| notes::Notes::write(&task, request, &removals, &files));
    let notes = notes.transpose()?;
    let job = copies::CopyJob {
        engine,
        documents: &|file| files.of(file).len() as u64,
        names: &names,
        change: match &notes {
            Some(notes) => copies::CopyChange::Notes(notes),
            None => copies::CopyChange::Removals(&places),
        },
        target: &target,
    };
    job.run()?;
    let whole = target.copied_whole(|index| !annotates && places.count(index) > 0);
    if !whole.is_empty() {
        removals = without(&task.scratch, &removals, |doc| {
            Ok(whole.iter().any(|index| files.of(*index).contains(&doc)))
        })?;
        outcome.count(&task, &removals, &files)?;
    }
    outcome.counts.copies = target.counts();
    let digits = request.remove.is_none();
    let digits = digits.then(|| digits::OnlyDigits::find(&task, &removals, &texts));
    let mut digits = digits.transpose()?;
    let _sorts = engine.budget.take(memory::TABLE);
    let parameters = engine::runtime::parameters::semantic(engine.config);
    let table = begin_table(&parameters, REMOVED.schema(), target.table()?)?;
    let table = table.expecting(removals.records());
    let digits = |removal: &RemovalRecord| match &mut digits {
        Some(digits) => digits.of(removal),
        None => Ok(None),
    };
    let table = table::write(&task, &removals, table, digits, |_, _| Ok(()))?;
    let summary = DedupOutcome {
        output: None,
        ..outcome.clone()
    };
    target.finish(&summary, table)?;
    Ok((outcome, Some(removals)))
}

/// Says before anything goes that some of it deserves a look.
fn warn(engine: &Engine<'_>, look: &least_alike::Look) {
    if look.unlike > 0 {
        engine.reporter.line(&format!(
            "note: documents that go although their resemblance to the kept one is below {}: {}; \
             `pipeline dedup --dry-run` shows those that are least alike",
            least_alike::UNLIKE,
            look.unlike
        ));
    }
    if look.chained > 0 {
        engine.reporter.line(&format!(
            "note: documents that go although only others link them to the kept one: {}; \
             `--linkage star` decides anew, and removes only what is alike a kept one",
            look.chained
        ));
    }
}

/// The context of the steps of a call, which share its scratch directory.
fn task_of<'a>(engine: &'a Engine<'a>, share_bytes: usize) -> Result<RemovalTask<'a>, Error> {
    Ok(RemovalTask {
        engine,
        scratch: engine.scratch_in(scratch_dir(&engine.config.work.dir))?,
        share_bytes,
    })
}

/// Runs the phase `cluster` with the values of this call, beside the files of the run.
fn cluster_anew(engine: &mut Engine<'_>, dir: &Path) -> Result<(), Error> {
    let apart = dir.join("cluster");
    engine.disk.create_dir(&apart, Access::Private)?;
    engine.cluster_apart = Some(apart);
    let record = clustering::run(engine)?;
    engine
        .manifest()
        .phases
        .insert(PhaseName::Cluster.name().to_owned(), record);
    Ok(())
}
