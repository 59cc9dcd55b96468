//! `pipeline dedup --lossless`: what is contained in a document that stays; and copies of many
//! corpora.

use crate::dedup::{copies, lines, lines_of_input, published, removed, value};
use crate::harness::{Place, files_below};
use parquet::record::Row;
use std::collections::{BTreeMap, BTreeSet};

#[test]
fn lossless_keeps_what_is_not_contained_in_what_is_kept() {
    let place = Place::with_corpus(63, 600);
    place.config(&["cluster.resemblance = 0.3"]);
    place.run();
    copies(&place, "all", &[]);
    let all = removed(&place, "all");
    let mut elsewhere = 0;
    for share in ["0.7", "0.9", "1"] {
        copies(&place, share, &["--lossless", share]);
        let some = removed(&place, share);
        let enough = |row: &Row| {
            value(row, "containment_in_kept")
                .as_f64()
                .expect("a number")
                >= share.parse().expect("a number")
        };
        assert!(
            some.len() < all.len() && !some.is_empty(),
            "{share}: {} of {}",
            some.len(),
            all.len()
        );
        assert!(
            some.iter().all(enough),
            "{share}: something goes that is contained in nothing"
        );
        let of = |rows: &[Row]| -> BTreeMap<i64, i64> {
            let ids = |row: &Row| {
                ["doc_id", "kept_doc_id"].map(|name| value(row, name).as_i64().expect("an id"))
            };
            rows.iter()
                .map(ids)
                .map(|[doc, kept]| (doc, kept))
                .collect()
        };
        let (before, now) = (of(&all), of(&some));
        // Some go for another document than their cluster keeps, which stays.
        for row in &some {
            let [doc, kept] =
                ["doc_id", "kept_doc_id"].map(|name| value(row, name).as_i64().expect("an id"));
            assert!(!now.contains_key(&kept), "{share}: {row}");
            if before[&doc] == kept {
                continue;
            }
            assert!(
                value(row, "links").is_null() || value(row, "links").as_i64() <= Some(1),
                "{share}: {row}"
            );
            elsewhere += 1;
        }
    }
    assert!(
        elsewhere > 0,
        "nothing is held by another document than its cluster keeps"
    );
    place
        .pipeline(&["dedup", "-n", "--lossless", "1.5"])
        .exits(2);
}

#[test]
fn what_is_in_another_document_than_its_cluster_keeps_goes_for_that_one() {
    // One page of which two others, alike, have the half; and a part of those two.
    let words = |from: usize, to: usize| {
        (from..to)
            .map(|n| format!("w{}", n * 7919 % 10_007))
            .collect::<Vec<_>>()
            .join(" ")
    };
    let pages = [
        words(0, 400),
        words(200, 620),
        words(200, 620) + " .",
        words(390, 620),
    ];
    let place = Place::new();
    place.write(
        "crawl/x.jsonl",
        pages
            .map(|page| format!("{{\"text\": \"{page}\"}}\n"))
            .concat(),
    );
    place.config(&[
        "sketch.method = { kind = \"modulus\", modulus = 1 }",
        "cluster.resemblance = 0.3",
        "cluster.linkage = \"components\"",
        "work.memory = \"1GiB\"",
    ]);
    place.run();
    let pairs = |name: &str, options: &[&str]| -> Vec<[serde_json::Value; 3]> {
        copies(&place, name, options);
        removed(&place, name)
            .iter()
            .map(|row| ["doc_id", "kept_doc_id", "links"].map(|column| value(row, column)))
            .collect()
    };
    let expected = |rows: &[[Option<i64>; 3]]| {
        rows.iter()
            .map(|row| row.map(serde_json::Value::from))
            .collect::<Vec<_>>()
    };
    let [zero, one, two, three] = [0, 1, 2, 3].map(Some);
    assert_eq!(
        pairs("all", &[]),
        expected(&[[one, zero, one], [two, zero, one], [three, zero, None]])
    );
    assert_eq!(
        pairs("most", &["--lossless", "0.9"]),
        expected(&[[two, one, zero], [three, one, one]])
    );
}

/// All windows of eight words: the shingles of a text of distinct plain words.
fn windows(text: &str) -> BTreeSet<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.windows(8).map(|window| window.join(" ")).collect()
}

/// Pages of many words of which some differ from an earlier page in a few words: seldom enough that
/// most samples of one shingle in 25 do not see it.
fn nearly_equal_pages() -> Vec<String> {
    let mut pages: Vec<Vec<String>> = Vec::new();
    for at in 0..240_usize {
        let mut page: Vec<String> = if at % 4 == 0 {
            (0..300).map(|word| format!("p{at}w{word}")).collect()
        } else {
            pages[at - at % 4].clone()
        };
        // One, two or three words are others; every third of them is a word more at the end.
        for change in 0..at % 4 {
            let place = (at * 31 + change * 97) % 300;
            page[place] = format!("changed{at}x{change}");
        }
        if at % 12 == 1 {
            page = pages[at - 1].clone();
            page.truncate(280);
        }
        pages.push(page);
    }
    pages.into_iter().map(|page| page.join(" ")).collect()
}

#[test]
fn nothing_goes_of_which_less_than_the_share_is_in_the_kept_document() {
    let pages = nearly_equal_pages();
    let line = |page: &String| format!("{{\"text\": \"{page}\"}}\n");
    let json = |pages: &[String]| pages.iter().map(line).collect::<String>();
    // The first files are read from the beginning, of the last one only what is wanted.
    let (plain, rest) = pages.split_at(80);
    let (packed, tree) = rest.split_at(80);
    let (tree, last) = tree.split_at(40);
    let place = Place::new();
    place.write("crawl/a.jsonl", json(plain));
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut gz, json(packed).as_bytes()).expect("gzip");
    place.write("crawl/b.jsonl.gz", gz.finish().expect("gzip"));
    for (at, page) in tree.iter().enumerate() {
        place.write(&format!("crawl/c/{at:03}.html"), format!("<p>{page}</p>"));
    }
    let many: Vec<String> = (0..6000)
        .map(|at| (0..60).map(|word| format!("m{at}n{word} ")).collect())
        .collect();
    place.write("crawl/d.jsonl", json(last) + &json(&many));
    for threads in ["1", "3"] {
        place.config(&[
            "sketch.shingle-size = 8",
            "sketch.method = { kind = \"modulus\", modulus = 25 }",
            "cluster.resemblance = 0.5",
            &format!("work.threads = {threads}"),
        ]);
        place.run();
        let mut counts = Vec::new();
        for share in ["1.0", "0.95", "0.9"] {
            let name = format!("{share}-{threads}");
            copies(&place, &name, &["--lossless", share]);
            let share: f64 = share.parse().expect("a number");
            for row in removed(&place, &name) {
                let [doc, kept] = ["doc_id", "kept_doc_id"].map(|column| {
                    windows(&pages[value(&row, column).as_u64().expect("an id") as usize])
                });
                let exact = doc.intersection(&kept).count() as f64 / doc.len() as f64;
                assert!(exact >= share, "only {exact} of it is there: {row}");
                for column in ["", "_low", "_high"] {
                    let shown = value(&row, &format!("containment_in_kept{column}"));
                    assert_eq!(shown.as_f64(), Some(exact), "{row}");
                }
            }
            counts.push(removed(&place, &name).len());
        }
        // No page has the text of another; the pages that were cut are contained in one.
        assert_eq!(counts[0], 0);
        assert!(20 <= counts[1] && counts[1] < counts[2], "{counts:?}");
    }
}

#[test]
fn large_documents_are_compared_within_a_small_memory() {
    let page = |changed: usize| -> String {
        (0..200_000)
            .map(|word| format!("w{word}{} ", if word < changed { "x" } else { "" }))
            .collect()
    };
    let place = Place::new();
    let line = |text: &str| format!("{{\"text\": \"{text}\"}}\n");
    // The third is equal to the second but for a space. A tenth of the fourth is nowhere else.
    let pages = [page(1), page(2), page(2) + " ", page(20_000)];
    place.write("crawl/a.jsonl", pages.map(|page| line(&page)).concat());
    place.config(&["input.max-document = \"2MiB\"", "work.memory = \"20MiB\""]);
    place.run();
    let all = copies(&place, "all", &[]);
    assert_eq!(all["removed"], 3);
    let some = copies(&place, "some", &["--lossless", "0.95"]);
    assert_eq!(some["removed"], 2);
    place.config(&["input.max-document = \"2MiB\"", "work.memory = \"256MiB\""]);
    // The same decisions: the copies are those of then.
    let again = place.pipeline(&["dedup", "-o", "some", "--lossless", "0.95"]);
    again.exits(0);
    assert!(
        again.stdout().contains("already finished"),
        "{}",
        again.stdout()
    );
}

/// `PIPELINE_DEDUP_CASES` tries more corpora.
#[test]
fn copies_of_many_corpora_are_whole_and_the_same_on_any_number_of_threads() {
    let cases = std::env::var("PIPELINE_DEDUP_CASES")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(12);
    for seed in 0..cases {
        let place = Place::with_corpus(5000 + seed, 40 + (seed * 37 % 160) as u32);
        let linkage = if seed % 2 == 0 {
            "cluster.linkage = \"star\""
        } else {
            "cluster.linkage = \"components\""
        };
        let options: &[&str] = if seed % 3 == 0 {
            &["--lossless", "0.8"]
        } else {
            &[]
        };
        let mut first = None;
        for threads in ["1", "4"] {
            place.config(&[linkage, &format!("work.threads = {threads}")]);
            place.run();
            copies(&place, threads, options);
            let files = files_below(&place.path(threads));
            assert!(
                *first.get_or_insert_with(|| files.clone()) == files,
                "seed {seed}, {threads} threads: other bytes"
            );
        }
        let gone: BTreeSet<i64> = removed(&place, "1")
            .iter()
            .map(|row| value(row, "doc_id").as_i64().expect("an id"))
            .collect();
        let (all, kept) = (lines_of_input(&place), lines(&place, "1"));
        let staying = (0_i64..)
            .zip(&all)
            .filter(|(doc, _)| !gone.contains(doc))
            .map(|(_, line)| line);
        assert!(kept.iter().eq(staying), "seed {seed}: other lines");
        assert_eq!(kept.len() + gone.len(), all.len(), "seed {seed}");
        let run = published(&place);
        for row in removed(&place, "1") {
            let [doc, other] =
                ["doc_id", "kept_doc_id"].map(|name| value(&row, name).as_i64().expect("an id"));
            assert!(
                !run.cluster[&doc].1 && !gone.contains(&other),
                "seed {seed}: {row}"
            );
        }
    }
}

#[test]
fn what_has_no_body_in_the_copies_holds_no_other_document() {
    let words = |name: &str, count: usize| {
        (0..count)
            .map(|at| format!("{name}{at}"))
            .collect::<Vec<_>>()
            .join(" ")
    };
    let record = |kind: &str, id: &str, more: &str, text: &str| {
        let block = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{text}");
        let head =
            format!("WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Target-URI: http://a.test/{id}\r\n");
        let ids =
            format!("WARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Record-ID: <urn:{id}>\r\n{more}");
        format!(
            "{head}{ids}Content-Length: {}\r\n\r\n{block}\r\n\r\n",
            block.len()
        )
    };
    let place = Place::new();
    let sketch = "[sketch]\nseed = \"tests\"\nmethod = { kind = \"modulus\", modulus = 1 }\n";
    place.write("pipeline.toml", format!("version = 1\n{sketch}"));
    // `part` is all in `whole`, and near `first`, which is kept; `again` is `whole`, found
    // unchanged.
    let part = words("w", 100);
    let whole = record(
        "response",
        "whole",
        "",
        &format!("{part} {}", words("y", 200)),
    );
    let first = record(
        "response",
        "first",
        "",
        &format!("{} {}", words("w", 75), words("x", 25)),
    );
    let again = record("revisit", "again", "WARC-Refers-To: <urn:whole>\r\n", "");
    place.write("crawls/one/a.warc", &whole);
    place.write(
        "crawls/two/a.warc",
        [first, record("response", "part", "", &part), again].concat(),
    );
    for name in ["one", "two"] {
        place
            .pipeline(&["snapshot", "add", name, &format!("crawls/{name}")])
            .exits(0);
    }
    place.run();
    let removed = || {
        let ran = place.pipeline(&["dedup", "--lossless", "0.9", "--dry-run", "--json"]);
        ran.exits(0);
        ran.json()["removed"].clone()
    };
    // `again` goes for `whole`, and `part` is held by it.
    assert_eq!(removed(), 2);
    place.pipeline(&["snapshot", "drop", "one"]).exits(0);
    place.run();
    assert_eq!(place.rows("documents").len(), 3, "`again` is still there");
    assert_eq!(
        removed(),
        0,
        "no copy would hold the text of http://a.test/part"
    );
}

/// The documents that go, each with the one that stays, as their ids say.
fn gone(place: &Place, name: &str, options: &[&str]) -> BTreeMap<String, String> {
    copies(place, name, options);
    let id = |row: &Row, column| value(row, column).as_str().expect("an id").to_owned();
    let rows = removed(place, name);
    rows.iter()
        .map(|row| (id(row, "id"), id(row, "kept_id")))
        .collect()
}

#[test]
fn at_1_only_the_same_characters_go() {
    let texts = [
        ("c", "Learn C in 21 days"),
        ("c++", "Learn C++ in 21 days"),
        ("c++ again", " Learn\u{A0}C++   in 21\\n\\tdays\\n"),
        ("c#", "Learn C# in 21 days"),
        ("small", "learn c++ in 21 days"),
        ("cold", "Temperature today: -15 °C"),
        ("warm", "Temperature today: 15 °C"),
        ("up", "I vote for this 👍"),
        ("down", "I vote for this 👎"),
        ("up again", "I vote  for this 👍"),
        ("composed", "un caf\u{E9}"),
        ("decomposed", "un cafe\u{301}"),
        ("together", "x together"),
        ("to get her", "x to get her"),
        // What cannot be decoded is the same only in the same bytes.
        ("lost", "a lost \u{FFFD} character"),
        ("lost again", "a lost \u{FFFD} character"),
        ("lost elsewhere", "a lost  \u{FFFD} character"),
    ];
    let line = |(id, text): &(&str, &str)| format!("{{\"id\": \"{id}\", \"text\": \"{text}\"}}\n");
    let place = Place::new();
    place.write("crawl/a.jsonl", texts.iter().map(line).collect::<String>());
    for linkage in ["components", "star"] {
        place.config(&[&format!("cluster.linkage = \"{linkage}\"")]);
        place.run();
        let all = gone(&place, &format!("all-{linkage}"), &[]);
        assert!(all.len() > 6, "{all:?}");
        let name = format!("lossless-{linkage}");
        let found = gone(&place, &name, &["--lossless", "1.0"]);
        let expected = [
            ("c++ again", "c++"),
            ("lost again", "lost"),
            ("up again", "up"),
        ];
        let expected = expected.map(|(id, kept)| (id.to_owned(), kept.to_owned()));
        assert_eq!(found, BTreeMap::from(expected));
    }
}

/// Two pages of the same article in frames of two sites, and one of them again with other markup.
#[test]
fn all_text_of_a_page_counts_whatever_its_main_part_is() {
    let article: String = (0..200)
        .map(|n| format!("w{} ", n * 7919 % 10_007))
        .collect();
    let frame: String = (0..60)
        .map(|n| format!("<a href=x>menu{n} of it</a> "))
        .collect();
    let page = |frame: &str| {
        format!("<body><nav>{frame}</nav><main><p>{article}</p></main><footer>{frame}</footer>")
    };
    let place = Place::new();
    let pages = [
        ("a", page(&frame)),
        ("b", page(&frame.replace("menu", "other"))),
        ("c", page(&frame).replace("href=x", "href=y")),
        ("d", page(&frame.replace("menu7 ", "menu8 "))),
    ];
    let line =
        |(id, page): &(&str, String)| format!("{{\"id\": \"{id}\", \"html\": \"{page}\"}}\n");
    place.write("crawl/a.jsonl", pages.iter().map(line).collect::<String>());
    for content in ["main", "page"] {
        place.config(&[
            &format!("sketch.content = \"{content}\""),
            "input.html-field = \"html\"",
            "cluster.resemblance = 0.3",
        ]);
        place.run();
        let all = gone(&place, &format!("all-{content}"), &[]);
        assert_eq!(all.len(), 3, "{all:?}");
        for (share, expected) in [("1.0", vec!["c"]), ("0.9", vec!["c", "d"])] {
            let name = format!("{content}-{share}");
            let found = gone(&place, &name, &["--lossless", share]);
            assert_eq!(
                found.keys().collect::<Vec<_>>(),
                expected,
                "{content}, {share}"
            );
        }
    }
}
