//! Work directories, lists of snapshots and publications that older builds of the program made.
//!
//! `tests/old/format-5` is of commit b5776975, which had other work files and another index. It ran
//! over the crawls `a` and `b`; crawl `c` came after that.

use crate::harness::{Place, files_below, repository};
use std::collections::BTreeMap;
use std::fs;

/// A copy of these files.
fn old(format: u32) -> Place {
    let place = Place::new();
    let kept = repository().join(format!("tests/old/format-{format}"));
    for (name, bytes) in files_below(&kept) {
        place.write(&name, bytes);
    }
    std::os::unix::fs::symlink("out.d/g000001", place.path("out")).expect("a link");
    place
}

/// What is published but for the index, which numbers what is dropped, too.
fn tables(place: &Place) -> BTreeMap<String, Vec<u8>> {
    let mut published = place.published();
    published.retain(|name, _| !name.starts_with("index/"));
    published
}

/// Runs, and holds the tables against those of a run of the same snapshots from scratch.
fn goes_on(place: &Place) {
    place.run();
    place.pipeline(&["verify"]).exits(0);
    let ran = place.pipeline(&["query", "url", "http://c.test/1"]);
    ran.exits(0);
    assert!(ran.stdout().contains("7 documents"), "{}", ran.stdout());
    let other = Place::new();
    for (name, bytes) in files_below(&place.path("")) {
        if !name.starts_with("work/") && !name.starts_with("out") {
            other.write(&name, bytes);
        }
    }
    other.run();
    let (tables, expected) = (tables(place), tables(&other));
    assert!(tables.len() > 10, "{:?}", tables.keys());
    for (name, bytes) in expected {
        assert!(tables.get(&name) == Some(&bytes), "{name} differs");
    }
}

#[test]
fn files_of_another_format_are_refused_with_the_command_that_helps() {
    let place = old(5);
    for verb in ["status", "verify", "run"] {
        let ran = place.pipeline(&[verb]);
        ran.exits(5);
        ran.says("format version is 5, expected 8");
        ran.says("remove it and run again");
    }
    for question in [
        "query url http://a.test/1",
        "explain 4294967296 4294967297",
        "report",
        "export documents",
    ] {
        let ran = place.pipeline(&question.split(' ').collect::<Vec<_>>());
        ran.exits(5);
        ran.says(
            "index version is 6, expected 8; nor can the work directory work be used: remove it",
        );
    }
    fs::remove_dir_all(place.path("work")).expect("removed");
    let ran = place.pipeline(&["query", "url", "http://a.test/1"]);
    ran.exits(5);
    ran.says("index version is 6, expected 8; `pipeline run` makes it anew");
    goes_on(&place);
}
