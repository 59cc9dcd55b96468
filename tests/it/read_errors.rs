//! An error of the medium at the first read of an input file: the run ends with 1 and takes nothing
//! in, and the next run reads everything.

use crate::harness::{Place, Ran};
use rustix::io::Errno;
use std::path::PathBuf;
use std::process::Command;

/// What may be gone the next time: a bad block, a network file system that was mounted anew,
/// memory.
const TRANSIENT: [Errno; 3] = [Errno::IO, Errno::STALE, Errno::NOMEM];

const NIGHT: &str = "crawls/2026-01-01";

/// Two files of a crawl, 20 documents in each, and a configuration with this section.
fn place(section: &str) -> Place {
    let place = Place::new();
    for (file, word) in [("a", "first"), ("b", "second")] {
        let row =
            |n: u32| format!("{{\"id\":\"{word}-{n}\",\"text\":\"{word} page number {n}\"}}\n");
        let rows: String = (0..20).map(row).collect();
        place.write(&format!("{NIGHT}/{file}.jsonl"), rows);
    }
    place.write(&format!("{NIGHT}/READY"), "");
    let rest = "[sketch]\nseed = \"tests\"\n[work]\nmemory = \"64MiB\"\n";
    place.write("pipeline.toml", format!("version = 1\n{section}\n{rest}"));
    place
}

fn nightly() -> Place {
    place("[snapshots]\npath = \"crawls/{name}/\"\nready = \"READY\"")
}

/// Builds the library that makes reads fail.
fn library(place: &Place) -> PathBuf {
    let (source, library) = (place.path("read_fault.c"), place.path("read_fault.so"));
    place.write("read_fault.c", include_str!("read_fault.c"));
    let built = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-o"])
        .args([&library, &source])
        .arg("-ldl")
        .status();
    assert!(built.expect("a C compiler, as the build needs").success());
    library
}

/// Runs the program; the first read of `b.jsonl` fails.
fn failing(place: &Place, error: Errno, arguments: &[&str]) -> Ran {
    let file = place.path(NIGHT).join("b.jsonl");
    let mut command = place.command(arguments);
    command
        .env("LD_PRELOAD", library(place))
        .env("READ_FAULT_FILE", file.canonicalize().expect("a path"))
        .env("READ_FAULT_ERRNO", error.raw_os_error().to_string());
    Ran(command.output().expect("the program starts"))
}

#[test]
fn a_night_with_a_bad_read_takes_nothing_in_and_the_next_one_everything() {
    for error in TRANSIENT {
        let place = nightly();
        let ran = failing(&place, error, &["run", "-q"]);
        ran.exits(1);
        ran.says("b.jsonl");
        assert!(!place.path("snapshots.toml").exists(), "{error}");
        assert!(!place.path("out").exists(), "{error}");
        place.pipeline(&["run", "-q"]).exits(0);
        assert_eq!(place.rows("documents").len(), 40, "{error}");
    }
}

#[test]
fn a_snapshot_with_a_bad_read_is_not_added() {
    for error in TRANSIENT {
        let place = place("");
        failing(&place, error, &["snapshot", "add", "one", NIGHT]).exits(1);
        assert!(!place.path("snapshots.toml").exists(), "{error}");
        place.pipeline(&["snapshot", "add", "one", NIGHT]).exits(0);
        place.pipeline(&["run", "-q"]).exits(0);
        assert_eq!(place.rows("documents").len(), 40, "{error}");
    }
}

#[test]
fn paths_with_a_bad_read_end_the_run() {
    for error in TRANSIENT {
        let place = place(&format!("[input]\npaths = [\"{NIGHT}/*.jsonl\"]"));
        failing(&place, error, &["run", "-q"]).exits(1);
        assert!(!place.path("out").exists(), "{error}");
        place.pipeline(&["run", "-q"]).exits(0);
        assert_eq!(place.rows("documents").len(), 40, "{error}");
    }
}

/// A file that nobody may read is no reason to leave it out of its snapshot for ever.
#[test]
fn a_forbidden_file_stops_a_snapshot_until_it_can_be_read() {
    for arguments in [&["run"][..], &["snapshot", "add", "one", NIGHT]] {
        let place = if arguments[0] == "run" {
            nightly()
        } else {
            place("")
        };
        let ran = failing(&place, Errno::ACCESS, arguments);
        ran.exits(1);
        ran.says("\"b.jsonl\" cannot be read");
        assert!(!place.path("snapshots.toml").exists());
        place.pipeline(arguments).exits(0);
        place.pipeline(&["run", "-q"]).exits(0);
        assert_eq!(place.rows("documents").len(), 40);
    }
}
