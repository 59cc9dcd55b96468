//! Two configurations that publish to one output.

use crate::harness::{Place, Ran};
use serde_json::Value;
use std::fs;

/// Corpora in `crawl` and `other`; `a.toml` and `b.toml` read one each, with the same seed and
/// output.
fn place() -> Place {
    let place = Place::with_corpus(41, 40);
    let first = fs::read(place.path("crawl/part-0.jsonl")).expect("a file");
    place.write("other/part-0.jsonl", first);
    place.config_file("a.toml", &["work.dir = \"work-a\""]);
    place.config_file(
        "b.toml",
        &["work.dir = \"work-b\"", "input.paths = [\"other\"]"],
    );
    fs::remove_file(place.path("pipeline.toml")).expect("removed");
    place
}

fn call(place: &Place, config: &str, words: &str) -> Ran {
    let words: Vec<&str> = words.split(' ').chain(["-c", config]).collect();
    place.pipeline(&words)
}

const QUESTIONS: [&str; 5] = [
    "query doc 0",
    "query like 0",
    "explain 0 1",
    "export membership",
    "report",
];

#[test]
fn a_publication_of_another_configuration_is_neither_damaged_nor_asked() {
    let place = place();
    call(&place, "a.toml", "run -q").exits(0);
    for question in QUESTIONS {
        let asked = call(&place, "a.toml", question);
        asked.exits(0);
        assert_eq!(asked.stderr(), "", "{question}");
    }
    // A configuration without a run leads to what others publish, and is told so.
    let asked = call(&place, "b.toml", "query doc 0");
    asked.exits(0);
    asked.says("note: the publication has other settings than the configuration: dir was work-a");

    for ((config, other), shown) in [(("a", "b"), "g000002"), (("b", "a"), "g000003")] {
        let (config, other) = (format!("{config}.toml"), format!("{other}.toml"));
        let theirs = format!("work-{}", &other[..1]);
        call(&place, &other, "run -q").exits(0);
        let verified = call(&place, &config, "verify");
        verified.exits(2);
        verified.says(&format!(
            "the publication of the work directory {theirs}, made by {other}"
        ));
        verified.says("another output in [work]");
        for question in QUESTIONS {
            let asked = call(&place, &config, question);
            asked.exits(2);
            asked.says(&theirs);
            assert_eq!(asked.stdout(), "", "{question}");
        }
        let status = call(&place, &config, "status").stdout();
        assert!(
            status.contains(&format!("out shows {shown} of {theirs}, not ")),
            "{status}"
        );
        call(&place, &other, "verify").exits(0);
        call(&place, &other, "query doc 0").exits(0);
    }
    // Damage of the work directory is found nevertheless.
    let path = place.path("work-b/sort/postings-1");
    let bytes = fs::read(&path).expect("a file");
    fs::write(&path, &bytes[..bytes.len() - 7]).expect("written");
    let verified = call(&place, "b.toml", "verify");
    verified.exits(5);
    assert!(
        verified.stdout().contains("1 damaged"),
        "{}",
        verified.stdout()
    );
    fs::write(&path, &bytes).expect("written");

    // Also where its publication is removed.
    for _ in 0..2 {
        call(&place, "a.toml", "run -q --from index --force").exits(0);
    }
    assert!(!place.path("out.d/g000002").exists());
    call(&place, "b.toml", "verify").exits(2);
    call(&place, "b.toml", "run -q").exits(0);
    call(&place, "b.toml", "verify").exits(0);
}

#[test]
fn a_work_directory_that_was_moved_knows_its_publication() {
    let place = place();
    call(&place, "a.toml", "run -q").exits(0);
    fs::rename(place.path("work-a"), place.path("work-c")).expect("moved");
    place.config_file("c.toml", &["work.dir = \"work-c\""]);
    for question in QUESTIONS.into_iter().chain(["verify"]) {
        let asked = call(&place, "c.toml", question);
        asked.exits(0);
        assert_eq!(asked.stderr(), "", "{question}");
    }
    let again = call(&place, "c.toml", "run");
    again.exits(0);
    again.says("nothing new");
    // Where only the publication came along, nobody can know.
    fs::remove_dir_all(place.path("work-c")).expect("removed");
    let asked = call(&place, "c.toml", "query doc 0");
    asked.exits(0);
    assert_eq!(asked.stderr(), "");
}

#[test]
fn a_dry_run_tells_of_its_own_documents_whatever_is_shown() {
    let place = place();
    let theirs = fs::read_to_string(place.path("crawl/part-1.jsonl")).expect("a file");
    place.write(
        "other/part-0.jsonl",
        theirs.replace("http://", "http://theirs."),
    );
    call(&place, "a.toml", "run -q").exits(0);
    let names = || {
        let ran = call(&place, "a.toml", "dedup --dry-run --json");
        ran.exits(0);
        let rows = ran.json()["least_alike"].as_array().expect("rows").clone();
        let name = |row: &Value| ["url", "kept_url", "id", "kept_id"].map(|key| row[key].clone());
        let names: Vec<_> = rows.iter().map(name).collect();
        (names, rows[0]["differences"].clone())
    };
    let (own, differences) = names();
    assert!(own.iter().all(|[url, ..]| url.is_string()), "{own:?}");
    assert!(differences.is_number());
    call(&place, "b.toml", "run -q").exits(0);
    assert_eq!(names(), (own, Value::Null));
}

#[test]
fn two_outputs_of_one_work_directory_are_not_damaged() {
    let place = place();
    let shared = ["work.dir = \"work\"", "work.output = \"of-c\""];
    place.config_file("c.toml", &shared);
    place.config_file(
        "d.toml",
        &["work.dir = \"work\"", "input.paths = [\"other\"]"],
    );
    let second = "run -q --set work.output=two";
    let other_parameters = format!("{second} --set sketch.shingle-size=8");
    for (config, second) in [
        ("c.toml", second),
        ("c.toml", &other_parameters),
        ("d.toml", "run -q"),
    ] {
        for name in ["work", "of-c.d", "out.d", "two.d"] {
            fs::remove_dir_all(place.path(name)).ok();
        }
        call(&place, "c.toml", "run -q").exits(0);
        call(&place, config, second).exits(0);
        let verified = call(&place, "c.toml", "verify");
        verified.exits(2);
        verified
            .says("of-c shows an earlier publication: its run.json is of another run than the last one of work");
        assert!(!place.path("work/damage.json").exists(), "{second}");
        call(&place, "c.toml", "query doc 0").exits(0);
        let status = call(&place, "c.toml", "status").stdout();
        assert!(status.contains(" runs: "), "{status}");
        call(&place, "c.toml", "run -q").exits(0);
        call(&place, "c.toml", "verify").exits(0);
    }
}
