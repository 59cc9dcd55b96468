//! Files that are refused, each with the place of the damage.

use super::super::snapshot::Snapshot;
use super::bytes::three;
use super::{lists, read, write};
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

/// A directory with one snapshot of one file.
fn one() -> (TempDir, String, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let mut three = three();
    let snapshot = Snapshot {
        number: 1,
        revisit_sources: Vec::new(),
        ..three.remove(2)
    };
    let text = write(dir.path(), &[snapshot]);
    let list = lists(dir.path()).into_keys().next().unwrap();
    let list = dir.path().join("snapshots.d").join(list);
    (dir, text, list)
}

#[test]
fn each_kind_of_damage_is_told_with_its_line() {
    let (dir, whole, _) = one();
    let with = |from: &str, to: &str| {
        assert!(whole.contains(from), "{from}");
        whole.replacen(from, to, 1)
    };
    let table = whole.split_once("[[").unwrap().1;
    let second = |from: &str, to: &str| {
        let head = whole.replace("last-number = 1", "last-number = 2");
        format!("{head}\n[[{}", table.replace(from, to))
    };
    let cases = [
        (String::new(), "1:1: missing field `version`"),
        (
            "version = 3\n".to_owned(),
            "1:1: version is 3, and this program reads version 2",
        ),
        (
            "version = 2\n".to_owned(),
            "1:1: missing field `last-number`",
        ),
        (
            with("version = 2", "version = 2\nversion = 2"),
            "7:1: duplicate key",
        ),
        (
            with("last-number = 1", "last-number = 4294967296"),
            "7:15: invalid value",
        ),
        (
            with("last-number", "last-numbr"),
            "7:1: unknown field `last-numbr`",
        ),
        (
            with("last-number = 1", "last-number = 2"),
            "ends with snapshot 1, and last-number is 2: it was cut",
        ),
        (
            with("[[snapshot]]\nnumber = 1", "[[snapshot]]\nnumber = 2"),
            "9:1: list: expected 2-2026-01-31-CHECKSUM.jsonl",
        ),
        (with("paths =", "pahts ="), "13:1: unknown field `pahts`"),
        (
            with("name = \"2026-01-31\"\n", ""),
            "9:1: missing field `name`",
        ),
        (
            with("\"2026-01-31\"", "7"),
            "11:8: invalid type: integer `7`, expected a string",
        ),
        (
            with("2026-01-31T03:15:00Z", "2026-02-30T00:00:00Z"),
            "12:8: ",
        ),
        (
            with("2026-01-31T03:15:00Z", "03:15:00"),
            "9:1: date: expected a day",
        ),
        (
            with("documents = 9", "documents = -1"),
            "14:13: invalid value: integer `-1`",
        ),
        (
            with("documents = 9", "revisit-sources = [1]"),
            "9:1: revisit sources: expected",
        ),
        (
            with("1-2026-01-31-", "../"),
            "9:1: list: expected 1-2026-01-31-CHECKSUM.jsonl",
        ),
        (
            with("unreadable = 1\n", ""),
            "9:1: missing field `unreadable`",
        ),
        (with("files = 2\n", ""), "9:1: missing field `files`"),
        (
            second("number = 1", "number = 2"),
            "21:1: list: expected 2-2026-01-31-CHECKSUM.jsonl",
        ),
        ("[[snapshots]]\n".to_owned(), "1:1: missing field `version`"),
        (
            format!("version = 2 #{}\n", "x".repeat(1 << 20)),
            "1:1: the line is longer than 1 MiB",
        ),
    ];
    for (text, expected) in cases {
        fs::write(dir.path().join("snapshots.toml"), &text).unwrap();
        let told = read(dir.path()).expect_err(&text);
        assert!(told.contains(expected), "{expected:?} is not in {told:?}");
        let is_placed = told.starts_with("snapshots.toml:");
        assert!(is_placed && told.contains("from a backup"), "{told}");
    }
    fs::write(dir.path().join("snapshots.toml"), b"version = 2\nlast\xff").unwrap();
    assert!(
        read(dir.path())
            .unwrap_err()
            .contains("2:5: expected UTF-8")
    );
    // A date may be corrected by hand.
    let corrected = with("2026-01-31T03:15:00Z", "2026-02-01 # late");
    fs::write(dir.path().join("snapshots.toml"), corrected).unwrap();
    assert_eq!(
        read(dir.path()).unwrap()[0].date,
        Some(1_769_904_000_000_000)
    );
}

#[test]
fn numbers_and_names_are_checked_across_snapshots() {
    let dir = tempfile::tempdir().unwrap();
    for (number, name, expected) in [
        (3, "b", "snapshot 3 follows 1"),
        (1, "b", "snapshot 1 follows 1"),
        (2, "2026-01-29", "the name \"2026-01-29\" occurs twice"),
        (2, "default", "name \"default\": it is the name of"),
        (2, "a/b", "it contains a slash"),
        (1 << 31, "b", "above 2147483647"),
    ] {
        let mut list = three();
        list.truncate(1);
        list.push(Snapshot {
            number,
            name: name.to_owned(),
            ..list[0].clone()
        });
        let text = write(dir.path(), &list);
        let told = read(dir.path()).expect_err(&text);
        assert!(told.contains(expected), "{expected:?} is not in {told:?}");
        assert!(told.starts_with("snapshots.toml:19:1: "), "{told}");
        fs::remove_file(dir.path().join("snapshots.toml")).unwrap();
    }
}

#[test]
fn a_list_that_is_not_the_written_one_is_refused() {
    let (dir, toml, path) = one();
    let whole = fs::read_to_string(&path).unwrap();
    let with = |from: &str, to: &str| {
        assert!(whole.contains(from), "{from}");
        whole.replacen(from, to, 1)
    };
    let lines: Vec<&str> = whole.split_inclusive('\n').collect();
    for (text, expected) in [
        (
            lines[..2].concat(),
            ":2:1: there are 2 lines, and 3 were written: it was cut",
        ),
        (whole.repeat(2), ":4:1: there are more than 3 lines"),
        (
            with("1234", "1235"),
            ":3:1: the checksum is not that in the name",
        ),
        (with("\"warc\"", "\"tar\""), ":1:34: unknown format \"tar\""),
        (with("bytes", "size"), ":1:"),
        (with("\"bytes\":1234,\"d", "\"d"), "missing field `bytes`"),
        (
            with("0123456789abcdef", "12"),
            ":1:1: digest: expected 16 hex digits",
        ),
        (with("\"622", "\"g22"), ":2:"),
        (
            with("\"a.warc.gz\"", "\"\""),
            ":1:1: name: expected the name",
        ),
        (
            with("\"format\"", "\"root\":1,\"format\""),
            ":1:1: \"a.warc.gz\" has root 1, and there are 1",
        ),
        (with("unknown-format", "odd"), "unknown reason \"odd\""),
        (
            lines[0].repeat(2) + lines[2],
            ":2:1: the file \"a.warc.gz\" occurs twice",
        ),
        (
            lines[1].to_owned() + lines[0] + lines[2],
            ":2:1: files are not in the order",
        ),
        (with("}\n", "\n"), ":1:"),
    ] {
        fs::write(&path, &text).unwrap();
        let told = read(dir.path()).expect_err(&text);
        assert!(told.contains(expected), "{expected:?} is not in {told:?}");
        assert!(told.starts_with("snapshots.d/1-2026-01-31-"), "{told}");
        assert!(told.contains("from a backup"), "{told}");
    }
    fs::remove_file(&path).unwrap();
    let told = read(dir.path()).unwrap_err();
    assert!(told.contains("this list of files is missing"), "{told}");
    fs::write(&path, &whole).unwrap();
    fs::write(
        dir.path().join("snapshots.toml"),
        toml.replace("bytes = 2468", "bytes = 1"),
    )
    .unwrap();
    let told = read(dir.path()).unwrap_err();
    assert!(told.contains("its files have 2468 bytes"), "{told}");
}
