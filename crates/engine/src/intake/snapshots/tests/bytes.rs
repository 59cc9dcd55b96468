//! Snapshots → files on disk → snapshots.

use super::super::snapshot::{Snapshot, SnapshotFile};
use super::super::store;
use super::{lists, read, write};
use input::{LISTING_REASONS, RejectedFile};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use std::fs;

fn any_file() -> impl Strategy<Value = (u32, usize, u64, Option<u64>)> {
    (
        0..3u32,
        0..5usize,
        0..=i64::MAX as u64,
        any::<Option<u64>>(),
    )
}

fn any_files() -> impl Strategy<Value = Vec<SnapshotFile>> {
    // Names as bytes, in order; those that are no UTF-8 are shown otherwise.
    btree_map(vec(any::<u8>(), 1..9), any_file(), 0..6).prop_map(|files| {
        let file =
            |(raw, (root, format, bytes, digest)): (Vec<u8>, (u32, usize, u64, Option<u64>))| {
                let name = String::from_utf8_lossy(&raw).into_owned();
                let name_bytes = (name.as_bytes() != raw).then_some(raw);
                let digest = digest.map_or(String::new(), |digest| format!("{digest:016x}"));
                SnapshotFile {
                    name,
                    name_bytes,
                    root,
                    format: input::Format::ALL[format],
                    bytes,
                    digest,
                }
            };
        files.into_iter().map(file).collect()
    })
}

fn any_snapshot() -> impl Strategy<Value = Snapshot> {
    let rejected = ("\\PC{1,9}", 0..LISTING_REASONS.len(), ".{0,9}");
    let rejected = rejected.prop_map(|(name, reason, detail)| RejectedFile {
        name,
        reason: LISTING_REASONS[reason],
        detail,
        stat: None,
    });
    let date = proptest::option::of(-60_000_000_000_000_000..250_000_000_000_000_000i64);
    let figures = (
        date,
        proptest::option::of(0..=i64::MAX as u64),
        any::<bool>(),
    );
    (
        figures,
        vec(".{0,20}", 1..3),
        any_files(),
        vec(rejected, 0..3),
    )
        .prop_map(|(figures, paths, files, rejected)| {
            let (date, documents, dropped) = figures;
            let mut snapshot = Snapshot {
                date,
                paths,
                documents,
                files,
                rejected,
                roots: ["", "a/", "\"\\\u{202e}"].map(str::to_owned).to_vec(),
                ..Snapshot::default()
            };
            if dropped {
                snapshot.drop_now();
            }
            snapshot
        })
}

fn any_list() -> impl Strategy<Value = Vec<Snapshot>> {
    let names = proptest::collection::hash_set("[a-zé日][a-z .\"\\\\]{0,5}[a-z]", 0..4);
    (names, vec(any_snapshot(), 4)).prop_map(|(names, snapshots)| {
        let named = |((number, name), snapshot)| Snapshot {
            number,
            name,
            ..snapshot
        };
        (1..).zip(names).zip(snapshots).map(named).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn snapshots_read_back_and_their_bytes_are_the_same(list in any_list()) {
        let dir = tempfile::tempdir().unwrap();
        let written = write(dir.path(), &list);
        let files = lists(dir.path());
        prop_assert_eq!(read(dir.path()).unwrap(), &*list);
        prop_assert_eq!(write(dir.path(), &list), written);
        prop_assert_eq!(lists(dir.path()), files);
    }

    /// Cut or changed bytes give an answer, and no cut file is accepted.
    #[test]
    fn cut_and_changed_bytes_never_panic(list in any_list(), cut in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let dir = tempfile::tempdir().unwrap();
        let whole = write(dir.path(), &list).into_bytes();
        let path = dir.path().join("snapshots.toml");
        let at = cut.index(whole.len());
        fs::write(&path, &whole[..at]).unwrap();
        if let Ok(read) = read(dir.path()) {
            // Only the last line break may be missing.
            prop_assert_eq!(&read, &list);
            prop_assert_eq!(at + 1, whole.len());
        }
        let mut changed = whole.clone();
        changed[at] = byte;
        fs::write(&path, changed).unwrap();
        let _ = read(dir.path());
        fs::write(&path, &whole).unwrap();
        for name in lists(dir.path()).keys() {
            let path = dir.path().join("snapshots.d").join(name);
            let whole = fs::read(&path).unwrap();
            if whole.is_empty() {
                continue;
            }
            let at = cut.index(whole.len());
            fs::write(&path, &whole[..at]).unwrap();
            prop_assert!(read(dir.path()).unwrap_err().starts_with("snapshots.d/"));
            let mut changed = whole.clone();
            changed[at] = byte;
            fs::write(&path, &changed).unwrap();
            prop_assert_eq!(read(dir.path()).is_ok(), changed == whole);
            fs::write(&path, whole).unwrap();
        }
    }
}

pub(super) fn file(name: &str, digest: &str) -> SnapshotFile {
    SnapshotFile {
        name: name.to_owned(),
        name_bytes: None,
        root: 0,
        format: input::Format::Warc,
        bytes: 1234,
        digest: digest.to_owned(),
    }
}

/// A dropped snapshot, one that is retained for revisits, and a live one.
pub(super) fn three() -> Vec<Snapshot> {
    let path = |name: &str| format!("crawls/{name}/");
    let snapshot = |number: u32, name: &str| Snapshot {
        number,
        name: name.to_owned(),
        paths: vec![path(name)],
        ..Snapshot::default()
    };
    vec![
        Snapshot {
            documents: Some(7),
            dropped: true,
            ..snapshot(1, "2026-01-29")
        },
        Snapshot {
            documents: Some(8),
            dropped: true,
            roots: vec!["crawls/2026-01-30".to_owned()],
            files: vec![file("a.warc.gz", "0123456789abcdef")],
            ..snapshot(2, "2026-01-30")
        },
        Snapshot {
            date: Some(1_769_829_300_000_000),
            documents: Some(9),
            revisit_sources: vec![2],
            roots: vec!["crawls/2026-01-31".to_owned()],
            files: vec![
                file("a.warc.gz", "0123456789abcdef"),
                SnapshotFile {
                    name_bytes: Some(b"b \x07\xe9.warc.gz".to_vec()),
                    ..file("b \u{7}\\xE9.warc.gz", "")
                },
            ],
            rejected: vec![RejectedFile {
                name: "style.css".to_owned(),
                reason: "unknown-format",
                detail: ".css is no page".to_owned(),
                stat: None,
            }],
            ..snapshot(3, "2026-01-31")
        },
    ]
}

#[test]
fn people_and_other_programs_can_read_the_files() {
    let dir = tempfile::tempdir().unwrap();
    let text = write(dir.path(), &three());
    let (comment, rest) = text.split_once("version = 2\n").expect("a version");
    assert!(
        comment
            .lines()
            .all(|line| line.is_empty() || line.starts_with("# ")),
        "{comment}"
    );
    assert_eq!(rest, include_str!("data/version2.toml"));
    let lists: Vec<String> = lists(dir.path()).into_values().collect();
    assert_eq!(
        lists,
        [
            "{\"name\":\"a.warc.gz\",\"format\":\"warc\",\"bytes\":1234,\"digest\":\"0123456789abcdef\"}\n",
            "{\"name\":\"a.warc.gz\",\"format\":\"warc\",\"bytes\":1234,\"digest\":\"0123456789abcdef\"}\n\
             {\"name\":\"b \\u0007\\\\xE9.warc.gz\",\"name-bytes\":\"622007e92e776172632e677a\",\
             \"format\":\"warc\",\"bytes\":1234}\n\
             {\"name\":\"style.css\",\"reason\":\"unknown-format\",\"detail\":\".css is no page\"}\n",
        ]
    );
}

#[test]
fn lists_that_are_not_named_are_removed_and_foreign_files_stay() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), &three());
    let kept: Vec<String> = lists(dir.path()).into_keys().collect();
    let directory = dir.path().join("snapshots.d");
    for name in [
        "4-x-0123456789abcdef.jsonl",
        "3-x-0123456789abcdef.jsonl.part",
        "README",
        "notes.jsonl",
    ] {
        fs::write(directory.join(name), "left").unwrap();
    }
    let mut two = three();
    two[1].drop_now();
    write(dir.path(), &two);
    let left: Vec<String> = lists(dir.path()).into_keys().collect();
    assert_eq!(left, [kept[1].as_str(), "README", "notes.jsonl"]);
    assert_eq!(read(dir.path()), Ok(two));
}

/// A shell may name each file of a crawl, and each may have a directory of its own.
#[test]
fn many_paths_are_written_so_that_they_can_be_read() {
    let dir = tempfile::tempdir().unwrap();
    let long = "a-name-as-long-as-those-of-the-files-of-a-crawl-that-are-in-the-archives";
    let many = |what: &str| -> Vec<String> {
        let path = |n| format!("{what}/{n:05}-{long}.warc.gz");
        (0..20_000).map(path).collect()
    };
    let snapshots = [Snapshot {
        number: 1,
        name: "cc".to_owned(),
        paths: many("crawl"),
        roots: many("root"),
        ..Snapshot::default()
    }];
    write(dir.path(), &snapshots);
    assert_eq!(read(dir.path()).unwrap(), snapshots);
    let too_long = "x".repeat(1 << 20);
    let mut list = store::load(&dir.path().join("snapshots.toml"))
        .unwrap()
        .unwrap();
    list.change()[0].paths.push(too_long);
    let error = list
        .persist(&dir.path().join("snapshots.toml"))
        .unwrap_err();
    assert!(error.to_string().contains("longer than 1 MiB"), "{error}");
    assert_eq!(read(dir.path()).unwrap(), snapshots);
}
