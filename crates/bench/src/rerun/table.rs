//! The Status table of 1996 beside ours.

use super::phases::{PHASES, Phases};
use super::sketching::Sketching;
use super::{Log, Options};
use crate::altavista::ALTAVISTA;
use crate::svg::{self, Labels};
use anyhow::Result;

/// CPU seconds of a day.
const DAY_S: f64 = 86_400.0;

/// CPU-days of 1996 by phase. The paper gives about 10.5 in all, the sum of its unrounded figures.
const DAYS: [(&str, f64); 5] = [
    ("sketch", 4.6),
    ("distinct", 0.3),
    ("sort", 1.7),
    ("pairs", 0.7 + 2.6),
    ("cluster", 0.5),
];
const DAYS_IN_ALL: f64 = 10.5;

/// Everything that was measured.
#[derive(Clone, Debug)]
pub struct Results {
    /// The phases at modulus 25.
    pub modulus: Phases,
    /// The phases on adaptive sketches.
    pub adaptive: Phases,
    /// The phase `sketch`.
    pub pages: Vec<Sketching>,
}

impl Results {
    /// CPU seconds for 150 GB of pages in a container, from the rate of what was sketched.
    fn sketch_s(&self, container: &str, method: &str) -> Option<f64> {
        let found = self
            .pages
            .iter()
            .find(|pages| pages.container == container && pages.method == method);
        found.map(|pages| ALTAVISTA.bytes as f64 / 1e6 / pages.rate())
    }
}

/// How many times a run is to be taken for the whole of 1996.
fn times(phases: &Phases) -> f64 {
    ALTAVISTA.documents as f64 / phases.written.documents.max(1) as f64
}

/// Prints all tables and writes the plot.
///
/// # Errors
/// When they cannot be written.
pub fn print(options: &Options, results: &Results, log: &mut Log) -> Result<()> {
    print_phases(&results.modulus, log)?;
    print_counts(&results.modulus, log)?;
    print_phases(&results.adaptive, log)?;
    print_sketching(&results.pages, log)?;
    print_composed(results, log)?;
    let mut bars = Vec::new();
    if let Some(seconds) = results.sketch_s("warc", "modulus 25") {
        bars.push(("sketch (150 GB raw)".to_owned(), seconds));
    }
    let of = |phase: &&str| {
        (
            (*phase).to_owned(),
            results.modulus.cpu_s(Some(phase)) * times(&results.modulus),
        )
    };
    bars.extend(PHASES.iter().map(of));
    let title = format!(
        "CPU seconds of the 1996 collection by phase, from scale {}",
        options.scale
    );
    log.plot(
        "phases",
        &svg::bars(
            Labels {
                title: &title,
                x: "CPU seconds",
                y: "",
            },
            &bars,
        ),
    )
}

fn print_phases(phases: &Phases, log: &mut Log) -> Result<()> {
    let documents = phases.written.documents;
    log.line(&format!(
        "\nPhases on {documents} documents, method {}, memory {}; sketches made in {:.1} CPU-s",
        phases.method, phases.memory, phases.generation_s
    ))?;
    log.line("phase         CPU-s     sys-s    wall-s    read GB  written GB  / postings   peak MiB  ns/document")?;
    let of_postings = |bytes: u64| bytes as f64 / phases.posting_bytes().max(1) as f64;
    for cost in &phases.costs {
        log.line(&format!(
            "{:<10}{:>9.2}{:>10.2}{:>10.1}{:>11.3}{:>12.3}{:>12.2}{:>11.1}{:>13.0}",
            cost.phase,
            cost.usage.cpu_s(),
            cost.usage.sys_s,
            cost.usage.wall_s,
            cost.io.read_bytes as f64 / 1e9,
            cost.io.written_bytes as f64 / 1e9,
            of_postings(cost.io.written_bytes),
            cost.usage.peak_bytes as f64 / f64::from(1 << 20),
            cost.usage.cpu_s() * 1e9 / documents.max(1) as f64,
        ))?;
    }
    log.line(&format!(
        "all four  {:>9.2}; with the sketches {:.2} GB written = {:.2} x the postings of 12 bytes; {:.2} GB stay on disk",
        phases.cpu_s(None),
        phases.written_bytes() as f64 / 1e9,
        of_postings(phases.written_bytes()),
        phases.disk_bytes as f64 / 1e9,
    ))
}

fn print_counts(phases: &Phases, log: &mut Log) -> Result<()> {
    let part = phases.written.documents as f64 / ALTAVISTA.documents as f64;
    log.line(
        "\ncount                                1996     x scale        ours      off    model",
    )?;
    let clusters = ALTAVISTA.identical_clusters + ALTAVISTA.mixed_clusters;
    let clustered = ALTAVISTA.identical_documents + ALTAVISTA.mixed_documents;
    let mixed =
        |what: &str, identical: &str| phases.count(what).saturating_sub(phases.count(identical));
    let model = &phases.expected;
    let rows = [
        (
            "documents",
            ALTAVISTA.documents,
            phases.count("sketch.documents"),
            Some(model.documents),
        ),
        (
            "postings that reach sort",
            ALTAVISTA.shingles,
            phases.count("pairs.postings"),
            Some(model.postings),
        ),
        (
            "increments (derived)",
            ALTAVISTA.increments,
            phases.count("pairs.increments"),
            Some(model.increments),
        ),
        (
            "clusters",
            clusters,
            phases.count("cluster.clusters"),
            Some(model.clusters),
        ),
        (
            "documents in them",
            clustered,
            phases.count("cluster.clustered_documents"),
            Some(model.clustered),
        ),
        (
            "identical clusters",
            ALTAVISTA.identical_clusters,
            phases.count("cluster.identical_clusters"),
            None,
        ),
        (
            "documents in them",
            ALTAVISTA.identical_documents,
            phases.count("cluster.identical_cluster_documents"),
            None,
        ),
        (
            "other clusters",
            ALTAVISTA.mixed_clusters,
            mixed("cluster.clusters", "cluster.identical_clusters"),
            None,
        ),
        (
            "documents in them",
            ALTAVISTA.mixed_documents,
            mixed(
                "cluster.clustered_documents",
                "cluster.identical_cluster_documents",
            ),
            None,
        ),
    ];
    for (name, then, ours, model) in rows {
        let wanted = then as f64 * part;
        let off = (ours as f64 / wanted - 1.0) * 100.0;
        let model = model.map_or_else(String::new, |model| {
            format!("{:+.1} %", (ours as f64 / model - 1.0) * 100.0)
        });
        log.line(&format!(
            "{name:<34}{:>10.1} M{wanted:>12.0}{ours:>12}{off:>7.1} %{model:>9}",
            then as f64 / 1e6
        ))?;
    }
    log.line(&format!(
        "representatives {}, common shingles {} in {} postings, pairs that are not left out {}, links {}",
        phases.count("distinct.representatives"),
        phases.count("pairs.common_shingles"),
        phases.count("pairs.common_postings"),
        phases.count("pairs.pairs"),
        phases.count("cluster.resemblance_links"),
    ))
}

fn print_sketching(pages: &[Sketching], log: &mut Log) -> Result<()> {
    log.line("\nSketching     method           GB   files GB  B/page  words  kept/page    CPU-s   MB/CPU-s  peak MiB")?;
    for row in pages {
        let documents = row.written.documents.max(1) as f64;
        log.line(&format!(
            "{:<14}{:<12}{:>7.3}{:>11.3}{:>8.0}{:>7.0}{:>11.1}{:>9.2}{:>11.1}{:>10.1}",
            row.container,
            row.method,
            row.written.bytes as f64 / 1e9,
            row.written.file_bytes as f64 / 1e9,
            row.written.bytes as f64 / documents,
            row.written.words as f64 / documents,
            row.sampled as f64 / documents,
            row.cost.usage.cpu_s(),
            row.rate(),
            row.cost.usage.peak_bytes as f64 / f64::from(1 << 20),
        ))?;
    }
    log.line("GB and MB are of pages: markup, or for jsonl the text without it")
}

fn print_composed(results: &Results, log: &mut Log) -> Result<()> {
    let Results {
        modulus, adaptive, ..
    } = results;
    log.line("\nThe whole run, 30 M pages of 150 GB, COMPOSED: sketching at the rate above, the other phases times the scale")?;
    log.line(
        "phase     1996: CPU-days     CPU-s    raw     WARC.gz   adaptive raw   times less: raw   WARC.gz  adaptive",
    )?;
    let kinds = [
        ("warc", "modulus 25", modulus),
        ("warc.gz", "modulus 25", modulus),
        ("warc", "adaptive", adaptive),
    ];
    let mut sums = [Some(0.0); 3];
    for (phase, days) in DAYS {
        let seconds = kinds.map(|(container, method, phases)| match phase {
            "sketch" => results.sketch_s(container, method),
            _ => Some(phases.cpu_s(Some(phase)) * times(phases)),
        });
        for (sum, seconds) in sums.iter_mut().zip(seconds) {
            *sum = sum.zip(seconds).map(|(sum, seconds)| sum + seconds);
        }
        log.line(&composed(phase, days, seconds))?;
    }
    log.line(&composed("all", DAYS_IN_ALL, sums))?;
    log.raw(
        "composed",
        serde_json::json!({ "raw_s": sums[0], "warc_gz_s": sums[1], "adaptive_raw_s": sums[2] }),
    )
}

fn composed(phase: &str, days: f64, seconds: [Option<f64>; 3]) -> String {
    let show =
        |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:.1}"));
    let less = seconds.map(|seconds| seconds.map(|seconds| days * DAY_S / seconds.max(1e-9)));
    format!(
        "{phase:<10}{days:>14.1}{:>10.0}{:>9}{:>12}{:>15}{:>18}{:>10}{:>10}",
        days * DAY_S,
        show(seconds[0]),
        show(seconds[1]),
        show(seconds[2]),
        show(less[0]),
        show(less[1]),
        show(less[2])
    )
}
