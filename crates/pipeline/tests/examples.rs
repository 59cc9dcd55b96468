//! The examples, called as their `main` calls them.

#[expect(dead_code, reason = "the example's main is not called")]
#[path = "../examples/compare.rs"]
mod compare;
#[expect(dead_code, reason = "the example's main is not called")]
#[path = "../examples/copies.rs"]
mod copies;
#[expect(dead_code, reason = "the example's main is not called")]
#[path = "../examples/like.rs"]
mod like;
#[expect(dead_code, reason = "the example's main is not called")]
#[path = "../examples/run.rs"]
mod run;

use std::fs;

/// Words that no two pages share unless they are copies.
fn page(word: &str, words: usize) -> String {
    let words: Vec<String> = (0..words).map(|n| format!("{word}{n}")).collect();
    words.join(" ")
}

#[test]
fn the_examples_find_the_copy_of_a_page() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let (original, other) = (page("original", 300), page("other", 300));
    let copy = format!("{original} and a line that was added");
    let pages = [("a", &original), ("b", &copy), ("c", &other)];
    let rows = pages.map(|(name, text)| {
        format!("{{\"url\":\"http://{name}.example/\",\"text\":\"{text}\"}}\n")
    });
    fs::write(path("crawl.jsonl"), rows.concat()).unwrap();
    let text = "version = 1\n[input]\npaths = [\"crawl.jsonl\"]\n[sketch]\nseed = \"tests\"\n";
    fs::write(path("pipeline.toml"), text).unwrap();
    fs::write(path("original.txt"), &original).unwrap();
    fs::write(path("copy.txt"), &copy).unwrap();
    let config = path("pipeline.toml");

    assert_eq!(run::counts(&config).unwrap(), (3, 1));
    let copies = copies::copies(&config, "http://b.example/").unwrap();
    assert_eq!(copies, ["http://a.example/", "http://b.example/"]);
    let found = like::like(&config, &path("copy.txt")).unwrap();
    assert_eq!(found.len(), 2);
    assert!(found.iter().all(|(_, resemblance)| *resemblance > 0.9));
    let (exact, estimated) =
        compare::resemblance(&path("original.txt"), &path("copy.txt")).unwrap();
    assert!(exact > 0.9 && exact < 1.0 && (exact - estimated).abs() < 0.1);
}
