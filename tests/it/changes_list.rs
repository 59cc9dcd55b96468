//! `pipeline changes`: what became of each URL.

use crate::harness::Place;
use serde_json::{Value, json};

fn page(url: &str, words: std::ops::Range<u32>) -> String {
    let text: Vec<String> = words.map(|word| format!("word{word}")).collect();
    json!({"url": url, "text": text.join(" ")}).to_string() + "\n"
}

/// Three nights of two hosts.
fn nights() -> Place {
    let place = Place::new();
    let config = "version = 1\n[snapshots]\npath = \"crawls/{name}/\"\n[sketch]\nseed = \"s\"\n";
    place.write("pipeline.toml", config);
    let (a, b) = ("http://a.example/", "http://B.example:80/");
    let stays = page(&format!("{a}stays"), 0..100);
    let nights = [
        [
            stays.clone(),
            page(&format!("{a}edited"), 200..300),
            page(&format!("{b}lost?x=<1>&y"), 400..500),
        ],
        [
            stays.clone(),
            page(&format!("{a}edited"), 201..301),
            page(&format!("{b}found"), 400..500),
        ],
        [
            stays,
            page(&format!("{b}found"), 600..700),
            page(&format!("{a}new"), 800..900),
        ],
    ];
    for (night, pages) in nights.iter().enumerate() {
        place.write(&format!("crawls/n{night}/pages.jsonl"), pages.concat());
        let (name, path) = (format!("n{night}"), format!("crawls/n{night}"));
        place.pipeline(&["snapshot", "add", &name, &path]).exits(0);
    }
    place.run();
    place
}

fn changes(place: &Place, options: &[&str]) -> Vec<(String, String, String)> {
    let ran = place.pipeline(&[&["changes", "--json"], options].concat());
    ran.exits(0);
    let rows = ran.stdout();
    let rows = rows
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"));
    let text = |row: &Value, name: &str| row[name].as_str().expect("a text").to_owned();
    let row = |row: Value| {
        (
            text(&row, "snapshot"),
            text(&row, "class"),
            text(&row, "url"),
        )
    };
    rows.map(row).collect()
}

#[test]
fn the_newest_snapshot_comes_first() {
    let place = nights();
    let row = |snapshot: &str, class: &str, url: &str| {
        (
            snapshot.to_owned(),
            class.to_owned(),
            format!("http://{url}"),
        )
    };
    let newest = [
        row("n2", "gone", "a.example/edited"),
        row("n2", "changed", "B.example:80/found"),
        row("n2", "new", "a.example/new"),
    ];
    assert_eq!(changes(&place, &[]), newest);
    let before = [
        row("n1", "similar", "a.example/edited"),
        row("n1", "moved", "B.example:80/lost?x=<1>&y"),
        row("n1", "new", "B.example:80/found"),
    ];
    assert_eq!(
        changes(&place, &["--since", "n0"]),
        [newest.clone(), before.clone()].concat()
    );
    assert_eq!(changes(&place, &["--since", "n2"]), []);
    let of = |options: &[&str]| changes(&place, &[&["--since", "n0"], options].concat());
    assert_eq!(
        of(&["--class", "gone,moved"]),
        [newest[0].clone(), before[1].clone()]
    );
    assert_eq!(
        of(&["--host", "b.EXAMPLE"]),
        [&newest[1..2], &before[1..]].concat()
    );
    assert_eq!(of(&["--limit", "1"]), newest[..1]);
    assert_eq!(of(&["--class", "identical"]).len(), 2);
    let none = place.pipeline(&["changes", "--class", "lexical"]);
    assert_eq!(none.stdout(), "no URL has changed so\n");
    let ran = place.pipeline(&["changes", "--since", "n9"]);
    ran.exits(2);
    ran.says("failed to find snapshot n9: the snapshots are n0, n1, n2");
}

#[test]
fn a_feed_is_xml_whatever_a_url_holds() {
    let place = nights();
    let ran = place.pipeline(&["changes", "--since", "n0", "--feed"]);
    ran.exits(0);
    let feed = ran.stdout();
    assert_eq!(feed.matches("<entry>").count(), 6);
    assert!(
        feed.contains("moved from http://B.example:80/lost?x=&lt;1&gt;&amp;y</summary>"),
        "{feed}"
    );
    assert!(
        feed.contains("<link href=\"http://B.example:80/found\"/>"),
        "{feed}"
    );
    if !crate::harness::is_installed("python3") {
        return;
    }
    place.write("feed.xml", &feed);
    let parse = "import sys, xml.etree.ElementTree as t; n='{http://www.w3.org/2005/Atom}'\n\
                 f=t.parse('feed.xml').getroot(); ids={e.find(n+'id').text for e in f.iter(n+'entry')}\n\
                 sys.exit(f.tag != n+'feed' or len(ids) != 6)";
    let parsed = std::process::Command::new("python3")
        .args(["-c", parse])
        .current_dir(place.path("."))
        .status();
    assert!(parsed.expect("python").success());
}

#[test]
fn no_line_holds_a_command_to_a_terminal() {
    let place = Place::new();
    let config = "version = 1\n[snapshots]\npath = \"crawls/{name}/\"\n[sketch]\nseed = \"s\"\n";
    place.write("pipeline.toml", config);
    for (night, url) in [
        ("n0", "http://a.example/"),
        ("n1", "http://a.example/\u{9b}2J\u{202e}"),
    ] {
        place.write(&format!("crawls/{night}/a.jsonl"), page(url, 0..90));
        place
            .pipeline(&["snapshot", "add", night, &format!("crawls/{night}")])
            .exits(0);
    }
    place.run();
    for form in [
        &["changes"][..],
        &["changes", "--json"],
        &["changes", "--feed"],
    ] {
        let text = place.pipeline(form).stdout();
        assert!(text.contains("a.example/") && text.contains("2J"), "{text}");
        assert!(!text.contains(['\u{9b}', '\u{202e}']), "{form:?}");
    }
}

#[test]
fn one_snapshot_has_no_changes() {
    let place = Place::with_corpus(7, 20);
    place.run();
    let ran = place.pipeline(&["changes"]);
    assert!(ran.code() != Some(0));
    ran.says("there are fewer than two snapshots");
}

#[test]
fn a_first_night_needs_no_editor() {
    let place = Place::new();
    for (night, words) in [("2026-01-30", 0..90), ("2026-01-31", 1..91)] {
        place.write(
            &format!("crawls/{night}/a.jsonl"),
            page("http://a.example/", words),
        );
        place.write(&format!("crawls/{night}/_SUCCESS"), "");
    }
    let ran = place.pipeline(&["init", "--snapshots", "crawls/{name}/"]);
    ran.exits(0);
    ran.says("then: pipeline run");
    place.pipeline(&["run", "-q"]).exits(0);
    let row = ("2026-01-31", "similar", "http://a.example/");
    let row = (row.0.to_owned(), row.1.to_owned(), row.2.to_owned());
    assert_eq!(changes(&place, &[]), [row]);
    let ran = place.pipeline(&["init", "-c", "hand/pipeline.toml", "--snapshots"]);
    ran.exits(0);
    ran.says("then: pipeline snapshot add NAME PATH --config hand/pipeline.toml");
    for night in ["2026-01-30", "2026-01-31"] {
        let path = format!("crawls/{night}");
        let added = ["snapshot", "add", night, &path, "-c", "hand/pipeline.toml"];
        place.pipeline(&added).exits(0);
    }
    place
        .pipeline(&["run", "-q", "-c", "hand/pipeline.toml"])
        .exits(0);
    let refused = place.pipeline(&["init", "-c", "x.toml", "--snapshots", "crawls/"]);
    refused.exits(2);
    refused.says("{name}");
    assert!(!place.path("x.toml").exists());
}
