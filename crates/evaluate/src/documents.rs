//! The methods of the papers on documents of the user, beside exact sets.
//!
//! *Input.* Files of any format that is read as input, and a configuration, which says what a
//! shingle and a link are. *Output.* For each method and size: precision and recall of links and of
//! pairs in one cluster, errors, coverage of the interval, records and bytes a document, CPU time;
//! precision and recall by threshold; the share of pairs that bands compare. *Algorithm.* Documents
//! of equal sets count once. A sample has the documents whose smallest fingerprint is a multiple of
//! a number after mixing: two that resemble each other by r are both in it, or both out, at least
//! with probability r. For each document, the lists of its shingles give the documents before
//! it that share one, and how many; every method judges these pairs. *Memory.* About 64 bytes for
//! each shingle of each document, and 8 KiB a document, reserved in `work.memory`. *Limits.* Pairs
//! without a common shingle are not judged: no method but minima can link them.

mod method;
mod score;
mod tables;

use crate::cpu::timed;
use crate::evaluation::Evaluation;
use crate::methods::family::Family;
use crate::methods::minhash::Functions;
use crate::random::mix;
use crate::set::set_of;
use input::{
    Discovery, Document, FormatChoice, LargeRecords, Piece, ReadOptions, Rejection, Sink, SinkError,
};
use method::{METHODS, Method, SEED, Sketch};
use model::Sampling;
use pipeline::Error;
use pipeline::config::Config;
use score::{JUDGED_FROM, Links, Score};
use sketch::Sketcher;
use sort::{BudgetError, MemoryBudget, Reservation};
use std::collections::{HashMap, HashSet};
use std::path::Path;
use tables::Scores;

/// Bytes of a shingle in its set and its list, and of the sketches of a document.
const SHINGLE_BYTES: usize = 64;
const DOCUMENT_BYTES: usize = 8 << 10;

/// The different shingle sets of the documents.
struct Collected {
    sketcher: Sketcher,
    documents: usize,
    seen: HashSet<u128>,
    sets: Vec<Vec<u64>>,
    /// One document in so many is taken.
    one_in: u64,
    budget: MemoryBudget,
    reserved: Vec<Reservation>,
    full: Option<BudgetError>,
}

impl Sink for Collected {
    fn document(&mut self, document: &Document<'_>) -> Result<(), SinkError> {
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
        let bytes = DOCUMENT_BYTES + SHINGLE_BYTES * sketched.fingerprints.len();
        match self.budget.reserve("the sets of all documents", bytes) {
            Ok(reservation) => self.reserved.push(reservation),
            Err(error) => {
                self.full = Some(error);
                return Err(SinkError::from(std::io::Error::from(
                    std::io::ErrorKind::OutOfMemory,
                )));
            }
        }
        self.sets
            .push(set_of(sketched.fingerprints.iter().copied()));
        Ok(())
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
fn read(documents: EvaluatedDocuments<'_>, config: &Config) -> Result<Collected, Error> {
    let mut params = config.sketch.params();
    params.sampling = Sampling::Modulus { modulus: 1 };
    let mut collected = Collected {
        sketcher: Sketcher::new(&params),
        documents: 0,
        seen: HashSet::new(),
        one_in: documents.one_in.max(1),
        sets: Vec::new(),
        budget: MemoryBudget::new(usize::try_from(config.work.memory_bytes).unwrap_or(usize::MAX)),
        reserved: Vec::new(),
        full: None,
    };
    let listing = input::discover(&Discovery {
        paths: documents.paths,
        base: documents.base.to_owned(),
        format: FormatChoice::Auto,
        passed_over: Default::default(),
    })?;
    let options = ReadOptions {
        fields: config.input.fields.clone(),
        max_document_bytes: config.input.max_document_bytes,
        max_expansion: config.input.max_expansion,
        large: LargeRecords::default(),
    };
    for (index, file) in (0..).zip(&listing.files) {
        let piece = Piece {
            file: index,
            start: 0,
            end: file.bytes,
        };
        let outcome = input::read_piece(file, &piece, Some(0), &options, &mut collected);
        if let Some(error) = collected.full.take() {
            return Err(Error::from(error));
        }
        outcome?;
    }
    Ok(collected)
}

/// Evaluates all methods on the documents of some files.
///
/// # Errors
/// When they cannot be read, there are less than two different ones, or memory does not suffice.
pub fn evaluate_documents(
    documents: EvaluatedDocuments<'_>,
    config: &Config,
) -> Result<Evaluation, Error> {
    let collected = read(documents, config)?;
    let sets = &collected.sets;
    if sets.len() < 2 {
        let found = sets.len();
        return Err(Error::NotFound(format!(
            "failed to find two documents with different shingles: found {found}"
        )));
    }
    let threshold = config.cluster.resemblance.to_f64();
    let functions = Functions::new(Family::Keyed, 200, SEED);
    let sketches = METHODS.map(|method| {
        timed(|| {
            sets.iter()
                .map(|set| method.sketch(set, &functions))
                .collect::<Vec<Sketch>>()
        })
    });
    let mut scores: Vec<Score> = METHODS.map(|_| Score::none(sets.len())).into();
    let (mut links, mut pairs) = (Links::none(sets.len()), 0);
    each_pair(sets, |a, b, shared| {
        let union = sets[a].len() + sets[b].len() - shared;
        let exact = shared as f64 / union as f64;
        pairs += 1;
        links.add([a, b], exact, threshold);
        for ((method, score), (sketches, _)) in METHODS.iter().zip(&mut scores).zip(&sketches) {
            let judged = method.judge(&sketches[a], &sketches[b], union);
            score.add([a, b], &judged, exact, threshold);
        }
    });
    let setting = format!(
        "{} documents, {} with different sets of shingles; {pairs} pairs share a shingle, {} reach \
         {threshold} exactly. Errors are those of pairs of {JUDGED_FROM} or more. A run \
         also compares uncertain pairs exactly (`settle`); these rows have the sketch alone.",
        collected.documents,
        sets.len(),
        links.count
    );
    let scores = Scores {
        links,
        scores,
        sketches: &sketches,
        threshold,
    };
    Ok(scores.evaluation(setting))
}

/// Calls `f` with each pair of sets that share a value, the lower first, and how many they share.
fn each_pair(sets: &[Vec<u64>], mut f: impl FnMut(usize, usize, usize)) {
    let mut lists: HashMap<u64, Vec<u32>> = HashMap::new();
    let mut counts = vec![0_usize; sets.len()];
    let mut touched: Vec<u32> = Vec::new();
    for (b, set) in sets.iter().enumerate() {
        for shingle in set {
            let list = lists.entry(*shingle).or_default();
            for a in &*list {
                let count = &mut counts[*a as usize];
                if *count == 0 {
                    touched.push(*a);
                }
                *count += 1;
            }
            list.push(b as u32);
        }
        for a in touched.drain(..) {
            f(a as usize, b, std::mem::take(&mut counts[a as usize]));
        }
    }
}

#[cfg(test)]
mod tests;
