//! `dedup --against FILE`: documents go that have a near copy in a file that no configuration
//! names.

use crate::dedup::{copies, lines, removed, value};
use crate::harness::{Place, Ran, files_below, repository};
use std::fs;

fn text(n: u32) -> String {
    let words: Vec<String> = (0..20).map(|word| format!("w{n}x{word}")).collect();
    words.join(" ")
}

fn jsonl(prefix: &str, field: &str, numbers: &[u32]) -> String {
    let row = |n: &u32| serde_json::json!({"id": format!("{prefix}{n}"), field: text(*n)});
    numbers.iter().map(|n| row(n).to_string() + "\n").collect()
}

/// Two files of data, a benchmark and a directory with an earlier set.
fn place() -> Place {
    let place = Place::new();
    place.write("crawl/a.jsonl", jsonl("t", "text", &[1, 2, 3, 4]));
    place.write("crawl/b.jsonl", jsonl("u", "text", &[4, 5, 6]));
    place.write("bench.jsonl", jsonl("q", "text", &[2, 9]));
    place.write("old/x.txt", text(5));
    place.write("old/y.jsonl", jsonl("y", "body", &[6]));
    place
}

fn ids(place: &Place, name: &str) -> Vec<String> {
    let id = |line: String| {
        let row: serde_json::Value = serde_json::from_str(&line).expect("a row");
        row["id"].as_str().expect("an id").to_owned()
    };
    lines(place, name).into_iter().map(id).collect()
}

const BOTH: [&str; 4] = ["--against", "bench.jsonl", "--against", "old/"];

#[test]
fn no_configuration_is_needed_and_nothing_of_a_reference_is_copied() {
    let place = place();
    let call = [&["crawl"][..], &BOTH].concat();
    let out = copies(&place, "clean", &call);
    assert_eq!(
        [&out["documents"], &out["removed"], &out["against"]],
        [11, 3, 4]
    );
    assert_eq!(ids(&place, "clean"), ["t1", "t3", "t4", "u4"]);
    let names: Vec<String> = files_below(&place.path("clean/data")).into_keys().collect();
    assert_eq!(names, ["a.jsonl", "b.jsonl"]);
    let names = out["sources"].as_array().expect("sources").iter();
    let names: Vec<&str> = names
        .map(|one| one["name"].as_str().expect("a name"))
        .collect();
    assert_eq!(names, ["bench.jsonl", "old/"]);
    let kept = removed(&place, "clean");
    let kept: Vec<_> = kept.iter().map(|row| value(row, "kept_id")).collect();
    assert_eq!(
        kept,
        [
            serde_json::json!("q2"),
            serde_json::Value::Null,
            "y6".into()
        ]
    );
    assert!(!place.path("out").exists() && !place.path("pipeline-work/work").exists());
    // The second call has nothing to do, and a third one only copies.
    assert_eq!(copies(&place, "clean", &call), out);
    let listed = place.pipeline(&[&["dedup", "--list", "--json"][..], &call].concat());
    listed.exits(0);
    assert!(!listed.stderr().contains("sketch: "), "{}", listed.stderr());
    let ids = listed.stdout();
    assert!(ids.lines().count() == 3 && ids.contains("\"u6\""), "{ids}");
    // The configuration that was written is found.
    let out = copies(&place, "found", &["--against", "bench.jsonl"]);
    assert_eq!(out["removed"], 1);
    // Other input is another call, and the configuration stays.
    let written = fs::read(place.path("pipeline-work/pipeline.toml")).expect("a configuration");
    let out = copies(&place, "other", &["crawl/a.jsonl", "--against", "old"]);
    assert_eq!([&out["documents"], &out["removed"]], [6, 0]);
    assert!(written == fs::read(place.path("pipeline-work/pipeline.toml")).expect("a file"));
    place.pipeline(&["run", "-q", "crawl"]).exits(0);
}

#[test]
fn what_of_a_reference_cannot_be_read_is_told() {
    let place = place();
    place.write("old/broken.jsonl", "{\"text\":\n");
    place.write("old/empty.jsonl", "");
    let ran = place.pipeline(&["dedup", "crawl", "--against", "old", "--dry-run"]);
    ran.exits(0);
    let told =
        "note: of source \"old\" could not be read: 2 (1 bad-json, 1 empty-file); the first is ";
    ran.says(told);
    let ran = place.pipeline(&["dedup", "crawl", "--against", "bench.jsonl", "--dry-run"]);
    assert!(
        !ran.stderr().contains("could not be read"),
        "{}",
        ran.stderr()
    );
}

#[test]
fn the_results_of_a_configuration_stay_and_a_source_of_the_same_files_says_the_same() {
    let place = place();
    place.config(&[]);
    place.run();
    let (published, work) = (place.published(), files_below(&place.path("work")));
    let out = copies(&place, "files", &BOTH);
    assert_eq!(out["removed"], 3);
    assert!(published == place.published(), "the publication changed");
    assert!(
        work == files_below(&place.path("work")),
        "the work files changed"
    );
    for [threads, memory] in [["1", "64MiB"], ["4", "200MiB"]] {
        let set = [
            format!("work.threads={threads}"),
            format!("work.memory={memory:?}"),
        ];
        let options = [&BOTH[..], &["--set", &set[0], "--set", &set[1]]].concat();
        fs::remove_dir_all(place.path("work.dedup")).expect("removed");
        copies(&place, "again", &options);
        assert!(files_below(&place.path("files")) == files_below(&place.path("again")));
        fs::remove_dir_all(place.path("again")).expect("removed");
    }
    // Its own directory is no input, of itself and of others.
    place.config_file(
        "all.toml",
        &["input.paths = [\".\"]", "input.exclude = [\"*.toml\"]"],
    );
    let all = ["-c", "all.toml", "--against", "bench.jsonl", "--dry-run"];
    let told = place.pipeline(&[&["dedup"][..], &all].concat());
    told.exits(0);
    let copied = files_below(&place.path("files"));
    assert!(!copied.is_empty());
    let source = |name: &str, path: &str| {
        format!("\n[[input.source]]\nname = \"{name}\"\npaths = [\"{path}\"]\n")
    };
    let toml = fs::read_to_string(place.path("pipeline.toml")).expect("a file");
    let sources = source("bench", "bench.jsonl") + &source("old", "old") + "\n[sketch]";
    place.write("pipeline.toml", toml.replace("\n[sketch]", &sources));
    place.run();
    copies(&place, "named", &["--against", "old", "--against", "bench"]);
    let data = |name: &str| files_below(&place.path(&format!("{name}/data")));
    assert!(data("files") == data("named"), "a source and a file differ");
    // A name goes before a file: the directory `old` has one document more.
    place.write("old/z.jsonl", jsonl("z", "text", &[1]));
    place.write(
        "pipeline.toml",
        toml.replace("\n[sketch]", &(source("old", "bench.jsonl") + "\n[sketch]")),
    );
    place.run();
    let out = copies(&place, "name", &["--against", "old"]);
    assert_eq!([&out["removed"], &out["against"]], [1, 2]);
}

#[test]
fn a_reference_that_cannot_be_read_is_named_and_nothing_is_copied() {
    let place = place();
    place.config(&[]);
    place.run();
    place.write("empty.jsonl", "");
    place.write("fields.jsonl", jsonl("q", "question", &[2]));
    place.write("garbage.parquet", "PAR1 and nothing more");
    fs::create_dir(place.path("nothing")).expect("a directory");
    for (reference, code, messages) in [
        (
            "missing.jsonl",
            2,
            &["\"missing.jsonl\"", "no file (it is not there"][..],
        ),
        ("nothing", 2, &["\"nothing\"", "holds no file"]),
        (
            "*.none",
            2,
            &["failed to read --against *.none: no file matches"],
        ),
        ("work/manifest.json", 2, &["lies inside dir of [work]"]),
        (
            "empty.jsonl",
            3,
            &["source \"empty.jsonl\": it has no document", "empty-file"],
        ),
        (
            "fields.jsonl",
            3,
            &["\"fields.jsonl\"", "no-text", "name it in [[input.source]]"],
        ),
        (
            "garbage.parquet",
            3,
            &["\"garbage.parquet\"", "bad-parquet"],
        ),
    ] {
        for call in [&["-n"][..], &["--list"], &["-o", "copies"]] {
            let against = ["--against", "bench.jsonl", "--against", reference];
            let ran = place.pipeline(&[&["dedup"][..], &against, call].concat());
            ran.exits(code);
            messages.iter().for_each(|message| ran.says(message));
            assert!(!place.path("copies").exists(), "{reference}");
        }
    }
    let ran = place.pipeline(&["dedup", "crawl", "-n"]);
    ran.exits(2);
    ran.says("INPUT goes with --against or --remove");
    let inside = place.pipeline(&["dedup", "--against", "bench.jsonl", "-o", "work/copies"]);
    inside.exits(2);
    inside.says("it lies in the work directory");
}

/// The keys of `[input]` once read the benchmark, too, and all of it was rejected without a word.
#[test]
fn a_reference_is_read_by_its_own_form_whatever_the_input_has() {
    let place = Place::new();
    let samples = repository().join("data-samples");
    let rows = fs::read(samples.join("parquet/crawl.parquet")).expect("a sample");
    place.write("crawl/crawl.parquet", rows);
    place.config(&["input.format = \"parquet\""]);
    // The same page in the other format.
    let lines = fs::read_to_string(samples.join("jsonl/crawl-00000.jsonl")).expect("a sample");
    place.write("bench.jsonl", lines.lines().next().expect("a line"));
    let file = place.pipeline(&["dedup", "--list", "--json", "--against", "bench.jsonl"]);
    file.exits(0);
    let listed = file.stdout();
    assert!(listed.contains("9957e13c-9306-4bce"), "{listed}");
    let toml = fs::read_to_string(place.path("pipeline.toml")).expect("a file");
    let source = "\n[[input.source]]\nname = \"bench\"\npaths = [\"bench.jsonl\"]\n\n[sketch]";
    place.write("pipeline.toml", toml.replace("\n[sketch]", source));
    for call in [&["run"][..], &["dedup", "--list", "--against", "bench"]] {
        let named = place.pipeline(call);
        named.exits(3);
        named.says("failed to read source \"bench\": it has no document");
        named.says("bad-parquet");
    }
}

#[test]
fn a_reference_may_be_a_crawl_or_a_part_of_the_input() {
    let place = Place::new();
    let web = repository().join("data-samples/web");
    for (name, at) in [
        ("crawl-00000", "crawl"),
        ("crawl-00001", "crawl"),
        ("crawl-00001", "ref"),
    ] {
        let bytes = fs::read(web.join(format!("{name}.warc.gz"))).expect("a sample");
        place.write(&format!("{at}/{name}.warc.gz"), bytes);
    }
    let part = copies(
        &place,
        "part",
        &["crawl", "--against", "crawl/crawl-00001.warc.gz"],
    );
    let names: Vec<String> = files_below(&place.path("part/data")).into_keys().collect();
    assert_eq!(names, ["crawl-00000.warc.gz"], "a reference is copied");
    let whole = copies(&place, "whole", &["crawl", "--against", "ref"]);
    let own = part["against"].as_u64().expect("a number");
    // All of the second file has a copy in the reference.
    assert_eq!(
        whole["removed"].as_u64(),
        part["removed"].as_u64().map(|of| of + own)
    );
    assert!(own > 0);
}

#[test]
fn input_is_made_ready_for_a_list_of_ids() {
    let place = place();
    place.write("list", "t2\nu4\n");
    let out = copies(&place, "clean", &["crawl", "--remove", "list"]);
    assert_eq!(out["removed"], 2);
    assert_eq!(ids(&place, "clean"), ["t1", "t3", "t4", "u5", "u6"]);
    assert!(!place.path("pipeline-work/work.dedup/pairs/counts").exists());
}

#[test]
fn a_killed_call_is_gone_on_with_to_the_same_copies() {
    let golden = place();
    golden.config(&[]);
    copies(&golden, "copies", &BOTH);
    let expected = files_below(&golden.path("copies"));
    let (mut kills, mut nth) = (0, 1);
    loop {
        let place = place();
        place.config(&[]);
        let mut command = place.command(&[&["dedup", "-q", "-o", "copies"][..], &BOTH].concat());
        command.env("PIPELINE_FAULT", format!("kill:any:{nth}"));
        let killed = Ran(command.output().expect("the program starts"));
        copies(&place, "copies", &BOTH);
        assert!(files_below(&place.path("copies")) == expected, "kill {nth}");
        if killed.code() == Some(0) {
            break;
        }
        kills += 1;
        nth += 7;
    }
    assert!(kills > 20, "{kills} kills");
}
