//! The methods of docs/papers.md: their commands run, and the presets, keys, tables and scripts
//! that they name exist. What only the papers ask of `compare`, `tune` and `report`.

use crate::guide::{clone, guide, samples, shell};
use crate::harness::{Place, repository};
use std::collections::BTreeSet;
use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

const URL: &str = "http://edits.example/words/original.html";

/// One entry of the page: `- METHOD (PLACE): COMMAND`.
#[derive(Debug)]
struct Entry {
    place: String,
    command: String,
}

/// The entries below the last heading of the second level. A line that begins with spaces
/// continues the one before.
fn entries() -> Vec<Entry> {
    let page = fs::read_to_string(repository().join("docs/papers.md")).expect("the page");
    let (_, list) = page
        .split_once("\n## Where each method of the papers is\n")
        .expect("the section");
    let joined = list.replace("\n  ", " ");
    let items = joined.lines().filter_map(|line| line.strip_prefix("- "));
    let entry = |item: &str| {
        let (before, command) = item.split_once("): ").expect(item);
        let (_, place) = before.rsplit_once('(').expect(item);
        Entry {
            place: place.to_owned(),
            command: command.to_owned(),
        }
    };
    items.map(entry).collect()
}

/// What stands between back quotes.
fn quoted(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

/// The directory in which the commands run.
fn place() -> Place {
    let place = samples();
    let page = "data-samples/tree/edits.example/blocks";
    for (name, from) in [
        ("A", "original.html"),
        ("B", "5-percent.html"),
        ("FILE", "16-percent.html"),
        ("page.html", "original.html"),
        ("original.html", "original.html"),
        ("long.html", "original.html"),
    ] {
        let path = repository().join(page).join(from);
        place.write(name, fs::read(path).expect("a sample"));
    }
    place.write("short.html", "<p>one page of a few words");
    place.write("part.txt", "a rose is a flower");
    place.write(
        "whole.txt",
        "they say that a rose is a flower which is a rose",
    );
    place.write("ruling.txt", fs::read(place.path("A")).expect("a page"));
    place.write("results.txt", format!("{URL}\nhttp://edits.example/none\n"));
    let conf = "version = 1\n[input]\npaths = [\"A\"]\n[work]\ndir = \"other\"\noutput = \"none\"\n\
                [sketch]\nshingle-size = 2\n";
    place.write("CONF", conf);
    place
}

/// Whether a command is complete: others name a verb only, whose help is asked.
fn has_arguments(command: &str) -> bool {
    command
        .split(' ')
        .any(|word| !word.chars().all(|c| c.is_ascii_lowercase()))
}

#[test]
fn the_commands_of_the_papers_run() {
    let place = place();
    let mut commands = BTreeSet::new();
    for entry in entries() {
        commands.extend(quoted(&entry.command).map(str::to_owned));
    }
    let help = place.pipeline(&["evaluate", "--help"]).stdout();
    let guide = guide();
    let mut ran = 0;
    for text in commands {
        if let Some((_, preset)) = text.split_once("--preset ") {
            assert!(help.contains(preset), "{text}: there is no such preset");
        } else if text.starts_with("scripts/") {
            let script = text.split(' ').next().expect("a name");
            assert!(repository().join(script).exists(), "{text}");
        } else if text.starts_with("pipeline ") || text.starts_with("echo ") {
            let mut command = text
                .replace("URL", URL)
                .replace("crawl/", "data-samples/tree");
            if !has_arguments(&text) {
                command += " --help";
            }
            let answer = match text.starts_with("pipeline run ") {
                true => shell(&clone(), &command),
                false => shell(&place, &command),
            };
            // These two may find nothing in a crawl with one snapshot.
            let may_miss = ["lost", "history"].iter().any(|verb| text.contains(verb));
            let code = answer.code();
            let is_right = code == Some(0) || (may_miss && code == Some(1));
            assert!(is_right, "{command}: {code:?}\n{}", answer.stdout());
            ran += 1;
        } else if let Some((key, _)) = text.split_once(" = ") {
            assert!(guide.contains(&format!("`{key}`")), "{text}: no such key");
        } else if text.ends_with(".parquet") {
            assert!(guide.contains(&text), "{text}: no such table");
        }
    }
    assert!(ran > 40, "{ran} commands ran");
}

/// Every entry has a place and a command, or the reason why there is none.
#[test]
fn every_entry_says_where_its_method_is() {
    let entries = entries();
    assert!(entries.len() > 120, "{} entries", entries.len());
    for entry in entries {
        let is_known = ["run", "evaluate", "both", "–"].contains(&entry.place.as_str());
        assert!(is_known && !entry.command.is_empty(), "{entry:?}");
    }
}

/// A document without tokens is equal to documents of the same bytes only.
#[test]
fn texts_without_words_are_like_themselves_only() {
    let place = Place::new();
    for (name, text) in [
        ("a", "..."),
        ("b", "..."),
        ("c", "!"),
        ("d", "word"),
        ("e", ""),
    ] {
        place.write(&format!("{name}.txt"), text);
    }
    for (a, b, resemblance) in [("a", "b", 1.0), ("a", "c", 0.0), ("a", "d", 0.0)] {
        let files = [a, b].map(|name| format!("{name}.txt"));
        let ran = place.pipeline(&["compare", &files[0], &files[1], "--json", "--sample", "x"]);
        ran.exits(0);
        let compared = ran.json();
        for figures in [
            &compared["exact"],
            &compared["estimated"],
            &compared["samples"][0],
        ] {
            let value = &figures["resemblance"]["value"];
            assert_eq!(value, resemblance, "{a} {b}");
        }
        let contained = &compared["exact"]["containment_b_in_a"]["value"];
        assert_eq!(contained, resemblance, "{a} {b}");
    }
    // An empty file is no document.
    let ran = place.pipeline(&["compare", "e.txt", "e.txt"]);
    ran.exits(1);
    ran.says("failed to find a document in e.txt");
}

#[test]
fn several_documents_are_compared_as_one() {
    let place = Place::new();
    let words = |from: u32, to: u32| -> String { (from..to).map(|n| format!("w{n} ")).collect() };
    place.write("a.txt", words(0, 400));
    place.write("c.txt", words(391, 800));
    place.write("whole.txt", words(0, 800));
    let compare = |with: &[&str]| {
        let ran = place.pipeline(&[&["compare", "a.txt", "whole.txt", "--json"], with].concat());
        ran.exits(0);
        ran.json()
    };
    // 391 of 791 shingles of ten words, and with the other part all of them.
    let alone = compare(&[]);
    assert_eq!(alone["exact"]["shared"], 391);
    assert!(alone["union"].is_null() && alone["samples"].is_null());
    let joined = compare(&["--with", "c.txt"]);
    assert_eq!(joined["exact"]["resemblance"]["value"], 1.0);
    assert_eq!(joined["estimated"]["resemblance"]["value"], 1.0);
    assert_eq!(joined["joined"][0], "c.txt");
    let union = &joined["union"];
    let (shingles, error) = (union["shingles"].as_f64(), union["error"].as_f64());
    let (shingles, error) = (shingles.expect("a number"), error.expect("a number"));
    assert!(
        error > 0.0 && (shingles - 791.0).abs() < 4.0 * error,
        "{union}"
    );
    // Other samples have other errors.
    let sampled = compare(&["--sample", "one", "--sample", "two", "--sample", "one"]);
    let value = |at: usize| sampled["samples"][at]["resemblance"].clone();
    assert_eq!(value(0), value(2));
    assert_ne!(value(0), value(1));
    assert_ne!(value(0), sampled["estimated"]["resemblance"]);
    let text = place.pipeline(&[
        "compare",
        "a.txt",
        "whole.txt",
        "--sample",
        "x",
        "--with",
        "c.txt",
    ]);
    for line in ["  with c.txt", "resemblance, sample 2", "standard error"] {
        assert!(text.stdout().contains(line), "{}", text.stdout());
    }
}

#[test]
fn the_tree_is_written_for_programs_that_draw_trees() {
    let place = samples();
    let joins = place.pipeline(&["tune", "--tree", "--json"]).stdout();
    let joins: Vec<serde_json::Value> = joins
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let trees = place.pipeline(&["tune", "--tree", "--newick"]);
    trees.exits(0);
    let trees = trees.stdout();
    let inner = trees.matches('(').count();
    assert_eq!(inner, joins.len());
    assert_eq!(trees.matches(')').count(), inner);
    let leaves = inner + trees.lines().count();
    assert_eq!(
        trees.matches([',', '(']).count(),
        leaves + inner - trees.lines().count()
    );
    let first = &joins[0];
    let height = 1.0 - first["resemblance"].as_f64().expect("a number");
    let pair = format!(
        "({}:{height:.4},{}:{height:.4})",
        first["cluster"], first["other"]
    );
    assert!(trees.contains(&pair), "{pair}: {trees}");
    place.pipeline(&["tune", "--newick"]).exits(2);
}

#[test]
fn the_report_has_what_the_methods_find() {
    let place = samples();
    place
        .pipeline(&["report", "--evaluate", "-o", "report.html"])
        .exits(0);
    let report = fs::read_to_string(place.path("report.html")).expect("a report");
    for part in [
        "The methods on these documents",
        "Recall of links by threshold",
        "Pairs that 20 bands of 10 min-hashes compare",
        "cluster recall",
        "super-shingles of min, 200",
    ] {
        assert!(report.contains(part), "{part}");
    }
    let shown = place.pipeline(&["report"]).stdout();
    assert!(!shown.contains("cluster recall"));
    assert!(shown.contains("Where it falls apart"));
}

#[test]
fn an_interrupted_experiment_leaves_no_temporary_directory() {
    let place = place();
    fs::create_dir(place.path("temporary")).expect("made");
    // Its sets lie in a file without a name; the runs of the preset in a directory.
    for call in [
        &["data-samples/tree", "--set", "work.memory=64MiB"][..],
        &["--preset", "altavista"],
    ] {
        let mut command = place.command(&[&["evaluate"][..], call].concat());
        command.env("TMPDIR", place.path("temporary"));
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        let child = command.spawn().expect("the program starts");
        let (fds, start) = (format!("/proc/{}/fd", child.id()), Instant::now());
        let has_begun = || {
            let links = fs::read_dir(&fds).into_iter().flatten().flatten();
            let mut links = links.filter_map(|fd| fs::read_link(fd.path()).ok());
            links.any(|link| link.to_string_lossy().contains("/pipeline-evaluate-"))
        };
        while !has_begun() && start.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(1));
        }
        let id = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process(id, rustix::process::Signal::TERM).expect("sent");
        let ended = child.wait_with_output().expect("it ends");
        let told = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(told, "pipeline: interrupted by signal 15\n");
        assert_eq!(ended.status.code(), Some(143));
        let left: Vec<_> = fs::read_dir(place.path("temporary"))
            .expect("it is there")
            .collect();
        assert!(left.is_empty(), "{call:?}: {left:?}");
    }
}
