//! The Status table of 1996 beside ours.

use super::Options;
use super::measured::{Phases, Sketching};
use crate::bench::altavista::ALTAVISTA;
use crate::bench::report::Report;
use crate::plot::{Axis, Line, Plot};
use crate::presets::DAYS;
use crate::table::{Table, row};
use anyhow::Result;

/// CPU seconds of a day.
const DAY_S: f64 = 86_400.0;

/// The paper gives about 10.5 CPU-days in all, the sum of its unrounded figures.
const DAYS_IN_ALL: f64 = 10.5;

/// CPU seconds of a phase for the whole of 1996.
fn whole_s(phases: &Phases, phase: &str) -> f64 {
    let documents = phases.written.documents.max(1);
    phases.cpu_s(Some(phase)) * ALTAVISTA.documents as f64 / documents as f64
}

/// Prints all tables and writes the plot.
pub(super) fn print(
    options: &Options,
    [modulus, adaptive]: [&Phases; 2],
    pages: &[Sketching],
    report: &mut Report,
) -> Result<()> {
    print_phases(modulus, report)?;
    print_counts(modulus, report)?;
    print_phases(adaptive, report)?;
    print_sketching(pages, report)?;
    let composed = composed([modulus, adaptive], pages, report)?;
    let line = |column| {
        let times = (1..).zip(composed.numbers(column)).take(DAYS.len());
        let points = times.filter_map(|(phase, time)| Some((f64::from(phase), time?)));
        Line::new(column, points.collect::<Vec<_>>())
    };
    let axes = [
        Axis::Linear("sketch, distinct, sort, pairs, cluster"),
        Axis::Logarithmic("CPU seconds"),
    ];
    let title = format!(
        "CPU seconds of the 1996 collection by phase, from scale {}",
        options.scale
    );
    let lines = ["1996: CPU-s", "WARC: CPU-s"].map(line);
    report.plot(&Plot::new("phases", title, axes, lines))
}

fn print_phases(phases: &Phases, report: &mut Report) -> Result<()> {
    let documents = phases.written.documents;
    let title = format!(
        "Phases on {documents} documents, method {}, memory {}",
        phases.method, phases.memory
    );
    // A posting has 12 bytes.
    let posting_bytes = (12 * phases.count("pairs.postings")).max(1) as f64;
    let rows = phases.each().map(|(phase, usage)| {
        row! {
            "phase": phase,
            "CPU-s": usage.cpu_s(),
            "sys-s": usage.sys_s,
            "wall-s": usage.wall_s,
            "read GB": usage.read_bytes as f64 / 1e9,
            "written GB": usage.written_bytes as f64 / 1e9,
            "/ postings": usage.written_bytes as f64 / posting_bytes,
            "peak MiB": usage.peak_mib(),
            "ns/page": usage.cpu_s() * 1e9 / documents.max(1) as f64,
        }
    });
    report.table(&Table::new(title, rows))?;
    report.line(&format!(
        "all four {:.2} CPU-s; with the sketches {:.2} GB written = {:.2} x the postings of 12 \
         bytes; {:.2} GB stay on disk",
        phases.cpu_s(None),
        phases.written_bytes() as f64 / 1e9,
        phases.written_bytes() as f64 / posting_bytes,
        phases.disk_bytes as f64 / 1e9,
    ))
}

fn print_counts(phases: &Phases, report: &mut Report) -> Result<()> {
    let part = phases.written.documents as f64 / ALTAVISTA.documents as f64;
    let count = |name: &str| phases.count(name);
    let cluster = |name: &str| phases.count(&format!("cluster.clusters.{name}"));
    let (clusters, clustered) = (cluster("clusters"), cluster("documents"));
    let (identical, copies) = (
        cluster("identical_clusters"),
        cluster("identical_documents"),
    );
    let of = &ALTAVISTA;
    let all = of.identical_clusters + of.mixed_clusters;
    let in_all = of.identical_documents + of.mixed_documents;
    let mut table = Table::new("Counts", []);
    for (name, then, ours) in [
        ("documents", of.documents, count("sketch.documents")),
        ("postings", of.shingles, count("pairs.postings")),
        (
            "increments (derived)",
            of.increments,
            count("pairs.increments"),
        ),
        ("clusters", all, clusters),
        ("documents in them", in_all, clustered),
        ("identical clusters", of.identical_clusters, identical),
        ("documents in them", of.identical_documents, copies),
        ("other clusters", of.mixed_clusters, clusters - identical),
        ("documents in them", of.mixed_documents, clustered - copies),
    ] {
        let wanted = then as f64 * part;
        table.push(row! {
            "count": name,
            "1996: M": then as f64 / 1e6,
            "x scale": wanted,
            "ours": ours,
            "off: %": (ours as f64 / wanted - 1.0) * 100.0,
        });
    }
    report.table(&table)?;
    report.line(&format!(
        "representatives {}, common shingles {} in {} postings, pairs not left out {}, links {}",
        phases.count("distinct.classes.representatives"),
        phases.count("pairs.common_shingles"),
        phases.count("pairs.common_postings"),
        phases.count("pairs.pairs"),
        phases.count("cluster.links.resemblance"),
    ))
}

fn print_sketching(pages: &[Sketching], report: &mut Report) -> Result<()> {
    let title = "Sketching; GB and MB are of pages: markup, or for jsonl the text without it";
    let rows = pages.iter().map(|found| {
        let each = |sum: u64| sum as f64 / found.written.documents.max(1) as f64;
        row! {
            "sketching": found.name.as_str(),
            "GB": found.written.bytes as f64 / 1e9,
            "files GB": found.written.file_bytes as f64 / 1e9,
            "B/page": each(found.written.bytes),
            "words": each(found.written.words),
            "kept/page": each(found.sampled),
            "CPU-s": found.usage.cpu_s(),
            "MB/CPU-s": found.rate(),
            "peak MiB": found.usage.peak_mib(),
        }
    });
    report.table(&Table::new(title, rows))
}

fn composed(
    [modulus, adaptive]: [&Phases; 2],
    pages: &[Sketching],
    report: &mut Report,
) -> Result<Table> {
    let title = "The whole run, 30 M pages of 150 GB, COMPOSED: sketching at the rate above, the \
                 other phases times the scale; modulus 25 from WARC and WARC.gz, adaptive from WARC";
    let mut table = Table::new(title, []);
    let kinds = [
        ("warc, modulus 25", modulus),
        ("warc.gz, modulus 25", modulus),
        ("warc, adaptive", adaptive),
    ];
    let mut add = |phase: &str, days: f64, seconds: [Option<f64>; 3]| {
        let less = |seconds: Option<f64>| Some(days * DAY_S / seconds?.max(1e-9));
        table.push(row! {
            "phase": phase,
            "1996: days": days,
            "1996: CPU-s": days * DAY_S,
            "WARC: CPU-s": seconds[0],
            "WARC.gz: CPU-s": seconds[1],
            "adaptive: CPU-s": seconds[2],
            "WARC: times less": less(seconds[0]),
            "WARC.gz: times less": less(seconds[1]),
            "adaptive: times less": less(seconds[2]),
        });
    };
    let mut sums = [Some(0.0); 3];
    for (phase, days) in DAYS {
        let seconds = kinds.map(|(name, phases)| match phase {
            "sketch" => {
                // 150 GB of pages at the rate of those that were sketched.
                let found = pages.iter().find(|pages| pages.name == name);
                found.map(|pages| ALTAVISTA.bytes as f64 / 1e6 / pages.rate())
            }
            _ => Some(whole_s(phases, phase)),
        });
        for (sum, seconds) in sums.iter_mut().zip(seconds) {
            *sum = sum.zip(seconds).map(|(sum, seconds)| sum + seconds);
        }
        add(phase, days, seconds);
    }
    add("all", DAYS_IN_ALL, sums);
    report.table(&table)?;
    report.raw(
        "composed",
        serde_json::json!({ "raw_s": sums[0], "warc_gz_s": sums[1], "adaptive_raw_s": sums[2] }),
    )?;
    Ok(table)
}
