//! `pipeline dedup`: copies of the input without the duplicates, with evidence.
//!
//! *Input.* A finished run, and the files it read, which must be as they were. *Output.* A
//! directory of copies, or the ids or the number of what would go. *Algorithm.* [`choose`] or
//! [`against`] say what goes and in favour of which document, [`evidence`] what is known of the
//! two; then [`copies`] copies file by file. Other values of `[cluster]` for one call run the phase
//! `cluster` of the run once more, beside its files. *Memory.* `work.memory`: sorts, and 5 bytes a
//! file. *Disk.* Scratch files in `dedup` of the work directory; the copies. *Limits.* A file is
//! copied by one thread.

mod against;
mod choose;
mod copies;
mod decide;
mod distance;
mod evidence;
mod exact;
mod files;
mod holders;
mod left;
mod lossless;
mod names;
mod outcome;
mod prepare;
mod recount;
mod removals;
mod table;
mod target;
#[cfg(test)]
mod tests;
mod texts;

use cluster::Linkage;
use config::Config;
use engine::Engine;
use engine::work_dir::{clear_scratch, scratch_dir};
use format::Access;
use model::Record;
use runtime::Reporter;
use runtime::{Error, PhaseName};
use sort::{Combine, Keep, SortSpec, Sorter};
use std::io::Write;
use std::path::PathBuf;

pub use outcome::{DedupCounts, DedupOutcome};

/// What a call wants.
#[derive(Clone, Debug, Default)]
pub struct DedupRequest {
    /// What is to come out.
    pub deliver: Deliver,
    /// Another `linkage` for this call.
    pub linkage: Option<Linkage>,
    /// Another `keep` for this call, as `[cluster]` has it.
    pub keep: Option<String>,
    /// A document goes only if so much of it, 0 to 1, is contained in the one that is kept: all
    /// shingles of both are compared.
    pub lossless: Option<f64>,
    /// Only what this source has is removed from the others.
    pub against: Option<String>,
    /// Of every cluster no document is kept.
    pub drop_all: bool,
}

/// What comes out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Deliver {
    /// Copies, in this directory.
    Copies(PathBuf),
    /// The ids of the documents that go, one a line.
    Ids,
    /// The same as JSON lines, with the document's own id and URL.
    IdsAsJson,
    /// How many there are.
    #[default]
    Counts,
}

/// Where the sorts of a call work.
struct Task<'a> {
    engine: &'a Engine<'a>,
    dir: PathBuf,
    /// What a sort may take; three are there at a time.
    share_bytes: usize,
}

impl<'a> Task<'a> {
    fn of(engine: &'a Engine<'a>, share_bytes: usize) -> Task<'a> {
        Task {
            engine,
            dir: scratch_dir(&engine.config.work.dir),
            share_bytes,
        }
    }

    fn sorter<R: Record>(&self, name: &str, memory_bytes: usize) -> Sorter<R, Keep> {
        self.combining(name, memory_bytes, Keep)
    }

    fn combining<R: Record, C: Combine<R>>(
        &self,
        name: &str,
        memory_bytes: usize,
        combine: C,
    ) -> Sorter<R, C> {
        let (disk, dir, name) = (self.engine.disk.clone(), self.dir.clone(), name.to_owned());
        let (fan_in_max, threads) = (self.engine.fan_in_max, rayon::current_num_threads());
        Sorter::new(
            SortSpec {
                fan_in_max,
                threads,
                ..SortSpec::new(disk, dir, name, memory_bytes)
            },
            combine,
        )
    }
}

/// Writes copies of the input without the duplicates, or says what would go; ids go to `ids`.
///
/// # Errors
/// When there is no finished run of this configuration, the input is not what it was, the directory
/// is not free, or something cannot be read or written.
pub fn dedup(
    config: &Config,
    request: &DedupRequest,
    reporter: &Reporter,
    ids: &mut dyn Write,
) -> Result<DedupOutcome, Error> {
    let (prepared, listing) = prepare::prepare(config, request)?;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(config.work.threads)
        .build();
    let pool = pool.map_err(|e| {
        Error::Usage(format!(
            "failed to start {} threads: {e}",
            config.work.threads
        ))
    })?;
    let mut engine = prepared.engine(listing, reporter);
    for difference in &prepared.differs {
        reporter.line(&format!("note: other than in the run: {difference}"));
    }
    let delivered = pool.install(|| deliver(&mut engine, request, &prepared));
    let result = delivered.and_then(|(outcome, fates)| {
        if let (Some(fates), Deliver::Ids | Deliver::IdsAsJson) = (&fates, &request.deliver) {
            removals::print(&Task::of(&engine, 0), fates, &request.deliver, ids)?;
        }
        Ok(outcome)
    });
    // What is left of it is of no use to anyone, and an earlier error says more.
    let cleared = clear_scratch(&prepared.disk, &config.work.dir);
    let outcome = result?;
    cleared.map(|()| outcome)
}

/// Decides, and copies if copies are wanted.
fn deliver(
    engine: &mut Engine<'_>,
    request: &DedupRequest,
    prepared: &prepare::Prepared,
) -> Result<(DedupOutcome, Option<decide::Fates>), Error> {
    let failed = |e| Error::from_format(None, e);
    clear_scratch(&engine.disk, &engine.config.work.dir)?;
    let dir = scratch_dir(&engine.config.work.dir);
    engine
        .disk
        .create_dir(&dir, Access::Private)
        .map_err(failed)?;
    let _listed = intake::listing::reserve(&engine.budget, &engine.inputs.listing)?;
    let files = files::Files::read(engine, prepared.is_against.clone())?;
    let mut outcome = DedupOutcome::new(request, prepared, &files);
    let target = match &request.deliver {
        Deliver::Copies(output) => {
            let target = target::Target::open(prepared, output)?;
            if let Some(done) = target.finished()? {
                return Ok((
                    DedupOutcome {
                        was_finished: true,
                        ..outcome.with_counts(done)
                    },
                    None,
                ));
            }
            Some(target)
        }
        _ => None,
    };
    if !prepared.differs.is_empty() {
        let apart = dir.join("cluster");
        engine
            .disk
            .create_dir(&apart, Access::Private)
            .map_err(failed)?;
        engine.cluster_apart = Some(apart);
        let record = phases::cluster::run(engine)?;
        engine
            .manifest()
            .phases
            .insert(PhaseName::Cluster.name().to_owned(), record);
    }
    let memory = engine.budget.reserve_share(1, 2);
    let task = Task::of(engine, memory.bytes() / 4);
    let texts = texts::InputTexts::new(&task);
    let fates = decide::decide(&task, request, &files, &texts)?;
    drop(memory);
    outcome.count(fates.removed, texts.too_large());
    if outcome.counts.too_large > 0 {
        let count = outcome.counts.too_large;
        let why = "too large to be compared within work.memory; nothing of them goes, nor for them";
        engine
            .reporter
            .line(&format!("note: documents that are {why}: {count}"));
    }
    if let Some(target) = target {
        let places = removals::write_places(&task, &fates, &files)?;
        let counts = copies::Copying {
            task: &task,
            files: &files,
            places: &places,
            target: &target,
        }
        .run()?;
        table::write(&task, &fates, &target)?;
        outcome = outcome.with_counts(outcome.counts.and(&counts));
        target.finish(&outcome)?;
    }
    Ok((outcome, Some(fates)))
}
