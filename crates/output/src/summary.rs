//! The results of a run, on one screen: how much of the input are copies, where they are, and what
//! was not used.
//!
//! *Input.* The [`Report`], and an example of each of the commonest reasons for rejection.
//! *Output.* At most 31 lines of at most 100 columns. *Limits.* Titles, URLs and names come from
//! the input, so characters that a terminal would obey are shown as `?`. All counts and the costs
//! are in [`crate::details()`].

mod screen;

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use unicode_width::UnicodeWidthStr;

use self::screen::{Screen, WIDTH};
use crate::humane::{counted, humane_bytes, most_frequent, thousands, total};
use crate::terminal::{beginning, shortened};
use crate::{ChangesBetween, PassageCounts, Report};

const TITLE: usize = 30;
const CLUSTERS: usize = 5;
const HOSTS: usize = 3;
const TYPES: usize = 3;

/// The first of the records that were rejected for one reason.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RejectedExample {
    /// The reason.
    pub reason: String,
    /// Records rejected for it.
    pub records: u64,
    /// The file of the first of them; empty if it was not found.
    pub source: String,
    /// Where it begins.
    pub byte: u64,
    /// More about the reason; empty if nothing is known.
    pub detail: String,
}

/// Renders the screen, with a line feed at the end.
pub fn summary(report: &Report, rejected: &[RejectedExample]) -> String {
    let mut screen = Screen::default();
    copies(&mut screen, report);
    contained(&mut screen, report);
    for line in report.passages.iter().flat_map(PassageCounts::lines) {
        screen.line(&line);
    }
    if let Some(between) = report.changes.as_ref().and_then(|all| all.between.last()) {
        news(&mut screen, between);
    }
    largest(&mut screen, report);
    hosts(&mut screen, report);
    ids(&mut screen, report);
    not_used(&mut screen, report, rejected);
    screen.text
}

fn copies(screen: &mut Screen, report: &Report) {
    let (input, removed) = (&report.input, &report.removed);
    let copies = report.clusters.removed_if_deduplicated;
    let documents = counted(input.documents, "document");
    let size = humane_bytes(input.bytes);
    if copies == 0 {
        screen.line(&format!("{documents}, {size}; none is a copy."));
        return;
    }
    screen.line(&format!(
        "{documents}, {size}. {} {}: {:.1} %, {} to save.",
        thousands(copies),
        if copies == 1 {
            "is a copy"
        } else {
            "are copies"
        },
        100.0 * copies as f64 / input.documents.max(1) as f64,
        humane_bytes(removed.bytes_saved),
    ));
    let least_alike = removed.least_alike.map_or_else(String::new, |least| {
        // Rounded down; 0.29 is a little less than 0.29 as a binary number.
        let hundredths = (100.0 * least.resemblance + 1e-9).floor();
        format!(
            "; resemblance to the kept page at least {:.2}",
            hundredths / 100.0
        )
    });
    for (class, count, note) in [
        ("identical", removed.identical, "the same bytes"),
        ("lexical", removed.lexical, "the same words"),
        ("near", removed.near, &*format!("linked{least_alike}")),
    ] {
        if count.documents > 0 {
            screen.line(&format!(
                "  {:>11}  {class:<9}  {:>10}  {note}",
                thousands(count.documents),
                humane_bytes(count.bytes)
            ));
        }
    }
    if let Some(note) = removed.note_of_captures() {
        screen.line(&format!("{:15}{note}", ""));
    }
    if removed.through_others > 0 {
        screen.line(
            "               Some are alike no page that stays: `dedup --linkage star` decides anew.",
        );
    }
}

/// Pairs of which one page holds the other, and pages that hold too little.
fn contained(screen: &mut Screen, report: &Report) {
    let count = report.clusters.directed_links;
    if count > 0 {
        let pairs = counted(count, "pair");
        screen.line(&format!(
            "{pairs} of which one page is contained in the other: see pairs.parquet."
        ));
    }
    if let Some(note) = report.sketch.note_of_short_pages() {
        screen.line(&note);
    }
}

/// The changes that the newest snapshot brought.
fn news(screen: &mut Screen, between: &ChangesBetween) {
    let classes = &between.classes;
    let counts = [
        ("new", classes.new),
        ("changed", classes.changed),
        ("slightly changed", classes.slightly_changed()),
        ("moved", classes.moved),
        ("gone", classes.gone),
    ];
    let counts = counts.map(|(class, count)| format!("{} {class}", thousands(count)));
    screen.line(&format!(
        "Since {}: {}.",
        between.old_snapshot,
        counts.join(", ")
    ));
}

fn largest(screen: &mut Screen, report: &Report) {
    let largest = &report.clusters.largest;
    if largest.is_empty() {
        return;
    }
    screen.line("");
    screen.line(&match report.clusters.clusters {
        1 => "The cluster".to_owned(),
        count => format!("Largest of {} clusters, by documents", thousands(count)),
    });
    for cluster in largest.iter().take(CLUSTERS) {
        let url = cluster.kept_url.as_deref().or(cluster.kept_id.as_deref());
        let url = url.unwrap_or_default();
        let title = cluster.title.as_deref().map(str::trim).unwrap_or_default();
        let mut line = format!(
            "  {:>11}  cluster {:<9}  {}",
            thousands(cluster.documents),
            cluster.cluster_id,
            beginning(title, TITLE)
        );
        if !title.is_empty() && !url.is_empty() {
            line.push_str(" - ");
        }
        line += &shortened(url, WIDTH.saturating_sub(line.width()));
        screen.line(&line);
    }
}

fn hosts(screen: &mut Screen, report: &Report) {
    let hosts = report.removed.hosts.iter().take(HOSTS);
    let hosts: Vec<String> = hosts
        .map(|host| format!("{} ({})", host.host, thousands(host.documents)))
        .collect();
    if !hosts.is_empty() {
        screen.line(&format!("Most copies: {}", hosts.join(", ")));
    }
}

fn ids(screen: &mut Screen, report: &Report) {
    if let Some(note) = report.input.note_of_ids() {
        screen.line("");
        // the second half says what to do
        let (count, remedy) = note.split_once("; ").unwrap_or((&note, ""));
        screen.line(&format!("Note: {count}"));
        screen.line(&format!("      {remedy}"));
    }
}

fn not_used(screen: &mut Screen, report: &Report, rejected: &[RejectedExample]) {
    let skipped = total(report.input.skipped.values());
    let all_rejected = report.input.rejected_total();
    if skipped == 0 && all_rejected == 0 {
        return;
    }
    screen.line("");
    if skipped > 0 {
        let start = format!("Skipped, as they are no pages: {} (", thousands(skipped));
        let types = shown_types(
            &report.input.skipped,
            WIDTH.saturating_sub(start.width() + 1),
        );
        screen.line(&format!("{start}{types})"));
    }
    if all_rejected == 0 {
        return;
    }
    screen.line(&format!("Rejected: {}", thousands(all_rejected)));
    for example in rejected {
        let mut line = format!("  {:>11}  {}", thousands(example.records), example.reason);
        if !example.source.is_empty() {
            let byte = format!(", byte {}", example.byte);
            line += ", as ";
            let left = WIDTH.saturating_sub(line.width() + byte.width() + 1);
            line += &(shortened(&example.source, left) + &byte);
        }
        if example.detail.is_empty() {
            screen.line(&line);
        } else if line.width() + example.detail.width() + 2 <= WIDTH {
            screen.line(&format!("{line}: {}", example.detail));
        } else {
            // the detail says what to do
            screen.line(&(line + ":"));
            screen.paragraph("      ", &example.detail);
        }
    }
    let shown = rejected.iter().map(|example| example.records).sum();
    let others = all_rejected.saturating_sub(shown);
    if others > 0 && !rejected.is_empty() {
        let others = thousands(others);
        screen.line(&format!(
            "  {others:>11}  for other reasons: see rejected.jsonl"
        ));
    }
}

/// The most frequent entries that fit into the columns, as `200 request, 7 warcinfo`.
fn shown_types(counts: &BTreeMap<String, u64>, width: usize) -> String {
    let entries = most_frequent(counts);
    let name = |(name, count): &(&str, u64)| format!("{} {name}", thousands(*count));
    let mut text = String::new();
    for shown in (1..=TYPES.min(entries.len())).rev() {
        let names: Vec<String> = entries[..shown].iter().map(name).collect();
        text = names.join(", ");
        if shown < entries.len() {
            text += ", ...";
        }
        if text.width() <= width {
            break;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terminal::is_harmful;
    use crate::tests::rows::report;
    use crate::{ChangeClasses, ChangeCounts, ClusterSize, LeastAlike};

    fn examples() -> Vec<RejectedExample> {
        vec![
            RejectedExample {
                reason: "not-found".to_owned(),
                records: 1_204_511,
                source: "crawl-00001.warc.gz".to_owned(),
                byte: 48_998,
                detail: "404".to_owned(),
            },
            RejectedExample {
                reason: "too-large".to_owned(),
                records: 88,
                ..RejectedExample::default()
            },
        ]
    }

    #[test]
    fn the_screen_is_as_in_the_golden_file() {
        let mut report = report();
        let between = ChangesBetween {
            old_snapshot: "2026-01".to_owned(),
            classes: ChangeClasses {
                new: 1_000,
                gone: 3,
                ..ChangeClasses::default()
            },
            ..ChangesBetween::default()
        };
        report.changes = Some(ChangeCounts {
            between: vec![between],
            ..ChangeCounts::default()
        });
        let text = summary(&report, &examples());
        assert_eq!(text, include_str!("../golden/summary.txt"), "now:\n{text}");
    }

    #[test]
    fn a_run_without_copies_has_one_line_and_one_cluster_is_not_the_largest() {
        let mut report = Report::default();
        report.input.documents = 7;
        let none = "7 documents, 0 B; none is a copy.\n";
        assert_eq!(summary(&report, &[]), none);
        report.clusters.directed_links = 1_774;
        let contained =
            "1,774 pairs of which one page is contained in the other: see pairs.parquet.\n";
        assert_eq!(summary(&report, &[]), [none, contained].concat());
        report.clusters.clusters = 1;
        report.clusters.largest = vec![ClusterSize {
            cluster_id: 0,
            documents: 2,
            kept_id: None,
            kept_url: None,
            title: None,
        }];
        assert!(summary(&report, &[]).contains("\n\nThe cluster\n"));
    }

    /// 0.92 would not be the least where it is 0.9167.
    #[test]
    fn the_least_resemblance_is_rounded_down() {
        for (resemblance, shown) in [(11.0 / 12.0, "0.91"), (0.29, "0.29"), (1.0, "1.00")] {
            let mut report = report();
            report.removed.least_alike = Some(LeastAlike {
                doc_id: 1,
                kept_doc_id: 0,
                resemblance,
            });
            let text = summary(&report, &[]);
            assert!(text.contains(&format!("at least {shown}\n")), "{text}");
        }
    }

    #[test]
    fn a_long_line_loses_its_middle_or_its_last_entries() {
        let mut report = report();
        report.clusters.largest[0].title = Some("Dealing with Bugs".to_owned());
        let url = format!("http://docs.test/{}/bugs.html", "deep/".repeat(40));
        report.clusters.largest[0].kept_url = Some(url);
        let skipped = [("http status 404", 52), ("resource of the crawler", 2)];
        let skipped = skipped.map(|(name, count)| (name.to_owned(), count));
        report.input.skipped = skipped.into();
        report.input.skipped.insert("request".repeat(4), 1_112);
        let mut example = examples()[0].clone();
        example.source = format!("{}/manual.pdf", "very/deep".repeat(30));
        example.detail = "it is PDF; extract its text with pdftotext".to_owned();
        let text = summary(&report, &[example]);
        let line = |part: &str| {
            text.lines()
                .find(|line| line.contains(part))
                .unwrap_or(&text)
        };
        let cluster = line("Dealing with Bugs - http://docs.test/");
        assert!(cluster.ends_with("/bugs.html"), "{cluster}");
        assert_eq!(cluster.width(), WIDTH);
        assert!(
            line("Skipped").ends_with("52 http status 404, ...)"),
            "{text}"
        );
        assert!(
            line("not-found").ends_with("/manual.pdf, byte 48998:"),
            "{text}"
        );
        assert!(line("pdftotext").starts_with("      it is PDF"), "{text}");
    }

    #[test]
    fn the_screen_is_short_and_safe_whatever_the_input() {
        let mut report = report();
        report.clusters.largest = vec![
            ClusterSize {
                cluster_id: i64::MAX,
                documents: u64::MAX,
                kept_id: None,
                kept_url: Some("http://x/".repeat(400)),
                title: Some("\u{1b}[2J\u{202e}日本語".repeat(90)),
            };
            10
        ];
        report.removed.hosts = vec![report.removed.hosts[0].clone(); 10];
        report.input.rejected.insert("x".repeat(1000), u64::MAX);
        let examples = vec![examples()[0].clone(); 3];
        let text = summary(&report, &examples);
        assert!(text.lines().count() <= 24, "{text}");
        for line in text.lines() {
            assert!(line.width() <= WIDTH && !line.ends_with(' '), "{line:?}");
            assert!(!line.contains(is_harmful), "{line:?}");
        }
    }
}
