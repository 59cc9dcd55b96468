//! Lists of version 1 are read, and written as version 2.

use super::bytes::three;
use super::{lists, read, write};
use std::fs;

const OLD: &str = include_str!("data/version1.toml");

fn read_text(text: &str) -> Result<Vec<super::Snapshot>, String> {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("snapshots.toml"), text).unwrap();
    let read = read(dir.path());
    let now = fs::read_to_string(dir.path().join("snapshots.toml")).unwrap();
    assert_eq!(now, text, "reading changes nothing");
    read
}

#[test]
fn an_old_list_is_taken_over() {
    assert_eq!(read_text(OLD), Ok(three()));
    // As an editor on another system would save it.
    assert_eq!(read_text(&OLD.replace('\n', "\r\n")), Ok(three()));
    let none = "version = 1\nlast-number = 0\n";
    assert_eq!(read_text(none), Ok(Vec::new()));

    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("snapshots.toml");
    fs::write(&path, OLD).unwrap();
    let mut changed = read(dir.path()).unwrap();
    changed[2].documents = Some(10);
    let text = write(dir.path(), &changed);
    assert!(text.contains("version = 2\n"), "{text}");
    assert_eq!(lists(dir.path()).len(), 2);
    assert_eq!(read(dir.path()), Ok(changed));
}

#[test]
fn a_damaged_old_list_is_refused_with_its_line() {
    let with = |from: &str, to: &str| {
        assert!(OLD.contains(from), "{from}");
        OLD.replacen(from, to, 1)
    };
    for (text, expected) in [
        (
            with("last-number = 3", "last-number = 4"),
            "snapshots.toml:41:2: the file ends with snapshot 3",
        ),
        (
            with("took = \"2\"", "took = \"x\""),
            "snapshots.toml:26:1: took: expected numbers",
        ),
        (
            with("took = \"2\"", "took = \"3\""),
            "snapshots.toml:26:1: revisit sources: expected",
        ),
        (
            with("unreadable = 1\n", ""),
            "snapshots.toml:26:1: unreadable is 0, and 1 are",
        ),
        (
            with("format = \"warc\"", "format = \"tar\""),
            "snapshots.toml:23:36: unknown format \"tar\"",
        ),
        (
            with("bytes = 1234, digest", "size = 1234, digest"),
            "snapshots.toml:23:44: unknown field `size`",
        ),
        (
            with("name-bytes = \"62", "name-bytes = \"30"),
            "line 37: files are not in the order of their names",
        ),
        (
            with("roots = [\"crawls/2026-01-30\"]\n", ""),
            "line 22: \"a.warc.gz\" has root 0, and there are 0",
        ),
        (
            with("    { name = \"style", "    { nam = \"style"),
            "snapshots.toml:40:7: unknown field `nam`",
        ),
        (OLD[..OLD.len() - 3].to_owned(), "snapshots.toml:"),
    ] {
        let told = read_text(&text).expect_err(&text);
        assert!(
            told.starts_with(expected) || told.contains(expected),
            "{expected:?} is not in {told:?}"
        );
        assert!(told.contains("from a backup"), "{told}");
    }
    for at in 0..OLD.len() - 1 {
        // Before the lists of a dropped snapshot an old file could be cut unnoticed, but for the
        // number at its head.
        assert!(read_text(&OLD[..at]).is_err(), "cut at {at}");
    }
}
