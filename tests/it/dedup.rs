//! `pipeline dedup`: what goes and what stays, and in favour of what.

use crate::harness::{Place, files_below};
use parquet::record::{Field, Row};
use std::collections::{BTreeMap, BTreeSet};

/// Copies of a finished run.
pub(crate) fn copies(place: &Place, name: &str, options: &[&str]) -> serde_json::Value {
    let ran = place.pipeline(&[&["dedup", "-q", "--json", "-o", name], options].concat());
    ran.exits(0);
    ran.json()
}

/// Lines of JSONL copies, in the order of their files.
pub(crate) fn lines(place: &Place, name: &str) -> Vec<String> {
    lines_below(place, &format!("{name}/data"))
}

/// The rows of `removed.parquet`.
pub(crate) fn removed(place: &Place, name: &str) -> Vec<Row> {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    let file = std::fs::File::open(place.path(&format!("{name}/removed.parquet")))
        .expect("removed.parquet");
    let reader = SerializedFileReader::new(file).expect("Parquet");
    reader
        .get_row_iter(None)
        .expect("rows")
        .map(|row| row.expect("a row"))
        .collect()
}

/// A value of a row by its column.
pub(crate) fn value(row: &Row, column: &str) -> serde_json::Value {
    let (_, field) = row
        .get_column_iter()
        .find(|(name, _)| *name == column)
        .expect("a column");
    match field {
        Field::Null => serde_json::Value::Null,
        Field::Int(number) => (*number).into(),
        Field::Long(number) => (*number).into(),
        Field::Double(number) => (*number).into(),
        Field::Bool(flag) => (*flag).into(),
        Field::Str(text) => text.as_str().into(),
        other => panic!("{column} is {other}"),
    }
}

fn id(row: &serde_json::Value, column: &str) -> i64 {
    row[column].as_i64().expect("a number")
}

/// What a run says of every document: cluster, kept, representative, and the links of
/// representatives.
pub(crate) struct Published {
    pub(crate) cluster: BTreeMap<i64, (i64, bool)>,
    links: BTreeMap<(i64, i64), serde_json::Value>,
}

pub(crate) fn published(place: &Place) -> Published {
    let membership = place.rows("membership");
    let cluster = membership
        .iter()
        .map(|row| {
            (
                id(row, "doc_id"),
                (
                    id(row, "cluster_id"),
                    row["keep"].as_bool().expect("a truth value"),
                ),
            )
        })
        .collect();
    let links = place
        .rows("pairs")
        .into_iter()
        .map(|row| ((id(&row, "a"), id(&row, "b")), row))
        .collect();
    Published { cluster, links }
}

#[test]
fn kept_and_removed_are_all_documents_and_what_is_removed_is_accounted_for() {
    for (linkage, containment) in [("components", "0.9"), ("star", "0.9")] {
        let place = Place::with_corpus(61, 600);
        let settings = [
            format!("cluster.linkage = {linkage:?}"),
            format!("cluster.containment = {containment}"),
        ];
        place.config(&[&settings[0], &settings[1]]);
        place.run();
        let counts = copies(&place, "copies", &[]);
        let all: Vec<String> = lines_of_input(&place);
        let kept = lines(&place, "copies");
        let rows = removed(&place, "copies");
        assert!(rows.len() > 50, "only {} go", rows.len());
        assert_eq!(kept.len() + rows.len(), all.len());
        assert_eq!(
            (counts["kept"].as_u64(), counts["removed"].as_u64()),
            (Some(kept.len() as u64), Some(rows.len() as u64))
        );
        let run = published(&place);
        let gone: BTreeSet<i64> = rows
            .iter()
            .map(|row| value(row, "doc_id").as_i64().expect("an id"))
            .collect();
        let marked = run
            .cluster
            .iter()
            .filter(|(_, (_, keep))| !keep)
            .map(|(doc, _)| *doc)
            .collect();
        assert_eq!(gone, marked, "{linkage}: what goes is what the run said");
        // The lines that stay, byte for byte and in order.
        let expected: Vec<&String> = all
            .iter()
            .enumerate()
            .filter(|(doc, _)| !gone.contains(&(*doc as i64)))
            .map(|(_, line)| line)
            .collect();
        assert!(kept.iter().eq(expected), "{linkage}: other lines");
        // A star keeps what is more than its middle, which is only contained in it.
        let kinds = if linkage == "star" {
            &["resemblance"][..]
        } else {
            &["resemblance", "both"]
        };
        for ((a, b), link) in &run.links {
            let joins = link["kind"]
                .as_str()
                .is_some_and(|kind| kinds.contains(&kind));
            assert!(
                !joins || gone.contains(a) || gone.contains(b),
                "{linkage}: {a} and {b} stay and are linked"
            );
        }
        let mut linked = 0;
        for row in &rows {
            linked += usize::from(check_evidence(row, &run, linkage));
        }
        assert!(linked > 20, "{linkage}: only {linked} rows rest on a link");
    }
}

/// One row against the published tables; whether it rests on a link of its own.
fn check_evidence(row: &Row, run: &Published, linkage: &str) -> bool {
    let number = |column: &str| {
        value(row, column)
            .as_f64()
            .unwrap_or_else(|| panic!("{column} of {row}"))
    };
    let (doc, kept) = (number("doc_id") as i64, number("kept_doc_id") as i64);
    assert_eq!(
        run.cluster[&doc].0, run.cluster[&kept].0,
        "{doc} went for {kept} of another cluster"
    );
    assert!(
        run.cluster[&kept].1,
        "{doc} went for {kept}, which is not kept"
    );
    let links = value(row, "links").as_i64();
    if value(row, "class") != "similar" {
        assert_eq!(links, Some(0));
        assert_eq!(number("resemblance"), 1.0);
        return false;
    }
    assert!(
        linkage != "star" || links == Some(1),
        "{doc} and {kept} share no class and no link"
    );
    let pair = run.links.get(&(doc.min(kept), doc.max(kept)));
    let pair = pair.filter(|pair| pair["kind"] != "containment");
    let Some(pair) = pair else { return false };
    assert_eq!(links, Some(1));
    let (own, other) = if doc < kept {
        ("a_in_b", "b_in_a")
    } else {
        ("b_in_a", "a_in_b")
    };
    // Read back from JSON, a number may differ in its last bit.
    let near = |column: String, expected: &serde_json::Value| {
        let expected = expected.as_f64().expect("a number");
        assert!(
            (number(&column) - expected).abs() < 1e-12,
            "{column} of {doc} and {kept}: {expected}"
        );
    };
    for end in ["", "_low", "_high"] {
        near(
            format!("resemblance{end}"),
            &pair[format!("resemblance{end}")],
        );
        near(
            format!("containment_in_kept{end}"),
            &pair[format!("containment_{own}{end}")],
        );
        near(
            format!("containment_of_kept{end}"),
            &pair[format!("containment_{other}{end}")],
        );
    }
    true
}

pub(crate) fn lines_of_input(place: &Place) -> Vec<String> {
    lines_below(place, "crawl")
}

fn lines_below(place: &Place, dir: &str) -> Vec<String> {
    let files = files_below(&place.path(dir));
    files
        .into_values()
        .flat_map(|bytes| {
            String::from_utf8(bytes)
                .expect("text")
                .lines()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        })
        .collect()
}

/// Pages in a chain, each sharing most of its words with the next one only.
fn chain(pages: usize) -> String {
    let word = |n: usize| format!("w{}", n * 7919 % 10_007);
    let page = |n: usize| {
        (n * 60..n * 60 + 240)
            .map(word)
            .collect::<Vec<_>>()
            .join(" ")
    };
    (0..pages)
        .map(|n| format!("{{\"date\": {n}, \"text\": \"{}\"}}\n", page(n)))
        .collect()
}

#[test]
fn one_link_is_told_from_a_chain_whichever_end_is_kept() {
    let place = Place::new();
    place.write("crawl/chain.jsonl", chain(30));
    place.config(&[
        "sketch.method = { kind = \"modulus\", modulus = 1 }",
        "work.memory = \"1GiB\"",
        "cluster.linkage = \"components\"",
    ]);
    place.run();
    let next = std::iter::once(Some(1));
    let links: Vec<Option<i64>> = next.chain([None; 28]).collect();
    for (keep, expected) in [
        ("oldest", links.clone()),
        ("newest", links.into_iter().rev().collect()),
    ] {
        let counts = copies(&place, keep, &["--keep", keep]);
        assert_eq!(counts["kept"], 1, "the chain is one cluster");
        let rows = removed(&place, keep);
        let links: Vec<Option<i64>> = rows
            .iter()
            .map(|row| value(row, "links").as_i64())
            .collect();
        assert_eq!(links, expected, "{keep}");
    }
    // A star takes only what is linked to its middle.
    let counts = copies(&place, "star", &["--linkage", "star"]);
    assert_eq!(
        (
            counts["kept"].as_u64(),
            counts["differs"].as_array().map(Vec::len)
        ),
        (Some(15), Some(1))
    );
    assert!(
        removed(&place, "star")
            .iter()
            .all(|row| value(row, "links") == 1)
    );
}

#[test]
fn flags_decide_as_a_run_with_their_values_would() {
    let place = Place::with_corpus(62, 400);
    place.config(&["cluster.linkage = \"components\""]);
    place.run();
    let settings = ["cluster.linkage = \"star\"", "cluster.keep = \"longest\""];
    let ran = place.pipeline(&[
        "dedup",
        "-o",
        "flags",
        "--linkage",
        "star",
        "--keep",
        "longest",
    ]);
    ran.exits(0);
    ran.says("different from the run: linkage = star (run: linkage = components)");
    assert!(
        ran.stdout().contains("keep = longest (run: keep = first)"),
        "{}",
        ran.stdout()
    );
    place.config(&settings);
    place.pipeline(&["dedup", "-o", "refused"]).exits(2);
    place.run();
    copies(&place, "run", &[]);
    let [flags, run] = ["flags", "run"].map(|name| {
        let mut files = files_below(&place.path(name));
        // The journal has the checksum of the summary.
        let own = [".pipeline-dedup", ".journal", "dedup.json"];
        files.retain(|name, _| !own.contains(&name.as_str()));
        files
    });
    assert!(flags == run, "other copies");
    place
        .pipeline(&["dedup", "-n", "--keep", "shortest"])
        .exits(2);
}

#[test]
fn against_a_source_only_what_it_has_goes_and_its_files_are_not_copied() {
    let place = Place::with_corpus(64, 600);
    place.config(&["cluster.linkage = \"components\""]);
    let toml = std::fs::read_to_string(place.path("pipeline.toml")).expect("a file");
    let sources = "\n[[input.source]]\nname = \"archive\"\npaths = [\"crawl/part-0.jsonl\"]\n";
    place.run();
    let tables = || ["membership", "clusters", "pairs", "documents"].map(|table| place.rows(table));
    let before = tables();
    place.write(
        "pipeline.toml",
        toml.replace("\n[sketch]", &format!("{sources}\n[sketch]")),
    );
    std::fs::remove_dir_all(place.path("work")).expect("removed");
    place.run();
    assert!(
        before == tables(),
        "a name for a part of the input changes the result"
    );
    let counts = copies(&place, "copies", &["--against", "archive"]);
    let own = counts["against"].as_i64().expect("a number");
    assert!(own > 100);
    let names: Vec<String> = files_below(&place.path("copies/data"))
        .into_keys()
        .collect();
    assert_eq!(names, ["part-1.jsonl", "part-2.jsonl"]);
    let rows = removed(&place, "copies");
    assert!(rows.len() > 20, "only {} go", rows.len());
    let run = published(&place);
    let joins = |a: i64, b: i64| {
        let link = run.links.get(&(a.min(b), a.max(b)));
        link.is_some_and(|link| link["kind"] != "containment")
    };
    let same: BTreeMap<i64, BTreeSet<i64>> = classes(&place);
    let has = |doc: i64| {
        let class = same.get(&doc).cloned().unwrap_or_else(|| [doc].into());
        let alike = |other: i64| {
            same.get(&other)
                .map_or(vec![other], |all| all.iter().copied().collect())
        };
        class.iter().any(|doc| *doc < own)
            || run.links.keys().any(|(a, b)| {
                let (a_ours, b_ours) = (class.contains(a), class.contains(b));
                a_ours != b_ours
                    && joins(*a, *b)
                    && alike(if a_ours { *b } else { *a })
                        .iter()
                        .any(|doc| *doc < own)
            })
    };
    let gone: BTreeMap<i64, bool> = rows
        .iter()
        .map(|row| {
            (
                value(row, "doc_id").as_i64().expect("an id"),
                value(row, "class") == "similar",
            )
        })
        .collect();
    for doc in run.cluster.keys().filter(|doc| **doc >= own) {
        match gone.get(doc) {
            // The tables name only the strongest class of a document.
            Some(is_similar) => assert!(
                !is_similar || has(*doc),
                "{doc} goes, and the archive does not have it"
            ),
            None => assert!(!has(*doc), "{doc} stays, and the archive has it"),
        }
    }
    assert!(rows.iter().all(|row| {
        value(row, "kept_doc_id")
            .as_i64()
            .is_some_and(|kept| kept < own)
    }));
    assert_eq!(
        lines(&place, "copies").len() as i64 + own + rows.len() as i64,
        run.cluster.len() as i64
    );
    let ran = place.pipeline(&["dedup", "-n", "--against", "archives"]);
    ran.exits(2);
    ran.says("known sources: archive");
}

#[test]
fn a_file_that_is_not_copied_takes_no_name() {
    let place = Place::new();
    for (at, dir) in ["archive", "new", "other"].iter().enumerate() {
        place.write(
            &format!("in/{dir}/x.jsonl"),
            format!("{{\"text\": \"page {at} of its own\"}}\n"),
        );
    }
    place.config(&["input.paths = [\"in/new\", \"in/other\"]"]);
    let toml = std::fs::read_to_string(place.path("pipeline.toml")).expect("a file");
    let source = "\n[[input.source]]\nname = \"archive\"\npaths = [\"in/archive\"]\n";
    place.write(
        "pipeline.toml",
        toml.replace("\n[sketch]", &format!("{source}\n[sketch]")),
    );
    place.run();
    copies(&place, "copies", &["--against", "archive"]);
    let names: Vec<String> = files_below(&place.path("copies/data"))
        .into_keys()
        .collect();
    assert_eq!(names, ["same-name-2/x.jsonl", "x.jsonl"]);
    let copy = std::fs::read_to_string(place.path("copies/data/x.jsonl")).expect("a copy");
    assert!(copy.contains("page 1"), "{copy}");
}

/// Documents that share a class with others, with all of that class.
fn classes(place: &Place) -> BTreeMap<i64, BTreeSet<i64>> {
    let mut of: BTreeMap<i64, BTreeSet<i64>> = BTreeMap::new();
    for row in place.rows("membership") {
        if let Some(lowest) = row["same_as"].as_i64() {
            let class = of.entry(lowest).or_default();
            class.extend([lowest, id(&row, "doc_id")]);
        }
    }
    let sets: Vec<BTreeSet<i64>> = of.into_values().collect();
    sets.iter()
        .flat_map(|set| set.iter().map(move |doc| (*doc, set.clone())))
        .collect()
}

#[test]
fn drop_all_keeps_no_member_and_lists_name_what_goes() {
    let place = Place::with_corpus(65, 300);
    place.run();
    let run = published(&place);
    let sizes = run.cluster.values().fold(
        BTreeMap::new(),
        |mut sizes: BTreeMap<i64, u32>, (cluster, _)| {
            *sizes.entry(*cluster).or_default() += 1;
            sizes
        },
    );
    let members: Vec<i64> = run
        .cluster
        .iter()
        .filter(|(_, (cluster, _))| sizes[cluster] > 1)
        .map(|(doc, _)| *doc)
        .collect();
    let counts = copies(&place, "copies", &["--drop-all"]);
    assert_eq!(counts["removed"].as_u64(), Some(members.len() as u64));
    let rows = removed(&place, "copies");
    assert_eq!(
        rows.iter()
            .map(|row| value(row, "doc_id").as_i64().expect("an id"))
            .collect::<Vec<_>>(),
        members
    );
    assert!(
        rows.iter()
            .all(|row| value(row, "kept_doc_id").is_null() && value(row, "resemblance").is_null())
    );
    let listed = place.pipeline(&["dedup", "-q", "--list", "--drop-all"]);
    listed.exits(0);
    assert_eq!(
        listed
            .stdout()
            .lines()
            .map(|line| line.parse::<i64>().expect("an id"))
            .collect::<Vec<_>>(),
        members
    );
    let json = place.pipeline(&["dedup", "-q", "--list", "--json"]);
    let first: serde_json::Value =
        serde_json::from_str(json.stdout().lines().next().expect("a line")).expect("JSON");
    assert!(
        first["doc_id"].is_i64() && first["url"].is_string(),
        "{first}"
    );
    let counts = place.pipeline(&["dedup", "-q", "-n", "--json"]).json();
    assert_eq!(
        counts["removed"].as_u64(),
        Some(json.stdout().lines().count() as u64)
    );
    assert!(!place.path("work/dedup").exists(), "scratch files are left");
}

#[test]
fn threads_and_memory_change_no_byte_of_the_copies() {
    let place = Place::with_corpus(66, 800);
    let mut first = None;
    for (threads, memory) in [("1", "64MiB"), ("8", "64MiB"), ("2", "1GiB")] {
        place.config(&[
            &format!("work.threads = {threads}"),
            &format!("work.memory = {memory:?}"),
        ]);
        place.run();
        copies(&place, threads, &["--linkage", "star"]);
        let files = files_below(&place.path(threads));
        match &first {
            None => first = Some(files),
            Some(first) => assert!(*first == files, "{threads} threads, {memory}: other bytes"),
        }
    }
}
