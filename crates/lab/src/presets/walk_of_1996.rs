//! Broder, Glassman, Manasse and Zweig, *Syntactic Clustering of the Web* (1997), "Status": the
//! figures of 1996 beside those of a run with the same settings.
//!
//! *Algorithm.* A collection a 1000th as large has clusters in the proportions of the paper:
//! identical documents, and near-copies with one word in 71 changed. The program clusters it.
//! `scripts/lab altavista` does so at full size, with the common shingles of page templates. What
//! the rule for common shingles does is measured apart ([`common_shingles`]).

use super::common_shingles;
use crate::evaluation::{Claim, Evaluation};
use crate::plot::{Axis, Line, Plot};
use crate::program::Scratch;
use crate::random::Random;
use crate::table::{FigureRow, Table, row};
use crate::words;
use engine::{Error, PhaseName};
use output::thousands;
use run::RunOutcome;
use std::fs;
use std::path::Path;

const SEED: u64 = 1996;

/// The file of the collection.
const NAME: &str = "walk.jsonl";

/// The documents of the paper to one made here.
pub(super) const SCALE: usize = 1000;

/// Documents, clusters of identical documents and documents in them, other clusters and documents
/// in them.
const DOCUMENTS: usize = 30_000_000;
const IDENTICAL: [usize; 2] = [2_100_000, 5_300_000];
const MIXED: [usize; 2] = [1_500_000, 7_000_000];

/// CPU-days of 1996 by phase; 0.7 and 2.6 of `pairs`.
pub(crate) const DAYS: [(&str, f64); 5] = [
    ("sketch", 4.6),
    ("distinct", 0.3),
    ("sort", 1.7),
    ("pairs", 3.3),
    ("cluster", 0.5),
];

/// One word of so many is replaced in a near-copy.
const EDIT_EVERY: usize = 71;

const SETTINGS: &str = "shingle-size = 10\nfingerprint-bits = 40\nmethod = { kind = \"modulus\", modulus = 25 }\n\
    [pairs]\nfloor = 0\n[cluster]\nresemblance = 0.5\nsettle = \"off\"\n";

/// The words of a document: 519 on average.
fn words_of(number: usize) -> Vec<String> {
    let length = 110 + Random::new(SEED, number as u64).below(820);
    words::text(SEED ^ ((number as u64) << 20), length)
}

/// A page of 5 KB on average.
fn page(words: &[String]) -> String {
    let lines = words.chunks(12).map(|line| {
        let line = line.join(" ");
        format!("<p align=\"left\"><font size=\"2\">{line}</font></p>\n")
    });
    lines.collect()
}

/// Another version of a document.
fn near_copy(words: &[String], number: usize) -> String {
    let mut random = Random::new(SEED + 1, number as u64);
    let word = |word: &String| match random.below(EDIT_EVERY) {
        0 => format!("edit{}", random.bits()),
        _ => word.clone(),
    };
    page(&words.iter().map(word).collect::<Vec<String>>())
}

/// The texts of the collection.
fn collection(scale: usize) -> impl Iterator<Item = String> {
    let groups = move |[clusters, documents]: [usize; 2]| {
        let (clusters, documents) = ((clusters / scale).max(1), documents / scale);
        (0..clusters)
            .map(move |group| (group + 1) * documents / clusters - group * documents / clusters)
    };
    let alone = (DOCUMENTS - IDENTICAL[1] - MIXED[1]) / scale;
    let identical = groups(IDENTICAL).enumerate().flat_map(|(group, size)| {
        let text = page(&words_of(group));
        std::iter::repeat_n(text, size)
    });
    let mixed = groups(MIXED).enumerate().flat_map(|(group, size)| {
        let words = words_of(1_000_000 + group);
        (0..size).map(move |number| near_copy(&words, group * 1000 + number))
    });
    let alone = (0..alone).map(|number| page(&words_of(2_000_000 + number)));
    identical.chain(mixed).chain(alone)
}

/// The bytes of the files of a directory whose names end like this.
fn bytes_in(directory: &Path, end: &str) -> u64 {
    let files = fs::read_dir(directory).into_iter().flatten().flatten();
    let files = files.filter(|file| file.file_name().to_string_lossy().ends_with(end));
    let bytes = files.map(|file| file.metadata().map_or(0, |metadata| metadata.len()));
    bytes.sum()
}

pub(super) fn evaluate(scale: usize) -> Result<Evaluation, Error> {
    let scratch = Scratch::new()?;
    scratch.write_documents(NAME, "html", collection(scale))?;
    let sorted = scratch.run(NAME, SETTINGS, Some(PhaseName::Sort))?;
    let all = scratch.run(NAME, SETTINGS, None)?;
    let work = scratch.path(&format!("{NAME}.work"));
    let phases = DAYS.map(|(phase, days)| {
        let mut costs = sorted.run.phases.iter().chain(&all.run.phases);
        let cost = costs.find(|cost| cost.name == phase);
        row! {
            "phase": phase,
            "1997, CPU days": days,
            "this run, CPU s": cost.map(|cost| cost.cpu_s * scale as f64),
        }
    });
    let title = format!("Status of 1997, and {scale} times this run");
    let phases = Table::new("CPU time by phase, scaled in proportion", phases);
    let status = Table::new(title, figures(&work, &sorted, &all, scale));
    Ok(evaluation(status, phases, scale))
}

/// The figures of the paper, where it has one, and of a run: until phase `sort`, and the rest.
fn figures(work: &Path, sorted: &RunOutcome, all: &RunOutcome, scale: usize) -> [FigureRow; 19] {
    let report = all.report.clone().unwrap_or_default();
    let (clusters, input, pairs) = (report.clusters, report.input, report.pairs);
    let (identical, others) = (clusters.identical_only, clusters.remaining);
    let files = [
        ("sketch", ".sketches"),
        ("sort", ""),
        ("pairs", ""),
        ("cluster", "members"),
    ];
    let [sketches, postings, counts, members] =
        files.map(|(phase, end)| bytes_in(&work.join(phase), end));
    let most = |outcome: &RunOutcome| outcome.run.totals.peak_disk_bytes.unwrap_or(0);
    let row = |figure: &str, paper: Option<f64>, found: u64| {
        row! {
            "figure": figure,
            "1997": paper.map(|paper| paper as u64),
            "this run": found * scale as u64,
        }
    };
    [
        row("documents", Some(3e7), input.documents),
        row("bytes", Some(150e9), input.bytes),
        row("bytes of URLs", Some(1.8e9), input.url_bytes),
        row("shingles kept", Some(6e8), report.sketch.shingles_sampled),
        row("bytes of the sketches", Some(3e9), sketches),
        row("postings of representatives", None, pairs.postings),
        row("bytes of the postings", Some(5.5e9), postings),
        row(
            "bytes on disk until they are sorted",
            Some(1e10),
            most(sorted),
        ),
        row("⟨ID, ID, 1⟩", None, pairs.pair_increments),
        row("different pairs", None, pairs.distinct_pairs),
        row("bytes of ⟨ID, ID, count⟩", Some(6e9), counts),
        row("bytes on disk at most", Some(20e9), most(all)),
        row("clusters", Some(3.6e6), clusters.clusters),
        row("documents in clusters", Some(12.3e6), clusters.documents),
        row(
            "clusters of identical documents",
            Some(2.1e6),
            identical.clusters,
        ),
        row("documents in them", Some(5.3e6), identical.documents),
        row("other clusters", Some(1.5e6), others.clusters),
        row("documents in the others", Some(7e6), others.documents),
        row("bytes of the file of clusters", Some(1e8), members),
    ]
}

fn evaluation(status: Table, phases: Table, scale: usize) -> Evaluation {
    let near = |name: &'static str, error: f64| {
        let row = status.points_of(["1997", "this run"], name);
        let (paper, found) = row.first().copied().unwrap_or((f64::NAN, f64::NAN));
        Claim {
            source: "Broder et al. 1997, Status",
            claim: format!("{} {name}", thousands(paper as u64)),
            found: thousands(found as u64),
            met: (found / paper - 1.0).abs() <= error,
        }
    };
    let line = |name, column, seconds: f64| {
        let points = (1..).zip(phases.numbers(column));
        let points = points.filter_map(|(phase, time)| Some((f64::from(phase), time? * seconds)));
        Line::new(name, points.collect::<Vec<_>>())
    };
    let plot = Plot::new(
        "altavista",
        "CPU seconds for 30 million documents",
        [
            Axis::Linear("sketch, distinct, sort, pairs, cluster"),
            Axis::Logarithmic("CPU seconds"),
        ],
        [
            line("1997", "1997, CPU days", 86_400.0),
            line("this run, scaled", "this run, CPU s", 1.0),
        ],
    );
    let (common, claims_of_common) = common_shingles::measure();
    let claims = [
        near("documents", 0.01),
        near("bytes", 0.2),
        near("shingles kept", 0.2),
        near("clusters", 0.05),
        near("documents in clusters", 0.05),
        near("clusters of identical documents", 0.05),
        near("documents in them", 0.05),
    ];
    Evaluation {
        name: "altavista",
        title: "The Status section of 1997, and common shingles".to_owned(),
        setting: format!(
            "{} documents in the proportions of the paper, w = 10, modulus 25, 40 bits, resemblance \
             0.5; the figures of this run are multiplied by {scale}. Merges are not in proportion to \
             the documents: docs/BENCHMARKS.md has the run of 30 million.",
            DOCUMENTS / scale
        ),
        claims: claims.into_iter().chain(claims_of_common).collect(),
        plots: vec![plot],
        tables: vec![status, phases, common],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clusters_have_the_proportions_of_the_paper() {
        let evaluation = evaluate(100_000).expect("a run");
        let of_clusters = |claim: &&Claim| claim.claim.contains("clusters");
        let claims: Vec<_> = evaluation.claims.iter().filter(of_clusters).collect();
        assert!(
            claims.len() == 3 && claims.iter().all(|claim| claim.met),
            "{evaluation}"
        );
        let found: Vec<Option<f64>> = evaluation.tables[0].numbers("this run").collect();
        assert_eq!(found.len(), 19);
        assert!(found.iter().all(|found| *found > Some(0.0)), "{evaluation}");
    }
}
