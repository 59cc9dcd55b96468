//! All counts of a run, then the cost of each phase, in the manner of the Status section of
//! *Syntactic Clustering of the Web*: what `run -v` adds to the [`crate::summary()`].
//!
//! Plain ASCII, at most 100 characters a line: it goes to terminals and into mails from cron. Names
//! of record types come from the input, so whatever is not printable ASCII in them is shown as `?`.
//! Long lists are cut after ten.

use std::collections::BTreeMap;

use crate::humane::{humane_bytes, humane_seconds, most_frequent, thousands, total};
use crate::{ClassCount, PhaseRun, PhaseState, Report, RunRecord};

const WIDTH: usize = 100;
const LABEL_WIDTH: usize = 40;
const NUMBER_WIDTH: usize = 20;
const LIST_LENGTH: usize = 10;

/// Renders both as text, with a line feed at the end.
pub fn details(report: &Report, run: &RunRecord) -> String {
    let mut lines = DetailLines::default();
    input(&mut lines, report);
    found(&mut lines, report);
    clusters(&mut lines, report);
    passages(&mut lines, report);
    lines.head("");
    phases(&mut lines, run);
    written(&mut lines, report, run);
    lines.text
}

/// Renders the cost of each phase, with a line feed at the end.
pub fn costs(run: &RunRecord) -> String {
    let mut lines = DetailLines::default();
    phases(&mut lines, run);
    lines.text
}

fn input(lines: &mut DetailLines, report: &Report) {
    let (input, sketch) = (&report.input, &report.sketch);
    lines.head("Input");
    lines.count(1, "documents", input.documents, &humane_bytes(input.bytes));
    lines.count_if_any(2, "bytes of URLs", input.url_bytes);
    lines.count_if_any(2, "without tokens", sketch.documents_without_tokens);
    lines.count_if_any(
        2,
        "shorter than one shingle",
        sketch.documents_shorter_than_shingle,
    );
    lines.count_if_any(
        2,
        "main part below min-words",
        sketch.documents_below_min_words,
    );
    lines.list("records rejected", &input.rejected);
    lines.list("records skipped by type", &input.skipped);
    lines.list("flags on documents", &input.flags);
    lines.count_if_any(1, "ids of more than one document", input.repeated_ids);
}

fn passages(lines: &mut DetailLines, report: &Report) {
    let Some(counts) = &report.passages else {
        return;
    };
    lines.head(&format!("Passages of {} words or more", counts.shortest));
    lines.count(1, "passages", counts.passages, "");
    lines.count(
        1,
        "documents that have one",
        counts.documents_with_passages,
        "",
    );
    let words = format!("of {}", thousands(counts.words));
    lines.count(1, "words in passages", counts.repeated_words, &words);
    lines.count_if_any(1, "documents not read again", counts.unread);
}

fn found(lines: &mut DetailLines, report: &Report) {
    let (sketch, classes, pairs) = (&report.sketch, &report.classes, &report.pairs);
    lines.head("Shingles and classes");
    lines.count(1, "shingles found", sketch.shingles_found, "");
    lines.count(
        1,
        "shingles sampled",
        sketch.shingles_sampled,
        &one_in(sketch.shingles_found, sketch.shingles_sampled),
    );
    let mut class = |label, ClassCount { classes, documents }| {
        let documents = format!("of {} documents", thousands(documents));
        lines.count(1, label, classes, &documents);
    };
    class("identical classes", classes.identical);
    class("lexical classes", classes.lexical);
    class("shingle classes", classes.shingle);
    lines.count(1, "representatives", classes.representatives, "");
    lines.head("Pairs");
    lines.count(1, "postings", pairs.postings, "");
    lines.count(1, "common shingles", pairs.common_shingles, "");
    lines.count(1, "pair increments", pairs.pair_increments, "");
    let floor = if pairs.floor > 0.0 {
        format!("of resemblance {} or more", pairs.floor)
    } else {
        String::new()
    };
    lines.count(1, "distinct pairs", pairs.distinct_pairs, &floor);
    lines.count_if_any(1, "pairs compared exactly", pairs.settled);
}

fn clusters(lines: &mut DetailLines, report: &Report) {
    let counts = &report.clusters;
    let documents = |count| format!("containing {} documents", thousands(count));
    lines.head("Clusters");
    lines.count(1, "links", counts.links, "");
    // Reports of earlier builds do not have the count.
    if (1..counts.links).contains(&counts.published_links) {
        lines.count(2, "in pairs.parquet", counts.published_links, "");
    }
    lines.count_if_any(1, "directed links", counts.directed_links);
    lines.count(1, "clusters", counts.clusters, &documents(counts.documents));
    for (label, group) in [
        ("of identical documents only", counts.identical_only),
        ("remaining", counts.remaining),
    ] {
        lines.count(2, label, group.clusters, &documents(group.documents));
    }
    lines.count(
        1,
        "removed if deduplicated",
        counts.removed_if_deduplicated,
        &share(counts.removed_if_deduplicated, report.input.documents),
    );
}

fn phases(lines: &mut DetailLines, run: &RunRecord) {
    lines.line(&phase_row([
        "Phase",
        "Time",
        "CPU",
        "Read",
        "Written",
        "Records",
        "Peak memory",
    ]));
    for phase in &run.phases {
        match phase.state {
            PhaseState::Skipped => {
                lines.line(&format!(
                    "{:<10}skipped: {}",
                    printable(&phase.name),
                    printable(&phase.why)
                ));
            }
            PhaseState::Done => lines.line(&done(phase)),
        }
    }
    let totals = &run.totals;
    lines.line(&phase_row([
        "Total",
        &humane_seconds(totals.wall_s),
        &humane_seconds(totals.cpu_s),
        &humane_bytes(totals.bytes_read),
        &humane_bytes(totals.bytes_written),
        "",
        &humane_bytes(totals.peak_memory_bytes),
    ]));
    if let Some(disk) = totals.peak_disk_bytes {
        lines.line(&format!("Peak disk {}", humane_bytes(disk)));
    }
}

/// The phases of the paper. What equal documents take beside them is small.
const PHASES_OF_THE_PAPER: [&str; 4] = ["sketch", "sort", "pairs", "cluster"];

/// Bytes of a posting: fingerprint and document.
const POSTING_BYTES: u64 = 12;

/// The bytes that the phases of the paper wrote, beside the packed size of the postings that they
/// sort; if all of them ran.
fn written(lines: &mut DetailLines, report: &Report, run: &RunRecord) {
    let done = |name| {
        run.phases
            .iter()
            .find(|phase| phase.name == name && phase.state == PhaseState::Done)
    };
    let bytes: Option<Vec<u64>> = PHASES_OF_THE_PAPER
        .map(|name| done(name).map(|phase| phase.bytes_written))
        .into_iter()
        .collect();
    let postings = report.pairs.postings.saturating_mul(POSTING_BYTES);
    if let Some(bytes) = bytes
        && postings > 0
    {
        let bytes = total(&bytes);
        let names = PHASES_OF_THE_PAPER.join(" + ");
        let times = bytes as f64 / postings as f64;
        lines.line(&format!(
            "Written by {names}: {}, {times:.2} x the packed postings",
            humane_bytes(bytes)
        ));
    }
}

fn done(phase: &PhaseRun) -> String {
    phase_row([
        &printable(&phase.name),
        &humane_seconds(phase.wall_s),
        &humane_seconds(phase.cpu_s),
        &humane_bytes(phase.bytes_read),
        &humane_bytes(phase.bytes_written),
        &thousands(phase.records),
        &humane_bytes(phase.peak_memory_bytes),
    ])
}

fn phase_row([name, wall, cpu, read, written, records, peak]: [&str; 7]) -> String {
    format!("{name:<10}{wall:>11}{cpu:>12}{read:>13}{written:>13}{records:>18}{peak:>14}")
}

#[derive(Default)]
struct DetailLines {
    text: String,
}

impl DetailLines {
    fn line(&mut self, line: &str) {
        // Everything is ASCII by now, so bytes are characters.
        self.text
            .push_str(line.get(..WIDTH).unwrap_or(line).trim_end());
        self.text.push('\n');
    }

    fn head(&mut self, title: &str) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        if !title.is_empty() {
            self.line(title);
        }
    }

    fn count(&mut self, depth: usize, label: &str, count: u64, note: &str) {
        let label = format!("{:indent$}{}", "", printable(label), indent = 2 * depth);
        let label = label.get(..LABEL_WIDTH).unwrap_or(&label);
        self.line(&format!(
            "{label:<LABEL_WIDTH$}{:>NUMBER_WIDTH$}  {note}",
            thousands(count)
        ));
    }

    fn count_if_any(&mut self, depth: usize, label: &str, count: u64) {
        if count > 0 {
            self.count(depth, label, count, "");
        }
    }

    /// A total, and under it the most frequent entries.
    fn list(&mut self, label: &str, counts: &BTreeMap<String, u64>) {
        let sum = total(counts.values());
        if sum == 0 {
            return;
        }
        self.count(1, label, sum, "");
        let entries = most_frequent(counts);
        let (shown, rest) = entries.split_at(entries.len().min(LIST_LENGTH));
        for (name, count) in shown {
            self.count(2, name, *count, "");
        }
        if !rest.is_empty() {
            let count = total(rest.iter().map(|(_, count)| count));
            self.count(2, &format!("{} more kinds", rest.len()), count, "");
        }
    }
}

fn printable(text: &str) -> String {
    text.replace(|c: char| c != ' ' && !c.is_ascii_graphic(), "?")
}

fn one_in(found: u64, sampled: u64) -> String {
    match sampled {
        0 => String::new(),
        sampled => format!("1 in {:.1}", found as f64 / sampled as f64),
    }
}

fn share(part: u64, whole: u64) -> String {
    match whole {
        0 => String::new(),
        whole => format!(
            "{:.1} % of the documents",
            100.0 * part as f64 / whole as f64
        ),
    }
}

#[cfg(test)]
mod tests;
