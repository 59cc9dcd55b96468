//! The methods of the papers on documents of the user, beside exact sets.
//!
//! *Input.* Files of any format that is read as input, and a configuration, which says what a
//! shingle and a link are. *Output.* For each method and size: precision and recall of links,
//! errors, coverage of the interval, records and bytes a document, CPU time. *Algorithm.* Documents
//! of equal sets count once. For each document, the lists of its shingles give the documents before
//! it that share one, and how many; every method judges these pairs. *Memory.* About 64 bytes for
//! each shingle of each document, and 8 KiB a document, reserved in `work.memory`. *Limits.* Pairs
//! without a common shingle are not judged: no method but minima can link them.

mod method;

use crate::cpu::timed;
use crate::evaluation::Evaluation;
use crate::methods::family::Family;
use crate::methods::minhash::Functions;
use crate::plot::{Axis, Plot};
use crate::set::set_of;
use crate::table::{Cell, Table, row};
use input::{
    Discovery, Document, FormatChoice, LargeRecords, Piece, ReadOptions, Rejection, Sink, SinkError,
};
use method::{METHODS, Method, SEED, Sketch};
use model::Sampling;
use pipeline::Error;
use pipeline::config::Config;
use sketch::Sketcher;
use sort::{BudgetError, MemoryBudget, Reservation};
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

/// Pairs of a lower resemblance do not count for errors.
const JUDGED_FROM: f64 = 0.1;

/// Bytes of a shingle in its set and its list, and of the sketches of a document.
const SHINGLE_BYTES: usize = 64;
const DOCUMENT_BYTES: usize = 8 << 10;

/// How a method did so far.
#[derive(Clone, Copy, Debug, Default)]
struct Score {
    found: usize,
    right: usize,
    judged: usize,
    errors: f64,
    worst: f64,
    covered: usize,
}

/// The different shingle sets of the documents.
struct Collected {
    sketcher: Sketcher,
    documents: usize,
    seen: HashSet<u128>,
    sets: Vec<Vec<u64>>,
    budget: MemoryBudget,
    reserved: Vec<Reservation>,
    full: Option<BudgetError>,
}

impl Sink for Collected {
    fn document(&mut self, document: &Document<'_>) -> Result<(), SinkError> {
        self.documents += 1;
        let sketched = self.sketcher.sketch(document.content);
        if sketched.fingerprints.is_empty() || !self.seen.insert(sketched.sketch_digest) {
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

/// Reads all documents of `paths`, relative to this directory.
fn read(paths: Vec<String>, config: &Config) -> Result<Collected, Error> {
    let mut params = config.sketch.params();
    params.sampling = Sampling::Modulus { modulus: 1 };
    let mut collected = Collected {
        sketcher: Sketcher::new(&params),
        documents: 0,
        seen: HashSet::new(),
        sets: Vec::new(),
        budget: MemoryBudget::new(usize::try_from(config.work.memory_bytes).unwrap_or(usize::MAX)),
        reserved: Vec::new(),
        full: None,
    };
    let listing = input::discover(&Discovery {
        paths,
        base: std::env::current_dir().unwrap_or_else(|_| PathBuf::from(".")),
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
pub fn evaluate_documents(paths: Vec<String>, config: &Config) -> Result<Evaluation, Error> {
    let collected = read(paths, config)?;
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
    let mut scores = [Score::default(); METHODS.len()];
    let (mut links, mut pairs) = (0, 0);
    each_pair(sets, |a, b, shared| {
        let union = sets[a].len() + sets[b].len() - shared;
        let exact = shared as f64 / union as f64;
        let is_link = exact >= threshold;
        links += usize::from(is_link);
        pairs += 1;
        for ((method, score), (sketches, _)) in METHODS.iter().zip(&mut scores).zip(&sketches) {
            let (is_found, estimate) = method.judge(&sketches[a], &sketches[b], union, threshold);
            score.found += usize::from(is_found);
            score.right += usize::from(is_found && is_link);
            if let Some((estimate, interval)) = estimate.filter(|_| exact >= JUDGED_FROM) {
                let error = (estimate - exact).abs();
                score.judged += 1;
                score.errors += error;
                score.worst = score.worst.max(error);
                score.covered += usize::from(interval.contains(exact));
            }
        }
    });
    let mut table = Table::new(
        format!("Links at {threshold}, by method and size"),
        &COLUMNS,
    );
    for ((method, score), (sketches, seconds)) in METHODS.iter().zip(&scores).zip(&sketches) {
        table
            .rows
            .push(row_of(*method, score, links, sketches, *seconds));
    }
    let setting = format!(
        "{} documents, {} with different sets of shingles; {pairs} pairs share a shingle, {links} \
         reach {threshold} exactly. Errors are those of pairs of {JUDGED_FROM} or more.",
        collected.documents,
        sets.len()
    );
    Ok(evaluation(setting, table))
}

const COLUMNS: [&str; 11] = [
    "method",
    "size",
    "links",
    "precision",
    "recall",
    "mean error",
    "worst",
    "coverage",
    "records",
    "bytes",
    "CPU s",
];

/// The row of a method. A quotient without a divisor is missing.
fn row_of(
    method: Method,
    score: &Score,
    links: usize,
    sketches: &[Sketch],
    seconds: f64,
) -> Vec<Cell> {
    let share = |part: f64, whole: usize| (whole > 0).then(|| part / whole as f64);
    let (records, bytes): (usize, usize) =
        sketches
            .iter()
            .fold((0, 0), |(records, bytes), sketch| match sketch {
                Sketch::Values { values, .. } => (records + values.len(), bytes + 8 * values.len()),
                Sketch::Signature(values) => (records + values.len(), bytes + 4 * values.len()),
            });
    let (name, size) = method.name();
    row![
        name,
        size,
        score.found,
        share(score.right as f64, score.found),
        share(score.right as f64, links),
        share(score.errors, score.judged),
        (score.judged > 0).then_some(score.worst),
        share(score.covered as f64, score.judged),
        share(records as f64, sketches.len()),
        share(bytes as f64, sketches.len()),
        seconds
    ]
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

fn evaluation(setting: String, table: Table) -> Evaluation {
    let line = |name: &str| {
        let of_name = |row: &[Cell]| row[0] == Cell::from(name);
        (
            name.to_owned(),
            table.points(["bytes", "mean error"], of_name),
        )
    };
    let names = ["MOD_m", "adaptive (default: 128)", "MIN_s", "minima"];
    let axis = |name| Axis { name, is_log: true };
    let plot = Plot {
        title: "Mean error of the resemblance by the size of a sketch".to_owned(),
        x: axis("bytes a document"),
        y: axis("mean error"),
        lines: names.map(line).into(),
    };
    Evaluation {
        name: "documents",
        title: "The methods on these documents, beside exact sets".to_owned(),
        setting,
        claims: Vec::new(),
        plots: vec![("documents".to_owned(), plot)],
        tables: vec![table],
    }
}

#[cfg(test)]
mod tests;
