//! The tables of a publication beside one another, row by row.

use crate::dedup::{copies, removed, value};
use crate::harness::Place;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Rows by the number in one of their columns.
fn by(rows: Vec<Value>, column: &str) -> BTreeMap<i64, Value> {
    let id = |row: &Value| row[column].as_i64().expect("a number");
    rows.into_iter().map(|row| (id(&row), row)).collect()
}

fn id(row: &Value, column: &str) -> i64 {
    row[column].as_i64().expect("a number")
}

/// Whether two cells are equal, but for the last digit of a number that was read from text.
fn is_near(a: &Value, b: &Value) -> bool {
    let floats = a.as_f64().zip(b.as_f64());
    a == b || floats.is_some_and(|(a, b)| (a - b).abs() < 1e-12)
}

/// The tables of a publication.
struct Tables {
    documents: BTreeMap<i64, Value>,
    membership: BTreeMap<i64, Value>,
    removed: Vec<Value>,
    clusters: BTreeMap<i64, Value>,
    pairs: BTreeMap<(i64, i64), Value>,
}

impl Tables {
    fn of(place: &Place) -> Tables {
        let pairs = place.rows("pairs").into_iter();
        Tables {
            documents: by(place.rows("documents"), "doc_id"),
            membership: by(place.rows("membership"), "doc_id"),
            removed: place.rows("removed"),
            clusters: by(place.rows("clusters"), "cluster_id"),
            pairs: pairs
                .map(|row| ((id(&row, "a"), id(&row, "b")), row))
                .collect(),
        }
    }

    /// The strongest class of two documents, as `membership` tells it of either.
    fn class(&self, a: i64, b: i64) -> Option<&str> {
        let [a, b] = [a, b].map(|doc| &self.membership[&doc]);
        let is_same = !a["same_as"].is_null() && a["same_as"] == b["same_as"];
        is_same.then(|| a["same_kind"].as_str()).flatten()
    }

    /// Every document that goes is in `removed`, with its row and that of the kept document.
    fn hold_removed(&self) {
        let marked = self
            .membership
            .iter()
            .filter(|(_, row)| row["keep"] == false);
        assert!(
            marked
                .map(|(doc, _)| *doc)
                .eq(self.removed.iter().map(|row| id(row, "doc_id"))),
            "removed has other documents than keep = false"
        );
        for row in &self.removed {
            let (doc, kept) = (id(row, "doc_id"), id(row, "kept_doc_id"));
            let (own, of_kept) = (&self.membership[&doc], &self.membership[&kept]);
            assert_eq!(own["kept_doc_id"], kept, "{row}");
            assert_eq!(own["cluster_id"], of_kept["cluster_id"], "{row}");
            assert_eq!(of_kept["keep"], true, "{row}");
            for (own, of_document) in [("id", "id"), ("url", "url"), ("bytes", "bytes")] {
                assert_eq!(row[own], self.documents[&doc][of_document], "{row}");
            }
            for (own, of_document) in [("kept_id", "id"), ("kept_url", "url")] {
                assert_eq!(row[own], self.documents[&kept][of_document], "{row}");
            }
            self.hold_evidence(row, doc, kept);
        }
    }

    /// `membership` names the document kept in favour of each, the size of its cluster, and the
    /// resemblance in `removed`.
    fn hold_membership(&self) {
        let removed = by(self.removed.clone(), "doc_id");
        assert_eq!(self.membership.len(), self.documents.len());
        for row in self.documents.values() {
            let url = row["url"].as_str().expect("a URL");
            let (_, rest) = url.split_once("://").expect("a scheme");
            let host = rest.split('/').next().expect("a host").to_lowercase();
            assert_eq!(row["host"], host, "{row}");
        }
        for (doc, row) in &self.membership {
            let cluster = self.clusters.get(&id(row, "cluster_id"));
            let size = cluster.map_or(1, |cluster| id(cluster, "documents"));
            let kept = removed.get(doc).map_or(*doc, |row| id(row, "kept_doc_id"));
            assert_eq!(id(row, "cluster_documents"), size, "{row}");
            assert_eq!(id(row, "kept_doc_id"), kept, "{row}");
            let resemblance = removed
                .get(doc)
                .map_or(Value::from(1.0), |removed| removed["resemblance"].clone());
            assert_eq!(row["resemblance"], resemblance, "{row}");
        }
        let members = self.membership.values().map(|row| id(row, "cluster_id"));
        for (cluster, row) in &self.clusters {
            let size = members.clone().filter(|member| member == cluster).count();
            assert_eq!(id(row, "documents"), size as i64, "{row}");
        }
    }

    /// `clusters` adds up the documents of each cluster, and names a kept one.
    fn hold_clusters(&self) {
        for (cluster, row) in &self.clusters {
            let members: Vec<i64> = self
                .membership
                .values()
                .filter(|member| id(member, "cluster_id") == *cluster)
                .map(|member| id(member, "doc_id"))
                .collect();
            let bytes = |doc: &i64| id(&self.documents[doc], "bytes");
            let goes = |doc: &&i64| self.membership[*doc]["keep"] == false;
            let host = |doc: &i64| {
                let url = self.documents[doc]["url"].as_str()?;
                let (_, rest) = url.split_once("://")?;
                rest.split('/').next().map(str::to_lowercase)
            };
            let hosts: BTreeSet<String> = members.iter().filter_map(host).collect();
            assert_eq!(id(row, "hosts"), hosts.len() as i64, "{row}");
            let sum: i64 = members.iter().map(bytes).sum();
            assert_eq!(id(row, "bytes"), sum, "{row}");
            let saved: i64 = members.iter().filter(goes).map(bytes).sum();
            assert_eq!(id(row, "bytes_saved"), saved, "{row}");
            let kept = members.iter().filter(|doc| !goes(doc)).count();
            assert_eq!(id(row, "kept"), kept as i64, "{row}");
            let kept = id(row, "kept_doc_id");
            assert!(members.contains(&kept) && !goes(&&kept), "{row}");
            let kept = &self.documents[&kept];
            assert_eq!(row["kept_id"], kept["id"], "{row}");
            assert_eq!(row["kept_url"], kept["url"], "{row}");
            assert_eq!(row["title"], kept["title"], "{row}");
        }
    }

    /// The class and the figures of a removed document follow from classes and links.
    fn hold_evidence(&self, row: &Value, doc: i64, kept: i64) {
        match self.class(doc, kept) {
            Some(class) => {
                assert_eq!((&row["class"], &row["links"]), (&class.into(), &0.into()));
                assert_eq!(row["resemblance"], 1.0, "{row}");
            }
            None if row["links"] == 0 => assert_ne!(row["class"], "similar", "{row}"),
            None => assert_eq!(row["class"], "similar", "{row}"),
        }
        if row["class"] != "similar" {
            return;
        }
        let [own, other] = [doc, kept].map(|doc| self.representative(doc));
        let link = self.pairs.get(&(own.min(other), own.max(other)));
        let Some(link) = link else { return };
        let joins = link["kind"] != "containment";
        assert_eq!(row["links"] == 1, joins, "{row}");
        let (in_kept, of_kept) = if own < other {
            ("containment_a_in_b", "containment_b_in_a")
        } else {
            ("containment_b_in_a", "containment_a_in_b")
        };
        for end in ["", "_low", "_high"] {
            for (figure, of_link) in [
                ("resemblance", "resemblance"),
                ("containment_in_kept", in_kept),
                ("containment_of_kept", of_kept),
            ] {
                assert!(
                    is_near(
                        &row[format!("{figure}{end}")],
                        &link[format!("{of_link}{end}")]
                    ),
                    "{figure}{end} of {row}, linked by {link}"
                );
            }
        }
    }

    /// The document that stands for this one in `pairs`, as far as `membership` tells: the lowest
    /// document of an identical class names itself, though it may be in a wider class.
    fn representative(&self, doc: i64) -> i64 {
        let mut doc = doc;
        while let Some(lower) = self.membership[&doc]["same_as"].as_i64() {
            if lower == doc {
                break;
            }
            doc = lower;
        }
        doc
    }
}

/// A run of a corpus with these settings.
fn run(seed: u64, pages: u32, settings: &[&str]) -> Place {
    let place = Place::with_corpus(seed, pages);
    place.config(settings);
    place.run();
    place
}

/// The sums of the report are those of the tables.
fn hold_report(place: &Place, tables: &Tables) {
    let text = std::fs::read_to_string(place.path("out/report.json")).expect("a report");
    let report: Value = serde_json::from_str(&text).expect("JSON");
    let sums = |classes: &[&str]| {
        let rows = tables.removed.iter().filter(|row| {
            row["class"]
                .as_str()
                .is_some_and(|class| classes.contains(&class))
        });
        let bytes: i64 = rows.clone().map(|row| id(row, "bytes")).sum();
        serde_json::json!({ "documents": rows.count(), "bytes": bytes })
    };
    let removed = &report["removed"];
    assert_eq!(removed["identical"], sums(&["identical"]));
    assert_eq!(removed["lexical"], sums(&["lexical"]));
    assert_eq!(removed["near"], sums(&["shingle", "similar"]));
    let saved: i64 = tables
        .clusters
        .values()
        .map(|row| id(row, "bytes_saved"))
        .sum();
    assert_eq!(id(removed, "bytes_saved"), saved);
    let mut hosts: BTreeMap<&str, u64> = BTreeMap::new();
    for row in &tables.removed {
        let host = tables.documents[&id(row, "doc_id")]["host"].as_str();
        if let Some(host) = host {
            *hosts.entry(host).or_default() += 1;
        }
    }
    let shown = removed["hosts"].as_array().expect("hosts");
    assert_eq!(shown.len(), hosts.len().min(10));
    let mut counts: Vec<u64> = hosts.values().copied().collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    for (host, count) in shown.iter().zip(counts) {
        let documents = host["documents"].as_u64().expect("a count");
        assert_eq!(documents, count, "{shown:?}");
        assert_eq!(hosts[host["host"].as_str().expect("a host")], documents);
    }
    for shown in report["clusters"]["largest"].as_array().expect("clusters") {
        let row = &tables.clusters[&id(shown, "cluster_id")];
        for column in ["documents", "kept_id", "kept_url", "title"] {
            assert_eq!(shown[column], row[column], "{shown}");
        }
    }
}

const SETTINGS: [&[&str]; 4] = [
    &["cluster.links = \"all\""],
    &["cluster.linkage = \"star\"", "cluster.containment = 0.8"],
    &["cluster.resemblance = 0.3", "pairs.floor = 0.25"],
    &[
        "cluster.resemblance = 0.8",
        "cluster.settle = \"off\"",
        "cluster.keep = \"longest\"",
    ],
];

#[test]
fn removed_documents_have_the_rows_of_the_other_tables() {
    for settings in SETTINGS {
        let place = run(71, 500, settings);
        let tables = Tables::of(&place);
        assert!(tables.removed.len() > 50, "{settings:?}");
        tables.hold_removed();
        tables.hold_membership();
        tables.hold_clusters();
        hold_report(&place, &tables);
    }
}

#[test]
fn copies_are_given_the_reasons_that_the_run_published() {
    for settings in SETTINGS {
        let place = run(72, 400, settings);
        copies(&place, "copies", &[]);
        let published = place.rows("removed");
        let of_copies = removed(&place, "copies");
        assert_eq!(published.len(), of_copies.len(), "{settings:?}");
        for (row, of_copies) in published.iter().zip(&of_copies) {
            for (column, cell) in row.as_object().expect("an object") {
                let copied = value(of_copies, column);
                // Only copies count the links of longer chains, and read texts.
                let is_of_copies = column == "links" && copied.as_i64() > Some(1)
                    || column == "differs_only_in_digits" && row["class"] == "similar"
                    || column == "differs_only_in_digits" && row["class"] == "shingle";
                let expected = if is_of_copies { &Value::Null } else { &copied };
                assert!(is_near(cell, expected), "{column} of {row}; {settings:?}");
            }
        }
    }
}

#[test]
fn removed_does_not_depend_on_threads_and_memory() {
    let place = run(73, 3000, &["work.memory = \"64MiB\"", "work.threads = 1"]);
    let one = std::fs::read(place.path("out/removed.parquet")).expect("a table");
    place.config(&["work.memory = \"1GiB\"", "work.threads = 4"]);
    place.pipeline(&["run", "--force"]).exits(0);
    let other = std::fs::read(place.path("out/removed.parquet")).expect("a table");
    assert!(one == other, "other bytes");
}

#[test]
fn pages_have_titles_and_hosts_where_their_format_has_them() {
    let place = Place::new();
    let page = |title: &str, words: &str| {
        format!("<html><head>\n<TITLE>{title}</TITLE></head><body>{words}</body></html>")
    };
    place.write("tree/a.html", page("One &amp;\n the other", "some words"));
    place.write("tree/b.html", "<p>no title");
    let records = [
        serde_json::json!({
            "url": "http://WWW.a.test:80/x", "html": page("Of a record", "other words"),
        }),
        serde_json::json!({ "url": "no host", "text": page("no markup", "more words") }),
    ];
    place.write(
        "lines/c.jsonl",
        records.map(|record| record.to_string() + "\n").concat(),
    );
    place.config(&["input.paths = [\"tree\", \"lines\"]"]);
    place.run();
    let found: BTreeMap<String, (Value, Value)> = place
        .rows("documents")
        .into_iter()
        .map(|mut row| {
            let url = row["url"].as_str().expect("a URL").to_owned();
            (url, (row["host"].take(), row["title"].take()))
        })
        .collect();
    let expected = [
        ("a.html", Value::Null, "One & the other".into()),
        ("b.html", Value::Null, Value::Null),
        (
            "http://WWW.a.test:80/x",
            "www.a.test".into(),
            "Of a record".into(),
        ),
        ("no host", Value::Null, Value::Null),
    ];
    let expected = expected.map(|(url, host, title)| (url.to_owned(), (host, title)));
    assert_eq!(found, expected.into_iter().collect());
}
