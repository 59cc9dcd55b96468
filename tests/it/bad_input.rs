//! Bad records, files, configurations and calls, each with its exit code and its message.

use crate::harness::Place;
use crate::memory::parquet;
use parquet::data_type::ByteArray;
use parquet::file::properties::WriterProperties;
use std::fs;

#[test]
fn bad_records_are_counted_and_listed_with_their_place() {
    let place = Place::new();
    let good = "{\"text\": \"a page with some words\", \"url\": \"http://a.test/\"}\n";
    let bad = "{\"text\": 7}\n{broken\n\n{\"text\": \"a\", \"text\": \"b\"}\n";
    place.write("crawl/one.jsonl", format!("{good}{bad}{good}"));
    place.write("crawl/two.jsonl", good);
    place.config(&[]);
    let ran = place.pipeline(&["run", "--json"]);
    ran.exits(0);
    let report = &ran.json()["report"]["input"];
    assert_eq!(report["documents"], 3);
    let rejected: u64 = report["rejected"]
        .as_object()
        .expect("counts")
        .values()
        .map(|n| n.as_u64().expect("n"))
        .sum();
    assert_eq!(rejected, 3, "{report}");
    let text = std::fs::read_to_string(place.path("out/rejected.jsonl")).expect("a list");
    let rows: Vec<serde_json::Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let offsets: Vec<u64> = rows
        .iter()
        .map(|row| row["byte"].as_u64().expect("an offset"))
        .collect();
    let first = good.len() as u64;
    assert_eq!(offsets, [first, first + 12, first + 21], "{text}");
    assert!(
        rows.iter().all(|row| row["source"] == "one.jsonl"),
        "{text}"
    );
    // Any of them is too many for --strict, and 50 % are for a limit of 40 %.
    let strict = place.pipeline(&["run", "--strict"]);
    strict.exits(3);
    strict.says("3 of 6 records were rejected");
    place.config(&["input.max-rejected = \"40%\""]);
    place.pipeline(&["run"]).exits(3);
}

/// As in a WARC file, whatever the name of the file says.
#[test]
fn binary_files_are_no_pages() {
    let place = Place::new();
    place.write("crawl/page.html", "<p>a page of some words");
    place.write("crawl/words.txt", "\u{feff}words of a text");
    place.write("crawl/utf-16.txt", b"\xff\xfew\0o\0r\0d\0");
    place.write("crawl/image.html", b"\x89PNG\r\n\x1a\n some words");
    place.write("crawl/program.txt", b"\x7fELF\x02\x01\x01\0\0\0 some words");
    place.config(&[]);
    place.run();
    assert_eq!(place.rows("documents").len(), 3);
    let rejected = fs::read_to_string(place.path("out/rejected.jsonl")).expect("rejections");
    assert_eq!(
        rejected.matches("\"reason\":\"binary\"").count(),
        2,
        "{rejected}"
    );
}

#[test]
fn no_usable_document_is_exit_3() {
    let place = Place::new();
    place.write("crawl/one.jsonl", "{\"text\": 7}\n");
    place.config(&[]);
    let ran = place.pipeline(&["run"]);
    ran.exits(3);
    ran.says("failed to find a usable document: records rejected: 1");
    assert!(!place.path("out").exists());
}

#[test]
fn one_file_of_a_format_that_is_not_read_is_told_with_its_remedy() {
    for (name, bytes, says) in [
        (
            "a.csv",
            &b"a,b\n1,2\n"[..],
            "convert it to Parquet or JSONL",
        ),
        ("a.pdf", b"%PDF-1.4\n", "extract its text with pdftotext"),
        (
            "a.jsonl.xz",
            b"\xfd7zXZ\0\0\x04",
            "decompress it with xz -d",
        ),
        ("a.warc.gz", b"", "empty-file"),
    ] {
        let place = Place::new();
        place.write(name, bytes);
        let ran = place.pipeline(&["run", name]);
        ran.exits(3);
        ran.says(&format!(
            "records rejected: 1, records skipped: 0; the first is {name}"
        ));
        ran.says(says);
        assert!(!place.path("pipeline-work").exists());
    }
}

#[test]
fn a_crawl_without_a_page_says_what_it_has_instead() {
    let place = Place::new();
    let body = "HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\n<p>gone";
    let record = format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.test/\r\n\
         WARC-Record-ID: <urn:uuid:1>\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n\
         Content-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n{body}\r\n\r\n",
        body.len()
    );
    place.write("site.warc", record.repeat(2));
    let ran = place.pipeline(&["run", "site.warc"]);
    ran.exits(3);
    ran.says("records rejected: 0, records skipped: 2; these are no pages: 2 http status 404");
}

/// A table without a row, and a list without a line.
#[test]
fn input_without_a_record_says_so() {
    let place = Place::new();
    place.write("empty.jsonl", "\n\n");
    let ran = place.pipeline(&["run", "empty.jsonl"]);
    ran.exits(3);
    ran.says("records skipped: 0; the files that were read hold no record");
}

#[test]
fn configurations_are_refused_with_all_errors_and_the_nearest_names() {
    let place = Place::with_corpus(51, 5);
    place.write(
        "bad.toml",
        "version = 1\n[input]\npathes = [\"crawl\"]\npaths = [\"crawl\"]\n[sketch]\nmethod = { kind = \"modulus\", modulos = 25 }\n[cluster]\nresemblance = 1.5\n",
    );
    let ran = place.pipeline(&["run", "--config", "bad.toml"]);
    ran.exits(2);
    for text in [
        "bad.toml:3:",
        "pathes",
        "bad.toml:6:",
        "modulos",
        "modulus",
        "bad.toml:8:",
        "resemblance",
    ] {
        ran.says(text);
    }
    assert!(
        !place.path("work").exists(),
        "nothing is done under a bad configuration"
    );
    place
        .pipeline(&["run", "--config", "missing.toml"])
        .exits(2);
    place.write("bad.toml", "version = 2\n[input]\npaths = [\"crawl\"]\n");
    place.pipeline(&["run", "--config", "bad.toml"]).exits(2);
    place.write("bad.toml", "version = \n");
    place
        .pipeline(&["run", "--config", "bad.toml"])
        .says("bad.toml:1:");
}

#[test]
fn calls_that_make_no_sense_are_exit_2_and_what_is_not_there_is_exit_1() {
    let place = Place::with_corpus(52, 5);
    for arguments in [
        &["fly"][..],
        &["run", "--phase", "sort"],
        &["run", "--from", "nosuch"],
        &["run", "--from", "index", "--until", "sketch"],
        &["export"],
        &["export", "documents", "--format", "xml"],
        &["export", "documents", "-o", "documents.xlsx"],
        &["export", "all"],
        &["export", "all", "-o", "all.csv"],
        &["export", "all", "--format", "sqlite"],
        &[],
    ] {
        assert_eq!(place.pipeline(arguments).code(), Some(2), "{arguments:?}");
    }
    let word = place.pipeline(&["query", "cluster", "x"]);
    word.exits(2);
    word.says("a cluster_id is a whole number");
    place.pipeline(&["export", "documents"]).exits(1);
    let database = place.pipeline(&["export", "all", "-o", "all.sqlite"]);
    if cfg!(feature = "sqlite") {
        database.exits(1);
    } else {
        for what in [
            &["-o", "all.sqlite"][..],
            &["-f", "sqlite"],
            &["-f", "csv"],
            &[],
        ] {
            let database = place.pipeline(&[&["export", "all"], what].concat());
            database.exits(2);
            database.says("--features sqlite");
        }
    }
    place.pipeline(&["verify"]).exits(1);
    place
        .pipeline(&["compare", "none.html", "neither.html"])
        .exits(1);
    place.pipeline(&["tokens", "none.html"]).exits(1);
    place.write("empty.txt", "");
    place.pipeline(&["inspect", "empty.txt"]).exits(2);
    place.config(&["input.paths = [\"nothing/*.warc\"]"]);
    let ran = place.pipeline(&["run"]);
    ran.exits(1);
    ran.says("nothing/*.warc");
}

#[test]
fn a_full_or_closed_standard_output_is_no_panic_and_costs_no_result() {
    let place = Place::with_corpus(53, 60);
    let full = || {
        let opened = std::fs::OpenOptions::new().write(true).open("/dev/full");
        opened.expect("/dev/full")
    };
    let mut unheard = place.command(&["run", "-vv"]);
    let ended = unheard.stderr(full()).output().expect("runs");
    assert_eq!(ended.status.code(), Some(0), "nobody hears what it tells");
    let ended = place
        .command(&["run"])
        .stdout(full())
        .output()
        .expect("runs");
    assert_eq!(
        ended.status.code(),
        Some(4),
        "{}",
        String::from_utf8_lossy(&ended.stderr)
    );
    let export = ["export", "documents", "-o", "/dev/full"];
    let ran = place.pipeline(&export);
    ran.exits(4);
    ran.says("failed to write /dev/full: ");
    ran.says("free some space and try again");
    assert!(
        place.path("out/report.json").exists(),
        "the run itself was whole"
    );
    let script = format!(
        "set -o pipefail; {} export documents --format jsonl | head -n 1",
        env!("CARGO_BIN_EXE_pipeline")
    );
    let ended = std::process::Command::new("bash")
        .args(["-c", &script])
        .current_dir(place.path(""))
        .output()
        .expect("sh");
    let stderr = String::from_utf8_lossy(&ended.stderr);
    assert!(
        ended.status.success() && !stderr.contains("panic") && !stderr.contains("failed"),
        "{stderr}"
    );
}

#[test]
fn documents_cannot_speak_to_the_terminal() {
    let place = Place::new();
    place.write(
        "crawl/one.jsonl",
        "{\"text\": \"w\", \"url\": \"http://a.test/\\u001b[31m\"}\n{\"text\":1,\"url\":\"\\u001b]0;x\\u0007\"}\n",
    );
    place.config(&[]);
    let ran = place.run();
    for text in [
        ran.stdout(),
        ran.stderr(),
        place
            .pipeline(&["export", "documents", "--format", "jsonl"])
            .stdout(),
    ] {
        assert!(!text.contains('\u{1b}'), "{text:?}");
    }
    assert!(
        !std::fs::read_to_string(place.path("out/rejected.jsonl"))
            .expect("a list")
            .contains('\u{1b}')
    );
}

#[test]
fn an_input_file_that_cannot_be_read_costs_only_itself() {
    let place = Place::with_corpus(54, 30);
    std::os::unix::fs::symlink("/nonexistent", place.path("crawl/dangling.jsonl")).expect("a link");
    place.write("crawl/zeros.jsonl", [0_u8; 4096]);
    place.write(
        "crawl/half.warc.gz",
        [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1, 2, 3],
    );
    place.run();
    assert_eq!(place.rows("documents").len(), 30);
    assert!(
        !std::fs::read_to_string(place.path("out/rejected.jsonl"))
            .expect("a list")
            .is_empty()
    );
}

/// A row group that is refused is as many records as it has rows.
#[test]
fn all_rows_of_a_refused_row_group_count() {
    let place = Place::new();
    let texts = |words: &str| {
        let text = |n: usize| ByteArray::from(format!("{words} {n}").into_bytes());
        (0..50).map(text).collect::<Vec<_>>()
    };
    let properties = || WriterProperties::builder().set_dictionary_enabled(false);
    place.write(
        "crawl/a.parquet",
        parquet(properties(), &[("text", texts("words of a page"))]),
    );
    let large = texts(&"words that make a page too large ".repeat(50));
    place.write("crawl/b.parquet", parquet(properties(), &[("text", large)]));
    place.write(
        "crawl/c.parquet",
        parquet(properties(), &[("words", texts("in another column"))]),
    );
    place.config(&["input.max-page = \"16KiB\"", "input.max-rejected = \"60%\""]);
    let ran = place.pipeline(&["run"]);
    ran.exits(3);
    ran.says("100 of 150 records were rejected");
    place.config(&["input.max-page = \"16KiB\""]);
    assert!(place.run().stdout().contains("Rejected: 100"));
    let text = std::fs::read_to_string(place.path("out/rejected.jsonl")).expect("a list");
    let rows = text.lines().map(|line| {
        let row: serde_json::Value = serde_json::from_str(line).expect("JSON");
        (row["reason"].to_string(), row["records"].as_u64())
    });
    let expected = [("\"page-too-large\"", 50), ("\"no-text-column\"", 50)];
    let expected = expected.map(|(reason, records)| (reason.to_owned(), Some(records)));
    assert_eq!(rows.collect::<Vec<_>>(), expected);
}
