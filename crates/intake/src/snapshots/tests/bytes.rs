//! List → bytes → list.

use super::super::{Snapshot, SnapshotFile};
use super::{read, text};
use input::{LISTING_REASONS, Rejection};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;

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
                let raw = (name.as_bytes() != raw).then_some(raw);
                let digest = digest.map_or(String::new(), |digest| format!("{digest:016x}"));
                SnapshotFile {
                    name,
                    raw,
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
    let rejected =
        ("\\PC{1,9}", 0..LISTING_REASONS.len(), ".{0,9}").prop_map(|(name, reason, detail)| {
            (
                name,
                Rejection {
                    offset: 0,
                    url: None,
                    reason: LISTING_REASONS[reason],
                    detail,
                },
            )
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
                snapshot.drop_it();
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
    #[test]
    fn a_list_reads_back_and_its_bytes_are_the_same(list in any_list()) {
        let written = text(&list);
        prop_assert_eq!(read(&written).unwrap(), list);
        prop_assert_eq!(text(&read(&written).unwrap()), written);
    }

    /// What is written is TOML to everybody else.
    #[test]
    fn other_readers_find_the_same(list in any_list()) {
        let table: toml::Table = text(&list).parse().unwrap();
        prop_assert_eq!(table["last-number"].as_integer().unwrap(), list.len() as i64);
        let found = table.get("snapshot").and_then(toml::Value::as_array).cloned().unwrap_or_default();
        prop_assert_eq!(found.len(), list.len());
        for (found, snapshot) in found.iter().zip(&list) {
            prop_assert_eq!(found["name"].as_str().unwrap(), &snapshot.name);
            prop_assert_eq!(found["paths"].as_array().unwrap().len(), snapshot.paths.len());
            let files = found.get("files").and_then(toml::Value::as_array).cloned().unwrap_or_default();
            prop_assert_eq!(files.len(), snapshot.files.len());
            for (found, file) in files.iter().zip(&snapshot.files) {
                prop_assert_eq!(found["name"].as_str().unwrap(), &file.name);
            }
        }
    }

    /// Whatever becomes of the bytes: an answer, and no list that was cut is taken for whole.
    #[test]
    fn cut_and_changed_bytes_never_panic(list in any_list(), cut in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let whole = text(&list).into_bytes();
        let at = cut.index(whole.len());
        if let Ok(read) = read(&whole[..at]) {
            // Only the last line break may be missing.
            prop_assert_eq!(&read, &list);
            prop_assert_eq!(at + 1, whole.len());
        }
        let mut changed = whole;
        changed[at] = byte;
        let _ = read(&changed);
    }
}

#[test]
fn the_text_is_for_people() {
    let file = |name: &str, digest: &str| SnapshotFile {
        name: name.to_owned(),
        raw: None,
        root: 0,
        format: input::Format::Warc,
        bytes: 1234,
        digest: digest.to_owned(),
    };
    let list = [
        Snapshot {
            number: 1,
            name: "2026-01-30".to_owned(),
            paths: vec!["crawls/2026-01-30/".to_owned()],
            documents: Some(7),
            dropped: true,
            ..Snapshot::default()
        },
        Snapshot {
            number: 2,
            name: "2026-01-31".to_owned(),
            date: Some(1_769_829_300_000_000),
            paths: vec!["crawls/2026-01-31/".to_owned()],
            roots: vec!["crawls/2026-01-31".to_owned()],
            files: vec![
                file("a.warc.gz", "0123456789abcdef"),
                file("b \u{7}.warc.gz", ""),
            ],
            rejected: vec![(
                "style.css".to_owned(),
                Rejection {
                    offset: 0,
                    url: None,
                    reason: "unknown-format",
                    detail: ".css is no page".to_owned(),
                },
            )],
            ..Snapshot::default()
        },
    ];
    let text = text(&list);
    let (comment, rest) = text.split_once("version = 1\n").expect("a version");
    assert!(
        comment
            .lines()
            .all(|line| line.is_empty() || line.starts_with("# ")),
        "{comment}"
    );
    assert_eq!(
        rest,
        r#"last-number = 2

[[snapshot]]
number = 1
name = "2026-01-30"
paths = ["crawls/2026-01-30/"]
documents = 7
dropped = true

[[snapshot]]
number = 2
name = "2026-01-31"
date = 2026-01-31T03:15:00Z
paths = ["crawls/2026-01-31/"]
roots = ["crawls/2026-01-31"]
unreadable = 1
files = [
    { name = "a.warc.gz", format = "warc", bytes = 1234, digest = "0123456789abcdef" },
    { name = "b \u0007.warc.gz", format = "warc", bytes = 1234 },
]
rejected = [
    { name = "style.css", reason = "unknown-format", detail = ".css is no page" },
]
"#
    );
}
