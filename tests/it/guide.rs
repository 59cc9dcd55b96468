//! The pages of docs/guide: every command that a page shows with its output is run here, in the
//! directory that the page describes.

use crate::harness::{Place, Ran, files_below, repository};
use std::fs;
use std::path::Path;
use std::process::Command;

/// The names of the pages, without the table of contents.
pub(crate) fn pages() -> Vec<String> {
    let entries = fs::read_dir(repository().join("docs/guide")).expect("the guide");
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("an entry").file_name().into_string())
        .map(|name| name.expect("a name"))
        .filter(|name| name.ends_with(".md") && name != "SUMMARY.md")
        .collect();
    names.sort();
    names
}

/// One page.
pub(crate) fn page(name: &str) -> String {
    fs::read_to_string(repository().join("docs/guide").join(name)).expect(name)
}

/// All pages.
pub(crate) fn guide() -> String {
    pages().iter().map(|name| page(name)).collect()
}

/// A command of a page and the lines below it.
#[derive(Debug, PartialEq)]
struct Transcript<'a> {
    command: &'a str,
    lines: Vec<&'a str>,
}

/// The transcripts of a page: its blocks of the language `console`.
fn transcripts(page: &str) -> Vec<Transcript<'_>> {
    let mut found: Vec<Transcript<'_>> = Vec::new();
    let mut inside = false;
    for line in page.lines() {
        match line {
            "```console" => inside = true,
            "```" => inside = false,
            _ if !inside => {}
            _ => match line.strip_prefix("$ ") {
                Some(command) => found.push(Transcript {
                    command,
                    lines: Vec::new(),
                }),
                None => found.last_mut().expect("a command").lines.push(line),
            },
        }
    }
    for transcript in &mut found {
        while transcript.lines.last().is_some_and(|line| line.is_empty()) {
            transcript.lines.pop();
        }
    }
    found
}

/// Runs a command in a shell, with its standard error on standard output.
pub(crate) fn shell(place: &Place, command: &str) -> Ran {
    let program = Path::new(env!("CARGO_BIN_EXE_pipeline"));
    let path = format!(
        "{}:{}",
        program.parent().expect("a directory").display(),
        std::env::var("PATH").expect("a path")
    );
    let mut shell = Command::new("bash");
    shell
        .args(["-c", &format!("{{ {command}\n}} 2>&1")])
        .current_dir(place.path(""))
        .env("PATH", &path)
        .stdin(std::process::Stdio::null());
    Ran(shell.output().expect("bash"))
}

/// Runs the commands of a page one after the other in a shell. Each must succeed and print what the
/// page shows, on standard output and standard error together.
fn replay(place: &Place, name: &str) {
    let page = page(name);
    let transcripts = transcripts(&page);
    assert!(!transcripts.is_empty(), "{name} shows no command");
    for Transcript { command, lines } in transcripts {
        let ran = shell(place, command);
        let printed = ran.stdout();
        let printed: Vec<&str> = printed.trim_end().lines().map(str::trim_end).collect();
        assert!(
            is_shown(&lines, &printed),
            "{name}: {command}: prints\n{}\nand not\n{}",
            printed.join("\n"),
            lines.join("\n")
        );
        ran.exits(0);
    }
}

/// Whether the printed lines are those shown. A line `…` stands for any lines, `…` within a line
/// for any text.
fn is_shown(shown: &[&str], printed: &[&str]) -> bool {
    match shown.split_first() {
        None => printed.is_empty(),
        Some((&"…", rest)) => {
            (0..=printed.len()).any(|skipped| is_shown(rest, &printed[skipped..]))
        }
        Some((line, rest)) => printed
            .split_first()
            .is_some_and(|(first, printed)| matches(line, first) && is_shown(rest, printed)),
    }
}

/// Whether a line is one with `…` for anything.
fn matches(shown: &str, printed: &str) -> bool {
    let mut parts = shown.split('…');
    let Some(mut rest) = parts.next().and_then(|first| printed.strip_prefix(first)) else {
        return false;
    };
    let mut open = false;
    for part in parts {
        open = part.is_empty();
        let Some(at) = rest.find(part) else {
            return false;
        };
        rest = &rest[at + part.len()..];
    }
    rest.is_empty() || open
}

#[test]
fn transcripts_are_compared_line_by_line() {
    let page = "a\n```console\n$ one\nx\n\ny\n\n$ two\n```\n$ three\n";
    assert_eq!(
        transcripts(page),
        [
            Transcript {
                command: "one",
                lines: vec!["x", "", "y"]
            },
            Transcript {
                command: "two",
                lines: vec![]
            },
        ]
    );
    assert!(is_shown(&["a", "…", "c…e"], &["a", "b", "b", "cde"]));
    assert!(is_shown(&["…"], &[]));
    assert!(!is_shown(&["a", "…", "c"], &["a", "b"]));
    assert!(!is_shown(&["a"], &["a", "b"]));
    assert!(!is_shown(&["a…", "b"], &["b"]));
}

/// A page with transcripts is named in a test of this file.
#[test]
fn every_page_with_transcripts_is_replayed() {
    let tests = include_str!("guide.rs");
    for name in pages() {
        if !transcripts(&page(&name)).is_empty() {
            assert!(
                tests.contains(&format!("\"{name}\");")),
                "no test replays {name}"
            );
        }
    }
}

/// The sample crawl beside its configuration, as in a clone; nothing has run.
pub(crate) fn clone() -> Place {
    let place = Place::new();
    let toml = fs::read_to_string(repository().join("pipeline.toml")).expect("a configuration");
    place.write("pipeline.toml", toml);
    link(&place, "data-samples", "data-samples");
    place
}

/// The same after a run.
pub(crate) fn samples() -> Place {
    let place = clone();
    place.run();
    place
}

/// Two crawls of the samples as snapshots, with all tables published.
pub(crate) fn two_snapshots() -> Place {
    let place = configured("");
    link(&place, "data-samples", "data-samples");
    for (name, files) in [
        ("first", "data-samples/jsonl"),
        ("second", "data-samples/web/recrawl-00000.warc.gz"),
    ] {
        place.pipeline(&["snapshot", "add", name, files]).exits(0);
        place.run();
    }
    place
}

/// Makes a file or directory of the repository appear in a place.
fn link(place: &Place, from: &str, to: &str) {
    std::os::unix::fs::symlink(repository().join(from), place.path(to)).expect("a link");
}

/// A configuration without input, but for these lines.
fn configured(lines: &str) -> Place {
    let place = Place::new();
    let text = format!("version = 1\n{lines}[sketch]\nseed = \"tests\"\n");
    place.write("pipeline.toml", text);
    place
}

#[test]
fn cluster() {
    let place = clone();
    link(&place, "data-samples/web", "crawls");
    replay(&place, "cluster.md");
}

#[test]
fn decontaminate() {
    let place = Place::new();
    for name in ["questions.jsonl", "crawl.jsonl"] {
        link(&place, &format!("data-samples/decontaminate/{name}"), name);
    }
    replay(&place, "decontaminate.md");
}

#[test]
fn results() {
    replay(&samples(), "results.md");
}

#[test]
fn threshold() {
    replay(&samples(), "threshold.md");
}

#[test]
fn shards() {
    replay(&clone(), "shards.md");
}

#[test]
fn tune() {
    replay(&samples(), "tune.md");
}

#[test]
fn like() {
    replay(&samples(), "like.md");
}

#[test]
fn web() {
    replay(&samples(), "web.md");
}

#[test]
fn explain() {
    replay(&samples(), "explain.md");
}

#[test]
fn query() {
    replay(&samples(), "query.md");
}

#[test]
fn inspect() {
    replay(&samples(), "inspect.md");
}

#[test]
fn experiments() {
    replay(&samples(), "experiments.md");
}

#[test]
fn dedup() {
    replay(&samples(), "dedup.md");
}

#[test]
fn snapshots() {
    let place = configured("");
    for (night, files) in [
        ("2026-01-30", &["crawl-00000.warc.gz"][..]),
        (
            "2026-01-31",
            &["crawl-00000.warc.gz", "crawl-00001.warc.gz"],
        ),
    ] {
        for file in files {
            let sample = repository().join("data-samples/web").join(file);
            place.write(
                &format!("crawls/{night}/{file}"),
                fs::read(sample).expect("a sample"),
            );
        }
    }
    replay(&place, "snapshots.md");
}

#[test]
fn revisits() {
    let place = configured("");
    link(&place, "data-samples", "data-samples");
    replay(&place, "revisits.md");
}

/// Four articles: three end with one notice, and the last one quotes a paragraph of the first.
fn articles() -> Place {
    let place = Place::new();
    let sentence = |topic: &str, from: u32, to: u32| {
        let words = (from..to).map(|n| format!("{topic}{n} "));
        words.collect::<String>()
    };
    let notice = "All rights reserved. You may print this article for your own use; to show it to \
                  others, or to keep it in a collection, ask the editors, who answer within a week.";
    let articles = [
        sentence("harbour", 0, 40) + notice,
        sentence("garden", 0, 50) + notice,
        sentence("railway", 0, 45) + notice,
        sentence("storm", 0, 30) + &sentence("harbour", 8, 38) + "was said then.",
    ];
    let rows = articles.iter().enumerate();
    let rows = rows.map(|(n, text)| format!("{{\"id\":\"article-{n}\",\"text\":\"{text}\"}}\n"));
    place.write("articles.jsonl", rows.collect::<String>());
    place
}

#[test]
fn passages() {
    replay(&articles(), "passages.md");
}

#[test]
fn passages_cut() {
    replay(&articles(), "passages-cut.md");
}

/// Two crawls of one site. On the second night one page has another name, one has the text of
/// another, one is not there.
#[test]
fn moved() {
    let place = configured("");
    let site = files_below(&repository().join("data-samples/tree/edits.example"));
    for (name, bytes) in &site {
        place.write(&format!("crawls/2026-01-30/{name}"), bytes);
        let (name, bytes) = match name.as_str() {
            "words/8-per-mille.html" => ("words/eight.html", bytes),
            "words/original.html" => (name.as_str(), &site["words/10-per-mille.html"]),
            "blocks/80-percent.html" => continue,
            _ => (name.as_str(), bytes),
        };
        place.write(&format!("crawls/2026-01-31/{name}"), bytes);
    }
    for night in ["2026-01-30", "2026-01-31"] {
        let crawl = format!("crawls/{night}");
        place
            .pipeline(&["snapshot", "add", night, &crawl, "--date", night])
            .exits(0);
    }
    place.run();
    replay(&place, "moved.md");
    let report = fs::read(place.path("out/report.json")).expect("a report");
    let report: serde_json::Value = serde_json::from_slice(&report).expect("JSON");
    let classes = &report["changes"]["between"][0]["classes"];
    let classes = serde_json::to_string(classes).expect("JSON");
    assert!(page("changes.md").contains(&classes), "{classes}");
}

/// Three nights of one site with `keep = 2`.
#[test]
fn cluster_changes() {
    let place = configured("[snapshots]\npath = \"crawls/{name}/\"\nkeep = 2\n");
    let site = repository().join("data-samples/tree/edits.example");
    let blocks = [
        "blocks/10-percent.html",
        "blocks/16-percent.html",
        "blocks/5-percent.html",
    ];
    let words = [
        "words/10-per-mille.html",
        "words/14-per-mille.html",
        "words/8-per-mille.html",
    ];
    for (night, pages) in [
        ("2026-01-30", [&blocks[..], &words[..2]].concat()),
        ("2026-01-31", [blocks, words].concat()),
        ("2026-02-01", words.to_vec()),
    ] {
        for name in pages {
            let bytes = fs::read(site.join(name)).expect("a page");
            place.write(&format!("crawls/{night}/{name}"), bytes);
        }
        place.write(&format!("crawls/{night}/_SUCCESS"), "");
        place.run();
    }
    replay(&place, "cluster-changes.md");
}

#[test]
fn nightly() {
    replay(&Place::with_corpus(97, 3000), "nightly.md");
}

/// Files that the guide shows whole.
#[test]
fn files_are_shown_as_they_are() {
    let guide = guide();
    for name in [
        "docs/systemd/pipeline.service",
        "docs/systemd/pipeline.timer",
        "docs/prometheus/pipeline.rules.yml",
        "docs/logrotate/pipeline",
    ] {
        let text = fs::read_to_string(repository().join(name)).expect(name);
        let shown = format!("\n{}\n```", text.trim_end());
        assert!(guide.contains(&shown), "the guide shows {name} otherwise");
        assert!(
            guide.contains(&format!("`{name}`")),
            "the guide does not name {name}"
        );
    }
}

/// Every column that DuckDB shows a reader is in the table of columns.
#[test]
fn every_column_is_on_the_page_of_results() {
    let place = two_snapshots();
    let page = page("results.md");
    for table in [
        "documents",
        "membership",
        "removed",
        "host_pairs",
        "clusters",
        "pairs",
        "changes",
        "host_changes",
        "cluster_changes",
        "moved",
        "common",
    ] {
        let exported = place.pipeline(&["export", table, "--format", "csv"]);
        exported.exits(0);
        let exported = exported.stdout();
        let columns = exported.lines().next().expect("a line of names");
        for column in columns.split(',').map(|name| name.trim_matches('"')) {
            assert!(
                page.contains(&format!("`{column}`")),
                "{table}.{column} is not on the page"
            );
        }
    }
}
