//! Pages that are copied in one crawl and removed in the next, as sites migrate.

use crate::harness::Place;
use serde_json::{Value, json};

fn crawl(place: &Place, name: &str, pages: &[(&str, u32)]) {
    let line = |(url, number): &(&str, u32)| {
        let words: Vec<String> = (0..300).map(|at| format!("w{number}x{at}")).collect();
        json!({"url": format!("http://a.test/{url}"), "text": words.join(" ")}).to_string() + "\n"
    };
    let lines: String = pages.iter().map(line).collect();
    place.write(&format!("crawls/{name}/a.jsonl"), lines);
    let path = format!("crawls/{name}");
    place.pipeline(&["snapshot", "add", name, &path]).exits(0);
}

/// Page 1 is copied in `two` and removed in `three`. Of page 2 there are two from the beginning.
fn place() -> Place {
    let place = Place::new();
    place.write(
        "pipeline.toml",
        "version = 1\n[sketch]\nseed = \"tests\"\n[work]\nmemory = \"64MiB\"\n",
    );
    crawl(&place, "one", &[("old/1", 1), ("old/2", 2), ("too/2", 2)]);
    let copied = [("new/1", 1), ("old/1", 1), ("old/2", 2), ("too/2", 2)];
    crawl(&place, "two", &copied);
    crawl(&place, "three", &[("new/1", 1), ("too/2", 2)]);
    place
}

fn row<'a>(rows: &'a [Value], column: &str, url: &str) -> &'a Value {
    let url = format!("http://a.test/{url}");
    let is_last = |row: &&Value| row["new_snapshot"] == "three" && row[column] == url.as_str();
    rows.iter().find(is_last).expect("a row")
}

#[test]
fn a_page_that_was_copied_first_has_moved() {
    let place = place();
    place.run();
    let moved = place.rows("moved");
    let page = row(&moved, "old_url", "old/1");
    assert_eq!(
        [&page["new_url"], &page["class"], &page["appeared"]],
        ["http://a.test/new/1", "identical", "two"]
    );
    assert_eq!(moved.len(), 1);
    let changes = place.rows("changes");
    assert_eq!(row(&changes, "url", "old/1")["class"], "moved");
    assert_eq!(row(&changes, "url", "old/2")["class"], "gone");

    let lost = place.pipeline(&["query", "lost", "http://a.test/old/1"]);
    lost.exits(0);
    let answer = lost.stdout();
    assert!(answer.contains("http://a.test/new/1"), "{answer}");
    let copied = "copied     in two, while the lost page was there\n";
    assert!(answer.contains(copied), "{answer}");
    let lost = place.pipeline(&["query", "lost", "http://a.test/old/2", "--json"]);
    assert_eq!(lost.json()["class"], "gone");
    let history = place.pipeline(&["query", "history", "http://a.test/old/1"]);
    assert!(history.stdout().contains("moved"), "{}", history.stdout());
}

#[test]
fn once_the_snapshot_before_the_copy_is_dropped_nobody_knows_which_came_first() {
    let place = place();
    place.run();
    place.pipeline(&["snapshot", "drop", "one"]).exits(0);
    place.run();
    assert_eq!(place.rows("moved"), Vec::<Value>::new());
    let scratch = place.published();
    std::fs::remove_dir_all(place.path("work/index")).expect("removed");
    place
        .pipeline(&["run", "-q", "--force", "--from", "index"])
        .exits(0);
    assert!(
        place.published() == scratch,
        "other bytes than from scratch"
    );
}
