//! The methods of the papers on documents of the user, beside exact sets.
//!
//! *Input.* Files of any format that is read as input, and a configuration, which says what a
//! shingle and a link are. *Output.* For each method and size: precision and recall of links and of
//! pairs in one cluster, errors, coverage of the interval, records and bytes a document, CPU time;
//! precision and recall by threshold; the share of pairs that bands compare. *Algorithm.* Documents
//! of equal sets count once. A sample has the documents whose smallest fingerprint is a multiple of
//! a number after mixing: two that resemble each other by r are both in it, or both out, at least
//! with probability r. The sets lie on disk and are read in blocks. For each document of a block
//! and behind it, the lists of its shingles give the documents of the block before it that share
//! one, and how many; every method judges these pairs. *Memory.* Two blocks, each of a third of
//! `work.memory`, and 128 bytes a document. *Disk.* 8 bytes for each shingle of each document.
//! *Limits.* All sets are read once for each block. Pairs without a common shingle are not judged:
//! no method but min-hashes can link them.

mod method;
mod pairs;
mod score;
mod set_file;
mod tables;

use crate::cpu::timed;
use crate::evaluation::Evaluation;
use crate::random::mix;
use crate::set::set_of;
use input::{Discovery, Document, Piece, Rejection, Sink, SinkError};
use method::{Method, Sketch};
use model::Sampling;
use pairs::Index;
use pipeline::config::Config;
use pipeline::{Error, Reporter, Task};
use score::{JUDGED_FROM, Links, Score};
use set_file::{Block, Place, SetFile};
use sketch::Sketcher;
use sort::{MemoryBudget, Reservation};
use std::collections::HashSet;
use std::path::Path;
use tables::{Scores, SketchCosts};

/// Bytes of a document that are held to the end: its digest, and its cells of all clusterings.
const DOCUMENT_BYTES: usize = 128;

/// The different shingle sets of the documents.
struct Collected {
    sketcher: Sketcher,
    documents: usize,
    seen: HashSet<u128>,
    sets: SetFile,
    /// One document in so many is taken.
    one_in: u64,
    budget: MemoryBudget,
    reserved: Vec<Reservation>,
    /// Why reading stopped, if not for a file of the user.
    failure: Option<Error>,
    task: Task,
    /// What `task` counts of the file that is being read.
    bytes: u64,
}

impl Collected {
    /// Shows that the current file is read up to a byte.
    fn read_to(&mut self, byte: u64) {
        self.task.add(byte.saturating_sub(self.bytes));
        self.bytes = self.bytes.max(byte);
    }

    fn push(&mut self, set: &[u64]) -> Result<(), Error> {
        let what = "the clusters of all documents";
        self.reserved
            .push(self.budget.reserve(what, DOCUMENT_BYTES)?);
        self.sets.push(set)
    }
}

impl Sink for Collected {
    fn document(&mut self, document: &Document<'_>) -> Result<(), SinkError> {
        self.read_to(document.place.entry_offset);
        let sketched = self.sketcher.sketch(document.content);
        let least = sketched.fingerprints.first().copied();
        let is_taken = |least| mix(least).is_multiple_of(self.one_in);
        if !least.is_none_or(is_taken) {
            return Ok(());
        }
        self.documents += 1;
        if least.is_none() || !self.seen.insert(sketched.sketch_digest) {
            return Ok(());
        }
        let set = set_of(sketched.fingerprints.iter().copied());
        self.push(&set).map_err(|error| {
            self.failure = Some(error);
            SinkError::from("reading stopped")
        })
    }
    fn rejected(&mut self, _: Rejection) -> Result<(), SinkError> {
        Ok(())
    }
    fn skipped(&mut self, _: &str) {}
}

/// Documents to evaluate the methods on.
#[derive(Clone, Debug)]
pub struct EvaluatedDocuments<'a> {
    /// Files, directories and globs.
    pub paths: Vec<String>,
    /// Relative ones are looked up in this directory.
    pub base: &'a Path,
    /// One document in so many is taken; all if it is 1.
    pub one_in: u64,
}

/// Reads them.
fn read(
    documents: EvaluatedDocuments<'_>,
    config: &Config,
    reporter: &Reporter,
) -> Result<Collected, Error> {
    let listing = input::discover(&Discovery::of_all(
        documents.paths,
        documents.base.to_owned(),
    ))?;
    let bytes = listing.files.iter().map(|file| file.stat.bytes).sum();
    let mut params = config.sketch.params();
    params.sampling = Sampling::Modulus { modulus: 1 };
    let mut collected = Collected {
        sketcher: Sketcher::new(&params),
        documents: 0,
        seen: HashSet::new(),
        one_in: documents.one_in.max(1),
        sets: SetFile::create()?,
        budget: MemoryBudget::new(config.work.memory()),
        reserved: Vec::new(),
        failure: None,
        task: reporter.task_named("read", "bytes", bytes),
        bytes: 0,
    };
    let options = config.input.read_options();
    for (index, file) in (0..).zip(&listing.files) {
        let piece = Piece::whole(index, file.stat.bytes);
        let outcome = input::read_piece(file, &piece, Some(0), &options, &mut collected);
        if let Some(error) = collected.failure.take() {
            return Err(error);
        }
        outcome?;
        collected.read_to(file.stat.bytes);
        collected.bytes = 0;
    }
    collected.sets.finish()?;
    collected.task.finish();
    Ok(collected)
}

/// Evaluates all methods on the documents of some files.
///
/// # Errors
/// When they cannot be read, there are less than two different ones, or memory does not suffice.
pub fn evaluate_documents(
    documents: EvaluatedDocuments<'_>,
    config: &Config,
    reporter: &Reporter,
) -> Result<Evaluation, Error> {
    let mut collected = read(documents, config, reporter)?;
    let sets = collected.sets.len();
    if sets < 2 {
        return Err(Error::NotFound(format!(
            "failed to find two documents with different shingles: found {sets}"
        )));
    }
    let threshold = config.cluster.resemblance.to_f64();
    let methods = Method::all(&config.sketch);
    let mut judge = Judge {
        config,
        threshold,
        reporter,
        compared: 0,
        pairs: 0,
        links: Links::none(sets),
        scores: methods.iter().map(|_| Score::none(sets)).collect(),
        methods,
    };
    let costs = judge.all_pairs(&mut collected.sets, &collected.budget)?;
    let setting = format!(
        "{}, {sets} with different sets of shingles. Pairs that share a shingle: {}; that resemble \
         each other by {threshold} or more: {}. Errors are those of pairs of {JUDGED_FROM} or more. \
         A run compares all links exactly (`settle`); these rows have the sketch alone.",
        output::counted(collected.documents as u64, "document"),
        judge.pairs,
        judge.links.count
    );
    let scores = Scores {
        methods: judge.methods,
        links: judge.links,
        scores: judge.scores,
        costs,
        documents: sets,
        threshold,
    };
    Ok(scores.evaluation(setting))
}

/// All methods, as they do on the pairs so far.
struct Judge<'a> {
    config: &'a Config,
    methods: Vec<Method>,
    threshold: f64,
    reporter: &'a Reporter,
    /// Pairs that were looked at, with a common shingle or without.
    compared: u64,
    pairs: usize,
    links: Links,
    scores: Vec<Score>,
}

impl Judge<'_> {
    /// Judges all pairs of sets that share a shingle. Returns what the sketches of each method
    /// cost.
    fn all_pairs(
        &mut self,
        sets: &mut SetFile,
        budget: &MemoryBudget,
    ) -> Result<Vec<SketchCosts>, Error> {
        let share = budget.reserve_share(1, 3).bytes();
        let none = |_: &Method| SketchCosts::default();
        let mut costs: Vec<SketchCosts> = self.methods.iter().map(none).collect();
        let mut begin = Place::default();
        while let Some(block) = sets.block(begin, budget, share)? {
            let sketches = self.sketches_of(&block);
            for (cost, (sketches, seconds)) in costs.iter_mut().zip(&sketches) {
                cost.add(sketches, *seconds);
            }
            let mut index = Index::default();
            let task = self.task(sets.len());
            for (number, set) in block.sets.iter().enumerate() {
                self.pairs_of([&block, &block], [&sketches, &sketches], number, &mut index);
                index.insert(set);
                self.count(&task, number);
            }
            task.finish();
            let mut next = block.end;
            while let Some(later) = sets.block(next, budget, share)? {
                let of_later = self.sketches_of(&later);
                let task = self.task(sets.len());
                for number in 0..later.sets.len() {
                    self.pairs_of([&block, &later], [&sketches, &of_later], number, &mut index);
                    self.count(&task, block.sets.len());
                }
                task.finish();
                next = later.end;
            }
            begin = block.end;
        }
        Ok(costs)
    }

    /// Shows how many of the pairs of so many sets are compared.
    fn task(&self, sets: usize) -> Task {
        let sets = sets as u64;
        let task = self
            .reporter
            .task_named("compare", "pairs", sets * (sets - 1) / 2);
        task.resume(self.compared);
        task
    }

    fn count(&mut self, task: &Task, pairs: usize) {
        task.add(pairs as u64);
        self.compared += pairs as u64;
    }

    /// The sketches of some documents by each method.
    fn sketches_of(&self, block: &Block) -> Sketches {
        let sets = &block.sets;
        let all = (self.methods.len() * sets.len()) as u64;
        let task = self.reporter.task_named("sketch", "sketches", all);
        let params = self.config.sketch.params();
        let of_method = |method: &Method| {
            let mut sampler = method.sampler(&params);
            let sketches = timed(|| {
                sets.iter()
                    .map(|set| method.sketch(&mut sampler, set))
                    .collect()
            });
            task.add(sets.len() as u64);
            sketches
        };
        self.methods.iter().map(of_method).collect()
    }

    /// Judges the pairs of a set of the second block with those of the first that are in the index.
    fn pairs_of(
        &mut self,
        [earlier, later]: [&Block; 2],
        [sketches, of_later]: [&Sketches; 2],
        number: usize,
        index: &mut Index,
    ) {
        let set = &later.sets[number];
        index.sharing(set, |other, shared| {
            let union = earlier.sets[other].len() + set.len() - shared;
            let exact = shared as f64 / union as f64;
            let pair = [earlier.first + other, later.first + number];
            self.pairs += 1;
            self.links.add(pair, exact, self.threshold);
            let sketches = sketches.iter().zip(of_later);
            let methods = self.methods.iter().zip(&mut self.scores);
            for ((method, score), (a, b)) in methods.zip(sketches) {
                let min_shared = self.config.cluster.min_shared;
                let judged = method.judge(&a.0[other], &b.0[number], min_shared);
                score.add(pair, &judged, exact, self.threshold);
            }
        });
    }
}

/// The sketches of some documents by each method, and the CPU seconds that they take.
type Sketches = Vec<(Vec<Sketch>, f64)>;

#[cfg(test)]
mod tests;
