//! What became of clusters that are gone; the page of the guide on clusters over time.

use crate::harness::{Place, Ran, repository};
use crate::journal::{journal, membership};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

/// A text of so many words that no other number has; some words of it are others.
fn text(number: u32, other_from: u32) -> String {
    let word = |at: u32| format!("w{}x{}", number * 2 + u32::from(at >= other_from), at);
    (0..300).map(word).collect::<Vec<_>>().join(" ")
}

fn page(url: &str, text: &str) -> String {
    json!({"url": format!("http://a.test/{url}"), "text": text}).to_string() + "\n"
}

#[test]
fn a_gone_cluster_says_what_became_of_it() {
    let place = Place::new();
    let configure = |resemblance: &str| {
        let text = "version = 1\n[sketch]\nseed = \"tests\"\n[work]\nmemory = \"64MiB\"\n[cluster]\nresemblance = ";
        place.write(
            "pipeline.toml",
            format!("{text}{resemblance}\n[snapshots]\npath = \"crawls/{{name}}/\"\nkeep = 3\n"),
        );
    };
    let night = |name: &str| {
        let pages = [
            ("x/1", 1, 300),
            ("x/2", 1, 300),
            ("z/1", 3, 300),
            ("z/2", 3, 300),
            ("z/3", 3, 275),
            ("z/4", 3, 275),
        ];
        let pages: String = pages
            .iter()
            .map(|(url, number, from)| page(url, &text(*number, *from)))
            .collect();
        let more = if name == "1" {
            page("y/1", &text(2, 300)) + &page("y/2", &text(2, 300))
        } else {
            String::new()
        };
        place.write(&format!("crawls/{name}/a.jsonl"), pages + &more);
        place.write(&format!("crawls/{name}/_SUCCESS"), "");
        place.run();
    };
    let asked = |id: i64, code: i32| {
        let shown = place.pipeline(&["query", "cluster", &id.to_string()]);
        let ran = place.pipeline(&["query", "cluster", &id.to_string(), "--json"]);
        ran.exits(code);
        shown.exits(code);
        (
            shown.stdout(),
            if ran.stdout().is_empty() {
                Value::Null
            } else {
                ran.json()
            },
        )
    };
    let id = |snapshot: i64, position: i64| (snapshot << 32) + position;
    configure("0.95");
    night("1");
    assert_eq!(
        membership(&place).values().collect::<BTreeSet<_>>().len(),
        4
    );
    asked(id(1, 4), 0);
    configure("0.5");
    place.run();
    let (shown, told) = asked(id(1, 4), 1);
    let expected = json!({
        "cluster_id": id(1, 4), "publication": 2, "previous": 1, "snapshot": "1", "documents": 2,
        "events": [{"event": "merged", "new_cluster_id": id(1, 2), "documents": 2, "documents_after": 4}],
        "events_total": 1, "now": [{"cluster_id": id(1, 2), "documents": 4}], "now_total": 1
    });
    assert_eq!(told, expected);
    assert!(
        shown.contains("merged     2 of them went to 4294967298, of 4 documents"),
        "{shown}"
    );
    // Split again: it is there again.
    configure("0.95");
    place.run();
    asked(id(1, 4), 0);
    configure("0.5");
    for name in ["2", "3", "4", "5"] {
        night(name);
    }
    // Two nights were dropped: what was in the first is followed from name to name.
    for (position, documents) in [(0, 6), (2, 12)] {
        let (shown, told) = asked(id(1, position), 1);
        assert_eq!(
            (&told["events"][0]["event"], &told["snapshot"]),
            (&json!("renamed"), &json!("4")),
            "{shown}"
        );
        assert_eq!(
            told["now"],
            json!([{"cluster_id": id(3, position), "documents": documents}]),
            "{shown}"
        );
    }
    let (shown, told) = asked(id(1, 6), 1);
    assert_eq!(
        (&told["events"][0]["event"], &told["now"]),
        (&json!("died"), &json!([])),
        "{shown}"
    );
    assert!(
        shown.contains("died       2 of them went to no cluster"),
        "{shown}"
    );
    // The rows of its end went with the snapshot.
    let ran = place.pipeline(&["query", "cluster", &id(1, 4).to_string()]);
    ran.exits(1);
    ran.says("ids go from");
    assert_eq!(ran.stdout(), "");
    asked(id(5, 0) + 1, 1);
    assert!(
        journal(&place)
            .iter()
            .all(|row| ["3", "4", "5"].iter().any(|name| row["snapshot"] == *name))
    );
}

/// The page of the guide says what comes out.
#[test]
fn the_transcript_of_the_guide_is_what_happens() {
    let guide = fs::read_to_string(repository().join("docs/GUIDE.md")).expect("the guide");
    let page = guide
        .split("\n## ")
        .find(|page| page.starts_with("Clusters over time"))
        .expect("the page");
    let place = Place::new();
    place.write(
        "pipeline.toml",
        "version = 1\n[snapshots]\npath = \"crawls/{name}/\"\nkeep = 2\n[sketch]\nseed = \"tests\"\n",
    );
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
            place.write(
                &format!("crawls/{night}/{name}"),
                fs::read(site.join(name)).expect("a page"),
            );
        }
        place.write(&format!("crawls/{night}/_SUCCESS"), "");
        place.run();
    }
    let inside = page
        .lines()
        .skip_while(|line| !line.starts_with("    $"))
        .take_while(|line| !line.starts_with('`'));
    let block: Vec<&str> = inside
        .filter_map(|line| line.strip_prefix("    "))
        .collect();
    let mut commands = 0;
    for part in block.join("\n").split("$ ").filter(|part| !part.is_empty()) {
        let (command, expected) = part.split_once('\n').expect("a command and what it prints");
        let program = Path::new(env!("CARGO_BIN_EXE_pipeline"))
            .parent()
            .expect("a directory");
        let mut shell = Command::new("sh");
        shell
            .args(["-c", command])
            .current_dir(place.path(""))
            .env("PATH", format!("{}:/usr/bin:/bin", program.display()));
        let printed = Ran(shell.output().expect("a shell")).stdout();
        assert_eq!(printed.trim_end(), expected.trim_end(), "{command}");
        commands += 1;
    }
    assert!(commands >= 2, "{commands} commands");
    for column in journal(&place)[0].as_object().expect("an object").keys() {
        assert!(
            page.contains(&format!("`{column}`")),
            "{column} is not in the guide"
        );
    }
}
