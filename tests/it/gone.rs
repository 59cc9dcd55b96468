//! What became of clusters that are gone.

use crate::harness::Place;
use crate::journal::{journal, membership};
use crate::web::Server;
use serde_json::{Value, json};
use std::collections::BTreeSet;

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
    let page = Server::start(&place).get(&format!("/cluster/{}", id(1, 4)));
    assert!(page.starts_with("HTTP/1.1 404"), "{page}");
    let merged = "merged: 2 of them went to <a href=\"/cluster/4294967298\">4294967298</a>, \
                  which then had 4 documents";
    for said in [
        merged,
        "Gone since publication 2 (1). It had 2 documents",
        "<li><a href=\"/cluster/4294967298\">4294967298</a>, 4 documents</li>",
    ] {
        assert!(page.contains(said), "{said}: {page}");
    }
    assert!(
        shown.contains("merged     2 of them went to 4294967298, which then had 4 documents"),
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
