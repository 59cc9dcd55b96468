//! What one of each cost in a finished work directory: `cargo run --release --example rates -- WORK_DIR`.
//!
//! Prints what bounds the rates of `src/estimate/rates.rs`. A phase has one CPU time and several counts: each rate is given
//! as if that count had taken all of the time, so it is at most that; two or three runs of different proportions (many
//! links, few links) leave one solution.

use format::{Disk, Manifest};
use std::path::Path;

/// Phase, the phase that counted, the count, the rate.
const RATES: [(&str, &str, &str, &str); 10] = [
    ("distinct", "sketch", "documents", "DISTINCT_DOCUMENT_NS"),
    ("sort", "sketch", "sampled", "SORT_SAMPLED_NS"),
    ("sort", "sort", "postings", "SORT_POSTING_NS"),
    ("pairs", "sort", "postings", "PAIRS_POSTING_NS"),
    ("pairs", "pairs", "increments", "PAIRS_INCREMENT_NS"),
    ("pairs", "pairs", "pairs", "PAIRS_PAIR_NS"),
    ("cluster", "sketch", "documents", "CLUSTER_DOCUMENT_NS"),
    ("cluster", "pairs", "pairs", "CLUSTER_PAIR_NS"),
    ("cluster", "cluster", "links", "CLUSTER_LINK_NS"),
    ("index", "sketch", "documents", "INDEX_DOCUMENT_NS"),
];

fn main() -> anyhow::Result<()> {
    let dir = std::env::args().nth(1).ok_or_else(|| anyhow::anyhow!("usage: rates WORK_DIR"))?;
    let manifest = Manifest::load(&Disk::default(), Path::new(&dir))?;
    let manifest = manifest.ok_or_else(|| anyhow::anyhow!("{dir} holds no finished phase"))?;
    let figure = |phase: &str, of_cost: bool, name: &str| {
        let record = manifest.phases.get(phase)?;
        (if of_cost { &record.cost } else { &record.counts }).get(name).copied()
    };
    let body_bytes = figure("sketch", false, "bytes").unwrap_or(0).max(1) as f64;
    for (phase, record) in &manifest.phases {
        let cost = |name: &str| record.cost.get(name).copied().unwrap_or(0) as f64;
        println!(
            "// {phase}: {:.3} CPU s, {:.1} MB written, {:.1} MB of memory",
            cost("cpu_ms") / 1e3,
            cost("bytes_written") / 1e6,
            cost("peak_memory_bytes") / 1e6
        );
    }
    if let Some(cpu_ms) = figure("sketch", true, "cpu_ms") {
        println!("// sketch, all of it: {:.2} ns a byte of a body", cpu_ms as f64 * 1e6 / body_bytes);
    }
    for (phase, counted_by, name, rate) in RATES {
        let (Some(cpu_ms), Some(count)) = (figure(phase, true, "cpu_ms"), figure(counted_by, false, name)) else {
            continue;
        };
        println!("{rate}: at most {:.1} ({count} {name})", cpu_ms as f64 * 1e6 / count.max(1) as f64);
    }
    Ok(())
}
