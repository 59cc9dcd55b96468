//! `pipeline dedup --passages`: copies without the passages that stay elsewhere, held to a count of
//! all windows.

use crate::dedup::value;
use crate::harness::{Place, Ran, files_below};
use crate::memory::parquet;
use crate::passages::documents;
use ::parquet::data_type::ByteArray;
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::reader::{FileReader, SerializedFileReader};
use ::parquet::record::Row;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;

const WORDS: usize = 20;
/// A word of no text, so that no window reaches over a cut.
const MARKER: &str = "⟦cut⟧";

fn parquet_rows(bytes: Vec<u8>) -> Vec<Row> {
    let path = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(path.path(), bytes).expect("a file");
    let reader = SerializedFileReader::new(path.reopen().expect("a file")).expect("Parquet");
    let rows = reader.get_row_iter(None).expect("rows");
    rows.map(|row| row.expect("a row")).collect()
}

fn unzipped(bytes: &[u8]) -> Vec<u8> {
    let mut content = Vec::new();
    let mut decoder = flate2::read::MultiGzDecoder::new(bytes);
    decoder.read_to_end(&mut content).expect("gzip");
    content
}

fn zipped(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(content).expect("gzip");
    encoder.finish().expect("gzip")
}

/// The texts below a directory, by file and place.
fn texts(place: &Place, directory: &str) -> Vec<String> {
    let mut texts = Vec::new();
    for (name, bytes) in files_below(&place.path(directory)) {
        let lines = |content: Vec<u8>| {
            let content = String::from_utf8(content).expect("UTF-8");
            let of = |line: &str| {
                let row: Value = serde_json::from_str(line).expect("JSON");
                row["text"].as_str().expect("a text").to_owned()
            };
            content.lines().map(of).collect::<Vec<String>>()
        };
        if name.ends_with(".jsonl") {
            texts.extend(lines(bytes));
        } else if name.ends_with(".jsonl.gz") {
            texts.extend(lines(unzipped(&bytes)));
        } else if name.ends_with(".parquet") {
            let rows = parquet_rows(bytes);
            let text = |row: &Row| value(row, "text").as_str().map(str::to_owned);
            texts.extend(rows.iter().filter_map(text));
        } else {
            texts.push(String::from_utf8(bytes).expect("UTF-8"));
        }
    }
    texts
}

fn words_of(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    let words = words.filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

/// The parts of a copy, in words.
fn parts_of(text: &str) -> Vec<Vec<String>> {
    let parts = text.split(MARKER).map(words_of);
    parts.filter(|part| !part.is_empty()).collect()
}

/// By a count of all windows, the parts of each document that stay: a word goes that a repeated
/// window covers, unless a window covers it that stands here first in the given order.
fn expected_parts(texts: &[String], order: &[usize]) -> Vec<Vec<Vec<String>>> {
    let texts: Vec<Vec<String>> = texts.iter().map(|text| words_of(text)).collect();
    let mut places: BTreeMap<&[String], Vec<(usize, usize)>> = BTreeMap::new();
    for &doc in order {
        for (at, window) in texts[doc].windows(WORDS).enumerate() {
            places.entry(window).or_default().push((doc, at));
        }
    }
    let mut all = Vec::new();
    for (doc, words) in texts.iter().enumerate() {
        let (mut goes, mut stays) = (vec![false; words.len()], vec![false; words.len()]);
        for (at, window) in words.windows(WORDS).enumerate() {
            let stand = &places[window];
            if stand.len() > 1 {
                goes[at..at + WORDS].fill(true);
            }
            if stand.len() > 1 && stand[0] == (doc, at) {
                stays[at..at + WORDS].fill(true);
            }
        }
        let (mut parts, mut part) = (Vec::new(), Vec::new());
        for (at, word) in words.iter().enumerate() {
            if !goes[at] || stays[at] {
                part.push(word.clone());
            } else if !part.is_empty() {
                parts.push(std::mem::take(&mut part));
            }
        }
        parts.extend(Some(part).filter(|part| !part.is_empty()));
        all.extend(Some(parts).filter(|parts| !parts.is_empty()));
    }
    all
}

/// Words that are numbers.
fn words(from: usize, to: usize) -> String {
    let words = (from..to).map(|n| format!("w{n}"));
    words.collect::<Vec<_>>().join(" ")
}

fn line(id: usize, text: &str) -> String {
    json!({ "id": format!("d{id}"), "text": text, "n": 1.5 }).to_string() + "\n"
}

/// Files of every format that can be cut, whose documents quote one another.
fn every_format(seed: u64) -> Place {
    let place = Place::new();
    let documents = documents(seed, 120);
    let joined = |(at, words): (usize, &Vec<String>)| {
        let between = [" ", "\n", ", \u{1D11E} ", "\", \"", " — "][at % 5];
        words.join(between)
    };
    let texts: Vec<String> = documents.iter().enumerate().map(joined).collect();
    let lines: Vec<String> = texts
        .iter()
        .enumerate()
        .map(|(at, text)| line(at, text))
        .collect();
    place.write("crawl/a.jsonl", lines[..40].concat());
    let members = lines[40..80]
        .chunks(7)
        .map(|lines| zipped(lines.concat().as_bytes()));
    place.write("crawl/b.jsonl.gz", members.collect::<Vec<_>>().concat());
    let rows = texts[80..100]
        .iter()
        .map(|text| ByteArray::from(text.as_str()));
    let columns = [("text", rows.collect::<Vec<_>>())];
    place.write(
        "crawl/c.parquet",
        parquet(WriterProperties::builder(), &columns),
    );
    for (at, text) in texts[100..].iter().enumerate() {
        place.write(&format!("crawl/texts/{at:02}.txt"), text);
    }
    place
}

fn cut(place: &Place, name: &str, options: &[&str]) -> Value {
    let ran = place.pipeline(
        &[
            &["dedup", "--passages", "-q", "--json", "-o", name],
            options,
        ]
        .concat(),
    );
    ran.exits(0);
    ran.json()
}

fn rows_of(place: &Place, name: &str) -> Vec<Row> {
    parquet_rows(std::fs::read(place.path(&format!("{name}/cuts.parquet"))).expect("a table"))
}

#[test]
fn a_word_goes_if_its_windows_stand_elsewhere_first() {
    for (seed, keep) in [(5, "first"), (6, "longest")] {
        let place = every_format(seed);
        let keep = format!("cluster.keep = {keep:?}");
        place.config(&["passages.words = 20", &keep]);
        place.run();
        let before = texts(&place, "crawl");
        let counts = cut(&place, "copies", &["--rest", "0", "--marker", MARKER]);
        let after = texts(&place, "copies/data");
        let mut order: Vec<usize> = (0..before.len()).collect();
        if seed == 6 {
            let words = |doc: &usize| words_of(&before[*doc]).len();
            order.sort_by_key(|doc| std::cmp::Reverse(words(doc)));
        }
        let parts: Vec<_> = after.iter().map(|text| parts_of(text)).collect();
        assert_eq!(parts, expected_parts(&before, &order));
        assert!(parts.iter().filter(|parts| parts.len() > 1).count() > 20);
        assert_eq!(counts["documents"], before.len());
        assert_eq!(counts["kept"], after.len());

        // The table says the same of each document.
        let (mut characters, mut gone) = (BTreeMap::new(), BTreeSet::new());
        for row in rows_of(&place, "copies").iter().rev() {
            let number = |column: &str| value(row, column).as_u64().expect("a number") as usize;
            let doc = number("doc_id");
            if value(row, "is_whole") == true {
                gone.insert(doc);
                continue;
            }
            let text = characters.entry(doc);
            let text: &mut Vec<char> = text.or_insert_with(|| before[doc].chars().collect());
            let part = number("begin_character")..number("end_character");
            let words = words_of(&text[part.clone()].iter().collect::<String>());
            assert_eq!(words.len(), number("end_word") - number("begin_word"));
            text.splice(part, MARKER.chars());
        }
        let stay = before
            .iter()
            .enumerate()
            .filter(|(doc, _)| !gone.contains(doc));
        let stay = stay.map(|(doc, text)| match characters.get(&doc) {
            Some(cut) => cut.iter().collect(),
            None => text.clone(),
        });
        assert_eq!(stay.collect::<Vec<String>>(), after);
        assert_eq!(counts["cut"], characters.len());
        assert_eq!(counts["removed"], gone.len());

        let options = ["--rest", "0", "--marker", MARKER];
        assert_eq!(cut(&place, "copies", &options), counts);
        assert_eq!(texts(&place, "copies/data"), after);
    }
}

#[test]
fn threads_and_memory_change_no_byte_of_the_copies() {
    let place = every_format(7);
    let mut made = Vec::new();
    for (name, threads, memory) in [("one", 1, "64MiB"), ("four", 4, "256MiB")] {
        let threads = format!("work.threads = {threads}");
        place.config(&[
            "passages.words = 20",
            &threads,
            &format!("work.memory = {memory:?}"),
        ]);
        place.run();
        cut(&place, name, &[]);
        made.push(files_below(&place.path(name)));
    }
    assert!(made[0] == made[1]);
}

#[test]
fn a_document_goes_if_too_few_of_its_words_would_stay() {
    let place = Place::new();
    let quote = words(0, 30);
    let mut lines = line(0, &format!("{quote} {}", words(100, 140)));
    lines += &line(1, &format!("{}, {quote}", words(200, 219)));
    lines += &line(
        2,
        &format!("{} {quote} {}", words(300, 310), words(310, 320)),
    );
    lines += &line(3, &format!("{quote} {}", words(100, 140)));
    lines += "{\"id\":\"d4\",\"html\":\"<p>";
    lines += &format!("{quote} {}\"}}\n", words(400, 460));
    place.write("crawl/a.jsonl", lines);
    place.config(&[]);
    place.pipeline(&["run", "--passages", "20"]).exits(0);
    let dry = place.pipeline(&["dedup", "--passages", "--dry-run", "--json"]);
    dry.exits(0);
    dry.says(
        "note: documents with passages that stay as they are, because their texts have markup: 1",
    );
    let counts = dry.json();
    let of = |name: &str| counts[name].as_u64().expect("a count");
    let names = [
        "documents",
        "kept",
        "cut",
        "removed_equal",
        "removed_rest",
        "uncut",
    ];
    assert_eq!(names.map(of), [5, 3, 1, 1, 1, 1]);
    assert_eq!(
        [of("words"), of("words_cut")],
        [70 + 49 + 50 + 70 + 90, 49 + 30 + 70]
    );

    let listed = place.pipeline(&["dedup", "--passages", "--list", "--json"]);
    let ids = |ran: &Ran| {
        let lines = ran.stdout();
        let id = |line: &str| serde_json::from_str::<Value>(line).expect("JSON")["id"].clone();
        lines.lines().map(id).collect::<Vec<Value>>()
    };
    assert_eq!(ids(&listed), ["d1", "d3"]);
    cut(&place, "copies", &[]);
    let copy = std::fs::read_to_string(place.path("copies/data/a.jsonl")).expect("a copy");
    let input = std::fs::read_to_string(place.path("crawl/a.jsonl")).expect("a file");
    let input: Vec<&str> = input.lines().collect();
    let expected = [
        input[0].to_owned(),
        input[2].replace(&quote, ""),
        input[4].to_owned(),
    ];
    assert_eq!(copy.lines().collect::<Vec<_>>(), expected);
    let reasons: Vec<Value> = rows_of(&place, "copies")
        .iter()
        .map(|row| value(row, "reason"))
        .collect();
    assert_eq!(reasons, ["rest", "passage", "equal"]);

    cut(&place, "nearly-all", &["--rest", "19"]);
    let copy = std::fs::read_to_string(place.path("nearly-all/data/a.jsonl")).expect("a copy");
    assert!(copy.contains(&format!("{}, \"", words(200, 219))));
}

/// A letter of Thai and the mark above it are two words, and one character of a reader.
#[test]
fn a_mark_goes_with_its_letter_and_stays_with_it() {
    let place = Place::new();
    let shared = format!("\u{E47} {} ก", words(0, 30));
    let first = format!("{} ก{shared}ข", words(100, 130));
    let (before, behind) = (words(200, 230), words(300, 330));
    let second = format!("{before} ข{shared}\u{E48}ค {behind}");
    place.write("crawl/a.jsonl", line(0, &first) + &line(1, &second));
    place.config(&["passages.words = 20"]);
    place.run();
    cut(&place, "copies", &[]);
    let second = format!("{before} ข\u{E47} ค {behind}");
    assert_eq!(texts(&place, "copies/data"), [first, second]);
}

#[test]
fn what_a_reference_has_goes_from_the_data_and_nothing_of_it_is_copied() {
    let place = Place::new();
    place.write(
        "crawl/a.jsonl",
        line(
            0,
            &format!("{} {} {}", words(500, 530), words(0, 30), words(600, 640)),
        ),
    );
    place.write(
        "z-bench.jsonl",
        line(1, &words(0, 30)) + &line(2, &words(0, 30)),
    );
    place.config(&["passages.words = 20"]);
    let toml = std::fs::read_to_string(place.path("pipeline.toml")).expect("a file");
    let source = "\n[[input.source]]\nname = \"bench\"\npaths = [\"z-bench.jsonl\"]\n";
    place.write(
        "pipeline.toml",
        toml.replace("\n[passages]", &format!("{source}\n[passages]")),
    );
    place.run();
    let counts = cut(&place, "copies", &[]);
    assert_eq!(
        [&counts["documents"], &counts["cut"], &counts["removed"]],
        [1, 1, 0]
    );
    let text = format!("{}  {}", words(500, 530), words(600, 640));
    assert_eq!(texts(&place, "copies/data"), [text]);
}

#[test]
fn what_cannot_be_cut_is_refused_by_name_before_anything_is_written() {
    let place = Place::with_corpus(9, 40);
    let ran = |arguments: &[&str]| place.pipeline(&[&["dedup", "--passages"], arguments].concat());
    let refused = |code: i32, says: &str| {
        let ran = ran(&["-o", "copies"]);
        ran.exits(code);
        ran.says(says);
        assert!(!place.path("copies").exists());
    };
    refused(1, "run `pipeline run` first");
    place.run();
    refused(1, "run `pipeline run --passages 50` first");
    place.pipeline(&["run", "--passages", "30"]).exits(0);
    ran(&["-n"]).exits(0);
    place.config(&["passages.words = 40"]);
    refused(2, "run `pipeline run --passages 40` first");
    place.config(&["cluster.keep = \"longest\""]);
    refused(2, "run `pipeline run --passages 30` first");
    place.config(&[]);
    for option in [
        "--annotate",
        "--drop-all",
        "--against=x",
        "--keep=first",
        "--remove=x",
    ] {
        ran(&["-o", "copies", option]).exits(2);
    }
    place.pipeline(&["dedup", "-n", "--rest", "3"]).exits(2);
    place.pipeline(&["dedup", "-n", "--marker", "x"]).exits(2);

    place.write("crawl/page.html", "<p>a page of some words");
    place.pipeline(&["run", "--passages", "30"]).exits(0);
    refused(
        2,
        "crawl/page.html is html, and only JSONL, Parquet and texts can be cut",
    );
    std::fs::remove_file(place.path("crawl/page.html")).expect("removed");
    refused(3, "");
    place.pipeline(&["run", "--passages", "30"]).exits(0);
    cut(&place, "copies", &[]);
    let other = ran(&["-o", "copies", "--rest", "3"]);
    other.exits(2);
    other.says("copies made with other options");
}

#[test]
fn kills_and_full_disks_are_gone_on_with_to_the_same_copies() {
    let place = every_format(8);
    place.config(&["passages.words = 20"]);
    place.run();
    cut(&place, "golden", &["--marker", "[…]"]);
    let golden = files_below(&place.path("golden"));
    let mut failures = BTreeMap::new();
    for (mode, end, first, step) in [
        ("kill:any", "", 1, 5),
        ("torn:any", "", 2, 5),
        ("error:write", ":28", 1, 7),
    ] {
        for nth in (first..).step_by(step) {
            let mut command = place.command(&[
                "dedup",
                "--passages",
                "-q",
                "--marker",
                "[…]",
                "-o",
                "copies",
            ]);
            command.env("PIPELINE_FAULT", format!("{mode}:{nth}{end}"));
            let ran = Ran(command.output().expect("the program starts"));
            let was_killed = ran.0.status.signal() == Some(9);
            if ran.code() == Some(0) {
                break;
            }
            assert!(
                was_killed || ran.code() == Some(4),
                "{mode} {nth}: {}",
                ran.stderr()
            );
            for (name, bytes) in files_below(&place.path("copies/data")) {
                assert!(
                    golden[&format!("data/{name}")] == bytes,
                    "{mode} {nth}: {name} is not whole"
                );
            }
            cut(&place, "copies", &["--marker", "[…]"]);
            assert!(
                files_below(&place.path("copies")) == golden,
                "{mode} {nth}: other files"
            );
            std::fs::remove_dir_all(place.path("copies")).expect("removed");
            *failures.entry(mode).or_insert(0) += 1;
        }
        let _ = std::fs::remove_dir_all(place.path("copies"));
    }
    assert!(failures.values().all(|count| *count > 3), "{failures:?}");
}
