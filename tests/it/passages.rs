//! Passages: a run against a count of all windows; what a configuration changes; kills.

use crate::harness::Place;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Numbers from a seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) as usize % end
    }
}

/// Documents of words that quote one another and themselves.
pub(crate) fn documents(seed: u64, count: usize) -> Vec<Vec<String>> {
    let mut dice = Dice(seed);
    let mut documents: Vec<Vec<String>> = Vec::new();
    for _ in 0..count {
        let mut words = Vec::new();
        for _ in 0..1 + dice.below(6) {
            let length = 5 + dice.below(90);
            let quoted = (!documents.is_empty()).then(|| dice.below(documents.len()));
            match (dice.below(3), quoted) {
                (0, Some(other)) if !documents[other].is_empty() => {
                    let other = &documents[other];
                    let from = dice.below(other.len());
                    words.extend_from_slice(&other[from..other.len().min(from + length)]);
                }
                _ => words.extend((0..length).map(|_| format!("w{}", dice.below(4000)))),
            }
        }
        documents.push(words);
    }
    documents
}

/// Words with signs and white space between them, some of several bytes.
fn text(words: &[String], dice: &mut Dice) -> String {
    let between = [" ", ", ", "\n", " — ", ".\t", " «…» "];
    let mut text = between[dice.below(between.len())].to_owned();
    for word in words {
        text += &word.to_uppercase();
        text += between[dice.below(between.len())];
    }
    text
}

fn write(place: &Place, documents: &[Vec<String>]) -> Vec<Vec<char>> {
    let mut dice = Dice(7);
    let texts: Vec<String> = documents
        .iter()
        .map(|words| text(words, &mut dice))
        .collect();
    let row = |(id, text)| json!({ "id": format!("d{id}"), "text": text }).to_string() + "\n";
    place.write(
        "crawl/part.jsonl",
        texts.iter().enumerate().map(row).collect::<String>(),
    );
    texts.iter().map(|text| text.chars().collect()).collect()
}

/// The passages of all documents, by a count of all windows: document, begin, end, fewest and most
/// places, documents, whether all windows stand here first.
fn expected(documents: &[Vec<String>], words: usize) -> Vec<[u64; 7]> {
    let mut places: BTreeMap<&[String], Vec<(usize, usize)>> = BTreeMap::new();
    for (doc, document) in documents.iter().enumerate() {
        for (first, window) in document.windows(words).enumerate() {
            places.entry(window).or_default().push((doc, first));
        }
    }
    let mut passages: Vec<[u64; 7]> = Vec::new();
    for (doc, document) in documents.iter().enumerate() {
        let mut end_before = None;
        for (first, window) in document.windows(words).enumerate() {
            let stand = &places[window];
            if stand.len() == 1 {
                continue;
            }
            let held: BTreeSet<usize> = stand.iter().map(|(doc, _)| *doc).collect();
            let (count, held) = (stand.len() as u64, held.len() as u64);
            let is_source = u64::from(stand[0] == (doc, first));
            let end = (first + words) as u64;
            match passages.last_mut() {
                Some(last) if end_before.is_some_and(|before| first <= before) => {
                    *last = [
                        last[0],
                        last[1],
                        end,
                        last[3].min(count),
                        last[4].max(count),
                        last[5].max(held),
                        last[6] & is_source,
                    ];
                }
                _ => passages.push([doc as u64, first as u64, end, count, count, held, is_source]),
            }
            end_before = Some(first + words);
        }
    }
    passages
}

fn found(rows: &[Value]) -> Vec<[u64; 7]> {
    let columns = [
        "doc_id",
        "begin_word",
        "end_word",
        "places_min",
        "places_max",
        "documents",
    ];
    let number = |row: &Value, column: &str| row[column].as_u64().expect("a number");
    let row = |row: &Value| {
        let [doc, begin, end, least, most, held] = columns.map(|column| number(row, column));
        let is_source = u64::from(row["is_source"].as_bool().expect("a truth value"));
        [doc, begin, end, least, most, held, is_source]
    };
    rows.iter().map(row).collect()
}

#[test]
fn the_passages_of_a_run_are_those_of_a_count_of_all_windows() {
    let documents = documents(1, 160);
    let place = Place::new();
    place.config(&[
        "passages.words = 20",
        "passages.count = \"all\"",
        "work.threads = 1",
    ]);
    let texts = write(&place, &documents);
    place.run();
    let rows = place.rows("passages");
    assert_eq!(found(&rows), expected(&documents, 20));
    for row in &rows {
        let at = |column: &str| row[column].as_u64().expect("a number") as usize;
        let doc = at("doc_id");
        let shown: String = texts[doc][at("begin_character")..at("end_character")]
            .iter()
            .collect();
        let shown = shown.to_lowercase();
        let words: Vec<&str> = shown.split(|c: char| !c.is_alphanumeric()).collect();
        let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
        assert_eq!(words, documents[doc][at("begin_word")..at("end_word")]);
        assert_eq!(row["id"], format!("d{doc}"));
    }
    let of_documents = place.rows("membership");
    for row in of_documents {
        let doc = row["doc_id"].as_u64();
        let passages = found(&rows).into_iter().filter(|row| Some(row[0]) == doc);
        let words: u64 = passages.map(|row| row[2] - row[1]).sum();
        assert_eq!(row["repeated_words"], words);
    }
    let published = place.published();
    place.config(&[
        "passages.words = 20",
        "passages.count = \"all\"",
        "work.threads = 4",
    ]);
    place.pipeline(&["run", "--force"]).exits(0);
    assert!(place.published() == published, "threads change a byte");
}

#[test]
fn documents_of_equal_words_count_once_and_share_their_passages() {
    let words = |from: usize, to: usize| Vec::from_iter((from..to).map(|n| format!("w{n}")));
    let quote = [words(200, 230), words(10, 40)].concat();
    let documents = [words(0, 100), words(0, 100), quote, words(0, 100)];
    let place = Place::new();
    place.config(&["passages.words = 20"]);
    write(&place, &documents);
    place.run();
    let rows = found(&place.rows("passages"));
    assert_eq!(rows, [[0, 10, 40, 2, 2, 2, 1], [2, 30, 60, 2, 2, 2, 0]]);
    let membership = place.rows("membership");
    let repeated = Vec::from_iter(membership.iter().map(|row| row["repeated_words"].clone()));
    assert_eq!(repeated, [30, 30, 30, 30]);

    // Of equal documents the best may be another one than the first.
    let ran = place.pipeline(&["run", "--set", "cluster.keep=oldest"]);
    ran.exits(0);
    assert_eq!(found(&place.rows("passages")), rows);

    let ran = place.pipeline(&["run", "--set", "passages.count=all"]);
    ran.exits(0);
    let rows = found(&place.rows("passages"));
    assert_eq!(rows.len(), 4);
    assert_eq!(rows[3], [3, 0, 100, 3, 4, 4, 0]);
}

#[test]
fn the_longest_document_keeps_a_passage_if_keep_says_so() {
    let words = |from: usize, to: usize| Vec::from_iter((from..to).map(|n| format!("w{n}")));
    let documents = [words(0, 60), [words(500, 700), words(10, 40)].concat()];
    let place = Place::new();
    place.config(&["passages.words = 20", "cluster.keep = \"longest\""]);
    write(&place, &documents);
    place.run();
    let rows = place.rows("passages");
    assert_eq!(
        found(&rows),
        [[0, 10, 40, 2, 2, 2, 0], [1, 200, 230, 2, 2, 2, 1]]
    );
    assert_eq!(
        (&rows[0]["source_doc_id"], &rows[0]["source_begin"]),
        (&json!(1), &json!(200))
    );
}

#[test]
fn a_run_without_passages_forgets_those_of_the_run_before() {
    let place = Place::with_corpus(3, 40);
    place.run();
    let without = place.published();
    place.pipeline(&["run", "--passages", "30"]).exits(0);
    assert!(place.path("work/passages/passages").exists());
    assert!(place.path("out/passages.parquet").exists());
    place.pipeline(&["verify"]).exits(0);
    place.run();
    assert!(!place.path("work/passages/passages").exists());
    assert!(
        place.published() == without,
        "the publication is not the one of before"
    );
    let ran = place.pipeline(&["run", "--passages", "3"]);
    ran.exits(2);
    ran.says("invalid value '3' for '--passages <WORDS>': 3 is not in 5..=10000");
    place.config(&["passages.words = 3"]);
    let ran = place.pipeline(&["run"]);
    ran.exits(2);
    ran.says("words in [passages]: expected a whole number from 5 to 10000, got 3");
}

/// A record of a page, or of one found unchanged.
fn record(number: u32, kind: &str, digest: &str, body: &str) -> String {
    let http = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{body}");
    let length = http.len();
    format!(
        "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:x:{number}>\r\n\
         WARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Target-URI: http://a.test/{number}\r\n\
         WARC-Payload-Digest: sha1:{digest}\r\n\
         WARC-Profile: http://netpreserve.org/warc/1.0/revisit/identical-payload-digest\r\n\
         Content-Type: application/http;msgtype=response\r\nContent-Length: {length}\r\n\r\n{http}\r\n\r\n"
    )
}

#[test]
fn a_page_that_stands_for_another_is_read_there_in_any_order() {
    let words = |name: &str, count: u32| {
        let words = (0..count).map(|n| format!("{name}{n} "));
        words.collect::<String>()
    };
    let quote = words("quote", 30);
    let [a, b] = ["a", "b"].map(|name| words(name, 40) + &quote + &words(name, 9));
    let [of_a, of_b] = ["A", "B"].map(|letter| letter.repeat(32));
    let place = Place::new();
    place.config(&["passages.words = 20", "sketch.content = \"page\""]);
    let warc = [
        record(0, "revisit", &of_a, ""),
        record(1, "revisit", &of_b, ""),
        record(2, "response", &of_b, &b),
        record(3, "response", &of_a, &a),
    ];
    place.write("crawl/part.warc", warc.concat());
    place.run();
    let rows = place.rows("passages");
    assert_eq!(
        found(&rows),
        [[0, 40, 70, 2, 2, 2, 1], [1, 40, 70, 2, 2, 2, 0]]
    );
    let membership = place.rows("membership");
    let repeated = Vec::from_iter(membership.iter().map(|row| row["repeated_words"].clone()));
    assert_eq!(repeated, [30, 30, 30, 30]);
}

#[test]
fn a_file_that_is_there_again_has_its_passages_again() {
    let place = Place::new();
    let text = "version = 1\n[sketch]\nseed = \"tests\"\n[passages]\nwords = 20\n";
    place.write("pipeline.toml", text);
    for (night, seed) in [("one", 3), ("two", 4)] {
        let mut documents = documents(seed, 30);
        documents.push((0..40).map(|n| format!("both{n}")).collect());
        write(&place, &documents);
        std::fs::create_dir_all(place.path(night)).expect("a directory");
        let file = place.path(&format!("{night}/part.jsonl"));
        std::fs::rename(place.path("crawl/part.jsonl"), file).expect("moved");
        place.pipeline(&["snapshot", "add", night, night]).exits(0);
    }
    let (file, aside) = (place.path("one/part.jsonl"), place.path("aside.jsonl"));
    place.pipeline(&["run", "--until", "cluster"]).exits(0);
    std::fs::rename(&file, &aside).expect("moved");
    place.run();
    let without = place.rows("passages").len();
    let known = |place: &Place| {
        let rows = place.rows("membership");
        let known = rows.iter().map(|row| !row["repeated_words"].is_null());
        known.collect::<Vec<bool>>()
    };
    // Those of the missing file are not known, unless they are too short to have any.
    let texts = std::fs::read_to_string(&aside).expect("a file");
    let is_short = |line: &str| {
        let row: Value = serde_json::from_str(line).expect("JSON");
        let words = row["text"]
            .as_str()
            .expect("a text")
            .split(|c: char| !c.is_alphanumeric());
        words.filter(|word| !word.is_empty()).count() < 20
    };
    let expected = texts.lines().map(is_short);
    // One has the words of a missing one, and would have its passages.
    let expected: Vec<bool> = expected.chain([true; 30]).chain([false]).collect();
    assert_eq!(known(&place), expected);
    let unknown = expected.iter().position(|is_known| !is_known);
    let unknown = &place.rows("membership")[unknown.expect("a document")]["doc_id"];
    let unknown = unknown.to_string();
    let asked = place.pipeline(&["query", "passages", &unknown]);
    asked.exits(0);
    assert!(asked.stdout().contains("its passages are not known"));
    let asked = place.pipeline(&["query", "passages", &unknown, "--json"]);
    assert!(asked.json()["repeated_words"].is_null());
    std::fs::rename(&aside, &file).expect("moved back");
    place
        .run()
        .says("passages: input part.jsonl can be read now");
    let with = place.rows("passages");
    assert!(with.len() > without, "{} and {without}", with.len());
    assert_eq!(known(&place), [true; 62]);
    place.pipeline(&["run", "--force"]).exits(0);
    assert_eq!(place.rows("passages"), with);
}
