//! `pipeline snapshot`: the list made, shown and changed; what is refused; what a kill leaves.

use crate::harness::{Place, Ran, files_below};
use serde_json::Value;
use std::fs;
use std::os::unix::process::ExitStatusExt;

/// A place whose configuration names no files, and three crawls.
fn place() -> Place {
    let place = Place::new();
    place.write(
        "pipeline.toml",
        "version = 1\n[sketch]\nseed = \"tests\"\n[work]\nmemory = \"64MiB\"\n",
    );
    for night in 1..=3 {
        for page in 0..4 {
            place.write(
                &format!("crawls/night-{night}/{page}.html"),
                format!("<html>page {page} of night {night}"),
            );
        }
        place.write(&format!("crawls/night-{night}/style.css"), "body {}");
    }
    place
}

fn list(place: &Place) -> String {
    fs::read_to_string(place.path("snapshots.toml")).unwrap_or_default()
}

/// Number, name and state of all.
fn rows(place: &Place) -> Vec<(Value, String, String)> {
    let ran = place.pipeline(&["snapshot", "list", "--json"]);
    ran.exits(0);
    let text = |row: &Value, key: &str| row[key].as_str().expect("a text").to_owned();
    let rows = ran.json()["snapshots"].as_array().expect("a list").clone();
    rows.iter()
        .map(|row| (row["number"].clone(), text(row, "name"), text(row, "state")))
        .collect()
}

fn add(place: &Place, name: &str, paths: &[&str]) -> Ran {
    place.pipeline(&[&["snapshot", "add", name], paths].concat())
}

#[test]
fn snapshots_are_added_shown_and_dropped() {
    let place = place();
    place.write("crawls/night-1/junk.bin", "\0\0");
    let none = place.pipeline(&["snapshot", "list"]);
    none.exits(0);
    assert_eq!(none.stdout(), "no snapshots\n");
    assert!(!place.path("snapshots.toml").exists() && !place.path("work").exists());

    let added = place.pipeline(&[
        "snapshot",
        "add",
        "one",
        "crawls/night-1/",
        "--date",
        "2026-01-31",
        "--json",
    ]);
    added.exits(0);
    added.says("note: snapshot one: these files are not read: \"junk.bin\" (unknown-format)");
    let row = &added.json()["snapshots"][0];
    let expected = serde_json::json!({
        "number": 1, "name": "one", "date": "2026-01-31T00:00:00Z", "paths": ["crawls/night-1/"], "files": 4,
        "unreadable": 1, "bytes": 4 * 23, "documents": null, "state": "new"
    });
    assert_eq!(row, &expected);
    add(&place, "two", &["crawls/night-2", "crawls/night-3/*.html"]).exits(0);
    assert!(
        list(&place).contains("paths = [\"crawls/night-2\", \"crawls/night-3/*.html\"]"),
        "{}",
        list(&place)
    );

    let dropped = place.pipeline(&["snapshot", "drop", "one"]);
    dropped.exits(0);
    assert!(
        dropped
            .stdout()
            .contains("one   2026-01-31          -                  -              -  dropped")
    );
    let expected = [(1, "one", "dropped"), (2, "two", "new")];
    let expected =
        expected.map(|(n, name, state)| (Value::from(n), name.to_owned(), state.to_owned()));
    assert_eq!(rows(&place), expected);
    // The last one, too; numbers and names stay taken.
    place.pipeline(&["snapshot", "drop", "two"]).exits(0);
    place.pipeline(&["run"]).exits(1);
    add(&place, "two", &["crawls/night-2"]).exits(2);
    add(&place, "three", &["crawls/night-2"]).exits(0);
    assert_eq!(rows(&place)[2].0, 3);
    assert!(!place.path("snapshots.toml.part").exists());
}

#[test]
fn paths_are_kept_relative_to_the_configuration() {
    let place = place();
    fs::create_dir_all(place.path("conf")).expect("a directory");
    fs::rename(
        place.path("pipeline.toml"),
        place.path("conf/pipeline.toml"),
    )
    .expect("moved");
    place.write("conf/near/a.txt", "some text");
    place.write("conf/list.txt", "near/a.txt\n");
    let add = |name: &str, path: &str| {
        place
            .pipeline(&["snapshot", "add", "-c", "conf/pipeline.toml", name, path])
            .exits(0);
        let list = fs::read_to_string(place.path("conf/snapshots.toml")).expect("a list");
        list.lines()
            .rfind(|line| line.starts_with("paths = "))
            .expect("paths")
            .to_owned()
    };
    assert_eq!(add("a", "conf/near"), "paths = [\"near\"]");
    assert_eq!(add("b", "./conf//near/"), "paths = [\"near/\"]");
    assert_eq!(add("c", "@conf/list.txt"), "paths = [\"@list.txt\"]");
    assert_eq!(add("d", "conf/n*/?.txt"), "paths = [\"n*/?.txt\"]");
    let whole = fs::canonicalize(place.path("crawls/night-1")).expect("a path");
    assert_eq!(add("e", "crawls/night-1"), format!("paths = [{whole:?}]"));
    // From anywhere the files are the same.
    let from_conf = place
        .command(&["snapshot", "list"])
        .current_dir(place.path("conf"))
        .output()
        .expect("runs");
    let from_here = place.pipeline(&["snapshot", "list", "-c", "conf/pipeline.toml"]);
    assert_eq!(Ran(from_conf).stdout(), from_here.stdout());
    place
        .pipeline(&["run", "-c", "conf/pipeline.toml"])
        .exits(0);
}

#[test]
fn what_is_wrong_is_refused_and_nothing_is_changed() {
    let place = place();
    add(&place, "one", &["crawls/night-1"]).exits(0);
    let before = list(&place);
    fs::create_dir_all(place.path("empty")).expect("a directory");
    place.write("only-css/style.css", "body {}");
    let long = "n".repeat(201);
    let night = "crawls/night-2";
    for (arguments, code, told) in [
        (&["add", "one", night][..], 2, "a name is never used again"),
        (&["add", "default", night], 2, "a corpus without snapshots"),
        (&["add", "a/b", night], 2, "a slash"),
        (&["add", ".a", night], 2, "begins with a dot"),
        (&["add", "", night], 2, "it is empty"),
        (&["add", "a\u{1b}[31m", night], 2, "control"),
        (&["add", &long, night], 2, "200 bytes"),
        (&["add", "a"], 2, "required"),
        (&["add", "a", ""], 2, "a value is required"),
        (&["add", "a", "nosuch"], 1, "nosuch does not exist"),
        (
            &["add", "a", night, "nosuch/*.gz"],
            1,
            "no file matches \"nosuch/*.gz\"",
        ),
        (&["add", "a", "empty"], 1, "no file matches \"empty\""),
        (&["add", "a", "only-css"], 1, "no file can be read"),
        (
            &["add", "a", "crawls/[x"],
            2,
            "not a file, directory or glob",
        ),
        (&["add", "a", "work/x"], 2, "lies inside dir"),
        (&["add", "a", "~/x"], 1, "does not exist"),
        (&["add", "a", night, "--date", "yesterday"], 2, "not a date"),
        (&["add", "a", night, "--date", "2026"], 2, "not a date"),
        (
            &["add", "a", night, "--date", "2026-02-30"],
            2,
            "not a date",
        ),
        (&["drop", "nosuch"], 1, "known snapshots: one"),
        (&["drop"], 2, "required"),
        (&["rename", "one", "two"], 2, "unrecognized"),
    ] {
        let ran = place.pipeline(&[&["snapshot"], arguments].concat());
        ran.exits(code);
        ran.says(told);
        assert_eq!(ran.stdout(), "", "{arguments:?}");
        assert_eq!(list(&place), before, "{arguments:?}");
    }
    place.pipeline(&["snapshot", "drop", "one"]).exits(0);
    place
        .pipeline(&["snapshot", "drop", "one"])
        .says("it is already dropped");
}

#[test]
fn paths_and_snapshots_exclude_each_other() {
    let place = place();
    let plain = "version = 1\n[input]\npaths = [\"crawls\"]\n[sketch]\nseed = \"tests\"\n[work]\nmemory = \"64MiB\"\n";
    let bare = fs::read_to_string(place.path("pipeline.toml")).expect("a configuration");
    place.pipeline(&["run"]).says("missing key \"paths\"");
    place.write("pipeline.toml", plain);
    for arguments in [
        &["snapshot", "add", "one", "crawls/night-1"][..],
        &["snapshot", "add", "-c", "pipeline.toml", "a", "b"],
    ] {
        let refused = place.pipeline(arguments);
        refused.exits(2);
        refused.says("pipeline.toml:3:9: paths in [input]: the input consists of snapshots");
        refused.says("pipeline snapshot add");
    }
    assert!(!place.path("snapshots.toml").exists());
    place.pipeline(&["snapshot", "list"]).exits(0);
    place.run();

    place.write("pipeline.toml", &bare);
    add(&place, "one", &["crawls/night-1"]).exits(0);
    place.run();
    place.write("pipeline.toml", plain);
    for arguments in [
        &["run"][..],
        &["status"],
        &["snapshot", "list"],
        &["verify"],
    ] {
        place
            .pipeline(arguments)
            .says("the input consists of snapshots");
    }
    // A file that needs no run needs none of this.
    place
        .pipeline(&["tokens", "crawls/night-1/0.html"])
        .exits(0);
    place.write(
        "pipeline.toml",
        format!("{plain}[snapshots]\npath = \"crawls/{{name}}/\"\n"),
    );
    place.pipeline(&["run"]).exits(2);
    place.write(
        "pipeline.toml",
        format!("{bare}[snapshots]\npath = \"crawls/\"\nkeep = 0\nready = \"a/b\"\n"),
    );
    let told = place.pipeline(&["run"]);
    for (line, problem) in [
        (7, "{name} exactly once"),
        (8, "from 1"),
        (9, "the name of a file"),
    ] {
        told.says(&format!("pipeline.toml:{line}:"));
        told.says(problem);
    }
}

#[test]
fn a_run_takes_in_what_is_new_once() {
    let place = place();
    let bare = fs::read_to_string(place.path("pipeline.toml")).expect("a configuration");
    place.write(
        "pipeline.toml",
        format!("{bare}[snapshots]\npath = \"crawls/night-{{name}}\"\nkeep = 2\n"),
    );
    for night in ["2", "1"] {
        place.write(&format!("crawls/night-{night}/_SUCCESS"), "");
    }
    let found = rows(&place);
    assert_eq!(
        found,
        ["1", "2"].map(|name| (Value::Null, name.to_owned(), "found".to_owned()))
    );
    place.pipeline(&["run", "--dry-run"]).exits(0);
    place.pipeline(&["status"]).exits(0);
    assert!(
        !place.path("snapshots.toml").exists(),
        "looking writes nothing"
    );

    let first = place.run();
    first.says("note: snapshot 1 (number 1) is new: 4 files, 92 bytes");
    assert_eq!(place.rows("documents").len(), 8);
    let kept = list(&place);
    let modified = |name: &str| {
        fs::metadata(place.path(name))
            .and_then(|metadata| metadata.modified())
            .expect("a time")
    };
    let (before, again) = (modified("snapshots.toml"), place.run());
    assert!(
        !again.stderr().contains("note:")
            && modified("snapshots.toml") == before
            && list(&place) == kept
    );

    place.write("crawls/night-3/_SUCCESS", "");
    place
        .run()
        .says("snapshot 1 (number 1) is dropped for good: keep = 2");
    assert_eq!(
        rows(&place)
            .iter()
            .map(|row| row.2.as_str())
            .collect::<Vec<_>>(),
        ["dropped", "read", "read"]
    );
    assert_eq!(place.rows("documents").len(), 8);

    // What was taken in is as it was, or somebody is told.
    place.write("crawls/night-3/9.html", "<html>came later");
    assert_eq!(place.run().stderr().matches("note:").count(), 0);
    assert_eq!(place.rows("documents").len(), 8);
    fs::remove_file(place.path("crawls/night-3/1.html")).expect("removed");
    place.write("crawls/night-3/2.html", "<html>changed");
    // Nothing has to be read again, so nobody is stopped.
    let ran = place.run();
    ran.says("note: snapshot 3: \"1.html\" is gone, and 1 more of its files differ");
    assert!(
        !ran.stderr().contains("forecast"),
        "there is nothing to forecast: {}",
        ran.stderr()
    );
    assert_eq!(place.rows("documents").len(), 8);
    let refused = place.pipeline(&["run", "--force"]);
    refused.exits(3);
    refused.says("failed to read snapshot 3: \"1.html\" is gone, and 1 more of its files differ");
    fs::remove_dir_all(place.path("work")).expect("removed");
    place.pipeline(&["run"]).exits(3);
}

#[test]
fn nothing_is_forgotten_that_cannot_be_read_again() {
    let place = place();
    for night in ["1", "2"] {
        add(&place, night, &[&format!("crawls/night-{night}")]).exits(0);
    }
    place.run();
    fs::remove_dir_all(place.path("crawls/night-1")).expect("removed");
    let kept = (files_below(&place.path("work")), list(&place));
    for arguments in [
        &["run", "--force"][..],
        &["run", "--dry-run", "--force"],
        &["run", "--set", "sketch.shingle-size=5"],
    ] {
        let refused = place.pipeline(arguments);
        refused.exits(3);
        refused
            .says("failed to read snapshot 1: \"0.html\" is gone, and 3 more of its files differ");
        refused.says("`pipeline snapshot drop 1");
        refused.says("`; what was read of it is kept");
        assert!((files_below(&place.path("work")), list(&place)) == kept);
    }
    // A night with the settings of the last one goes on.
    add(&place, "3", &["crawls/night-3"]).exits(0);
    place.run();
    assert_eq!(place.rows("documents").len(), 12);
}

#[test]
fn a_file_of_the_same_size_is_read_before_anything_is_forgotten() {
    let place = place();
    for night in ["1", "2"] {
        add(&place, night, &[&format!("crawls/night-{night}")]).exits(0);
    }
    place.run();
    let page = fs::read_to_string(place.path("crawls/night-1/0.html")).expect("a page");
    place.write("crawls/night-1/0.html", page.replace("<html>", "<HTML>"));
    let kept = (files_below(&place.path("work")), list(&place));
    for arguments in [
        &["run", "--force"][..],
        &["run", "--dry-run", "--force"],
        &["run", "--set", "sketch.shingle-size=5"],
    ] {
        let refused = place.pipeline(arguments);
        refused.exits(3);
        refused.says("snapshot 1: \"0.html\" has other bytes than when it was first read;");
        refused.says("what was read of it is kept");
        assert!((files_below(&place.path("work")), list(&place)) == kept);
    }
    place.run().says("nothing new");
    place.pipeline(&["tune"]).exits(0);
    // The same bytes with another time are read again.
    place.write("crawls/night-1/0.html", page);
    place.pipeline(&["run", "--force"]).exits(0);
}

#[test]
fn a_damaged_list_is_refused_by_every_verb_that_needs_it() {
    let place = place();
    add(&place, "one", &["crawls/night-1"]).exits(0);
    place.run();
    let text = list(&place);
    for damaged in [
        &text[..text.len() / 2],
        &text.replace("number = 1", "number = 2"),
        "",
        "\u{0}",
        &text.replace("bytes", "byte"),
    ] {
        place.write("snapshots.toml", damaged);
        for arguments in [
            &["run"][..],
            &["status"],
            &["snapshot", "list"],
            &["snapshot", "drop", "one"],
            &["snapshot", "add", "b", "crawls/night-2"],
        ] {
            let ran = place.pipeline(arguments);
            ran.exits(2);
            ran.says("snapshots.toml:");
        }
        assert_eq!(list(&place), damaged);
    }
    place.write("snapshots.toml", &text);
    place.run();
}

#[test]
fn a_list_in_a_read_only_place_can_be_read() {
    let place = place();
    add(&place, "one", &["crawls/night-1"]).exits(0);
    let config = place.path("pipeline.toml");
    let text = fs::read_to_string(&config).expect("a configuration");
    place.write(
        "pipeline.toml",
        format!(
            "{text}dir = \"{0}/w\"\noutput = \"{0}/o\"\n",
            place.path("elsewhere").display()
        ),
    );
    fs::create_dir_all(place.path("elsewhere")).expect("a directory");
    let mut rights = fs::metadata(place.path("")).expect("rights").permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut rights, 0o555);
    fs::set_permissions(place.path(""), rights.clone()).expect("set");
    let is_root = fs::write(place.path("probe"), "").is_ok();
    for arguments in [&["snapshot", "list"][..], &["run"], &["status"]] {
        place.pipeline(arguments).exits(0);
    }
    let refused = add(&place, "two", &["crawls/night-2"]);
    std::os::unix::fs::PermissionsExt::set_mode(&mut rights, 0o755);
    fs::set_permissions(place.path(""), rights).expect("set");
    // The superuser may write everywhere.
    refused.exits(if is_root { 0 } else { 1 });
}

#[test]
fn while_a_run_works_nobody_changes_the_list() {
    let place = Place::with_corpus(31, 3000);
    place.write("pipeline.toml", "version = 1\n[sketch]\nseed = \"tests\"\n");
    add(&place, "one", &["crawl"]).exits(0);
    place.write("more/a.txt", "some text");
    let mut run = place.spawn(&["run"]);
    while !fs::read_to_string(place.path("work/lock")).is_ok_and(|text| !text.is_empty()) {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    let refused = [
        add(&place, "two", &["more"]),
        place.pipeline(&["snapshot", "drop", "one"]),
    ];
    let shown = place.pipeline(&["snapshot", "list"]);
    if run.try_wait().expect("a state").is_none() {
        for ran in refused {
            ran.exits(75);
            ran.says(&format!("process {} has been running", run.id()));
        }
    }
    shown.exits(0);
    assert!(run.wait().expect("ended").success());
}

#[test]
fn a_kill_or_an_error_at_any_operation_leaves_the_old_list_or_the_new() {
    let place = place();
    add(&place, "one", &["crawls/night-1"]).exits(0);
    let before = list(&place);
    add(&place, "two", &["crawls/night-2"]).exits(0);
    let after = list(&place);
    let (mut kills, mut errors) = (0, 0);
    for fault in [
        "kill:any",
        "torn:any",
        "error:write",
        "error:sync",
        "error:rename",
    ] {
        for nth in 1..=14 {
            place.write("snapshots.toml", &before);
            let mut command = place.command(&["snapshot", "add", "two", "crawls/night-2"]);
            let ran = Ran(command
                .env("PIPELINE_FAULT", format!("{fault}:{nth}"))
                .output()
                .expect("runs"));
            let now = list(&place);
            assert!(now == before || now == after, "{fault} {nth}: {now}");
            match (ran.code(), ran.0.status.signal()) {
                (Some(0), _) => assert_eq!(now, after, "{fault} {nth}"),
                (None, Some(9)) => kills += 1,
                (Some(1), _) => {
                    ran.says("failed to");
                    errors += 1;
                }
                other => panic!("{fault} {nth}: {other:?} {}", ran.stderr()),
            }
            if now == before {
                add(&place, "two", &["crawls/night-2"]).exits(0);
            }
            assert_eq!(list(&place), after, "{fault} {nth}: afterwards");
            assert!(!place.path("snapshots.toml.part").exists(), "{fault} {nth}");
            let lists = files_below(&place.path("snapshots.d"));
            assert_eq!(lists.len(), 2, "{fault} {nth}: {:?}", lists.keys());
        }
    }
    assert!(kills >= 14 && errors >= 4, "{kills} kills, {errors} errors");
    place.write("snapshots.toml", &before);
    let mut command = place.command(&["snapshot", "add", "two", "crawls/night-2"]);
    let full = Ran(command
        .env("PIPELINE_FAULT", "error:write:1:28")
        .output()
        .expect("runs"));
    full.exits(4);
    assert_eq!(list(&place), before);
}

#[test]
fn markers_beside_the_data_are_no_input_of_paths_and_of_snapshots() {
    let place = Place::new();
    place.corpus(1, 30);
    let page = r#"{"url": "http://x/", "text": "a page that was never committed"}"#;
    for name in ["_SUCCESS", "day/_SUCCESS", "day/_temporary/0/part-0.jsonl"] {
        place.write(
            &format!("crawl/{name}"),
            if name.ends_with('l') { page } else { "" },
        );
    }
    for name in ["_metadata", "_common_metadata", ".part-0.jsonl.crc"] {
        place.write(&format!("crawl/{name}"), "crc or PAR1");
    }
    place.config(&[]);
    place.pipeline(&["run", "--strict"]).exits(0);
    assert_eq!(place.rows("documents").len(), 30);
    let listed = fs::read_to_string(place.path("pipeline.toml")).expect("a configuration");
    place.write("pipeline.toml", listed.replace("paths = [\"crawl\"]", ""));
    let added = place.pipeline(&["snapshot", "add", "first", "crawl", "--json"]);
    added.exits(0);
    assert_eq!(added.stderr(), "");
    place.pipeline(&["run", "--strict"]).exits(0);
    assert_eq!(place.rows("documents").len(), 30);
}
