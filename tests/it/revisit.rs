//! WARC `revisit` records as documents: by what they are resolved, what of them is published, and
//! what a drop leaves.

mod chains;
mod histories;
mod thresholds;

use crate::harness::Place;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::fs;

/// A record; pages have a text by number, and their bodies differ in length.
#[derive(Clone, Debug, Default)]
struct Entry {
    id: Option<String>,
    url: String,
    date: u64,
    /// Text of a page; of a revisit the one that its digest is of, if it has one.
    text: Option<usize>,
    digest: Digest,
    is_revisit: bool,
    refers_to: Option<String>,
    refers_to_page: Option<(String, u64)>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Digest {
    #[default]
    None,
    Hex,
    Base32,
}

fn body(text: usize) -> String {
    let words: Vec<String> = (0..30 + text)
        .map(|word| format!("word{text}x{word}"))
        .collect();
    format!("<html><body>{}</body></html>", words.join(" "))
}

/// Something with the shape of a SHA-1, in either spelling.
fn digest(text: usize, spelling: Digest) -> Option<String> {
    let bytes: Vec<u8> = (0..20).map(|at| (text * 31 + at * 7) as u8).collect();
    match spelling {
        Digest::None => None,
        Digest::Hex => Some(format!(
            "sha1:{}",
            bytes
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect::<String>()
        )),
        Digest::Base32 => {
            let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
            let bits: Vec<u8> = bytes
                .iter()
                .flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1))
                .collect();
            let letter = |bits: &[u8]| {
                char::from(letters[bits.iter().fold(0, |n, bit| n << 1 | usize::from(*bit))])
            };
            Some(format!(
                "sha1:{}",
                bits.chunks(5).map(letter).collect::<String>()
            ))
        }
    }
}

fn date(day: u64) -> String {
    format!("2026-01-{:02}T00:00:00Z", day + 1)
}

fn warc(entries: &[Entry]) -> Vec<u8> {
    let mut warc = String::new();
    for entry in entries {
        let kind = if entry.is_revisit {
            "revisit"
        } else {
            "response"
        };
        warc += &format!(
            "WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {}\r\nWARC-Date: {}\r\n",
            entry.url,
            date(entry.date)
        );
        let mut field = |name: &str, value: Option<String>| {
            if let Some(value) = value {
                warc += &format!("{name}: {value}\r\n");
            }
        };
        let bracketed = |id: &Option<String>| id.as_ref().map(|id| format!("<{id}>"));
        field("WARC-Record-ID", bracketed(&entry.id));
        field(
            "WARC-Payload-Digest",
            entry.text.and_then(|text| digest(text, entry.digest)),
        );
        field("WARC-Refers-To", bracketed(&entry.refers_to));
        field(
            "WARC-Refers-To-Target-URI",
            entry.refers_to_page.as_ref().map(|(url, _)| url.clone()),
        );
        field(
            "WARC-Refers-To-Date",
            entry.refers_to_page.as_ref().map(|(_, day)| date(*day)),
        );
        let page = entry
            .text
            .filter(|_| !entry.is_revisit)
            .map(body)
            .unwrap_or_default();
        let block = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{page}");
        warc += &format!("Content-Length: {}\r\n\r\n{block}\r\n\r\n", block.len());
    }
    warc.into_bytes()
}

fn page(id: &str, url: &str, day: u64, text: usize, digest: Digest) -> Entry {
    Entry {
        id: Some(id.into()),
        url: url.into(),
        date: day,
        text: Some(text),
        digest,
        ..Entry::default()
    }
}

fn revisit(id: &str, url: &str, day: u64) -> Entry {
    Entry {
        id: Some(id.into()),
        url: url.into(),
        date: day,
        is_revisit: true,
        ..Entry::default()
    }
}

fn place() -> Place {
    let place = Place::new();
    place.write(
        "pipeline.toml",
        "version = 1\n[sketch]\nseed = \"tests\"\n[work]\nmemory = \"64MiB\"\n",
    );
    place
}

fn add(place: &Place, name: &str, files: &[Vec<Entry>]) {
    for (at, entries) in files.iter().enumerate() {
        place.write(&format!("crawls/{name}/{at}.warc"), warc(entries));
    }
    place
        .pipeline(&["snapshot", "add", name, &format!("crawls/{name}")])
        .exits(0);
}

/// ⟨doc_id, URL, text⟩ of all documents; bodies are told apart by their length.
fn documents(place: &Place) -> Vec<(u64, String, usize)> {
    let texts: HashMap<u64, usize> = (0..40)
        .map(|text| (body(text).len() as u64, text))
        .collect();
    let row = |row: Value| {
        let bytes = row["bytes"].as_u64().expect("bytes");
        (
            row["doc_id"].as_u64().expect("an id"),
            row["url"].as_str().expect("a URL").to_owned(),
            texts[&bytes],
        )
    };
    place.rows("documents").into_iter().map(row).collect()
}

fn rejected(place: &Place) -> Vec<String> {
    let text = fs::read_to_string(place.path("out/rejected.jsonl")).expect("the list");
    let line = |line: &str| {
        let row: Value = serde_json::from_str(line).expect("JSON");
        format!(
            "{} {}",
            row["reason"].as_str().expect("a reason"),
            row["url"].as_str().unwrap_or("-")
        )
    };
    text.lines().map(line).collect()
}

/// What is published, of a run from scratch: the same list, an empty work directory.
fn from_scratch(place: &Place) -> BTreeMap<String, Vec<u8>> {
    for (kept, aside) in [
        ("work", "work.aside"),
        ("out.d", "out.d.aside"),
        ("out", "out.aside"),
    ] {
        fs::rename(place.path(kept), place.path(aside)).expect("put aside");
    }
    place.run();
    let published = place.published();
    for (kept, aside) in [
        ("work", "work.aside"),
        ("out.d", "out.d.aside"),
        ("out", "out.aside"),
    ] {
        let path = place.path(kept);
        if kept == "out" {
            fs::remove_file(&path)
        } else {
            fs::remove_dir_all(&path)
        }
        .expect("removed");
        fs::rename(place.path(aside), path).expect("put back");
    }
    published
}

fn tables(published: BTreeMap<String, Vec<u8>>) -> BTreeMap<String, Vec<u8>> {
    published
        .into_iter()
        .filter(|(name, _)| !name.starts_with("index/"))
        .collect()
}

#[test]
fn a_revisit_has_its_own_place_and_the_body_of_what_it_refers_to() {
    let place = place();
    let refers = |id: &str, to: &str| Entry {
        refers_to: Some(to.into()),
        ..revisit(id, &format!("http://x/{id}"), 3)
    };
    let digested = |id: &str, text, digest| Entry {
        text: Some(text),
        digest,
        ..revisit(id, &format!("http://x/{id}"), 3)
    };
    let records = vec![
        refers("later", "p2"),
        page("p1", "http://x/1", 0, 1, Digest::Hex),
        refers("by-id", "p1"),
        digested("by-digest", 1, Digest::Base32),
        Entry {
            refers_to_page: Some(("http://x/1".into(), 0)),
            ..revisit("by-url", "http://x/by-url", 4)
        },
        Entry {
            refers_to_page: Some(("http://x/1".into(), 1)),
            ..revisit("other-date", "http://x/other-date", 4)
        },
        refers("chained", "by-digest"),
        refers("to-nothing", "nowhere"),
        Entry {
            refers_to: Some("p1".into()),
            ..digested("other-payload", 9, Digest::Hex)
        },
        revisit("says-nothing", "http://x/says-nothing", 3),
        page("p2", "http://x/2", 0, 2, Digest::None),
        Entry {
            refers_to: Some("p2".into()),
            ..digested("digest-of-one", 7, Digest::Hex)
        },
    ];
    add(&place, "one", &[records]);
    place.run();
    let number = 1 << 32;
    let expected = [
        ("later", 2),
        ("1", 1),
        ("by-id", 1),
        ("by-digest", 1),
        ("by-url", 1),
        ("chained", 1),
        ("2", 2),
        ("digest-of-one", 2),
    ];
    let expected: Vec<_> = expected
        .iter()
        .zip(number..)
        .map(|((url, text), id)| (id, format!("http://x/{url}"), *text))
        .collect();
    assert_eq!(documents(&place), expected);
    let unresolved = ["other-date", "to-nothing", "other-payload", "says-nothing"];
    assert_eq!(
        rejected(&place),
        unresolved.map(|url| format!("unresolved-revisit http://x/{url}"))
    );
    let membership = place.rows("membership");
    let kinds: Vec<&str> = membership
        .iter()
        .map(|row| row["same_kind"].as_str().unwrap_or("-"))
        .collect();
    assert_eq!(kinds, ["identical"; 8]);
    // The lowest of a class is a revisit here, and what is kept is what has the body.
    let kept: Vec<bool> = membership
        .iter()
        .map(|row| row["keep"].as_bool().expect("a truth value"))
        .collect();
    assert_eq!(kept, [false, true, false, false, false, false, true, false]);
    let rows = place.rows("documents");
    assert_eq!(
        rows[2]["date"].as_str().map(|date| &date[..10]),
        Some("2026-01-04")
    );
    assert!(rows[2]["entry_offset"].as_u64() > rows[1]["entry_offset"].as_u64());
    assert_eq!(
        (&rows[2]["words"], &rows[2]["sketch_size"]),
        (&rows[1]["words"], &rows[1]["sketch_size"])
    );
    // All that go are revisits, which have no body.
    let report = fs::read(place.path("out/report.json")).expect("the report");
    let report: Value = serde_json::from_slice(&report).expect("JSON");
    let removed = &report["removed"];
    assert_eq!(removed["identical"]["documents"], 6);
    assert_eq!(removed["bytes_saved"], 0);
    for cluster in place.rows("clusters") {
        assert!(cluster["bytes"].as_u64() > Some(0));
        assert_eq!(cluster["bytes_saved"], 0);
    }
    place.pipeline(&["verify"]).exits(0);
    // Read again, it is the body of what it refers to.
    let explained = place.pipeline(&["explain", &number.to_string(), &(number + 6).to_string()]);
    explained.exits(0);
}

/// Servers that answer 304 name no record.
#[test]
fn a_revisit_that_refers_to_nothing_has_the_newest_earlier_body_of_its_url() {
    let place = place();
    let records = [
        vec![
            revisit("too-early", "http://x/a", 0),
            page("p1", "http://x/a", 1, 1, Digest::Hex),
            revisit("first", "http://x/a", 2),
            page("p2", "http://x/a", 3, 2, Digest::None),
            revisit("second", "http://x/a", 4),
            revisit("other", "http://x/b", 4),
        ],
        vec![
            // A body by its digest is newer than the pages above.
            Entry {
                text: Some(1),
                digest: Digest::Base32,
                ..revisit("by-digest", "http://x/a", 5)
            },
            revisit("third", "http://x/a", 6),
            Entry {
                refers_to: Some("third".into()),
                ..revisit("chained", "http://x/c", 6)
            },
            Entry {
                text: Some(9),
                digest: Digest::Hex,
                ..revisit("other-body", "http://x/a", 7)
            },
        ],
    ];
    let [one, two] = records;
    add(&place, "one", &[one]);
    add(&place, "two", &[two]);
    place.run();
    let texts: Vec<usize> = documents(&place).iter().map(|(_, _, text)| *text).collect();
    assert_eq!(texts, [1, 1, 2, 2, 1, 1, 1]);
    let unresolved = ["a", "b", "a"];
    assert_eq!(
        rejected(&place),
        unresolved.map(|url| format!("unresolved-revisit http://x/{url}"))
    );
}

#[test]
fn an_unchanged_page_stays_when_the_snapshot_with_its_text_is_dropped() {
    let place = place();
    let digested = |url: &str, day| Entry {
        text: Some(1),
        digest: Digest::Hex,
        ..revisit("r", url, day)
    };
    add(
        &place,
        "one",
        &[vec![
            page("p1", "http://x/1", 0, 1, Digest::Hex),
            page("p2", "http://x/2", 0, 2, Digest::Hex),
        ]],
    );
    add(
        &place,
        "two",
        &[vec![
            digested("http://x/1", 1),
            page("p3", "http://x/3", 1, 3, Digest::Hex),
        ]],
    );
    place.run();
    assert_eq!(place.rows("membership")[2]["same_as"], 1_u64 << 32);
    place.pipeline(&["snapshot", "drop", "one"]).exits(0);
    let outdated = place.pipeline(&["dedup", "-n"]);
    outdated.exits(2);
    outdated.says("snapshot one is dropped");
    place.run();
    let two = 2 << 32;
    let expected = [
        (two, "http://x/1".to_owned(), 1),
        (two + 1, "http://x/3".to_owned(), 3),
    ];
    assert_eq!(documents(&place), expected);
    assert_eq!(tables(place.published()), tables(from_scratch(&place)));
    let again = place.pipeline(&["explain", &two.to_string(), &(two + 1).to_string()]);
    again.exits(1);
    again.says("it is a revisit, and the snapshot with its text was dropped");
    // Nothing needs to read the old files again, until the work directory is lost.
    fs::remove_dir_all(place.path("crawls/one")).expect("removed");
    add(&place, "three", &[vec![digested("http://x/1", 2)]]);
    place.run();
    assert_eq!(documents(&place).len(), 3);
    // The report tells of the changes between the two that count.
    let report = fs::read(place.path("out/report.json")).expect("a report");
    let report: serde_json::Value = serde_json::from_slice(&report).expect("JSON");
    let steps = report["changes"]["between"].as_array().expect("steps");
    let names = ["old_snapshot", "new_snapshot"].map(|name| &steps[0][name]);
    assert_eq!(
        (steps.len(), names[0], names[1]),
        (1, &"two".into(), &"three".into())
    );
    fs::remove_dir_all(place.path("work")).expect("removed");
    let refused = place.pipeline(&["run"]);
    assert_ne!(refused.0.status.code(), Some(0));
    refused.says("0.warc");
    refused.says("with `pipeline snapshot drop two` and `pipeline snapshot drop three`");
    let still = place.pipeline(&["snapshot", "drop", "one"]);
    still.exits(2);
    still.says("two, three");
    place.pipeline(&["snapshot", "drop", "two"]).exits(0);
    place.pipeline(&["snapshot", "drop", "three"]).exits(0);
    let list = fs::read_to_string(place.path("snapshots.toml")).expect("the list");
    assert!(!list.contains("list = "), "{list}");
    let lists = fs::read_dir(place.path("snapshots.d")).expect("the lists");
    assert_eq!(lists.count(), 0);
}

/// A snapshot that no run has read may need the dropped ones before it. The run that reads it finds
/// that it does not, and forgets them.
#[test]
fn a_run_forgets_the_dropped_snapshots_that_no_revisit_needs() {
    for options in [&[][..], &["--force"]] {
        let place = place();
        add(
            &place,
            "one",
            &[vec![page("p1", "http://x/1", 0, 1, Digest::None)]],
        );
        place.run();
        let own = Entry {
            refers_to: Some("p2".to_owned()),
            ..revisit("r", "http://x/2", 2)
        };
        add(
            &place,
            "two",
            &[vec![page("p2", "http://x/2", 1, 2, Digest::None), own]],
        );
        place.pipeline(&["snapshot", "drop", "one"]).exits(0);
        place.pipeline(&[&["run", "-q"], options].concat()).exits(0);
        place.pipeline(&["dedup", "--dry-run"]).exits(0);
        let status = place.pipeline(&["status"]).stdout();
        assert_eq!(status.matches("up to date").count(), 7, "{status}");
        let files = crate::harness::files_below(&place.path("work/sketch")).into_keys();
        let left: Vec<String> = files
            .filter(|name| name.starts_with("segment-1-"))
            .collect();
        assert!(left.is_empty(), "{left:?}");
        place.run().says("nothing new");
        assert_eq!(tables(place.published()), tables(from_scratch(&place)));
    }
}

#[test]
fn copies_keep_the_record_with_the_body_whatever_is_newer() {
    let place = place();
    place.write(
        "pipeline.toml",
        "version = 1\n[sketch]\nseed = \"tests\"\n[work]\nmemory = \"64MiB\"\n[cluster]\nkeep = \"newest\"\n",
    );
    let newer = Entry {
        text: Some(1),
        digest: Digest::Base32,
        ..revisit("r", "http://x/1", 5)
    };
    add(
        &place,
        "one",
        &[vec![page("p1", "http://x/1", 0, 1, Digest::Hex)]],
    );
    add(&place, "two", &[vec![newer]]);
    place.run();
    place.pipeline(&["dedup", "-o", "copies"]).exits(0);
    let kept: Vec<bool> = place
        .rows("membership")
        .iter()
        .map(|row| row["keep"].as_bool().expect("a truth value"))
        .collect();
    assert_eq!(kept, [true, false]);
}
