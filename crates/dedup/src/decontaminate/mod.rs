//! `pipeline decontaminate`: which documents of the input hold an item of the references, and
//! copies of the input without them.
//!
//! *Input.* References: benchmarks, books, an earlier set; and the input, by a configuration. No
//! run is needed. *Output.* The table `contamination.parquet`, an outcome by file of references,
//! copies. *Algorithm.* [`references`] holds all items in memory, and an index of their n-grams.
//! [`pass`] reads the input once, [`searcher`] finds the items that may stand in a document, and
//! [`score`] says how much of them does. The copies are those of `dedup`. *Memory.* `work.memory`:
//! room for one large document, the references, and threads as many as fit then. *Disk.* 32 bytes a
//! document that goes, in the directory of the copies. *Limits.* What belongs to a reference is not
//! searched and never copied, also if the input names it. A record that refers to the body of
//! another one (WARC `revisit`) is no document here.

mod clean;
mod fields;
mod finder;
mod found;
mod item_index;
mod item_sink;
mod items;
mod outcome;
mod pass;
mod passed;
mod reference_file;
mod references;
mod request;
mod results;
mod score;
mod searcher;
mod window;
mod words;

pub use outcome::{DecontaminateOutcome, Example, LeftOut, ReferenceOutcome};
pub use request::{DecontaminateRequest, DeliverClean};

use crate::copies::CopyJob;
use crate::files::{self, FileRole};
use crate::target::{CopyTarget, TargetNames};
use crate::{names, output_place};
use clean::CleanWriter;
use config::Config;
use engine::{Engine, Error, intake::inputs::Inputs, runtime::parameters};
use exact::PER_THREAD_BYTES;
use format::{AtomicFile, Disk, DiskOptions, Faults, Fingerprint, IoMode, Manifest};
use input::Format;
use output::CONTAMINATION;
use pass::Pass;
use publication::publish::begin_table;
use references::References;
use results::{Finished, Results};
use run::RunHooks;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The names of the files in the directory of copies.
const NAMES: TargetNames = TargetNames {
    table: "contamination.parquet",
    summary: "decontaminate.json",
};

/// The first bytes of a Parquet file.
const PARQUET: &[u8] = b"PAR1";

/// The formats that are annotated, or left out.
const ROWS_AND_PAGES: [Format; 4] = [Format::Jsonl, Format::Parquet, Format::Html, Format::Text];

/// The formats of which parts are cut.
const ROWS_AND_TEXTS: [Format; 3] = [Format::Jsonl, Format::Parquet, Format::Text];

/// Searches the input of a configuration for the items of the references, and writes what the
/// request asks for.
pub fn decontaminate(
    config: &Config,
    request: &DecontaminateRequest,
    hooks: &RunHooks,
) -> Result<DecontaminateOutcome, Error> {
    request.check()?;
    let disk = Disk::new(DiskOptions {
        faults: Faults::from_environment(),
        io: IoMode::default(),
        stop: Arc::clone(&hooks.stop),
        limit_bytes: None,
        used_bytes: 0,
    });
    let inputs = Inputs::scan(config, &Manifest::default())?;
    let engine = Engine::over(config, disk, Manifest::default(), &hooks.reporter).reading(inputs);
    let _listed = engine::intake::listing::reserve(&engine.budget, &engine.inputs.listing)?;
    let needed = phases::sketch::memory_minimum_bytes(config);
    let one_document = usize::try_from(needed).unwrap_or(usize::MAX);
    let _one_document = engine.budget.reserve("one large document", one_document)?;
    run::check_listing(&engine.inputs.listing)?;
    let references = Arc::new(References::read(&engine, request)?);
    Call {
        are_references: references.are_among(&engine.inputs.listing.files)?,
        engine: &engine,
        request,
        references,
    }
    .run()
}

/// A call that has read the references.
struct Call<'a> {
    engine: &'a Engine<'a>,
    request: &'a DecontaminateRequest,
    references: Arc<References>,
    /// Whether each file of the input is of the references.
    are_references: Vec<bool>,
}

impl Call<'_> {
    fn run(&self) -> Result<DecontaminateOutcome, Error> {
        let engine = self.engine;
        let mut outcome = DecontaminateOutcome::of(&self.references);
        outcome.deliver(&self.request.deliver);
        let Some(directory) = self.request.deliver.directory() else {
            let table = self.request.table.as_ref();
            table.map_or(Ok(()), |path| self.check_table(path))?;
            let file = table.map(|path| AtomicFile::create(&engine.disk, path));
            let finished = self.search(file.transpose()?, None, outcome)?;
            if let Some(directory) = table.and_then(|path| path.parent()) {
                engine.disk.sync_dir(directory)?;
            }
            return Ok(finished.outcome);
        };
        let names = self.names()?;
        output_place::check(
            engine.config,
            &engine.inputs,
            directory,
            names.clone(),
            NAMES,
        )?;
        let target = CopyTarget::open(&engine.disk, self.fingerprint(), directory, NAMES)?;
        if let Some(done) = target.finished::<DecontaminateOutcome>(engine, &names)? {
            return Ok(DecontaminateOutcome {
                output: outcome.output,
                was_finished: true,
                ..done
            });
        }
        let files = engine.inputs.listing.files.len();
        let scratch = engine.scratch_in(target.staging())?;
        let clean = CleanWriter::begin(&scratch, files, &self.request.deliver)?;
        let finished = self.search(Some(target.table()?), Some(clean), outcome)?;
        let (Some(clean), Some(table)) = (finished.clean, finished.table) else {
            return Ok(finished.outcome);
        };
        let clean = clean.finish(files, &self.references)?;
        let job = CopyJob {
            engine,
            documents: &|file| finished.documents[file],
            names: &names,
            change: clean.change(),
            target: &target,
        };
        job.run()?;
        let outcome = DecontaminateOutcome {
            copies: Some(target.counts()),
            ..finished.outcome
        };
        let summary = DecontaminateOutcome {
            output: None,
            ..outcome.clone()
        };
        target.finish(&summary, table)?;
        Ok(outcome)
    }

    /// The table takes the place of an earlier one, and of nothing else.
    fn check_table(&self, path: &Path) -> Result<(), Error> {
        self.engine.inputs.check_written(path)?;
        let refuse = |why: &str| {
            Err(Error::Usage(format!(
                "failed to write {}: {why}; name another one",
                path.display()
            )))
        };
        let Ok(found) = path.symlink_metadata() else {
            return Ok(());
        };
        if self.references.have(path) {
            return refuse("it is a file of the references");
        }
        let mut begin = [0; PARQUET.len()];
        let mut is_table = || File::open(path).and_then(|mut file| file.read_exact(&mut begin));
        match found.is_file() && (found.len() == 0 || is_table().is_ok() && begin == *PARQUET) {
            true => Ok(()),
            false => refuse("it is there, and is no Parquet file"),
        }
    }

    /// Searches the input, in as many threads as the memory allows.
    fn search(
        &self,
        table: Option<AtomicFile>,
        clean: Option<CleanWriter>,
        outcome: DecontaminateOutcome,
    ) -> Result<Finished, Error> {
        let engine = self.engine;
        let files = &engine.inputs.listing.files;
        let parameters = self.parameters();
        let table = table.map(|file| begin_table(&parameters, CONTAMINATION.schema(), file));
        let references = Arc::clone(&self.references);
        let (own, table) = (&self.are_references, table.transpose()?);
        let mut results = Results::new(references, files, own, table, clean, outcome);
        let has_parquet = files.iter().any(|file| file.format == Format::Parquet);
        let parquet = if has_parquet {
            input::PARQUET_THREAD_BYTES
        } else {
            0
        };
        let each = PER_THREAD_BYTES + parquet + 4 * u64::from(self.references.items.count());
        let fitting = engine.budget.free_bytes() as u64 / each;
        let fitting = usize::try_from(fitting).unwrap_or(usize::MAX);
        let threads = engine.config.work.threads.min(fitting).max(1);
        let bytes = usize::try_from(each)
            .unwrap_or(usize::MAX)
            .saturating_mul(threads);
        let bytes = bytes.min(engine.budget.free_bytes());
        let _threads = engine.budget.reserve("the threads", bytes)?;
        let pass = Pass {
            engine,
            references: &self.references,
            are_references: &self.are_references,
            request: self.request,
        };
        pass.run(threads, &mut results)?;
        results.finish()
    }

    /// The name of the copy of each file: data is copied, references and pages without rows to
    /// mark are not.
    fn names(&self) -> Result<Vec<Option<PathBuf>>, Error> {
        let engine = self.engine;
        let files = &engine.inputs.listing.files;
        let roles = files::roles(engine.config, &engine.inputs, &[])?;
        let is_copied = |at: usize| roles[at] == FileRole::Data && !self.are_references[at];
        // pages are left out of a copy that is annotated
        let (action, formats) = match self.request.deliver {
            DeliverClean::Annotated(_) => ("annotate", &ROWS_AND_PAGES[..]),
            DeliverClean::Stretches(_) => ("cut", &ROWS_AND_TEXTS[..]),
            DeliverClean::Documents(_) | DeliverClean::Nothing => ("copy", &Format::ALL[..]),
        };
        let mut copied = files.iter().enumerate().filter(|(at, _)| is_copied(*at));
        if let Some((_, file)) = copied.find(|(_, file)| !formats.contains(&file.format)) {
            return Err(Error::Usage(format!(
                "failed to {action} {}: its format is {}; leave it out of the input, or write the \
                 table only, with --table",
                file.name,
                file.format.name()
            )));
        }
        let annotates = action == "annotate";
        Ok(names::names(&engine.inputs, annotates, is_copied))
    }

    /// What the results follow from, besides files.
    fn parameters(&self) -> String {
        let DecontaminateRequest {
            fields,
            least_words,
            gram_words,
            least_share,
            ..
        } = self.request;
        format!(
            "canonical = {}\nngram = {gram_words}\nleast = {least_words}\nmin = {least_share}\n\
             fields = {fields:?}\n",
            sketch::CANONICAL_VERSION
        )
    }

    /// Copies are resumed only by a call with the same one.
    fn fingerprint(&self) -> Fingerprint {
        let mut text = self.parameters();
        for file in &self.engine.inputs.listing.files {
            let (bytes, modified) = (file.stat.bytes, file.stat.modified_ns);
            text += &format!("{} {} {bytes} {modified}\n", file.name, file.format_name());
        }
        for file in &self.references.files {
            text += &format!("reference {} {:016x}\n", file.name, file.digest);
        }
        let kind = match self.request.deliver {
            DeliverClean::Annotated(_) => "annotated",
            DeliverClean::Stretches(_) => "stretches",
            DeliverClean::Documents(_) | DeliverClean::Nothing => "documents",
        };
        parameters::fingerprint(&(text + kind))
    }
}
