//! `dedup --remove LIST`: exactly the documents go that a list names, whatever wrote it.

use crate::dedup::{copies, lines, removed, value};
use crate::harness::{Place, files_below};
use std::fs;

/// Documents with these ids in two files, none like another.
fn place(first: &[&str], second: &[&str]) -> Place {
    let place = Place::new();
    let row = |file: u32, at: usize, id: &str| {
        let words = (0..30).map(|word| format!("w{file}n{at}of{word}"));
        let text: Vec<String> = words.collect();
        serde_json::json!({"id": id, "text": text.join(" ")}).to_string() + "\n"
    };
    for (file, ids) in [(0, first), (1, second)] {
        let rows = ids.iter().enumerate();
        let rows: String = rows.map(|(at, id)| row(file, at, id)).collect();
        place.write(&format!("crawl/part-{file}.jsonl"), rows);
    }
    place.config(&[]);
    place
}

fn sketched(place: &Place) {
    place.pipeline(&["run", "-q", "--until", "sketch"]).exits(0);
}

/// The ids of the rows that stay.
fn ids(place: &Place, name: &str) -> Vec<String> {
    let id = |line: String| {
        let row: serde_json::Value = serde_json::from_str(&line).expect("a row");
        row["id"].as_str().expect("an id").to_owned()
    };
    lines(place, name).into_iter().map(id).collect()
}

#[test]
fn every_form_of_a_list_removes_what_it_names() {
    let place = place(&["a", "b", "c,d"], &["e", "f", "g"]);
    sketched(&place);
    let lists = [
        ("plain", "f\n\nc,d\n"),
        ("numbers", "2\r\n4\r\n"),
        (
            "objects",
            "{\"id\": \"f\"}\n{\"doc_id\": 2, \"share\": 1.0}\n",
        ),
        ("csv", "share,id,url\n1.0,\"c,d\",\n0.5,f,\"x\ny\"\n"),
        ("both", "doc_id,id\n2,\"c,d\"\n4,f\n"),
    ];
    for (name, list) in lists {
        place.write(name, list);
        let out = copies(&place, &format!("{name}-out"), &["--remove", name]);
        assert_eq!([&out["removed"], &out["kept"]], [2, 4], "{name}");
        assert_eq!(out["listed"]["entries"], 2);
        assert_eq!(
            ids(&place, &format!("{name}-out")),
            ["a", "b", "e", "g"],
            "{name}"
        );
        assert_eq!(
            files_below(&place.path("plain-out/data")),
            files_below(&place.path(&format!("{name}-out/data"))),
        );
        let listed = place.pipeline(&["dedup", "--remove", name, "--list"]);
        assert_eq!(listed.stdout(), "2\n4\n");
    }
    let rows = removed(&place, "plain-out");
    let of = |column: &str| {
        rows.iter()
            .map(|row| value(row, column))
            .collect::<Vec<_>>()
    };
    assert_eq!(of("id"), ["c,d", "f"]);
    for column in [
        "kept_doc_id",
        "kept_id",
        "class",
        "resemblance",
        "differs_only_in_digits",
    ] {
        assert_eq!(
            of(column),
            [serde_json::Value::Null, serde_json::Value::Null],
            "{column}"
        );
    }
    // What a call removed is a list itself.
    copies(&place, "again", &["--remove", "plain-out/removed.parquet"]);
    assert_eq!(
        files_below(&place.path("plain-out/data")),
        files_below(&place.path("again/data")),
    );
}

#[test]
fn a_list_of_what_dedup_removes_makes_the_same_copies() {
    let place = Place::with_corpus(11, 60);
    place.run();
    copies(&place, "clusters", &[]);
    let data = files_below(&place.path("clusters/data"));
    place.write("plain", place.pipeline(&["dedup", "--list"]).stdout());
    let objects = place.pipeline(&["dedup", "--list", "--json"]).stdout();
    assert!(objects.lines().count() > 5, "{objects}");
    place.write("objects", objects);
    for list in [
        "clusters/removed.parquet",
        "out/removed.parquet",
        "plain",
        "objects",
    ] {
        for [threads, memory] in [["1", "64MiB"], ["4", "300MiB"]] {
            let name = format!("{}-{threads}", list.replace('/', "-"));
            let set = [
                &format!("work.threads={threads}"),
                &format!("work.memory={memory:?}"),
            ];
            let options = ["--remove", list, "--set", set[0], "--set", set[1]];
            let out = copies(&place, &name, &options);
            assert_eq!(out["listed"]["unknown"], 0, "{list}");
            assert!(
                data == files_below(&place.path(&format!("{name}/data"))),
                "{name}"
            );
        }
        let name = list.replace('/', "-");
        let table = |threads| fs::read(place.path(&format!("{name}-{threads}/removed.parquet")));
        assert!(table(1).expect("a table") == table(4).expect("a table"));
    }
}

#[test]
fn entries_that_name_nothing_are_counted_and_named() {
    let place = place(&["a", "b"], &["c", "b"]);
    sketched(&place);
    place.write("list", "x1\nb\n77\nx2\nx3\n");
    let told = place
        .pipeline(&["dedup", "-n", "--remove", "list"])
        .stdout();
    for line in [
        "removed              2  50.0 %",
        "entries              5  in list",
        "unknown              4  entries that name no document: x1; 77; x2",
        "shared               1  ids that several documents have: 2 in all, all named",
    ] {
        assert!(told.contains(line), "{told}");
    }
    let out = copies(&place, "copies", &["--remove", "list"]);
    assert_eq!(ids(&place, "copies"), ["a", "c"]);
    assert_eq!(
        out["listed"]["first_unknown"],
        serde_json::json!(["x1", "77", "x2"])
    );
    // The outcome of a finished call is the same, and another list is another call.
    assert_eq!(copies(&place, "copies", &["--remove", "list"]), out);
    place.write("list", "a\n");
    let other = place.pipeline(&["dedup", "-o", "copies", "--remove", "list"]);
    other.exits(2);
    other.says("copies made with other options");
    // A doc_id that has another id is of another corpus.
    place.write("other", "{\"doc_id\": 0, \"id\": \"b\"}\n");
    let other = place.pipeline(&["dedup", "-n", "--remove", "other"]);
    other.exits(2);
    other.says("failed to find a document of the list other: entries: 1, such as doc_id 0, id b;");
}

#[test]
fn a_list_that_may_mean_others_is_refused() {
    let place = place(&["0", "1", "2"], &["0", "1", "9"]);
    sketched(&place);
    let refused = |list: &str, why: &str| {
        place.write("list", list);
        for call in [&["-n"][..], &["--list"], &["-o", "copies"]] {
            let ran = place.pipeline(&[&["dedup", "--remove", "list"], call].concat());
            ran.exits(2);
            ran.says(why);
        }
        assert!(!place.path("copies/dedup.json").exists());
        let _ = fs::remove_dir_all(place.path("copies"));
    };
    refused(
        "9\n1\n",
        "entry 2 of list: it is the doc_id of one document and the id of another;",
    );
    refused("", "failed to read the list list: it has no entry");
    refused(
        "{\"url\": \"x\"}\n",
        "entry 1: it has neither doc_id nor id",
    );
    refused("PAR1", "failed to read the list list: ");
    refused("nobody\n", "failed to find a document of the list list");
    let missing = place.pipeline(&["dedup", "-n", "--remove", "nothing"]);
    missing.exits(2);
    missing.says("failed to read the list nothing: No such file or directory");
    // The number of one document only, as doc_id and as id.
    place.write("list", "2\n9\n");
    let listed = place.pipeline(&["dedup", "--remove", "list", "--list"]);
    assert_eq!(listed.stdout(), "2\n5\n");
    for other in [
        &["--drop-all"][..],
        &["--lossless", "1.0"],
        &["--keep", "longest"],
    ] {
        let ran = place.pipeline(&[&["dedup", "-n", "--remove", "list"], other].concat());
        ran.exits(2);
        ran.says("cannot be used with");
    }
}

#[test]
fn a_list_needs_no_clusters_but_what_the_input_is_now() {
    let place = place(&["a", "b"], &["c"]);
    place.write("list", "b\n");
    let call = ["dedup", "-n", "--remove", "list"];
    let none = place.pipeline(&call);
    none.exits(1);
    none.says("run `pipeline run --until sketch` first");
    sketched(&place);
    place.pipeline(&call).exits(0);
    let clusters = place.pipeline(&["dedup", "-n"]);
    clusters.exits(2);
    clusters.says("run `pipeline run` first");
    place.write(
        "crawl/part-1.jsonl",
        "{\"id\": \"b\", \"text\": \"one other\"}\n",
    );
    let changed = place.pipeline(&call);
    changed.exits(3);
    changed.says("run `pipeline run --until sketch` first");
}

#[test]
fn rows_that_a_list_names_are_marked() {
    let place = place(&["a", "b"], &["c"]);
    sketched(&place);
    place.write("list", "b\n");
    let out = copies(&place, "marked", &["--remove", "list", "--annotate"]);
    assert_eq!([&out["removed"], &out["kept"]], [1, 2]);
    let marks = lines(&place, "marked").into_iter().map(|line| {
        let row: serde_json::Value = serde_json::from_str(&line).expect("a row");
        assert_eq!(
            [&row["dedup_cluster_id"], &row["dedup_class"]],
            [&serde_json::Value::Null; 2]
        );
        (row["dedup_doc_id"].as_i64(), row["dedup_keep"].as_bool())
    });
    let expected = [
        (Some(0), Some(true)),
        (Some(1), Some(false)),
        (Some(2), Some(true)),
    ];
    assert_eq!(marks.collect::<Vec<_>>(), expected);
}

#[test]
fn a_document_without_an_id_goes_by_its_url_and_one_of_a_reference_stays() {
    let place = Place::new();
    for name in ["a", "sub/b", "c"] {
        place.write(
            &format!("crawl/{name}.txt"),
            format!("this is the page {name}"),
        );
    }
    place.write(
        "bench/b.jsonl",
        "{\"id\": \"q\", \"text\": \"a question\"}\n",
    );
    place.config(&[]);
    let toml = fs::read_to_string(place.path("pipeline.toml")).expect("a file");
    let source = "\n[[input.source]]\nname = \"bench\"\npaths = [\"bench\"]\n\n[sketch]";
    place.write("pipeline.toml", toml.replace("\n[sketch]", source));
    sketched(&place);
    place.write("list", "sub/b.txt\nq\n");
    let out = copies(&place, "copies", &["--remove", "list"]);
    assert_eq!(
        (&out["removed"], &out["listed"]["of_references"]),
        (&1.into(), &1.into())
    );
    let left: Vec<String> = files_below(&place.path("copies/data"))
        .into_keys()
        .collect();
    assert_eq!(left, ["a.txt", "c.txt"]);
}
