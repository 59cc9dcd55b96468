//! `[snapshots]`, and who names the input.

use std::fs;

use super::super::types::MOVED;
use super::super::{InputFrom, SNAPSHOTS_FILE, SnapshotPath, SnapshotsConfig, load, load_from};
use super::{check, told};

/// A configuration without paths, and these lines of `[snapshots]`.
fn with(lines: &str) -> String {
    format!("version = 1\n[snapshots]\n{lines}\n")
}

#[test]
fn values() {
    let of = |lines: &str| {
        check(&with(lines))
            .unwrap_or_else(|told| panic!("{lines}: {told}"))
            .snapshots
    };
    let path = |written: &str, before: &str, after: &str, ready: &str| {
        let [written, before, after, ready] = [written, before, after, ready].map(str::to_owned);
        Some(SnapshotPath {
            written,
            before,
            after,
            ready,
        })
    };
    assert_eq!(
        of(""),
        Some(SnapshotsConfig {
            path: None,
            keep: None,
            moved: MOVED
        })
    );
    assert_eq!(
        of("keep = 4294967295"),
        Some(SnapshotsConfig {
            path: None,
            keep: Some(u32::MAX),
            moved: MOVED
        })
    );
    let plain = SnapshotsConfig {
        path: path("c/{name}/", "c/", "/", "_SUCCESS"),
        keep: None,
        moved: MOVED,
    };
    assert_eq!(of("path = \"c/{name}/\""), Some(plain));
    let full = SnapshotsConfig {
        path: path("../x-{name}.d/warc", "../x-", ".d/warc", "done"),
        keep: Some(1),
        moved: model::Threshold::hundredths(25),
    };
    assert_eq!(
        of("path = \"../x-{name}.d/warc\"\nready = \"done\"\nkeep = 1\nmoved = 0.25"),
        Some(full)
    );
    assert_eq!(
        check("version = 1\ninput.paths = [\"in\"]")
            .expect("right")
            .snapshots,
        None
    );
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    for (lines, expected) in [
        (
            "path = \"crawls/\"",
            "3:8: path in [snapshots]: expected a directory that contains {name} exactly once",
        ),
        (
            "path = \"{name}/{name}\"",
            "3:8: path in [snapshots]: expected a directory that contains {name} exactly once",
        ),
        (
            "path = \"\"",
            "3:8: path in [snapshots]: expected a path, got \"\"",
        ),
        (
            "path = \"~/{name}\"",
            "3:8: path in [snapshots]: \"~/{name}\" is not expanded",
        ),
        (
            "path = \"@{name}\"",
            "3:8: path in [snapshots]: expected a directory",
        ),
        (
            "path = \"work/{name}/\"",
            "3:8: path in [snapshots]: \"work/{name}/\" lies inside dir",
        ),
        ("path = 7", "3:8: path in [snapshots]: expected a text"),
        (
            "ready = \"x\"",
            "3:9: ready in [snapshots]: there is no path",
        ),
        (
            "path = \"c/{name}\"\nready = \"\"",
            "4:9: ready in [snapshots]: expected the name of a file",
        ),
        (
            "path = \"c/{name}\"\nready = \"a/b\"",
            "4:9: ready in [snapshots]: expected the name of a file",
        ),
        (
            "path = \"c/{name}\"\nready = \"..\"",
            "4:9: ready in [snapshots]: expected the name of a file",
        ),
        (
            "keep = 0",
            "3:8: keep in [snapshots]: expected a whole number from 1",
        ),
        (
            "keep = \"12\"",
            "3:8: keep in [snapshots]: expected a whole number",
        ),
        (
            "kep = 12",
            "3:1: unknown key \"kep\" in [snapshots]; did you mean \"keep\"?",
        ),
        (
            "paths = [\"x\"]",
            "3:1: unknown key \"paths\" in [snapshots]; did you mean \"path\"?",
        ),
        (
            "[input]\npaths = [\"x\"]",
            "4:9: paths in [input]: the input consists of snapshots",
        ),
        (
            "[[input.source]]\nname = \"a\"\npaths = [\"x\"]",
            "source in [input]: the input consists of snapshots",
        ),
    ] {
        let told = told(&with(lines));
        assert!(
            told.iter().any(|line| line.contains(expected)),
            "{lines}: {told:?}"
        );
    }
}

#[test]
fn a_list_beside_the_configuration_is_its_input() {
    let dir = tempfile::tempdir().expect("a directory");
    let [bare, plain] = [
        ("bare.toml", "version = 1\n"),
        ("plain.toml", "version = 1\ninput.paths = [\"in\"]\n"),
    ]
    .map(|(name, text)| {
        fs::write(dir.path().join(name), text).expect("a file");
        dir.path().join(name)
    });
    assert!(
        load(&bare)
            .expect_err("refused")
            .to_string()
            .contains("missing key \"paths\"")
    );
    assert!(load(&plain).is_ok());
    assert!(
        load_from(&bare, InputFrom::Snapshots).is_ok()
            && load_from(&bare, InputFrom::Anywhere).is_ok()
    );
    assert!(load_from(&plain, InputFrom::Anywhere).is_ok());
    assert!(load_from(&plain, InputFrom::Snapshots).is_err());
    fs::write(dir.path().join(SNAPSHOTS_FILE), "").expect("a list");
    assert!(load(&bare).is_ok());
    for from in [InputFrom::Paths, InputFrom::Anywhere] {
        let errors = load_from(&plain, from).expect_err("refused").to_string();
        assert!(
            errors.contains("2:15: paths in [input]: the input consists of snapshots"),
            "{errors}"
        );
    }
}
