//! What one of each cost in finished work directories, in the form of `src/estimate/rates.rs`, to
//! be pasted there: `cargo run --release -p pipeline --example rates -- WORK_DIR…`.
//!
//! A phase has one CPU time and several counts, so its rates are those of the table, all times one
//! factor: the time it took by that of the table, the geometric mean over the directories. Beside
//! each rate stands what it is at most, had its count taken all of the time. A phase of less than a
//! tenth of a second says nothing. Where the factors of directories of different proportions (many
//! links, few links) differ much, the rates have to be weighed anew by hand. Take them from runs of
//! some CPU minutes.

use anyhow::Context;
use format::{Disk, Manifest};
use std::collections::BTreeMap;
use std::path::Path;

/// The table as it is.
const TABLE: &str = include_str!("../src/estimate/rates.rs");

/// What a phase goes through: the phase that counted it, the count, its rate.
type Part = (&'static str, &'static str, &'static str);

const PHASES: [(&str, &[Part]); 6] = [
    (
        "sketch",
        &[
            ("sketch", "bytes", "READ_BODY_BYTE_NS"),
            ("sketch", "bytes", "SKETCH_BODY_BYTE_NS"),
            ("sketch", "documents", "SKETCH_DOCUMENT_NS"),
            ("sketch", ROW_BYTES, "SKETCH_ROW_BYTE_NS"),
            ("sketch", SEGMENTS, "SKETCH_SEGMENT_NS"),
        ],
    ),
    (
        "distinct",
        &[("sketch", "documents", "DISTINCT_DOCUMENT_NS")],
    ),
    (
        "sort",
        &[
            ("sketch", "sampled", "SORT_SAMPLED_NS"),
            ("sort", "postings", "SORT_POSTING_NS"),
        ],
    ),
    (
        "pairs",
        &[
            ("sort", "postings", "PAIRS_POSTING_NS"),
            ("pairs", "increments", "PAIRS_INCREMENT_NS"),
            ("pairs", "pairs", "PAIRS_PAIR_NS"),
        ],
    ),
    (
        "cluster",
        &[
            ("sketch", "documents", "CLUSTER_DOCUMENT_NS"),
            ("pairs", "pairs", "CLUSTER_PAIR_NS"),
            ("cluster", "links", "CLUSTER_LINK_NS"),
        ],
    ),
    (
        "index",
        &[
            ("sketch", "documents", "INDEX_DOCUMENT_NS"),
            ("cluster", "links", "INDEX_LINK_NS"),
        ],
    ),
];

/// Counts that are not in the manifest but follow from its outputs.
const ROW_BYTES: &str = "bytes of segments";
const SEGMENTS: &str = "segments";

fn main() -> anyhow::Result<()> {
    let dirs: Vec<String> = std::env::args().skip(1).collect();
    anyhow::ensure!(!dirs.is_empty(), "usage: rates WORK_DIR…");
    let rates = table()?;
    let manifests = dirs
        .iter()
        .map(|dir| load(dir))
        .collect::<anyhow::Result<Vec<Manifest>>>()?;
    for (phase, parts) in PHASES {
        let mut factors = Vec::new();
        for (dir, manifest) in dirs.iter().zip(&manifests) {
            let Some(factor) = factor(manifest, &rates, phase, parts)? else {
                continue;
            };
            let cost = |name| cost(manifest, phase, name);
            let (cpu_s, written) = (cost("cpu_ms") / 1e3, cost("bytes_written") / 1e6);
            let memory = cost("peak_memory_bytes") / 1e6;
            println!(
                "// {phase} of {dir}: {cpu_s:.3} CPU s, {factor:.2} x the table; {written:.1} MB written, peak {memory:.1} MB"
            );
            factors.push(factor);
        }
        if factors.is_empty() {
            continue;
        }
        let mean = (factors.iter().map(|factor: &f64| factor.ln()).sum::<f64>()
            / factors.len() as f64)
            .exp();
        for part in parts {
            let most = manifests
                .iter()
                .filter_map(|manifest| at_most(manifest, phase, part));
            let most = most.fold(f64::INFINITY, f64::min);
            let rate = mean * rate(&rates, part.2)?;
            let digits = if rate < 1000.0 { 1 } else { 0 };
            println!(
                "pub(super) const {}: f64 = {rate:.digits$}{}; // at most {most:.1}",
                part.2,
                [".0", ""][digits]
            );
        }
    }
    Ok(())
}

fn load(dir: &str) -> anyhow::Result<Manifest> {
    Manifest::load(&Disk::default(), Path::new(dir))?
        .with_context(|| format!("{dir} holds no finished phase"))
}

/// Names and values of the table's constants.
fn table() -> anyhow::Result<BTreeMap<&'static str, f64>> {
    let constants = TABLE.lines().filter_map(|line| {
        line.strip_prefix("pub(super) const ")?
            .split_once(": f64 = ")
    });
    constants
        .map(|(name, value)| Ok((name, value.trim_end_matches(';').replace('_', "").parse()?)))
        .collect()
}

fn rate(rates: &BTreeMap<&str, f64>, name: &str) -> anyhow::Result<f64> {
    rates
        .get(name)
        .copied()
        .with_context(|| format!("{name} is not in the table"))
}

/// A figure of what a phase cost.
fn cost(manifest: &Manifest, phase: &str, name: &str) -> f64 {
    manifest
        .phases
        .get(phase)
        .and_then(|record| record.cost.get(name))
        .copied()
        .unwrap_or(0) as f64
}

/// A count of a phase.
fn count(manifest: &Manifest, &(phase, name, _): &Part) -> f64 {
    let Some(record) = manifest.phases.get(phase) else {
        return 0.0;
    };
    let of_segments = record
        .outputs
        .values()
        .filter(|sealed| sealed.name.starts_with("segment-"));
    match name {
        ROW_BYTES => of_segments.map(|sealed| sealed.bytes).sum::<u64>() as f64,
        // Each has five files.
        SEGMENTS => of_segments.count() as f64 / 5.0,
        name => record.counts.get(name).copied().unwrap_or(0) as f64,
    }
}

/// A shorter phase is mostly what every phase takes.
const TELLING_NS: f64 = 1e8;

/// How long a phase took, by what the table says; `None` if it did not run or was too short.
fn factor(
    manifest: &Manifest,
    rates: &BTreeMap<&str, f64>,
    phase: &str,
    parts: &[Part],
) -> anyhow::Result<Option<f64>> {
    let cpu_ns = cost(manifest, phase, "cpu_ms") * 1e6;
    // What the phases before have touched is not touched for the first time.
    let before = PHASES.iter().take_while(|(before, _)| *before != phase);
    let before = before.map(|(before, _)| cost(manifest, before, "peak_memory_bytes"));
    let before = before.fold(rate(rates, "PROGRAM_BYTES")?, f64::max);
    let memory = (cost(manifest, phase, "peak_memory_bytes") - before).max(0.0);
    let fixed = rate(rates, "PHASE_NS")? + memory * rate(rates, "FIRST_TOUCH_BYTE_NS")?;
    let mut counted = 0.0;
    for part in parts {
        counted += count(manifest, part) * rate(rates, part.2)?;
    }
    Ok((cpu_ns >= TELLING_NS && counted > 0.0)
        .then(|| (cpu_ns - fixed).max(cpu_ns / 10.0) / counted))
}

/// Nanoseconds for one of a count that took all of the time of a phase.
fn at_most(manifest: &Manifest, phase: &str, part: &Part) -> Option<f64> {
    let (cpu_ns, count) = (cost(manifest, phase, "cpu_ms") * 1e6, count(manifest, part));
    (count > 0.0 && cpu_ns > 0.0).then(|| cpu_ns / count)
}
