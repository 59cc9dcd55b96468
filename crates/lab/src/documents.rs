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
mod score;
mod set_file;
mod tables;

use crate::corpus;
use crate::cpu::timed;
use crate::evaluation::Evaluation;
use crate::exact::{SharedCounts, ShingleIndex};
use crate::random::mix;
use config::Config;
use engine::{Error, Reporter};
use method::{Method, Sketch};
use score::{JUDGED_FROM, Score};
use set_file::{Block, Place, SetFile};
use sort::{MemoryBudget, Share};
use std::collections::HashSet;
use std::path::Path;
use tables::Scores;

/// Bytes of a document that are held to the end: its digest, and its cells of all clusterings.
const DOCUMENT_BYTES: usize = 128;

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

/// Evaluates all methods on the documents of some files.
///
/// # Errors
/// When they cannot be read, there are less than two different ones, or memory does not suffice.
pub fn evaluate_documents(
    documents: EvaluatedDocuments<'_>,
    config: &Config,
    reporter: &Reporter,
) -> Result<Evaluation, Error> {
    let EvaluatedDocuments {
        paths,
        base,
        one_in,
    } = documents;
    let (mut file, budget) = (SetFile::create()?, MemoryBudget::new(config.work.memory()));
    let (mut taken, mut seen, mut reserved) = (0, HashSet::new(), Vec::new());
    corpus::read(paths, base.to_owned(), config, reporter, &mut |sketched| {
        let least = sketched.fingerprints.first();
        if least.is_some_and(|least| !mix(*least).is_multiple_of(one_in.max(1))) {
            return Ok(());
        }
        taken += 1;
        if least.is_none() || !seen.insert(sketched.sketch_digest) {
            return Ok(());
        }
        reserved.push(budget.reserve("the clusters of all documents", DOCUMENT_BYTES)?);
        file.push(sketched.fingerprints)
    })?;
    file.finish()?;
    let sets = file.len();
    if sets < 2 {
        return Err(Error::NotFound(format!(
            "failed to find two documents with different shingles: found {sets}"
        )));
    }
    let threshold = config.cluster.resemblance.to_f64();
    let methods = Method::all(&config.sketch);
    let mut judge = Judge {
        config,
        reporter,
        compared: 0,
        pairs: 0,
        scores: Scores {
            exact: Score::none(sets),
            scores: methods.iter().map(|_| Score::none(sets)).collect(),
            methods,
            documents: sets,
            threshold,
        },
    };
    judge.all_pairs(&mut file, &budget)?;
    let setting = format!(
        "{}, {sets} with different sets of shingles. Pairs that share a shingle: {}; that resemble \
         each other by {threshold} or more: {}. Errors are those of pairs of {JUDGED_FROM} or more. \
         A run compares all links exactly (`settle`); these rows have the sketch alone.",
        output::counted(taken, "document"),
        judge.pairs,
        judge.scores.exact.links.all
    );
    Ok(judge.scores.evaluation(setting))
}

/// All methods, as they do on the pairs so far.
struct Judge<'a> {
    config: &'a Config,
    reporter: &'a Reporter,
    /// Pairs that were looked at, with a common shingle or without.
    compared: u64,
    pairs: usize,
    scores: Scores,
}

impl Judge<'_> {
    /// Judges all pairs of sets that share a shingle.
    fn all_pairs(&mut self, sets: &mut SetFile, budget: &MemoryBudget) -> Result<(), Error> {
        let share = budget.take(Share::of(1, 3)).bytes();
        let mut begin = Place::default();
        while let Some(block) = sets.block(begin, budget, share)? {
            let sketches = self.sketches_of(&block);
            for (score, (sketches, seconds)) in self.scores.scores.iter_mut().zip(&sketches) {
                score.add_cost(sketches, *seconds);
            }
            let mut index = ShingleIndex::default();
            block.sets.iter().for_each(|set| index.insert(set));
            self.pairs_of(&index, [&block; 2], [&sketches; 2], sets.len());
            let mut next = block.end;
            while let Some(later) = sets.block(next, budget, share)? {
                let sketches = [&sketches, &self.sketches_of(&later)];
                self.pairs_of(&index, [&block, &later], sketches, sets.len());
                next = later.end;
            }
            begin = block.end;
        }
        Ok(())
    }

    /// The sketches of some documents by each method.
    fn sketches_of(&self, block: &Block) -> Sketches {
        let sets = &block.sets;
        let methods = &self.scores.methods;
        let all = (methods.len() * sets.len()) as u64;
        let task = self.reporter.task_named("sketch", "sketches", all);
        let params = self.config.sketch.params();
        let of_method = |method: &Method| {
            let mut sampler = method.sampler(&params);
            let mut sketch = |set: &Vec<u64>| method.sketch(&mut sampler, set);
            let sketches = timed(|| sets.iter().map(&mut sketch).collect());
            task.add(sets.len() as u64);
            sketches
        };
        methods.iter().map(of_method).collect()
    }

    /// Judges the pairs of the sets of the second block, which may be the first, with the earlier
    /// ones of the first, which are in the index.
    fn pairs_of(
        &mut self,
        index: &ShingleIndex,
        [earlier, later]: [&Block; 2],
        [sketches, of_later]: [&Sketches; 2],
        sets: usize,
    ) {
        let all = (sets * (sets - 1) / 2) as u64;
        let task = self.reporter.task_named("compare", "pairs", all);
        task.resume(self.compared);
        let mut counts = SharedCounts::default();
        let Scores {
            methods,
            exact: of_exact,
            scores,
            threshold,
            ..
        } = &mut self.scores;
        for (number, set) in later.sets.iter().enumerate() {
            let document = later.first + number;
            let before = (document - earlier.first).min(earlier.sets.len());
            index.sharing(set, before, &mut counts, |other, shared| {
                let union = earlier.sets[other].len() + set.len() - shared;
                let exact = shared as f64 / union as f64;
                let pair = [earlier.first + other, document].map(|number| number as u32);
                self.pairs += 1;
                of_exact.add(pair, exact, *threshold, |at| exact >= at);
                let sketches = sketches.iter().zip(of_later);
                for ((method, score), (a, b)) in methods.iter().zip(&mut *scores).zip(sketches) {
                    let min_shared = self.config.cluster.min_shared;
                    let judged = method.judge(&a.0[other], &b.0[number], min_shared);
                    score.judge(pair, &judged, exact, *threshold);
                }
            });
            task.add(before as u64);
            self.compared += before as u64;
        }
        task.finish();
    }
}

/// The sketches of some documents by each method, and the CPU seconds that they take.
type Sketches = Vec<(Vec<Sketch>, f64)>;

#[cfg(test)]
mod tests;
