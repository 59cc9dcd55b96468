//! Documents by the names people give them: odd file names, pipes, numbers; what has become of
//! them; what cannot be told.

use crate::harness::{Place, Ran, repository};
use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::ffi::OsStrExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const FOOTER: &str = "this footer stands below every single page of the whole site and means nothing at all to whoever reads it here";

/// Three documents of nothing but a footer that thirty others have as well, and a URL at three
/// dates.
fn footers() -> Place {
    let place = Place::new();
    let mut lines = String::new();
    for n in 0..30 {
        let words: Vec<String> = (0..40).map(|i| format!("word{n}x{i}")).collect();
        lines += &format!(
            "{{\"url\": \"http://a.test/{n}\", \"text\": \"{} {FOOTER}\"}}\n",
            words.join(" ")
        );
    }
    for n in 0..3 {
        lines += &format!("{{\"url\": \"http://b.test/{n}\", \"text\": \"{FOOTER}\"}}\n");
    }
    for day in [3, 5, 1] {
        let date = format!("2026-01-0{day}T00:00:00Z");
        lines += &format!(
            "{{\"url\": \"http://c.test/\", \"date\": \"{date}\", \"text\": \"crawled on day {day}\"}}\n"
        );
    }
    lines += "{\"url\": \"http://c.test/\", \"text\": \"crawled who knows when\"}\n";
    place.write("crawl/pages.jsonl", lines);
    place.config(&SMALL);
    place.run();
    place
}

const SMALL: [&str; 3] = [
    "input.max-document = \"64KiB\"",
    "pairs.common-shingle-limit = 20",
    "sketch.method = { kind = \"modulus\", modulus = 1 }",
];

fn with_stdin(place: &Place, arguments: &[&str], stdin: &[u8]) -> Ran {
    let mut command = place.command(arguments);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    child
        .stdin
        .take()
        .expect("a pipe")
        .write_all(stdin)
        .expect("it reads");
    Ran(child.wait_with_output().expect("it ends"))
}

/// A command line of bash, which has process substitution.
fn bash(place: &Place, line: &str) -> Ran {
    let mut command = Command::new("bash");
    command
        .args(["-c", line])
        .current_dir(place.path(""))
        .env("P", env!("CARGO_BIN_EXE_pipeline"));
    Ran(command.stdin(Stdio::null()).output().expect("a shell"))
}

#[test]
fn any_file_name_is_taken_as_it_stands() {
    let place = footers();
    for name in [
        &b"@list"[..],
        b"[a]*?.txt",
        b"{x,y}",
        b"no utf-8 \xff",
        b"-- -",
    ] {
        let path = place.path("").join(OsStr::from_bytes(name));
        fs::write(&path, FOOTER).expect("a file");
        for verb in [
            &["tokens"][..],
            &["query", "like"],
            &["compare", "./@list"],
            &["explain", "./@list"],
        ] {
            fs::write(place.path("@list"), FOOTER).expect("a file");
            let mut command = place.command(verb);
            let ran = Ran(command
                .arg("--")
                .arg(OsStr::from_bytes(name))
                .output()
                .expect("the program starts"));
            ran.exits(0);
        }
    }
    let ran = place.pipeline(&["tokens", "not there"]);
    ran.exits(1);
    assert!(
        ran.stderr().contains("not there") && !ran.stderr().contains("glob"),
        "{}",
        ran.stderr()
    );
    place.pipeline(&["tokens", "crawl"]).exits(2);
}

#[test]
fn what_is_no_regular_file_is_read_like_one() {
    let place = footers();
    place.write("footer.txt", FOOTER);
    let expected = place.pipeline(&["tokens", "footer.txt"]).stdout();
    for line in [
        "$P tokens - < footer.txt",
        "cat footer.txt | $P tokens /dev/stdin",
        "$P tokens <(cat footer.txt)",
        "mkfifo pipe && { (sleep 0.3; cat footer.txt > pipe) & $P tokens pipe; }",
        "(read -r -n 0; $P tokens -) < footer.txt",
    ] {
        let ran = bash(&place, line);
        ran.exits(0);
        assert_eq!(ran.stdout(), expected, "{line}");
    }
    for line in [
        "$P query like --json <(cat footer.txt)",
        "$P query like --json - < footer.txt",
    ] {
        assert_eq!(
            bash(&place, line).json()["found"][0]["doc_id"],
            30,
            "{line}"
        );
    }
    for verb in ["explain", "compare"] {
        bash(&place, &format!("$P {verb} <(cat footer.txt) 30")).exits(0);
        let both = bash(
            &place,
            &format!("$P {verb} --json - footer.txt < footer.txt"),
        );
        assert_eq!(
            both.json()["exact"]["resemblance"]["value"],
            1.0,
            "{}",
            both.stderr()
        );
    }
}

#[test]
fn standard_input_may_hold_what_a_file_may_and_is_called_by_its_name() {
    let place = footers();
    for (bytes, tokens) in [
        (
            &b"Gr\xfc\xdfe aus Z\xfcrich, sch\xf6ner K\xe4se"[..],
            "grüße aus zürich schöner käse\n",
        ),
        (
            b"WARC/1.0 is how a record begins",
            "warc 1 0 is how a record begins\n",
        ),
        (b"WARC/1.0\r\nbegins a record", "warc 1 0 begins a record\n"),
    ] {
        let ran = with_stdin(&place, &["tokens", "-"], bytes);
        ran.exits(0);
        assert_eq!(ran.stdout(), tokens);
        with_stdin(&place, &["query", "like", "-"], bytes).exits(0);
    }
    for verb in [
        &["tokens"][..],
        &["query", "like"],
        &["query", "like", "--batch"],
    ] {
        let ran = with_stdin(&place, &[verb, &["-"]].concat(), b"\x89PNG\r\n\x1a\n\0");
        ran.exits(1);
        ran.says("failed to read standard input: unknown-format");
    }
    let text = with_stdin(
        &place,
        &["query", "like", "--batch", "--json", "-"],
        b"plain words",
    )
    .json();
    assert_eq!(text["name"], "-");
    for json in [&[][..], &["--json"]] {
        let empty = with_stdin(
            &place,
            &[&["query", "like", "--batch", "-"], json].concat(),
            b"",
        );
        empty.exits(0);
        assert_eq!(
            (empty.stdout(), empty.stderr()),
            (String::new(), String::new())
        );
    }
    with_stdin(&place, &["query", "like", "-"], b"").exits(1);
    let ran = place.pipeline(&["query", "like", "--batch", "30"]);
    ran.exits(1);
    ran.says("leave --batch out to ask about a doc_id or URL");
}

#[test]
fn the_first_interrupt_ends_a_question_while_nothing_comes() {
    let place = footers();
    for batch in [&[][..], &["--batch"]] {
        let mut command = place.command(&[&["query", "like", "-"], batch].concat());
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        child
            .stdin
            .as_mut()
            .expect("a pipe")
            .write_all(b"some words")
            .expect("it is there");
        // Its handlers stand once it has the nameless file. Not SIGINT: what a script starts in the
        // background ignores that, and so do the children.
        let (fds, start) = (format!("/proc/{}/fd", child.id()), Instant::now());
        let spools = || {
            let links = fs::read_dir(&fds)
                .into_iter()
                .flatten()
                .flatten()
                .filter_map(|fd| fs::read_link(fd.path()).ok());
            links
                .into_iter()
                .any(|link| link.to_string_lossy().contains("/pipeline-"))
        };
        while !spools() && start.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(5));
        }
        let id = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process(id, rustix::process::Signal::TERM).expect("sent");
        let mut told = String::new();
        BufReader::new(child.stderr.take().expect("a pipe"))
            .read_line(&mut told)
            .expect("text");
        assert_eq!(child.wait().expect("it ends").code(), Some(143));
        assert_eq!(told, "pipeline: interrupted by signal 15\n");
    }
}

#[test]
fn a_number_is_a_document_before_it_is_a_file() {
    let place = footers();
    for name in ["30", "31"] {
        place.write(
            name,
            "a file that has a number for a name, and is no document of the crawl at all",
        );
    }
    assert_eq!(
        place.pipeline(&["explain", "--json", "30", "31"]).json()["a"]["doc_id"],
        30
    );
    let files = place
        .pipeline(&["explain", "--json", "./30", "./31"])
        .json();
    assert_eq!(files["a"]["doc_id"], serde_json::Value::Null);
    assert_eq!(
        place.pipeline(&["query", "like", "--json", "30"]).json()["found"][0]["doc_id"],
        30
    );
    assert_eq!(
        place.pipeline(&["query", "like", "--json", "./30"]).json()["found_in_all"],
        0
    );
    // what is no id there is a file
    place.write("99", FOOTER);
    assert_eq!(
        place.pipeline(&["query", "like", "--json", "99"]).json()["found"][0]["doc_id"],
        30
    );
}

#[test]
fn what_has_only_common_shingles_is_found_as_any_other() {
    let place = footers();
    place.write("footer.html", format!("<p>{FOOTER}</p>"));
    let (part, _) = FOOTER.split_once(" to whoever").expect("some words less");
    place.write("part.txt", part);
    for question in ["like", "within", "contains"] {
        for name in ["31", "http://b.test/1", "footer.html"] {
            let answer = place.pipeline(&["query", question, "--json", name]).json();
            let row = &answer["found"][0];
            let same = row["same"].as_array().expect("rows").iter();
            let same: Vec<i64> = same.filter_map(|same| same["doc_id"].as_i64()).collect();
            assert_eq!(
                (&row["doc_id"], same),
                (&30.into(), vec![31, 32]),
                "{answer}"
            );
            assert_eq!(row["shared"], row["size_a"], "{answer}");
        }
    }
    let part = place
        .pipeline(&["query", "like", "--json", "part.txt"])
        .json();
    assert_eq!(part["found"][0]["doc_id"], 30, "{part}");
    for verb in ["explain", "compare"] {
        let compared = place.pipeline(&[verb, "--json", "30", "32"]).json();
        assert_eq!(compared["exact"]["resemblance"]["value"], 1.0, "{compared}");
    }
}

#[test]
fn the_newest_document_of_a_url_is_that_of_the_latest_date() {
    let place = footers();
    let answer = place
        .pipeline(&["query", "url", "--json", "http://c.test/"])
        .json();
    assert_eq!(answer["doc_ids"], serde_json::json!([34, 33, 35, 36]));
    assert_eq!(answer["doc_id"], 34);
    assert_eq!(
        place
            .pipeline(&["query", "like", "--json", "http://c.test/"])
            .json()["found"][0]["doc_id"],
        34
    );
}

#[test]
fn other_thresholds_and_a_publication_that_is_gone_are_told() {
    let place = footers();
    place.config(&[&SMALL[..], &["cluster.resemblance = 0.9"]].concat());
    for (question, says) in [("like", true), ("contains", true)] {
        let ran = place.pipeline(&["query", question, "0"]);
        ran.exits(0);
        assert_eq!(
            ran.stderr()
                .contains("other settings than the configuration: resemblance was 0.5, is 0.9"),
            says
        );
        assert_eq!(place.pipeline(&["-q", "query", question, "0"]).stderr(), "");
    }
    fs::remove_file(place.path("out")).expect("the link");
    for arguments in [
        &["explain", "0", "1"][..],
        &["compare", "0", "1"],
        &["query", "like", "0"],
    ] {
        let ran = place.pipeline(arguments);
        ran.exits(1);
        ran.says("run `pipeline run` first");
    }
}

#[test]
fn a_changed_file_is_told_from_a_changed_document() {
    let place = footers();
    let sides = || place.pipeline(&["explain", "--json", "30", "31"]).json()["b"].clone();
    assert_eq!(
        (&sides()["changed"], &sides()["file_changed"]),
        (&false.into(), &false.into())
    );
    let mut file = fs::OpenOptions::new()
        .append(true)
        .open(place.path("crawl/pages.jsonl"))
        .expect("the crawl");
    file.write_all(b"{\"text\": \"one more\"}\n")
        .expect("written");
    assert_eq!(
        (&sides()["changed"], &sides()["file_changed"]),
        (&false.into(), &true.into())
    );
    let text = place.pipeline(&["explain", "30", "31"]).stdout();
    assert_eq!(
        text.matches("its file changed since the run, but this document did not")
            .count(),
        2,
        "{text}"
    );
    let words = place.pipeline(&["query", "common", "--json"]).json();
    assert!(words["shingles"][0]["words"].is_string(), "{words}");
}

#[test]
fn two_documents_that_do_not_fit_the_memory_are_refused() {
    let place = Place::new();
    let words: Vec<String> = (0..150_000).map(|n| format!("w{n}")).collect();
    place.write("a.txt", words.join(" "));
    place.write("b.txt", words[1000..].join(" "));
    place.config_file(
        "small.toml",
        &["work.memory = \"16MiB\"", "input.max-document = \"2MiB\""],
    );
    let ran = place.pipeline(&["explain", "--config", "small.toml", "a.txt", "b.txt"]);
    ran.exits(4);
    ran.says("raise work.memory");
    place
        .pipeline(&["compare", "--config", "small.toml", "a.txt", "b.txt"])
        .exits(0);
    place.pipeline(&["explain", "a.txt", "b.txt"]).exits(0);
}

/// UPDATE_GOLDEN=1 rewrites the answer after a change that is meant.
#[test]
fn the_common_shingles_of_the_sample_crawl_are_those_recorded() {
    let place = Place::new();
    let toml = fs::read_to_string(repository().join("pipeline.toml")).expect("a configuration");
    assert!(toml.contains("common-shingle-limit = 1000"));
    place.write(
        "pipeline.toml",
        toml.replace("common-shingle-limit = 1000", "common-shingle-limit = 6"),
    );
    std::os::unix::fs::symlink(
        repository().join("data-samples"),
        place.path("data-samples"),
    )
    .expect("a link");
    place.run();
    let text = place.pipeline(&["query", "common", "-n", "8"]).stdout();
    let golden = repository().join("tests/golden/common.txt");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&golden, &text).expect("written");
    }
    assert_eq!(text, fs::read_to_string(&golden).expect("a golden file"));
    assert!(text.lines().count() > 8, "{text}");
}

#[test]
fn a_link_beside_a_stronger_chain_and_copies_that_are_not_listed_are_told() {
    let place = Place::new();
    let text = |edits: &[usize]| {
        let word = |at: usize| match edits.contains(&at) {
            true => format!("edit{at}"),
            false => format!("word{at}"),
        };
        (0..400).map(word).collect::<Vec<_>>().join(" ")
    };
    let [a, b, c] = [&[][..], &[40, 80], &[40, 80, 320, 360]].map(text);
    let lines: Vec<String> = [&a, &b, &c, &c, &c, &c, &c, &c]
        .iter()
        .map(|text| serde_json::json!({ "text": text }).to_string())
        .collect();
    place.write("crawl/a.jsonl", lines.join("\n"));
    place.config(&["cluster.settle = \"links\""]);
    place.run();
    let explained = place.pipeline(&["explain", "0", "2"]);
    explained.exits(0);
    let shown = explained.stdout();
    assert!(shown.contains("by a chain of 2 links"), "{shown}");
    assert!(shown.contains("linked themselves, too\n"), "{shown}");
    let joined = place.pipeline(&["explain", "0", "1"]).stdout();
    assert!(!joined.contains("linked themselves"), "{joined}");
    let like = place.pipeline(&["query", "like", "0"]).stdout();
    assert!(like.contains(" and 2 more\n"), "{like}");
}
