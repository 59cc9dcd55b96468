//! Passages asked for: `query passages`, `explain`, `compare` and the pages, against the tables.

use crate::guide::clone;
use crate::harness::{Place, repository};
use crate::web::Server;
use serde_json::Value;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// The sample crawl with the configuration of the repository and passages of so many words, run.
pub(crate) fn samples(words: u32) -> Place {
    let place = clone();
    let toml = std::fs::read_to_string(repository().join("pipeline.toml")).expect("a file");
    place.write(
        "pipeline.toml",
        format!("{toml}\n[passages]\nwords = {words}\n"),
    );
    place.run();
    place
}

/// Two texts of different words, and a third that quotes both.
fn quotes(settings: &[&str]) -> Place {
    let place = Place::new();
    let words = |name: &str, count: usize| {
        let words: Vec<String> = (0..count).map(|at| format!("{name}{at}")).collect();
        words.join(" ")
    };
    let [a, b] = [words("A", 30), words("B", 30)];
    let quoted = format!("{} — <i>{}</i>, {}", words("C", 5), &a[9..], words("D", 3));
    for (name, text) in [
        ("a", &a),
        ("b", &b),
        ("c", &quoted),
        ("d", &b.to_lowercase()),
    ] {
        let line = serde_json::json!({ "url": format!("http://{name}.example/"), "text": text });
        place.write(&format!("crawl/{name}.jsonl"), format!("{line}\n"));
    }
    place.config(&[&["passages.words = 12"], settings].concat());
    place.run();
    place
}

#[test]
fn texts_are_printed_with_their_marks_and_without_commands() {
    let place = Place::new();
    let words: String = (0..12).map(|at| format!("ก\u{E47}{at} ")).collect();
    let line = serde_json::json!({ "text": format!("{words}\u{1B}[2Jx {words}") });
    place.write("crawl/a.jsonl", format!("{line}\n"));
    place.config(&["passages.words = 12"]);
    place.run();
    let printed = place.pipeline(&["query", "passages", "0"]);
    let printed = printed.stdout();
    assert!(printed.contains(words.trim()), "{printed}");
    assert!(!printed.contains('\u{1B}'));
}

fn asked(place: &Place, arguments: &[&str]) -> Value {
    let ran = place.pipeline(&[&["query", "passages", "--json", "-n", "1000"], arguments].concat());
    ran.exits(0);
    ran.json()
}

fn number(row: &Value, column: &str) -> i64 {
    row[column]
        .as_i64()
        .unwrap_or_else(|| panic!("{column} of {row}"))
}

fn rows(answer: &Value) -> Vec<Value> {
    answer.as_array().expect("rows").clone()
}

#[test]
fn passages_and_quotes_of_every_document_are_those_of_the_table() {
    let place = samples(30);
    let [documents, membership, passages] =
        ["documents", "membership", "passages"].map(|table| place.rows(table));
    let (mut quoted, mut shared) = (0, 0);
    let mut beginnings: BTreeMap<[i64; 2], String> = BTreeMap::new();
    for (document, member) in documents.iter().zip(&membership) {
        let doc_id = number(document, "doc_id");
        let answer = asked(&place, &[&doc_id.to_string()]);
        let standing = answer["passages_of"].as_i64().unwrap_or(doc_id);
        shared += usize::from(standing != doc_id);
        for column in ["doc_id", "id", "url", "words"] {
            assert_eq!(answer[column], document[column], "{column} of {doc_id}");
        }
        assert_eq!(answer["repeated_words"], member["repeated_words"]);
        let own = passages
            .iter()
            .filter(|row| number(row, "doc_id") == standing);
        let own: Vec<&Value> = own.collect();
        let found = rows(&answer["passages"]);
        assert_eq!(found.len(), own.len(), "{doc_id}");
        assert_eq!(number(&answer, "passages_total"), own.len() as i64);
        for (found, row) in found.iter().zip(own) {
            let columns = [
                "begin_word",
                "end_word",
                "places_min",
                "places_max",
                "documents",
            ];
            for column in [&columns[..], &["source_begin", "is_source"]].concat() {
                assert_eq!(found[column], row[column], "{column} of {found}");
            }
            let source = found["source"]["doc_id"].as_i64().unwrap_or(standing);
            assert_eq!(source, number(row, "source_doc_id"));
            let begin = number(row, "source_begin");
            let windows = match row["is_source"] == true {
                true => number(row, "words") - 30,
                false => 0,
            };
            let also = passages.iter().filter(|other| {
                number(other, "source_doc_id") == source
                    && (begin..=begin + windows).contains(&number(other, "source_begin"))
                    && ![source, standing].contains(&number(other, "doc_id"))
            });
            let also: BTreeSet<i64> = also.map(|other| number(other, "doc_id")).collect();
            let found_also = rows(&found["also_in"]);
            let found_also: Vec<i64> = found_also.iter().filter_map(Value::as_i64).collect();
            // others quote windows within it
            assert!(
                also.iter().all(|one| found_also.contains(one)),
                "{doc_id}: {found}"
            );
            assert!(found_also.is_sorted(), "{doc_id}: {found}");
            let text = found["text"].as_str().expect("a text").to_lowercase();
            let letters = text.chars().filter(|c| c.is_alphanumeric());
            let beginning: String = letters.take(100).collect();
            let known = beginnings.entry([source, begin]);
            assert_eq!(*known.or_insert(beginning.clone()), beginning);
        }
        let mut quotes: Vec<[i64; 3]> = passages
            .iter()
            .filter(|row| number(row, "source_doc_id") == standing)
            .map(|row| ["source_begin", "doc_id", "begin_word"].map(|column| number(row, column)))
            .filter(|[_, quoting, _]| *quoting != standing)
            .collect();
        quotes.sort_unstable();
        let found = rows(&answer["quotes"]).into_iter().map(|quote| {
            let url = &documents[number(&quote, "doc_id") as usize]["url"];
            assert_eq!(quote["url"], *url);
            ["source_begin", "doc_id", "begin_word"].map(|column| number(&quote, column))
        });
        let found: Vec<[i64; 3]> = found.collect();
        assert!(
            found.is_sorted() && quotes.iter().all(|quote| found.contains(quote)),
            "{doc_id}"
        );
        // others begin within a passage
        for [_, quoting, begin] in &found {
            let is_in = |row: &&Value| {
                let words = number(row, "begin_word")..number(row, "end_word");
                number(row, "doc_id") == *quoting && words.contains(begin)
            };
            assert!(passages.iter().any(|row| is_in(&row)), "{doc_id}");
        }
        quoted += quotes.len();
    }
    assert!(beginnings.len() > 20);
    assert!(
        quoted > 30 && shared > 3,
        "{quoted} quotes, {shared} classes"
    );
}

#[test]
fn who_quotes_a_page_is_known_also_behind_words_of_another_one() {
    let place = Place::new();
    let words = |name: &str, from: usize, to: usize| {
        let words: Vec<String> = (from..to).map(|at| format!("{name}{at}")).collect();
        words.join(" ")
    };
    let both = [words("x", 0, 3), words("a", 4, 20), words("b", 9, 25)].join(" ");
    for (name, text) in [
        ("a", words("a", 0, 30)),
        ("b", words("b", 0, 30)),
        ("c", both),
    ] {
        let line = serde_json::json!({ "url": format!("http://{name}.example/"), "text": text });
        place.write(&format!("crawl/{name}.jsonl"), format!("{line}\n"));
    }
    place.config(&["passages.words = 12"]);
    place.run();
    // one passage of the third page holds words of both
    assert_eq!(number(&asked(&place, &["2"]), "passages_total"), 1);
    for (page, [source, begin]) in [("0", [4, 3]), ("1", [9, 19])] {
        let quotes = rows(&asked(&place, &[page])["quotes"]);
        let found: Vec<[i64; 3]> = quotes
            .iter()
            .map(|one| ["source_begin", "doc_id", "begin_word"].map(|column| number(one, column)))
            .collect();
        assert_eq!(found, [[source, 2, begin]], "{page}");
    }
}

#[test]
fn the_lists_are_the_first_rows_of_the_tables() {
    let place = samples(30);
    let [documents, membership, mut passages] =
        ["documents", "membership", "passages"].map(|table| place.rows(table));
    let answer = asked(&place, &[]);
    assert_eq!(number(&answer, "total"), passages.len() as i64);
    let with_passages: BTreeSet<i64> = passages.iter().map(|row| number(row, "doc_id")).collect();
    let mut covered: Vec<(&Value, i64)> = documents
        .iter()
        .zip(&membership)
        .filter(|(document, _)| with_passages.contains(&number(document, "doc_id")))
        .map(|(document, member)| (document, number(member, "repeated_words")))
        .collect();
    covered.sort_by_key(|(document, repeated)| {
        let words = number(document, "words");
        let share = (*repeated as f64 / words as f64 * 1e12) as i64;
        (Reverse(share), Reverse(words), number(document, "doc_id"))
    });
    let found = rows(&answer["most_covered"]);
    assert_eq!(found.len(), covered.len());
    for (found, (document, repeated)) in found.iter().zip(covered) {
        for column in ["doc_id", "id", "url", "words"] {
            assert_eq!(found[column], document[column]);
        }
        assert_eq!(number(found, "repeated_words"), repeated);
    }
    passages.retain(|row| {
        row["source_doc_id"] == row["doc_id"] && row["source_begin"] == row["begin_word"]
    });
    passages.sort_by_key(|row| {
        let place = ["doc_id", "begin_word"].map(|column| number(row, column));
        let rank = ["places_max", "words"].map(|column| Reverse(number(row, column)));
        (rank, place)
    });
    let found = rows(&answer["most_repeated"]);
    let columns =
        |row: &Value| ["doc_id", "begin_word", "end_word", "places_max"].map(|at| number(row, at));
    let found: Vec<_> = found.iter().map(columns).collect();
    assert_eq!(found, passages.iter().map(columns).collect::<Vec<_>>());
    let report = std::fs::read(place.path("out/report.json")).expect("a report");
    let report: Value = serde_json::from_slice(&report).expect("JSON");
    for (list, key) in [
        ("most_repeated", "begin_word"),
        ("most_covered", "repeated_words"),
    ] {
        let first = rows(&answer[list]).into_iter().take(10);
        let first = first.map(|row| [number(&row, "doc_id"), number(&row, key)]);
        let reported = rows(&report["passages"][list]).into_iter();
        let reported = reported.map(|row| [number(&row, "doc_id"), number(&row, key)]);
        assert!(first.eq(reported), "{list}");
    }
}

#[test]
fn words_are_read_again_unless_the_document_changed() {
    let place = quotes(&[]);
    let of_c = asked(&place, &["http://c.example/"]);
    let passage = &of_c["passages"][0];
    assert_eq!(
        (number(passage, "begin_word"), number(passage, "end_word")),
        (6, 33)
    );
    let text = passage["text"].as_str().expect("a text");
    assert!(
        text.starts_with("A3 A4") && text.ends_with("A28 A29"),
        "{text}"
    );
    assert_eq!(number(&passage["source"], "doc_id"), 0);
    // The words of d are those of b: b has its passages, and there are none.
    let of_d = asked(&place, &["3"]);
    assert_eq!(
        (
            number(&of_d, "passages_of"),
            number(&of_d, "passages_total")
        ),
        (1, 0)
    );
    let printed = place.pipeline(&["query", "passages", "0"]);
    printed.exits(0);
    let shown = "document   0 http://a.example/\ntext       30 words, 27 of them in 1 passage\n\n\
                 words 3 to 30: 2 places, 2 documents; first here; also in 2\n  A3 A4 ";
    assert!(printed.stdout().starts_with(shown), "{}", printed.stdout());
    let quoted = "quoted     1 passage of other documents, by the word here\n        3  word 6 of 2 \
                  http://c.example/\n";
    assert!(printed.stdout().ends_with(quoted), "{}", printed.stdout());

    place.write(
        "crawl/a.jsonl",
        "{\"url\": \"http://a.example/\", \"text\": \"other words\"}\n",
    );
    let changed = asked(&place, &["0"]);
    assert_eq!(changed["passages"][0]["text"], Value::Null);
    let why = changed["no_text"].as_str().expect("a reason");
    assert!(why.contains("changed since the run"), "{why}");
    assert_eq!(asked(&place, &[])["most_repeated"][0]["text"], Value::Null);
    let compared = place.pipeline(&["compare", "0", "2"]).stdout();
    assert!(
        compared.ends_with("in passages of the corpus: 27 words of B\n"),
        "{compared}"
    );
}

#[test]
fn documents_with_equal_words_have_passages_of_their_own_if_all_count() {
    let place = quotes(&["passages.count = \"all\""]);
    let of_d = asked(&place, &["3"]);
    assert_eq!(of_d["passages_of"], Value::Null);
    assert_eq!(number(&of_d["passages"][0]["source"], "doc_id"), 1);
    assert_eq!(
        of_d["passages"][0]["text"].as_str().map(|text| &text[..5]),
        Some("b0 b1")
    );
    assert_eq!(number(&asked(&place, &["1"]), "quotes_total"), 1);
}

#[test]
fn explain_and_compare_tell_of_repeated_words() {
    let place = quotes(&[]);
    let explained = place.pipeline(&["explain", "0", "2"]);
    explained.exits(0);
    let explained = explained.stdout();
    assert!(
        explained.contains("; 27 words in passages of the corpus\n"),
        "{explained}"
    );
    let compared = place.pipeline(&["compare", "0", "1", "--json"]);
    let compared = compared.json();
    assert_eq!(
        (
            number(&compared, "repeated_words_a"),
            number(&compared, "repeated_words_b")
        ),
        (27, 0)
    );
    let two = place.pipeline(&["compare", "0", "2"]).stdout();
    let line = "in passages of the corpus: 27 words of A, 27 words of B\n";
    assert!(two.ends_with(line), "{two}");
}

#[test]
fn a_run_without_passages_says_how_to_find_them() {
    let place = Place::with_corpus(5, 20);
    place.run();
    for arguments in [&["query", "passages"][..], &["query", "passages", "0"]] {
        let ran = place.pipeline(arguments);
        ran.exits(1);
        ran.says("the run did not look for them; run `pipeline run --passages 50`");
    }
    for verb in ["explain", "compare"] {
        let ran = place.pipeline(&[verb, "0", "1"]);
        ran.exits(0);
        assert!(!ran.stdout().contains("of the corpus"), "{}", ran.stdout());
        let json = place.pipeline(&[verb, "0", "1", "--json"]).stdout();
        assert!(!json.contains("repeated_words"), "{json}");
    }
}

#[test]
fn the_pages_list_passages_and_documents_page_by_page() {
    let place = samples(30);
    let server = Server::start(&place);
    let overview = server.page("/");
    let report = std::fs::read(place.path("out/report.json")).expect("a report");
    let report: Value = serde_json::from_slice(&report).expect("JSON");
    let passages = &report["passages"]["passages"];
    let said = format!("{passages} passages of at least 30 words stand at more than one place.");
    assert!(overview.contains(&said) && overview.contains("href=\"/passages\""));
    let answer = asked(&place, &[]);
    for (list, name, per_page) in [("most_repeated", false, 20), ("most_covered", true, 50)] {
        let expected = rows(&answer[list]);
        assert!(expected.len() > per_page, "{list}: {}", expected.len());
        let pages = (1..=expected.len().div_ceil(per_page))
            .map(|page| server.page(&format!("/passages?documents={name}&page={page}")));
        let pages: Vec<String> = pages.collect();
        assert!(pages[0].contains("rel=\"next\"") && !pages[0].contains("rel=\"prev\""));
        let listed = pages
            .iter()
            .flat_map(|page| page.split("href=\"/document/").skip(1));
        let listed = listed.map(|link| link.split('"').next().and_then(|id| id.parse().ok()));
        let expected = expected.iter().map(|row| Some(number(row, "doc_id")));
        assert_eq!(
            listed.collect::<Vec<_>>(),
            expected.collect::<Vec<_>>(),
            "{list}"
        );
    }
    let first = server.page("/passages");
    let text = answer["most_repeated"][0]["text"].as_str().expect("a text");
    let text = text
        .split_whitespace()
        .take(20)
        .collect::<Vec<_>>()
        .join(" ");
    assert!(first.contains(&text) && first.contains("<code>pipeline query passages</code>"));
}

#[test]
fn passages_are_marked_in_the_views_of_a_document_and_of_two() {
    let place = quotes(&[]);
    let server = Server::start(&place);
    let words: Vec<String> = (3..30).map(|at| format!("A{at}")).collect();
    let mark = format!("<mark title=\"in 2 documents\">{}</mark>", words.join(" "));
    let of_a = server.page("/document/0");
    assert!(of_a.contains(&format!("A0 A1 A2 {mark}")), "{of_a}");
    assert!(of_a.contains("<h2>Who quotes it</h2>") && of_a.contains("href=\"/document/2\""));
    let of_c = server.page("/document/2");
    assert!(of_c.contains("27 of 37 words (73.0 %) stand at several places of the corpus."));
    assert!(
        of_c.contains(&format!("C4 — &lt;i&gt;{mark}&lt;/i&gt;, D0 D1 D2")),
        "{of_c}"
    );
    let of_b = server.page("/document/1");
    assert!(
        of_b.contains("0 of 30 words (0.0 %) stand at several places") && !of_b.contains("<mark")
    );
    let two = server.page("/compare/2/1");
    assert!(
        two.contains("27 of them in passages of the corpus") && two.contains(&mark),
        "{two}"
    );
    assert!(two.contains("<mark>Underlined words</mark>"));

    place.write(
        "crawl/a.jsonl",
        "{\"url\": \"http://a.example/\", \"text\": \"other words\"}\n",
    );
    let of_a = server.page("/document/0");
    assert!(of_a.contains("Its text cannot be shown: ") && !of_a.contains("<mark"));
    assert!(
        server
            .page("/passages")
            .contains("Its text cannot be read any more.")
    );
}

#[test]
fn the_report_has_the_passages() {
    let report = |place: &Place| {
        let ran = place.pipeline(&["report"]);
        ran.exits(0);
        ran.stdout()
    };
    let with = report(&quotes(&[]));
    assert!(with.contains("<h1 id=\"passages\">") && with.contains("href=\"#passages\""));
    assert!(with.contains("2 places") && with.contains("A3 A4") && with.contains("73.0 %"));
    let place = Place::with_corpus(5, 20);
    place.run();
    let without = report(&place);
    assert!(!without.contains("id=\"passages\"") && !without.contains("more than one place"));
}

#[test]
fn pages_of_a_run_without_passages_say_nothing_of_them() {
    let place = Place::with_corpus(5, 20);
    place.run();
    let server = Server::start(&place);
    for path in ["/", "/document/0", "/compare/0/1"] {
        let page = server.page(path);
        assert!(!page.to_lowercase().contains("passage"), "{path}: {page}");
    }
    let answer = server.get("/passages");
    assert!(answer.starts_with("HTTP/1.1 404 "), "{answer}");
    assert!(
        answer.contains("run `pipeline run --passages 50`"),
        "{answer}"
    );
}
