//! Runs without a configuration, and where a configuration is found.

use crate::harness::{Place, Ran, files_below};
use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::Stdio;

/// A place with pages below `crawl`, and no configuration.
fn crawl() -> Place {
    let place = Place::new();
    place.corpus(3, 30);
    place
}

fn run_in(place: &Place, dir: &str, arguments: &[&str]) -> Ran {
    let mut command = place.command(arguments);
    Ran(command.current_dir(place.path(dir)).output().expect("runs"))
}

fn documents(place: &Place) -> serde_json::Value {
    let report = fs::read(place.path("out/report.json")).expect("a report");
    let report: serde_json::Value = serde_json::from_slice(&report).expect("JSON");
    report["input"]["documents"].clone()
}

fn configuration(place: &Place) -> String {
    fs::read_to_string(place.path("pipeline-work/pipeline.toml")).expect("a configuration")
}

#[test]
fn a_directory_is_clustered_by_one_command() {
    let place = crawl();
    let ran = place.pipeline(&["run", "crawl"]);
    ran.exits(0);
    ran.says("wrote pipeline-work/pipeline.toml");
    let tables = place.published();
    assert!(
        tables.contains_key("membership.parquet"),
        "{:?}",
        tables.keys()
    );

    // the same command finds nothing to do, and keeps the seed
    let before = configuration(&place);
    let again = place.pipeline(&["run", "crawl"]);
    again.exits(0);
    assert!(!again.stderr().contains("wrote"), "{}", again.stderr());
    assert_eq!(
        (configuration(&place), place.published()),
        (before.clone(), tables.clone())
    );

    // what else is set stays
    let edited = before.replacen("resemblance = 0.5", "resemblance = 0.75", 1);
    assert_ne!(edited, before);
    place.write("pipeline-work/pipeline.toml", &edited);
    place
        .pipeline(&["run", "crawl", "--output", "other"])
        .exits(0);
    let line = |text: &str, key: &str| {
        let line = text.lines().find(|line| line.starts_with(key));
        line.expect(key).to_owned()
    };
    for key in ["resemblance", "seed", "paths"] {
        assert_eq!(line(&configuration(&place), key), line(&edited, key));
    }
    assert!(place.path("other/report.json").exists());
}

#[test]
fn a_list_on_standard_input_names_the_files() {
    let place = crawl();
    place.pipeline(&["run", "crawl"]).exits(0);
    let whole = documents(&place);
    let mut child = place
        .command(&["run", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    for entry in fs::read_dir(place.path("crawl")).expect("a directory") {
        let name = entry.expect("an entry").file_name();
        writeln!(stdin, "crawl/{}", name.display()).expect("written");
    }
    drop(stdin);
    assert!(child.wait().expect("ends").success());
    assert_eq!(documents(&place), whole);
}

#[test]
fn a_list_may_end_its_entries_with_nul_and_names_may_hold_any_byte() {
    let place = Place::new();
    let names: [&[u8]; 3] = [
        b"crawl/two\nlines.txt",
        b"crawl/ blank .txt",
        b"crawl/\xff.txt",
    ];
    place.write("crawl/readme", "");
    for (number, name) in names.iter().enumerate() {
        let path = place.path("").join(OsStr::from_bytes(name));
        fs::write(path, format!("page {number} of the river and its mill")).expect("written");
    }
    for arguments in [&["run", "-"][..], &["run", "@list"]] {
        let list = names.map(|name| [name, b"\0"].concat()).concat();
        fs::write(place.path("list"), &list).expect("written");
        let stdin = fs::File::open(place.path("list")).expect("opens");
        let ran = place
            .command(arguments)
            .stdin(stdin)
            .output()
            .expect("runs");
        let says = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert!(ran.status.success(), "{arguments:?}: {says}");
        assert_eq!(documents(&place), 3, "{arguments:?}");
        fs::remove_dir_all(place.path("pipeline-work")).expect("removed");
    }
}

#[test]
fn what_cannot_be_read_is_told_before_anything_is_written() {
    let place = crawl();
    fs::create_dir_all(place.path("bare/below")).expect("made");
    for (arguments, code, says) in [
        (&["run", "nosuch"][..], 2, "nosuch"),
        (&["run", "bare"], 1, "the directory holds no file"),
        (
            &["run", "s3://bucket/crawl"],
            2,
            "copy them to this machine first",
        ),
        (
            &["run", "crawl", "--config", "x.toml"],
            2,
            "leave out INPUT",
        ),
        (
            &["run", "crawl", "-o", "pipeline-work/work/out"],
            2,
            "it lies inside dir",
        ),
        (
            &["init", "https://a.example/"],
            2,
            "copy them to this machine first",
        ),
        (
            &["init", "crawl", "--set", "work.dir=x"],
            2,
            "--set has no meaning",
        ),
    ] {
        let ran = place.pipeline(arguments);
        ran.exits(code);
        ran.says(says);
        assert!(!place.path("pipeline-work").exists(), "{arguments:?}");
        assert!(!place.path("pipeline.toml").exists(), "{arguments:?}");
    }
}

#[test]
fn what_reads_nothing_leaves_the_last_run_as_it_was() {
    let place = crawl();
    place.write("styles/a.css", "p {}");
    place.write("list", "crawl/part-0.jsonl\n");
    place.write("wrong", "nosuch\n");
    let work = || files_below(&place.path("pipeline-work"));
    let run = |arguments: &[&str], list: &str, code: i32| {
        let stdin = fs::File::open(place.path(list)).expect("opens");
        let mut command = place.command(arguments);
        let ran = Ran(command.stdin(stdin).output().expect("runs"));
        ran.exits(code);
        ran
    };
    run(&["run", "-n", "-"], "list", 0);
    run(&["run", "styles"], "list", 3).says("these are no pages: 1 .css file");
    assert!(!place.path("pipeline-work").exists());

    run(&["run", "crawl"], "list", 0);
    let before = work();
    for (arguments, list, code) in [
        (&["run", "--dry-run", "crawl/part-0.jsonl"][..], "list", 0),
        (&["run", "-n", "-"], "list", 0),
        (&["run", "styles"], "list", 3),
        (&["run", "-"], "styles/a.css", 1),
        (&["run", "-"], "/dev/null", 1),
    ] {
        run(arguments, list, code);
        assert!(work() == before, "{arguments:?}");
    }
    run(&["run", "-"], "wrong", 1).says("failed to use line 1 of /dev/stdin, ");
    run(&["run", "-"], "list", 0);
    assert!(work().contains_key("inputs.txt"));
}

#[test]
fn a_configuration_is_found_in_directories_above() {
    let place = crawl();
    place.pipeline(&["run", "crawl"]).exits(0);
    fs::create_dir_all(place.path("deep/er")).expect("created");
    let above = run_in(&place, "deep/er", &["status", "--json"]);
    above.exits(0);
    let phases = |ran: &Ran| ran.json()["phases"].clone();
    assert_eq!(
        phases(&above),
        phases(&place.pipeline(&["status", "--json"]))
    );
    run_in(&place, "deep/er", &["query", "doc", "0"]).exits(0);

    // the nearest one counts, and in one directory pipeline.toml
    place
        .pipeline(&["init", "-c", "deep/pipeline.toml", "crawl"])
        .exits(0);
    let nearest = run_in(&place, "deep/er", &["status", "--json"]);
    assert_ne!(phases(&nearest), phases(&above));
    place.pipeline(&["init", "crawl"]).exits(0);
    assert_ne!(
        place.pipeline(&["status", "--json"]).stdout(),
        above.stdout()
    );
}

/// Only root can give a file away.
#[test]
fn above_this_directory_a_configuration_of_another_user_is_passed_over() {
    let place = crawl();
    place.pipeline(&["run", "crawl"]).exits(0);
    let dir = place.path("deep");
    fs::create_dir_all(&dir).expect("created");
    run_in(&place, "deep", &["status"]).exits(0);
    let config = place.path("pipeline-work/pipeline.toml");
    if give_away(&config) {
        let ran = run_in(&place, "deep", &["status"]);
        ran.exits(2);
        ran.says("pipeline.toml");
        place.pipeline(&["status"]).exits(0);
    }
}

/// Whether the file now belongs to nobody.
fn give_away(path: &Path) -> bool {
    std::os::unix::fs::chown(path, Some(65_534), None).is_ok()
}

#[test]
fn the_program_does_not_read_what_is_its_own_or_excluded() {
    let place = crawl();
    place.write(
        "crawl/drafts/x.jsonl",
        "{\"id\": \"x\", \"text\": \"a draft\"}\n",
    );
    place.pipeline(&["run", "."]).exits(0);
    let with_drafts = documents(&place).as_u64().expect("a number");
    let tables = place.published();
    // neither the work directory, nor the results, nor the configuration is read
    place.pipeline(&["run", "."]).exits(0);
    assert_eq!(place.published(), tables);
    assert_eq!(
        fs::read_to_string(place.path("out/rejected.jsonl")).expect("a list"),
        ""
    );

    let excluded = ["run", ".", "--set", "input.exclude=[\"drafts\"]"];
    place.pipeline(&excluded).exits(0);
    assert_eq!(documents(&place), with_drafts - 1);
    let wrong = place.pipeline(&["run", ".", "--set", "input.exclude=[\"a[\"]"]);
    wrong.exits(1);
    wrong.says("a[");

    // nor what another configuration made, unless it is named
    place.pipeline(&["init"]).exits(0);
    place.pipeline(&["run", "--strict"]).exits(0);
    assert_eq!(documents(&place), with_drafts);
    let results = ["run", "out.d", "--work", "other", "-o", "of-results", "-n"];
    place.pipeline(&results).says("Parquet");
    fs::remove_file(place.path("pipeline.toml")).expect("removed");

    // nor its own, where the paths of the configuration are relative
    place.pipeline(&["init"]).exits(0);
    place.pipeline(&["run"]).exits(0);
    let again = place.pipeline(&["run"]);
    assert!(
        again.stdout().starts_with("nothing new: "),
        "{}",
        again.stdout()
    );
    fs::remove_file(place.path("pipeline.toml")).expect("removed");

    // a link that a glob names is followed; one below a directory is not
    let link = place.path("crawl/link.jsonl");
    fs::create_dir_all(place.path("blobs")).expect("created");
    fs::rename(place.path("crawl/part-0.jsonl"), place.path("blobs/0")).expect("moved");
    std::os::unix::fs::symlink("../blobs/0", link).expect("linked");
    place.pipeline(&["run", "crawl/*.jsonl"]).exits(0);
    assert_eq!(documents(&place), with_drafts - 1);

    // one to a directory is read where it is named
    std::os::unix::fs::symlink("../blobs", place.path("crawl/blobs")).expect("linked");
    std::os::unix::fs::symlink("nosuch", place.path("crawl/none")).expect("linked");
    place.pipeline(&["run", "crawl/*"]).exits(0);
    let rejected = fs::read_to_string(place.path("out/rejected.jsonl")).expect("a list");
    for says in [
        "a link to a directory is followed only if paths names it",
        "a link that leads to no file: No such file",
    ] {
        assert!(rejected.contains(says), "{rejected}");
    }
    place.pipeline(&["run", "crawl/blobs"]).exits(0);
}

#[test]
fn the_input_is_told_with_its_formats_its_text_field_and_its_links() {
    let place = Place::new();
    let page = "a page of some words that stay as they are ".repeat(3);
    place.write("crawl/a.jsonl", format!("{{\"content\":\"{page}\"}}\n"));
    place.write("crawl/b.html", format!("<html>{page}"));
    fs::hard_link(place.path("crawl/b.html"), place.path("crawl/c.html")).expect("linked");
    let ran = place.pipeline(&["run", "crawl"]);
    ran.exits(0);
    ran.says("input: 1 file of JSONL, 1 file of HTML, 279 bytes; the text is in the field content");
    ran.says("note: left out 1 link to a file that is read: \"c.html\" is \"b.html\"");

    let init = place.pipeline(&["init", "-q", "--json", "crawl/a.jsonl"]);
    init.exits(0);
    assert_eq!(init.json()["files"]["jsonl"], 1);
    let text = fs::read_to_string(place.path("pipeline.toml")).expect("a configuration");
    // What `auto` tells is not written: sources and later files may be of another format.
    for line in ["format = \"auto\"", "text-field = \"text\""] {
        assert!(text.contains(line), "{text}");
    }
    // With the text field, a record without it is rejected, and not taken from another field.
    place.pipeline(&["run"]).exits(0);
}

#[test]
fn without_a_text_the_fields_are_told_before_the_run() {
    let place = Place::new();
    place.write("a.jsonl", "{\"passage\":\"some words\"}\n");
    let init = place.pipeline(&["init", "a.jsonl"]);
    init.exits(0);
    init.says("note: expected a field text, content, ");
    init.says("set text-field in [input] to one of passage");
    let found = place.pipeline(&["init", "a.jsonl", "-c", "b/c.toml", "-q"]);
    assert_eq!(found.stderr(), "");
}

#[test]
fn pages_beside_their_warc_file_are_told() {
    let place = Place::new();
    let page = "<html>a page of some words that stay as they are";
    let warc = format!(
        "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: http://a.example/\r\n\
         Content-Type: text/html\r\nContent-Length: {}\r\n\r\n{page}\r\n\r\n",
        page.len()
    );
    place.write("crawl/site.warc", warc);
    place.write("crawl/a.example/index.html", page);
    place
        .pipeline(&["run", "crawl"])
        .says("write each page twice");
    let alone = place.pipeline(&["run", "crawl/site.warc"]);
    assert!(!alone.stderr().contains("twice"), "{}", alone.stderr());
}

#[test]
fn where_nothing_was_run_the_next_command_is_told() {
    let place = Place::new();
    place.write("bare/x", "");
    for verb in [
        &["run"][..],
        &["status"],
        &["serve"],
        &["query", "doc", "1"],
    ] {
        let ran = run_in(&place, "bare", verb);
        ran.exits(2);
        ran.says("cluster files with `pipeline run FILE|DIR...`");
        let named = [verb, &["-c", "nosuch.toml"]].concat();
        run_in(&place, "bare", &named).says("nosuch.toml: failed to open the configuration");
    }
}

#[test]
fn no_message_points_to_a_configuration_that_is_not_written() {
    let place = crawl();
    place.pipeline(&["run", "crawl"]).exits(0);
    for (arguments, says) in [
        (&["run", "crawl/part-0.jsonl", "-o", "crawl"][..], "INPUT: "),
        (
            &["run", "crawl", "-o", "new/work/out"],
            "--output: it lies inside dir",
        ),
        (
            &["run", "crawl", "--work", "out.d/x"],
            "--work: it lies inside output",
        ),
    ] {
        let work = ["--work", "new"];
        let is_new = !arguments.contains(&"--work");
        let arguments = [arguments, if is_new { &work } else { &[] }].concat();
        let ran = place.pipeline(&arguments);
        ran.exits(2);
        ran.says(says);
        assert!(!ran.stderr().contains("pipeline.toml:"), "{}", ran.stderr());
    }
}

#[test]
fn bad_input_is_told_before_foreign_results() {
    let place = crawl();
    place.write("out/mine.txt", "mine");
    fs::create_dir_all(place.path("empty")).expect("created");
    let bad = place.pipeline(&["run", "empty"]);
    bad.exits(1);
    bad.says("empty");
    let foreign = place.pipeline(&["run", "crawl"]);
    foreign.exits(2);
    foreign.says("was not made by this program");
}

#[test]
fn every_verb_is_quiet_and_prints_json() {
    let place = crawl();
    // `index` finishes a job of several machines, which the Python package tests, and `changes`
    // needs two snapshots.
    let mut verbs = vec!["changes", "help", "index", "inspect", "serve"];
    for line in [
        "run crawl",
        "init -c mine/pipeline.toml crawl",
        "status",
        "verify",
        "tokens crawl/part-0.jsonl",
        "shingles crawl/part-0.jsonl",
        "sketch --shard 1/1",
        "compare 0 1",
        "export clusters",
        "evaluate crawl -o figures",
        "evaluate --preset bergillos-1 --check",
        "explain 0 1",
        "query doc 0",
        "query common",
        "tune",
        "dedup -o copies",
        "decontaminate crawl/part-0.jsonl",
        "snapshot list",
        "report -o report.html",
        "completions bash",
        "man",
        "man pages",
    ] {
        let arguments: Vec<&str> = line.split(' ').chain(["-q", "--json"]).collect();
        verbs.push(arguments[0]);
        let ran = place.pipeline(&arguments);
        ran.exits(0);
        assert_eq!(ran.stderr(), "", "{line}");
        let text = ran.stdout();
        let values = serde_json::Deserializer::from_str(&text).into_iter::<serde_json::Value>();
        let values: Result<Vec<_>, _> = values.collect();
        assert!(
            values.is_ok_and(|values| !values.is_empty()),
            "{line}: {text}"
        );
    }
    // summaries are left out, too
    for line in [
        "run crawl --force",
        "verify",
        "dedup -o quiet",
        "decontaminate crawl/part-0.jsonl -o shorter",
        "report -o report.html",
    ] {
        let arguments: Vec<&str> = line.split(' ').chain(["-q"]).collect();
        let ran = place.pipeline(&arguments);
        ran.exits(0);
        assert_eq!((ran.stdout(), ran.stderr()), Default::default(), "{line}");
    }
    let help = place.pipeline(&["--help"]).stdout();
    let (_, commands) = help.split_once("Commands:").expect("a list");
    let (commands, _) = commands.split_once("Options:").expect("its end");
    for line in commands
        .lines()
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
    {
        let verb = line.split_whitespace().next().expect("a verb");
        assert!(verbs.contains(&verb), "{verb}");
    }
}

/// The next commands read the documents as the run did, values of `--set` included.
#[test]
fn the_next_commands_have_the_values_of_the_command_line() {
    let place = Place::new();
    let words: Vec<String> = (0..60).map(|word| format!("word{word}")).collect();
    let words = words.join(" ");
    let page = |end: &str| format!("{{\"utterance\": \"{words} {end}\"}}\n");
    place.write("crawl/a.jsonl", &(page("one") + &page("two")));
    // an index that a crawler writes beside its archive
    place.write("crawl/site.cdx", " CDX a b a m s k r M V g u\n");
    let set = ["--set", "input.text-field=utterance"];
    let ran = place.pipeline(&["run", "crawl", set[0], set[1]]);
    ran.exits(0);
    let screen = ran.stdout();
    assert!(screen.contains("(1 .cdx file)"), "{screen}");
    let next = screen
        .lines()
        .find(|line| line.contains("pipeline explain"));
    let next = next
        .expect("a command")
        .split("  ")
        .find(|part| part.contains("explain"));
    let next: Vec<&str> = next.expect("a command").split_whitespace().collect();
    assert_eq!(next[4..], set, "{next:?}");
    place.pipeline(&next[1..]).exits(0);
    let without = place.pipeline(&next[1..4]);
    without.exits(1);
    without.says("has no document at its place by this configuration");
}

#[test]
fn a_run_of_inputs_beside_a_configuration_is_told_from_it() {
    let place = crawl();
    place.config(&[]);
    for arguments in [&["run", "crawl"][..], &["run", "crawl", "-o", "other"]] {
        let ran = place.pipeline(arguments);
        ran.exits(0);
        assert!(
            ran.stdout().contains(" -c pipeline-work/pipeline.toml "),
            "{}",
            ran.stdout()
        );
        let is_same = ran.stderr().contains("note: pipeline.toml publishes to ");
        assert_eq!(is_same, arguments.len() == 2, "{}", ran.stderr());
    }
    // Where nothing else is found, nothing has to be named.
    let alone = crawl();
    let ran = alone.pipeline(&["run", "crawl"]);
    ran.exits(0);
    assert!(!ran.stdout().contains(" -c "), "{}", ran.stdout());
}

#[test]
fn a_directory_of_something_else_is_no_work_directory() {
    let place = crawl();
    place.write("notes/notes.txt", "mine");
    for dir in ["notes", "crawl"] {
        let ran = place.pipeline(&["run", "crawl", "--work", dir]);
        ran.exits(2);
        ran.says("which is not of a run");
        assert!(!place.path(dir).join("pipeline.toml").exists());
    }
    place.pipeline(&["run", "crawl", "--work", "new"]).exits(0);
    place.pipeline(&["run", "crawl", "--work", "new"]).exits(0);
}

#[test]
fn a_name_that_is_nearly_right_is_suggested() {
    let place = crawl();
    for (input, text) in [
        (
            "crwal",
            "failed to find crwal: it is not there; did you mean crawl?",
        ),
        ("./Crawl", "did you mean ./crawl?"),
        ("something", "failed to find something: it is not there\n"),
    ] {
        let ran = place.pipeline(&["run", input]);
        ran.exits(2);
        ran.says(text);
    }
}

#[test]
fn no_result_takes_the_place_of_a_file_of_the_input() {
    let place = crawl();
    place.pipeline(&["run", "crawl"]).exits(0);
    let input = fs::read(place.path("crawl/part-0.jsonl")).expect("the input");
    for verb in [
        &["export", "clusters", "--format", "jsonl"][..],
        &["report"],
    ] {
        let arguments = [verb, &["-o", "crawl/part-0.jsonl"]].concat();
        let ran = place.pipeline(&arguments);
        ran.exits(2);
        ran.says("it is a file of the input");
        assert!(fs::read(place.path("crawl/part-0.jsonl")).expect("the input") == input);
    }
}
